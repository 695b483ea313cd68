/*
 * Makes what a planner found the handle's plan, with what the file of a plan
 * that was read claims of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "verify/verify.h"

/* A plan file may know of more than the plan shows by itself: what a search has
 * proved, and which offsets its graph fixed. That is a claim. */
static uint64_t claim_of(uint64_t claimed, uint64_t proved, uint64_t size)
{
	return claimed > proved && claimed <= size ? claimed : 0;
}

/* A witness in the file shows at least as much as the one that was found, or it
 * is not taken. Of several pools each has its own, or none. */
static void keep_clique(memplan *m, struct ids tensors)
{
	struct plan *plan = &m->plan;
	struct verified_clique verified;

	if (tensors.n == 0 && !plan->spaces.at)
		return;
	if (!plan->spaces.at && plan->bound_kind == BOUND_CLIQUE &&
		(!mp_verify_clique(plan->problem, NULL, plan->offsets, 0,
			 tensors, &verified, &m->run) ||
			verified.bytes < plan->lower_bound))
		return;
	plan->clique = tensors;
}

/* Where a fixed offset and a clique force the same bound, a plan names the
 * first. Of a plan that is read only the clique shows. */
static bool is_forced_by_pin(const memplan *m, const struct claims *claims)
{
	return m->plan.bound_kind == BOUND_CLIQUE && claims->bound_kind &&
	       mp_problem_bound_find(claims->bound_kind) == BOUND_PIN &&
	       claims->lower_bound == m->plan.lower_bound &&
	       mp_plan_may_be_pinned(&m->plan, claims->lower_bound);
}

/* Where there is nothing to place, no planner makes the plan. */
static void keep_planner(struct plan *plan, const char *name)
{
	const struct planner *row = name ? mp_planner_find(name) : NULL;

	if (plan->problem->n_buffers == 0 && row)
		plan->planner = row->name;
}

static void keep_claims(memplan *m, const struct claims *claims)
{
	struct plan *plan = &m->plan;

	if (!claims->present || claims->arena_size != plan->arena_size)
		return;
	keep_clique(m, claims->clique);
	plan->pairs_bound = claims->pairs_bound;
	plan->claimed_cost_bound = claims->reuse_cost_bound;
	plan->banks.claimed = claims->bank_cost_bound;
	plan->claimed_bound = claim_of(
		claims->lower_bound, plan->lower_bound, plan->arena_size);
	plan->claimed_kind = claims->bound_kind;
	plan->claimed_clique = claims->clique;
	if (is_forced_by_pin(m, claims))
		plan->bound_kind = BOUND_PIN;
	for (uint32_t i = 0; claims->pools && i < plan->spaces.n; i++) {
		struct space *space = &plan->spaces.at[i];

		if (claims->pools[space->pool].arena_size == space->size)
			space->claimed_bound =
				claim_of(claims->pools[space->pool].lower_bound,
					space->lower_bound, space->size);
	}
}

/* What the members of this run have proved together is no claim. */
static void keep_bound_of_members(
	const struct claims *claims, struct plan *plan)
{
	if (claims->arena_size != plan->arena_size ||
		claims->lower_bound <= plan->lower_bound ||
		claims->lower_bound > plan->arena_size)
		return;
	plan->lower_bound = claims->lower_bound;
	if (claims->bound_kind)
		plan->bound_kind = mp_problem_bound_find(claims->bound_kind);
}

void mp_street_keep(memplan *m, const struct run *run,
	const struct schedule *schedule, const struct job *job)
{
	struct plan *plan = &m->plan;

	assert(run->graph == schedule->graph);
	assert(job->problem == &schedule->problem);
	m->planned = run->graph;
	plan->schedule = schedule;
	plan->problem = &schedule->problem;
	plan->arena_size = job->height;
	m->results.schedule = schedule;
	if (job->height == UINT64_MAX)
		return;
	plan->offsets = job->best;
	plan->spaces = job->spaces;
	plan->lower_bound = num_min(job->lower_bound, job->height);
	plan->bound_kind = job->bound_kind;
	plan->bound_steps = job->bound_steps;
	if (job->bound_kind == BOUND_CLIQUE || job->spaces.at)
		plan->clique = job->clique;
	plan->planner = job->winner;
	/* A plan that is read back stays what it was. */
	plan->cut_short =
		job->cut_short || (run->graph->claims.cut_short &&
					  mp_problem_is_given(job->problem));
	plan->pairs_bound = mp_schedule_pairs_bound(schedule);
	if (plan->pairs_bound >= plan->lower_bound)
		plan->pairs_bound = 0;
	if (run->layout)
		keep_bound_of_members(&run->graph->claims, plan);
	else
		keep_claims(m, &run->graph->claims);
	if (run->keeps_offsets)
		keep_planner(plan, run->graph->claims.planner);
	m->results.plan = plan;
	m->has_plan = true;
}
