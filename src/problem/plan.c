/* SPDX-License-Identifier: MIT */
#include "problem/plan.h"

#include <assert.h>
#include <string.h>

uint64_t mp_plan_height(const struct problem *problem, const uint64_t *offsets)
{
	uint64_t height = 0;

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		height = num_max(height, offsets[i] + problem->buffers[i].size);
	return height;
}

uint64_t mp_plan_offset(const struct plan *plan, uint32_t tensor)
{
	const struct stay stay = mp_schedule_stay(plan->schedule, tensor);

	if (stay.buffer == NONE)
		return 0;
	return plan->offsets[stay.buffer] + stay.base;
}

uint32_t mp_plan_space(const struct plan *plan, uint32_t tensor)
{
	uint32_t buffer;

	if (!plan->spaces.at)
		return 0;
	buffer = plan->schedule->stay[tensor].buffer;
	return buffer == NONE ? 0 : plan->spaces.of[buffer];
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
	const char *claimed = plan->problem->claimed_planner;

	return strcmp(plan->planner, "given") == 0 && claimed ? claimed
							      : plan->planner;
}

static void widen(struct extent *region, uint64_t low, uint64_t high)
{
	uint64_t top = num_max(region->base + region->size, high);

	if (region->size == 0)
		region->base = low;
	region->base = num_min(region->base, low);
	region->size = top - region->base;
}

static bool is_kept_in_group(const struct schedule *s, uint32_t buffer)
{
	const struct ties *ties = &s->graph->ties;

	for (uint32_t i = 0; i < ties->n_groups; i++) {
		const struct ids *members = &ties->groups[i].members;

		for (uint32_t k = 0; k < members->n; k++)
			if (s->stay[members->at[k]].buffer == buffer &&
				mp_schedule_is_kept(s, members->at[k]))
				return true;
	}
	return false;
}

/* An alias of a tensor that is kept is kept with it, and so is a member of its
 * group, if it lives throughout. */
static bool is_kept(const struct schedule *s, uint32_t t)
{
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&s->graph->ties, t);

	if (s->stay[t].start > 0 || s->stay[t].end < s->problem.n_steps)
		return false;
	return mp_schedule_is_kept(s, alias ? alias->root : t) ||
	       is_kept_in_group(s, s->stay[t].buffer);
}

/* The bytes of tensors [first, first + n) in that space. */
static void find_regions(const struct plan *plan, uint32_t first, uint32_t n,
	uint32_t space, struct extent *shared, struct extent *kept)
{
	const struct schedule *s = plan->schedule;

	*shared = *kept = (struct extent){0, 0};
	for (uint32_t t = first; t < first + n; t++) {
		uint32_t buffer = s->stay[t].buffer;
		uint64_t low;

		if (buffer == NONE || mp_plan_space(plan, t) != space)
			continue;
		low = plan->offsets[buffer];
		widen(is_kept(s, t) ? kept : shared, low,
			low + s->problem.buffers[buffer].size);
	}
}

void mp_plan_regions(const struct plan *plan, uint32_t member,
	struct extent *shared, struct extent *kept)
{
	const struct bundle_member *members =
		plan->schedule->graph->bundle.members;
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
		.claimed_bound = plan->claimed_bound,
		.clique = plan->clique,
		.planner = plan->planner,
		.n_buffers = p->n_buffers};
}

static const char *const bound_names[N_BOUNDS] = {
	"load", "pin", "clique", "search", "proof"};

const char *mp_problem_bound_name(enum bound_kind kind)
{
	assert(kind < N_BOUNDS);
	return bound_names[kind];
}

enum bound_kind mp_problem_bound_find(const char *name)
{
	uint32_t kind = 0;

	while (kind < N_BOUNDS && strcmp(bound_names[kind], name) != 0)
		kind++;
	return kind;
}

bool mp_plan_is_optimal(const struct plan *plan)
{
	return plan->arena_size == plan->lower_bound && plan->pairs_bound == 0;
}

struct extent mp_plan_states(const struct plan *plan)
{
	const struct graph *graph = plan->schedule->graph;
	uint64_t low = UINT64_MAX, high = 0, at;

	/* In a bundle each member has a region, which its report names; with
	 * several pools there is no one region. */
	for (uint32_t t = 0; graph->bundle.n == 0 && !plan->spaces.at &&
			     t < graph->n_tensors;
		t++) {
		if (graph->tensors[t].kind != KIND_STATE ||
			mp_schedule_stay(plan->schedule, t).buffer == NONE)
			continue;
		at = mp_plan_offset(plan, t);
		low = num_min(low, at);
		high = num_max(high, at + graph->tensors[t].size);
	}
	return (struct extent){high ? low : 0, high ? high - low : 0};
}

/* Do tensors begin at greater multiples than their sizes are rounded to? */
static bool has_alignment(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].align > graph->alignment)
			return true;
	for (uint32_t i = 0; i < graph->n_pools; i++)
		if (graph->pools[i].alignment > graph->alignment)
			return true;
	return false;
}

bool mp_plan_has_region(const struct plan *plan)
{
	const struct graph *graph = plan->schedule->graph;
	uint32_t n = 0;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		n += graph->tensors[t].kind == KIND_STATE &&
		     graph->tensors[t].size > 0;
	return n > 1 && has_alignment(graph);
}

bool mp_plan_may_be_pinned(const struct plan *plan, uint64_t end)
{
	const struct problem *p = plan->problem;

	if (plan->spaces.at || mp_plan_has_region(plan))
		return true;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (plan->offsets[i] + p->buffers[i].size == end)
			return true;
	return false;
}
