/*
 * Times become steps: the begins and ends of all spans are radix sorted, which
 * takes linear time and is stable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/times.h"

#include <assert.h>
#include <string.h>

struct event {
	uint64_t time; /* with its sign bit flipped, to sort as unsigned */
	uint64_t slot; /* twice the tensor, plus one for its end; gaps follow
			  all tensors */
};

static const uint64_t SIGN = UINT64_C(1) << 63;

static void sort_by_digit(const struct event *from, struct event *to,
	uint64_t n, uint32_t shift, const uint64_t *counts)
{
	uint64_t first[256], sum = 0;

	for (uint32_t i = 0; i < 256; i++) {
		first[i] = sum;
		sum += counts[i];
	}
	for (uint64_t i = 0; i < n; i++)
		to[first[from[i].time >> shift & 255]++] = from[i];
}

/* Returns the one of the two lists that has the result. */
static struct event *sort_events(
	struct event *events, struct event *spare, uint64_t n)
{
	uint64_t counts[8][256];
	struct event *swap;

	memset(counts, 0, sizeof(counts));
	for (uint64_t i = 0; i < n; i++)
		for (uint32_t d = 0; d < 8; d++)
			counts[d][events[i].time >> (8 * d) & 255]++;
	for (uint32_t d = 0; d < 8; d++) {
		if (n == 0 || counts[d][events[0].time >> (8 * d) & 255] == n)
			continue;
		sort_by_digit(events, spare, n, 8 * d, counts[d]);
		swap = events;
		events = spare;
		spare = swap;
	}
	return events;
}

static uint64_t collect_events(const struct time_span *spans, uint32_t n,
	uint64_t first_slot, struct event *events)
{
	uint64_t count = 0, slot;

	for (uint32_t i = 0; i < n; i++) {
		slot = (first_slot + i) * 2;
		assert(spans[i].start <= spans[i].end);
		if (spans[i].start == spans[i].end)
			continue;
		events[count++] =
			(struct event){(uint64_t)spans[i].start ^ SIGN, slot};
		events[count++] =
			(struct event){(uint64_t)spans[i].end ^ SIGN, slot + 1};
	}
	return count;
}

static uint32_t count_distinct(const struct event *events, uint64_t n)
{
	uint32_t distinct = n > 0;

	for (uint64_t i = 1; i < n; i++)
		distinct += events[i].time != events[i - 1].time;
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
	const struct gap_list *gaps, const struct event *events, uint64_t n,
	int64_t *times)
{
	uint32_t step = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t slot = events[i].slot / 2;
		bool is_end = events[i].slot & 1;

		assert(i == 0 || events[i - 1].time <= events[i].time);
		assert(slot < (uint64_t)n_spans + gaps->n);
		step += i > 0 && events[i].time != events[i - 1].time;
		times[step] = (int64_t)(events[i].time ^ SIGN);
		if (slot < n_spans)
			pin_tensor(&graph->tensors[slot], is_end, step);
		else if (is_end)
			gaps->at[slot - n_spans].end = step;
		else
			gaps->at[slot - n_spans].start = step;
	}
}

bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	size_t room = ((size_t)n + gaps->n) * 2;
	struct event *events = NEW(&scratch, struct event, room);
	struct event *spare = NEW(&scratch, struct event, room);
	int64_t *times = NULL;
	uint64_t count;
	uint32_t distinct;

	assert(n <= graph->n_tensors);
	if (events && spare) {
		count = collect_events(spans, n, 0, events);
		count +=
			collect_events(gaps->spans, gaps->n, n, events + count);
		events = sort_events(events, spare, count);
		distinct = count_distinct(events, count);
		times = NEW(arena, int64_t, distinct);
		graph->n_steps = distinct ? distinct - 1 : 0;
		graph->times = distinct ? times : NULL;
		if (times)
			number_steps(graph, n, gaps, events, count, times);
	}
	mp_arena_free(&scratch);
	return times != NULL;
}
