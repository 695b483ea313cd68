/*
 * Rules that prune the search tree. None loses the answer.
 *
 * Safe move: a ready op runs at once if its cost is within the threshold and no
 * more bytes are alive after it than before. Moving it forward raises the cost
 * of no other step.
 *
 * Safe run: the same for a chain of ops, each made ready by the one before, up
 * to the first point where no more bytes are alive than at its start (Liu
 * 1987).
 *
 * Lazy source: an op without predecessors and inputs runs right before the
 * first op that needs it; the two are one move.
 *
 * Pair rule: two consecutive ops that could be swapped are tried in one order
 * only, the one in which the more expensive step is cheaper. The rule holds
 * only right after a branch, not after a safe move or a lazy source. Which
 * moves were tried thus depends on the op of the branch, so that op is part of
 * the key of a visited set.
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
	RUN_LENGTH = 64, /* most ops of a safe run: bounds the work of a node */
	MOST_VISITED = 1 << 21,
	MOST_WORDS = 1 << 25, /* of these: 256 MB */
	WORK_UNIT = 16, /* list entries visited in one step of a job, about
			   100 ns */
};

/* An op that may run next. */
struct move {
	uint64_t after; /* bytes alive after it */
	uint32_t place; /* in the best order, to break ties */
	uint32_t op;
};

/* A node of the search tree: a set of ops that have run. */
struct level {
	uint32_t path;	/* length of the path before its branch was taken */
	uint32_t moves; /* number of moves below it */
	uint32_t next;	/* the move to try next */
};

struct exact {
	struct search *s;
	struct state state;
	uint64_t threshold, next;

	uint32_t *tries;	/* scratch: a copy of the ready ops */
	uint32_t old;		/* ops that were ready before the branch */
	uint32_t branch;	/* the last op, if it was a branch; or NONE */
	uint64_t before_branch; /* bytes alive before it */
	uint64_t branch_cost;

	struct level *levels;
	uint32_t depth;
	struct move *moves;
	uint32_t n_moves, room;

	struct keys visited;
};

/* ---------------------------------------------------------- visited */

/* True if the set of ops that have run, reached by this branch, is new. The key
 * is a hash, the branch, and the set. */
static bool is_new(struct exact *x, uint64_t *key)
{
	key[0] = x->state.hash;
	if (x->branch != NONE)
		key[0] = mp_order_state_mix(
			key[0] ^ (x->state.key[x->branch] *
					 UINT64_C(0x9e3779b97f4a7c15)));
	key[1] = x->branch;
	memcpy(key + 2, x->state.ran, sizeof(*key) * x->state.n_words);
	return mp_keys_add(&x->visited);
}

/* ------------------------------------------------------- safe moves */

static bool run_safe_move(struct exact *x)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < x->state.n_ready; i++) {
		uint32_t op = x->state.ready[i];

		if (mp_order_state_after(&x->state, op) <= x->state.now &&
			mp_order_state_cost(&x->state, op) <= x->threshold &&
			(best == NONE ||
				mp_order_state_after(&x->state, op) <
					mp_order_state_after(&x->state, best)))
			best = op;
	}
	x->state.work += x->state.n_ready;
	if (best != NONE)
		mp_order_state_run(&x->state, best);
	return best != NONE;
}

/* Runs a chain from the op on, always the only op that the last one made ready.
 * True, and the chain has run, if no more bytes are alive than at its start. */
static bool try_chain(struct exact *x, uint32_t op)
{
	uint32_t length = x->state.length, n_ready;
	uint64_t begin = x->state.now;

	for (uint32_t i = 0; i < RUN_LENGTH; i++) {
		if (mp_order_state_cost(&x->state, op) > x->threshold)
			break;
		n_ready = x->state.n_ready - 1;
		mp_order_state_run(&x->state, op);
		if (x->state.now <= begin)
			return true;
		if (x->state.n_ready != n_ready + 1)
			break;
		op = x->state.ready[x->state.n_ready - 1];
	}
	mp_order_state_retreat(&x->state, length);
	return false;
}

/* Trying a chain permutes x->state.ready, so this walks a copy. */
static bool run_safe_run(struct exact *x)
{
	uint32_t n = x->state.n_ready;

	memcpy(x->tries, x->state.ready, sizeof(*x->tries) * n);
	for (uint32_t i = x->old; i < n; i++)
		if (try_chain(x, x->tries[i]))
			return true;
	return false;
}

/* True if a safe move or run was made. */
static bool run_safe(struct exact *x)
{
	bool moved = false;

	while (run_safe_move(x) || run_safe_run(x)) {
		moved = true;
		x->old = 0;
	}
	return moved;
}

/* -------------------------------------------------------- branching */

/* Does the op wait for the earlier one, or for an op that is glued to it? */
static bool waits_for(const struct exact *x, uint32_t op, uint32_t earlier)
{
	while (x->state.glued[earlier] != NONE)
		earlier = x->state.glued[earlier];
	return mp_lists_contain(x->state.view->ops[op].before, earlier);
}

static bool has_pairs(const struct view *view, uint32_t op)
{
	return view->pairs && view->first_pair[op] != view->first_pair[op + 1];
}

/* Cost of an op with those glued to it, and bytes alive after them. */
struct turn {
	uint64_t cost, after;
};

static struct turn turn_of(
	const struct exact *x, uint32_t op, uint64_t now, uint64_t freed)
{
	uint64_t alone = now + x->state.view->out[op];
	uint64_t after = alone - x->state.view->dead[op] - freed;

	return (struct turn){
		num_max(alone, mp_order_state_rest_cost(&x->state, op, after)),
		mp_order_state_rest_after(&x->state, op, after)};
}

/* Bytes that die at one of the op and the branch if the op ran right before the
 * branch, which in the state has run: at the branch, the second, or at the op.
 */
static uint64_t freed_in_pair(const struct exact *x, uint32_t op, bool second)
{
	struct ids of_op = mp_lists_at(&x->state.view->inputs, op);
	struct ids of_branch = mp_lists_at(&x->state.view->inputs, x->branch);
	struct ids inputs = second ? of_branch : of_op;
	struct ids others = second ? of_op : of_branch;
	uint64_t freed = 0;

	for (uint32_t i = 0; i < inputs.n; i++) {
		uint32_t t = inputs.at[i], left = x->state.left[t];

		if (second ? left == mp_lists_contain(others, t)
			   : left == 1 && !mp_lists_contain(others, t))
			freed += x->state.view->size[t];
	}
	return freed;
}

/* Pair rule: is it better to run this op before the branch? */
static bool better_swapped(const struct exact *x, uint32_t op)
{
	struct turn first, second;
	uint64_t cost, high, low, swapped_high, swapped_low;

	if (x->branch == NONE || x->state.extra[op] > 0 ||
		has_pairs(x->state.view, op) ||
		has_pairs(x->state.view, x->branch) ||
		waits_for(x, op, x->branch))
		return false;
	first = turn_of(x, op, x->before_branch, freed_in_pair(x, op, false));
	second = turn_of(x, x->branch, first.after, freed_in_pair(x, op, true));
	cost = mp_order_state_cost(&x->state, op);
	high = num_max(x->branch_cost, cost);
	low = num_min(x->branch_cost, cost);
	swapped_high = num_max(first.cost, second.cost);
	swapped_low = num_min(first.cost, second.cost);
	if (swapped_high != high)
		return swapped_high < high;
	if (swapped_low != low)
		return swapped_low < low;
	return op < x->branch;
}

static int by_after(const void *a, const void *b)
{
	const struct move *x = a, *y = b;

	return mp_sort_compare_two(x->after, y->after, x->place, y->place);
}

static bool add_move(struct exact *x, uint32_t op)
{
	x->moves = mp_arena_grow(
		x->s->arena, x->moves, x->n_moves, &x->room, sizeof(*x->moves));
	if (!x->moves)
		return false;
	x->moves[x->n_moves++] = (struct move){
		mp_order_state_after(&x->state, op), x->s->place[op], op};
	return true;
}

static bool find_moves(struct exact *x)
{
	uint32_t first = x->n_moves;

	for (uint32_t i = 0; i < x->state.n_ready; i++) {
		uint32_t op = x->state.ready[i];
		uint64_t cost = mp_order_state_cost(&x->state, op);

		if (better_swapped(x, op))
			continue;
		if (cost > x->threshold)
			x->next = num_min(x->next, cost);
		else if (!add_move(x, op))
			return false;
	}
	x->state.work += x->state.n_ready;
	if (x->n_moves > first)
		qsort(x->moves + first, x->n_moves - first, sizeof(*x->moves),
			by_after);
	return true;
}

/* Runs the next move of the deepest level that has one. False: none is left. */
static bool take_move(struct exact *x, uint32_t *path)
{
	while (x->depth > 0) {
		struct level *level = &x->levels[x->depth - 1];

		if (level->next < x->n_moves) {
			struct move move = x->moves[level->next++];

			*path = x->state.length;
			x->old = x->state.n_ready - 1;
			x->before_branch = x->state.now;
			x->branch_cost =
				mp_order_state_cost(&x->state, move.op);
			x->branch = x->state.extra[move.op] ? NONE : move.op;
			mp_order_state_run(&x->state, move.op);
			return true;
		}
		x->n_moves = level->moves;
		mp_order_state_retreat(&x->state, level->path);
		x->depth--;
	}
	return false;
}

static bool is_full(const struct keys *visited)
{
	return visited->n > MOST_VISITED ||
	       (uint64_t)visited->n * visited->words > MOST_WORDS;
}

static enum exact_outcome search_window(
	struct exact *x, uint32_t length, uint64_t nodes)
{
	uint32_t path = 0;

	for (;;) {
		uint64_t *key;

		if (run_safe(x))
			x->branch = NONE;
		if (x->state.length == length)
			return EXACT_FOUND;
		if (nodes-- == 0 || is_full(&x->visited) ||
			!mp_order_search_step(x->s, x->state.work / WORK_UNIT))
			return EXACT_GAVE_UP;
		x->state.work %= WORK_UNIT;
		x->levels[x->depth++] =
			(struct level){path, x->n_moves, x->n_moves};
		key = mp_keys_next(&x->visited);
		if (!key || (is_new(x, key) && !find_moves(x)))
			return EXACT_FAILED;
		if (!take_move(x, &path))
			return EXACT_REFUTED;
	}
}

enum exact_outcome mp_order_exact_window(struct search *s, uint32_t from,
	uint32_t to, uint64_t threshold, uint64_t nodes, uint64_t *next)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct exact x = {.s = s,
		.threshold = threshold,
		.next = UINT64_MAX,
		.branch = NONE};
	enum exact_outcome outcome = EXACT_FAILED;

	assert(from < to && to <= s->view->n_ops);
	x.tries = NEW(s->arena, uint32_t, to - from);
	x.levels = NEW(s->arena, struct level, (size_t)(to - from) + 1);
	if (x.tries && x.levels &&
		mp_order_state_init(
			&x.state, s->view, s->order, from, to, s->arena) &&
		mp_keys_init(&x.visited, x.state.n_words + 2, s->arena))
		outcome = search_window(&x, to - from, nodes);
	if (outcome == EXACT_FOUND) {
		memcpy(s->trial, s->order, sizeof(*s->trial) * s->view->n_ops);
		memcpy(s->trial + from, x.state.path,
			sizeof(*s->trial) * (to - from));
	}
	*next = x.next;
	mp_arena_rewind(s->arena, mark);
	return outcome;
}
