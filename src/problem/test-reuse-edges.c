/*
 * Reuse edges of plans of random graphs, against closures of which op
 * ends before which begins; and how they are written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/reuse-edges.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/planning.h"
#include "testing/random-graph.h"
#include "testing/random.h"
#include "testing/sample-plan.h"
#include "testing/small-graph.h"

enum {
	MOST_OPS = 10,
	GRAPHS = 1500,
};

struct trial {
	struct fixture f;
	struct plan plan;
	uint32_t order[MOST_OPS];
	uint32_t edges[CLOSURE_OPS];  /* before an op by edges */
	uint32_t before[CLOSURE_OPS]; /* by edges and streams */
	uint64_t random;
};

/* A plan of a random graph, in the order of its list. An op waits for one of
 * its stream only if it reads from it: the list of ops cannot tell another such
 * edge from the stream's own order. */
static void make_plan(struct trial *t, uint64_t seed, uint32_t streams)
{
	const struct random_traits traits = {.n_ops = MOST_OPS,
		.after = true,
		.produced = true,
		.streams = streams};
	struct graph *graph = &t->f.graph;
	struct job job;

	*t = (struct trial){.random = seed};
	t->f.arena.error = &t->f.error;
	cr_assert(mp_testing_random_graph(
		seed, &traits, graph, &t->f.arena, &t->f.error));
	for (uint32_t i = 0; i < graph->n_ops; i++)
		t->order[i] = i;
	mp_testing_close(graph, false, t->edges);
	mp_testing_close(graph, true, t->before);
	cr_assert(mp_testing_lifetime(&t->f, t->order, false));
	job = mp_testing_job(&t->f.problem, 100000, &t->f.arena);
	cr_assert_neq(mp_testing_plan(&job, "greedy-size"), PLAN_FAILED);
	cr_assert_neq(job.height, UINT64_MAX);
	t->plan = (struct plan){.problem = &t->f.problem,
		.schedule = t->f.schedule,
		.offsets = job.best};
}

/* Uses of the tensor that no other use follows. */
static bool is_last(const struct trial *t, uint32_t op, uint32_t tensor)
{
	const struct graph *graph = &t->f.graph;

	if (!mp_testing_uses(graph, op, tensor))
		return false;
	for (uint32_t k = 0; k < graph->n_ops; k++)
		if ((t->before[k] >> op & 1) &&
			mp_testing_uses(graph, k, tensor))
			return false;
	return true;
}

static void check_reuse(const struct trial *t, const struct reuse *r)
{
	const struct graph *graph = &t->f.graph;
	uint32_t n = 0, next = graph->tensors[r->next].producer;
	bool edges = true, crosses = false;

	cr_assert_eq(r->first, next);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		n += is_last(t, op, r->old);
	cr_assert_eq(r->n_last, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = r->last[i];

		cr_assert(is_last(t, op, r->old));
		cr_assert(t->before[next] >> op & 1);
		edges &= t->edges[next] >> op & 1;
		crosses |= graph->ops[op].stream != graph->ops[next].stream;
	}
	cr_assert_eq(r->crosses, crosses && graph->n_streams > 1);
	cr_assert_eq(r->order, edges ? REUSE_EDGES : REUSE_STREAMS);
}

static void hold(uint32_t streams)
{
	static struct trial t;
	struct arena *arena = &t.f.arena;
	uint32_t n[REUSE_HAZARD + 1] = {0};

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct reuses reuses;

		make_plan(&t, seed, streams);
		cr_assert(mp_problem_reuse_find(&t.plan, &reuses, arena));
		cr_assert(mp_problem_reuse_search(&reuses, arena));
		cr_assert(reuses.searched);
		cr_assert_eq(reuses.n_hazards, 0);
		for (uint32_t i = 0; i < reuses.n; i++) {
			check_reuse(&t, &reuses.at[i]);
			n[reuses.at[i].order]++;
		}
		mp_arena_free(arena);
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
	POOLS = 3,
	MOST_TENSORS = 3 * MOST_OPS,
};

/* Makes the plan one of several memories; any buffer may lie in any of them. */
static void scatter(struct trial *t, struct space *spaces, uint32_t *of)
{
	const struct problem *p = &t->f.problem;

	for (uint32_t k = 0; k < POOLS; k++)
		spaces[k] = (struct space){.name = "pool"};
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		struct space *space =
			&spaces[of[i] = mp_testing_below(&t->random, POOLS)];

		space->size = num_max(
			space->size, t->plan.offsets[i] + p->buffers[i].size);
	}
	t->plan.spaces = (struct spaces){.at = spaces, .n = POOLS, .of = of};
}

/* The tensor that held that byte of that pool last before this one. */
static uint32_t holder_before(
	const struct trial *t, uint32_t next, uint64_t byte)
{
	const struct graph *graph = &t->f.graph;
	const struct stay *stay = t->f.schedule->stay;
	uint32_t old = NONE;

	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		uint64_t low = mp_plan_offset(&t->plan, i);

		if (i == next || stay[i].end > stay[next].start ||
			mp_plan_space(&t->plan, i) !=
				mp_plan_space(&t->plan, next) ||
			byte < low || byte >= low + graph->tensors[i].size)
			continue;
		if (old == NONE || stay[i].start > stay[old].start)
			old = i;
	}
	return old;
}

static void expect_bytes(const struct trial *t, const struct reuses *reuses)
{
	static uint32_t bytes[MOST_TENSORS][MOST_TENSORS];
	static uint64_t low[MOST_TENSORS][MOST_TENSORS];
	const struct graph *graph = &t->f.graph;
	uint32_t n = 0;

	cr_assert_leq(graph->n_tensors, MOST_TENSORS);
	memset(bytes, 0, sizeof(bytes));
	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		uint64_t at = mp_plan_offset(&t->plan, i);

		for (uint64_t b = at; b < at + graph->tensors[i].size; b++) {
			uint32_t old = holder_before(t, i, b);

			if (old != NONE && bytes[old][i]++ == 0)
				low[old][i] = b;
		}
	}
	for (uint32_t i = 0; i < MOST_TENSORS * MOST_TENSORS; i++)
		n += bytes[i / MOST_TENSORS][i % MOST_TENSORS] > 0;
	cr_assert_eq(reuses->n, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct reuse *r = &reuses->at[i];

		cr_assert_eq(r->bytes, bytes[r->old][r->next]);
		cr_assert_eq(r->low, low[r->old][r->next]);
		cr_assert_eq(r->space, mp_plan_space(&t->plan, r->old));
	}
}

Test(reuse, of_several_pools_is_that_of_each)
{
	static struct trial t;
	uint32_t sum = 0;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct space spaces[POOLS];
		uint32_t of[MOST_TENSORS];
		struct reuses reuses;

		make_plan(&t, seed, 1);
		scatter(&t, spaces, of);
		cr_assert(mp_problem_reuse_find(&t.plan, &reuses, &t.f.arena));
		expect_bytes(&t, &reuses);
		sum += reuses.n;
		mp_arena_free(&t.f.arena);
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
