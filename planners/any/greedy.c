/*
 * Greedy: one buffer after the other by a rule, each at the gap that the fit
 * picks. A row is a rule and a fit. Several published planners are such rows;
 * docs/planners.md says which.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/greedy.h"

#include "planners/rows.h"

struct rule {
	enum rank_key keys[RANK_KEYS];
	enum fit fit;
};

static const struct rule rules[] = {
	[GREEDY_SIZE] = {{RANK_SIZE, RANK_START}, FIT_LOWEST},
	[GREEDY_SIZE_BEST] = {{RANK_SIZE, RANK_START}, FIT_BEST},
	[GREEDY_AREA] = {{RANK_AREA, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_AREA_BEST] = {{RANK_AREA, RANK_SIZE}, FIT_BEST},
	[GREEDY_LIFETIME] = {{RANK_LIFETIME, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_LIFETIME_BEST] = {{RANK_LIFETIME, RANK_SIZE}, FIT_BEST},
	[GREEDY_CONFLICTS] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_LOWEST},
	[GREEDY_CONFLICTS_BEST] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_BEST},
	[GREEDY_URGENCY] = {{RANK_PRESSURE, RANK_LIFETIME, RANK_START,
				    RANK_SIZE},
		FIT_LOWEST},
	[GREEDY_URGENCY_BEST] = {{RANK_PRESSURE, RANK_LIFETIME, RANK_START,
					 RANK_SIZE},
		FIT_BEST},
	[GREEDY_BREADTH] = {{RANK_PRESSURE, RANK_SIZE, RANK_START}, FIT_LOWEST},
	[GREEDY_BREADTH_BEST] = {{RANK_PRESSURE, RANK_SIZE, RANK_START},
		FIT_BEST},
	[ONLINE_BEST] = {{RANK_START}, FIT_BEST},
	[TFLITE_GREEDY] = {{RANK_WHOLE, RANK_SIZE, RANK_START}, FIT_BEST},
	[XLA_SPATIAL] = {{RANK_SIZE, RANK_LIFETIME}, FIT_BEST},
	[XLA_TEMPORAL] = {{RANK_LIFETIME, RANK_SIZE}, FIT_BEST},
	[TVM_SIZE] = {{RANK_SIZE, RANK_CONFLICTS}, FIT_TOP},
	[TVM_CONFLICTS] = {{RANK_CONFLICTS, RANK_SIZE}, FIT_TOP},
	[MLIR_BEST] = {{RANK_START, RANK_SIZE}, FIT_BEST},
};

struct run {
	struct job *job;
	struct conflicts conflicts;
	uint64_t *offsets;
	uint64_t top;	/* of all that is placed */
	uint64_t limit; /* a plan of this height is of no use */
	uint64_t work;
};

/* Work that one pass may do for each buffer, about half a millisecond. */
enum {
	PASS = 4096
};

bool mp_planner_greedy_goes_on(struct job *job, uint64_t work, uint64_t *done)
{
	*done += work;
	if (mp_planner_job_step(job, work))
		return true;
	return !job->cut_short && job->height == UINT64_MAX &&
	       *done < (uint64_t)PASS * job->problem->n_buffers;
}

static void note(struct run *run, uint32_t buffer)
{
	run->top = num_max(run->top,
		run->offsets[buffer] + run->job->problem->buffers[buffer].size);
}

static void place_fixed(struct run *run)
{
	const struct problem *problem = run->job->problem;

	mp_planner_conflicts_place_fixed(&run->conflicts, run->offsets);
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (problem->buffers[i].offset != NO_OFFSET)
			note(run, i);
}

/* Out of budget: the rest, one on the other, above everything. That is a plan,
 * and if there is one already it most likely reaches the limit. */
static void stack(struct run *run, const uint32_t *order, uint32_t from)
{
	const struct problem *problem = run->job->problem;

	for (uint32_t i = from; i < problem->n_buffers; i++) {
		const struct buffer *buffer = &problem->buffers[order[i]];

		if (buffer->offset != NO_OFFSET)
			continue;
		run->offsets[order[i]] = num_up(run->top, buffer->align);
		note(run, order[i]);
	}
}

/* False: memory is out. Stops early when the limit is reached. */
static bool place_all(struct run *run, const uint32_t *order, enum fit fit)
{
	const struct problem *problem = run->job->problem;

	place_fixed(run);
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		uint32_t buffer = order[i];

		if (problem->buffers[buffer].offset != NO_OFFSET)
			continue;
		if (!mp_planner_conflicts_fit(&run->conflicts, buffer, fit,
			    &run->offsets[buffer]))
			return false;
		mp_planner_conflicts_place(
			&run->conflicts, buffer, run->offsets[buffer]);
		note(run, buffer);
		if (run->top >= run->limit)
			return true;
		if (!mp_planner_greedy_goes_on(run->job,
			    4 + run->conflicts.n_met / 4, &run->work)) {
			stack(run, order, i + 1);
			return true;
		}
	}
	return true;
}

bool mp_planner_greedy_fill(struct job *job, const uint32_t *order,
	enum fit fit, uint64_t limit, uint64_t *offsets, uint64_t *height)
{
	struct run run = {.job = job, .offsets = offsets, .limit = limit};

	if (!mp_planner_conflicts_init(
		    &run.conflicts, job->problem, job->arena) ||
		!place_all(&run, order, fit))
		return false;
	*height = run.top < limit ? run.top : UINT64_MAX;
	return true;
}

enum outcome mp_planner_greedy_place(
	struct job *job, const uint32_t *order, enum fit fit)
{
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	uint64_t height;

	if (!offsets || !mp_planner_greedy_fill(
				job, order, fit, job->height, offsets, &height))
		return PLAN_FAILED;
	if (height == UINT64_MAX)
		return PLAN_GAVE_UP;
	if (!mp_planner_job_offer(job, offsets))
		return PLAN_FAILED;
	return mp_planner_job_done(job) ? PLAN_OPTIMAL : PLAN_FOUND;
}

enum outcome mp_planner_greedy_run(struct job *job, int variant)
{
	const struct rule *rule = &rules[variant];
	uint32_t *order = NEW(job->arena, uint32_t, job->problem->n_buffers);

	if (!order || !mp_planner_rank_buffers(
			      job->problem, rule->keys, order, job->arena))
		return PLAN_FAILED;
	return mp_planner_greedy_place(job, order, rule->fit);
}

/* The row and the one behind it: what is smaller stays. */
enum outcome mp_planner_greedy_better(struct job *job, int variant)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome first = mp_planner_greedy_run(job, variant), second;

	mp_arena_rewind(job->arena, mark);
	if (first == PLAN_FAILED || first == PLAN_OPTIMAL)
		return first;
	second = mp_planner_greedy_run(job, variant + 1);
	return second == PLAN_GAVE_UP ? first : second;
}
