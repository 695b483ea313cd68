/*
 * Orders that pick the best of the ready ops at every step.
 *
 * xla-list: XLA's list scheduler. The op that frees most beyond what it writes,
 * then the one with most users, then the one that became ready last.
 *
 * inductor-lpmf: PyTorch's "least peak memory first". The op that raises the
 * peak least; among those that do not raise it, the one after which least is
 * alive.
 *
 * lpmf-lazy: the same, but ops that wait for nothing and free nothing (casts of
 * weights, constants) never run by themselves: each runs right before the first
 * op that needs it, and that op is judged with their bytes.
 *
 * The ready ops are the leaves of a tournament, sorted by the bytes that they
 * write. Those that do not raise the peak are then a prefix of it, and the best
 * of a prefix takes a logarithm of steps, as does every change.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/heap.h"
#include "order/rows.h"
#include "order/view.h"

struct greedy {
	const struct view *view;
	struct live live;
	int variant;
	uint64_t peak;
	uint32_t *waiting; /* of an op: ops before it, lazy ones left out */
	bool *lazy;	   /* of an op: runs only when it is needed */
	bool *done;
	uint64_t *freed;  /* bytes of inputs that have no other user left */
	uint64_t *extra;  /* bytes of lazy ops that would have to run first */
	uint64_t *tie;	  /* of a ready op: smaller wins */
	uint32_t n_ready; /* ops that have become ready so far */
	uint32_t *leaf;	  /* of an op: its place in the tournament */
	uint64_t *leaf_size; /* of a place: bytes it was sorted by */
	uint32_t *best;	     /* tournament: op, or NONE; 1 is the root */
	uint32_t n_leaves;   /* a power of two */
	uint32_t *order;
	uint32_t n_order;
};

/* ------------------------------------------------------------- tournament */

/* What is alive after the op, less what was before it. */
static int64_t growth(const struct greedy *g, uint32_t op)
{
	uint64_t dead = g->variant == ORDER_XLA_LIST ? 0 : g->view->dead[op];

	return (int64_t)(g->view->out[op] + g->extra[op]) -
	       (int64_t)(g->freed[op] + dead);
}

static uint32_t better(const struct greedy *g, uint32_t a, uint32_t b)
{
	int64_t growth_a, growth_b;

	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	growth_a = growth(g, a);
	growth_b = growth(g, b);
	if (growth_a != growth_b)
		return growth_a < growth_b ? a : b;
	return g->tie[a] < g->tie[b] ? a : b;
}

static void set_leaf(struct greedy *g, uint32_t op, uint32_t value)
{
	uint32_t i = g->n_leaves + g->leaf[op];

	g->best[i] = value;
	for (i /= 2; i > 0; i /= 2)
		g->best[i] = better(g, g->best[2 * i], g->best[2 * i + 1]);
}

/* The best op of the leaves from low up to, not with, high. */
static uint32_t best_between(
	const struct greedy *g, uint32_t low, uint32_t high)
{
	uint32_t best = NONE;

	low += g->n_leaves;
	high += g->n_leaves;
	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			best = better(g, best, g->best[low++]);
		if (high & 1)
			best = better(g, best, g->best[--high]);
	}
	return best;
}

static uint32_t first_leaf(const struct greedy *g)
{
	uint32_t i = 1;

	while (i < g->n_leaves)
		i = 2 * i + (g->best[2 * i] == NONE);
	return i - g->n_leaves;
}

/* The number of leaves sorted by at most so many bytes. */
static uint32_t leaves_up_to(const struct greedy *g, uint64_t bytes)
{
	uint32_t low = 0, high = g->view->n_ops, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (g->leaf_size[middle] <= bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The next op, or NONE. */
static uint32_t pick(const struct greedy *g)
{
	uint64_t room = g->peak > g->live.now ? g->peak - g->live.now : 0;
	uint32_t op, first;

	if (g->variant == ORDER_XLA_LIST || g->best[1] == NONE)
		return g->best[1];
	op = best_between(g, 0, leaves_up_to(g, room));
	if (op != NONE)
		return op;
	first = first_leaf(g);
	return best_between(g, first, leaves_up_to(g, g->leaf_size[first]));
}

/* ------------------------------------------------------------------- steps */

/* XLA takes what became ready last, as does our own rule; PyTorch what the
 * input lists first. */
static uint64_t tie_of(const struct greedy *g, uint32_t op)
{
	uint64_t latest = UINT32_MAX - g->n_ready;
	struct ids behind = mp_lists_at(&g->view->behind, op);

	if (g->variant == ORDER_XLA_LIST)
		return (uint64_t)(UINT32_MAX - behind.n) << 32 | latest;
	return g->variant == ORDER_LAZY ? latest : op;
}

static void make_ready(struct greedy *g, uint32_t op)
{
	g->tie[op] = tie_of(g, op);
	g->n_ready++;
	set_leaf(g, op, op);
}

static bool is_ready(const struct greedy *g, uint32_t op)
{
	return g->best[g->n_leaves + g->leaf[op]] == op;
}

/* A tensor has one user left: that op would free it. */
static void credit_last_user(struct greedy *g, uint32_t t)
{
	struct ids users = mp_lists_at(&g->view->users, t);

	for (uint32_t i = 0; i < users.n; i++) {
		if (g->done[users.at[i]])
			continue;
		g->freed[users.at[i]] += g->view->size[t];
		if (is_ready(g, users.at[i]))
			set_leaf(g, users.at[i], users.at[i]);
	}
}

/* Those who needed the lazy op find it done. */
static void spare(struct greedy *g, uint32_t lazy)
{
	struct ids behind = mp_lists_at(&g->view->behind, lazy);

	for (uint32_t i = 0; i < behind.n; i++) {
		g->extra[behind.at[i]] -= g->view->out[lazy];
		if (is_ready(g, behind.at[i]))
			set_leaf(g, behind.at[i], behind.at[i]);
	}
}

static void release(struct greedy *g, uint32_t op)
{
	struct ids behind = mp_lists_at(&g->view->behind, op);

	for (uint32_t i = 0; i < behind.n; i++)
		if (--g->waiting[behind.at[i]] == 0)
			make_ready(g, behind.at[i]);
}

static void run_op(struct greedy *g, uint32_t op)
{
	struct ids inputs = mp_lists_at(&g->view->inputs, op);
	uint64_t cost = mp_live_run(&g->live, g->view, op);

	g->peak = num_max(g->peak, cost);
	g->done[op] = true;
	g->order[g->n_order++] = op;
	for (uint32_t i = 0; i < inputs.n; i++)
		if (g->live.left[inputs.at[i]] == 1)
			credit_last_user(g, inputs.at[i]);
	if (g->lazy[op])
		spare(g, op);
	else
		release(g, op);
}

static void run_with_lazy(struct greedy *g, uint32_t op)
{
	struct ids before = mp_lists_at(&g->view->before, op);

	set_leaf(g, op, NONE);
	for (uint32_t i = 0; i < before.n; i++)
		if (!g->done[before.at[i]])
			run_op(g, before.at[i]);
	run_op(g, op);
}

/* ------------------------------------------------------------------- start */

static bool is_lazy(const struct view *view, uint32_t op)
{
	return mp_lists_at(&view->inputs, op).n == 0 &&
	       mp_lists_at(&view->before, op).n == 0 &&
	       mp_lists_at(&view->behind, op).n > 0 && view->out[op] > 0;
}

static void find_lazy(struct greedy *g)
{
	struct ids behind;

	for (uint32_t op = 0; op < g->view->n_ops; op++) {
		g->lazy[op] = is_lazy(g->view, op);
		if (!g->lazy[op])
			continue;
		behind = mp_lists_at(&g->view->behind, op);
		for (uint32_t i = 0; i < behind.n; i++) {
			g->waiting[behind.at[i]]--;
			g->extra[behind.at[i]] += g->view->out[op];
		}
	}
}

static void find_freed(struct greedy *g)
{
	for (uint32_t t = 0; t < g->view->n_tensors; t++)
		if (mp_lists_at(&g->view->users, t).n == 1)
			credit_last_user(g, t);
}

static bool sort_leaves(struct greedy *g, struct arena *arena)
{
	uint32_t n = g->view->n_ops;
	struct keyed *sorted = NEW(arena, struct keyed, n);

	if (!sorted)
		return false;
	for (uint32_t op = 0; op < n; op++)
		sorted[op] =
			(struct keyed){g->view->out[op] + g->extra[op], 0, op};
	mp_keyed_sort(sorted, n);
	for (uint32_t i = 0; i < n; i++) {
		g->leaf[sorted[i].op] = i;
		g->leaf_size[i] = sorted[i].first;
	}
	return true;
}

static bool allocate(struct greedy *g, struct arena *arena)
{
	uint32_t n = g->view->n_ops;

	for (g->n_leaves = 1; g->n_leaves < n;)
		g->n_leaves *= 2;
	g->waiting = NEW(arena, uint32_t, n);
	g->lazy = NEW(arena, bool, n);
	g->done = NEW(arena, bool, n);
	g->freed = NEW(arena, uint64_t, n);
	g->extra = NEW(arena, uint64_t, n);
	g->tie = NEW(arena, uint64_t, n);
	g->leaf = NEW(arena, uint32_t, n);
	g->leaf_size = NEW(arena, uint64_t, n);
	g->best = NEW(arena, uint32_t, 2 * (size_t)g->n_leaves);
	return g->waiting && g->lazy && g->done && g->freed && g->extra &&
	       g->tie && g->leaf && g->leaf_size && g->best &&
	       mp_live_init(&g->live, g->view, arena);
}

static bool start(struct greedy *g, struct arena *arena)
{
	uint32_t n = g->view->n_ops;

	if (!allocate(g, arena))
		return false;
	for (uint32_t i = 0; i < 2 * g->n_leaves; i++)
		g->best[i] = NONE;
	for (uint32_t op = 0; op < n; op++)
		g->waiting[op] = mp_lists_at(&g->view->before, op).n;
	if (g->variant == ORDER_LAZY)
		find_lazy(g);
	if (!sort_leaves(g, arena))
		return false;
	find_freed(g);
	for (uint32_t op = 0; op < n; op++)
		if (g->waiting[op] == 0 && !g->lazy[op])
			make_ready(g, op);
	return true;
}

bool mp_order_greedy(struct order_job *job, int variant)
{
	struct greedy g = {.variant = variant};
	uint32_t n = job->graph->n_ops, op;
	struct arena_mark mark;
	struct view view;

	g.view = &view;
	g.order = NEW(job->arena, uint32_t, n);
	mark = mp_arena_mark(job->arena);
	if (!g.order ||
		!mp_view_init(&view, job->graph, job->inplace, job->arena) ||
		!start(&g, job->arena))
		return false;
	while ((op = pick(&g)) != NONE)
		run_with_lazy(&g, op);
	mp_arena_rewind(job->arena, mark);
	job->choices[0] = g.order;
	job->n_choices = 1;
	return true;
}
