/*
 * What keeps the tree small, each rule without losing an order:
 *
 * Safe move: a ready op that frees at least what it leaves behind, and fits,
 * runs at once. Bringing it forward makes no other step dearer.
 * Safe run: the same for a run of ops, each made ready by the one before, from
 * the start down to the first point that is no higher (Liu 1987).
 * Lazy source: an op that waits for nothing and reads nothing runs right before
 * the first op that needs it; with that op it makes one move.
 * Pair rule: two ops in a row that could be swapped run in the order in which
 * their dearer step is cheaper. It holds only right after a branch, not after
 * a safe move or a lazy source, and what was tried depends on it; so the op of
 * the branch is part of what was visited.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/exact.h"

#include <stdlib.h>
#include <string.h>

#include "order/search/search-state.h"

enum {
	RUN_LENGTH = 64, /* ops of a safe run, at most */
	FIRST_MOVES = 256,
	FIRST_SLOTS = 1 << 12, /* of the visited set */
	MOST_SLOTS = 1 << 22,  /* 64 MB with those outgrown */
	WORK_UNIT = 16,	       /* list members looked at in one step of a job */
};

/* An op that may run next, and what follows. */
struct move {
	uint64_t after; /* bytes alive behind it */
	uint32_t place; /* in the best order: breaks ties */
	uint32_t op;
};

/* A set that was reached, and the moves from it not tried yet. */
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
	uint32_t old;		/* ready ops that were so before the branch */
	uint32_t branch;	/* the last op, if it was branched on */
	uint64_t before_branch; /* bytes alive before it */
	uint64_t branch_cost;

	struct level *levels;
	uint32_t depth;
	struct move *moves;
	uint32_t n_moves, room;

	uint64_t *visited; /* open addressing, 0: empty */
	uint32_t slots, n_visited;
};

/* ---------------------------------------------------------- visited */

static bool insert(uint64_t *slots, uint32_t n, uint64_t key)
{
	uint32_t at = (uint32_t)key & (n - 1);

	for (; slots[at] != 0; at = (at + 1) & (n - 1))
		if (slots[at] == key)
			return false;
	slots[at] = key;
	return true;
}

static bool enlarge(struct exact *x)
{
	uint64_t *slots = NEW(x->s->arena, uint64_t, 2 * (size_t)x->slots);

	if (!slots)
		return false;
	for (uint32_t i = 0; i < x->slots; i++)
		if (x->visited[i] != 0)
			insert(slots, 2 * x->slots, x->visited[i]);
	x->visited = slots;
	x->slots *= 2;
	return true;
}

/* True if the set, reached by this branch, is new. */
static bool is_new(struct exact *x)
{
	uint64_t key = x->state.hash;

	if (x->branch != NONE)
		key = mp_order_state_mix(
			key ^ (x->state.key[x->branch] *
				      UINT64_C(0x9e3779b97f4a7c15)));
	if (!insert(x->visited, x->slots, key ? key : 1))
		return false;
	x->n_visited++;
	return true;
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

/* Follows the only op that each one makes ready. True, and the run is kept, if
 * that leads no higher than where it began. */
static bool follow(struct exact *x, uint32_t op)
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

/* Trying a run disturbs ready, so a copy is walked. */
static bool run_safe_run(struct exact *x)
{
	uint32_t n = x->state.n_ready;

	memcpy(x->tries, x->state.ready, sizeof(*x->tries) * n);
	for (uint32_t i = x->old; i < n; i++)
		if (follow(x, x->tries[i]))
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

/* Of ops that are glued only the last leads to others. */
static bool waits_for(const struct exact *x, uint32_t op, uint32_t earlier)
{
	while (x->state.glued[earlier] != NONE)
		earlier = x->state.glued[earlier];
	return mp_lists_contain(
		mp_lists_at(&x->state.view->before, op), earlier);
}

static bool has_pairs(const struct view *view, uint32_t op)
{
	return view->pairs && view->first_pair[op] != view->first_pair[op + 1];
}

/* An op and what is glued to it, where so many bytes are alive before it and so
 * many of them die at it. */
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

/* What dies at the branch if it runs behind the op. */
static uint64_t freed_at_branch(const struct exact *x, uint32_t op)
{
	struct ids inputs = mp_lists_at(&x->state.view->inputs, x->branch);
	struct ids used = mp_lists_at(&x->state.view->inputs, op);
	uint64_t freed = 0;

	for (uint32_t i = 0; i < inputs.n; i++)
		if (x->state.left[inputs.at[i]] ==
			mp_lists_contain(used, inputs.at[i]))
			freed += x->state.view->size[inputs.at[i]];
	return freed;
}

/* What dies at the op if it runs before the branch. */
static uint64_t freed_before_branch(const struct exact *x, uint32_t op)
{
	struct ids inputs = mp_lists_at(&x->state.view->inputs, op);
	struct ids taken = mp_lists_at(&x->state.view->inputs, x->branch);
	uint64_t freed = 0;

	for (uint32_t i = 0; i < inputs.n; i++)
		if (x->state.left[inputs.at[i]] == 1 &&
			!mp_lists_contain(taken, inputs.at[i]))
			freed += x->state.view->size[inputs.at[i]];
	return freed;
}

/* Would this op and the branch better run the other way round? */
static bool better_swapped(const struct exact *x, uint32_t op)
{
	struct turn first, second;
	uint64_t cost, high, low, swapped_high, swapped_low;

	if (x->branch == NONE || x->state.extra[op] > 0 ||
		has_pairs(x->state.view, op) ||
		has_pairs(x->state.view, x->branch) ||
		waits_for(x, op, x->branch))
		return false;
	first = turn_of(x, op, x->before_branch, freed_before_branch(x, op));
	second = turn_of(x, x->branch, first.after, freed_at_branch(x, op));
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

	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static bool add_move(struct exact *x, uint32_t op)
{
	struct move *wider;

	if (x->n_moves == x->room) {
		wider = NEW(x->s->arena, struct move, 2 * (size_t)x->room);
		if (!wider)
			return false;
		memcpy(wider, x->moves, sizeof(*wider) * x->room);
		x->moves = wider;
		x->room *= 2;
	}
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
	qsort(x->moves + first, x->n_moves - first, sizeof(*x->moves),
		by_after);
	return true;
}

/* Opens a level of the tree, which began when the path was that long. */
static bool enter(struct exact *x, uint32_t path)
{
	x->levels[x->depth++] = (struct level){path, x->n_moves, x->n_moves};
	if (x->n_visited * 2 > x->slots && !enlarge(x))
		return false;
	return !is_new(x) || find_moves(x);
}

/* Takes the next move that is left on the path, or none: false. */
static bool advance(struct exact *x, uint32_t *path)
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

static enum exact_outcome search(
	struct exact *x, uint32_t length, uint64_t nodes)
{
	uint32_t path = 0;

	for (;;) {
		if (run_safe(x))
			x->branch = NONE;
		if (x->state.length == length)
			return EXACT_FOUND;
		if (nodes-- == 0 || x->n_visited * 2 > MOST_SLOTS ||
			!mp_order_search_step(x->s, x->state.work / WORK_UNIT))
			return EXACT_GAVE_UP;
		x->state.work %= WORK_UNIT;
		if (!enter(x, path))
			return EXACT_FAILED;
		if (!advance(x, &path))
			return EXACT_REFUTED;
	}
}

static bool reserve(struct exact *x, uint32_t length)
{
	struct arena *arena = x->s->arena;

	x->room = FIRST_MOVES;
	x->slots = FIRST_SLOTS;
	x->tries = NEW(arena, uint32_t, length);
	x->levels = NEW(arena, struct level, (size_t)length + 1);
	x->moves = NEW(arena, struct move, x->room);
	x->visited = NEW(arena, uint64_t, x->slots);
	return x->tries && x->levels && x->moves && x->visited;
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

	if (reserve(&x, to - from) && mp_order_state_init(&x.state, s->view,
					      s->order, from, to, s->arena))
		outcome = search(&x, to - from, nodes);
	if (outcome == EXACT_FOUND) {
		memcpy(s->trial, s->order, sizeof(*s->trial) * s->view->n_ops);
		memcpy(s->trial + from, x.state.path,
			sizeof(*s->trial) * (to - from));
	}
	*next = x.next;
	mp_arena_rewind(s->arena, mark);
	return outcome;
}
