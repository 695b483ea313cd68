/* SPDX-License-Identifier: MIT */
#include "problem/plan.h"

#include <string.h>

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

uint32_t mp_plan_space(const struct plan *plan, const struct item *item)
{
	if (item->buffer == NONE || !plan->spaces.at)
		return 0;
	return plan->spaces.of[item->buffer];
}

uint64_t mp_plan_base_alignment(const struct problem *problem)
{
	uint64_t align = num_max(problem->alignment, problem->margins.base);

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		align = num_max(align, problem->buffers[i].align);
	return align;
}

const char *mp_plan_planner(const struct plan *plan)
{
	if (strcmp(plan->planner, "given") == 0 &&
		plan->problem->claimed_planner)
		return plan->problem->claimed_planner;
	return plan->planner;
}

static void widen(struct extent *region, uint64_t low, uint64_t high)
{
	uint64_t top = num_max(region->base + region->size, high);

	if (region->size == 0)
		region->base = low;
	region->base = num_min(region->base, low);
	region->size = top - region->base;
}

static bool is_kept_in_group(const struct problem *p, uint32_t buffer)
{
	const struct tensor_group *group = p->ties.groups;

	for (; group != p->ties.groups + p->ties.n_groups; group++)
		for (uint32_t k = 0; k < group->members.n; k++) {
			const struct item *item =
				&p->items[group->members.at[k]];

			if (item->buffer == buffer &&
				mp_problem_item_is_kept(p, item))
				return true;
		}
	return false;
}

/* What is in one buffer with what is kept is kept with it: an alias, or a
 * member of its group. All of it lives throughout. */
static bool is_kept(const struct problem *p, uint32_t i)
{
	const struct item *item = &p->items[i];
	const struct tensor_alias *alias = mp_graph_ties_alias(&p->ties, i);

	if (item->start > 0 || item->end < p->n_steps)
		return false;
	return mp_problem_item_is_kept(
		       p, alias ? &p->items[alias->root] : item) ||
	       is_kept_in_group(p, item->buffer);
}

/* The bytes of items [first, first + n) in that space. */
static void find_regions(const struct plan *plan, uint32_t first, uint32_t n,
	uint32_t space, struct extent *shared, struct extent *kept)
{
	const struct problem *p = plan->problem;

	*shared = *kept = (struct extent){0, 0};
	for (uint32_t i = first; i < first + n; i++) {
		const struct item *item = &p->items[i];
		uint64_t low;

		if (item->buffer == NONE || mp_plan_space(plan, item) != space)
			continue;
		low = plan->offsets[item->buffer];
		widen(is_kept(p, i) ? kept : shared, low,
			low + p->buffers[item->buffer].size);
	}
}

void mp_plan_regions(const struct plan *plan, uint32_t member,
	struct extent *shared, struct extent *kept)
{
	const struct bundle_member *members = plan->problem->bundle.members;
	uint32_t first = 0, n = members[member].n_tensors;
	struct extent more, more_kept;

	for (uint32_t i = 0; i < member; i++)
		first += members[i].n_tensors;
	find_regions(plan, first, n, 0, shared, kept);
	if (!plan->spaces.at)
		return;
	shared->base = kept->base = 0;
	for (uint32_t k = 1; k < plan->spaces.n; k++) {
		find_regions(plan, first, n, k, &more, &more_kept);
		shared->size += more.size;
		kept->size += more_kept.size;
	}
}

const uint64_t *mp_plan_bases(const struct plan *plan, struct arena *arena)
{
	uint64_t *bases = NEW(arena, uint64_t, mp_plan_memories(plan));

	for (uint32_t i = 1; bases && i < plan->spaces.n; i++)
		bases[i] = bases[i - 1] + plan->spaces.at[i - 1].size;
	return bases;
}

const uint64_t *mp_plan_addresses(
	const struct plan *plan, const uint64_t *bases, struct arena *arena)
{
	uint64_t *addresses;

	if (!plan->spaces.at)
		return plan->offsets;
	addresses = NEW(arena, uint64_t, plan->problem->n_buffers);
	for (uint32_t i = 0; addresses && i < plan->problem->n_buffers; i++)
		addresses[i] = plan->offsets[i] + bases[plan->spaces.of[i]];
	return addresses;
}

uint32_t mp_plan_memories(const struct plan *plan)
{
	return plan->spaces.at ? plan->spaces.n : 1;
}

struct space mp_plan_memory(const struct plan *plan, uint32_t i)
{
	const struct problem *p = plan->problem;

	if (plan->spaces.at)
		return plan->spaces.at[i];
	return (struct space){.capacity = NO_CAPACITY,
		.alignment = p->alignment,
		.base_alignment = mp_plan_base_alignment(p),
		.size = plan->arena_size,
		.theoretical_min = p->theoretical_min,
		.lower_bound = plan->lower_bound,
		.bound_kind = plan->bound_kind,
		.planner = plan->planner,
		.n_buffers = p->n_buffers};
}

const char *mp_problem_bound_name(enum bound_kind kind)
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

struct byte_range mp_plan_states(const struct plan *plan)
{
	const struct problem *p = plan->problem;
	uint64_t low = UINT64_MAX, high = 0, at;

	/* Of several graphs each has its own, which its report names; in
	 * several pools there is no one region. */
	for (uint32_t i = 0;
		p->bundle.n == 0 && !plan->spaces.at && i < p->n_items; i++) {
		if (p->items[i].kind != ITEM_STATE ||
			p->items[i].buffer == NONE)
			continue;
		at = mp_plan_offset(plan, &p->items[i]);
		low = num_min(low, at);
		high = num_max(high, at + p->items[i].size);
	}
	return (struct byte_range){high ? low : 0, high ? high - low : 0};
}
