/*
 * Ranges of bases that a buffer overlaps others at, sorted for a sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/hits.h"

#include <assert.h>

/* Doubles the room and keeps the hits noted so far. */
static bool make_room(struct hits *h)
{
	uint32_t room = h->room;

	h->high = mp_arena_double(h->arena, h->high, &room, sizeof(*h->high));
	room = h->room;
	h->owner =
		mp_arena_double(h->arena, h->owner, &room, sizeof(*h->owner));
	h->low = mp_arena_double(h->arena, h->low, &h->room, sizeof(*h->low));
	h->enter = NEW(h->arena, struct range, h->room);
	h->leave = NEW(h->arena, struct range, h->room);
	h->spare = NEW(h->arena, struct range, h->room);
	h->failed = !h->low || !h->high || !h->owner || !h->enter ||
		    !h->leave || !h->spare;
	return !h->failed;
}

bool mp_planner_hits_init(struct hits *h, const struct conflicts *conflicts,
	const uint64_t *weight, struct arena *arena)
{
	*h = (struct hits){
		.conflicts = conflicts, .weight = weight, .arena = arena};
	h->depth = NEW(arena, uint32_t, conflicts->problem->n_buffers);
	return h->depth && make_room(h);
}

static void note_hit(void *context, uint32_t met, struct range bases)
{
	struct hits *h = context;

	if (bases.low >= bases.high || h->failed ||
		(h->n == h->room && !make_room(h)))
		return;
	h->low[h->n] = bases.low;
	h->high[h->n] = bases.high;
	h->owner[h->n] = met;
	h->n++;
}

bool mp_planner_hits_find(struct hits *h, uint32_t buffer)
{
	for (uint32_t i = 0; i < h->n; i++)
		h->depth[h->owner[i]] = 0;
	h->n = h->entered = h->left = h->n_never = 0;
	h->cost = 0;
	mp_planner_conflicts_visit(h->conflicts, buffer, note_hit, h);
	if (h->failed)
		return false;
	for (uint32_t i = 0; i < h->n; i++) {
		h->enter[i] = (struct range){h->low[i], i};
		h->leave[i] = (struct range){h->high[i], i};
	}
	mp_planner_ranges_sort(h->enter, h->n, h->spare);
	mp_planner_ranges_sort(h->leave, h->n, h->spare);
	return true;
}

static void enter_hit(struct hits *h, uint32_t owner)
{
	if (h->depth[owner]++ > 0)
		return;
	if (h->weight[owner] == HITS_NEVER)
		h->n_never++;
	else
		h->cost += h->weight[owner];
}

static void leave_hit(struct hits *h, uint32_t owner)
{
	assert(h->depth[owner] > 0);
	if (--h->depth[owner] > 0)
		return;
	if (h->weight[owner] == HITS_NEVER)
		h->n_never--;
	else
		h->cost -= h->weight[owner];
}

void mp_planner_hits_sweep(struct hits *h, uint64_t base)
{
	while (h->entered < h->n && h->enter[h->entered].low <= base)
		enter_hit(h, h->owner[h->enter[h->entered++].high]);
	while (h->left < h->n && h->leave[h->left].low <= base)
		leave_hit(h, h->owner[h->leave[h->left++].high]);
}
