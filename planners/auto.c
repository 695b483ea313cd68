/*
 * auto: a portfolio of memplan's own rows. The table of turns is the whole of
 * it: rows take their turns from top to bottom, until a plan is as small as the
 * lower bound, or fits the capacity, or the budget is spent. Cheap rows come
 * first and leave most of the budget to rows that learn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "planners/plain/compounds.h"
#include "planners/team.h"

/* What a problem, the best plan so far and the budget are like. */
enum {
	PLAIN = 1 << 0,	     /* one stream, one block a buffer, nothing fixed */
	OTHER = 1 << 1,	     /* not plain, */
	SERIAL = 1 << 2,     /* with one stream */
	STREAMS = 1 << 3,    /* with several */
	SMALL = 1 << 4,	     /* a dive takes a millisecond */
	LARGE = 1 << 5,	     /* not small */
	FEW = 1 << 6,	     /* search takes no more */
	MANY = 1 << 7,	     /* not few */
	STACKED = 1 << 8,    /* no bytes can be shared, and n * n is too much */
	JOINABLE = 1 << 9,   /* not plain, large, and jigsaw takes it */
	OTHERWISE = 1 << 10, /* not joinable */
	AMPLE = 1 << 11,     /* budget is left for more than a dive */
	SCARCE = 1 << 12,    /* not ample */
	FAR = 1 << 13,	     /* more than a 64th above the lower bound */
	NO_PLAN = 1 << 14,   /* yet */
};

enum {
	LEAST_LARGE = 1000,
	MOST_FEW = 100000,
	LEAST_STACKED = 20000, /* 100,000 buffers of one lifetime took 110 s */
	DIVE = 50	       /* steps a buffer, at most */
};

enum cost {
	COUNTED,
	UNLESS_VAIN, /* nothing, if it found no better plan */
	FREE	     /* nothing: it takes less than reading the problem */
};

/* Every greedy row, in the order of its table. */
#define ALL_GREEDY NULL

struct turn {
	unsigned when; /* all of these are true */
	const char *row;
	uint32_t share;	     /* sixteenths of the budget that is left */
	uint32_t per_buffer; /* steps a buffer at most; 0: no such limit */
	const char *beside;  /* a row that may run at the same time, or NULL, */
	uint32_t part;	     /* and the sixteenths of the share that it has */
	enum cost cost;
};

/* Shares were set on MiniMalloc's instances, traces of training, 34 graphs with
 * groups and the families of tools/gen-problem: docs/benchmarks.md has what
 * they give. */
static const struct turn turns[] = {
	/* One behind the other is as small as anything. */
	{STACKED, "linear", .share = 16},

	/* A sharp peak is often at its load at once. */
	{PLAIN | LARGE, "both-ways", .share = 16, .cost = FREE},
	{PLAIN | AMPLE, "dive", .share = 2, .per_buffer = DIVE},
	{PLAIN | SCARCE, "dive", .share = 16},
	/* What was cut up is put together again, or jigsaw gives up at once. */
	{PLAIN | LARGE | FAR, "jigsaw", .share = 8, .cost = UNLESS_VAIN},

	/* Of very many buffers the first greedy row may take all, so jigsaw
	 * comes before; it wants a plan to compare with. */
	{JOINABLE, "linear", .share = 16},
	{JOINABLE, "jigsaw", .share = 12, .cost = UNLESS_VAIN},
	/* With several streams dive goes by envelopes of lifetimes, which are
	 * too long: rows that know the streams come first. */
	{OTHER | SERIAL, "dive", .share = 16},
	{OTHER, ALL_GREEDY, .share = 16},
	{OTHER | STREAMS, "dive", .share = 16},
	{OTHER | OTHERWISE, "jigsaw", .share = 8, .cost = UNLESS_VAIN},

	/* Any problem gets a plan, even after an interrupt. */
	{NO_PLAN, "linear", .share = 16},

	/* Where places are tight search is ahead, where buffers are many
	 * local: both begin early. A small problem is open until search has
	 * failed once. */
	{PLAIN | SMALL, "search", .share = 4, .beside = "local", .part = 4},
	{PLAIN | SMALL, "jigsaw", .share = 8, .cost = UNLESS_VAIN},
	{PLAIN | SMALL, "search", .share = 13, .beside = "local", .part = 4},
	{PLAIN | LARGE | FEW | AMPLE, "search", .share = 2, .beside = "local",
		.part = 8},
	{PLAIN | LARGE | FEW | AMPLE, "search", .share = 5, .beside = "local",
		.part = 8},
	{PLAIN | LARGE | FEW | AMPLE, "search", .share = 13, .beside = "local",
		.part = 8},
	{PLAIN | MANY | AMPLE, "local", .share = 16},

	{OTHER, "orient", .share = 4},
	{OTHER, "climb", .share = 8},
	/* The rest goes on from the best plan of all. */
	{FEW, "eject", .share = 16},
};

/* ------------------------------------------------------------ facts */

static unsigned either(bool is, unsigned then, unsigned otherwise)
{
	return is ? then : otherwise;
}

static unsigned facts_of_problem(const struct job *job)
{
	const struct problem *p = job->problem;
	uint32_t n = p->n_buffers;
	bool plain = mp_problem_is_plain(p), large = n >= LEAST_LARGE;

	return either(plain, PLAIN, OTHER) |
	       either(p->n_streams > 1, STREAMS, SERIAL) |
	       either(large, LARGE, SMALL) | either(n <= MOST_FEW, FEW, MANY) |
	       either(n >= LEAST_STACKED && p->total_size <= job->lower_bound,
		       STACKED, 0) |
	       either(!plain && large && mp_planner_compounds_suit(p), JOINABLE,
		       OTHERWISE);
}

static unsigned facts_of_moment(const struct job *job)
{
	return either(job->steps / DIVE >= job->problem->n_buffers, AMPLE,
		       SCARCE) |
	       either(mp_planner_job_near(job), 0, FAR) |
	       either(job->height == UINT64_MAX, NO_PLAN, 0);
}

/* ------------------------------------------------------------ turns */

static bool goes_on(const struct job *job)
{
	return job->height == UINT64_MAX ||
	       (job->steps > 0 && !job->cut_short &&
		       !mp_planner_job_done(job) &&
		       job->lower_bound <= job->capacity);
}

static bool run_row(struct job *job, const struct planner *row)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome outcome;

	assert(row && row->run != mp_planner_auto_run);
	job->running = row->name;
	outcome = row->run(job, row->variant);
	job->declined = NULL;
	mp_arena_rewind(job->arena, mark);
	return outcome != PLAN_FAILED;
}

static bool run_all_greedy(struct job *job)
{
	for (uint32_t i = 0; i < mp_n_planners && goes_on(job); i++)
		if (mp_planners[i].in_auto && !run_row(job, &mp_planners[i]))
			return false;
	return true;
}

static bool run_rows(
	struct job *job, const struct turn *turn, struct team *team)
{
	if (turn->beside)
		return mp_planner_team_run(
			team, turn->row, turn->beside, turn->part, job);
	if (turn->row == ALL_GREEDY)
		return run_all_greedy(job);
	return run_row(job, mp_planner_find_own(turn->row));
}

static uint64_t share_of(const struct turn *turn, const struct job *job)
{
	uint64_t share = job->steps - job->steps / 16 * (16 - turn->share);
	uint64_t each = (uint64_t)turn->per_buffer * job->problem->n_buffers;

	return each > 0 ? num_min(share, each) : share;
}

/* Gives the turn its share of the budget, and takes off what it cost. */
static bool take_turn(
	struct job *job, const struct turn *turn, struct team *team)
{
	uint64_t steps = job->steps, spent = job->spent, height = job->height;
	bool fine;

	job->steps = share_of(turn, job);
	fine = run_rows(job, turn, team);
	job->steps = steps - num_min(steps, job->spent - spent);
	if (turn->cost == FREE ||
		(turn->cost == UNLESS_VAIN && job->height == height))
		job->steps = steps;
	return fine;
}

static bool take_turns(struct job *job, struct team *team)
{
	unsigned facts = facts_of_problem(job), now;

	for (uint32_t i = 0; i < countof(turns) && goes_on(job); i++) {
		now = facts | facts_of_moment(job);
		if ((turns[i].when & now) == turns[i].when &&
			!take_turn(job, &turns[i], team))
			return false;
	}
	return true;
}

enum outcome mp_planner_auto_run(struct job *job, int variant)
{
	struct team team;
	bool fine;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	mp_planner_team_init(&team);
	fine = take_turns(job, &team);
	mp_planner_team_free(&team);
	if (!fine)
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (job->lower_bound > job->capacity)
		return PLAN_NO_FIT;
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}
