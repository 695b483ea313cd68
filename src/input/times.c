/*
 * The events of all spans are sorted by radix: linear in their number, and
 * stable, so nothing depends on how a library sorts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/times.h"

#include <string.h>

struct event {
	uint64_t time; /* with its sign bit turned, so that it orders */
	uint64_t slot; /* twice the tensor, one more for its end */
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

/* Returns whichever of the two lists holds the result. */
static struct event *sort(struct event *events, struct event *spare, uint64_t n)
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

static uint64_t collect(
	const struct time_span *spans, uint32_t n, struct event *events)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (spans[i].start == spans[i].end)
			continue;
		events[count++] = (struct event){
			(uint64_t)spans[i].start ^ SIGN, UINT64_C(2) * i};
		events[count++] = (struct event){
			(uint64_t)spans[i].end ^ SIGN, UINT64_C(2) * i + 1};
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

static void number(struct graph *graph, int64_t *times,
	const struct event *events, uint64_t n)
{
	uint32_t step = 0;

	for (uint64_t i = 0; i < n; i++) {
		struct tensor *tensor = &graph->tensors[events[i].slot / 2];

		step += i > 0 && events[i].time != events[i - 1].time;
		times[step] = (int64_t)(events[i].time ^ SIGN);
		tensor->pinned = true;
		if (events[i].slot & 1)
			tensor->end = step;
		else
			tensor->start = step;
	}
}

bool mp_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	struct event *events = NEW(&scratch, struct event, (size_t)n * 2);
	struct event *spare = NEW(&scratch, struct event, (size_t)n * 2);
	int64_t *times = NULL;
	uint64_t count;
	uint32_t distinct;

	if (events && spare) {
		count = collect(spans, n, events);
		events = sort(events, spare, count);
		distinct = count_distinct(events, count);
		times = NEW(arena, int64_t, distinct);
		graph->n_steps = distinct ? distinct - 1 : 0;
		graph->times = distinct ? times : NULL;
		if (times)
			number(graph, times, events, count);
	}
	mp_arena_free(&scratch);
	return times != NULL;
}
