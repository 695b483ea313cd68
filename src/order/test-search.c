/*
 * Bounds and searched orders against the least peak by brute force.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search.h"

#include <criterion/criterion.h>

#include "order/random-graph.h"
#include "order/rows.h"

static void expect_sound(const struct graph *graph, bool inplace,
	uint64_t steps, struct arena *arena, uint64_t seed)
{
	struct order_job job = {.graph = graph,
		.inplace = inplace,
		.steps = steps,
		.arena = arena,
		.error = arena->error};
	uint64_t least, peak;

	cr_assert(mp_order_search(&job, 0), "%s", arena->error->text);
	cr_assert(mp_graph_is_order(graph, job.choices[0], arena));
	cr_assert(mp_order_peak(graph, job.choices[0], inplace, &peak, arena));
	cr_assert(mp_random_least_peak(graph, inplace, &least, arena));
	cr_assert_eq(peak, job.found, "seed %lu", (unsigned long)seed);
	cr_assert_leq(job.lower_bound, least, "seed %lu: %s bound %lu of %lu",
		(unsigned long)seed, job.bound_kind,
		(unsigned long)job.lower_bound, (unsigned long)least);
}

Test(search, bounds_are_never_above_the_least_peak)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct random_traits traits = mp_random_all;
	struct graph graph;

	traits.pinned = false;
	for (uint64_t seed = 0; seed < 1500; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);
		bool inplace = seed % 3 == 0;

		traits.n_ops = inplace ? 7 : 12;
		cr_assert(mp_random_graph(seed, &traits, &graph, &arena, &e));
		expect_sound(&graph, inplace, 1000000, &arena, seed);
		mp_arena_rewind(&arena, mark);
	}
	mp_arena_free(&arena);
}
