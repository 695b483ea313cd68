/*
 * What must not move when graphs are laid together: offsets that a graph fixes,
 * and bytes that it reserves. Whichever graph reserves them, no graph gets
 * these bytes at any time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "bundle/inside.h"

enum {
	MOST_RANGES = 1000 /* as many as a document may list */
};

/* --------------------------------------------------------- reserved */

static int by_offset(const void *left, const void *right)
{
	const struct reserved_range *a = left, *b = right;

	return mp_sort_compare_three(
		a->pools, b->pools, a->offset, b->offset, a->size, b->size);
}

/* Of one pool the ranges of all members name one list, the first of its kind.
 */
static uint16_t list_of(const struct graph *graph, const struct joined *member,
	const struct reserved_range *range)
{
	uint32_t pool, list = member->first_list + range->pools;

	if (graph->n_pools == 0)
		return 0;
	assert(graph->pool_lists[list].n == 1);
	pool = graph->pool_lists[list].at[0];
	for (list = 1; graph->pool_lists[list].n != 1 ||
		       graph->pool_lists[list].at[0] != pool;)
		list++;
	return (uint16_t)list;
}

static bool list_ranges(const struct join_work *w,
	struct reserved_range **ranges, uint32_t *n_ranges)
{
	size_t all = 0;

	for (uint32_t i = 0; i < w->n; i++)
		all += w->members[i].plan->schedule->graph->ties.n_reserved;
	*ranges = NEW(w->arena, struct reserved_range, all);
	*n_ranges = 0;
	if (!*ranges)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct joined *member = &w->members[i];
		const struct ties *ties = &member->plan->schedule->graph->ties;

		for (uint32_t k = 0; k < ties->n_reserved; k++) {
			struct reserved_range *range =
				&(*ranges)[(*n_ranges)++];

			*range = ties->reserved[k];
			range->pools = list_of(w->graph, member, range);
		}
	}
	if (*n_ranges > 1)
		qsort(*ranges, *n_ranges, sizeof(**ranges), by_offset);
	return true;
}

/* Adds the bytes and the name of a range that has bytes in common. */
static bool add_range(struct reserved_range *range,
	const struct reserved_range *other, struct arena *arena)
{
	uint64_t end = num_max(
		range->offset + range->size, other->offset + other->size);

	range->size = end - range->offset;
	if (!range->name)
		range->name = other->name;
	else if (other->name && strcmp(range->name, other->name) != 0)
		range->name = mp_arena_print(
			arena, "%s, %s", range->name, other->name);
	return range->name || !other->name;
}

bool mp_bundle_join_reserve(struct join_work *w)
{
	struct ties *ties = &w->graph->ties;
	struct reserved_range *ranges;
	uint32_t n = 0, n_ranges;

	if (!list_ranges(w, &ranges, &n_ranges))
		return false;
	for (uint32_t i = 0; i < n_ranges; i++) {
		struct reserved_range *last = &ranges[n - (n > 0)];

		if (n == 0 || last->pools != ranges[i].pools ||
			last->offset + last->size <= ranges[i].offset)
			ranges[n++] = ranges[i];
		else if (!add_range(last, &ranges[i], w->arena))
			return false;
	}
	if (n > MOST_RANGES)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: more than %d reserved ranges together",
			w->members[0].place, MOST_RANGES);
	for (uint32_t i = 0; i < n; i++)
		if (ranges[i].name)
			ranges[i].name = mp_arena_text(w->arena, ranges[i].name,
				strlen(ranges[i].name));
	ties->reserved = ranges;
	ties->n_reserved = n;
	return true;
}

/* ------------------------------------------------------------ holds */

static bool is_free(uint64_t low, uint64_t high, const struct ties *ties)
{
	for (uint32_t i = 0; i < ties->n_reserved; i++)
		if (low < ties->reserved[i].offset + ties->reserved[i].size &&
			ties->reserved[i].offset < high)
			return false;
	return true;
}

/* Reserved ranges are a problem's last buffers; what they are now is in the
 * ties. A plan's offsets say where its tensors lie; those of a graph, where
 * they must. */
static bool member_holds(const struct joined *member, const struct ties *ties)
{
	const struct problem *p = member->plan->problem;
	uint32_t n = p->n_buffers - p->n_reserved;

	for (uint32_t i = 0; i < n; i++) {
		const struct buffer *buffer = &p->buffers[i];
		uint64_t at = mp_bundle_joined_offset(member, i);

		if (!member->from_plan && buffer->offset != NO_OFFSET &&
			buffer->offset != at)
			return false;
		if (!is_free(at, at + buffer->size, ties))
			return false;
	}
	return true;
}

bool mp_bundle_join_holds(const struct layout *layout)
{
	const struct ties *ties = &layout->graph.ties;

	if (layout->members[0].plan->problem->pools ||
		(layout->concurrent && layout->n > 1 && ties->n_reserved > 0))
		return false;
	for (uint32_t i = 0; i < layout->n; i++)
		if (!member_holds(&layout->members[i], ties))
			return false;
	return true;
}
