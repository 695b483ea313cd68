/*
 * The polish passes: a legal order comes out, and its peak never rises. Also
 * the published examples of the rules that move ops late.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/polish.h"

#include <criterion/criterion.h>
#include <string.h>

#include "lifetime.h"
#include "order/late.h"
#include "order/order.h"
#include "order/random-graph.h"

enum {
	MOST_OPS = 30
};

/* What a pass is given, and what it made of it. */
struct trial {
	struct graph graph;
	struct view view;
	struct live live;
	uint64_t peak, seed;
	uint32_t order[MOST_OPS], before[MOST_OPS];
	struct arena *arena;
};

static void expect_no_worse(struct trial *t, const char *pass)
{
	uint64_t peak;

	cr_assert(mp_graph_is_order(&t->graph, t->order, t->arena),
		"%s, seed %lu: not an order", pass, (unsigned long)t->seed);
	peak = mp_view_profile(&t->view, t->order, &t->live, NULL);
	cr_assert_leq(peak, t->peak, "%s, seed %lu: %lu is more than %lu", pass,
		(unsigned long)t->seed, (unsigned long)peak,
		(unsigned long)t->peak);
	memcpy(t->order, t->before, sizeof(t->order));
}

/* Pinned lifetimes and in-place chains are left to the guard of mp_polish(). */
static void try_bare_passes(struct trial *t)
{
	cr_assert(mp_late(&t->view, LATE_SAFE, t->order, t->arena));
	expect_no_worse(t, "late");
	cr_assert(mp_advance(&t->view, t->peak, &t->live, t->order, t->arena));
	expect_no_worse(t, "advance");
}

/* No two neighbours are left that a swap would bring nearer to the wanted order
 * within the cap. Where the swaps went by wrong figures, either the guard threw
 * all of them away, or some were missed. Chains of in-place pairs of different
 * sizes are more than a look at two neighbours tells: there the guard works. */
static void expect_settled(struct trial *t, const uint32_t *wanted)
{
	uint32_t rank[MOST_OPS], order[MOST_OPS];

	for (uint32_t i = 0; i < t->graph.n_ops; i++)
		rank[wanted[i]] = i;
	for (uint32_t i = 1; i < t->graph.n_ops; i++) {
		memcpy(order, t->order, sizeof(order));
		order[i - 1] = t->order[i];
		order[i] = t->order[i - 1];
		cr_assert(rank[order[i]] < rank[order[i - 1]] ||
				  !mp_graph_is_order(
					  &t->graph, order, t->arena) ||
				  mp_view_profile(&t->view, order, &t->live,
					  NULL) > t->peak,
			"seed %lu: the swap at %u was missed",
			(unsigned long)t->seed, i);
	}
}

static void try_stabilise(struct trial *t, const uint32_t *wanted)
{
	uint64_t tries = 100000, kept = t->peak;

	cr_assert(mp_stabilise(&t->view, wanted, t->peak, &tries, &t->live,
		t->order, t->arena));
	if (!t->view.pairs)
		expect_settled(t, wanted);
	expect_no_worse(t, "stabilise");
	t->peak = UINT64_MAX;
	cr_assert(mp_stabilise(&t->view, wanted, t->peak, &tries, &t->live,
		t->order, t->arena));
	cr_assert_eq(memcmp(t->order, wanted, sizeof(*wanted) * t->graph.n_ops),
		0, "seed %lu: without a cap the wanted order is reached",
		(unsigned long)t->seed);
	memcpy(t->order, t->before, sizeof(t->order));
	t->peak = kept;
}

static void try_guarded_passes(struct trial *t)
{
	uint32_t wanted[MOST_OPS];
	uint64_t peak = t->peak;

	cr_assert(mp_polish(&t->view, &t->live, t->order, &peak, t->arena));
	cr_assert_eq(peak, mp_view_profile(&t->view, t->order, &t->live, NULL));
	expect_no_worse(t, "polish");
	cr_assert(mp_random_order(&t->graph, t->seed + 1, wanted, t->arena));
	try_stabilise(t, wanted);
}

static void prepare(struct trial *t, const struct random_traits *traits,
	bool inplace, struct arena *arena)
{
	t->arena = arena;
	cr_assert(mp_random_graph(
		t->seed, traits, &t->graph, arena, arena->error));
	cr_assert(mp_random_order(&t->graph, t->seed, t->order, arena));
	memcpy(t->before, t->order, sizeof(t->order));
	cr_assert(mp_view_init(&t->view, &t->graph, inplace, arena));
	cr_assert(mp_live_init(&t->live, &t->view, arena));
	t->peak = mp_view_profile(&t->view, t->order, &t->live, NULL);
}

Test(polish, never_raises_the_peak)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct random_traits traits = mp_random_all;
	struct trial trial;

	traits.n_ops = MOST_OPS;
	for (uint64_t seed = 0; seed < 5000; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);

		trial = (struct trial){.seed = seed};
		traits.pinned = seed % 4 == 0;
		prepare(&trial, &traits, seed % 2 == 0, &arena);
		if (!trial.view.pinned && !trial.view.pairs)
			try_bare_passes(&trial);
		try_guarded_passes(&trial);
		mp_arena_rewind(&arena, mark);
	}
	mp_arena_free(&arena);
}
