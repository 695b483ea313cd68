/*
 * Rounds of rows that may run at the same time. All begin with what is known
 * before the round. The plan does not depend on the number of threads: every
 * member has a budget of its own, and of equal heights the plan of the first
 * member counts. Once a member has decided the whole problem, only those behind
 * it are stopped. What a member has learnt it keeps for the next round.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/team.h"

#include <assert.h>
#include <string.h>

void mp_planner_team_free(struct team *team)
{
	for (uint32_t i = 0; i < team->n_members; i++)
		mp_arena_free(&team->members[i]->arena);
}

static bool is_done(const struct member *member)
{
	return member->outcome == PLAN_OPTIMAL ||
	       member->outcome == PLAN_NO_FIT;
}

/* The members of a round, in the order of its entries. */
struct round {
	struct member *members[TEAM_MOST];
	uint32_t n;
	uint32_t first;		   /* of those that run at the same time */
	uint32_t order[TEAM_MOST]; /* in which members begin */
};

/* A row that keeps nothing gives its memory back at once, but for the plan. */
static bool run_member(void *context, uint32_t k)
{
	struct round *round = context;
	uint32_t i = round->order[round->first + k];
	struct member *member = round->members[i];
	struct arena_mark mark = mp_arena_mark(&member->arena);

	member->outcome = PLAN_GAVE_UP;
	if (member->job.steps == 0 || atomic_load(&member->beaten.is))
		return false;
	member->outcome = member->row->run(&member->job, member->row->variant);
	if (!member->kept)
		mp_arena_rewind(&member->arena, mark);
	mp_arena_trim(&member->arena);
	while (is_done(member) && ++i < round->n)
		atomic_store(&round->members[i]->beaten.is, true);
	return false;
}

/* The member that runs this row, from an earlier round or a new one; NULL:
 * memory is out. */
static struct member *find_member(
	struct team *team, const struct planner *row, struct arena *arena)
{
	struct member *member;

	for (uint32_t i = 0; i < team->n_members; i++)
		if (team->members[i]->row == row)
			return team->members[i];
	assert(team->n_members < TEAM_MOST);
	member = NEW(arena, struct member, 1);
	if (!member)
		return NULL;
	member->row = row;
	member->arena.error = &member->error;
	member->arena.threads = arena->threads;
	team->members[team->n_members++] = member;
	return member;
}

/* Gives the member its part of the job, with the best plan so far. Without
 * memory for that it has no steps. */
static void start_member(struct member *member, const struct job *job,
	uint64_t steps, uint64_t limit)
{
	size_t n = job->problem->n_buffers;
	uint64_t *best = member->job.best;

	atomic_init(&member->beaten.is, false);
	member->beaten.outer = job->beaten;
	member->error = (struct error){.code = MEMPLAN_OK};
	member->arena.limit = limit;
	member->arena.peak = member->arena.held;
	member->job = *job;
	member->job.arena = &member->arena;
	member->job.error = &member->error;
	member->job.running = member->row->name;
	member->job.kept = &member->kept;
	member->job.start = NULL;
	member->job.beaten = &member->beaten;
	if (job->threads)
		member->job.progress = NULL;
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
static bool add_results(struct member *member, struct job *job)
{
	const struct job *own = &member->job;

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

/* Without anything kept there is no need for the last plan either. */
static bool end_member(struct member *member, struct entry *entry,
	struct job *job, uint64_t height)
{
	bool counts = !atomic_load(&member->beaten.is);
	bool fine = !counts || add_results(member, job);

	entry->spent = counts ? member->job.spent : 0;
	entry->is_better = counts && member->job.height < height;
	if (!member->kept) {
		mp_arena_free(&member->arena);
		member->job.best = NULL;
	}
	return fine;
}

/* With threads those between the first, which may well decide the problem, and
 * the last, which shares its work, begin in descending order of steps: else the
 * longest may be left alone. */
static void choose_order(struct round *round, const struct entry *entries,
	uint32_t first, bool shared)
{
	uint32_t *order = round->order, k;

	for (uint32_t i = 0; i < round->n; i++) {
		for (k = i; shared && i < round->n - 1 && k > first + 1 &&
			    entries[order[k - 1]].steps < entries[i].steps;
			k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

/* What each of n members may hold; 0: there is no limit. */
static uint64_t limit_of_each(const struct job *job, uint32_t n)
{
	uint64_t limit = job->arena->limit;

	return limit ? (limit - num_min(limit - 1, job->arena->held)) / n + 1
		     : 0;
}

/* With threads all members of the round may hold their most at one time; else
 * one does. The others hold what they keep. */
static void count_memory(
	const struct team *team, const struct round *round, struct job *job)
{
	uint64_t held = job->arena->held, all = 0, most = 0;

	for (uint32_t i = 0; i < team->n_members; i++)
		held += team->members[i]->arena.held;
	for (uint32_t i = 0; i < round->n; i++) {
		const struct arena *arena = &round->members[i]->arena;

		all += arena->peak - arena->held;
		most = num_max(most, arena->peak - arena->held);
	}
	job->arena->peak =
		num_max(job->arena->peak, held + (job->threads ? all : most));
}

bool mp_planner_team_run(
	struct team *team, struct entry *entries, uint32_t n, struct job *job)
{
	uint64_t height = job->height, limit;
	struct round round = {.n = n};
	uint32_t n_leading = 0;
	bool fine = true;

	assert(n > 0 && n <= TEAM_MOST);
	for (uint32_t i = 0; i < n; i++) {
		round.members[i] =
			find_member(team, entries[i].row, job->arena);
		if (!round.members[i])
			return false;
	}
	limit = limit_of_each(job, n);
	for (uint32_t i = 0; i < n; i++)
		start_member(round.members[i], job, entries[i].steps, limit);
	while (n_leading < n - 1 && entries[n_leading].leads)
		n_leading++;
	choose_order(&round, entries, n_leading, job->threads != NULL);
	for (; round.first < n_leading; round.first++)
		run_member(&round, 0);
	mp_threads_run(job->threads, n - round.first, run_member, &round);
	count_memory(team, &round, job);
	for (uint32_t i = 0; i < n; i++)
		fine &= end_member(round.members[i], &entries[i], job, height);
	return fine;
}
