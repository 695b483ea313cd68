/*
 * Valleys and basins: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>
#include <string.h>

enum {
	BASIN_LOOKS = 300 /* after which no wider basins are tested: without a
			     limit, thousands of buffers are out of reach */
};

bool mp_planner_valley_fail(
	struct plateau *p, uint32_t section, struct sections inside)
{
	assert(inside.start <= section && section < inside.end);
	p->failed = section;
	p->proof.start = inside.start > 0 ? inside.start - 1 : 0;
	p->proof.end = inside.end + 1;
	return false;
}

/* ---------------------------------------------------------- valleys */

struct valley mp_planner_valley_at(const struct horizon *h, uint32_t segment)
{
	struct valley v = {.range = {segment, h->next[segment]},
		.floor = h->floor[segment],
		.top = NONE};
	int64_t left = mp_planner_horizon_left(h, segment);
	int64_t right = mp_planner_horizon_right(h, v.range.end);

	v.brim = left < right ? left : right;
	v.least = v.brim == WALL ? WALL : v.brim - v.floor;
	return v;
}

bool mp_planner_valley_takes(
	const struct plateau *p, const struct valley *v, uint32_t item)
{
	const struct horizon *h = &p->horizon;

	return h->puzzle->end[item] <= v->range.end &&
	       h->not_below[item] <= v->floor &&
	       !(p->twin[item] && mp_planner_horizon_is_unplaced(h, item - 1));
}

static void clear_tally(struct plateau *p, struct sections range)
{
	memset(p->tally + range.start, 0,
		sizeof(*p->tally) * (range.end - range.start + 1));
	p->looks += range.end - range.start;
}

void mp_planner_valley_count(struct plateau *p, struct valley *v)
{
	const struct horizon *h = &p->horizon;
	const struct puzzle *puzzle = h->puzzle;
	const uint32_t *start = puzzle->start, *end = puzzle->end;
	const int64_t *size = puzzle->size, *not_below = h->not_below;
	uint32_t first = puzzle->first[v->range.start];
	uint32_t last = puzzle->first[v->range.end], i;
	struct unplaced walk = mp_planner_horizon_walk(h, first);
	struct tally *tally = p->tally;
	struct valley own = *v;
	uint64_t looks = 0;

	clear_tally(p, own.range);
	for (; (i = mp_planner_horizon_next(&walk)) < last; looks++) {
		struct tally *from = &tally[start[i]], *to = &tally[end[i]];

		if (end[i] > own.range.end)
			continue;
		if (not_below[i] < own.brim) {
			from->fill += size[i];
			to->fill -= size[i];
		}
		if (!mp_planner_valley_takes(p, &own, i))
			continue;
		from->count++;
		to->count--;
		if (size[i] < own.least)
			own.least = size[i];
		if (own.top == NONE || p->turn[i] < p->turn[own.top])
			own.top = i;
	}
	p->looks += looks;
	*v = own;
}

/* Where no item has to rest, the focus lies under the first candidate. */
static uint32_t tightest_section(
	const struct plateau *p, const struct valley *v)
{
	const struct horizon *h = &p->horizon;
	uint32_t tightest;

	if (v->top == NONE)
		return v->range.start;
	tightest = h->puzzle->start[v->top];
	for (uint32_t s = tightest + 1; s < h->puzzle->end[v->top]; s++)
		if (h->room[s] < h->room[tightest])
			tightest = s;
	return tightest;
}

static int64_t lower(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Bytes that items must fill below a level: the others have to go between the
 * level and the ceiling. */
static int64_t needed_below(
	const struct horizon *h, uint32_t section, int64_t floor, int64_t level)
{
	return lower(level, h->puzzle->ceiling[section]) - floor -
	       h->room[section];
}

bool mp_planner_valley_assess(struct plateau *p, uint32_t segment)
{
	struct horizon *h = &p->horizon;
	struct valley v = mp_planner_valley_at(h, segment);
	uint32_t focus = NONE;
	int64_t fill = 0;
	int32_t count = 0, fewest = INT32_MAX;

	if (v.brim <= v.floor) {
		mp_planner_horizon_set_rank(h, segment, NO_WORK, 0);
		return true;
	}
	mp_planner_valley_count(p, &v);
	for (uint32_t s = segment; s < v.range.end; s++) {
		fill += p->tally[s].fill;
		count += p->tally[s].count;
		if (fill < needed_below(h, s, v.floor, v.brim))
			return mp_planner_valley_fail(p, s, v.range);
		if (h->room[s] < v.least && count < fewest) {
			fewest = count;
			focus = s;
		}
	}
	if (fewest == 0)
		return mp_planner_valley_fail(p, focus, v.range);
	if (focus != NONE)
		mp_planner_horizon_set_rank(h, segment, fewest, focus);
	else
		mp_planner_horizon_set_rank(
			h, segment, OPEN + v.floor, tightest_section(p, &v));
	return true;
}

/* ----------------------------------------------------------- basins */

/* True if a section has too little room to stay empty up to a level. */
static bool is_tight(struct plateau *p, struct sections range, int64_t level)
{
	const struct horizon *h = &p->horizon;
	bool tight = false;

	p->looks += (range.end - range.start) / 8;
	for (uint32_t a = range.start; a < range.end && !tight; a = h->next[a])
		for (uint32_t s = a; s < h->next[a]; s++)
			tight |= h->room[s] < level - h->floor[a];
	return tight;
}

/* True if the items within are enough to fill every section up to a level. */
static bool check_basin(struct plateau *p, struct sections range, int64_t level)
{
	const struct horizon *h = &p->horizon;
	const struct puzzle *puzzle = h->puzzle;
	const uint32_t *start = puzzle->start, *end = puzzle->end;
	const int64_t *size = puzzle->size, *not_below = h->not_below;
	uint32_t last = puzzle->first[range.end], i;
	struct unplaced walk =
		mp_planner_horizon_walk(h, puzzle->first[range.start]);
	struct tally *tally = p->tally;
	uint64_t looks = 0;
	int64_t fill = 0;

	if (!is_tight(p, range, level))
		return true;
	clear_tally(p, range);
	for (; (i = mp_planner_horizon_next(&walk)) < last; looks++) {
		if (end[i] > range.end || not_below[i] >= level)
			continue;
		tally[start[i]].fill += size[i];
		tally[end[i]].fill -= size[i];
	}
	p->looks += looks;
	for (uint32_t a = range.start; a < range.end; a = h->next[a])
		for (uint32_t s = a; s < h->next[a]; s++) {
			fill += tally[s].fill;
			if (fill < needed_below(h, s, h->floor[a], level))
				return mp_planner_valley_fail(p, s, range);
		}
	return true;
}

/* A basin, the end of it that moves, and how it moves to the next wall. */
struct basin_walk {
	struct sections basin;
	uint32_t *end;
	const uint32_t *beyond;
	int64_t (*wall)(const struct horizon *h, uint32_t end);
};

/* A wall has gone up to a height at one end of the basin: tests the basins that
 * end there, from small to great. The smallest is a valley, and assessed. */
static bool check_basins(
	struct plateau *p, struct basin_walk *w, int64_t height)
{
	const struct horizon *h = &p->horizon;
	uint32_t segments = 0;
	uint64_t enough = p->looks + BASIN_LOOKS;
	int64_t level = w->wall(h, *w->end);

	while (level < height && p->looks < enough) {
		for (; w->wall(h, *w->end) <= level; segments++)
			*w->end = w->beyond[*w->end];
		level = w->wall(h, *w->end);
		if (lower(level, height) == WALL)
			return true;
		if (segments > 1 &&
			!check_basin(p, w->basin, lower(level, height)))
			return false;
	}
	return true;
}

bool mp_planner_valley_check(
	struct plateau *p, struct sections wall, int64_t height)
{
	struct basin_walk left = {{wall.start, wall.start}, NULL,
		p->horizon.previous, mp_planner_horizon_left};
	struct basin_walk right = {{wall.end, wall.end}, NULL, p->horizon.next,
		mp_planner_horizon_right};

	left.end = &left.basin.start;
	right.end = &right.basin.end;
	return check_basins(p, &left, height) &&
	       check_basins(p, &right, height);
}

/* ------------------------------------------------------------ moves */

bool mp_planner_valley_raise(struct plateau *p, uint32_t segment,
	struct sections part, int64_t floor)
{
	struct horizon *h = &p->horizon;
	uint32_t before = h->previous[segment], s = segment;

	/* Only the segment and its two neighbours can change. */
	if (part.start == segment && before != NONE)
		s = before;
	mp_planner_horizon_raise(h, segment, part.start, part.end, floor);
	for (; s < h->puzzle->n_sections && s <= part.end; s = h->next[s])
		if (!mp_planner_valley_assess(p, s))
			return false;
	return true;
}
