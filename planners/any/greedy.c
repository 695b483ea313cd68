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

#include "planners/ahead.h"
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

/* When a pass that is run ahead became that high: its limit may turn out to be
 * lower than it knew. */
struct rise {
	uint64_t top, spent;
};

struct rises {
	const atomic_ullong *limit; /* what is known of it */
	struct rise *at;
	uint32_t n, room;
};

struct filling {
	struct job *job;
	struct conflicts conflicts;
	uint64_t *offsets;
	uint64_t top;	/* of the buffers placed so far */
	uint64_t limit; /* a plan of this height is of no use */
	uint64_t work;
	struct rises *rises; /* NULL: it is not run ahead */
};

enum {
	/* Steps a buffer that a pass may do beyond its budget: about half a
	 * millisecond, and 16,000 conflicts that are met */
	STEPS_PER_BUFFER = 4096,
	MOST_IN_LINE = 2 /* at one time */
};

bool mp_planner_greedy_goes_on(struct job *job, uint64_t work, uint64_t *done)
{
	*done += work;
	if (mp_planner_job_step(job, work))
		return true;
	return !job->cut_short && job->height == UINT64_MAX &&
	       *done < (uint64_t)STEPS_PER_BUFFER * job->problem->n_buffers;
}

static void raise_top(struct filling *f, uint32_t buffer)
{
	f->top = num_max(f->top,
		f->offsets[buffer] + f->job->problem->buffers[buffer].size);
}

/* False: memory is out. */
static bool note_rise(struct filling *f)
{
	struct rises *r = f->rises;

	if (!r || (r->n > 0 && r->at[r->n - 1].top == f->top))
		return true;
	r->at = mp_arena_grow(
		f->job->arena, r->at, r->n, &r->room, sizeof(*r->at));
	if (!r->at)
		return false;
	r->at[r->n++] = (struct rise){f->top, f->job->spent};
	return true;
}

static bool is_too_high(const struct filling *f)
{
	return f->top >= f->limit ||
	       (f->rises && f->top >= atomic_load_explicit(f->rises->limit,
					      memory_order_relaxed));
}

/* Out of budget: stacks the rest above everything. That is a plan, though one
 * that most likely reaches the limit if the job has a plan already. They go by
 * birth, as the verifier does: else it takes seconds for a million of them. */
static void stack_rest(struct filling *f, const uint32_t *order, uint32_t from)
{
	const struct problem *problem = f->job->problem;

	for (uint32_t i = from; i < problem->n_buffers; i++)
		if (problem->buffers[order[i]].offset == NO_OFFSET)
			f->offsets[order[i]] = NO_OFFSET;
	for (uint32_t rank = 0; rank < problem->n_parts; rank++) {
		uint32_t part = f->conflicts.part[rank];
		uint32_t buffer = problem->parts[part].buffer;

		if (f->offsets[buffer] != NO_OFFSET)
			continue;
		f->offsets[buffer] =
			num_up(f->top, problem->buffers[buffer].align);
		raise_top(f, buffer);
	}
}

/* False: memory is out. Ends early when the limit is reached. */
static bool place_all(struct filling *f, const uint32_t *order, enum fit fit)
{
	const struct problem *problem = f->job->problem;

	assert(f->top == 0);
	f->top = mp_planner_take_fixed(problem, f->offsets);
	mp_planner_conflicts_place_fixed(&f->conflicts);
	if (!note_rise(f))
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		uint32_t buffer = order[i];

		if (problem->buffers[buffer].offset != NO_OFFSET)
			continue;
		if (!mp_planner_conflicts_fit(
			    &f->conflicts, buffer, fit, &f->offsets[buffer]))
			return false;
		mp_planner_conflicts_place(
			&f->conflicts, buffer, f->offsets[buffer]);
		raise_top(f, buffer);
		if (!note_rise(f))
			return false;
		if (is_too_high(f))
			return true;
		if (!mp_planner_greedy_goes_on(
			    f->job, 4 + f->conflicts.n_met / 4, &f->work)) {
			stack_rest(f, order, i + 1);
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

static bool fill(struct filling *f, const uint32_t *order, enum fit fit)
{
	assert(is_permutation(order, f->job->problem->n_buffers));
	return mp_planner_conflicts_init(
		       &f->conflicts, f->job->problem, f->job->arena) &&
	       place_all(f, order, fit);
}

bool mp_planner_greedy_fill(struct job *job, const uint32_t *order,
	enum fit fit, uint64_t limit, uint64_t *offsets, uint64_t *height)
{
	struct filling f = {.job = job, .offsets = offsets, .limit = limit};

	if (!fill(&f, order, fit))
		return false;
	*height = is_too_high(&f) ? UINT64_MAX : f.top;
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

/* ------------------------------------------------------------- line */

/* Rows one after the other: each has what those before it found as its limit.
 * The second of a chain has to do without until the first has ended. */
struct line {
	struct job *job;
	struct ahead *ahead;
	const struct planner *const *rows;
	uint32_t done; /* rows */
	atomic_ullong limit;
	struct place {
		uint64_t *offsets;
		uint64_t height; /* UINT64_MAX: it is of no use */
		struct rises rises;
	} places[MOST_IN_LINE];
};

static bool fill_place(
	struct line *line, const struct pass *pass, struct filling *f)
{
	const struct planner *row = line->rows[line->done + pass->index];
	const struct greedy_rule *rule = &rules[row->variant];
	struct arena *arena = f->job->arena;
	uint32_t *order = NEW(arena, uint32_t, f->job->problem->n_buffers);

	assert(row->run == mp_planner_greedy_run);
	f->job->running = row->name;
	return order &&
	       mp_planner_rank_buffers(
		       f->job->problem, rule->keys, order, arena) &&
	       fill(f, order, rule->fit);
}

static enum pass_end run_place(
	void *context, struct pass *pass, struct job *job)
{
	struct line *line = context;
	struct place *place = &line->places[pass->index];
	struct filling f = {.job = job, .limit = job->height};
	struct arena_mark mark;
	bool fine;

	if (!place->offsets)
		place->offsets =
			NEW(job->arena, uint64_t, job->problem->n_buffers);
	if (!place->offsets)
		return PASS_FAILED;
	f.offsets = place->offsets;
	place->rises = (struct rises){.limit = &line->limit};
	if (pass->index > 0)
		f.rises = &place->rises;
	mark = mp_arena_mark(job->arena);
	fine = fill_place(line, pass, &f);
	if (pass->index == 0)
		mp_arena_rewind(job->arena, mark);
	if (!fine)
		return PASS_FAILED;
	place->height = is_too_high(&f) ? UINT64_MAX : f.top;
	if (pass->index == 0)
		atomic_store(&line->limit, num_min(place->height, job->height));
	return PASS_AS_EXPECTED;
}

/* What the second would have come to if it had known its limit. */
static void limit_second(struct line *line, struct pass *pass)
{
	struct place *place = &line->places[1];
	const struct rises *r = &place->rises;
	uint32_t k = 0;

	while (k < r->n && r->at[k].top < line->job->height)
		k++;
	if (pass->end == PASS_NOT_RUN || k == r->n)
		return;
	place->height = UINT64_MAX;
	pass->spent = r->at[k].spent;
	pass->need = pass->spent + 1;
}

static bool take_place(void *context, const struct pass *pass)
{
	struct line *line = context;
	struct job *job = line->job;
	const struct place *place = &line->places[pass->index];

	job->running = line->rows[line->done++]->name;
	if (place->height != UINT64_MAX &&
		!mp_planner_job_offer(job, place->offsets))
		return false;
	if (mp_planner_job_done(job))
		line->ahead->n = pass->index + 1;
	if (pass->index + 1 < line->ahead->n)
		limit_second(line, &line->ahead->passes[1]);
	return true;
}

/* A row that memory is out for is left out. */
static bool skip(struct line *line, uint32_t first)
{
	if (line->done == first)
		line->done++;
	return mp_planner_job_survives(line->job, line->rows[line->done - 1]);
}

bool mp_planner_greedy_line(struct job *job, const struct planner *const *rows,
	uint32_t n, bool (*goes_on)(const struct job *job))
{
	static const struct ahead_row row = {
		.run = run_place, .take = take_place};
	struct line line = {.job = job, .rows = rows};
	bool fine = true;

	assert(mp_planner_job_is_sound(job));
	line.ahead = mp_planner_ahead_open(job, &row, &line);
	if (!line.ahead)
		return false;
	while (fine && line.done < n && goes_on(job)) {
		uint32_t first = line.done;

		atomic_store(&line.limit, job->height);
		fine = mp_planner_ahead_run(line.ahead,
			       (uint32_t)num_min(n - first, MOST_IN_LINE)) ||
		       skip(&line, first);
	}
	mp_planner_ahead_close(line.ahead);
	return fine;
}
