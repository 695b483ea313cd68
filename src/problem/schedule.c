/* SPDX-License-Identifier: MIT */
#include "problem/schedule.h"

#include <assert.h>

const struct op *mp_schedule_op(const struct schedule *s, uint32_t step)
{
	return step < s->graph->n_ops ? &s->graph->ops[s->order[step]] : NULL;
}

const char *mp_schedule_op_name(const struct schedule *s, uint32_t step)
{
	const struct op *op = mp_schedule_op(s, step);

	if (!op)
		return NULL;
	return op->name[0] ? op->name : op->type;
}

bool mp_schedule_before(const struct schedule *s, uint32_t a, uint32_t b)
{
	uint32_t stream = s->graph->ops[a].stream;

	assert(s->clocks && stream < s->graph->n_streams);
	return a != b && s->clocks[(size_t)b * s->graph->n_streams + stream] >=
				 s->position[a];
}

bool mp_schedule_outlives(const struct schedule *s, uint32_t tensor)
{
	uint8_t kind = s->graph->tensors[tensor].kind;

	return kind == KIND_WEIGHT || kind == KIND_STATE ||
	       mp_schedule_stay(s, tensor).throughout;
}

bool mp_schedule_is_kept(const struct schedule *s, uint32_t tensor)
{
	const struct stay stay = mp_schedule_stay(s, tensor);

	return mp_schedule_outlives(s, tensor) && stay.buffer != NONE &&
	       stay.start == 0 && stay.end == s->problem.n_steps;
}

bool mp_schedule_takes_over(
	const struct schedule *s, uint32_t output, uint32_t input)
{
	const struct stay *out = &s->stay[output], *in = &s->stay[input];

	return out->buffer != NONE && out->buffer == in->buffer &&
	       out->base == in->base && out->start == in->end;
}

bool mp_schedule_may_share(const struct inplace_outcome *pair)
{
	return pair->verdict == INPLACE_SHARED ||
	       pair->verdict == INPLACE_TAKEN ||
	       pair->verdict == INPLACE_TAKES || pair->verdict == INPLACE_LEFT;
}

static uint64_t largest_tensor(const struct schedule *s)
{
	uint64_t most = 0;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (s->stay[t].buffer != NONE)
			most = num_max(most, s->graph->tensors[t].size);
	return most;
}

/* What a plan file says of its lifetimes is no choice any more. */
uint64_t mp_schedule_pairs_bound(const struct schedule *s)
{
	bool any = false;

	if (s->graph->claims.present || s->problem.pools)
		return 0;
	for (uint32_t i = 0; i < s->n_inplace; i++)
		any |= mp_schedule_may_share(&s->inplace[i]);
	if (!any)
		return 0;
	return s->pairs_open ? largest_tensor(s) : s->problem.theoretical_min;
}

uint32_t mp_schedule_highest(const struct schedule *s, uint32_t buffer)
{
	uint32_t found = NONE;
	uint64_t top = 0;

	assert(buffer != NONE);
	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		struct stay stay = mp_schedule_stay(s, t);
		uint64_t end = stay.base + s->graph->tensors[t].size;

		if (stay.buffer != buffer || (found != NONE && end <= top))
			continue;
		found = t;
		top = end;
	}
	return found;
}

uint32_t mp_schedule_count(const struct schedule *s, uint32_t buffer)
{
	uint32_t n = 0;

	assert(buffer != NONE);
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		n += mp_schedule_stay(s, t).buffer == buffer;
	return n;
}

uint32_t mp_schedule_tensor_of(
	const struct schedule *s, const struct part *part, uint32_t buffer)
{
	assert(buffer != NONE && part->start < part->end);
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (mp_schedule_stay(s, t).buffer == buffer &&
			mp_schedule_begins_in(s, t, part))
			return t;
	return NONE;
}

bool mp_schedule_unfold(struct schedule *s, struct arena *arena)
{
	uint32_t n = s->graph->n_tensors;
	struct stay *stay;

	if (!mp_problem_unfold(&s->problem, arena))
		return false;
	if (s->stay)
		return true;
	stay = NEW(arena, struct stay, n);
	for (uint32_t t = 0; stay && t < n; t++)
		stay[t] = mp_schedule_stay(s, t);
	s->stay = stay;
	return stay != NULL;
}

/* ------------------------------------------------------- assertions */

#ifndef NDEBUG

static void assert_tensor(const struct schedule *s, uint32_t tensor)
{
	const struct stay stay = mp_schedule_stay(s, tensor);
	const struct problem *p = &s->problem;

	assert(stay.start <= stay.end && stay.end <= p->n_steps);
	assert(stay.start < stay.end || stay.buffer != NONE);
	assert(stay.buffer == NONE || stay.buffer < p->n_buffers);
	assert(stay.buffer == NONE || !s->graph->tensors[tensor].external);
}

void mp_schedule_assert(const struct schedule *s)
{
	mp_problem_assert(&s->problem);
	assert(s->problem.schedule == s && !s->problem.whole);
	assert(s->stay || s->problem.n_buffers == s->graph->n_tensors);
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		assert_tensor(s, t);
	for (uint32_t i = 0; i < s->graph->n_ops; i++)
		assert(s->order[i] < s->graph->n_ops);
	assert(s->problem.n_streams <= 1 || s->clocks);
	for (uint32_t i = 0; i < s->n_inplace; i++)
		assert(s->inplace[i].op < s->graph->n_ops);
}

#else

void mp_schedule_assert(const struct schedule *s)
{
	(void)s;
}

#endif
