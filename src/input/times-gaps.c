/*
 * Gaps in lifetimes: a list that grows, and its checks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/times.h"

#include <assert.h>

bool mp_input_gap_list_add(struct gap_list *gaps,
	const struct lifetime_gap *gap, const struct time_span *span,
	struct arena *arena)
{
	uint32_t room = gaps->room; /* of either list */

	gaps->at = mp_arena_grow(
		arena, gaps->at, gaps->n, &gaps->room, sizeof(*gaps->at));
	gaps->spans = mp_arena_grow(
		arena, gaps->spans, gaps->n, &room, sizeof(*gaps->spans));
	if (!gaps->at || !gaps->spans)
		return false;
	assert(room == gaps->room);
	gaps->at[gaps->n] = *gap;
	gaps->spans[gaps->n++] = *span;
	return true;
}

const char *mp_input_gap_list_fault(const struct gap_list *gaps, uint32_t from,
	const struct time_span *lifetime, uint64_t size)
{
	int64_t at = lifetime->start;
	bool something = from == gaps->n;

	assert(from <= gaps->n && lifetime->start < lifetime->end);
	for (uint32_t i = from; i < gaps->n; i++) {
		const struct time_span *span = &gaps->spans[i];
		const struct lifetime_gap *gap = &gaps->at[i];

		if (span->start >= span->end)
			return "must start before it ends";
		if (span->start < lifetime->start || span->end > lifetime->end)
			return "must lie within the lifetime";
		if (span->start < at)
			return "must ascend, and none may overlap another";
		if (gap->low > gap->high || gap->high > size)
			return "can only keep bytes that the tensor has";
		something |= span->start > at || gap->low < gap->high;
		at = span->end;
	}
	something |= at < lifetime->end;
	return something ? NULL : "must leave something of the lifetime";
}
