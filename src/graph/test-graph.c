/*
 * Graphs that cannot be linked.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/small-graph.h"

Test(graph, names_a_shortest_cycle)
{
	struct op ops[] = {{.name = "a", .after = IDS(3)},
		{.name = "b", .after = IDS(0)}, {.name = "c", .after = IDS(1)},
		{.name = "d", .after = IDS(2, 4)},
		{.name = "e", .after = IDS(3)}};
	struct fixture f = {.graph = mp_testing_graph(ops, 5, NULL, 5)};

	f.graph.n_tensors = 0;
	f.arena.error = &f.error;
	cr_assert_not(mp_graph_link(&f.graph, &f.arena, &f.error));
	cr_assert_eq(f.error.code, MEMPLAN_EINPUT);
	cr_assert(strstr(f.error.text, "cycle of 2"), "%s", f.error.text);
	cr_assert(strstr(f.error.text, "'d'"), "%s", f.error.text);
	cr_assert(strstr(f.error.text, "'e'"), "%s", f.error.text);
	mp_arena_free(&f.arena);
}

Test(graph, refuses_two_producers)
{
	struct op ops[] = {{.name = "a", .outputs = IDS(0)},
		{.name = "b", .outputs = IDS(0)}};
	struct tensor tensors[] = {{.name = "t", .size = 4}};
	struct fixture f = {.graph = mp_testing_graph(ops, 2, tensors, 2)};

	f.graph.n_tensors = 1;
	f.arena.error = &f.error;
	cr_assert_not(mp_graph_link(&f.graph, &f.arena, &f.error));
	cr_assert(strstr(f.error.text, "produced twice"), "%s", f.error.text);
	mp_arena_free(&f.arena);
}

Test(graph, refuses_sizes_that_overflow_in_sum)
{
	struct tensor tensors[] = {{.name = "t", .size = NUM_MAX_BYTES - 1},
		{.name = "u", .size = 2}};
	struct fixture f = {.graph = mp_testing_graph(NULL, 0, tensors, 0)};

	f.graph.n_tensors = 2;
	f.arena.error = &f.error;
	cr_assert_not(mp_graph_link(&f.graph, &f.arena, &f.error));
	cr_assert(strstr(f.error.text, "2^62"), "%s", f.error.text);
	mp_arena_free(&f.arena);
}
