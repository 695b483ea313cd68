/*
 * List scheduling: at every step the best of the ready ops runs.
 *
 * xla-list: XLA's list scheduler. The op that frees most beyond what it writes,
 * then the one with most users, then the one that became ready last.
 *
 * inductor-lpmf: PyTorch's "least peak memory first". The op that raises the
 * peak least; among those that do not raise it, the one after which the fewest
 * bytes are alive.
 *
 * lpmf-lazy: the same, but lazy ops (casts of weights, constants, and chains
 * of such ops) can wait, since running them earlier frees no memory. They do
 * not run by themselves: each runs right before its first consumer, and its
 * bytes count for that consumer.
 *
 * lpmf-closing: the same, but an opener runs only when no other op is ready. An
 * opener is an op that reads no tensor that is alive, and so begins a new part
 * of the graph. Parts are thus finished one after the other: micro-batches,
 * towers. The next opener is the one with the longest chain of ops behind it,
 * since other parts wait for that one anyway.
 *
 * The ready ops are in a tournament tree, sorted by the bytes that they write.
 * Ops that do not raise the peak are then an interval of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stddef.h>

#include "base/heap.h"
#include "base/search.h"
#include "base/tournament.h"
#include "order/inside.h"
#include "order/rows.h"

struct greedy {
	const struct view *view;
	struct live live;
	enum order_greedy rule;
	uint64_t peak;
	uint32_t *waiting; /* of an op: ops before it that may not run yet */
	bool *lazy;	   /* of an op: runs only when it is needed */
	uint32_t *height;  /* of an op: longest chain of ops behind it */
	bool *done;
	uint32_t *asked; /* of an op: how many predecessors are known as done */
	uint64_t *freed; /* bytes of inputs that have no other user left */
	uint64_t *extra; /* bytes of lazy ops that would have to run first */
	uint64_t *tie;	 /* of a ready op: smaller wins */
	uint32_t n_ready; /* ops that have become ready so far */
	struct tournament tournament;
	uint32_t *place;     /* of an op in the row */
	struct keyed *row;   /* of a place: bytes it was sorted by, and op */
	struct heap openers; /* ready openers */
	uint32_t *stack;     /* scratch: ops */
	uint32_t *order;
	uint32_t n_order;
};

/* ------------------------------------------------------------- lazy */

/* A link of a chain reads one tensor and is its only reader. */
static bool is_lazy(const struct view *view, uint32_t op, const bool *lazy)
{
	struct ids inputs = mp_lists_at(&view->inputs, op);
	uint32_t producer;

	if (inputs.n > 1 || view->out[op] == 0 ||
		mp_lists_at(&view->behind, op).n == 0)
		return false;
	if (inputs.n == 0)
		return true;
	producer = view->producer[inputs.at[0]];
	return producer != NONE && lazy[producer] &&
	       mp_lists_at(&view->users, inputs.at[0]).n == 1;
}

/* All ops, each after the ops that wait for it. */
static void list_backward(
	const struct view *view, uint32_t *left, uint32_t *list)
{
	uint32_t tail = 0;
	struct ids before;

	for (uint32_t op = 0; op < view->n_ops; op++) {
		left[op] = mp_lists_at(&view->behind, op).n;
		if (left[op] == 0)
			list[tail++] = op;
	}
	for (uint32_t head = 0; head < tail; head++) {
		before = mp_lists_at(&view->before, list[head]);
		for (uint32_t i = 0; i < before.n; i++)
			if (--left[before.at[i]] == 0)
				list[tail++] = before.at[i];
	}
	assert(tail == view->n_ops); /* the graph has no cycle */
}

static uint32_t height_of(
	const struct view *view, uint32_t op, const uint32_t *height)
{
	struct ids behind = mp_lists_at(&view->behind, op);
	uint32_t most = 0;

	for (uint32_t i = 0; i < behind.n; i++)
		if (height[behind.at[i]] >= most)
			most = height[behind.at[i]] + 1;
	assert(most < view->n_ops);
	return most;
}

/* Finds the ops that are lazy: with no input, or with one that is the output of
 * a lazy op and that no other op reads. Their heights are lengths of the
 * longest chains of ops behind them. */
static bool find_lazy(const struct view *view, bool *lazy, uint32_t *height,
	struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *left = NEW(arena, uint32_t, view->n_ops);
	uint32_t *list = NEW(arena, uint32_t, view->n_ops);

	if (!left || !list)
		return false;
	list_backward(view, left, list);
	for (uint32_t i = 0; i < view->n_ops; i++)
		height[list[i]] = height_of(view, list[i], height);
	for (uint32_t i = view->n_ops; i-- > 0;)
		lazy[list[i]] = is_lazy(view, list[i], lazy);
	mp_arena_rewind(arena, mark);
	return true;
}

/* ---------------------------------------------------------- picking */

/* What is alive after the op, less what was before it. */
static int64_t growth(const struct greedy *g, uint32_t op)
{
	uint64_t dead = g->rule == ORDER_XLA_LIST ? 0 : g->view->dead[op];

	return (int64_t)(g->view->out[op] + g->extra[op]) -
	       (int64_t)(g->freed[op] + dead);
}

static void enter_op(struct greedy *g, uint32_t op)
{
	mp_tournament_enter(&g->tournament, g->place[op],
		(struct score){growth(g, op), g->tie[op]});
}

/* The growth of the op has changed. */
static void enter_again(struct greedy *g, uint32_t op)
{
	if (mp_tournament_has(&g->tournament, g->place[op]))
		enter_op(g, op);
}

/* The number of ops, first in the row, that write at most so many bytes. */
static uint32_t places_up_to(const struct greedy *g, uint64_t bytes)
{
	assert(bytes < UINT64_MAX);
	return mp_search_key_u64(g->row, sizeof(*g->row),
		offsetof(struct keyed, first), g->view->n_ops, bytes + 1);
}

/* The place of the best that takes part, or NONE. */
static uint32_t pick_place(const struct greedy *g)
{
	uint64_t room = g->peak > g->live.now ? g->peak - g->live.now : 0;
	uint32_t first = mp_tournament_first(&g->tournament), best;

	if (first == NONE)
		return NONE;
	if (g->rule == ORDER_XLA_LIST)
		return mp_tournament_best(
			&g->tournament, first, g->view->n_ops);
	best = mp_tournament_best(&g->tournament, first, places_up_to(g, room));
	if (best != NONE)
		return best;
	return mp_tournament_best(
		&g->tournament, first, places_up_to(g, g->row[first].first));
}

/* The next op, or NONE. */
static uint32_t pick_op(struct greedy *g)
{
	uint32_t place = pick_place(g);

	if (place != NONE) {
		mp_tournament_leave(&g->tournament, place);
		return g->row[place].op;
	}
	return g->openers.n > 0 ? mp_heap_pop(&g->openers).op : NONE;
}

/* -------------------------------------------------------- readiness */

/* XLA and our own rules prefer the op that became ready last; PyTorch the one
 * that the input lists first. */
static uint64_t tie_of(const struct greedy *g, uint32_t op)
{
	uint64_t latest = UINT32_MAX - g->n_ready;
	struct ids behind = mp_lists_at(&g->view->behind, op);

	if (g->rule == ORDER_XLA_LIST)
		return (uint64_t)(UINT32_MAX - behind.n) << 32 | latest;
	return g->rule == ORDER_LPMF ? op : latest;
}

/* Does the op read only outputs of lazy ops, which have not run? */
static bool is_opener(const struct greedy *g, uint32_t op)
{
	struct ids inputs = mp_lists_at(&g->view->inputs, op);
	uint32_t producer;

	for (uint32_t i = 0; i < inputs.n; i++) {
		producer = g->view->producer[inputs.at[i]];
		if (producer == NONE || !g->lazy[producer])
			return false;
	}
	return g->view->out[op] > 0;
}

static void make_ready(struct greedy *g, uint32_t op)
{
	g->tie[op] = tie_of(g, op);
	g->n_ready++;
	if (g->rule == ORDER_CLOSING && is_opener(g, op))
		mp_heap_push(&g->openers,
			(struct keyed){UINT32_MAX - g->height[op], 0, op});
	else
		enter_op(g, op);
}

/* Ops behind this one wait no longer: it has run, or is lazy and runs right
 * before the first of them. */
static void release_behind(struct greedy *g, uint32_t op)
{
	uint32_t n = 0;
	struct ids behind;

	for (g->stack[n++] = op; n > 0;) {
		behind = mp_lists_at(&g->view->behind, g->stack[--n]);
		for (uint32_t i = 0; i < behind.n; i++) {
			assert(g->waiting[behind.at[i]] > 0);
			if (--g->waiting[behind.at[i]] > 0)
				continue;
			if (g->lazy[behind.at[i]])
				g->stack[n++] = behind.at[i];
			else
				make_ready(g, behind.at[i]);
		}
	}
}

/* A tensor has one user left, which frees it. */
static void credit_last_user(struct greedy *g, uint32_t t)
{
	struct ids users = mp_lists_at(&g->view->users, t);

	for (uint32_t i = 0; i < users.n; i++) {
		if (g->done[users.at[i]])
			continue;
		g->freed[users.at[i]] += g->view->size[t];
		enter_again(g, users.at[i]);
	}
}

/* ---------------------------------------------------------- running */

/* The lazy op has run: its bytes do not count for its other consumers. */
static void remove_extra(struct greedy *g, uint32_t lazy)
{
	struct ids behind = mp_lists_at(&g->view->behind, lazy);

	for (uint32_t i = 0; i < behind.n; i++) {
		g->extra[behind.at[i]] -= g->view->out[lazy];
		enter_again(g, behind.at[i]);
	}
}

static void run_op(struct greedy *g, uint32_t op)
{
	struct ids inputs = mp_lists_at(&g->view->inputs, op);
	uint64_t cost = mp_order_live_run(&g->live, g->view, op);

	g->peak = num_max(g->peak, cost);
	g->done[op] = true;
	g->order[g->n_order++] = op;
	for (uint32_t i = 0; i < inputs.n; i++)
		if (g->live.left[inputs.at[i]] == 1)
			credit_last_user(g, inputs.at[i]);
	if (g->lazy[op])
		remove_extra(g, op);
}

/* A predecessor that has not run, which is lazy; or NONE. */
static uint32_t undone_before(const struct greedy *g, uint32_t op)
{
	struct ids before = mp_lists_at(&g->view->before, op);
	uint32_t *i = &g->asked[op];

	for (; *i < before.n; (*i)++)
		if (!g->done[before.at[*i]])
			return before.at[*i];
	return NONE;
}

static void run_with_lazy(struct greedy *g, uint32_t op)
{
	uint32_t n = 0, next;

	for (g->stack[n++] = op; n > 0;) {
		next = undone_before(g, g->stack[n - 1]);
		if (next != NONE)
			g->stack[n++] = next;
		else
			run_op(g, g->stack[--n]);
	}
	release_behind(g, op);
}

/* --------------------------------------------------------- starting */

static void find_extra(struct greedy *g)
{
	struct ids behind;

	for (uint32_t op = 0; op < g->view->n_ops; op++) {
		if (!g->lazy[op])
			continue;
		behind = mp_lists_at(&g->view->behind, op);
		for (uint32_t i = 0; i < behind.n; i++)
			g->extra[behind.at[i]] += g->view->out[op];
	}
}

/* XLA's rule does not compare with the peak, so its row need not be sorted. */
static void sort_row(struct greedy *g)
{
	for (uint32_t op = 0; op < g->view->n_ops; op++)
		g->row[op] =
			(struct keyed){g->view->out[op] + g->extra[op], 0, op};
	if (g->rule != ORDER_XLA_LIST)
		mp_keyed_sort(g->row, g->view->n_ops);
	for (uint32_t i = 0; i < g->view->n_ops; i++)
		g->place[g->row[i].op] = i;
}

/* Ops that wait for nothing; the others follow from them. */
static void make_first_ready(struct greedy *g)
{
	const struct view *view = g->view;

	for (uint32_t t = 0; t < view->n_tensors; t++)
		if (mp_lists_at(&view->users, t).n == 1)
			credit_last_user(g, t);
	for (uint32_t op = 0; op < view->n_ops; op++)
		g->waiting[op] = mp_lists_at(&view->before, op).n;
	for (uint32_t op = 0; op < view->n_ops; op++) {
		if (mp_lists_at(&view->before, op).n > 0)
			continue;
		if (g->lazy[op])
			release_behind(g, op);
		else
			make_ready(g, op);
	}
}

static bool allocate(struct greedy *g, struct arena *arena)
{
	uint32_t n = g->view->n_ops;

	g->waiting = NEW(arena, uint32_t, n);
	g->lazy = NEW(arena, bool, n);
	g->height = NEW(arena, uint32_t, n);
	g->done = NEW(arena, bool, n);
	g->asked = NEW(arena, uint32_t, n);
	g->freed = NEW(arena, uint64_t, n);
	g->extra = NEW(arena, uint64_t, n);
	g->tie = NEW(arena, uint64_t, n);
	g->place = NEW(arena, uint32_t, n);
	g->row = NEW(arena, struct keyed, n);
	g->stack = NEW(arena, uint32_t, n);
	return g->waiting && g->lazy && g->height && g->done && g->asked &&
	       g->freed && g->extra && g->tie && g->place && g->row &&
	       g->stack && mp_tournament_init(&g->tournament, n, arena) &&
	       mp_heap_init(&g->openers, n, arena) &&
	       mp_order_live_init(&g->live, g->view, arena);
}

static bool start_greedy(struct greedy *g, struct arena *arena)
{
	if (!allocate(g, arena))
		return false;
	if ((g->rule == ORDER_LAZY || g->rule == ORDER_CLOSING) &&
		!find_lazy(g->view, g->lazy, g->height, arena))
		return false;
	find_extra(g);
	sort_row(g);
	make_first_ready(g);
	return true;
}

bool mp_order_greedy(struct order_job *job, int variant)
{
	struct greedy g = {.rule = (enum order_greedy)variant};
	struct arena_mark mark;
	uint32_t op;

	g.view = mp_order_view(job);
	g.order = NEW(job->arena, uint32_t, job->graph->n_ops);
	mark = mp_arena_mark(job->arena);
	if (!g.view || !g.order || !start_greedy(&g, job->arena))
		return false;
	while ((op = pick_op(&g)) != NONE)
		run_with_lazy(&g, op);
	assert(g.n_order == job->graph->n_ops);
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = g.order;
	job->n_alternatives = 1;
	return true;
}
