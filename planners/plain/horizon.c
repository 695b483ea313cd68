/*
 * Changes of the horizon, each of them noted in the log: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>
#include <string.h>

enum {
	CHANGES_PER_ITEM = 24, /* in the log: placing an item makes about ten.
				  A run that overflows the log is given up */
};

static bool make_sections(
	struct horizon *h, size_t n_sections, struct arena *arena)
{
	h->floor = NEW(arena, int64_t, n_sections + 1);
	h->next = NEW(arena, uint32_t, n_sections + 1);
	h->previous = NEW(arena, uint32_t, n_sections + 1);
	h->room = NEW(arena, int64_t, n_sections + 1);
	h->unplaced = NEW(arena, uint32_t, n_sections + 1);
	h->crossing = NEW(arena, uint32_t, n_sections + 1);
	h->rank = NEW(arena, int64_t, 2 * n_sections + 2);
	h->focus = NEW(arena, uint32_t, n_sections + 1);
	return h->floor && h->next && h->previous && h->room && h->unplaced &&
	       h->crossing && h->rank && h->focus;
}

bool mp_planner_horizon_new(
	struct horizon *h, const struct puzzle *puzzle, struct arena *arena)
{
	size_t n = puzzle->n_items;

	*h = (struct horizon){.puzzle = puzzle};
	h->offset = NEW(arena, int64_t, n);
	h->not_below = NEW(arena, int64_t, n);
	h->is_unplaced = NEW(arena, uint64_t, n / 64 + 1);
	h->max_changes =
		(uint32_t)num_min(CHANGES_PER_ITEM * (n + 128), UINT32_MAX / 2);
	h->log = NEW(arena, struct change, h->max_changes);
	return h->offset && h->not_below && h->is_unplaced && h->log &&
	       make_sections(h, puzzle->n_sections, arena);
}

/* ------------------------------------------------------------ reset */

static void count_items(struct horizon *h)
{
	const struct puzzle *p = h->puzzle;
	int64_t load = 0;
	uint32_t alive = 0;

	memset(h->room, 0, sizeof(*h->room) * (p->n_sections + 1));
	memset(h->unplaced, 0, sizeof(*h->unplaced) * (p->n_sections + 1));
	for (uint32_t i = 0; i < p->n_items; i++) {
		h->room[p->start[i]] += p->size[i];
		h->room[p->end[i]] -= p->size[i];
		h->unplaced[p->start[i]]++;
		h->unplaced[p->end[i]]--;
	}
	for (uint32_t s = 0; s <= p->n_sections; s++) {
		uint32_t starting =
			s < p->n_sections ? p->first[s + 1] - p->first[s] : 0;

		load += h->room[s];
		alive += h->unplaced[s];
		h->unplaced[s] = alive;
		h->crossing[s] = alive - starting;
		h->room[s] = -load;
	}
}

/* One segment for each run of equal floors that unplaced items cross. */
static bool make_segments(struct horizon *h)
{
	const struct puzzle *p = h->puzzle;
	uint32_t last = NONE;
	bool fits = true;

	for (uint32_t s = 0; s < p->n_sections; s++) {
		int64_t floor = p->floor ? p->floor[s] : 0;

		h->room[s] += p->ceiling[s] - floor;
		fits &= h->room[s] >= 0;
		h->floor[s] = h->unplaced[s] ? floor : WALL;
		if (last != NONE && h->crossing[s] &&
			h->floor[last] == h->floor[s])
			continue;
		h->previous[s] = last;
		if (last != NONE)
			h->next[last] = s;
		last = s;
	}
	if (last != NONE)
		h->next[last] = p->n_sections;
	return fits;
}

bool mp_planner_horizon_reset(struct horizon *h)
{
	const struct puzzle *p = h->puzzle;
	uint32_t n = p->n_items;

	memset(h->not_below, 0, sizeof(*h->not_below) * n);
	memset(h->is_unplaced, 0xff, sizeof(*h->is_unplaced) * (n / 64 + 1));
	for (uint32_t i = 0; i < 2 * p->n_sections + 2; i++)
		h->rank[i] = NO_WORK;
	h->n_changes = 0;
	h->overflow = false;
	count_items(h);
	return make_segments(h);
}

/* -------------------------------------------------------------- log */

static void log_change(struct horizon *h, enum change_kind kind, uint32_t where,
	uint32_t other, int64_t value)
{
	if (h->n_changes == h->max_changes) {
		h->overflow = true;
		return;
	}
	h->log[h->n_changes++] = (struct change){kind, where, other, value};
}

static void set_floor(struct horizon *h, uint32_t section, int64_t floor)
{
	log_change(h, CHANGED_FLOOR, section, 0, h->floor[section]);
	h->floor[section] = floor;
}

static void link_segments(struct horizon *h, uint32_t left, uint32_t right)
{
	if (left != NONE && h->next[left] != right) {
		log_change(h, CHANGED_NEXT, left, h->next[left], 0);
		h->next[left] = right;
	}
	if (h->previous[right] != left) {
		log_change(h, CHANGED_PREVIOUS, right, h->previous[right], 0);
		h->previous[right] = left;
	}
}

static void put_rank(struct horizon *h, uint32_t segment, int64_t rank)
{
	uint32_t node = segment + h->puzzle->n_sections;
	int64_t least, *tree = h->rank;

	tree[node] = rank;
	for (; node > 1; node /= 2) {
		least = tree[node] < tree[node ^ 1] ? tree[node]
						    : tree[node ^ 1];
		if (tree[node / 2] == least)
			return;
		tree[node / 2] = least;
	}
}

void mp_planner_horizon_set_rank(
	struct horizon *h, uint32_t segment, int64_t rank, uint32_t focus)
{
	int64_t old = h->rank[segment + h->puzzle->n_sections];

	if (old == NO_WORK && rank == NO_WORK)
		return;
	log_change(h, CHANGED_RANK, segment, h->focus[segment], old);
	h->focus[segment] = focus;
	put_rank(h, segment, rank);
}

void mp_planner_horizon_waste(
	struct horizon *h, uint32_t start, uint32_t end, int64_t amount)
{
	log_change(h, CHANGED_ROOM, start, end, amount);
	for (uint32_t s = start; s < end; s++)
		h->room[s] -= amount;
}

void mp_planner_horizon_lift(struct horizon *h, uint32_t item, int64_t height)
{
	log_change(h, CHANGED_NOT_BELOW, item, 0, h->not_below[item]);
	h->not_below[item] = height;
}

/* ------------------------------------------------------------ place */

bool mp_planner_horizon_place(struct horizon *h, uint32_t item, int64_t offset)
{
	uint32_t start = h->puzzle->start[item], end = h->puzzle->end[item];
	bool apart = false;

	assert(mp_planner_horizon_is_unplaced(h, item));
	assert(offset >= h->not_below[item]);
	log_change(h, PLACED, item, 0, 0);
	h->offset[item] = offset;
	h->is_unplaced[item / 64] &= ~(UINT64_C(1) << item % 64);
	for (uint32_t s = start; s < end; s++)
		apart |= --h->unplaced[s] == 0;
	for (uint32_t s = start + 1; s < end; s++)
		apart |= --h->crossing[s] == 0;
	return apart;
}

static void unplace(struct horizon *h, uint32_t item)
{
	uint32_t start = h->puzzle->start[item], end = h->puzzle->end[item];

	assert(!mp_planner_horizon_is_unplaced(h, item));
	h->is_unplaced[item / 64] |= UINT64_C(1) << item % 64;
	for (uint32_t s = start; s < end; s++)
		h->unplaced[s]++;
	for (uint32_t s = start + 1; s < end; s++)
		h->crossing[s]++;
}

/* The end of the sections from start on that stay one segment: either unplaced
 * items cross from each to the next, or no unplaced item is alive in any. */
static uint32_t run_end(const struct horizon *h, uint32_t start, uint32_t end)
{
	uint32_t s = start + 1;

	if (h->unplaced[start])
		while (s < end && h->crossing[s])
			s++;
	else
		while (s < end && !h->unplaced[s])
			s++;
	return s;
}

void mp_planner_horizon_raise(struct horizon *h, uint32_t segment,
	uint32_t start, uint32_t end, int64_t floor)
{
	uint32_t segment_end = h->next[segment];
	uint32_t last = start > segment ? segment : h->previous[segment];
	int64_t low = h->floor[segment], value;

	assert(segment <= start && start < end && end <= segment_end);
	assert(floor > low);
	mp_planner_horizon_set_rank(h, segment, NO_WORK, 0);
	for (uint32_t s = start; s < end; s = run_end(h, s, end)) {
		value = h->unplaced[s] ? floor : WALL;
		if (last != NONE && h->crossing[s] && h->floor[last] == value)
			continue;
		set_floor(h, s, value);
		link_segments(h, last, s);
		last = s;
	}
	if (end < segment_end) {
		set_floor(h, end, low);
		link_segments(h, last, end);
		last = end;
	} else if (h->crossing[end] && h->floor[end] == h->floor[last]) {
		mp_planner_horizon_set_rank(h, end, NO_WORK, 0);
		segment_end = h->next[end];
	}
	link_segments(h, last, segment_end);
}

/* ------------------------------------------------------------- best */

uint32_t mp_planner_horizon_best(
	const struct horizon *h, uint32_t start, uint32_t end)
{
	uint32_t n = h->puzzle->n_sections, best = NONE;
	int64_t least = NO_WORK;
	uint32_t a = start + n, b = end + n, node = 0;

	for (; a < b; a /= 2, b /= 2) {
		if (a % 2 == 1 && h->rank[a] < least)
			least = h->rank[node = a];
		a += a % 2;
		if (b % 2 == 1 && h->rank[b - 1] < least)
			least = h->rank[node = b - 1];
	}
	if (least == NO_WORK)
		return NONE;
	for (best = node; best < n;)
		best = 2 * best + (h->rank[2 * best] != least);
	return best - n;
}

/* ------------------------------------------------------------- undo */

static void undo_change(struct horizon *h, const struct change *c)
{
	switch (c->kind) {
	case CHANGED_FLOOR:
		h->floor[c->where] = c->value;
		break;
	case CHANGED_NEXT:
		h->next[c->where] = c->other;
		break;
	case CHANGED_PREVIOUS:
		h->previous[c->where] = c->other;
		break;
	case CHANGED_RANK:
		h->focus[c->where] = c->other;
		put_rank(h, c->where, c->value);
		break;
	case CHANGED_NOT_BELOW:
		h->not_below[c->where] = c->value;
		break;
	case CHANGED_ROOM:
		for (uint32_t s = c->where; s < c->other; s++)
			h->room[s] += c->value;
		break;
	case PLACED:
		unplace(h, c->where);
		break;
	}
}

void mp_planner_horizon_undo(struct horizon *h, uint32_t n)
{
	assert(n <= h->n_changes);
	while (h->n_changes > n)
		undo_change(h, &h->log[--h->n_changes]);
}
