/*
 * Lists the sets of ops from which an order below a bound would have to go on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/every-order.h"

#include <assert.h>

#include "order/search/set-steps.h"

enum {
	MOST_SETS = 1 << 19,
	MOST_LOOKS = 1 << 30, /* at ops, tensors and words: seconds */
};

/* A set of ops on the way to the one under work. */
struct level {
	uint32_t before;     /* length of the path of the one before */
	uint32_t steps, ops; /* how many there are below it */
	uint32_t next;	     /* the step to try next */
};

struct replay {
	struct set_walk walk;
	struct set_steps steps;
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
	       mp_order_walk_init(&r->walk, graph, claim, r->arena) &&
	       mp_order_steps_init(&r->steps, &r->walk, r->arena);
}

bool mp_order_add_set(
	struct order_sets *sets, struct order_set set, struct arena *arena)
{
	sets->at = mp_arena_grow(
		arena, sets->at, sets->n, &sets->room, sizeof(*sets->at));
	if (!sets->at)
		return false;
	sets->at[sets->n++] = set;
	return true;
}

/* Lists the set of the path, if it is not; it goes on from one of the length
 * `from`. */
static bool add_set(struct replay *r, uint32_t from, bool *fresh)
{
	uint32_t length = r->walk.length;

	if (!mp_order_walk_add(&r->walk, fresh))
		return false;
	if (*fresh && length == 0)
		return mp_order_add_set(
			r->sets, (struct order_set){0}, r->arena);
	for (uint32_t i = from; *fresh && i < length; i++) {
		struct order_set set = {
			r->number[i], r->walk.path[i], i + 1 < length};

		r->number[i + 1] = r->sets->n;
		if (!mp_order_add_set(r->sets, set, r->arena))
			return false;
	}
	return true;
}

/* Finds the steps on; if no more bytes are alive after one, it is the only one.
 */
static bool find_steps(struct replay *r)
{
	struct set_steps *s = &r->steps;
	uint32_t first = s->n, length = r->walk.length;
	uint64_t alive = r->walk.alive;
	bool safe = false;

	if (!mp_order_steps_find(s))
		return false;
	for (uint32_t i = first; i < s->n && !safe; i++) {
		mp_order_steps_run(s, i);
		safe = r->walk.alive <= alive;
		mp_order_walk_retreat(&r->walk, length);
		if (safe) {
			s->at[first] = s->at[i];
			s->n = first + 1;
		}
	}
	return true;
}

/* Takes the next step that is to be tried, and back to before it. False: none
 * is left. */
static bool take_next(struct replay *r, uint32_t *before)
{
	while (r->depth > 0) {
		struct level *level = &r->levels[r->depth - 1];

		if (level->next < r->steps.n) {
			*before = r->walk.length;
			mp_order_steps_run(&r->steps, level->next++);
			return true;
		}
		r->steps.n = level->steps;
		r->steps.n_ops = level->ops;
		mp_order_walk_retreat(&r->walk, level->before);
		r->depth--;
	}
	return false;
}

static bool search(struct replay *r, enum replay_outcome *outcome)
{
	const struct set_walk *w = &r->walk;
	uint32_t before = 0;
	bool fresh;

	do {
		if (!add_set(r, before, &fresh))
			return false;
		*outcome = w->length == w->graph->n_ops ? REPLAY_FOUND
							: REPLAY_GAVE_UP;
		if (*outcome == REPLAY_FOUND || r->sets->n >= MOST_SETS ||
			w->looks > MOST_LOOKS || mp_keys_is_crowded(&w->sets))
			return true;
		r->levels[r->depth++] = (struct level){
			before, r->steps.n, r->steps.n_ops, r->steps.n};
		if (fresh && !find_steps(r))
			return false;
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
