/*
 * Random graphs on several streams, against brute force: which op ends before
 * which begins by transitive closure, the heaviest set of tensors that may all
 * be alive by trying all sets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <criterion/criterion.h>

#include "testing/random-graph.h"
#include "testing/random.h"
#include "testing/small-graph.h"
#include "verify/verify.h"

enum {
	GRAPHS = 2000,
	MOST_OPS = 8,
	MOST_TENSORS = 64,
};

struct trial {
	struct fixture f;
	uint32_t before[CLOSURE_OPS], order[MOST_OPS];
	uint64_t conflicts[MOST_TENSORS]; /* bits: both may be alive at once */
	uint64_t random;
};

/* ------------------------------------------------------ brute force */

/* Is a surely over before b is made? */
static bool precedes(const struct trial *t, uint32_t a, uint32_t b)
{
	const struct graph *graph = &t->f.graph;

	if (graph->tensors[a].to_end)
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (mp_testing_uses(graph, op, a) &&
			!(t->before[graph->tensors[b].producer] >> op & 1))
			return false;
	return true;
}

static bool conflict(const struct trial *t, uint32_t a, uint32_t b)
{
	return t->conflicts[a] >> b & 1;
}

/* Empty tensors take no bytes. */
static void fill_conflicts(struct trial *t)
{
	const struct graph *graph = &t->f.graph;

	for (uint32_t a = 0; a < graph->n_tensors; a++)
		for (uint32_t b = 0; b < graph->n_tensors; b++)
			if (a != b && graph->tensors[a].size > 0 &&
				graph->tensors[b].size > 0 &&
				!precedes(t, a, b) && !precedes(t, b, a))
				t->conflicts[a] |= UINT64_C(1) << b;
}

/* Bit i: tensor i, if it takes bytes. */
static uint64_t all_of(const struct trial *t)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < t->f.graph.n_tensors; i++)
		if (t->f.graph.tensors[i].size > 0)
			set |= UINT64_C(1) << i;
	return set;
}

/* The most bytes of tensors of the set that conflict with each other. */
static uint64_t heaviest_of(const struct trial *t, uint64_t set)
{
	uint64_t heaviest = 0;

	for (; set; set &= set - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(set);

		heaviest = num_max(heaviest,
			t->f.graph.tensors[i].size +
				heaviest_of(t, set & t->conflicts[i]));
	}
	return heaviest;
}

/* ----------------------------------------------------------- graphs */

/* A graph of its own for every seed, in the order of its list. */
static void make_trial(struct trial *t, uint64_t seed)
{
	const struct random_traits traits = {.n_ops = MOST_OPS,
		.after = true,
		.temporaries = true,
		.produced = true,
		.streams = 3};
	struct graph *graph = &t->f.graph;

	*t = (struct trial){.random = seed * 7919};
	t->f.arena.error = &t->f.error;
	cr_assert(mp_testing_random_graph(
		seed, &traits, graph, &t->f.arena, &t->f.error));
	cr_assert_leq(graph->n_tensors, MOST_TENSORS);
	for (uint32_t i = 0; i < graph->n_ops; i++)
		t->order[i] = i;
	for (uint32_t i = 0; i < graph->n_tensors; i++)
		graph->tensors[i].to_end |= mp_testing_one_in(&t->random, 12);
	mp_testing_close(graph, true, t->before);
	fill_conflicts(t);
	cr_assert(mp_testing_lifetime(&t->f, t->order, false), "%s",
		t->f.error.text);
}

static bool is_spread(const struct trial *t)
{
	return t->f.problem.n_streams > 1;
}

/* How many pairs of tensors with bytes there are, and conflicts among them. */
struct pairs {
	uint32_t n, conflicts;
};

static struct pairs compare_pairs(const struct trial *t, uint64_t seed)
{
	const struct graph *graph = &t->f.graph;
	const struct problem *p = &t->f.problem;
	const struct stay *stay = t->f.schedule->stay;
	struct pairs pairs = {0};

	for (uint32_t a = 0; a < graph->n_tensors; a++)
		for (uint32_t b = 0; b < a; b++) {
			uint32_t x = stay[a].buffer, y = stay[b].buffer;

			if (x == NONE || y == NONE)
				continue;
			pairs.n++;
			pairs.conflicts += conflict(t, a, b);
			cr_assert_eq(mp_problem_conflict(p, x, y),
				conflict(t, a, b), "seed %llu: %u %u",
				(unsigned long long)seed, a, b);
		}
	return pairs;
}

/* With everything at offset 0 the verifier refuses just where two conflict. */
static void verify_heap(struct trial *t, const struct pairs *pairs)
{
	uint64_t offsets[MOST_TENSORS] = {0};
	struct error verdict = {0};

	cr_assert_eq(mp_verify(&t->f.problem, offsets, MEMPLAN_NO, &t->f.arena,
			     &verdict),
		pairs->conflicts == 0);
}

Test(streams, conflict_as_the_closure_says)
{
	struct pairs all = {0};
	uint32_t without = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct trial t;
		struct pairs pairs;

		make_trial(&t, seed);
		if (is_spread(&t)) {
			pairs = compare_pairs(&t, seed);
			verify_heap(&t, &pairs);
			all.n += pairs.n;
			all.conflicts += pairs.conflicts;
			without += pairs.conflicts == 0;
		}
		mp_arena_free(&t.f.arena);
	}
	cr_assert(all.conflicts > all.n / 10 &&
			  all.conflicts < all.n - all.n / 10,
		"%u of %u", all.conflicts, all.n);
	cr_assert_gt(without, GRAPHS / 100, "%u", without);
}

Test(streams, antichain_is_the_heaviest)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		const struct problem *p;
		struct trial t;
		uint64_t weight = 0;

		make_trial(&t, seed);
		p = &t.f.problem;
		cr_assert_geq(p->theoretical_min, p->listed_min);
		for (uint32_t i = 0; i < p->n_antichain; i++)
			weight += p->parts[p->antichain[i]].size;
		for (uint32_t i = 0; i < p->n_antichain; i++)
			for (uint32_t k = 0; k < i; k++)
				cr_assert(mp_problem_conflict(
					p, p->antichain[i], p->antichain[k]));
		if (is_spread(&t)) {
			cr_assert_eq(p->theoretical_min,
				heaviest_of(&t, all_of(&t)), "seed %llu",
				(unsigned long long)seed);
			cr_assert_eq(weight, p->theoretical_min);
		}
		mp_arena_free(&t.f.arena);
	}
}

/* The problem of the trial's graph in another order. */
static struct problem problem_in_another_order(struct trial *t, uint64_t seed)
{
	struct lifetime_options options = {0};
	uint32_t order[MOST_OPS];
	const struct schedule *s;

	cr_assert(
		mp_testing_random_order(&t->f.graph, seed, order, &t->f.arena));
	s = mp_lifetime(&t->f.graph, order, &options, &t->f.arena, &t->f.error);
	cr_assert_not_null(s);
	return s->problem;
}

Test(streams, antichain_is_that_of_all_orders)
{
	uint32_t moved = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct trial t;
		struct problem other, without;

		make_trial(&t, seed);
		other = problem_in_another_order(&t, seed);
		if (is_spread(&t) && other.n_parts > 0) {
			moved += other.listed_min != t.f.problem.listed_min;
			without = other;
			without.antichain = NULL;
			without.theoretical_min = 0;
			cr_assert_not(
				mp_problem_share_antichain(&other, &without));
			cr_assert(mp_problem_share_antichain(
				&without, &t.f.problem));
			cr_assert_eq(without.theoretical_min,
				other.theoretical_min, "seed %llu",
				(unsigned long long)seed);
			cr_assert_eq(without.antichain, t.f.problem.antichain);
			without.parts[0].size++;
			cr_assert_not(mp_problem_share_antichain(
				&without, &t.f.problem));
		}
		mp_arena_free(&t.f.arena);
	}
	cr_assert_gt(moved, GRAPHS / 10, "%u", moved);
}

/* ------------------------------------------------------- neighbours */

enum {
	PARTS = 11,
	HOLDERS = 8,
};

static void fill_parts(const struct streams *streams, struct holder *at,
	uint32_t n, struct problem *p, struct arena *arena)
{
	struct holders holders = {at, n};

	*p = (struct problem){.n_parts = PARTS};
	p->parts = NEW(arena, struct part, PARTS);
	p->buffers = NEW(arena, struct buffer, 1);
	cr_assert(mp_lifetime_streams_fill(streams, &holders, p, arena));
}

/* The one holder's producer that comes before all others', or NONE. */
static uint32_t first_birth(const struct trial *t, const struct holder *holders,
	uint32_t n, uint32_t part)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = t->f.graph.tensors[holders[i].tensor].producer;
		bool first = holders[i].part == part;

		for (uint32_t k = 0; k < n && first; k++) {
			uint32_t other =
				t->f.graph.tensors[holders[k].tensor].producer;

			first = holders[k].part != part || other == op ||
				(t->before[other] >> op & 1);
		}
		if (first)
			return op;
	}
	return NONE;
}

/* A tensor that holds a run of parts holds each of them. */
static void expect_each(struct trial *t, const struct streams *streams)
{
	struct holder many[HOLDERS], each[HOLDERS * PARTS];
	struct problem wanted, got;
	uint32_t n = 0;

	for (uint32_t i = 0; i < HOLDERS; i++) {
		uint32_t part = mp_testing_below(&t->random, PARTS);
		uint32_t width = 1 + mp_testing_below(&t->random, PARTS - part);

		many[i] = (struct holder){part, width,
			mp_testing_below(&t->random, t->f.graph.n_tensors)};
		for (uint32_t k = 0; k < many[i].n; k++)
			each[n++] =
				(struct holder){part + k, 1, many[i].tensor};
	}
	fill_parts(streams, each, n, &wanted, &t->f.arena);
	fill_parts(streams, many, HOLDERS, &got, &t->f.arena);
	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t op = first_birth(t, each, n, i);

		cr_assert_eq(got.born[i], wanted.born[i]);
		cr_assert_eq(got.stream[i], wanted.stream[i]);
		cr_assert_eq(
			got.born[i], op == NONE ? 0 : streams->position[op]);
		for (uint32_t k = 0; k < streams->n; k++)
			cr_assert_eq(got.free[i * streams->n + k],
				wanted.free[i * streams->n + k]);
	}
}

static void find_streams(struct trial *t, struct schedule *schedule,
	const struct problem *like, struct streams *streams)
{
	schedule->problem.schedule = schedule;
	cr_assert(mp_lifetime_streams_init(
		streams, schedule, like, &t->f.arena, &t->f.arena));
}

Test(streams, neighbours_are_held_each)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct trial t;
		struct streams streams;

		make_trial(&t, seed);
		if (is_spread(&t) && t.f.graph.n_tensors > 0) {
			struct schedule schedule = {
				.graph = &t.f.graph, .order = t.order};

			find_streams(&t, &schedule, NULL, &streams);
			expect_each(&t, &streams);
		}
		mp_arena_free(&t.f.arena);
	}
}

/* It is written before the first op, and so is a state that is read later. */
Test(streams, an_input_that_no_op_reads_is_there_at_the_first_step)
{
	enum {
		INPUT = 2,
		STATE
	};
	struct tensor tensors[] = {{.name = "a", .size = 1},
		{.name = "b", .size = 2},
		[INPUT] = {.name = "input", .size = 3, .kind = KIND_INPUT},
		[STATE] = {.name = "state", .size = 4, .kind = KIND_STATE}};
	struct op ops[] = {
		{.name = "f", .outputs = IDS(0)}, {.name = "g",
							  .stream = 1,
							  .inputs = IDS(STATE),
							  .outputs = IDS(1)}};
	struct fixture f = {.graph = mp_testing_graph(ops, 2, tensors, 4)};
	const struct stay *stay;

	cr_assert(mp_testing_lifetime(&f, (uint32_t[]){0, 1}, false));
	stay = f.schedule->stay;
	cr_assert_eq(f.problem.n_streams, 2);
	cr_assert(mp_problem_conflict(
		&f.problem, stay[INPUT].buffer, stay[STATE].buffer));
	cr_assert(mp_problem_conflict(
		&f.problem, stay[INPUT].buffer, stay[0].buffer));
	mp_arena_free(&f.arena);
}

/* So it dies with the op that is first in the order, on whatever stream. */
Test(streams, an_input_that_no_op_reads_dies_with_the_first_op)
{
	struct tensor tensors[] = {{.name = "a", .size = 1},
		{.name = "b", .size = 2}, {.name = "c", .size = 3},
		{.name = "input", .size = 4, .kind = KIND_INPUT}};
	struct op ops[] = {{.name = "f", .outputs = IDS(0)},
		{.name = "g", .stream = 1, .outputs = IDS(1)},
		{.name = "h", .inputs = IDS(0), .outputs = IDS(2)}};
	uint32_t orders[][3] = {{0, 1, 2}, {1, 0, 2}};

	for (uint32_t i = 0; i < 2; i++) {
		struct fixture f = {
			.graph = mp_testing_graph(ops, 3, tensors, 4)};
		const struct stay *stay;

		cr_assert(mp_testing_lifetime(&f, orders[i], false));
		stay = f.schedule->stay;
		cr_assert_eq(mp_problem_conflict(&f.problem, stay[3].buffer,
				     stay[2].buffer),
			i == 1);
		mp_arena_free(&f.arena);
	}
}

/* An order that takes them over has those that it would find. */
Test(streams, another_order_has_the_same_clocks)
{
	uint32_t moved = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct trial t;
		struct streams streams;
		uint32_t other[MOST_OPS];

		make_trial(&t, seed);
		if (is_spread(&t)) {
			const struct graph *graph = &t.f.graph;
			struct schedule first = {
				.graph = graph, .order = t.order};
			struct schedule found = {
				.graph = graph, .order = other};
			struct schedule taken = found;
			size_t n = sizeof(*found.clocks) * graph->n_ops;

			cr_assert(mp_testing_random_order(
				graph, seed, other, &t.f.arena));
			moved += memcmp(other, t.order, n) != 0;
			find_streams(&t, &first, NULL, &streams);
			find_streams(&t, &found, NULL, &streams);
			find_streams(&t, &taken, &first.problem, &streams);
			cr_assert_neq(found.clocks, first.clocks);
			cr_assert_eq(taken.clocks, first.clocks);
			cr_assert_arr_eq(found.clocks, first.clocks,
				n * graph->n_streams);
			cr_assert_arr_eq(taken.position, found.position, n);
		}
		mp_arena_free(&t.f.arena);
	}
	cr_assert_gt(moved, GRAPHS / 4);
}
