/* SPDX-License-Identifier: MIT */
#include "problem/witness.h"

#include <stdio.h>

static unsigned long long number(uint64_t value)
{
	return value;
}

const char *mp_problem_witness_ties(const struct problem *p, uint32_t buffer)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		n += p->items[i].buffer == buffer;
	return n < 2 ? "" : ", with what it is tied to,";
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

/* The greatest at the step that is behind the one before; NULL: no more. */
static const struct item *next_greatest(
	const struct problem *p, const struct item *before)
{
	const struct item *found = NULL;

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct item *item = &p->items[i];

		if (item->buffer == NONE || item->start > p->peak_step ||
			p->peak_step >= item->end)
			continue;
		if (before &&
			(item->size > before->size ||
				(item->size == before->size && item <= before)))
			continue;
		if (!found || item->size > found->size)
			found = item;
	}
	return found;
}

static void say_peak(const struct problem *p, char *text, size_t length)
{
	const struct item *first = next_greatest(p, NULL);
	const struct item *second = first ? next_greatest(p, first) : NULL;

	if (first && second)
		snprintf(text, length,
			": '%.60s' (%llu) and '%.60s' (%llu)%s are alive at "
			"step %lld",
			mp_problem_item_label(first), number(first->size),
			mp_problem_item_label(second), number(second->size),
			next_greatest(p, second) ? " and others" : "",
			(long long)mp_problem_time(p, p->peak_step));
}

/* Where every offset is fixed, that is a plan, and no reason for it. */
static bool is_plan(const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].offset == NO_OFFSET)
			return false;
	return true;
}

void mp_problem_witness(const struct problem *problem, uint64_t capacity,
	char *text, size_t length)
{
	text[0] = '\0';
	if (is_plan(problem))
		return;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (say_buffer(problem, i, capacity, text, length))
			return;
	if (problem->n_steps > 0 &&
		problem->load[problem->peak_step] > capacity)
		say_peak(problem, text, length);
}
