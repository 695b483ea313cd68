/*
 * Times become steps: the begins and ends of all spans are radix sorted, which
 * takes linear time and is stable. And gaps in lifetimes: a list that grows,
 * and its checks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/times.h"

#include <assert.h>

#include "base/sort.h"

static const uint64_t SIGN = UINT64_C(1) << 63;

/* An event is the begin or the end of a span: event 2i is the begin of span i,
 * 2i + 1 its end. Spans of gaps follow those of tensors. Fills the times of the
 * events, with the sign bit flipped to sort as unsigned, and lists the events
 * of spans that are not empty; returns their number. */
static uint32_t list_events(const struct time_span *spans, uint32_t n,
	uint32_t first, uint64_t *times, uint32_t *events)
{
	uint32_t count = 0, event;

	for (uint32_t i = 0; i < n; i++) {
		event = (first + i) * 2;
		assert(spans[i].start <= spans[i].end);
		if (spans[i].start == spans[i].end)
			continue;
		times[event] = (uint64_t)spans[i].start ^ SIGN;
		times[event + 1] = (uint64_t)spans[i].end ^ SIGN;
		events[count++] = event;
		events[count++] = event + 1;
	}
	return count;
}

static uint32_t count_distinct(
	const uint64_t *times, const uint32_t *events, uint32_t n)
{
	uint32_t distinct = n > 0;

	for (uint32_t i = 1; i < n; i++)
		distinct += times[events[i]] != times[events[i - 1]];
	return distinct;
}

static void pin_tensor(struct tensor *tensor, bool is_end, uint32_t step)
{
	tensor->pinned = true;
	if (is_end)
		tensor->end = step;
	else
		tensor->start = step;
}

static void number_steps(struct graph *graph, uint32_t n_spans,
	const struct gap_list *gaps, const uint64_t *times,
	const uint32_t *events, uint32_t n, int64_t *of_step)
{
	uint32_t step = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t time = times[events[i]];
		uint32_t span = events[i] / 2;
		bool is_end = events[i] & 1;

		step += i > 0 && time != times[events[i - 1]];
		of_step[step] = (int64_t)(time ^ SIGN);
		if (span < n_spans)
			pin_tensor(&graph->tensors[span], is_end, step);
		else if (is_end)
			gaps->at[span - n_spans].end = step;
		else
			gaps->at[span - n_spans].start = step;
	}
}

bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	size_t room = ((size_t)n + gaps->n) * 2;
	uint64_t *times = NEW(&scratch, uint64_t, room);
	uint32_t *events = NEW(&scratch, uint32_t, room);
	uint32_t *spare = NEW(&scratch, uint32_t, room), count, distinct;
	int64_t *of_step = NULL;

	assert(n <= graph->n_tensors && room <= NONE);
	if (times && events && spare) {
		count = list_events(spans, n, 0, times, events);
		count += list_events(
			gaps->spans, gaps->n, n, times, events + count);
		mp_sort_radix(events, spare, count, times);
		distinct = count_distinct(times, events, count);
		of_step = NEW(arena, int64_t, distinct);
		graph->n_steps = distinct ? distinct - 1 : 0;
		graph->times = distinct ? of_step : NULL;
		if (of_step)
			number_steps(
				graph, n, gaps, times, events, count, of_step);
	}
	mp_arena_free(&scratch);
	return of_step != NULL;
}

/* ------------------------------------------------------------- gaps */

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

	assert(from <= gaps->n && lifetime->start <= lifetime->end);
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
