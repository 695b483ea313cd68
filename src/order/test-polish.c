/*
 * The polish passes: a legal order comes out, and its peak never rises. Also
 * the published examples of the rules that move ops late.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>
#include <string.h>

#include "lifetime/lifetime.h"
#include "order/inside.h"
#include "order/order.h"
#include "testing/random-graph.h"
#include "testing/small-graph.h"

enum {
	MOST_OPS = 30
};

/* The input and the output of a pass. */
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
	peak = mp_order_view_profile(&t->view, t->order, &t->live, NULL);
	cr_assert_leq(peak, t->peak, "%s, seed %lu: %lu is more than %lu", pass,
		(unsigned long)t->seed, (unsigned long)peak,
		(unsigned long)t->peak);
	memcpy(t->order, t->before, sizeof(t->order));
}

/* Pinned lifetimes and in-place chains are left to the guard of
 * mp_order_polish(). */
static void try_bare_passes(struct trial *t)
{
	cr_assert(mp_order_late_move(&t->view, LATE_SAFE, t->order, t->arena));
	expect_no_worse(t, "late");
	cr_assert(mp_order_advance(
		&t->view, t->peak, &t->live, t->order, t->arena));
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
				  mp_order_view_profile(&t->view, order,
					  &t->live, NULL) > t->peak,
			"seed %lu: the swap at %u was missed",
			(unsigned long)t->seed, i);
	}
}

static void try_stabilise(struct trial *t, const uint32_t *wanted)
{
	uint64_t tries = 100000, kept = t->peak;

	cr_assert(mp_order_stabilise(&t->view, wanted, t->peak, &tries,
		&t->live, t->order, t->arena));
	if (!t->view.pairs)
		expect_settled(t, wanted);
	expect_no_worse(t, "stabilise");
	t->peak = UINT64_MAX;
	cr_assert(mp_order_stabilise(&t->view, wanted, t->peak, &tries,
		&t->live, t->order, t->arena));
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

	cr_assert(
		mp_order_polish(&t->view, &t->live, t->order, &peak, t->arena));
	cr_assert_eq(peak,
		mp_order_view_profile(&t->view, t->order, &t->live, NULL));
	expect_no_worse(t, "polish");
	cr_assert(mp_testing_random_order(
		&t->graph, t->seed + 1, wanted, t->arena));
	try_stabilise(t, wanted);
}

static void prepare(struct trial *t, const struct random_traits *traits,
	bool inplace, struct arena *arena)
{
	t->arena = arena;
	cr_assert(mp_testing_random_graph(
		t->seed, traits, &t->graph, arena, arena->error));
	cr_assert(mp_testing_random_order(&t->graph, t->seed, t->order, arena));
	memcpy(t->before, t->order, sizeof(t->order));
	cr_assert(mp_order_view_init(&t->view, &t->graph, inplace, arena));
	cr_assert(mp_order_live_init(&t->live, &t->view, arena));
	t->peak = mp_order_view_profile(&t->view, t->order, &t->live, NULL);
}

Test(polish, never_raises_the_peak)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct random_traits traits = mp_testing_random_all;
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

/* ------------------------------------------- the article's examples */

/* Figure 10 of Ascend's article: A feeds B and C, C feeds D, D feeds E, B and E
 * feed F. Every op writes one tensor; what A writes may be a variable. */
enum {
	A,
	B,
	C,
	D,
	E,
	F,
	N_FIGURE
};

static void make_figure(
	struct graph *graph, bool variable, bool more, struct arena *arena)
{
	static const uint32_t names[] = {A, B, C, D, E, F};
	static const uint32_t reads_f[] = {B, E}, reads_last[] = {A, F};
	static const uint64_t sizes[] = {1, 2, 4, 8, 16, 0, 0};
	struct op *ops = NEW(arena, struct op, N_FIGURE + 1);
	struct tensor *tensors = NEW(arena, struct tensor, N_FIGURE + 1);

	*graph = mp_testing_graph(
		ops, N_FIGURE + more, tensors, N_FIGURE + more);
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		ops[i].name = "";
		tensors[i].size = sizes[i];
		tensors[i].producer = NONE;
		if (i < N_FIGURE)
			ops[i].outputs = (struct ids){&names[i], 1};
	}
	ops[B].inputs = ops[C].inputs = (struct ids){&names[A], 1};
	ops[D].inputs = (struct ids){&names[C], 1};
	ops[E].inputs = (struct ids){&names[D], 1};
	ops[F].inputs = (struct ids){reads_f, 2};
	if (more)
		ops[N_FIGURE].inputs = (struct ids){reads_last, 2};
	tensors[A].external = variable;
	cr_assert(mp_graph_link(graph, arena, arena->error));
}

static void expect_order(const struct graph *graph, const char *row,
	const uint32_t *wanted, struct arena *arena)
{
	struct order_job job = {
		.graph = graph, .arena = arena, .error = arena->error};
	const struct order_row *found = mp_order_find(row);

	cr_assert(found->run(&job, found->variant));
	for (uint32_t i = 0; i < graph->n_ops; i++)
		cr_assert_eq(job.alternatives[0][i], wanted[i],
			"%s: step %u runs %u, not %u", row, i,
			job.alternatives[0][i], wanted[i]);
}

/* B reads a variable only, so it may wait; B frees A if it is the last to read
 * it, so that moving it would keep A alive. */
Test(polish, fixed_moves_what_reads_variables_only)
{
	static const uint32_t given[] = {A, B, C, D, E, F};
	static const uint32_t late[] = {A, C, D, E, B, F};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct graph graph;

	make_figure(&graph, true, false, &arena);
	expect_order(&graph, "fixed", late, &arena);
	expect_order(&graph, "dynamic", late, &arena);
	make_figure(&graph, false, false, &arena);
	expect_order(&graph, "fixed", given, &arena);
	expect_order(&graph, "dynamic", given, &arena);
	mp_arena_free(&arena);
}

/* A seventh op reads A behind F, so A outlives F, B's first consumer. */
Test(polish, dynamic_moves_b_before_f_where_a_outlives_f)
{
	static const uint32_t given[] = {A, B, C, D, E, F, N_FIGURE};
	static const uint32_t late[] = {A, C, D, E, B, F, N_FIGURE};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct graph graph;
	uint64_t before, after;

	make_figure(&graph, false, true, &arena);
	expect_order(&graph, "fixed", given, &arena);
	expect_order(&graph, "dynamic", late, &arena);
	cr_assert(mp_testing_peak(&graph, given, false, &before, &arena));
	cr_assert(mp_testing_peak(&graph, late, false, &after, &arena));
	cr_assert_eq(before, 1 + 2 + 8 + 16);
	cr_assert_eq(after, 1 + 8 + 16);
	mp_arena_free(&arena);
}

/* The intervals of the figure: steps count from 1, and both ends are included.
 */
static void expect_lives(const struct graph *graph, const uint32_t *order,
	const uint32_t lives[][2], struct arena *arena)
{
	struct lifetime_options options = {0};
	struct schedule *schedule;

	schedule = mp_lifetime(graph, order, &options, arena, arena->error);
	cr_assert(schedule);
	for (uint32_t t = A; t < F; t++) {
		cr_assert_eq(schedule->stay[t].start + 1, lives[t][0]);
		cr_assert_eq(schedule->stay[t].end, lives[t][1]);
	}
}

Test(polish, figure_10_has_its_intervals)
{
	static const uint32_t left[] = {A, B, C, D, E, F};
	static const uint32_t right[] = {A, C, D, E, B, F};
	static const uint32_t of_left[][2] = {
		{1, 3}, {2, 6}, {3, 4}, {4, 5}, {5, 6}};
	static const uint32_t of_right[][2] = {
		{1, 5}, {5, 6}, {2, 3}, {3, 4}, {4, 6}};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct graph graph;
	uint64_t peak;

	make_figure(&graph, false, false, &arena);
	expect_lives(&graph, left, of_left, &arena);
	expect_lives(&graph, right, of_right, &arena);
	cr_assert(mp_testing_peak(&graph, left, false, &peak, &arena));
	cr_assert_eq(peak, 2 + 8 + 16);
	cr_assert(mp_testing_peak(&graph, right, false, &peak, &arena));
	cr_assert_eq(peak, 1 + 8 + 16);
	mp_arena_free(&arena);
}
