/*
 * pad: joins what nearly fills a rectangle, with a little waste (see padder.h),
 * and plans what is left. It first tries which sides of compounds to join, then
 * makes attempts that let loads rise more or less above the bound.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/num.h"
#include "planners/ahead.h"
#include "planners/plain/padder.h"

enum {
	LEAST_FREE = 4096, /* of so many bytes one is free, */
	MOST_FREE = 8,	   /* but not one of so few */
	ENOUGH = 100,	   /* steps a buffer; with less it ends nowhere */
	FIRST_ROOM = 6,	   /* loads may rise a 64th of the bound above it, */
	LEAST_ROOM = 9,	   /* in later attempts as little as a 512th, */
	MOST_ROOM = 5,	   /* or a 32nd */
	TRIAL = 32,  /* steps a buffer for the trial repairs of some sides, */
	TRIALS = 32, /* or such a part of the budget if that is less; */
	GAIN = 5,    /* they are worth it if one compound of so many is gone */
	EACH = 4000, /* and so many steps are there for each that is left */
	ATTEMPT = 700,	/* steps a buffer that are enough for an attempt */
	FEW = 8,	/* the rest is planned if it is such a part of all, */
	FEW_LEFT = 64,	/* or no more than so many compounds */
	LEAST_GAIN = 8, /* of what a plan is above the bound, such a part */
	IN_VAIN = 3,	/* attempts, once the plan is near the bound */
	AMPLE = 16000,	/* steps for each compound that is joined no more */
	WORTH_IT = 2,	/* joins leave such a part of the buffers at most, */
	JOINED = 2500,	/* and one compound for so many steps */
	NEXT_TO_NOTHING = 100 /* so few are left: one of so many buffers */
};

static uint64_t limit_of(const struct job *job, uint32_t room)
{
	return job->lower_bound + (job->lower_bound >> room);
}

/* ------------------------------------------------------------ sides */

/* One is tried after the other, and most do not end it: so they are run ahead.
 */
struct trials {
	uint64_t steps; /* of repairs */
	uint32_t done;
	struct trial {
		uint32_t n_joined, n_live; /* before and after repairs */
		bool is_worth_more;
	} at[3];

	/* What came out. */
	enum pad_sides picked;
	uint32_t least, n_joined;
};

static const enum pad_sides choice[] = {EXACT_SIDES, ALL_SIDES, FREE_SIDES};

/* After some repairs, of which it says whether they are worth more. */
static bool try_sides(struct padder *p, uint64_t steps, uint32_t *n_joined)
{
	bool goes_on = mp_planner_padder_join(p);
	uint64_t need = p->job->spent + (uint64_t)p->c.n_live * JOINED;
	uint32_t n = p->c.n_live;

	*n_joined = n;
	if (!goes_on || n > p->c.n_buffers / WORTH_IT ||
		n > p->job->steps / JOINED)
		return false;
	goes_on = mp_planner_padder_repair(p, steps);
	p->need = num_max(p->need, need);
	return goes_on && p->c.n_live <= num_max(n - n / GAIN, FEW_LEFT);
}

/* Next to nothing is left; or all sides leave most, as then each does. */
static bool ends_trials(const struct trial *t, enum pad_sides sides, uint32_t n)
{
	return (t->is_worth_more && t->n_live <= n / NEXT_TO_NOTHING) ||
	       (sides == ALL_SIDES && t->n_joined > n / WORTH_IT);
}

static enum pass_end run_trial(
	void *context, struct pass *pass, struct job *job)
{
	struct trials *all = context;
	uint32_t k = all->done + pass->index;
	struct trial *t = &all->at[k];
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct padder p;
	bool fine = mp_planner_padder_init(
		&p, job, choice[k], limit_of(job, FIRST_ROOM), job->seed);

	if (fine) {
		t->is_worth_more = try_sides(&p, all->steps, &t->n_joined);
		t->n_live = p.c.n_live;
		pass->need = p.need;
	}
	mp_arena_rewind(job->arena, mark);
	if (!fine)
		return PASS_FAILED;
	return ends_trials(t, choice[k], job->problem->n_buffers)
		       ? PASS_OTHERWISE
		       : PASS_AS_EXPECTED;
}

static bool take_trial(void *context, const struct pass *pass)
{
	struct trials *all = context;
	uint32_t k = all->done++;
	const struct trial *t = &all->at[k];

	if (t->is_worth_more && t->n_live < all->least) {
		all->least = t->n_live;
		all->n_joined = t->n_joined;
		all->picked = choice[k];
	}
	if (pass->end == PASS_OTHERWISE)
		all->done = countof(choice);
	return true;
}

/* Which sides leave less after some repairs, and how many before these: the
 * first that leave next to nothing. NO_SIDES: all leave too many for the
 * budget, or it is spent. False: memory is out. */
static bool pick_sides(
	struct job *job, enum pad_sides *picked, uint32_t *n_joined)
{
	static const struct ahead_row row = {
		.run = run_trial, .take = take_trial, .is_long = true};
	struct trials all = {.steps = num_min(job->steps / TRIALS,
				     (uint64_t)TRIAL * job->problem->n_buffers),
		.picked = NO_SIDES,
		.least = UINT32_MAX};
	struct ahead *ahead = mp_planner_ahead_open(job, &row, &all);
	bool fine = ahead != NULL;

	while (fine && all.done < countof(choice))
		fine = mp_planner_ahead_run(
			ahead, (uint32_t)countof(choice) - all.done);
	if (ahead)
		mp_planner_ahead_close(ahead);
	if (job->steps / EACH < all.least && all.least > FEW_LEFT)
		all.picked = NO_SIDES;
	*picked = all.picked;
	*n_joined = all.n_joined;
	return fine;
}

/* --------------------------------------------------------- attempts */

/* Loads end near the room that they are given, so a plan that is hardly above
 * that gets hardly lower. */
static bool is_worth_it(const struct job *job, uint64_t height, uint32_t room)
{
	uint64_t least = (height - job->lower_bound) / LEAST_GAIN;

	return height > limit_of(job, room) + least;
}

/* Less room than before, or the most again, of those that are worth it. 0: none
 * is. */
static uint32_t next_room(const struct job *job, uint64_t height, uint32_t room)
{
	for (uint32_t n = MOST_ROOM; n <= LEAST_ROOM; n++) {
		room = room == LEAST_ROOM ? MOST_ROOM : room + 1;
		if (is_worth_it(job, height, room))
			return room;
	}
	return 0;
}

/* Joins the buffers, joins them anew where they do not fit well, and plans what
 * is left, unless the room is so small that this is too much. Memory may be
 * out, which fine says. Returns false if another attempt is no use. */
static bool attempt(
	struct padder *p, uint32_t number, uint32_t most, bool *fine)
{
	if (!mp_planner_padder_join(p))
		return false;
	if (p->c.n_live > most)
		return true;
	if (!mp_planner_padder_repair(p, UINT64_MAX) ||
		p->c.n_live > num_max(FEW_LEFT, p->c.n_buffers / FEW))
		return false;
	*fine = mp_planner_padder_plan_rest(p, number);
	return *fine && mp_planner_job_step(p->job, 1) &&
	       !mp_planner_job_done(p->job);
}

/* Chance decides much, so there are many attempts. Less room is for lower
 * plans, but leaves more. What one attempt finds changes the next only where
 * its room is another one, so they are run ahead. */
struct attempts {
	struct job *job;
	struct ahead *ahead;
	enum pad_sides n_sides;
	uint32_t most, room, number, in_vain;
	uint64_t need;	       /* steps of one with which it is what it is */
	uint64_t budget, each; /* steps of all, and of one, at most */
	uint64_t dearest;      /* steps that one took, at most */
	bool goes_on;
	struct attempt {
		uint32_t room, n_live;
		uint64_t *best, height; /* the plan, if there is a better one */
		uint64_t spent, need;
		atomic_bool has_ended; /* the others may read all that */
	} at[AHEAD_MOST];
};

static uint32_t room_after(const struct attempts *all, uint32_t room,
	const struct attempt *at, uint64_t height)
{
	return next_room(
		all->job, height, at->n_live > all->most ? LEAST_ROOM : room);
}

/* Attempts that may be in vain in turn. */
static uint32_t most_in_vain(const struct attempts *all)
{
	return mp_planner_job_near(all->job, 1 << FIRST_ROOM) ? IN_VAIN
							      : UINT32_MAX;
}

/* The room of one was another one, so it does not count. */
static uint32_t stop_from(const struct attempts *all, uint32_t index)
{
	for (; index < all->ahead->n; index++)
		atomic_store(&all->ahead->passes[index].beaten.is, true);
	return 0;
}

/* Of an attempt that begins now: as if those that run had enough of it, needed
 * as much as the dearest so far, and were not in vain. The least room soon
 * shows whether it is enough, and then ends all. 0: there is none, it would
 * have too few steps, or one before it has begun with another room. */
static uint32_t room_ahead(const struct attempts *all, uint32_t index)
{
	uint64_t need = all->need, left = all->job->steps;
	uint64_t height = all->job->height;
	uint32_t room = all->room, in_vain = all->in_vain, n = 1;

	for (uint32_t k = 0; k < index; k++) {
		const struct attempt *at = &all->at[k];

		if (!atomic_load(&at->has_ended)) {
			if (room == LEAST_ROOM)
				return 0;
			room = next_room(all->job, height, room);
			in_vain = 0;
			n++;
			continue;
		}
		if (at->room != room)
			return stop_from(all, k);
		in_vain = at->height < height ? 0 : in_vain + 1;
		height = num_min(height, at->height);
		room = room_after(all, room, at, height);
		need = num_max(need, at->need);
		left -= num_min(left, at->spent);
	}
	return left / n >= need && in_vain < most_in_vain(all) ? room : 0;
}

static enum pass_end run_attempt(
	void *context, struct pass *pass, struct job *job)
{
	struct attempts *all = context;
	struct attempt *at = &all->at[pass->index];
	uint32_t number = all->number + pass->index;
	struct arena_mark mark;
	bool fine, goes_on;
	struct padder p;

	if (!at->best)
		at->best = NEW(job->arena, uint64_t, job->problem->n_buffers);
	if (!at->best)
		return PASS_FAILED;
	at->room = pass->index > 0 ? room_ahead(all, pass->index) : all->room;
	if (at->room == 0)
		return PASS_NOT_RUN;
	job->best = at->best;
	job->steps = num_min(job->steps, all->each);
	mark = mp_arena_mark(job->arena);
	fine = mp_planner_padder_init(&p, job, all->n_sides,
		limit_of(job, at->room), job->seed + number);
	goes_on = fine && attempt(&p, number, all->most, &fine);
	mp_arena_rewind(job->arena, mark);
	at->n_live = p.c.n_live;
	at->height = job->height;
	at->spent = job->spent;
	at->need = pass->need = num_min(p.need, all->each);
	atomic_store(&at->has_ended, true);
	if (!fine)
		return PASS_FAILED;
	return goes_on ? PASS_AS_EXPECTED : PASS_OTHERWISE;
}

static bool take_attempt(void *context, const struct pass *pass)
{
	struct attempts *all = context;
	const struct attempt *at = &all->at[pass->index];
	struct job *job = all->job;
	uint64_t height = job->height;

	if (at->height < height && !mp_planner_job_offer(job, at->best))
		return false;
	all->number++;
	all->in_vain = job->height < height ? 0 : all->in_vain + 1;
	all->dearest = num_max(all->dearest, pass->spent);
	all->goes_on = pass->end == PASS_AS_EXPECTED &&
		       all->in_vain < most_in_vain(all) &&
		       job->steps >= all->dearest / 2 &&
		       (all->each < all->budget ||
			       mp_planner_job_near(job, 1 << (at->room - 1)));
	all->room = room_after(all, at->room, at, job->height);
	all->need = num_max(all->need, at->need);
	if (!all->goes_on ||
		(pass->index + 1 < all->ahead->n && at[1].room != all->room))
		all->ahead->n = pass->index + 1;
	return true;
}

/* Two have room where half of the budget is enough for one. */
static uint64_t most_steps(const struct job *job)
{
	uint64_t half = job->steps / 2;
	uint64_t enough = (uint64_t)ATTEMPT * job->problem->n_buffers;

	return half < enough ? job->steps : half;
}

/* Two at first, as nothing is known of the steps that they need. */
static bool run_some(struct attempts *all)
{
	for (uint32_t k = 0; k < AHEAD_MOST; k++)
		atomic_init(&all->at[k].has_ended, false);
	return mp_planner_ahead_run(
		all->ahead, all->number == 0 ? 2 : AHEAD_MOST);
}

/* False: memory is out. */
static bool try_again(
	struct job *job, enum pad_sides n_sides, uint32_t n_joined)
{
	static const struct ahead_row row = {
		.run = run_attempt, .take = take_attempt, .is_long = true};
	struct attempts all = {.job = job,
		.n_sides = n_sides,
		.room = FIRST_ROOM,
		.budget = job->steps,
		.each = most_steps(job),
		.goes_on = true};
	bool fine = true;

	all.most = (uint32_t)num_min(
		num_max(n_joined + n_joined / 2, all.each / AMPLE), UINT32_MAX);
	all.ahead = mp_planner_ahead_open(job, &row, &all);
	if (!all.ahead)
		return false;
	while (fine && all.goes_on && all.room > 0)
		fine = run_some(&all);
	mp_planner_ahead_close(all.ahead);
	return fine;
}

/* -------------------------------------------------------------- row */

/* Where no byte is free jigsaw has what fits; where many are, what fits says
 * little. */
static bool is_nearly_full(const struct job *job)
{
	const struct problem *problem = job->problem;
	uint32_t shift = mp_planner_padder_shift(job->lower_bound);
	uint64_t all = (job->lower_bound >> shift) * problem->n_steps;
	uint64_t free = all;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *b = &problem->buffers[i];

		free -= (b->size >> shift) * (b->end - b->start);
	}
	assert(free <= all);
	return free > all / LEAST_FREE && free < all / MOST_FREE;
}

static enum outcome first_plan(struct job *job)
{
	const struct planner *row = mp_planner_find_own(
		mp_problem_is_plain(job->problem) ? "dive" : "greedy-size");

	return row->run(job, row->variant);
}

enum outcome mp_planner_pad_run(struct job *job, int variant)
{
	uint64_t height = job->height;
	enum pad_sides n_sides;
	uint32_t n_joined;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (job->problem->n_buffers > COMPOUNDS_MOST)
		return mp_planner_job_decline(job, TOO_MANY_TO_JOIN);
	if (!mp_planner_compounds_suit(job->problem) ||
		job->problem->n_parts > job->problem->n_buffers)
		return mp_planner_job_decline(job,
			"takes one lifetime and one block a buffer, and one "
			"stream only");
	/* By name it joins whatever it is. */
	if (height == UINT64_MAX) {
		if (first_plan(job) == PLAN_FAILED)
			return PLAN_FAILED;
	} else if (!is_nearly_full(job)) {
		return PLAN_GAVE_UP;
	}
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	if (job->steps / ENOUGH >= job->problem->n_buffers &&
		(!pick_sides(job, &n_sides, &n_joined) ||
			(n_sides != NO_SIDES &&
				!try_again(job, n_sides, n_joined))))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	return job->height < height ? PLAN_FOUND : PLAN_GAVE_UP;
}
