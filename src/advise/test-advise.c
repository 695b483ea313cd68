/*
 * What is told to lower the peak, does: random graphs, and graphs made by hand
 * where one kind of change is the obvious one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "advise/advise.h"

#include <criterion/criterion.h>

#include "testing/random-graph.h"
#include "testing/small-graph.h"

struct advised {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct schedule *schedule;
	uint32_t order[64];
	struct advice advice[ADVICE_MOST];
	uint32_t n;
};

static struct advised f;
static const struct watch nobody;

static void advise(bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};

	f.schedule =
		mp_lifetime(&f.graph, f.order, &options, &f.arena, &f.error);
	cr_assert(f.schedule);
	cr_assert(mp_advise(f.schedule, inplace, &nobody, f.advice, &f.n,
		&f.arena, &f.error));
}

static void link_graph(struct op *ops, uint32_t n_ops, struct tensor *tensors,
	uint32_t n_tensors)
{
	f = (struct advised){0};
	f.arena.error = &f.error;
	f.graph = mp_testing_graph(ops, n_ops, tensors, n_tensors);
	f.graph.batch = 2;
	for (uint32_t i = 0; i < n_ops; i++)
		f.order[i] = i;
	cr_assert(mp_graph_link(&f.graph, &f.arena, &f.error), "%s",
		f.error.text);
	advise(true);
}

/* The suggestion of that kind, or NULL. */
static const struct advice *told(enum advice_kind kind)
{
	for (uint32_t i = 0; i < f.n; i++)
		if (f.advice[i].kind == kind)
			return &f.advice[i];
	return NULL;
}

/* x(8) -> relu -> y(8) -> sum -> z(1): y may take the bytes of x. */
Test(advise, tells_a_pair_that_could_share_bytes)
{
	struct op ops[] = {{.name = "make", .outputs = IDS(0)},
		{.name = "relu", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "sum", .inputs = IDS(1), .outputs = IDS(2)}};
	struct tensor tensors[] = {{.name = "x", .size = 8},
		{.name = "y", .size = 8}, {.name = "z", .size = 1}};
	const struct advice *advice;

	link_graph(ops, 3, tensors, 3);
	advice = told(ADVICE_INPLACE);
	cr_assert(advice);
	cr_assert_eq(advice->op, 1);
	cr_assert_eq(advice->tensor, 0);
	cr_assert_eq(advice->other, 1);
	cr_assert_eq(advice->peak, 9, "%llu", (unsigned long long)advice->peak);
	mp_arena_free(&f.arena);
}

/* Not what sums over the bytes that it would write over, nor what is smaller.
 */
static void not_in_place(const char *type, uint64_t size)
{
	struct op ops[] = {{.name = "make", .outputs = IDS(0)},
		{.name = "act",
			.type = type,
			.inputs = IDS(0),
			.outputs = IDS(1)},
		{.name = "sum", .inputs = IDS(1), .outputs = IDS(2)}};
	struct tensor tensors[] = {{.name = "x", .size = 8},
		{.name = "y", .size = size}, {.name = "z", .size = 1}};

	link_graph(ops, 3, tensors, 3);
	cr_assert_not(told(ADVICE_INPLACE));
	cr_assert(told(ADVICE_BATCH));
	mp_arena_free(&f.arena);
}

Test(advise, tells_no_pair_of_other_sizes_or_types_of_op)
{
	not_in_place("Conv2D", 8);
	not_in_place("max_pool2d_with_indices", 8);
	not_in_place("relu", 7);
}

/* A cast of a weight runs first and is read last, across the peak. */
Test(advise, moves_a_cast_behind_the_peak)
{
	struct op ops[] = {
		{.name = "cast", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "a", .outputs = IDS(2)},
		{.name = "b", .inputs = IDS(2), .outputs = IDS(3)},
		{.name = "use", .inputs = IDS(1, 3), .outputs = IDS(4)}};
	struct tensor tensors[] = {
		{.name = "w", .size = 9, .kind = KIND_WEIGHT, .external = true},
		{.name = "cast", .size = 5}, {.name = "a", .size = 10},
		{.name = "b", .size = 1}, {.name = "out", .size = 1}};
	const struct advice *advice;

	link_graph(ops, 4, tensors, 5);
	advice = told(ADVICE_MOVE);
	cr_assert(advice);
	cr_assert_eq(f.schedule->problem.theoretical_min, 16);
	cr_assert_eq(advice->op, 0);
	cr_assert_eq(advice->from, 0);
	cr_assert_eq(advice->to, 3);
	cr_assert_eq(advice->peak, 11);
	mp_arena_free(&f.arena);
}

/* A reader after the peak could run before it. */
Test(advise, moves_a_reader_before_the_peak)
{
	struct op ops[] = {{.name = "make", .outputs = IDS(0)},
		{.name = "peek", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "big", .inputs = IDS(1), .outputs = IDS(2)},
		{.name = "eat", .inputs = IDS(2), .outputs = IDS(3)},
		{.name = "shrink", .inputs = IDS(0), .outputs = IDS(4)},
		{.name = "use", .inputs = IDS(3, 4)}};
	struct tensor tensors[] = {{.name = "x", .size = 6},
		{.name = "peeked", .size = 1}, {.name = "big", .size = 10},
		{.name = "eaten", .size = 1}, {.name = "small", .size = 1}};
	const struct advice *advice;

	link_graph(ops, 6, tensors, 5);
	advice = told(ADVICE_MOVE);
	cr_assert(advice);
	cr_assert_eq(f.schedule->problem.theoretical_min, 17);
	cr_assert_eq(advice->op, 4);
	cr_assert_eq(advice->to, 1);
	cr_assert_eq(advice->peak, 12);
	mp_arena_free(&f.arena);
}

/* x waits across the peak; the op that makes it reads an input that is there.
 */
static void waiting(bool weight)
{
	struct op ops[] = {
		{.name = "make", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "use", .inputs = IDS(1), .outputs = IDS(2)},
		{.name = "big", .inputs = IDS(2), .outputs = IDS(3)},
		{.name = "eat", .inputs = IDS(3), .outputs = IDS(4)},
		{.name = "again", .inputs = IDS(1, 4)}};
	struct tensor tensors[] = {{.name = "in", .size = 1, .external = true},
		{.name = "x", .size = 6}, {.name = "a", .size = 1},
		{.name = "big", .size = 10}, {.name = "b", .size = 1}};

	tensors[0].kind = weight ? KIND_WEIGHT : KIND_INPUT;
	link_graph(ops, 5, tensors, 5);
	cr_assert_eq(f.schedule->problem.theoretical_min, 17);
	f.graph.n_ops = 0; /* the arrays end here */
}

Test(advise, recompute_and_swap)
{
	const struct advice *advice;

	waiting(false);
	advice = told(ADVICE_RECOMPUTE);
	cr_assert(advice);
	cr_assert_eq(advice->op, 0);
	cr_assert_eq(advice->from, 1);
	cr_assert_eq(advice->to, 4);
	cr_assert_eq(advice->peak, 11);
	advice = told(ADVICE_SWAP);
	cr_assert(advice);
	cr_assert_eq(advice->tensor, 1);
	cr_assert_eq(advice->peak, 11);
	cr_assert_eq(told(ADVICE_BATCH)->peak, 9);
	mp_arena_free(&f.arena);
}

Test(advise, no_recompute_of_what_reads_weights)
{
	waiting(true);
	cr_assert_not(told(ADVICE_RECOMPUTE));
	cr_assert(told(ADVICE_SWAP));
	mp_arena_free(&f.arena);
}

/* The order that a move gives is legal and has that peak. */
static void check_move(const struct advice *advice, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};
	uint32_t order[64], n = 0;
	const struct schedule *moved;

	for (uint32_t k = 0; k < f.graph.n_ops; k++) {
		if (k == advice->to)
			order[n++] = advice->op;
		if (f.order[k] != advice->op)
			order[n++] = f.order[k];
	}
	if (advice->to == f.graph.n_ops)
		order[n++] = advice->op;
	cr_assert(mp_graph_is_order(&f.graph, order, &f.arena));
	moved = mp_lifetime(&f.graph, order, &options, &f.arena, &f.error);
	cr_assert(moved);
	cr_assert_eq(moved->problem.theoretical_min, advice->peak);
}

/* Whatever the graph, what is told is lower than the peak, and what the change
 * gives when it is measured again. */
Test(advise, keeps_its_word_on_random_graphs)
{
	struct random_traits traits = mp_testing_random_all;
	uint32_t kinds[N_ADVICE] = {0};

	traits.n_ops = 24;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		traits.pinned = seed % 8 == 0;
		traits.placed = false;
		f = (struct advised){0};
		f.arena.error = &f.error;
		cr_assert(mp_testing_random_graph(
			seed, &traits, &f.graph, &f.arena, &f.error));
		cr_assert(mp_testing_random_order(
			&f.graph, seed, f.order, &f.arena));
		f.graph.batch = seed % 3;
		advise(seed % 2);
		for (uint32_t i = 0; i < f.n; i++) {
			struct advice again = f.advice[i];

			cr_assert(i == 0 || f.advice[i - 1].peak <= again.peak);
			cr_assert(again.kind != ADVICE_BATCH ||
				  f.graph.batch > 1);
			kinds[again.kind]++;
			cr_assert_lt(again.peak,
				f.schedule->problem.theoretical_min);
			cr_assert(mp_advise_variant_measure(f.schedule,
				seed % 2, &again, &f.arena, &f.error));
			cr_assert_eq(again.peak, f.advice[i].peak);
			if (again.kind == ADVICE_MOVE)
				check_move(&again, seed % 2);
		}
		mp_arena_free(&f.arena);
	}
	for (uint32_t kind = 0; kind < N_ADVICE; kind++)
		cr_assert(kinds[kind] > 0, "kind %u never occurred", kind);
}

/* Memory that runs out is an error, never a wrong answer. */
Test(advise, starved_is_an_error_or_the_same)
{
	struct random_traits traits = {.n_ops = 24, .temporaries = true};
	struct lifetime_options options = {.inplace = true};
	uint64_t held, failures = 0;
	bool done = false;

	f = (struct advised){0};
	f.arena.error = &f.error;
	cr_assert(mp_testing_random_graph(
		7, &traits, &f.graph, &f.arena, &f.error));
	cr_assert(mp_testing_random_order(&f.graph, 7, f.order, &f.arena));
	f.schedule =
		mp_lifetime(&f.graph, f.order, &options, &f.arena, &f.error);
	cr_assert(f.schedule);
	held = f.arena.held;
	for (uint64_t limit = held + 1; !done; limit += limit / 8) {
		f.error = (struct error){0};
		f.arena.limit = limit;
		done = mp_advise(f.schedule, true, &nobody, f.advice, &f.n,
			&f.arena, &f.error);
		cr_assert(done || f.error.code == MEMPLAN_ENOMEM);
		failures += !done;
	}
	cr_assert(failures > 0);
	mp_arena_free(&f.arena);
}
