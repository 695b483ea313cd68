/*
 * auto: a portfolio of memplan's own rows. The cheap rows come first, in the
 * order of the table, until one reaches the lower bound. Plain problems then go
 * to the members, which may run at the same time: rounds of growing budgets,
 * each member from the start in every round, so that a member that would never
 * end costs little.
 *
 * The plan does not depend on the number of threads: every member has a budget
 * of its own, and of equal heights the plan of the first member counts. Once a
 * member has decided the whole problem, only those behind it are stopped.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/threads.h"
#include "planners/plain/compounds.h"

enum {
	MEMBERS = 2,
	SOME_BUFFERS = 1000,  /* below, a dive takes a millisecond, and search
				 is quick where jigsaw helps too */
	MANY_BUFFERS = 20000, /* from here on n * n is too much: 100,000 buffers
				 of one lifetime took 110 s */
	FEW_BUFFERS = 100000, /* up to here search is the first member (it takes
				 no more), beyond local */

	/* Shares are one part in so many of the budget that is left. They were
	 * set on MiniMalloc's instances, traces of training and 34 graphs with
	 * groups: docs/benchmarks.md has what they give. */
	CHEAP_SHARE = 8,       /* of the cheap rows, */
	CHEAP_PER_BUFFER = 50, /* which have no more steps a buffer: a dive */
	FIRST_ROUND_FEW = 4,   /* of the first round, where search is first; */
	FIRST_ROUND_MANY = 1, /* else; each further round has four times that */
	EXACT_SHARE = 4,      /* of orient, */
	CLIMB_SHARE = 2,      /* of climb, */
	EJECT_SHARE = 6,      /* of eject after plain problems */
	SECOND_SHARE = 4,     /* of the first member's, for the second */
	JIGSAW_SHARE = 2,     /* of jigsaw, if it joins buffers */
	LEAST_PER_BUFFER = 50 /* steps below which a member is not worth it */
};

struct member {
	const struct planner *row;
	struct job job;
	struct arena arena;
	struct error error;
	enum outcome outcome;
	atomic_bool beaten; /* a member before it is done */
};

/* ----------------------------------------------------------- member */

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
	while (++i < MEMBERS)
		atomic_store(&members[i].beaten, true);
}

/* Makes a job of its own, with the best plan so far. False: memory is out. */
static bool start_member(
	struct member *member, const struct job *job, uint64_t steps)
{
	size_t n = job->problem->n_buffers;
	uint64_t limit = job->arena->limit;

	atomic_init(&member->beaten, false);
	member->error = (struct error){.code = MEMPLAN_OK};
	member->arena = (struct arena){.error = &member->error};
	if (limit)
		member->arena.limit =
			(limit - num_min(limit - 1, job->arena->held)) /
				MEMBERS +
			1;
	member->job = *job;
	member->job.arena = &member->arena;
	member->job.error = &member->error;
	member->job.running = member->row->name;
	member->job.beaten = &member->beaten;
	if (job->threads > 1)
		member->job.progress = NULL;
	member->job.threads = (job->threads + 1) / MEMBERS;
	member->job.spent = 0;
	member->job.steps = steps >= LEAST_PER_BUFFER * n ? steps : 0;
	member->job.best = NEW(&member->arena, uint64_t, n);
	if (member->job.best && job->height != UINT64_MAX)
		memcpy(member->job.best, job->best, sizeof(*job->best) * n);
	return member->job.best != NULL;
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
	if (member->outcome == PLAN_FAILED &&
		member->error.code != MEMPLAN_ENOMEM)
		return mp_fail(job->error, member->error.code, "%s",
			member->error.text);
	mp_planner_job_prove(job, own->lower_bound, own->bound_kind);
	if (own->height >= job->height)
		return true;
	memcpy(job->best, own->best,
		sizeof(*job->best) * job->problem->n_buffers);
	job->height = own->height;
	job->winner = own->winner;
	return true;
}

/* ------------------------------------------------------------ round */

/* The first member has four times as much as the second. False: failed. */
static bool run_round(struct member *members, struct job *job, uint64_t steps)
{
	bool fine = true;

	for (uint32_t i = 0; i < MEMBERS; i++) {
		if (!start_member(&members[i], job, steps))
			members[i].job.steps = 0;
		steps /= SECOND_SHARE;
	}
	mp_team_run(job->threads, MEMBERS, run_member, members);
	for (uint32_t i = 0; i < MEMBERS; i++)
		if (!atomic_load(&members[i].beaten))
			fine &= end_member(&members[i], job);
	for (uint32_t i = 0; i < MEMBERS; i++)
		mp_arena_free(&members[i].arena);
	return fine;
}

static bool goes_on(const struct job *job)
{
	return job->steps > 0 && !job->cut_short && !mp_planner_job_done(job) &&
	       job->lower_bound <= job->capacity;
}

static bool run_row(struct job *job, const struct planner *row, uint64_t share)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t steps = job->steps, spent = job->spent;
	enum outcome outcome;

	assert(row && row->run != mp_planner_auto_run);
	job->running = row->name;
	job->steps = num_min(steps, share);
	outcome = row->run(job, row->variant);
	job->declined = NULL;
	job->steps = steps - num_min(steps, job->spent - spent);
	mp_arena_rewind(job->arena, mark);
	return outcome != PLAN_FAILED;
}

/* Where nothing fits together it ends at once, and what that took is not
 * counted. */
static bool run_jigsaw(struct job *job)
{
	uint64_t steps = job->steps, height = job->height;

	if (height == UINT64_MAX || !goes_on(job))
		return true;
	if (!run_row(job, mp_planner_find_own("jigsaw"), steps / JIGSAW_SHARE))
		return false;
	if (job->height == height)
		job->steps = steps;
	return true;
}

static bool run_rounds(struct job *job)
{
	static const char *const names[MEMBERS] = {"search", "local"};
	struct member *members = NEW(job->arena, struct member, MEMBERS);
	bool few = job->problem->n_buffers <= FEW_BUFFERS;
	bool small = job->problem->n_buffers < SOME_BUFFERS;
	uint64_t first = few ? FIRST_ROUND_FEW : FIRST_ROUND_MANY;
	uint64_t share = job->steps / first + 1, steps;

	if (!members)
		return false;
	for (uint32_t i = 0; i < MEMBERS; i++)
		members[few ? i : MEMBERS - 1 - i].row =
			mp_planner_find_own(names[i]);
	while (goes_on(job)) {
		steps = num_min(share, job->steps - job->steps / 5);
		if (steps < (uint64_t)LEAST_PER_BUFFER *
					job->problem->n_buffers &&
			share >= job->steps)
			break;
		if (!run_round(members, job, steps) ||
			(small && !run_jigsaw(job)))
			return false;
		small = false;
		share = num_min(share, UINT64_MAX / 4) * 4;
	}
	return true;
}

/* ------------------------------------------------------- cheap rows */

/* On plain problems the members make better use of the budget, unless there are
 * too many buffers for it. */
static uint64_t cheap_share(const struct job *job)
{
	uint64_t n = job->problem->n_buffers;

	if (job->steps / LEAST_PER_BUFFER < n)
		return UINT64_MAX;
	return num_min(job->steps / CHEAP_SHARE, n * CHEAP_PER_BUFFER);
}

/* A plain problem needs no more. What both-ways takes hardly depends on how
 * many buffers are alive and is less than reading them took: the budget is for
 * the rows behind it. */
static bool run_plain_rows(struct job *job)
{
	uint64_t steps = job->steps;

	if (job->problem->n_buffers >= SOME_BUFFERS &&
		!run_row(job, mp_planner_find_own("both-ways"), UINT64_MAX))
		return false;
	job->steps = steps;
	if (mp_planner_job_done(job))
		return true;
	return run_row(job, mp_planner_find_own("dive"), cheap_share(job)) &&
	       (job->problem->n_buffers < SOME_BUFFERS ||
		       mp_planner_job_near(job) || run_jigsaw(job));
}

/* With several streams dive goes by the envelopes of lifetimes, which are too
 * long: rows that know the streams come first. */
static bool run_rows(struct job *job, bool late)
{
	for (uint32_t i = 0; i < mp_n_planners && !mp_planner_job_done(job);
		i++) {
		const struct planner *row = &mp_planners[i];

		bool is_late = job->problem->n_streams > 1 &&
			       strcmp(row->name, "dive") == 0;

		if (!row->in_auto || is_late != late ||
			(job->height != UINT64_MAX && !goes_on(job)))
			continue;
		if (!run_row(job, row, UINT64_MAX))
			return false;
	}
	return true;
}

/* Of very many buffers the first row may take the whole budget, so jigsaw comes
 * before it; it wants a plan to compare with. */
static bool run_other_rows(struct job *job)
{
	bool many = job->problem->n_buffers >= SOME_BUFFERS &&
		    mp_planner_compounds_suit(job->problem);

	if (many && (!run_row(job, mp_planner_find_own("linear"), UINT64_MAX) ||
			    !run_jigsaw(job)))
		return false;
	return run_rows(job, false) && run_rows(job, true) &&
	       (many || run_jigsaw(job));
}

/* Any problem gets a plan, even after an interrupt. */
static bool run_cheap_rows(struct job *job)
{
	bool fine = mp_problem_is_plain(job->problem) ? run_plain_rows(job)
						      : run_other_rows(job);

	return fine &&
	       (job->height != UINT64_MAX ||
		       run_row(job, mp_planner_find_own("linear"), UINT64_MAX));
}

/* ------------------------------------------------------------- auto */

static bool run_share(struct job *job, const char *name, uint64_t steps)
{
	return !goes_on(job) || run_row(job, mp_planner_find_own(name), steps);
}

/* Spends the rest of the budget. Plain problems go to the members, others to
 * orient and climb; eject goes on from the best plan of either. */
static bool run_expensive_rows(struct job *job)
{
	bool few = job->problem->n_buffers <= FEW_BUFFERS;
	uint64_t last = few ? job->steps / EJECT_SHARE : 0;
	bool fine;

	if (mp_problem_is_plain(job->problem)) {
		job->steps -= last;
		fine = run_rounds(job);
		job->steps += last;
	} else {
		fine = run_share(job, "orient", job->steps / EXACT_SHARE) &&
		       run_share(job, "climb", job->steps / CLIMB_SHARE);
	}
	return fine && (!few || run_share(job, "eject", UINT64_MAX));
}

/* Where very many buffers are alive together and none can share, other rows
 * look at all of them for each. One behind the other is as small. */
static bool run_without_reuse(struct job *job)
{
	const struct problem *p = job->problem;

	return p->n_buffers < MANY_BUFFERS ||
	       p->total_size > job->lower_bound ||
	       run_row(job, mp_planner_find_own("linear"), UINT64_MAX);
}

enum outcome mp_planner_auto_run(struct job *job, int variant)
{
	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!run_without_reuse(job) || !run_cheap_rows(job))
		return PLAN_FAILED;
	if (!run_expensive_rows(job))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (job->lower_bound > job->capacity)
		return PLAN_NO_FIT;
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
