/*
 * Settles lifetimes that the lines leave open, with the offsets of GE's plan.
 *
 * Prefetched tensors share the buffers of a pool at times that no line tells:
 * those that overlap are read as one tensor, which lives throughout. A tensor
 * that GE lets no other share lives throughout too, if no offset contradicts
 * that. If several streams wait for a tensor, the log has an end for each, but
 * not which stream: the tensor lives until GE reuses its bytes, or to the last
 * of the ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "input/ge-log/ge-log.h"

/* Tensors sorted by memory and offset. */
struct by_place {
	struct ge_tensor **at;
	uint32_t n;
};

static uint64_t end_of(const struct ge_tensor *t)
{
	return t->offset + t->size;
}

static int place_first(const void *left, const void *right)
{
	const struct ge_tensor *a = *(struct ge_tensor *const *)left;
	const struct ge_tensor *b = *(struct ge_tensor *const *)right;

	return mp_sort_compare_three(a->memory, b->memory, a->offset, b->offset,
		(uintptr_t)a, (uintptr_t)b);
}

/* All tensors with bytes that are not merged into others. */
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
	if (places->n > 0)
		qsort(places->at, places->n, sizeof(struct ge_tensor *),
			place_first);
	return true;
}

/* ------------------------------------------------- pools of buffers */

static bool overlap_later(const struct ge_tensor *a, const struct ge_tensor *b)
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
		if (!first || !overlap_later(first, t)) {
			first = t;
			continue;
		}
		first->size = num_max(end_of(first), end_of(t)) - first->offset;
		t->gone = true;
	}
}

/* ------------------------------------------------------------ alone */

static void check_lone(const struct by_place *places)
{
	uint64_t reach = 0;

	for (uint32_t i = 0; i < places->n; i++) {
		struct ge_tensor *t = places->at[i];
		const struct ge_tensor *next =
			i + 1 < places->n ? places->at[i + 1] : NULL;

		assert(t);
		if (i == 0 || places->at[i - 1]->memory != t->memory)
			reach = 0;
		t->lone = t->lone && reach <= t->offset &&
			  (!next || next->memory != t->memory ||
				  end_of(t) <= next->offset);
		reach = num_max(reach, end_of(t));
	}
}

/* -------------------------------------------------- several streams */

/* A segment tree of minima over places. Values only decrease. Leaf i is node
 * n + i. all: the least value set for the whole range of the node; least:
 * the least value in its subtree. */
struct lows {
	uint64_t *least, *all;
	uint32_t n;
};

static void lower_node(struct lows *s, uint32_t node, uint64_t value)
{
	s->all[node] = num_min(s->all[node], value);
	s->least[node] = num_min(s->least[node], value);
}

static void update_path(struct lows *s, uint32_t leaf)
{
	for (uint32_t i = leaf / 2; i > 0; i /= 2)
		s->least[i] = num_min(s->all[i],
			num_min(s->least[2 * i], s->least[2 * i + 1]));
}

static void lower_range(
	struct lows *s, uint32_t from, uint32_t to, uint64_t value)
{
	uint32_t a = from + s->n, b = to + s->n;

	assert(from < to && to <= s->n);
	for (; a < b; a /= 2, b /= 2) {
		if (a & 1)
			lower_node(s, a++, value);
		if (b & 1)
			lower_node(s, --b, value);
	}
	update_path(s, from + s->n);
	update_path(s, to - 1 + s->n);
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

/* The first place at or after this offset. */
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

/* Sets a value for the places of tensors that begin within the tensor, itself
 * included: two tensors overlap if they have such a place in common. */
static void lower_places(struct lows *s, const struct by_place *places,
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

	return mp_sort_compare_two(
		b->begin, a->begin, (uintptr_t)a, (uintptr_t)b);
}

static int late_end_first(const void *left, const void *right)
{
	const struct ge_tensor *a = *(struct ge_tensor *const *)left;
	const struct ge_tensor *b = *(struct ge_tensor *const *)right;

	return mp_sort_compare_two(
		b->least, a->least, (uintptr_t)a, (uintptr_t)b);
}

static struct ge_tensor **sort_tensors(const struct by_place *places,
	int (*order)(const void *, const void *), struct arena *scratch)
{
	struct ge_tensor **at = NEW(scratch, struct ge_tensor *, places->n);

	for (uint32_t i = 0; at && i < places->n; i++)
		at[i] = places->at[i];
	if (at && places->n > 0)
		qsort(at, places->n, sizeof(*at), order);
	return at;
}

/* Goes from the latest end to the earliest. The tree then has the begins of all
 * tensors that begin after the end. */
static bool cut_ends(const struct by_place *places, struct arena *scratch)
{
	struct lows s = {.n = places->n};
	struct ge_tensor **births =
		sort_tensors(places, late_birth_first, scratch);
	struct ge_tensor **ends = sort_tensors(places, late_end_first, scratch);
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
				lower_places(&s, places, births[born],
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
		check_lone(&places);
	if (fine && has_several_ends(log))
		fine = cut_ends(&places, &scratch);
	mp_arena_free(&scratch);
	return fine;
}
