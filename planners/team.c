/*
 * Rows that share one budget in rounds, and may run at the same time. The plan
 * does not depend on the number of threads: every member has a budget of its
 * own, and of equal heights the plan of the first member counts. Once a member
 * has decided the whole problem, only those behind it are stopped. What a
 * member has learnt it keeps for the next round.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/team.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"

void mp_planner_team_init(struct team *team)
{
	*team = (struct team){0};
	for (uint32_t i = 0; i < TEAM_MEMBERS; i++)
		team->members[i].arena.error = &team->members[i].error;
}

void mp_planner_team_free(struct team *team)
{
	for (uint32_t i = 0; i < TEAM_MEMBERS; i++)
		mp_arena_free(&team->members[i].arena);
}

static bool is_done(const struct member *member)
{
	return member->outcome == PLAN_OPTIMAL ||
	       member->outcome == PLAN_NO_FIT;
}

static void run_member(void *context, uint32_t i)
{
	struct member *members = context, *member = &members[i];

	member->outcome = PLAN_GAVE_UP;
	if (member->job.steps == 0 || atomic_load(&member->beaten))
		return;
	member->outcome = member->row->run(&member->job, member->row->variant);
	if (!is_done(member))
		return;
	while (++i < TEAM_MEMBERS)
		atomic_store(&members[i].beaten, true);
}

/* Gives the member its part of the job, with the best plan so far. Without
 * memory for that it has no steps. */
static void start_member(
	struct member *member, const struct job *job, uint64_t steps)
{
	size_t n = job->problem->n_buffers;
	uint64_t *best = member->job.best, limit = job->arena->limit;

	atomic_init(&member->beaten, false);
	member->error = (struct error){.code = MEMPLAN_OK};
	if (limit)
		member->arena.limit =
			(limit - num_min(limit - 1, job->arena->held)) /
				TEAM_MEMBERS +
			1;
	member->job = *job;
	member->job.arena = &member->arena;
	member->job.error = &member->error;
	member->job.running = member->row->name;
	member->job.kept = &member->kept;
	member->job.beaten = &member->beaten;
	if (job->threads > 1)
		member->job.progress = NULL;
	member->job.threads = (job->threads + 1) / TEAM_MEMBERS;
	member->job.spent = 0;
	member->job.steps = steps;
	member->job.best = best ? best : NEW(&member->arena, uint64_t, n);
	if (!member->job.best)
		member->job.steps = 0;
	else if (job->height != UINT64_MAX)
		memcpy(member->job.best, job->best, sizeof(*job->best) * n);
}

/* Adds the results of a member to the job. A member that is out of memory has
 * no results; any other failure is one of the job. */
static bool end_member(struct member *member, struct job *job)
{
	const struct job *own = &member->job;

	job->arena->peak = num_max(
		job->arena->peak, job->arena->held + member->arena.peak);
	job->cut_short |= own->cut_short;
	mp_planner_job_step(job, own->spent);
	if (member->outcome == PLAN_FAILED) {
		if (member->error.code != MEMPLAN_ENOMEM)
			return mp_fail(job->error, member->error.code, "%s",
				member->error.text);
		member->kept = NULL;
	}
	mp_planner_job_prove(job, own->lower_bound, own->bound_kind);
	if (own->height >= job->height)
		return true;
	memcpy(job->best, own->best,
		sizeof(*job->best) * job->problem->n_buffers);
	job->height = own->height;
	job->winner = own->winner;
	return true;
}

bool mp_planner_team_run(struct team *team, const char *first,
	const char *second, uint32_t part, struct job *job)
{
	struct member *members = team->members;
	uint64_t share = job->steps / 16 * (16 - part);
	bool fine = true;

	members[0].row = mp_planner_find_own(first);
	members[1].row = mp_planner_find_own(second);
	assert(members[0].row && members[1].row);
	start_member(&members[0], job, share);
	start_member(&members[1], job, job->steps - share);
	mp_team_run(job->threads, TEAM_MEMBERS, run_member, members);
	for (uint32_t i = 0; i < TEAM_MEMBERS; i++)
		if (!atomic_load(&members[i].beaten))
			fine &= end_member(&members[i], job);
	return fine;
}
