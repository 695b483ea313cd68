/*
 * Ruin and recreate (Schrimpf et al., Journal of Computational Physics 2000):
 * some buffers that live about the same time are removed and placed again, each
 * at an address that makes the fewest overwrites. Of equal addresses one is
 * taken by chance, and a result that is no worse is kept, so that the search
 * moves along plateaus of equal weight. It begins with the best of a few simple
 * plans.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/spread.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "planners/reuse/refit.h"
#include "problem/overwrites.h"

enum {
	MOST_OUT = 8,	 /* buffers removed at a time */
	NEAR = 24,	 /* so many neighbours in the sequence of births are
			    born about the same time */
	HEAVY = 1 << 20, /* weight of an overwrite across streams, if these
			    count first */

	/* A result that is one worse is kept once in 16 times at first, once in
	 * 128 at the end. */
	ODDS_FIRST = 16,
	ODDS_LAST = 128
};

struct work {
	struct job *job;
	const struct problem *problem;
	struct spread *spread;
	struct refit refit; /* the plan at hand */
	uint64_t *best;	    /* offsets, one a buffer */
	int64_t least;	    /* weight of these */
	uint32_t *movable;  /* buffers, as they are born */
	uint32_t n_movable;
	uint32_t *order; /* scratch: buffers */
};

static bool goes_on(struct work *w)
{
	uint64_t work = w->refit.layout.work;

	w->refit.layout.work = 0;
	return mp_planner_job_step(w->job, work);
}

/* ---------------------------------------------------------- weights */

static bool weigh_overwrites(
	struct work *w, const uint64_t *offsets, int64_t *weight)
{
	const struct problem *p = w->problem;
	const bool *crosses = w->spread->crosses;
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	struct overwrites found;
	bool fine =
		mp_problem_overwrites_find(p, offsets, &found, w->job->arena);

	*weight = 0;
	for (uint32_t i = 0; fine && i < found.n; i++)
		*weight += crosses && crosses[(size_t)found.at[i].old *
						      p->n_streams +
					      p->stream[found.at[i].next]]
				   ? HEAVY
				   : 1;
	mp_arena_rewind(w->job->arena, mark);
	return fine;
}

/* A lower bound on the overwrites: buffers that overwrite nothing share no
 * bytes, so there are at most as many of them as the smallest buffers that fit
 * the limit together. Each of the others overwrites something. */
static bool bound_overwrites(struct work *w, uint32_t *least)
{
	const struct problem *p = w->problem;
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	uint64_t *sizes = NEW(w->job->arena, uint64_t, p->n_buffers);
	uint64_t sum = 0;
	uint32_t n = 0;

	if (!sizes)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		sizes[p->parts[i].buffer] =
			num_max(sizes[p->parts[i].buffer], p->parts[i].size);
	mp_sort_u64(sizes, p->n_buffers);
	while (n < p->n_buffers && (sum += sizes[n]) <= w->spread->limit)
		n++;
	*least = p->n_buffers - n;
	mp_arena_rewind(w->job->arena, mark);
	return true;
}

/* Keeps offsets that weigh less than the best so far. */
static void keep_better(struct work *w, const uint64_t *offsets, int64_t weight)
{
	if (weight >= w->least)
		return;
	memcpy(w->best, offsets, sizeof(*offsets) * w->problem->n_buffers);
	w->least = weight;
}

/* ----------------------------------------------------------- starts */

/* Places all buffers in that order, each where it makes the fewest overwrites
 * with those before it. */
static bool construct_plan(struct work *w, const uint32_t *order)
{
	uint64_t base;
	int64_t weight;

	mp_planner_refit_clear(&w->refit);
	for (uint32_t i = 0; i < w->n_movable; i++) {
		if (!goes_on(w) ||
			!mp_planner_refit_choose(&w->refit, order[i], &base))
			return true;
		mp_planner_refit_put(&w->refit, order[i], base);
	}
	if (!weigh_overwrites(w, w->refit.offsets, &weight))
		return false;
	keep_better(w, w->refit.offsets, weight);
	return true;
}

/* Runs a row, and keeps its plan if that is within the limit and better. */
static bool try_row(struct work *w, const char *name)
{
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	const struct planner *row = mp_planner_find(name);
	struct job job = *w->job;
	int64_t weight;
	bool fine = true;

	assert(row);
	job.running = name;
	job.best = NEW(job.arena, uint64_t, w->problem->n_buffers);
	job.height = UINT64_MAX;
	if (!job.best || row->run(&job, row->variant) == PLAN_FAILED)
		return false;
	w->job->starved |= job.starved;
	if (job.height <= w->spread->limit) {
		fine = weigh_overwrites(w, job.best, &weight);
		if (fine)
			keep_better(w, job.best, weight);
	}
	mp_arena_rewind(w->job->arena, mark);
	return fine;
}

/* Large ones first; of equal size, as they are born. */
static bool rank_by_size(struct work *w, uint32_t *order, uint32_t n)
{
	const struct problem *p = w->problem;
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	uint64_t *key = NEW(w->job->arena, uint64_t, p->n_buffers);
	uint32_t *spare = NEW(w->job->arena, uint32_t, n);

	if (!key || !spare)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		key[i] = ~p->buffers[i].size;
	memcpy(order, w->movable, sizeof(*order) * n);
	mp_sort_radix(order, spare, n, key);
	mp_arena_rewind(w->job->arena, mark);
	return true;
}

/* Steps that a row takes: for each buffer it looks at those alive with it. */
static bool estimate_row(struct work *w, uint64_t *steps)
{
	enum {
		PAIRS_A_STEP = 4
	};
	const struct problem *p = w->problem;
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	uint64_t *start = NEW(w->job->arena, uint64_t, p->n_parts);
	uint64_t *end = NEW(w->job->arena, uint64_t, p->n_parts), pairs = 0;

	if (!start || !end)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		start[i] = p->parts[i].start;
		end[i] = p->parts[i].end;
	}
	mp_sort_u64(start, p->n_parts);
	mp_sort_u64(end, p->n_parts);
	for (uint32_t i = 0, dead = 0; i < p->n_parts; i++) {
		while (end[dead] <= start[i])
			dead++;
		pairs += i - dead;
	}
	*steps = p->n_parts + pairs / PAIRS_A_STEP;
	mp_arena_rewind(w->job->arena, mark);
	return true;
}

/* Is nothing wanted any more? The job is cut short then. */
static bool is_over(struct job *job)
{
	job->cut_short |= mp_planner_job_is_over(job);
	return job->cut_short;
}

static bool find_start(struct work *w)
{
	const struct spread *spread = w->spread;
	uint64_t steps_each;
	int64_t weight;

	if (!weigh_overwrites(w, w->job->best, &weight))
		return false;
	w->least = INT64_MAX;
	keep_better(w, w->job->best, weight);
	if (!estimate_row(w, &steps_each))
		return false;
	for (uint32_t i = 0;
		i < spread->n_starts && w->least > 0 &&
		(i + 1) * steps_each <= w->job->steps && !is_over(w->job);
		i++)
		if (!try_row(w, spread->starts[i]))
			return false;
	if (w->least == 0)
		return true;
	return rank_by_size(w, w->order, w->n_movable) &&
	       construct_plan(w, w->order) && construct_plan(w, w->movable);
}

/* ----------------------------------------------------------- search */

/* Picks buffers, each once, that are born about the same time; in one of four
 * rounds, any. */
static uint32_t pick_buffers(struct work *w, uint32_t *out)
{
	uint32_t wanted = 1 + mp_planner_refit_random(&w->refit, MOST_OUT),
		 n = 0;
	uint32_t span =
		mp_planner_refit_random(&w->refit, 4) ? NEAR : w->n_movable;
	uint32_t first = mp_planner_refit_random(&w->refit, w->n_movable);

	span = span < w->n_movable ? span : w->n_movable;
	for (uint32_t tries = 0; n < wanted && tries < 2 * wanted; tries++) {
		uint32_t at = (first + mp_planner_refit_random(
					       &w->refit, span)) %
			      w->n_movable,
			 k = 0;

		while (k < n && out[k] != w->movable[at])
			k++;
		if (k == n)
			out[n++] = w->movable[at];
	}
	return n;
}

/* A result that is one worse is kept at times, ever more rarely. */
static bool accepts(struct work *w, int64_t before, uint64_t left, uint64_t all)
{
	uint32_t odds =
		ODDS_FIRST +
		(uint32_t)((all - left) * (ODDS_LAST - ODDS_FIRST) / (all + 1));

	if (w->refit.weight <= before)
		return true;
	return w->refit.weight == before + 1 &&
	       mp_planner_refit_random(&w->refit, odds) == 0;
}

static bool put_back(struct work *w, const uint32_t *out, uint32_t n)
{
	uint64_t base;

	for (uint32_t i = 0; i < n; i++) {
		if (!mp_planner_refit_choose(&w->refit, out[i], &base))
			return false;
		mp_planner_refit_put(&w->refit, out[i], base);
	}
	return true;
}

static void ruin_and_recreate(struct work *w, uint64_t all)
{
	uint32_t out[MOST_OUT], n = pick_buffers(w, out);
	uint64_t offsets[MOST_OUT];
	int64_t before = w->refit.weight;

	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = w->refit.offsets[out[i]];
		mp_planner_refit_take(&w->refit, out[i]);
	}
	if (put_back(w, out, n) && accepts(w, before, w->job->steps, all)) {
		keep_better(w, w->refit.offsets, w->refit.weight);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		mp_planner_refit_undo(&w->refit, out[i], offsets[i]);
	w->refit.weight = before;
}

static void search(struct work *w)
{
	uint64_t all = w->job->steps;

	mp_planner_refit_restore(&w->refit, w->best, w->least);
	while (w->least > (int64_t)w->spread->least && w->n_movable > 0 &&
		goes_on(w))
		ruin_and_recreate(w, all);
}

/* ------------------------------------------------------------ stage */

static bool work_init(struct work *w)
{
	const struct problem *p = w->problem;
	struct arena *arena = w->job->arena;
	uint32_t n = p->n_buffers, part;

	w->best = NEW(arena, uint64_t, n);
	w->movable = NEW(arena, uint32_t, n);
	w->order = NEW(arena, uint32_t, n);
	if (!w->best || !w->movable || !w->order ||
		!mp_planner_refit_init(
			&w->refit, p, w->spread->limit, w->job->seed, arena))
		return false;
	w->refit.layout.crosses = w->spread->crosses;
	w->refit.layout.crossing = HEAVY;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		part = w->refit.layout.order[i];
		if (p->buffers[p->parts[part].buffer].first_part == part &&
			p->buffers[p->parts[part].buffer].offset == NO_OFFSET)
			w->movable[w->n_movable++] = p->parts[part].buffer;
	}
	return bound_overwrites(w, &w->spread->least);
}

static bool hand_over(struct work *w)
{
	struct job *job = w->job;

	if (!job->verify(w->problem, w->best, MEMPLAN_EINTERNAL, job->arena,
		    job->error))
		return false;
	memcpy(job->best, w->best, sizeof(*w->best) * w->problem->n_buffers);
	job->height = mp_plan_height(w->problem, w->best);
	return mp_problem_overwrites_count(
		w->problem, job->best, &w->spread->after, job->arena);
}

static bool spread_plan(struct work *w)
{
	if (!mp_problem_overwrites_count(w->problem, w->job->best,
		    &w->spread->before, w->job->arena) ||
		!work_init(w) || !find_start(w))
		return false;
	search(w);
	return hand_over(w);
}

bool mp_planner_spread(struct job *job, struct spread *spread)
{
	struct work w = {.job = job, .problem = job->problem, .spread = spread};
	struct arena_mark mark = mp_arena_mark(job->arena);
	bool fine;

	assert(mp_planner_job_is_sound(job));
	assert(job->height <= spread->limit);
	/* Overwrites are counted by lifetimes and bytes alone: with branches
	 * the plan stays as it is. So it does after an interrupt. */
	spread->least = 0;
	if (is_over(job) || w.problem->choice) {
		fine = mp_problem_overwrites_count(
			w.problem, job->best, &spread->before, job->arena);
		spread->after = spread->before;
	} else {
		fine = spread_plan(&w);
	}
	mp_arena_rewind(job->arena, mark);
	return fine;
}
