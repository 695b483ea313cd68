/*
 * What the lines leave open of lifetimes, and GE's own plan answers.
 *
 * Buffers of a pool are prefetched, in turns that no line tells: those that
 * have bytes in common are read as one, which lives throughout. What GE lets
 * nobody share, lives throughout too, if GE's plan keeps to that. Where several
 * streams wait for a tensor, the log has an end for each but not the streams:
 * the tensor lives until GE gives its bytes away, or to the last of the ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "input/ge-log/ge-log.h"

/* Tensors by memory and offset. */
struct by_place {
	struct ge_tensor **at;
	uint32_t n;
};

static uint64_t end_of(const struct ge_tensor *t)
{
	return t->offset + t->size;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int place_first(const void *left, const void *right)
{
	const struct ge_tensor *a = *(struct ge_tensor *const *)left;
	const struct ge_tensor *b = *(struct ge_tensor *const *)right;

	if (a->memory != b->memory)
		return a->memory < b->memory ? -1 : 1;
	if (a->offset != b->offset)
		return compare(a->offset, b->offset);
	return a < b ? -1 : a > b;
}

/* Those that are not part of others and have bytes. */
static bool sort_places(
	struct ge_log *log, struct by_place *places, struct arena *scratch)
{
	places->at = NEW(scratch, struct ge_tensor *, log->n);
	if (!places->at)
		return false;
	places->n = 0;
	for (uint32_t i = 0; i < log->n; i++)
		if (!log->tensors[i].gone && log->tensors[i].size > 0)
			places->at[places->n++] = &log->tensors[i];
	qsort(places->at, places->n, sizeof(struct ge_tensor *), place_first);
	return true;
}

/* ------------------------------------------------- pools of buffers */

static bool share(const struct ge_tensor *a, const struct ge_tensor *b)
{
	return a->memory == b->memory && a->label == b->label &&
	       b->offset < end_of(a);
}

static void merge_prefetched(const struct by_place *places)
{
	struct ge_tensor *first = NULL;

	for (uint32_t i = 0; i < places->n; i++) {
		struct ge_tensor *t = places->at[i];

		if (!t->prefetched)
			continue;
		t->timeless = true;
		if (!first || !share(first, t)) {
			first = t;
			continue;
		}
		first->size = num_max(end_of(first), end_of(t)) - first->offset;
		t->gone = true;
	}
}

/* ------------------------------------------------------------ alone */

static void keep_alone(const struct by_place *places)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < places->n; i++) {
		struct ge_tensor *t = places->at[i];
		const struct ge_tensor *next =
			i + 1 < places->n ? places->at[i + 1] : NULL;

		if (i == 0 || places->at[i - 1]->memory != t->memory)
			reach = 0;
		t->lone = t->lone && reach <= t->offset &&
			  (!next || next->memory != t->memory ||
				  end_of(t) <= next->offset);
		reach = num_max(reach, end_of(t));
	}
}

/* -------------------------------------------------- several streams */

/* Least values over ranges of places, which only ever become less. Leaves
 * stand behind the inner nodes; least is that of a node's whole range or more
 * special, all is what was set for the whole range. */
struct lows {
	uint64_t *least, *all;
	uint32_t n;
};

static void lower(struct lows *s, uint32_t node, uint64_t value)
{
	s->all[node] = num_min(s->all[node], value);
	s->least[node] = num_min(s->least[node], value);
}

static void renew(struct lows *s, uint32_t leaf)
{
	for (uint32_t i = leaf / 2; i > 0; i /= 2)
		s->least[i] = num_min(s->all[i],
			num_min(s->least[2 * i], s->least[2 * i + 1]));
}

static void lower_range(
	struct lows *s, uint32_t from, uint32_t to, uint64_t value)
{
	uint32_t a = from + s->n, b = to + s->n;

	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			lower(s, a++, value);
		if (b & 1)
			lower(s, --b, value);
	}
	renew(s, from + s->n);
	renew(s, to - 1 + s->n);
}

static uint64_t least_above(const struct lows *s, uint32_t leaf)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = leaf; i > 0; i /= 2)
		least = num_min(least, s->all[i]);
	return least;
}

static uint64_t least_of(const struct lows *s, uint32_t from, uint32_t to)
{
	uint32_t a = from + s->n, b = to + s->n;
	uint64_t least =
		num_min(least_above(s, a), least_above(s, to - 1 + s->n));

	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			least = num_min(least, s->least[a++]);
		if (b & 1)
			least = num_min(least, s->least[--b]);
	}
	return least;
}

/* The first place in order that is not before this offset. */
static uint32_t place_of(
	const struct by_place *places, uint8_t memory, uint64_t offset)
{
	uint32_t low = 0, high = places->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ge_tensor *t = places->at[middle];

		if (t->memory < memory ||
			(t->memory == memory && t->offset < offset))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A tensor covers the places that begin in it, its own first: two overlap if
 * they have one in common. */
static void cover(struct lows *s, const struct by_place *places,
	const struct ge_tensor *t, uint64_t value)
{
	uint32_t from = place_of(places, t->memory, t->offset);
	uint32_t to = place_of(places, t->memory, end_of(t));

	lower_range(s, from, to, value);
}

static uint64_t next_use(const struct lows *s, const struct by_place *places,
	const struct ge_tensor *t)
{
	return least_of(s, place_of(places, t->memory, t->offset),
		place_of(places, t->memory, end_of(t)));
}

static int late_birth_first(const void *left, const void *right)
{
	const struct ge_tensor *a = *(struct ge_tensor *const *)left;
	const struct ge_tensor *b = *(struct ge_tensor *const *)right;

	return compare(b->begin, a->begin);
}

static int late_end_first(const void *left, const void *right)
{
	const struct ge_tensor *a = *(struct ge_tensor *const *)left;
	const struct ge_tensor *b = *(struct ge_tensor *const *)right;

	return compare(b->least, a->least);
}

static struct ge_tensor **sorted(const struct by_place *places,
	int (*order)(const void *, const void *), struct arena *scratch)
{
	struct ge_tensor **at = NEW(scratch, struct ge_tensor *, places->n);

	for (uint32_t i = 0; at && i < places->n; i++)
		at[i] = places->at[i];
	if (at)
		qsort(at, places->n, sizeof(*at), order);
	return at;
}

/* From the latest births and ends to the earliest, so that what is in the tree
 * was born behind the end that is looked at, the earliest last. */
static bool cut_ends(const struct by_place *places, struct arena *scratch)
{
	struct lows s = {.n = places->n};
	struct ge_tensor **births = sorted(places, late_birth_first, scratch);
	struct ge_tensor **ends = sorted(places, late_end_first, scratch);
	uint32_t born = 0;

	s.least = NEW(scratch, uint64_t, 2 * (size_t)s.n);
	s.all = NEW(scratch, uint64_t, 2 * (size_t)s.n);
	if (!births || !ends || !s.least || !s.all)
		return false;
	for (uint32_t i = 0; i < 2 * s.n; i++)
		s.least[i] = s.all[i] = UINT64_MAX;
	for (uint32_t i = 0; i < places->n; i++) {
		struct ge_tensor *t = ends[i];

		if (t->least == t->last || t->timeless)
			continue;
		for (; born < places->n && births[born]->begin > t->least;
			born++)
			if (!births[born]->timeless)
				cover(&s, places, births[born],
					births[born]->begin);
		t->cut = next_use(&s, places, t) <= t->last;
		if (t->cut)
			t->last = next_use(&s, places, t) - 1;
	}
	return true;
}

static bool has_several_ends(const struct ge_log *log)
{
	for (uint32_t i = 0; i < log->n; i++)
		if (log->tensors[i].least < log->tensors[i].last)
			return log->several_streams;
	return false;
}

bool mp_input_ge_settle(struct ge_log *log)
{
	struct arena scratch = mp_arena_beside(log->arena);
	struct by_place places;
	bool fine = sort_places(log, &places, &scratch);

	if (fine) {
		merge_prefetched(&places);
		fine = sort_places(log, &places, &scratch);
	}
	if (fine)
		keep_alone(&places);
	if (fine && has_several_ends(log))
		fine = cut_ends(&places, &scratch);
	mp_arena_free(&scratch);
	return fine;
}
