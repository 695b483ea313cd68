/*
 * Random graphs on several streams, against brute force: who happens before
 * whom by transitive closure, the heaviest crowd by trying all sets, and plans
 * by walking every interleaving.
 *
 * SPDX-License-Identifier: MIT
 */
#include "streams.h"

#include <criterion/criterion.h>
#include <string.h>

#include "lifetime.h"
#include "order/order.h"
#include "planner.h"
#include "verify.h"

enum {
	MOST_OPS = 8,
	MOST_STREAMS = 3,
	MOST_TENSORS = 2 * MOST_OPS,
	GRAPHS = 2000,
};

struct fixture {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct problem problem;
	struct op ops[MOST_OPS];
	struct tensor tensors[MOST_TENSORS];
	uint32_t lists[MOST_OPS][4][MOST_OPS]; /* inputs, outputs, temporaries,
						  after */
	struct inplace_pair pairs[MOST_OPS];
	bool before[MOST_OPS]
		   [MOST_OPS]; /* surely over before the other begins */
	const uint32_t *order;
	uint64_t random;
};

static uint32_t below(struct fixture *f, uint32_t n)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695041;
	return (uint32_t)(f->random >> 33) % n;
}

/* ------------------------------------------------------------------ a graph */

static void add(struct fixture *f, uint32_t op, uint32_t list, uint32_t value)
{
	struct ids *ids[] = {&f->ops[op].inputs, &f->ops[op].outputs,
		&f->ops[op].temporaries, &f->ops[op].after};

	f->lists[op][list][ids[list]->n++] = value;
	ids[list]->at = f->lists[op][list];
}

static uint32_t add_tensor(struct fixture *f, enum tensor_kind kind)
{
	uint32_t t = f->graph.n_tensors++;

	f->tensors[t] = (struct tensor){
		.name = "t", .size = 1 + below(f, 9), .kind = (uint8_t)kind};
	return t;
}

/* Op i writes tensor i; some scratch follows. */
static void make_graph(struct fixture *f, uint64_t seed, bool inplace)
{
	memset(f, 0, sizeof(*f));
	f->random = seed * 7919;
	f->arena.error = &f->error;
	f->graph = (struct graph){.name = "random",
		.place = "random",
		.alignment = 1,
		.n_ops = 2 + below(f, MOST_OPS - 1),
		.ops = f->ops,
		.tensors = f->tensors};
	for (uint32_t i = 0; i < f->graph.n_ops; i++) {
		f->ops[i].name = "op";
		f->ops[i].stream = below(f, MOST_STREAMS);
		add(f, i, 1,
			add_tensor(f,
				below(f, 12) ? KIND_ACTIVATION : KIND_OUTPUT));
		for (uint32_t k = 0; k < i; k++) {
			if (below(f, 4) == 0)
				add(f, i, 0, k);
			else if (below(f, 8) == 0)
				add(f, i, 3, k);
		}
		if (inplace && f->ops[i].inputs.n > 0) {
			f->pairs[i] = (struct inplace_pair){
				i, f->ops[i].inputs.at[0]};
			f->ops[i].inplace = &f->pairs[i];
			f->ops[i].n_inplace = 1;
		}
	}
	for (uint32_t i = 0; i < f->graph.n_ops; i++)
		if (below(f, 4) == 0)
			add(f, i, 2, add_tensor(f, KIND_TEMPORARY));
}

static void close_before(struct fixture *f)
{
	uint32_t n = f->graph.n_ops;

	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t i = 0; i < f->ops[b].inputs.n; i++)
			f->before[f->ops[b].inputs.at[i]][b] = true;
		for (uint32_t i = 0; i < f->ops[b].after.n; i++)
			f->before[f->ops[b].after.at[i]][b] = true;
		for (uint32_t a = 0; a < b; a++)
			if (f->ops[a].stream == f->ops[b].stream)
				f->before[a][b] = true;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				f->before[a][b] |=
					f->before[a][k] && f->before[k][b];
}

static void begin(struct fixture *f, uint64_t seed, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};
	struct order_job job = {.graph = &f->graph,
		.inplace = inplace,
		.arena = &f->arena,
		.error = &f->error};

	make_graph(f, seed, inplace);
	close_before(f);
	cr_assert(mp_graph_link(&f->graph, &f->arena, &f->error), "%s",
		f->error.text);
	cr_assert(mp_order_find("keep")->run(&job, 0), "%s", f->error.text);
	f->order = job.choices[0];
	cr_assert(mp_lifetime(&f->graph, f->order, &options, &f->problem,
			  &f->arena, &f->error),
		"%s", f->error.text);
}

/* -------------------------------------------------------------- brute force */

/* Does the op hold the tensor? */
static bool uses(const struct fixture *f, uint32_t op, uint32_t t)
{
	const struct tensor *tensor = &f->tensors[t];

	if (tensor->producer == op)
		return true;
	for (uint32_t i = 0; i < tensor->readers.n; i++)
		if (tensor->readers.at[i] == op)
			return true;
	return false;
}

static bool precedes(const struct fixture *f, uint32_t a, uint32_t b)
{
	if (f->tensors[a].kind == KIND_OUTPUT)
		return false;
	for (uint32_t op = 0; op < f->graph.n_ops; op++)
		if (uses(f, op, a) && !f->before[op][f->tensors[b].producer])
			return false;
	return true;
}

static bool conflict(const struct fixture *f, uint32_t a, uint32_t b)
{
	return !precedes(f, a, b) && !precedes(f, b, a);
}

static uint64_t heaviest_crowd(const struct fixture *f)
{
	uint32_t n = f->graph.n_tensors;
	uint64_t best = 0;

	for (uint32_t set = 1; set < 1u << n; set++) {
		uint64_t weight = 0;
		bool crowd = true;

		for (uint32_t a = 0; a < n && crowd; a++) {
			if (!(set >> a & 1))
				continue;
			weight += f->tensors[a].size;
			for (uint32_t b = 0; b < a && crowd; b++)
				crowd = !(set >> b & 1) || conflict(f, a, b);
		}
		if (crowd && weight > best)
			best = weight;
	}
	return best;
}

static bool spread(const struct fixture *f)
{
	return f->problem.n_streams > 1;
}

Test(streams, conflict_as_the_closure_says)
{
	uint32_t conflicts = 0, pairs = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct fixture f;

		begin(&f, seed, false);
		for (uint32_t a = 0; spread(&f) && a < f.graph.n_tensors; a++)
			for (uint32_t b = 0; b < a; b++) {
				uint32_t x = f.problem.items[a].buffer;
				uint32_t y = f.problem.items[b].buffer;

				pairs++;
				conflicts += conflict(&f, a, b);
				cr_assert_eq(
					mp_problem_conflict(&f.problem, x, y),
					conflict(&f, a, b), "seed %llu: %u %u",
					(unsigned long long)seed, a, b);
			}
		mp_arena_free(&f.arena);
	}
	cr_assert(conflicts > pairs / 10 && conflicts < pairs - pairs / 10);
}

Test(streams, crowd_is_the_heaviest)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct fixture f;
		uint64_t weight = 0;

		begin(&f, seed, false);
		cr_assert_geq(f.problem.theoretical_min, f.problem.listed_min);
		for (uint32_t i = 0; i < f.problem.n_crowd; i++)
			weight += f.problem.parts[f.problem.crowd[i]].size;
		for (uint32_t i = 0; i < f.problem.n_crowd; i++)
			for (uint32_t k = 0; k < i; k++)
				cr_assert(mp_problem_conflict(&f.problem,
					f.problem.crowd[i],
					f.problem.crowd[k]));
		if (spread(&f)) {
			cr_assert_eq(f.problem.theoretical_min,
				heaviest_crowd(&f), "seed %llu",
				(unsigned long long)seed);
			cr_assert_eq(weight, f.problem.theoretical_min);
		}
		mp_arena_free(&f.arena);
	}
}

/* ------------------------------------------------------------ interleavings */

static bool overlap(const struct fixture *f, const uint64_t *offsets,
	uint32_t a, uint32_t b)
{
	uint32_t x = f->problem.items[a].buffer, y = f->problem.items[b].buffer;

	return x != y && offsets[x] < offsets[y] + f->tensors[b].size &&
	       offsets[y] < offsets[x] + f->tensors[a].size;
}

/* While op runs behind those that are done, is the tensor's content needed? */
static bool is_needed(
	const struct fixture *f, uint32_t t, uint32_t done, uint32_t op)
{
	bool later = f->tensors[t].kind == KIND_OUTPUT;

	if (!((done | 1u << op) >> f->tensors[t].producer & 1))
		return false;
	for (uint32_t k = 0; k < f->graph.n_ops; k++)
		later |= uses(f, k, t) && !(done >> k & 1);
	return later;
}

static void check_moment(const struct fixture *f, const uint64_t *offsets,
	uint32_t done, uint32_t op)
{
	for (uint32_t a = 0; a < f->graph.n_tensors; a++)
		for (uint32_t b = 0; b < a; b++)
			cr_assert_not(is_needed(f, a, done, op) &&
				      is_needed(f, b, done, op) &&
				      overlap(f, offsets, a, b));
}

static bool may_run(const struct fixture *f, uint32_t done, uint32_t op)
{
	if (done >> op & 1)
		return false;
	for (uint32_t a = 0; a < f->graph.n_ops; a++)
		if (f->before[a][op] && !(done >> a & 1))
			return false;
	return true;
}

/* Every set of ops that may be done, and every op that may run next: together
 * these are the moments of all interleavings. */
static uint32_t check_moments(const struct fixture *f, const uint64_t *offsets)
{
	bool reached[1 << MOST_OPS] = {true};
	uint32_t moments = 0;

	for (uint32_t done = 0; done < 1u << f->graph.n_ops; done++)
		for (uint32_t op = 0; reached[done] && op < f->graph.n_ops;
			op++) {
			if (!may_run(f, done, op))
				continue;
			reached[done | 1u << op] = true;
			check_moment(f, offsets, done, op);
			moments++;
		}
	return moments;
}

static void plan(struct fixture *f, struct job *job)
{
	const struct planner *row = mp_planner_find("auto");

	*job = (struct job){.problem = &f->problem,
		.capacity = UINT64_MAX,
		.steps = 20000,
		.threads = 1,
		.arena = &f->arena,
		.error = &f->error,
		.verify = mp_verify,
		.height = UINT64_MAX,
		.lower_bound = f->problem.theoretical_min,
		.running = row->name,
		.best = NEW(&f->arena, uint64_t, f->problem.n_buffers)};
	cr_assert_neq(
		row->run(job, row->variant), PLAN_FAILED, "%s", f->error.text);
}

Test(streams, plans_hold_in_every_interleaving)
{
	uint32_t moments = 0, optimal = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct fixture f;
		struct job job;

		begin(&f, seed, seed % 2);
		plan(&f, &job);
		moments += check_moments(&f, job.best);
		optimal += job.height == f.problem.theoretical_min;
		mp_arena_free(&f.arena);
	}
	cr_assert(moments > GRAPHS && optimal > GRAPHS / 2, "%u moments, %u",
		moments, optimal);
}

/* --------------------------------------------------------------- neighbours */

enum {
	PARTS = 11,
	HOLDERS = 8,
};

static void fill_parts(const struct fixture *f, const struct streams *streams,
	struct holder *at, uint32_t n, struct problem *p, struct arena *arena)
{
	struct holders holders = {at, n};

	*p = (struct problem){.n_parts = PARTS, .order = f->order};
	p->parts = NEW(arena, struct part, PARTS);
	p->buffers = NEW(arena, struct buffer, 1);
	cr_assert(mp_streams_fill(streams, &holders, p, arena));
}

/* The one holder's producer that comes before all others', or NONE. */
static uint32_t first_birth(const struct fixture *f,
	const struct holder *holders, uint32_t n, uint32_t part)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = f->tensors[holders[i].tensor].producer;
		bool first = holders[i].part == part;

		for (uint32_t k = 0; k < n && first; k++) {
			uint32_t other = f->tensors[holders[k].tensor].producer;

			first = holders[k].part != part || other == op ||
				f->before[op][other];
		}
		if (first)
			return op;
	}
	return NONE;
}

/* Who holds many parts holds each of them. */
static void expect_each(struct fixture *f, const struct streams *streams)
{
	struct holder many[HOLDERS], each[HOLDERS * PARTS];
	struct problem wanted, got;
	uint32_t n = 0;

	for (uint32_t i = 0; i < HOLDERS; i++) {
		uint32_t part = below(f, PARTS);

		many[i] = (struct holder){part, 1 + below(f, PARTS - part),
			below(f, f->graph.n_tensors)};
		for (uint32_t k = 0; k < many[i].n; k++)
			each[n++] = (struct holder){
				part + k, 1, many[i].tensor};
	}
	fill_parts(f, streams, each, n, &wanted, &f->arena);
	fill_parts(f, streams, many, HOLDERS, &got, &f->arena);
	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t op = first_birth(f, each, n, i);

		cr_assert_eq(got.born[i], wanted.born[i]);
		cr_assert_eq(got.stream[i], wanted.stream[i]);
		cr_assert_eq(got.born[i],
			op == NONE ? 0 : streams->position[op]);
		for (uint32_t k = 0; k < streams->n; k++)
			cr_assert_eq(got.free[i * streams->n + k],
				wanted.free[i * streams->n + k]);
	}
}

Test(streams, neighbours_are_held_each)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct fixture f;
		struct streams streams;

		begin(&f, seed, false);
		if (spread(&f)) {
			cr_assert(mp_streams_init(
				&streams, &f.graph, f.order, &f.arena));
			expect_each(&f, &streams);
		}
		mp_arena_free(&f.arena);
	}
}

/* It is written before the first op, and so is a state that is read later. */
Test(streams, an_input_that_nobody_reads_is_there_at_the_first_step)
{
	struct lifetime_options options = {.inplace = false};
	uint32_t order[] = {0, 1}, input, state;
	struct fixture f = {.arena = {.error = &f.error}};

	f.graph = (struct graph){.name = "unread",
		.place = "unread",
		.alignment = 1,
		.n_ops = 2,
		.ops = f.ops,
		.tensors = f.tensors};
	for (uint32_t i = 0; i < 2; i++) {
		f.ops[i] = (struct op){.name = "op", .stream = i};
		add(&f, i, 1, add_tensor(&f, KIND_ACTIVATION));
	}
	input = add_tensor(&f, KIND_INPUT);
	state = add_tensor(&f, KIND_STATE);
	add(&f, 1, 0, state);
	cr_assert(mp_graph_link(&f.graph, &f.arena, &f.error));
	cr_assert(mp_lifetime(
		&f.graph, order, &options, &f.problem, &f.arena, &f.error));
	cr_assert_eq(f.problem.n_streams, 2);
	cr_assert(mp_problem_conflict(&f.problem, f.problem.items[input].buffer,
		f.problem.items[state].buffer));
	cr_assert(mp_problem_conflict(&f.problem, f.problem.items[input].buffer,
		f.problem.items[0].buffer));
	mp_arena_free(&f.arena);
}

/* One arena unit off must be caught by the walk above, or it proves nothing. */
Test(streams, a_wrong_plan_is_caught)
{
	struct fixture f;
	struct arena_mark mark;
	uint32_t caught = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t offsets[MOST_TENSORS] = {0};
		struct error verdict = {0};
		bool overlaps = false;

		begin(&f, seed, false);
		mark = mp_arena_mark(&f.arena);
		for (uint32_t a = 0; a < f.graph.n_tensors; a++)
			for (uint32_t b = 0; b < a; b++)
				overlaps |= conflict(&f, a, b);
		cr_assert_eq(mp_verify(&f.problem, offsets, MEMPLAN_NO,
				     &f.arena, &verdict),
			!overlaps);
		caught += overlaps;
		mp_arena_rewind(&f.arena, mark);
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(caught, 100);
}
