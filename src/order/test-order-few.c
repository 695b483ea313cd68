/*
 * The search over the order of a few ops against brute force, and claims of
 * that kind.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "order/rows.h"
#include "order/search/certify.h"
#include "order/search/inside.h"
#include "testing/random-graph.h"
#include "testing/random.h"

enum {
	GRAPHS = 4000
};

static uint32_t n_proved, n_refused, n_behind, n_inexact;

static bool is_inplace(uint64_t seed)
{
	return seed % 4 == 0;
}

static void choose(uint64_t seed, struct random_traits *traits)
{
	traits->n_ops = is_inplace(seed) ? 7 : 11;
	traits->kinds = seed % 3 == 0;
	traits->aligned = seed % 2 == 0;
	traits->pinned = seed % 5 == 0;
}

static bool confirms(const struct graph *graph, struct order_bound claim,
	uint64_t bytes, struct arena *arena)
{
	struct error e = {0};
	bool confirmed;

	claim.bytes = bytes;
	return mp_order_certify_claim(graph, &claim, &confirmed, arena, &e) &&
	       confirmed;
}

/* What is proved is no more than the least peak, and check derives it again,
 * but not a byte more than that peak. */
static void expect_proved(const struct graph *graph, const struct search *s,
	bool inplace, uint64_t least, uint64_t seed)
{
	struct order_bound claim = s->bound;

	cr_assert_leq(claim.bytes, least, "seed %lu: bound %lu of %lu",
		(unsigned long)seed, (unsigned long)claim.bytes,
		(unsigned long)least);
	if (claim.bytes == 0)
		return;
	cr_assert_str_eq(claim.kind, ORDER_BOUND_FEW);
	claim.inplace = inplace;
	cr_assert(confirms(graph, claim, claim.bytes, s->arena), "seed %lu",
		(unsigned long)seed);
	cr_assert_not(confirms(graph, claim, least + 1, s->arena), "seed %lu",
		(unsigned long)seed);
	n_proved++;
}

/* Any ops, some of them twice or too many, prove no more than the least peak.
 */
static void expect_refused(const struct graph *graph, bool inplace,
	uint64_t least, uint64_t seed, struct arena *arena)
{
	uint32_t ops[MOST_FEW_OPS + 1];
	struct order_bound claim = {.kind = ORDER_BOUND_FEW,
		.ops = {ops, seed % 16 == 0 ? MOST_FEW_OPS + 1
					    : 1 + mp_testing_below(
							  &seed, graph->n_ops)},
		.inplace = inplace};

	for (uint32_t i = 0; i < claim.ops.n; i++)
		ops[i] = mp_testing_below(&seed, graph->n_ops);
	cr_assert_not(confirms(graph, claim, least + 1, arena), "seed %lu",
		(unsigned long)seed);
	n_refused++;
}

/* What is found behind the last op of a set is such a bound too. */
static void expect_behind(const struct graph *graph, const struct view *view,
	const uint32_t *order, uint64_t least, uint64_t seed,
	struct arena *arena)
{
	struct search s;

	cr_assert(mp_order_search_init(&s, view, order, 1000000, arena));
	cr_assert(mp_order_search_bound_set(&s, 1, 1));
	if (s.bound.ops.n < 2 || s.bound.bytes == s.peak)
		return;
	cr_assert(mp_order_search_bound_behind(&s));
	if (strcmp(s.bound.kind, ORDER_BOUND_FEW) != 0)
		return;
	cr_assert_eq(s.bound.bytes, s.peak);
	expect_proved(graph, &s, is_inplace(seed), least, seed);
	n_behind++;
}

static void expect_sound(
	const struct graph *graph, uint64_t seed, struct arena *arena)
{
	bool inplace = is_inplace(seed);
	uint32_t *order = NEW(arena, uint32_t, graph->n_ops);
	uint64_t least, peak;
	struct search s;
	struct view view;
	bool exact = seed % 8 != 1;

	cr_assert(mp_testing_random_least_peak(graph, inplace, &least, arena));
	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	cr_assert(mp_order_view_init(&view, graph, inplace, arena));
	cr_assert(mp_order_search_init(&s, &view, order, 1000000, arena));
	/* Without room for all sets it gives up, and proves nothing false. */
	if (!exact)
		s.set_words = seed % 64 / 8;
	cr_assert(mp_order_search_few(&s));
	cr_assert(mp_graph_is_order(graph, s.order, arena));
	cr_assert(mp_testing_peak(graph, s.order, inplace, &peak, arena));
	cr_assert_eq(peak, s.peak, "seed %lu", (unsigned long)seed);
	expect_proved(graph, &s, inplace, least, seed);
	expect_refused(graph, inplace, least, seed, arena);
	expect_behind(graph, &view, s.order, least, seed, arena);
	if (inplace || view.pinned)
		return;
	n_inexact += !exact && s.bound.bytes < least;
	if (exact)
		cr_assert(peak == least && s.bound.bytes == least,
			"seed %lu: found %lu, bound %lu, least %lu",
			(unsigned long)seed, (unsigned long)peak,
			(unsigned long)s.bound.bytes, (unsigned long)least);
}

Test(few, are_exact_on_small_graphs)
{
	cr_assert(mp_testing_each_graph(GRAPHS, choose, expect_sound));
	cr_assert_gt(n_proved, 0);
	cr_assert_gt(n_refused, 0);
	cr_assert_gt(n_behind, 0);
	cr_assert_gt(n_inexact, 0);
}

/* Tried once a stage, the search over a few ops closes a part of the gap of
 * these graphs, and the rest stays open. */
Test(few, close_the_rest_of_a_gap)
{
	const struct random_traits traits = {.n_ops = 240, .after = true};
	const uint64_t seeds[] = {38, 360, 396};
	struct error error = {0};
	struct arena arena = {.error = &error};

	for (uint32_t i = 0; i < countof(seeds); i++) {
		struct graph graph;
		struct order_job job = {.graph = &graph,
			.steps = 128000,
			.arena = &arena,
			.error = &error};

		cr_assert(mp_testing_random_graph(
			seeds[i], &traits, &graph, &arena, &error));
		cr_assert(mp_order_search(&job, 0));
		cr_assert_eq(job.found, job.bound.bytes, "seed %lu",
			(unsigned long)seeds[i]);
	}
	mp_arena_free(&arena);
}
