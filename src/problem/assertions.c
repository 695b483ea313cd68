/* SPDX-License-Identifier: MIT */
#include "problem/assertions.h"

#include <assert.h>

#ifndef NDEBUG

static void assert_part(const struct problem *p, uint32_t i, uint32_t buffer)
{
	const struct part *part = &p->parts[i];
	const struct buffer *whole = &p->buffers[buffer];

	assert(part->buffer == buffer && part->size > 0);
	assert(part->base + part->size <= whole->size);
	assert(part->start < part->end && part->end <= p->n_steps);
	assert(whole->start <= part->start && part->end <= whole->end);
	assert(p->n_streams <= 1 || p->stream[i] < p->n_streams);
}

void mp_problem_assert(const struct problem *p)
{
	uint32_t n = 0;

	assert(num_is_pow2(p->alignment) && p->n_streams > 0);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *buffer = &p->buffers[i];

		assert(buffer->first_part == n);
		assert(num_is_pow2(buffer->align));
		for (uint32_t k = 0; k < buffer->n_parts; k++)
			assert_part(p, n++, i);
		assert(!p->choice || p->choice[i] == NONE ||
			p->choice[i] < p->n_choices);
	}
	assert(n == p->n_parts);
	assert(p->n_reserved == 0 ||
		p->first_reserved + p->n_reserved == p->n_buffers);
	assert(p->n_steps == 0 || p->peak_step < p->n_steps);
}

static void assert_tensor(const struct schedule *s, uint32_t tensor)
{
	const struct stay *stay = &s->stay[tensor];
	const struct problem *p = &s->problem;

	assert(stay->start < stay->end && stay->end <= p->n_steps);
	assert(stay->buffer == NONE || stay->buffer < p->n_buffers);
	assert(stay->buffer == NONE || !s->graph->tensors[tensor].external);
}

void mp_schedule_assert(const struct schedule *s)
{
	mp_problem_assert(&s->problem);
	assert(s->problem.schedule == s && !s->problem.whole);
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		assert_tensor(s, t);
	for (uint32_t i = 0; i < s->graph->n_ops; i++)
		assert(s->order[i] < s->graph->n_ops);
	assert(s->problem.n_streams <= 1 || s->clocks);
	for (uint32_t i = 0; i < s->n_inplace; i++)
		assert(s->inplace[i].op < s->graph->n_ops);
}

#else

void mp_problem_assert(const struct problem *p)
{
	(void)p;
}

void mp_schedule_assert(const struct schedule *s)
{
	(void)s;
}

#endif
