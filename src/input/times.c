/*
 * Times become steps: the begins and ends of all spans are counted, or radix
 * sorted where they are far apart, in linear time either way. And gaps in
 * lifetimes: a list that grows, and its checks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/times.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/sort.h"
#include "base/threads.h"

enum {
	DENSE = 4, /* times of the range for each event: less memory and less
		      time than sorting */
	LEAST_CUT = 50000 /* spans or times of a loop for several threads */
};

static const uint64_t SIGN = UINT64_C(1) << 63;

/* An event is the begin or the end of a span: event 2i is the begin of span i,
 * 2i + 1 its end. Spans of gaps follow those of tensors. */
struct events {
	struct graph *graph;
	const struct time_span *spans; /* of the tensors */
	uint32_t n;
	const struct gap_list *gaps;
	int64_t first, last; /* the range of all times */
	uint32_t count;	     /* of events; empty spans have none */
	atomic_uint *step;   /* of a time of the range; at first a mark, which
				several threads may make */
	int64_t *of_step;    /* the time of a step */
};

static const struct time_span *span_of(const struct events *e, uint32_t i)
{
	return i < e->n ? &e->spans[i] : &e->gaps->spans[i - e->n];
}

static bool is_empty(const struct time_span *span)
{
	assert(span->start <= span->end);
	return span->start == span->end;
}

static void find_range(struct events *e)
{
	for (uint32_t i = 0; i < e->n + e->gaps->n; i++) {
		const struct time_span *span = span_of(e, i);

		if (is_empty(span))
			continue;
		if (e->count == 0 || span->start < e->first)
			e->first = span->start;
		if (e->count == 0 || span->end > e->last)
			e->last = span->end;
		e->count += 2;
	}
}

static void pin(
	const struct events *e, uint32_t i, uint32_t start, uint32_t end)
{
	if (i < e->n) {
		e->graph->tensors[i].start = start;
		e->graph->tensors[i].end = end;
		e->graph->tensors[i].pinned = true;
	} else {
		e->gaps->at[i - e->n].start = start;
		e->gaps->at[i - e->n].end = end;
	}
}

/* The times of the steps; NULL: memory is out. */
static int64_t *make_times(
	const struct events *e, uint32_t distinct, struct arena *arena)
{
	int64_t *of_step = NEW(arena, int64_t, distinct);

	e->graph->n_steps = distinct ? distinct - 1 : 0;
	e->graph->times = distinct ? of_step : NULL;
	return of_step;
}

/* -------------------------------------------------- times are dense */

static uint32_t place_in_range(const struct events *e, int64_t time)
{
	return (uint32_t)((uint64_t)time - (uint64_t)e->first);
}

static atomic_uint *step_of(const struct events *e, int64_t time)
{
	return &e->step[place_in_range(e, time)];
}

static void mark_spans(void *context, uint32_t from, uint32_t to)
{
	const struct events *e = context;

	for (uint32_t i = from; i < to; i++) {
		const struct time_span *span = span_of(e, i);

		if (is_empty(span))
			continue;
		atomic_store_explicit(
			step_of(e, span->start), 1, memory_order_relaxed);
		atomic_store_explicit(
			step_of(e, span->end), 1, memory_order_relaxed);
	}
}

static void fill_times(void *context, uint32_t from, uint32_t to)
{
	const struct events *e = context;

	for (uint32_t k = from; k < to; k++) {
		uint32_t step =
			atomic_load_explicit(&e->step[k], memory_order_relaxed);

		if (step != NONE)
			e->of_step[step] = e->first + k;
	}
}

static void pin_spans(void *context, uint32_t from, uint32_t to)
{
	const struct events *e = context;

	for (uint32_t i = from; i < to; i++) {
		const struct time_span *span = span_of(e, i);

		if (!is_empty(span))
			pin(e, i,
				atomic_load_explicit(step_of(e, span->start),
					memory_order_relaxed),
				atomic_load_explicit(step_of(e, span->end),
					memory_order_relaxed));
	}
}

/* Numbers the times that are marked, ascending. Returns how many there are. */
static uint32_t number_steps(struct events *e, uint32_t range)
{
	uint32_t distinct = 0, marked;

	for (uint32_t k = 0; k < range; k++) {
		marked =
			atomic_load_explicit(&e->step[k], memory_order_relaxed);
		atomic_store_explicit(&e->step[k], marked ? distinct : NONE,
			memory_order_relaxed);
		distinct += marked;
	}
	return distinct;
}

/* Counts: a mark a time of the range, then the step of each. */
static bool count_times(
	struct events *e, struct arena *arena, struct arena *scratch)
{
	uint32_t range = place_in_range(e, e->last) + 1;
	uint32_t n_spans = e->n + e->gaps->n;

	e->step = NEW(scratch, atomic_uint, range);
	if (!e->step)
		return false;
	mp_threads_cut(arena->threads, n_spans, LEAST_CUT, mark_spans, e);
	e->of_step = make_times(e, number_steps(e, range), arena);
	if (!e->of_step)
		return false;
	mp_threads_cut(arena->threads, range, LEAST_CUT, fill_times, e);
	mp_threads_cut(arena->threads, n_spans, LEAST_CUT, pin_spans, e);
	return true;
}

/* ------------------------------------------------- times are sparse */

/* Fills the times of the events, with the sign bit flipped to sort as unsigned,
 * and lists them. */
static void list_events(
	const struct events *e, uint64_t *times, uint32_t *events)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->n + e->gaps->n; i++) {
		const struct time_span *span = span_of(e, i);

		if (is_empty(span))
			continue;
		times[2 * i] = (uint64_t)span->start ^ SIGN;
		times[2 * i + 1] = (uint64_t)span->end ^ SIGN;
		events[count++] = 2 * i;
		events[count++] = 2 * i + 1;
	}
	assert(count == e->count);
}

/* Sorts: the times become steps in their places. */
static bool sort_times(
	const struct events *e, struct arena *arena, struct arena *scratch)
{
	size_t room = ((size_t)e->n + e->gaps->n) * 2;
	uint64_t *times = NEW(scratch, uint64_t, room), before = 0;
	uint32_t *events = NEW(scratch, uint32_t, room);
	uint32_t *spare = NEW(scratch, uint32_t, room), distinct = 0;
	int64_t *of_step;

	if (!times || !events || !spare)
		return false;
	list_events(e, times, events);
	mp_sort_radix(events, spare, e->count, times);
	for (uint32_t i = 0; i < e->count; i++)
		distinct += i == 0 || times[events[i]] != times[events[i - 1]];
	of_step = make_times(e, distinct, arena);
	distinct = 0;
	for (uint32_t i = 0; of_step && i < e->count; i++) {
		uint64_t time = times[events[i]];

		if (i == 0 || time != before)
			of_step[distinct++] = (int64_t)(time ^ SIGN);
		before = time;
		times[events[i]] = distinct - 1;
	}
	for (uint32_t i = 0; of_step && i < e->n + e->gaps->n; i++)
		if (!is_empty(span_of(e, i)))
			pin(e, i, (uint32_t)times[2 * i],
				(uint32_t)times[2 * i + 1]);
	return of_step != NULL;
}

bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	struct events e = {
		.graph = graph, .spans = spans, .n = n, .gaps = gaps};
	bool fine;

	assert(n <= graph->n_tensors && ((size_t)n + gaps->n) * 2 <= NONE);
	find_range(&e);
	fine = (uint64_t)e.last - (uint64_t)e.first <
			       num_min((uint64_t)e.count * DENSE, NONE)
		       ? count_times(&e, arena, &scratch)
		       : sort_times(&e, arena, &scratch);
	mp_arena_free(&scratch);
	return fine;
}

/* ------------------------------------------------------------- gaps */

bool mp_input_gap_list_add(struct gap_list *gaps,
	const struct lifetime_gap *gap, const struct time_span *span,
	struct arena *arena)
{
	uint32_t room = gaps->room; /* both lists of gaps have the same */

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
