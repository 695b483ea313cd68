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
#include <stddef.h>
#include <stdlib.h>

#include "base/search.h"
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

/* A tensor, and when it begins. */
struct birth {
	uint64_t begin;
	const struct ge_tensor *tensor;
};

static int by_begin(const void *left, const void *right)
{
	const struct birth *a = left, *b = right;

	return mp_sort_compare_two(
		a->begin, b->begin, (uintptr_t)a->tensor, (uintptr_t)b->tensor);
}

/* The births of all tensors with known lifetimes, ascending. */
static struct birth *sort_births(
	const struct by_place *places, uint32_t *n, struct arena *scratch)
{
	struct birth *births = NEW(scratch, struct birth, places->n);

	*n = 0;
	for (uint32_t i = 0; births && i < places->n; i++)
		if (!places->at[i]->timeless)
			births[(*n)++] = (struct birth){
				places->at[i]->begin, places->at[i]};
	if (*n > 0)
		qsort(births, *n, sizeof(*births), by_begin);
	return births;
}

static bool overlap(const struct ge_tensor *a, const struct ge_tensor *b)
{
	return a->memory == b->memory && a->offset < end_of(b) &&
	       b->offset < end_of(a);
}

/* Cuts a tensor off where the first one after its first end gets some of its
 * bytes. Few tensors begin between the ends of another one. */
static void cut_end(struct ge_tensor *t, const struct birth *births, uint32_t n)
{
	uint32_t i = mp_search_key_u64(births, sizeof(*births),
		offsetof(struct birth, begin), n, t->least + 1);

	for (; i < n && births[i].begin <= t->last; i++)
		if (overlap(births[i].tensor, t)) {
			t->cut = true;
			t->last = births[i].begin - 1;
		}
}

static bool cut_ends(const struct by_place *places, struct arena *scratch)
{
	uint32_t n;
	const struct birth *births = sort_births(places, &n, scratch);

	for (uint32_t i = 0; births && i < places->n; i++)
		if (places->at[i]->least < places->at[i]->last &&
			!places->at[i]->timeless)
			cut_end(places->at[i], births, n);
	return births != NULL;
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
