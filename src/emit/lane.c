/*
 * The bytes that are alive in one of a plan's memories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>

uint32_t mp_emit_lane_of(const struct plan *plan, const struct part *part)
{
	assert(part->buffer < plan->problem->n_buffers);
	return plan->spaces.at ? plan->spaces.of[part->buffer] : 0;
}

/* What lies elsewhere takes no bytes here; branches exclude each other as
 * before. */
static bool measure(
	const struct plan *plan, struct lane *lane, struct arena *arena)
{
	struct problem own = *plan->problem;

	assert(plan->spaces.at && lane->index < plan->spaces.n);
	own.n_parts = 0;
	own.parts = NEW(arena, struct part, plan->problem->n_parts);
	if (!own.parts)
		return false;
	for (uint32_t i = 0; i < plan->problem->n_parts; i++) {
		const struct part *part = &plan->problem->parts[i];
		struct part *copy = &own.parts[own.n_parts];

		if (mp_emit_lane_of(plan, part) != lane->index)
			continue;
		*copy = *part;
		copy->size = mp_problem_subproblem_size(
			plan->problem, i, lane->space.alignment);
		own.n_parts++;
	}
	if (!mp_problem_measure(&own, arena, arena->error))
		return false;
	lane->load = own.load;
	lane->peak_step = own.peak_step;
	return true;
}

bool mp_emit_lane(const struct plan *plan, uint32_t i, struct lane *lane,
	struct arena *arena)
{
	const struct problem *p = plan->problem;

	assert(i < mp_plan_memories(plan));
	*lane = (struct lane){
		mp_plan_memory(plan, i), i, p->load, p->peak_step};
	return !plan->spaces.at || measure(plan, lane, arena);
}
