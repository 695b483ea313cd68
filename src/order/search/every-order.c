/*
 * Lists all sets of ops from which an order below a bound would have to go on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/every-order.h"

#include <assert.h>

#include "order/search/set-walk.h"

enum {
	MOST_SETS = 1 << 19,
	MOST_LOOKS = 1 << 28, /* at ops and tensors: seconds */
};

/* A set of ops on the way to the one under work. */
struct level {
	uint32_t before; /* length of the path before its op was tried */
	uint32_t at;	 /* and behind the ops that ran at once */
	uint32_t next;	 /* the op to try next */
};

struct replay {
	struct set_walk walk;
	struct level *levels;
	uint32_t depth;
	uint32_t *number; /* of the set of each length of the path */
	struct order_sets *sets;
	struct arena *arena;
};

static bool init(struct replay *r, const struct graph *graph,
	const struct order_bound *claim)
{
	size_t n = (size_t)graph->n_ops + 1;

	r->levels = NEW(r->arena, struct level, n);
	r->number = NEW(r->arena, uint32_t, n);
	return r->levels && r->number &&
	       mp_order_walk_init(&r->walk, graph, claim, r->arena);
}

bool mp_order_add_set(struct order_sets *sets, uint32_t from, uint32_t op,
	struct arena *arena)
{
	uint32_t i = sets->n;

	sets->from = mp_arena_grow(
		arena, sets->from, i, &sets->from_room, sizeof(*sets->from));
	sets->op = mp_arena_grow(
		arena, sets->op, i, &sets->op_room, sizeof(*sets->op));
	if (!sets->from || !sets->op)
		return false;
	sets->from[i] = from;
	sets->op[i] = op;
	sets->n++;
	return true;
}

/* Adds the set of the path to the list, if it is not there. */
static bool add_set(struct replay *r, bool *fresh)
{
	uint32_t length = r->walk.length;

	if (!mp_order_walk_add(&r->walk, fresh))
		return false;
	if (!*fresh)
		return true;
	r->number[length] = r->sets->n;
	return length == 0 ? mp_order_add_set(r->sets, 0, 0, r->arena)
			   : mp_order_add_set(r->sets, r->number[length - 1],
				     r->walk.path[length - 1], r->arena);
}

/* Runs an op after which no more bytes are alive. */
static bool run_safe(struct replay *r)
{
	struct set_walk *w = &r->walk;

	for (uint32_t op = 0; op < w->graph->n_ops; op++) {
		uint64_t alive = w->alive;

		if (!mp_order_walk_may_run(w, op))
			continue;
		mp_order_walk_run(w, op);
		if (w->alive <= alive)
			return true;
		mp_order_walk_retreat(w, w->length - 1);
	}
	return false;
}

/* Runs the next op that is to be tried. False: none is left. */
static bool take_next(struct replay *r, uint32_t *before)
{
	struct set_walk *w = &r->walk;

	while (r->depth > 0) {
		struct level *level = &r->levels[r->depth - 1];

		mp_order_walk_retreat(w, level->at);
		while (level->next < w->graph->n_ops) {
			uint32_t op = level->next++;

			if (!mp_order_walk_may_run(w, op))
				continue;
			*before = w->length;
			mp_order_walk_run(w, op);
			return true;
		}
		mp_order_walk_retreat(w, level->before);
		r->depth--;
	}
	return false;
}

static bool search(struct replay *r, enum replay_outcome *outcome)
{
	const struct set_walk *w = &r->walk;
	uint32_t n = w->graph->n_ops, before = 0;
	bool fresh;

	do {
		do {
			if (!add_set(r, &fresh))
				return false;
		} while (fresh && run_safe(r));
		*outcome = w->length == n ? REPLAY_FOUND : REPLAY_GAVE_UP;
		if (w->length == n || r->sets->n == MOST_SETS ||
			w->looks > MOST_LOOKS)
			return true;
		r->levels[r->depth++] =
			(struct level){before, w->length, fresh ? 0 : n};
	} while (take_next(r, &before));
	*outcome = REPLAY_REFUTED;
	return true;
}

bool mp_order_replay(const struct graph *graph, const struct order_bound *claim,
	enum replay_outcome *outcome, struct order_sets *sets,
	struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct order_sets own = {0};
	struct replay r = {.sets = sets ? sets : &own, .arena = arena};
	bool fine;

	assert(claim->bytes > 0);
	if (sets)
		*sets = own;
	fine = init(&r, graph, claim) && search(&r, outcome);
	if (!sets)
		mp_arena_rewind(arena, mark);
	return fine;
}
