/*
 * linear: one buffer behind the other, which is what a program without reuse
 * takes. Fixed offsets are kept; the other buffers follow the last fixed one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

uint64_t mp_planner_take_fixed(const struct problem *problem, uint64_t *offsets)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *buffer = &problem->buffers[i];

		if (buffer->offset == NO_OFFSET)
			continue;
		offsets[i] = buffer->offset;
		end = num_max(end, buffer->offset + buffer->size);
	}
	return end;
}

enum outcome mp_planner_linear_run(struct job *job, int variant)
{
	const struct problem *problem = job->problem;
	uint64_t *offsets = NEW(job->arena, uint64_t, problem->n_buffers);
	uint64_t end;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!offsets)
		return PLAN_FAILED;
	end = mp_planner_take_fixed(problem, offsets);
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *buffer = &problem->buffers[i];

		if (buffer->offset != NO_OFFSET)
			continue;
		offsets[i] = num_up(end, buffer->align);
		end = offsets[i] + buffer->size;
	}
	return mp_planner_job_offer(job, offsets) ? PLAN_FOUND : PLAN_FAILED;
}
