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

#include "base/heap.h"
#include "base/sort.h"
#include "base/tournament.h"
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

/* What happens to a place at an id; births come in front of ends. */
enum event {
	BIRTH,
	FIRST_END
};

/* The first place that lies behind all bytes of the tensor. */
static uint32_t place_behind(
	const struct by_place *places, const struct ge_tensor *t)
{
	uint32_t low = 0, high = places->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ge_tensor *at = places->at[middle];

		if (at->memory < t->memory ||
			(at->memory == t->memory && at->offset < end_of(t)))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A tensor is born: all that are past their first end, and have some of its
 * bytes, end there at the latest. Of those that lie in front of its end, the
 * best player reaches farthest. */
static void cut_off(const struct by_place *places, struct tournament *ending,
	const struct ge_tensor *born)
{
	uint32_t behind = place_behind(places, born), i;

	while ((i = mp_tournament_best(ending, 0, behind)) != NONE &&
		places->at[i]->memory == born->memory &&
		end_of(places->at[i]) > born->offset) {
		mp_tournament_leave(ending, i);
		places->at[i]->cut = born->begin <= places->at[i]->last;
		if (places->at[i]->cut)
			places->at[i]->last = born->begin - 1;
	}
}

/* Goes through time. Each tensor enters the tournament at its first end, and
 * leaves it when it is cut off. */
static bool cut_ends(const struct by_place *places, struct arena *scratch)
{
	struct keyed *events =
		NEW(scratch, struct keyed, 2 * (size_t)places->n);
	struct tournament ending;
	uint32_t n = 0;

	if (!events || !mp_tournament_init(&ending, places->n, scratch))
		return false;
	for (uint32_t i = 0; i < places->n; i++) {
		const struct ge_tensor *t = places->at[i];

		if (t->timeless)
			continue;
		events[n++] = (struct keyed){t->begin, BIRTH, i};
		if (t->least < t->last)
			events[n++] = (struct keyed){t->least, FIRST_END, i};
	}
	mp_keyed_sort(events, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct ge_tensor *t = places->at[events[i].op];

		if (events[i].second == BIRTH)
			cut_off(places, &ending, t);
		else
			mp_tournament_enter(&ending, events[i].op,
				(struct score){-(int64_t)t->memory,
					UINT64_MAX - end_of(t)});
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
