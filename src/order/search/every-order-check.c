/*
 * Checks a list of sets of ops: of each, the sets that must be listed with it
 * are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/every-order.h"

#include <assert.h>

#include "order/search/set-steps.h"

static const uint64_t most_looks = UINT64_C(1) << 32; /* ten seconds */

struct check {
	struct set_walk walk;
	struct set_steps steps;
	const struct order_sets *sets;
	uint32_t *wanted; /* scratch: the ops of a set, the last one first */
};

/* Walks to a set, from the one where the walk is. False: an op of it is not
 * ready, as no op of an order is. */
static bool go_to(struct check *c, uint32_t set)
{
	struct set_walk *w = &c->walk;
	uint32_t n = 0, same = 0;

	for (; set > 0; set = c->sets->at[set].from) {
		uint32_t op = c->sets->at[set].op;

		if (n == w->graph->n_ops || op >= w->graph->n_ops)
			return false;
		c->wanted[n++] = op;
	}
	while (same < n && same < w->length &&
		w->path[same] == c->wanted[n - 1 - same])
		same++;
	mp_order_walk_retreat(w, same);
	for (; same < n; same++) {
		uint32_t op = c->wanted[n - 1 - same];

		if (w->waits[op] > 0 || mp_order_walk_ran(w, op))
			return false;
		mp_order_walk_run(w, op);
	}
	return true;
}

/* Only a list that is made for it takes so long. */
static bool is_too_long(const struct set_walk *w)
{
	return w->looks > most_looks || mp_keys_is_crowded(&w->sets);
}

static bool add_all(struct check *c, bool *fine)
{
	bool fresh;

	for (uint32_t i = 0; i < c->sets->n && *fine; i++) {
		*fine = (i == 0 || c->sets->at[i].from < i) && go_to(c, i) &&
			!is_too_long(&c->walk);
		if (*fine && !c->sets->at[i].on_way &&
			!mp_order_walk_add(&c->walk, &fresh))
			return false;
	}
	return true;
}

/* Looks at the set with a step more. safe: no more bytes are alive. False:
 * memory is out. */
static bool look_at(struct check *c, uint32_t step, bool *listed, bool *safe)
{
	struct set_walk *w = &c->walk;
	uint64_t alive = w->alive;
	uint32_t length = w->length;
	bool fine;

	mp_order_steps_run(&c->steps, step);
	*safe = w->alive <= alive;
	fine = mp_order_walk_has(w, listed);
	mp_order_walk_retreat(w, length);
	return fine;
}

/* Are the sets of all steps listed, or that of a safe one? */
static bool check_set(struct check *c, bool *fine)
{
	bool all = true, one = false, listed, safe;

	c->steps.n = c->steps.n_ops = 0;
	if (!mp_order_steps_find(&c->steps))
		return false;
	for (uint32_t i = 0; i < c->steps.n && !one; i++) {
		if (!look_at(c, i, &listed, &safe))
			return false;
		one = listed && safe;
		all &= listed;
	}
	*fine = c->walk.length < c->walk.graph->n_ops && (all || one);
	return true;
}

static bool check(struct check *c, bool *fine)
{
	*fine = c->sets->n > 0;
	if (!add_all(c, fine))
		return false;
	for (uint32_t i = 0; i < c->sets->n && *fine; i++) {
		if (c->sets->at[i].on_way)
			continue;
		*fine = go_to(c, i) && !is_too_long(&c->walk);
		if (*fine && !check_set(c, fine))
			return false;
	}
	return true;
}

bool mp_order_check_sets(const struct graph *graph,
	const struct order_bound *claim, const struct order_sets *sets,
	bool *refuted, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct check c = {.sets = sets};
	bool fine;

	assert(claim->bytes > 0);
	c.wanted = NEW(arena, uint32_t, graph->n_ops);
	fine = c.wanted && mp_order_walk_init(&c.walk, graph, claim, arena) &&
	       mp_order_steps_init(&c.steps, &c.walk, arena) &&
	       check(&c, refuted);
	mp_arena_rewind(arena, mark);
	return fine;
}
