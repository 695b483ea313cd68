/*
 * local: squeaky wheel optimisation (Joslin and Clements, JAIR 10, 1999) with
 * dives as the greedy step. Each dive has a target height. Where the slack of a
 * section is spent, the items alive there and not yet placed came too late:
 * they get a better rank in the next dive. A dive ends as soon as it fails. It
 * begins where others have failed, with no more about it than it takes to fill
 * that section; of many items only a few are placed until it fails again.
 *
 * Several members, each with its own first rank and its own memory of failures,
 * dive in rounds. Most aim at the goal, the lower bound or the capacity. The
 * others aim at heights between the goal and the best plan so far, so that the
 * plan improves where the goal is out of reach. Members may run at the same
 * time; of those that reach the goal in one round the first counts, so the plan
 * does not depend on the number of threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <string.h>

#include "planners/plain/dive.h"

/* The first rank of a member, and how far one failure moves an item forward: a
 * 40th, an 80th, a 20th of all ranks. They differ so that what one member
 * learns slowly another may rank so at first. */
static const struct character {
	enum rank_key keys[RANK_KEYS];
	uint32_t part;
	bool aims_between; /* the goal and the best plan */
} characters[] = {
	{{RANK_SIZE, RANK_PRESSURE, RANK_AREA}, 40, false},
	{{RANK_PRESSURE, RANK_SIZE, RANK_START}, 80, false},
	{{RANK_PRESSURE, RANK_SIZE, RANK_LIFETIME}, 20, true},
};

enum {
	MEMBERS_ITEMS = 1000000, /* most items of all members, 50 MB */
	ROUNDS_A_STRIDE = 3,	 /* without a better plan, until the target
				    between comes nearer to the best plan */
	SHARE_PER_ITEM = 15,	 /* steps of a member in a round: a complete
				    dive takes 2 to 8 */
	MOST_FOCUS = 64		 /* sections */
};

struct member {
	struct job job; /* its share of the budget */
	struct dive dive;
	uint32_t advance; /* ranks that one failure moves an item forward */
	uint32_t focus[MOST_FOCUS]; /* where dives failed, the last one first */
	bool complete;
};

struct team_of_dives {
	struct packing packing;
	struct member members[countof(characters)];
	uint32_t n_members;
	int64_t goal;	     /* units */
	uint64_t share;	     /* steps that a member has in a round */
	atomic_uint reached; /* the first member that has reached the goal */
	uint32_t stride, fruitless;
};

/* ----------------------------------------------------------- member */

static bool member_init(struct member *member, const struct job *job,
	const struct packing *packing, const struct character *character)
{
	uint32_t n = packing->n_items;
	int64_t *offset = NEW(job->arena, int64_t, n);

	if (!offset ||
		!mp_planner_dive_init(&member->dive, packing, character->keys,
			offset, job->arena) ||
		!mp_planner_dive_by_value(&member->dive, job->arena))
		return false;
	member->dive.focus = member->focus;
	member->advance = n / character->part + 1;
	return true;
}

/* Where a dive has failed the next one begins, and soon fails again, until
 * ranks are good enough there. */
static void focus_on(struct member *member, uint32_t section)
{
	uint32_t *focus = member->focus, k = 0, n = member->dive.n_focus;

	while (k < n && focus[k] != section)
		k++;
	if (k == n && n < MOST_FOCUS)
		member->dive.n_focus++;
	else if (k == n)
		k--;
	memmove(focus + 1, focus, sizeof(*focus) * k);
	focus[0] = section;
}

static void reach_goal(struct team_of_dives *team, uint32_t i)
{
	uint32_t reached = atomic_load(&team->reached);

	while (i < reached &&
		!atomic_compare_exchange_weak(&team->reached, &reached, i))
		;
}

/* A member dives until one dive is complete or its share of the round is spent.
 */
static bool goes_on(const struct team_of_dives *team, uint32_t i)
{
	const struct member *member = &team->members[i];

	return !member->complete && member->job.spent < team->share &&
	       member->job.steps > 0 && !member->job.cut_short &&
	       atomic_load(&team->reached) > i;
}

/* A dive of a member. True: it goes on with another. */
static bool dive_on(void *context, uint32_t i)
{
	struct team_of_dives *team = context;
	struct member *member = &team->members[i];
	struct dive *dive = &member->dive;

	if (!goes_on(team, i))
		return false;
	member->complete = mp_planner_dive(dive, &member->job);
	if (dive->failed != NONE) {
		mp_planner_dive_prefer(dive, member->advance, &member->job);
		focus_on(member, dive->failed);
	}
	if (member->complete && mp_planner_dive_height(dive) <= team->goal)
		reach_goal(team, i);
	return goes_on(team, i);
}

/* ------------------------------------------------------------ round */

/* The target of a member: the goal, or a height between it and the best plan.
 * Without a plan there is no target. */
static int64_t target_of(const struct team_of_dives *team, uint32_t i,
	const struct job *job, const struct packing *packing)
{
	int64_t better;

	if (job->height == UINT64_MAX)
		return INT64_MAX;
	better = (int64_t)((job->height - 1) / packing->unit);
	if (!characters[i].aims_between)
		return team->goal;
	return better - ((better - team->goal) >> team->stride);
}

/* Equal shares; but the first dive of all runs to its end, so that there is a
 * plan. */
static void start_round(struct team_of_dives *team, const struct job *job)
{
	for (uint32_t i = 0; i < team->n_members; i++) {
		struct member *member = &team->members[i];

		member->job = *job;
		if (job->threads)
			member->job.progress = NULL;
		member->job.steps = job->steps / team->n_members + 1;
		if (job->height == UINT64_MAX && i == 0)
			member->job.steps = UINT64_MAX;
		member->job.spent = 0;
		member->complete = false;
		member->dive.target =
			target_of(team, i, job, member->dive.packing);
	}
}

/* Offers the plans found. False only if the verifier or memory fails. */
static bool end_round(struct team_of_dives *team, struct job *job)
{
	uint64_t before = job->height, spent = 0;
	/* Members behind the first that reached the goal do not count: they may
	 * have been stopped anywhere, or never begun. */
	uint32_t reached = atomic_load(&team->reached);
	uint32_t n = reached < team->n_members ? reached + 1 : team->n_members;

	for (uint32_t i = 0; i < n; i++) {
		spent += team->members[i].job.spent;
		job->cut_short |= team->members[i].job.cut_short;
	}
	for (uint32_t i = 0; i < n; i++)
		if (team->members[i].complete && !mp_planner_job_done(job) &&
			!mp_planner_dive_offer(&team->members[i].dive, job))
			return false;
	team->fruitless++;
	if (job->height < before) {
		team->fruitless = 0;
		team->stride = 1;
	} else if (team->fruitless % ROUNDS_A_STRIDE == 0 && team->stride < 62)
		team->stride++;
	mp_planner_job_step(job, spent + 1);
	return true;
}

/* -------------------------------------------------------------- row */

static bool team_init(struct team_of_dives *team, const struct job *job)
{
	const struct packing *packing = &team->packing;

	*team = (struct team_of_dives){.stride = 1};
	if (!mp_planner_packing_of(&team->packing, job, job->arena))
		return false;
	team->share = (uint64_t)packing->n_items * SHARE_PER_ITEM;
	while (team->n_members < countof(characters) &&
		(team->n_members == 0 ||
			packing->n_items < MEMBERS_ITEMS / team->n_members))
		team->n_members++;
	for (uint32_t i = 0; i < team->n_members; i++)
		if (!member_init(
			    &team->members[i], job, packing, &characters[i]))
			return false;
	return true;
}

/* The team that an earlier run has kept, or a new one. */
static struct team_of_dives *open_team(const struct job *job)
{
	struct team_of_dives *team = job->kept ? *job->kept : NULL;

	if (!team) {
		team = NEW(job->arena, struct team_of_dives, 1);
		if (!team || !team_init(team, job))
			return NULL;
	}
	if (job->kept)
		*job->kept = team;
	team->goal = mp_planner_packing_goal(&team->packing, job);
	return team;
}

enum outcome mp_planner_local_run(struct job *job, int variant)
{
	struct team_of_dives *team;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	team = open_team(job);
	if (!team)
		return PLAN_FAILED;
	while (!mp_planner_job_done(job) && job->steps > 0 && !job->cut_short) {
		atomic_store(&team->reached, team->n_members);
		start_round(team, job);
		mp_threads_run(job->threads, team->n_members, dive_on, team);
		if (!end_round(team, job))
			return PLAN_FAILED;
	}
	return mp_planner_job_outcome(job);
}
