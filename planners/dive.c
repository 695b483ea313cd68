/*
 * dive: fills the arena from the bottom up without a conflict graph. The lowest
 * plateau of the skyline is filled with the items that lie within it, best rank
 * first; what remains of it is raised to its lower neighbour and lost. That is
 * the first descent of a search which takes the lowest possible offset first
 * and a static rank second (Moffitt, MiniMalloc, ASPLOS 2023), stated as a
 * skyline (Burke, Kendall, Whitwell, Operations Research 52(4), 2004).
 *
 * An item that does not lie within the plateau cannot be placed before a higher
 * segment that it crosses has become part of the lowest one; it waits in the
 * list of that segment. So every item is looked at once for each time that its
 * segment becomes lowest, at constant cost.
 *
 * Several ranks are tried, each from the start, until one reaches the load.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows.h"

#include <string.h>

#include "packing.h"
#include "radix.h"
#include "skyline.h"

/* A segment that may be the lowest; stale if its floor is another now. */
struct level {
	int64_t floor;
	uint32_t section;
};

struct dive {
	const struct packing *packing;
	struct skyline skyline;
	uint32_t *order;   /* items by rank */
	uint32_t *rank;	   /* of an item */
	uint32_t *waiting; /* first item of a segment's list; NONE: none */
	uint32_t *behind;  /* next item of the same list */
	uint32_t *inside;  /* ranks of the items within the plateau */
	uint32_t n_inside;
	struct level *heap; /* lowest first */
	uint32_t n_levels;
	int64_t *offset; /* of an item, units */
	int64_t limit;	 /* a plan this high is no use */
	uint64_t looks;	 /* items looked at: the work done */
	uint32_t n_placed;
};

/* -------------------------------------------------------------------- heap */

static bool is_lower(const struct level *a, const struct level *b)
{
	if (a->floor != b->floor)
		return a->floor < b->floor;
	return a->section < b->section;
}

static void push_level(struct dive *d, int64_t floor, uint32_t section)
{
	struct level added = {floor, section};
	uint32_t i = d->n_levels++;

	for (; i > 0 && is_lower(&added, &d->heap[(i - 1) / 2]);
		i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = added;
}

static struct level pop_level(struct dive *d)
{
	struct level top = d->heap[0], last = d->heap[--d->n_levels];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < d->n_levels) {
		if (child + 1 < d->n_levels &&
			is_lower(&d->heap[child + 1], &d->heap[child]))
			child++;
		if (!is_lower(&d->heap[child], &last))
			break;
		d->heap[i] = d->heap[child];
		i = child;
	}
	d->heap[i] = last;
	return top;
}

/* ----------------------------------------------------------------- waiting */

static void wait_at(struct dive *d, uint32_t item, uint32_t segment)
{
	d->behind[item] = d->waiting[segment];
	d->waiting[segment] = item;
}

enum {
	LOOK_AHEAD = 8 /* segments */
};

/* Of the next segments of the item's range, the highest. */
static uint32_t highest_behind(
	const struct dive *d, uint32_t item, uint32_t segment)
{
	uint32_t end = d->packing->end[item], highest = segment;

	for (uint32_t i = 0; i < LOOK_AHEAD; i++) {
		segment = mp_skyline_next(&d->skyline, segment);
		if (segment >= end)
			break;
		if (d->skyline.floor[segment] > d->skyline.floor[highest])
			highest = segment;
	}
	return highest;
}

/* The same towards the start. */
static uint32_t highest_before(
	const struct dive *d, uint32_t item, uint32_t segment)
{
	uint32_t start = d->packing->start[item], highest = segment;

	for (uint32_t i = 0; i < LOOK_AHEAD && segment > start; i++) {
		segment = mp_skyline_segment(&d->skyline, segment - 1);
		if (d->skyline.floor[segment] > d->skyline.floor[highest])
			highest = segment;
	}
	return highest;
}

/* The plateau [start, end) is flat. An item that reaches over its edge waits at
 * a segment beyond; one that lies within is a candidate. */
static void sort_out(
	struct dive *d, uint32_t item, uint32_t start, uint32_t end)
{
	uint32_t before;

	d->looks++;
	if (d->packing->end[item] > end) {
		wait_at(d, item, highest_behind(d, item, end));
	} else if (d->packing->start[item] < start) {
		before = mp_skyline_segment(&d->skyline, start - 1);
		wait_at(d, item, highest_before(d, item, before));
	} else {
		d->inside[d->n_inside++] = d->rank[item];
	}
}

/* ----------------------------------------------------------------- plateau */

struct plateau {
	uint32_t start, end;
	int64_t floor;
};

/* The maximal run of segments as high as this one. */
static struct plateau find_plateau(const struct dive *d, uint32_t segment)
{
	const struct skyline *s = &d->skyline;
	struct plateau p = {segment, segment, s->floor[segment]};

	while (p.end < s->n_sections && s->floor[p.end] == p.floor)
		p.end = mp_skyline_next(s, p.end);
	while (p.start > 0) {
		segment = mp_skyline_segment(s, p.start - 1);
		if (s->floor[segment] != p.floor)
			break;
		p.start = segment;
	}
	return p;
}

/* Makes one segment of the plateau, and candidates of what waits there. */
static void open_plateau(struct dive *d, const struct plateau *p)
{
	uint32_t next = NONE, item, behind;

	d->n_inside = 0;
	for (uint32_t s = p->start; s < p->end; s = next) {
		next = mp_skyline_next(&d->skyline, s);
		item = d->waiting[s];
		d->waiting[s] = NONE;
		for (; item != NONE; item = behind) {
			behind = d->behind[item];
			sort_out(d, item, p->start, p->end);
		}
		if (s != p->start)
			mp_skyline_join(&d->skyline, s);
	}
}

/* Lays an item on a flat stretch that holds it. */
static void place(struct dive *d, uint32_t item, uint32_t stretch, uint32_t end)
{
	struct skyline *s = &d->skyline;
	uint32_t first = d->packing->start[item], last = d->packing->end[item];
	int64_t floor = s->floor[stretch];

	d->offset[item] = floor;
	d->n_placed++;
	if (last < end) {
		mp_skyline_split(s, last);
		s->floor[last] = floor;
		d->waiting[last] = NONE;
	}
	if (first > stretch)
		mp_skyline_split(s, first);
	s->floor[first] = floor + d->packing->size[item];
	d->waiting[first] = NONE;
	push_level(d, s->floor[first], first);
}

/* Places the item if the stretch under its start is still flat and holds it;
 * else it waits at what was placed there. */
static void try_item(struct dive *d, uint32_t item, int64_t floor)
{
	uint32_t stretch =
		mp_skyline_segment(&d->skyline, d->packing->start[item]);
	uint32_t end;

	if (d->skyline.floor[stretch] != floor) {
		wait_at(d, item, highest_behind(d, item, stretch));
		return;
	}
	end = mp_skyline_next(&d->skyline, stretch);
	if (d->packing->end[item] > end)
		wait_at(d, item, highest_behind(d, item, end));
	else
		place(d, item, stretch, end);
}

/* Shell's sort; the lists are short but for a few. */
static void sort_ranks(uint32_t *ranks, uint32_t n)
{
	static const uint32_t gaps[] = {
		29524, 9841, 3280, 1093, 364, 121, 40, 13, 4, 1};

	for (uint32_t g = 0; g < countof(gaps); g++)
		for (uint32_t i = gaps[g], gap = gaps[g]; i < n; i++) {
			uint32_t moving = ranks[i], j = i;

			for (; j >= gap && ranks[j - gap] > moving; j -= gap)
				ranks[j] = ranks[j - gap];
			ranks[j] = moving;
		}
}

static void fill_plateau(struct dive *d, const struct plateau *p)
{
	sort_ranks(d->inside, d->n_inside);
	for (uint32_t i = 0; i < d->n_inside; i++)
		try_item(d, d->order[d->inside[i]], p->floor);
}

/* Raises a stretch that nothing fits on to its lower neighbour. */
static void raise(struct dive *d, uint32_t start, uint32_t end)
{
	struct skyline *s = &d->skyline;
	int64_t before = INT64_MAX, behind = INT64_MAX;

	if (start > 0)
		before = s->floor[mp_skyline_segment(s, start - 1)];
	if (end < s->n_sections)
		behind = s->floor[end];
	if (before <= behind && start > 0) {
		mp_skyline_join(s, start);
	} else if (end < s->n_sections) {
		mp_skyline_join(s, end);
		s->floor[start] = behind;
		d->waiting[start] = d->waiting[end];
	}
}

static void close_plateau(struct dive *d, const struct plateau *p)
{
	uint32_t next;

	for (uint32_t s = p->start; s < p->end; s = next) {
		next = mp_skyline_next(&d->skyline, s);
		if (d->skyline.floor[s] == p->floor)
			raise(d, s, next);
	}
}

/* -------------------------------------------------------------------- dive */

static void start_dive(struct dive *d)
{
	uint32_t n = d->packing->n_items;

	mp_skyline_clear(&d->skyline);
	d->n_levels = d->n_inside = d->n_placed = 0;
	d->waiting[0] = NONE;
	for (uint32_t i = 0; i < n; i++) {
		d->rank[d->order[i]] = i;
		try_item(d, d->order[i], 0);
	}
	close_plateau(d, &(struct plateau){0, d->skyline.n_sections, 0});
	d->looks = n;
}

/* False: the budget is spent, or the plan would be no better than the limit. */
static bool dive_step(struct dive *d)
{
	struct level level = pop_level(d);
	uint32_t segment = mp_skyline_segment(&d->skyline, level.section);
	struct plateau plateau;

	if (d->skyline.floor[segment] != level.floor)
		return true;
	if (level.floor >= d->limit)
		return false;
	plateau = find_plateau(d, segment);
	open_plateau(d, &plateau);
	fill_plateau(d, &plateau);
	close_plateau(d, &plateau);
	return true;
}

enum {
	LOOKS_PER_STEP = 4 /* items looked at in 100 ns */
};

static bool dive(struct dive *d, struct job *job)
{
	uint64_t charged = 0;

	start_dive(d);
	while (d->n_placed < d->packing->n_items) {
		if (!dive_step(d))
			return false;
		if (d->looks - charged < LOOKS_PER_STEP * 64)
			continue;
		if (!mp_job_step(job, (d->looks - charged) / LOOKS_PER_STEP))
			return false;
		charged = d->looks;
	}
	return true;
}

static int64_t height_of(const struct dive *d)
{
	int64_t height = 0;

	for (uint32_t i = 0; i < d->packing->n_items; i++)
		if (d->offset[i] + d->packing->size[i] > height)
			height = d->offset[i] + d->packing->size[i];
	return height;
}

/* ------------------------------------------------------------------- ranks */

/* Keys of a rank, most important first, each the greater the earlier. */
static const char *const ranks[] = {"TWA", "TAW", "TZL", "AWT", "ZTA", "TZW",
	"WAT", "TCW", "CZL", "WZT", "ZL", "COT"};

static uint64_t area(const struct packing *p, uint32_t item)
{
	uint64_t product;

	if (!num_mul((uint64_t)p->size[item], p->lifetime[item], &product))
		product = NUM_MAX_BYTES;
	return product;
}

static uint64_t key_of(const struct packing *p, const int64_t *urgency,
	uint32_t item, char letter)
{
	switch (letter) {
	case 'A':
		return area(p, item);
	case 'C':
		return p->end[item] - p->start[item];
	case 'L':
		return NONE - p->start[item];
	case 'O':
		return mp_packing_conflicts(p, item);
	case 'T':
		return (uint64_t)urgency[item];
	case 'W':
		return p->lifetime[item];
	default:
		return (uint64_t)p->size[item];
	}
}

static bool rank_items(struct dive *d, const char *rank, struct arena *scratch)
{
	const struct packing *p = d->packing;
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t *key = NEW(scratch, uint64_t, p->n_items);
	int64_t *urgency = NEW(scratch, int64_t, p->n_items);
	uint32_t *spare = d->rank;

	if (!key || !urgency || !mp_packing_urgency(p, urgency, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		d->order[i] = i;
	for (size_t letter = strlen(rank); letter-- > 0;) {
		for (uint32_t i = 0; i < p->n_items; i++)
			key[i] = UINT64_MAX -
				 key_of(p, urgency, i, rank[letter]);
		mp_radix_sort(d->order, spare, p->n_items, key);
	}
	mp_arena_rewind(scratch, mark);
	return true;
}

/* --------------------------------------------------------------------- row */

static bool dive_init(
	struct dive *d, const struct packing *packing, struct arena *arena)
{
	size_t items = packing->n_items, sections = packing->n_sections;

	*d = (struct dive){.packing = packing};
	d->order = NEW(arena, uint32_t, items);
	d->rank = NEW(arena, uint32_t, items);
	d->behind = NEW(arena, uint32_t, items);
	d->inside = NEW(arena, uint32_t, items);
	d->offset = NEW(arena, int64_t, items);
	d->heap = NEW(arena, struct level, items);
	d->waiting = NEW(arena, uint32_t, sections);
	return d->order && d->rank && d->behind && d->inside && d->offset &&
	       d->heap && d->waiting &&
	       mp_skyline_init(&d->skyline, packing->n_sections, arena);
}

static bool offer(struct job *job, const struct dive *d)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t *offsets = NEW(job->arena, uint64_t, d->packing->n_items);
	bool taken;

	if (!offsets)
		return false;
	mp_packing_offsets(d->packing, d->offset, offsets);
	taken = mp_job_offer(job, offsets);
	mp_arena_rewind(job->arena, mark);
	return taken;
}

enum outcome mp_dive_run(struct job *job, int variant)
{
	struct packing packing;
	struct dive d;

	(void)variant;
	if (!mp_problem_is_plain(job->problem) || job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_packing_init(&packing, job->problem, job->arena) ||
		!dive_init(&d, &packing, job->arena))
		return PLAN_FAILED;
	d.limit = INT64_MAX;
	for (uint32_t i = 0; i < countof(ranks) && !mp_job_done(job); i++) {
		if (!rank_items(&d, ranks[i], job->arena))
			return PLAN_FAILED;
		if (!dive(&d, job))
			continue;
		if (height_of(&d) < d.limit)
			d.limit = height_of(&d);
		if (!offer(job, &d))
			return PLAN_FAILED;
	}
	if (mp_job_done(job))
		return PLAN_OPTIMAL;
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
