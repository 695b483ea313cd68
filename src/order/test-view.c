/*
 * The live-memory model of the orders is the lifetime stage's, to the byte.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/view.h"

#include <criterion/criterion.h>

#include "lifetime/lifetime.h"
#include "testing/random-graph.h"

static void expect_same_loads(const struct graph *graph, const uint32_t *order,
	bool inplace, struct arena *arena, uint64_t seed)
{
	struct lifetime_options options = {.inplace = inplace};
	struct schedule *schedule;
	struct view view;
	struct live live;
	uint64_t peak, *costs = NEW(arena, uint64_t, graph->n_ops);

	schedule = mp_lifetime(graph, order, &options, arena, arena->error);
	cr_assert(schedule, "seed %lu: %s", (unsigned long)seed,
		arena->error->text);
	cr_assert(mp_order_view_init(&view, graph, inplace, arena));
	cr_assert(mp_order_live_init(&live, &view, arena));
	peak = mp_order_view_profile(&view, order, &live, costs);
	for (uint32_t i = 0; i < graph->n_ops; i++)
		cr_assert_eq(costs[i], schedule->problem.load[i],
			"seed %lu, step %u, in-place %d: %lu for %lu",
			(unsigned long)seed, i, inplace,
			(unsigned long)costs[i],
			(unsigned long)schedule->problem.load[i]);
	cr_assert_eq(peak, schedule->problem.theoretical_min);
}

static void choose(uint64_t seed, struct random_traits *traits)
{
	traits->n_ops = seed % 2 ? 24 : 6;
	traits->pinned = seed % 3 == 0;
}

static void try_loads(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	uint32_t order[24];

	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	expect_same_loads(graph, order, false, arena, seed);
	expect_same_loads(graph, order, true, arena, seed);
}

Test(view, has_the_loads_of_the_lifetime_stage)
{
	cr_assert(mp_testing_each_graph(3000, choose, try_loads));
}

/* What leads nowhere must leave no trace: asking for the cost of other ops does
 * not change the cost of the one that runs. */
static void ask_without_running(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	struct view view;
	struct live live, asked;
	uint32_t order[24];

	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	cr_assert(mp_order_view_init(&view, graph, true, arena));
	cr_assert(mp_order_live_init(&live, &view, arena));
	cr_assert(mp_order_live_init(&asked, &view, arena));
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		for (uint32_t k = i; k < graph->n_ops; k++)
			mp_order_live_cost(&asked, &view, order[k]);
		cr_assert_eq(mp_order_live_run(&live, &view, order[i]),
			mp_order_live_run(&asked, &view, order[i]));
	}
}

Test(view, may_be_asked_without_running)
{
	cr_assert(mp_testing_each_graph(1000, choose, ask_without_running));
}

static void expect_same_ops(
	struct ids list, struct ids expected, uint64_t seed, uint32_t op)
{
	cr_assert_eq(list.n, expected.n, "seed %llu, op %u",
		(unsigned long long)seed, op);
	for (uint32_t i = 0; i < list.n; i++)
		cr_assert_eq(list.at[i], expected.at[i], "seed %llu, op %u",
			(unsigned long long)seed, op);
}

static void compare_edges(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	struct view view;
	size_t n = 0;

	cr_assert(mp_order_view_init(&view, graph, true, arena));
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		expect_same_ops(mp_lists_at(&view.before, op),
			graph->ops[op].before, seed, op);
		expect_same_ops(mp_lists_at(&view.behind, op),
			graph->ops[op].behind, seed, op);
		n += graph->ops[op].behind.n;
	}
	cr_assert_eq(view.n_edges, n);
}

Test(view, has_the_edges_of_the_graph)
{
	cr_assert(mp_testing_each_graph(1000, choose, compare_edges));
}

/* A graph output that an in-place op reads last must still be there when the
 * run ends. */
Test(view, outputs_of_the_run_are_not_overwritten_by_its_last_op)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct tensor tensors[] = {
		{.name = "a", .size = 8, .kind = KIND_OUTPUT},
		{.name = "b", .size = 8, .kind = KIND_OUTPUT}};
	const uint32_t a = 0, b = 1, order[] = {0, 1};
	const struct inplace_pair pair = {1, 0};
	struct op ops[] = {
		{.name = "x", .outputs = {&a, 1}}, {.name = "y",
							   .inputs = {&a, 1},
							   .outputs = {&b, 1},
							   .inplace = &pair,
							   .n_inplace = 1}};
	struct graph graph = {.name = "g",
		.place = "g",
		.alignment = 1,
		.n_ops = 2,
		.n_tensors = 2,
		.ops = ops,
		.tensors = tensors};
	uint64_t peak;

	cr_assert(mp_graph_link(&graph, &arena, &e));
	cr_assert(mp_testing_peak(&graph, order, true, &peak, &arena));
	cr_assert_eq(peak, 16);
	expect_same_loads(&graph, order, true, &arena, 0);
	mp_arena_free(&arena);
}
