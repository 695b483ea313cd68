/*
 * Rules that prune the search tree. None loses the answer.
 *
 * Safe move: a ready op runs at once if its cost is within the threshold and no
 * more bytes are alive after it than before. Moving it forward raises the cost
 * of no other step.
 *
 * Lazy source: an op without predecessors and inputs runs right before the
 * first op that needs it; the two are one move.
 *
 * Moves (exact-moves.c): else a move is a group of ops after which a tensor
 * dies. If no more bytes are alive after it than before, it runs at once:
 * between its ops no fewer are alive.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/sort.h"

enum {
	MOST_VISITED = 1 << 21,
	MOST_WORDS = 1 << 25, /* of these: 256 MB */
	WORK_UNIT = 16, /* list entries visited in one step of a job, about
			   100 ns */
};

/* A node of the search tree: a set of ops that have run. */
struct level {
	uint32_t path;	/* length of the path before its branch was taken */
	uint32_t moves; /* number of moves below it */
	uint32_t ops;	/* and of their ops */
	uint32_t next;	/* the move to try next */
};

struct exact {
	struct search *s;
	struct state state;
	uint64_t threshold, next;
	struct level *levels;
	uint32_t depth;
	struct moves moves;
	struct keys visited;
};

/* ---------------------------------------------------------- visited */

/* Was this set of ops that have run visited? It is written where it can be
 * added. False: memory is out. */
static bool was_visited(struct exact *x, bool *visited)
{
	uint64_t *key = mp_keys_next(&x->visited);

	if (!key)
		return false;
	key[0] = x->state.hash;
	memcpy(key + 1, x->state.ran, sizeof(*key) * x->state.n_words);
	*visited = mp_keys_has(&x->visited);
	return true;
}

/* ------------------------------------------------------- safe moves */

static bool is_safe(const struct exact *x, uint32_t op)
{
	return mp_order_state_after(&x->state, op) <= x->state.now &&
	       mp_order_state_cost(&x->state, op) <= x->threshold;
}

static void run_safe_moves(struct exact *x)
{
	uint32_t i = 0;

	while (i < x->state.n_ready) {
		x->state.work++;
		if (is_safe(x, x->state.ready[i])) {
			mp_order_state_run(&x->state, x->state.ready[i]);
			i = 0;
		} else {
			i++;
		}
	}
}

/* -------------------------------------------------------- branching */

/* Moves after which few bytes are alive come first; of these, as the best order
 * has them. */
static int by_after(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	return mp_sort_compare_two(x->after, y->after, x->from, y->from);
}

/* Finds the moves of the state, if it was not visited. States with one move are
 * not kept: the next one is. */
static bool find_moves(struct exact *x)
{
	struct moves *m = &x->moves;
	uint32_t first = m->n, n = first;
	bool visited;

	if (!was_visited(x, &visited))
		return false;
	if (visited)
		return true;
	if (!mp_order_moves_find(m))
		return false;
	for (uint32_t i = first; i < m->n; i++)
		if (m->at[i].cost > x->threshold)
			x->next = num_min(x->next, m->at[i].cost);
		else
			m->at[n++] = m->at[i];
	m->n = n;
	if (n > first)
		qsort(m->at + first, n - first, sizeof(*m->at), by_after);
	if (n > first && m->at[first].after <= x->state.now)
		m->n = first + 1;
	if (m->n != first + 1)
		mp_keys_add(&x->visited);
	return true;
}

/* Runs the next move of the deepest level that has one. False: none is left. */
static bool take_move(struct exact *x, uint32_t *path)
{
	struct moves *m = &x->moves;

	while (x->depth > 0) {
		struct level *level = &x->levels[x->depth - 1];

		if (level->next < m->n) {
			const struct move *move = &m->at[level->next++];

			*path = x->state.length;
			for (uint32_t i = 0; i < move->n; i++)
				mp_order_state_run(
					&x->state, m->ops[move->from + i]);
			return true;
		}
		m->n = level->moves;
		m->n_ops = level->ops;
		mp_order_state_retreat(&x->state, level->path);
		x->depth--;
	}
	return false;
}

static bool is_full(const struct keys *visited)
{
	return mp_keys_is_crowded(visited) || visited->n > MOST_VISITED ||
	       (uint64_t)visited->n * visited->words > MOST_WORDS;
}

/* Counts the work so far. False: the budget is spent. */
static bool count_work(struct exact *x)
{
	uint64_t work = x->state.work;

	x->state.work = work % WORK_UNIT;
	return mp_order_search_step(x->s, work / WORK_UNIT);
}

static enum exact_outcome search_window(
	struct exact *x, uint32_t length, uint64_t nodes)
{
	uint32_t path = 0;

	for (;;) {
		run_safe_moves(x);
		if (x->state.length == length)
			return EXACT_FOUND;
		if (nodes-- == 0 || is_full(&x->visited) || !count_work(x))
			return EXACT_GAVE_UP;
		x->levels[x->depth++] = (struct level){
			path, x->moves.n, x->moves.n_ops, x->moves.n};
		if (!find_moves(x))
			return EXACT_FAILED;
		if (!take_move(x, &path))
			return x->moves.lost ? EXACT_GAVE_UP : EXACT_REFUTED;
	}
}

enum exact_outcome mp_order_exact_window(struct search *s, uint32_t from,
	uint32_t to, uint64_t threshold, uint64_t nodes, uint64_t *next)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct exact x = {.s = s, .threshold = threshold, .next = UINT64_MAX};
	enum exact_outcome outcome = EXACT_FAILED;

	assert(from < to && to <= s->view->n_ops);
	x.levels = NEW(s->arena, struct level, (size_t)(to - from) + 1);
	if (x.levels &&
		mp_order_state_init(
			&x.state, s->view, s->order, from, to, s->arena) &&
		mp_order_moves_init(&x.moves, &x.state, s, to, s->arena) &&
		mp_keys_init(&x.visited, x.state.n_words + 1, s->arena)) {
		outcome = search_window(&x, to - from, nodes);
		count_work(&x);
	}
	if (outcome == EXACT_FOUND) {
		memcpy(s->trial, s->order, sizeof(*s->trial) * s->view->n_ops);
		memcpy(s->trial + from, x.state.path,
			sizeof(*s->trial) * (to - from));
	}
	*next = x.next;
	mp_arena_rewind(s->arena, mark);
	return outcome;
}
