/* SPDX-License-Identifier: MIT */
#include "input/times.h"

#include <string.h>

static bool grow(struct gap_list *gaps, struct arena *arena)
{
	uint32_t room = gaps->room ? gaps->room * 2 : 16;
	struct lifetime_gap *at = NEW(arena, struct lifetime_gap, room);
	struct time_span *spans = NEW(arena, struct time_span, room);

	if (!at || !spans)
		return false;
	if (gaps->n > 0) {
		memcpy(at, gaps->at, sizeof(*at) * gaps->n);
		memcpy(spans, gaps->spans, sizeof(*spans) * gaps->n);
	}
	gaps->at = at;
	gaps->spans = spans;
	gaps->room = room;
	return true;
}

bool mp_input_gap_list_add(struct gap_list *gaps,
	const struct lifetime_gap *gap, const struct time_span *span,
	struct arena *arena)
{
	if (gaps->n == gaps->room && !grow(gaps, arena))
		return false;
	gaps->at[gaps->n] = *gap;
	gaps->spans[gaps->n++] = *span;
	return true;
}

const char *mp_input_gap_list_fault(const struct gap_list *gaps, uint32_t from,
	const struct time_span *lifetime, uint64_t size)
{
	int64_t at = lifetime->start;
	bool something = from == gaps->n;

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
