/* SPDX-License-Identifier: MIT */
#include "plan.h"

uint64_t mp_plan_height(const struct problem *problem, const uint64_t *offsets)
{
	uint64_t height = 0;

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		height = num_max(height, offsets[i] + problem->buffers[i].size);
	return height;
}

uint64_t mp_plan_offset(const struct plan *plan, const struct item *item)
{
	if (item->buffer == NONE)
		return 0;
	return plan->offsets[item->buffer] + item->base;
}

uint64_t mp_plan_base_alignment(const struct problem *problem)
{
	uint64_t align = num_max(problem->alignment, problem->margins.base);

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		align = num_max(align, problem->buffers[i].align);
	return align;
}

const char *mp_bound_name(enum bound_kind kind)
{
	switch (kind) {
	case BOUND_LOAD:
		return "load";
	case BOUND_SEARCH:
		return "search";
	case BOUND_PIN:
		return "pin";
	case BOUND_CLAIM:
		return "claim";
	}
	return "?";
}
