/* SPDX-License-Identifier: MIT */
#include "problem/witness.h"

#include <stdio.h>

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

static bool is_at_peak(const struct schedule *s, uint32_t t)
{
	const struct stay *stay = &s->stay[t];

	return stay->buffer != NONE && stay->start <= s->problem.peak_step &&
	       s->problem.peak_step < stay->end;
}

/* The next tensor at the peak in descending order of size; NONE: no more. Begin
 * with NONE. */
static uint32_t next_greatest(const struct schedule *s, uint32_t before)
{
	const struct tensor *tensors = s->graph->tensors;
	uint32_t found = NONE;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		if (!is_at_peak(s, t))
			continue;
		if (before != NONE &&
			(tensors[t].size > tensors[before].size ||
				(tensors[t].size == tensors[before].size &&
					t <= before)))
			continue;
		if (found == NONE || tensors[t].size > tensors[found].size)
			found = t;
	}
	return found;
}

static void say_peak(const struct schedule *s, char *text, size_t length)
{
	uint32_t first = next_greatest(s, NONE);
	uint32_t second = first != NONE ? next_greatest(s, first) : NONE;
	const struct tensor *tensors = s->graph->tensors;

	if (second == NONE)
		return;
	snprintf(text, length,
		": '%.60s' (%llu) and '%.60s' (%llu)%s are alive at step %lld",
		mp_graph_tensor_label(&tensors[first]),
		number(tensors[first].size),
		mp_graph_tensor_label(&tensors[second]),
		number(tensors[second].size),
		next_greatest(s, second) != NONE ? " and others" : "",
		(long long)mp_problem_time(&s->problem, s->problem.peak_step));
}

/* If every offset is fixed, the input is a plan, and not a reason for one. */
static bool is_plan(const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].offset == NO_OFFSET)
			return false;
	return true;
}

void mp_problem_witness(const struct schedule *schedule, uint64_t capacity,
	char *text, size_t length)
{
	const struct problem *problem = &schedule->problem;

	text[0] = '\0';
	if (is_plan(problem))
		return;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (say_buffer(problem, i, capacity, text, length))
			return;
	if (problem->n_steps > 0 &&
		problem->load[problem->peak_step] > capacity)
		say_peak(schedule, text, length);
}
