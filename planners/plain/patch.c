/*
 * How a patch grows: see patch.h. What is alive in a range of time, the window,
 * is listed for each slice of it. Over the item that sticks out the patch goes
 * down until as much is free as sticks out; then it takes what is near, as long
 * as nothing comes to lie in between.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/patch.h"

#include <assert.h>

#include "base/search.h"
#include "base/sort.h"

enum {
	MOST_IN_WINDOW = 1 << 15, /* items, */
	MOST_ENTRIES = 1 << 20,	  /* and entries of all lists */
	LOOKS_AN_ITEM = 1000,	  /* at most, while a patch grows: with a tenth
				     of that it stays too small */
	DISTANCE = 1024,	  /* from the middle of a window to its edge */
	DEPTH_BITS = 30, /* of depths that distances are counted from */
};

/* An item alive in the window. */
struct resident {
	uint32_t item;
	uint32_t from, to; /* slices */
	bool stays;	   /* it is alive beyond the window too */
	bool is_in;	   /* the patch */
};

/* Sections over which the same items are alive. */
struct slice {
	uint32_t section;   /* the first */
	uint32_t list;	    /* its first entry; those of the next follow */
	uint32_t low, high; /* entries in the patch: [low, high) */
	uint32_t old_low, old_high;
	uint32_t changed; /* by the attempt of this number */
};

struct window {
	const struct packing *packing;
	const int64_t *offset;
	const struct patch_site *site;
	uint32_t start, end; /* sections */
	uint32_t n, n_slices;
	struct resident *residents; /* by ascending offset */
	struct slice *slices;	    /* and one behind */
	uint32_t *entry; /* residents of each slice, by ascending offset */
	uint32_t at;	 /* resident that sticks out */

	/* The patch. */
	uint32_t *member;	      /* residents */
	uint32_t n_members, limit;    /* the most there may be */
	uint32_t *changed, n_changed; /* slices, by the last attempt */
	uint32_t attempt;

	uint32_t *order, *spare; /* scratch: one a resident */
	uint64_t *key;
	uint64_t looks;
};

/* ----------------------------------------------------------- window */

static int64_t low_of(const struct window *w, uint32_t resident)
{
	return w->offset[w->residents[resident].item];
}

static int64_t top_of(const struct window *w, uint32_t resident)
{
	return low_of(w, resident) +
	       w->packing->size[w->residents[resident].item];
}

/* Widens the window about the item until so many begin in it. */
static void find_window(struct window *w)
{
	const struct packing *p = w->packing;
	uint64_t wanted = (uint64_t)w->site->most * w->site->wide;
	uint32_t step = 1;

	w->start = p->start[w->site->item];
	w->end = p->end[w->site->item];
	while ((w->start > 0 || w->end < p->n_sections) &&
		p->first[w->end] - p->first[w->start] < wanted) {
		w->start -= (uint32_t)num_min(w->start, step);
		w->end += (uint32_t)num_min(p->n_sections - w->end, step);
		step += step / 4 + 1;
	}
	w->n = p->first[w->end] - p->ended[w->start];
}

/* The items alive, by ascending offset. */
static void list_residents(struct window *w)
{
	const struct packing *p = w->packing;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->first[w->end]; i++) {
		if (p->end[i] <= w->start)
			continue;
		w->member[n] = i;
		w->order[n] = n;
		w->key[n++] = (uint64_t)w->offset[i];
	}
	assert(n == w->n);
	mp_sort_radix(w->order, w->spare, n, w->key);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = w->member[w->order[k]];

		w->residents[k] = (struct resident){.item = i,
			.stays = p->start[i] < w->start || p->end[i] > w->end};
		if (i == w->site->item)
			w->at = k;
	}
	w->looks += p->first[w->end] / 8 + 4 * n;
}

/* A slice begins where an item begins or ends. */
static bool cut_slices(struct window *w, struct arena *arena)
{
	const struct packing *p = w->packing;
	uint32_t *cut = NEW(arena, uint32_t, 2 * (size_t)w->n + 2), n = 0;

	if (!cut)
		return false;
	cut[n++] = w->start;
	cut[n++] = w->end;
	for (uint32_t k = 0; k < w->n; k++) {
		uint32_t i = w->residents[k].item;

		if (p->start[i] > w->start)
			cut[n++] = p->start[i];
		if (p->end[i] < w->end)
			cut[n++] = p->end[i];
	}
	n = mp_sort_unique_u32(cut, n);
	w->n_slices = n - 1;
	w->slices = NEW(arena, struct slice, n);
	w->changed = NEW(arena, uint32_t, n);
	if (!w->slices || !w->changed)
		return false;
	for (uint32_t k = 0; k < n; k++)
		w->slices[k].section = cut[k];
	for (uint32_t k = 0; k < w->n; k++) {
		struct resident *r = &w->residents[k];

		r->from = mp_search_u32(cut, n, p->start[r->item]);
		r->to = mp_search_u32(cut, n, p->end[r->item]);
		if (p->start[r->item] < w->start)
			r->from = 0;
		if (p->end[r->item] > w->end)
			r->to = w->n_slices;
	}
	w->looks += 8 * (uint64_t)w->n;
	return true;
}

static uint64_t count_entries(const struct window *w)
{
	uint64_t n = 0;

	for (uint32_t k = 0; k < w->n; k++)
		n += w->residents[k].to - w->residents[k].from;
	return n;
}

static bool fill_lists(struct window *w, uint64_t n, struct arena *arena)
{
	uint32_t sum = 0;

	w->entry = NEW(arena, uint32_t, n);
	if (!w->entry)
		return false;
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t s = w->residents[k].from; s < w->residents[k].to;
			s++)
			w->slices[s].high++;
	for (uint32_t s = 0; s <= w->n_slices; s++) {
		uint32_t count = w->slices[s].high;

		w->slices[s].list = w->slices[s].low = w->slices[s].high = sum;
		sum += count;
	}
	for (uint32_t k = 0; k < w->n; k++)
		for (uint32_t s = w->residents[k].from; s < w->residents[k].to;
			s++)
			w->entry[w->slices[s].high++] = k;
	for (uint32_t s = 0; s < w->n_slices; s++)
		w->slices[s].high = w->slices[s].low;
	w->looks += 2 * n;
	return true;
}

/* Room for what is known of the residents. */
static bool make_residents(struct window *w, struct arena *arena)
{
	w->residents = NEW(arena, struct resident, w->n);
	w->member = NEW(arena, uint32_t, w->n);
	w->order = NEW(arena, uint32_t, w->n);
	w->spare = NEW(arena, uint32_t, w->n);
	w->key = NEW(arena, uint64_t, w->n);
	return w->residents && w->member && w->order && w->spare && w->key;
}

/* False: memory is out. Without lists too much is alive in the window. */
static bool open_window(struct window *w, struct arena *arena)
{
	uint64_t n;

	find_window(w);
	if (w->n > MOST_IN_WINDOW)
		return true;
	if (!make_residents(w, arena))
		return false;
	list_residents(w);
	if (!cut_slices(w, arena))
		return false;
	n = count_entries(w);
	return n > MOST_ENTRIES || fill_lists(w, n, arena);
}

/* ----------------------------------------------------------- growth */

/* The entry of a resident in the list of a slice: offsets ascend, and so do the
 * numbers of residents. */
static uint32_t entry_of(
	const struct window *w, const struct slice *slice, uint32_t resident)
{
	return slice->list + mp_search_u32(w->entry + slice->list,
				     slice[1].list - slice->list, resident);
}

/* Takes a resident. False: it stays, or the patch is full. */
static bool take(struct window *w, uint32_t resident)
{
	struct resident *r = &w->residents[resident];

	if (r->is_in)
		return true;
	if (r->stays || w->n_members == w->limit)
		return false;
	r->is_in = true;
	w->member[w->n_members++] = resident;
	return true;
}

/* Makes a slice of the patch reach an entry, with all that is in between. */
static bool reach(struct window *w, uint32_t index, uint32_t entry)
{
	struct slice *slice = &w->slices[index];
	uint32_t low = slice->low, high = slice->high;

	if (low <= entry && entry < high)
		return true;
	if (slice->changed != w->attempt) {
		slice->changed = w->attempt;
		slice->old_low = low;
		slice->old_high = high;
		w->changed[w->n_changed++] = index;
	}
	if (low == high)
		low = high = entry;
	for (; low > entry; low--)
		if (!take(w, w->entry[low - 1]))
			return false;
	for (; high <= entry; high++)
		if (!take(w, w->entry[high]))
			return false;
	slice->low = low;
	slice->high = high;
	return true;
}

/* Takes a resident, and all that has to come with it; or nothing. */
static bool add(struct window *w, uint32_t resident)
{
	uint32_t before = w->n_members;
	bool fine;

	w->attempt++;
	w->n_changed = 0;
	fine = take(w, resident);
	for (uint32_t k = before; fine && k < w->n_members; k++) {
		const struct resident *r = &w->residents[w->member[k]];

		for (uint32_t s = r->from; fine && s < r->to; s++)
			fine = reach(
				w, s, entry_of(w, &w->slices[s], w->member[k]));
		w->looks += 4 * (r->to - r->from);
	}
	if (fine)
		return true;
	while (w->n_members > before)
		w->residents[w->member[--w->n_members]].is_in = false;
	for (uint32_t k = 0; k < w->n_changed; k++) {
		struct slice *slice = &w->slices[w->changed[k]];

		slice->low = slice->old_low;
		slice->high = slice->old_high;
	}
	return false;
}

/* Takes what lies above the item that sticks out, and below it down to where as
 * much is free as sticks out. */
static bool go_down(struct window *w)
{
	const struct resident *r = &w->residents[w->at];

	if (!add(w, w->at))
		return false;
	for (uint32_t s = r->from; s < r->to; s++) {
		uint32_t list = w->slices[s].list, e = w->slices[s + 1].list;
		int64_t out = top_of(w, w->entry[e - 1]) - w->site->target;

		if (!add(w, w->entry[e - 1]))
			return false;
		assert(out > 0);
		while (out > 0) {
			e--;
			out -= low_of(w, w->entry[e]);
			if (e == list)
				break;
			out += top_of(w, w->entry[e - 1]); /* free: between */
		}
		if (out > 0 || !add(w, w->entry[e]))
			return false;
	}
	return true;
}

/* How deep the patch may well be. */
static int64_t depth_of(const struct window *w)
{
	int64_t top = top_of(w, w->at), low = top;

	for (uint32_t k = 0; k < w->n_members; k++)
		if (low_of(w, w->member[k]) < low)
			low = low_of(w, w->member[k]);
	return (int64_t)num_max(
		       (uint64_t)(top - low), (uint64_t)top / w->site->wide) +
	       1;
}

/* Takes what is near, half as much again at least. */
static void spread(struct window *w)
{
	const struct packing *p = w->packing;
	const struct resident *at = &w->residents[w->at];
	int64_t depth = depth_of(w), middle, dt, dy;
	uint64_t most_looks, half = (w->end - w->start) / 2 + 1;
	uint32_t shift = 0;

	while (depth >> shift >> DEPTH_BITS > 0)
		shift++;
	middle = (int64_t)p->start[at->item] + p->end[at->item];
	for (uint32_t k = 0; k < w->n; k++) {
		uint32_t i = w->residents[k].item;

		dt = (int64_t)p->start[i] + p->end[i] - middle;
		dy = (low_of(w, w->at) - low_of(w, k)) >> shift;
		w->order[k] = k;
		w->key[k] = num_max(
			(uint64_t)(dt < 0 ? -dt : dt) * DISTANCE / 2 / half,
			(uint64_t)(dy < 0 ? -dy : dy) * DISTANCE /
				(uint64_t)(depth >> shift));
	}
	mp_sort_radix(w->order, w->spare, w->n, w->key);
	w->looks += 8 * (uint64_t)w->n;
	w->limit = (uint32_t)num_min(PATCH_MOST,
		num_max(w->site->most, w->n_members + w->n_members / 2));
	most_looks = w->looks + LOOKS_AN_ITEM * (uint64_t)w->limit;
	for (uint32_t k = 0;
		k < w->n && w->n_members < w->limit && w->looks < most_looks;
		k++)
		add(w, w->order[k]);
}

/* ----------------------------------------------------------- puzzle */

static bool make_room(struct patch *patch, uint32_t n, struct arena *arena)
{
	size_t room = 2 * (size_t)n;

	patch->n = n;
	patch->item = NEW(arena, uint32_t, n);
	patch->cut = NEW(arena, uint32_t, room);
	patch->start = NEW(arena, uint32_t, n);
	patch->end = NEW(arena, uint32_t, n);
	patch->lifetime = NEW(arena, uint32_t, n);
	patch->size = NEW(arena, int64_t, n);
	patch->first = NEW(arena, uint32_t, room);
	patch->floor = NEW(arena, int64_t, room);
	patch->ceiling = NEW(arena, int64_t, room);
	return patch->item && patch->cut && patch->start && patch->end &&
	       patch->lifetime && patch->size && patch->first && patch->floor &&
	       patch->ceiling;
}

/* The items, and sections that begin where one of them begins or ends. */
static uint32_t fill_items(struct patch *patch, const struct window *w)
{
	const struct packing *p = w->packing;
	uint32_t n = 0;

	for (uint32_t k = 0; k < w->n_members; k++) {
		uint32_t i = w->residents[w->member[k]].item;

		patch->item[k] = i;
		patch->cut[n++] = p->start[i];
		patch->cut[n++] = p->end[i];
	}
	mp_sort_u32(patch->item, patch->n);
	n = mp_sort_unique_u32(patch->cut, n);
	for (uint32_t k = 0; k < patch->n; k++) {
		uint32_t i = patch->item[k];

		patch->start[k] = mp_search_u32(patch->cut, n, p->start[i]);
		patch->end[k] = mp_search_u32(patch->cut, n, p->end[i]);
		patch->size[k] = p->size[i];
		patch->lifetime[k] = mp_planner_packing_lifetime(p, i);
		patch->first[patch->start[k] + 1]++;
	}
	for (uint32_t s = 1; s < n; s++)
		patch->first[s] += patch->first[s - 1];
	return n - 1;
}

/* What is free in a slice: between the items below and above the patch. If
 * there are none above, up to where it ends now or the target is. */
static void narrow(struct patch *patch, const struct window *w, uint32_t index,
	uint32_t section)
{
	const struct slice *slice = &w->slices[index];
	const struct resident *at = &w->residents[w->at];
	int64_t floor = 0, ceiling = w->site->target;

	if (slice->low > slice->list)
		floor = top_of(w, w->entry[slice->low - 1]);
	if (slice->high < slice[1].list)
		ceiling = low_of(w, w->entry[slice->high]);
	else if (index < at->from || index >= at->to) {
		int64_t top = top_of(w, w->entry[slice->high - 1]);

		ceiling = top > ceiling ? top : ceiling;
	}
	if (floor > patch->floor[section])
		patch->floor[section] = floor;
	if (ceiling < patch->ceiling[section])
		patch->ceiling[section] = ceiling;
}

static void fill_sections(
	struct patch *patch, const struct window *w, uint32_t n_sections)
{
	uint32_t section = 0;

	for (uint32_t s = 0; s < n_sections; s++)
		patch->ceiling[s] = INT64_MAX;
	for (uint32_t k = 0; k < w->n_slices; k++) {
		if (w->slices[k].low == w->slices[k].high)
			continue;
		while (patch->cut[section + 1] <= w->slices[k].section)
			section++;
		narrow(patch, w, k, section);
	}
	/* No item is alive there. */
	for (uint32_t s = 0; s < n_sections; s++)
		if (patch->ceiling[s] == INT64_MAX)
			patch->ceiling[s] = 0;
}

static bool make_patch(
	struct patch *patch, const struct window *w, struct arena *arena)
{
	uint32_t n_sections;

	if (!make_room(patch, w->n_members, arena))
		return false;
	n_sections = fill_items(patch, w);
	fill_sections(patch, w, n_sections);
	patch->puzzle = (struct puzzle){patch->n, n_sections, patch->start,
		patch->end, patch->size, patch->first, patch->floor,
		patch->ceiling};
	return true;
}

bool mp_planner_patch_find(struct patch *patch, const struct packing *packing,
	const int64_t *offset, const struct patch_site *site,
	struct arena *arena)
{
	struct window w = {.packing = packing,
		.offset = offset,
		.site = site,
		.limit = PATCH_MOST};
	bool fine;

	assert(site->most > 0 && site->wide > 0);
	*patch = (struct patch){.n = 0};
	fine = open_window(&w, arena);
	if (fine && w.entry && go_down(&w)) {
		spread(&w);
		fine = make_patch(patch, &w, arena);
	}
	patch->looks = w.looks;
	return fine;
}
