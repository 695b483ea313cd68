/*
 * Witnesses: a few tensors that show why no plan fits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/problem.h"

#include <stdio.h>

#include "problem/schedule.h"

static unsigned long long number(uint64_t value)
{
	return value;
}

const char *mp_problem_witness_ties(const struct problem *p, uint32_t buffer)
{
	return mp_problem_is_shared(p, buffer) ? ", with what it is tied to,"
					       : "";
}

static bool say_buffer(const struct problem *p, uint32_t i, uint64_t capacity,
	char *text, size_t length)
{
	const struct buffer *buffer = &p->buffers[i];
	uint64_t low = buffer->offset == NO_OFFSET ? 0 : buffer->offset;

	if (low + buffer->size <= capacity)
		return false;
	if (buffer->offset != NO_OFFSET)
		snprintf(text, length,
			": '%.80s' is fixed, and ends at byte %llu",
			mp_problem_label(p, i), number(low + buffer->size));
	else
		snprintf(text, length, ": '%.80s'%s takes %llu",
			mp_problem_label(p, i), mp_problem_witness_ties(p, i),
			number(buffer->size));
	return true;
}

/* The two greatest tensors at the peak, of equal ones the first. */
static void say_peak(const struct schedule *s, char *text, size_t length)
{
	const struct tensor *tensors = s->graph->tensors;
	uint32_t first = NONE, second = NONE, n = 0;
	uint32_t peak = s->problem.peak_step;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		const struct stay *stay = &s->stay[t];

		if (stay->buffer == NONE || stay->start > peak ||
			stay->end <= peak)
			continue;
		n++;
		if (first == NONE || tensors[t].size > tensors[first].size) {
			second = first;
			first = t;
		} else if (second == NONE ||
			   tensors[t].size > tensors[second].size) {
			second = t;
		}
	}
	if (second == NONE)
		return;
	snprintf(text, length,
		": '%.60s' (%llu) and '%.60s' (%llu)%s are alive at %s %lld",
		mp_graph_tensor_label(&tensors[first]),
		number(tensors[first].size),
		mp_graph_tensor_label(&tensors[second]),
		number(tensors[second].size), n > 2 ? " and others" : "",
		mp_problem_axis(&s->problem),
		(long long)mp_problem_time(&s->problem, peak));
}

void mp_problem_witness(const struct schedule *schedule, uint64_t capacity,
	char *text, size_t length)
{
	const struct problem *problem = &schedule->problem;

	text[0] = '\0';
	if (mp_problem_is_plan(problem))
		return;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (say_buffer(problem, i, capacity, text, length))
			return;
	if (problem->n_steps > 0 &&
		problem->load[problem->peak_step] > capacity)
		say_peak(schedule, text, length);
}
