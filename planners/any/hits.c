/*
 * Ranges of bases that a buffer overlaps others at, in buckets for a sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/hits.h"

#include <assert.h>
#include <string.h>

enum {
	IN_BUCKET = 2 /* hits on average */
};

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
	const struct problem *p = conflicts->problem;

	*h = (struct hits){.conflicts = conflicts,
		.weight = weight,
		.arena = arena,
		.are_single = p->n_parts == p->n_buffers && !p->apart};
	h->depth = NEW(arena, uint32_t, p->n_buffers);
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

static void add_weight(struct hits *h, uint64_t weight)
{
	if (weight == HITS_NEVER)
		h->n_never++;
	else
		h->cost += weight;
}

static void take_weight(struct hits *h, uint64_t weight)
{
	if (weight == HITS_NEVER)
		h->n_never--;
	else
		h->cost -= weight;
}

/* What the sweep asks of a hit: so it need not look at the owner. */
static uint64_t tag_of(const struct hits *h, uint32_t hit)
{
	uint32_t owner = h->owner[hit];

	return h->are_single ? h->weight[owner] : owner;
}

static uint64_t weight_of(const struct hits *h, uint64_t tag)
{
	return h->are_single ? tag : h->weight[tag];
}

static void enter_hit(struct hits *h, uint64_t tag)
{
	if (h->are_single || h->depth[tag]++ == 0)
		add_weight(h, weight_of(h, tag));
}

static void leave_hit(struct hits *h, uint64_t tag)
{
	assert(h->are_single || h->depth[tag] > 0);
	if (h->are_single || --h->depth[tag] == 0)
		take_weight(h, weight_of(h, tag));
}

/* ---------------------------------------------------------- buckets */

/* One, if the sweep goes over all bases anyway. */
static void set_buckets(struct hits *h, uint64_t most)
{
	uint32_t bits = 0, top = 64 - (uint32_t)__builtin_clzll(most | 1);

	while (most < HITS_ANY && bits < HITS_BUCKET_BITS &&
		h->n / IN_BUCKET >> bits > 1)
		bits++;
	h->most = most;
	h->shift = top > bits ? top - bits : 0;
	h->n_buckets = (uint32_t)(most >> h->shift) + 1;
	memset(h->first_enter, 0, sizeof(*h->first_enter) * (h->n_buckets + 1));
	memset(h->first_leave, 0, sizeof(*h->first_leave) * (h->n_buckets + 1));
}

/* Rounds bases up, as no others are asked for. Those that are in the way at
 * base 0 enter at once. */
static void count_hits(struct hits *h, uint64_t align)
{
	for (uint32_t i = 0; i < h->n; i++) {
		uint64_t low = num_up(h->low[i], align);
		uint64_t high = num_up(h->high[i], align);

		h->low[i] = low;
		h->high[i] = high;
		if (low == 0)
			enter_hit(h, tag_of(h, i));
		else if (low <= h->most)
			h->first_enter[low >> h->shift]++;
		if (high <= h->most)
			h->first_leave[high >> h->shift]++;
	}
}

/* From how many there are in each bucket to where they end. */
static uint32_t sum_up(uint32_t *first, uint32_t n)
{
	for (uint32_t d = 1; d <= n; d++)
		first[d] += first[d - 1];
	return first[n];
}

static void fill_buckets(struct hits *h)
{
	h->n_enter = sum_up(h->first_enter, h->n_buckets);
	h->n_leave = sum_up(h->first_leave, h->n_buckets);
	for (uint32_t i = 0; i < h->n; i++) {
		uint64_t low = h->low[i], high = h->high[i];
		uint64_t tag = tag_of(h, i);

		if (low > 0 && low <= h->most)
			h->enter[--h->first_enter[low >> h->shift]] =
				(struct range){low, tag};
		if (high <= h->most)
			h->leave[--h->first_leave[high >> h->shift]] =
				(struct range){high, tag};
	}
}

bool mp_planner_hits_find(struct hits *h, uint32_t buffer, uint64_t most)
{
	for (uint32_t i = 0; i < h->n && !h->are_single; i++)
		h->depth[h->owner[i]] = 0;
	h->n = h->entered = h->left = h->n_never = 0;
	h->cost = 0;
	mp_planner_conflicts_visit(h->conflicts, buffer, note_hit, h);
	if (h->failed)
		return false;
	set_buckets(h, most);
	count_hits(h, h->conflicts->problem->buffers[buffer].align);
	fill_buckets(h);
	return true;
}

void mp_planner_hits_sort(struct hits *h, uint32_t bucket)
{
	uint32_t enter = h->first_enter[bucket], leave = h->first_leave[bucket];

	mp_planner_ranges_sort(
		h->enter + enter, h->first_enter[bucket + 1] - enter, h->spare);
	mp_planner_ranges_sort(
		h->leave + leave, h->first_leave[bucket + 1] - leave, h->spare);
}

/* Owners of which several hits end count as often. */
uint64_t mp_planner_hits_least(const struct hits *h, uint32_t bucket)
{
	uint64_t least = h->cost;

	for (uint32_t i = h->first_leave[bucket];
		i < h->first_leave[bucket + 1]; i++) {
		uint64_t weight = weight_of(h, h->leave[i].high);

		if (weight != HITS_NEVER)
			least -= num_min(least, weight);
	}
	return least;
}

void mp_planner_hits_pass(struct hits *h, uint32_t bucket)
{
	while (h->entered < h->first_enter[bucket + 1])
		enter_hit(h, h->enter[h->entered++].high);
	while (h->left < h->first_leave[bucket + 1])
		leave_hit(h, h->leave[h->left++].high);
}

void mp_planner_hits_sweep(struct hits *h, uint64_t base)
{
	while (h->entered < h->n_enter && h->enter[h->entered].low <= base)
		enter_hit(h, h->enter[h->entered++].high);
	while (h->left < h->n_leave && h->leave[h->left].low <= base)
		leave_hit(h, h->leave[h->left++].high);
}
