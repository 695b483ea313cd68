/*
 * Reuse edges of plans of random graphs, against closures of who runs before
 * whom; and how they are written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/reuse-edges.h"

#include <criterion/criterion.h>
#include <string.h>

#include "graph/graph.h"
#include "lifetime/lifetime.h"
#include "planners/planner.h"
#include "testing/sample-plan.h"
#include "verify/verify.h"

enum {
	MOST_OPS = 10,
	GRAPHS = 1500,
};

struct fixture {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct schedule *schedule;
	struct problem problem; /* that of the schedule */
	struct plan plan;
	struct op ops[MOST_OPS];
	struct tensor tensors[MOST_OPS];
	uint32_t inputs[MOST_OPS][MOST_OPS], after[MOST_OPS][MOST_OPS];
	uint32_t outputs[MOST_OPS], order[MOST_OPS];
	bool edges[MOST_OPS][MOST_OPS];	 /* a path of edges leads there */
	bool before[MOST_OPS][MOST_OPS]; /* of edges and streams */
	uint64_t random;
};

static uint32_t below(struct fixture *f, uint32_t n)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695041;
	return (uint32_t)(f->random >> 33) % n;
}

/* Op i writes tensor i. An op waits for one just before it in its stream only
 * if it reads from it: the list of ops cannot tell such an edge from the
 * stream's own order. */
static void make_graph(struct fixture *f, uint64_t seed, uint32_t streams)
{
	memset(f, 0, sizeof(*f));
	f->random = seed * 7919 + 1;
	f->arena.error = &f->error;
	f->graph = (struct graph){.name = "random",
		.place = "random",
		.alignment = 1,
		.n_ops = 2 + below(f, MOST_OPS - 1),
		.ops = f->ops,
		.tensors = f->tensors};
	f->graph.n_tensors = f->graph.n_ops;
	for (uint32_t i = 0; i < f->graph.n_ops; i++) {
		struct op *op = &f->ops[i];

		f->tensors[i] =
			(struct tensor){.name = "t", .size = 1 + below(f, 9)};
		op->name = "op";
		op->stream = below(f, streams);
		f->order[i] = f->outputs[i] = i;
		op->outputs = (struct ids){&f->outputs[i], 1};
		op->inputs.at = f->inputs[i];
		op->after.at = f->after[i];
		for (uint32_t k = 0; k < i; k++) {
			if (below(f, 4) == 0)
				f->inputs[i][op->inputs.n++] = k;
			else if (below(f, 8) == 0 &&
				 op->stream != f->ops[k].stream)
				f->after[i][op->after.n++] = k;
		}
	}
}

static void close_over(bool table[MOST_OPS][MOST_OPS], uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				table[a][b] |= table[a][k] && table[k][b];
}

static void close_all(struct fixture *f)
{
	uint32_t n = f->graph.n_ops;

	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t i = 0; i < f->ops[b].inputs.n; i++)
			f->edges[f->inputs[b][i]][b] = true;
		for (uint32_t i = 0; i < f->ops[b].after.n; i++)
			f->edges[f->after[b][i]][b] = true;
		for (uint32_t a = 0; a < b; a++)
			f->before[a][b] = f->edges[a][b] ||
					  f->ops[a].stream == f->ops[b].stream;
	}
	close_over(f->edges, n);
	close_over(f->before, n);
}

static void plan(struct fixture *f)
{
	const struct planner *row = mp_planner_find("greedy-size");
	struct lifetime_options options = {0};
	struct job job = {.capacity = UINT64_MAX,
		.steps = 100000,
		.threads = 1,
		.arena = &f->arena,
		.error = &f->error,
		.verify = mp_verify,
		.height = UINT64_MAX};

	cr_assert(mp_graph_link(&f->graph, &f->arena, &f->error));
	f->schedule = mp_lifetime(
		&f->graph, f->order, &options, &f->arena, &f->error);
	cr_assert(f->schedule);
	f->problem = f->schedule->problem;
	job.problem = &f->problem;
	job.best = NEW(&f->arena, uint64_t, f->problem.n_buffers);
	cr_assert_eq(row->run(&job, row->variant), PLAN_FOUND);
	f->plan = (struct plan){.problem = &f->problem,
		.schedule = f->schedule,
		.offsets = job.best};
}

static bool uses(const struct fixture *f, uint32_t op, uint32_t tensor)
{
	if (op == tensor)
		return true;
	for (uint32_t i = 0; i < f->ops[op].inputs.n; i++)
		if (f->inputs[op][i] == tensor)
			return true;
	return false;
}

/* Uses of the tensor that no other use follows. */
static bool is_last(const struct fixture *f, uint32_t op, uint32_t tensor)
{
	if (!uses(f, op, tensor))
		return false;
	for (uint32_t k = 0; k < f->graph.n_ops; k++)
		if (f->before[op][k] && uses(f, k, tensor))
			return false;
	return true;
}

static void check_reuse(const struct fixture *f, const struct reuse *r)
{
	bool edges = true, crosses = false;
	uint32_t n = 0;

	cr_assert_eq(r->first, r->next);
	for (uint32_t op = 0; op < f->graph.n_ops; op++)
		n += is_last(f, op, r->old);
	cr_assert_eq(r->n_last, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = r->last[i];

		cr_assert(is_last(f, op, r->old));
		cr_assert(f->before[op][r->next]);
		edges &= f->edges[op][r->next];
		crosses |= f->ops[op].stream != f->ops[r->next].stream;
	}
	cr_assert_eq(r->crosses, crosses && f->graph.n_streams > 1);
	cr_assert_eq(r->order, edges ? REUSE_EDGES : REUSE_STREAMS);
}

static void hold(uint32_t streams)
{
	static struct fixture f;
	uint32_t n[REUSE_HAZARD + 1] = {0};

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct reuses reuses;

		make_graph(&f, seed, streams);
		close_all(&f);
		plan(&f);
		cr_assert(mp_problem_reuse_find(&f.plan, &reuses, &f.arena));
		cr_assert(mp_problem_reuse_search(&reuses, &f.arena));
		cr_assert(reuses.searched);
		cr_assert_eq(reuses.n_hazards, 0);
		for (uint32_t i = 0; i < reuses.n; i++) {
			check_reuse(&f, &reuses.at[i]);
			n[reuses.at[i].order]++;
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n[REUSE_EDGES], 100);
	cr_assert_gt(n[REUSE_STREAMS], 100);
}

Test(reuse, of_one_stream)
{
	hold(1);
}

Test(reuse, across_streams)
{
	hold(3);
}

/* ------------------------------------------------------------ pools */

enum {
	POOLS = 3
};

/* A plan of one memory is one of several too, whoever lies in which. */
static void scatter(struct fixture *f, struct space *spaces, uint32_t *of)
{
	for (uint32_t k = 0; k < POOLS; k++)
		spaces[k] = (struct space){.name = "pool"};
	for (uint32_t i = 0; i < f->problem.n_buffers; i++) {
		struct space *space = &spaces[of[i] = below(f, POOLS)];

		space->size = num_max(space->size,
			f->plan.offsets[i] + f->problem.buffers[i].size);
	}
	f->plan.spaces = (struct spaces){.at = spaces, .n = POOLS, .of = of};
}

/* Who held that byte of that pool last before this one. */
static uint32_t holder_before(
	const struct fixture *f, uint32_t next, uint64_t byte)
{
	const struct stay *stay = f->schedule->stay;
	const struct problem *p = &f->problem;
	uint32_t old = NONE;

	for (uint32_t i = 0; i < f->graph.n_tensors; i++) {
		uint32_t buffer = stay[i].buffer;
		uint64_t low = f->plan.offsets[buffer];

		if (i == next || stay[i].end > stay[next].start ||
			mp_plan_space(&f->plan, i) !=
				mp_plan_space(&f->plan, next) ||
			byte < low || byte >= low + p->buffers[buffer].size)
			continue;
		if (old == NONE || stay[i].start > stay[old].start)
			old = i;
	}
	return old;
}

static void expect_bytes(const struct fixture *f, const struct reuses *reuses)
{
	static uint32_t bytes[MOST_OPS][MOST_OPS];
	static uint64_t low[MOST_OPS][MOST_OPS];
	uint32_t n = 0;

	memset(bytes, 0, sizeof(bytes));
	for (uint32_t i = 0; i < f->graph.n_tensors; i++) {
		uint64_t at = mp_plan_offset(&f->plan, i);

		for (uint64_t b = at; b < at + f->graph.tensors[i].size; b++) {
			uint32_t old = holder_before(f, i, b);

			if (old != NONE && bytes[old][i]++ == 0)
				low[old][i] = b;
		}
	}
	for (uint32_t i = 0; i < MOST_OPS * MOST_OPS; i++)
		n += bytes[i / MOST_OPS][i % MOST_OPS] > 0;
	cr_assert_eq(reuses->n, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct reuse *r = &reuses->at[i];

		cr_assert_eq(r->bytes, bytes[r->old][r->next]);
		cr_assert_eq(r->low, low[r->old][r->next]);
		cr_assert_eq(r->space, mp_plan_space(&f->plan, r->old));
	}
}

Test(reuse, of_several_pools_is_that_of_each)
{
	static struct fixture f;
	uint32_t sum = 0;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct space spaces[POOLS];
		uint32_t of[MOST_OPS];
		struct reuses reuses;

		make_graph(&f, seed, 1);
		plan(&f);
		scatter(&f, spaces, of);
		cr_assert(mp_problem_reuse_find(&f.plan, &reuses, &f.arena));
		expect_bytes(&f, &reuses);
		sum += reuses.n;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(sum, 1000);
}

/* ---------------------------------------------------------- writing */

static struct sample s;

/* Tensor 2 takes the bytes of tensor 0, which op 1 reads last. Nothing but the
 * order of the list puts op 1 before op 2 there. */
Test(reuse, is_written_as_json)
{
	mp_testing_sample_chain(&s, 3);
	cr_assert_str_eq(mp_testing_sample_emit(&s, "reuse"),
		"{\n"
		"  \"format\": \"memplan.reuse\",\n"
		"  \"version\": 1,\n"
		"  \"name\": \"sample\",\n"
		"  \"arena_size\": 20480,\n"
		"  \"streams\": 1,\n"
		"  \"edges\": 1,\n"
		"  \"cross_stream\": 0,\n"
		"  \"hazards\": 0,\n"
		"  \"bytes\": 1024,\n"
		"  \"searched\": true,\n"
		"  \"reuse\": [\n"
		"    {\"old\": 0, \"new\": 2, \"offset\": 0, "
		"\"bytes\": 1024, \"end\": 2, \"start\": 2, \"last\": [1], "
		"\"first\": 2, \"cross_stream\": false, "
		"\"implied_by\": \"streams\"}\n"
		"  ]\n"
		"}\n");
	mp_testing_sample_free(&s);
}

Test(reuse, is_written_as_a_graph)
{
	mp_testing_sample_chain(&s, 3);
	s.graph.tensors[0].name = "a\\\"&\n\xc3\xa4";
	cr_assert_str_eq(mp_testing_sample_emit(&s, "reuse-dot"),
		"digraph reuse {\n"
		"  rankdir=LR;\n"
		"  node [shape=box];\n"
		"  t0 [label=\"a&#92;&#34;&#38;?&#228;\\n[0, 1000)\"];\n"
		"  t2 [label=\"tensor2\\n[0, 3000)\"];\n"
		"  t0 -> t2 [color=black, label=\"1024 bytes\\n"
		"op 1 before op 2\"];\n"
		"}\n");
	mp_testing_sample_free(&s);
}

/* A lifetime that the input fixes may end before the last use does. */
Test(reuse, that_nothing_orders_is_a_hazard)
{
	mp_testing_sample_chain(&s, 3);
	s.schedule.stay[1].end = s.schedule.problem.parts[1].end = 2;
	s.schedule.problem.buffers[1].end = 2;
	s.plan.offsets[2] = s.plan.offsets[1];
	cr_assert(
		strstr(mp_testing_sample_emit(&s, "reuse"), "\"hazards\": 1,"));
	cr_assert(strstr(s.sink.bytes, "\"implied_by\": null"));
	cr_assert(
		strstr(mp_testing_sample_emit(&s, "reuse-dot"), "style=bold"));
	mp_testing_sample_free(&s);
}
