/*
 * greedy: list scheduling in space. Buffers are placed one after the other in
 * an order by keys, each at a gap between the placed buffers that it conflicts
 * with. A row is an order and a choice of gap. Several published planners are
 * such rows; docs/planners.md says which.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/greedy.h"

#include <assert.h>

#include "planners/rows.h"

static const struct greedy_rule rules[] = {
	[GREEDY_SIZE] = {{RANK_SIZE, RANK_START}, FIT_LOWEST},
	[GREEDY_SIZE_BEST] = {{RANK_SIZE, RANK_START}, FIT_BEST},
	[GREEDY_AREA] = {{RANK_AREA, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_LIFETIME] = {{RANK_LIFETIME, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_LIFETIME_BEST] = {{RANK_LIFETIME, RANK_SIZE}, FIT_BEST},
	[GREEDY_CONFLICTS] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_CONFLICTS_BEST] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_BEST},
	[GREEDY_URGENCY] = {{RANK_PRESSURE, RANK_LIFETIME, RANK_START,
				    RANK_SIZE},
		FIT_LOWEST},
	[GREEDY_BREADTH] = {{RANK_PRESSURE, RANK_SIZE, RANK_START}, FIT_LOWEST},
	[GREEDY_BREADTH_BEST] = {{RANK_PRESSURE, RANK_SIZE, RANK_START},
		FIT_BEST},
	[ONLINE_BEST] = {{RANK_START}, FIT_BEST},
};

struct pass {
	struct job *job;
	struct conflicts conflicts;
	uint64_t *offsets;
	uint64_t top;	/* of the buffers placed so far */
	uint64_t limit; /* a plan of this height is of no use */
	uint64_t work;
};

enum {
	/* Steps a buffer that a pass may do beyond its budget: about half a
	 * millisecond, and 16,000 conflicts that are met */
	STEPS_PER_BUFFER = 4096
};

bool mp_planner_greedy_goes_on(struct job *job, uint64_t work, uint64_t *done)
{
	*done += work;
	if (mp_planner_job_step(job, work))
		return true;
	return !job->cut_short && job->height == UINT64_MAX &&
	       *done < (uint64_t)STEPS_PER_BUFFER * job->problem->n_buffers;
}

static void raise_top(struct pass *pass, uint32_t buffer)
{
	pass->top = num_max(
		pass->top, pass->offsets[buffer] +
				   pass->job->problem->buffers[buffer].size);
}

/* Out of budget: stacks the rest above everything. That is a plan, though one
 * that most likely reaches the limit if the job has a plan already. They go by
 * birth, as the verifier does: else it takes seconds for a million of them. */
static void stack_rest(struct pass *pass, const uint32_t *order, uint32_t from)
{
	const struct problem *problem = pass->job->problem;

	for (uint32_t i = from; i < problem->n_buffers; i++)
		if (problem->buffers[order[i]].offset == NO_OFFSET)
			pass->offsets[order[i]] = NO_OFFSET;
	for (uint32_t rank = 0; rank < problem->n_parts; rank++) {
		uint32_t part = pass->conflicts.part[rank];
		uint32_t buffer = problem->parts[part].buffer;

		if (pass->offsets[buffer] != NO_OFFSET)
			continue;
		pass->offsets[buffer] =
			num_up(pass->top, problem->buffers[buffer].align);
		raise_top(pass, buffer);
	}
}

/* False: memory is out. Ends early when the limit is reached. */
static bool place_all(struct pass *pass, const uint32_t *order, enum fit fit)
{
	const struct problem *problem = pass->job->problem;

	assert(pass->top == 0);
	pass->top = mp_planner_take_fixed(problem, pass->offsets);
	mp_planner_conflicts_place_fixed(&pass->conflicts);
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		uint32_t buffer = order[i];

		if (problem->buffers[buffer].offset != NO_OFFSET)
			continue;
		if (!mp_planner_conflicts_fit(&pass->conflicts, buffer, fit,
			    &pass->offsets[buffer]))
			return false;
		mp_planner_conflicts_place(
			&pass->conflicts, buffer, pass->offsets[buffer]);
		raise_top(pass, buffer);
		if (pass->top >= pass->limit)
			return true;
		if (!mp_planner_greedy_goes_on(pass->job,
			    4 + pass->conflicts.n_met / 4, &pass->work)) {
			stack_rest(pass, order, i + 1);
			return true;
		}
	}
	return true;
}

#ifndef NDEBUG
/* For assert(): each buffer once. Sums of indices and of their squares tell
 * nearly all mistakes, without memory. */
static bool is_permutation(const uint32_t *order, uint32_t n)
{
	uint64_t sum = 0, squares = 0;

	for (uint64_t i = 0; i < n; i++) {
		sum += order[i] - i;
		squares += (uint64_t)order[i] * order[i] - i * i;
		if (order[i] >= n)
			return false;
	}
	return sum == 0 && squares == 0;
}
#endif

bool mp_planner_greedy_fill(struct job *job, const uint32_t *order,
	enum fit fit, uint64_t limit, uint64_t *offsets, uint64_t *height)
{
	struct pass pass = {.job = job, .offsets = offsets, .limit = limit};

	assert(is_permutation(order, job->problem->n_buffers));
	if (!mp_planner_conflicts_init(
		    &pass.conflicts, job->problem, job->arena) ||
		!place_all(&pass, order, fit))
		return false;
	*height = pass.top < limit ? pass.top : UINT64_MAX;
	return true;
}

enum outcome mp_planner_greedy_follow(
	struct job *job, const struct greedy_rule *rule)
{
	uint32_t *order = NEW(job->arena, uint32_t, job->problem->n_buffers);
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	uint64_t height;

	assert(mp_planner_job_is_sound(job));
	if (!order || !offsets ||
		!mp_planner_rank_buffers(
			job->problem, rule->keys, order, job->arena) ||
		!mp_planner_greedy_fill(
			job, order, rule->fit, job->height, offsets, &height))
		return PLAN_FAILED;
	if (height == UINT64_MAX)
		return PLAN_GAVE_UP;
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

enum outcome mp_planner_greedy_run(struct job *job, int variant)
{
	assert(variant >= 0 && (size_t)variant < countof(rules));
	return mp_planner_greedy_follow(job, &rules[variant]);
}
