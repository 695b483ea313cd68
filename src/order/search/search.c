/*
 * The search: its stages, and the row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "order/inside.h"
#include "order/rows.h"

/* ----------------------------------------------------------- stages */

/* What each pass may spend in a stage of the search. Of passes that have a
 * part, each may take one in so many of the steps that are left before it. */
struct stage {
	uint32_t patience; /* cuts in a row that improve nothing */
	uint32_t kinds;	   /* kinds of ops that sets are of */
	uint32_t seeds;	   /* steps that sets grow from */
	uint64_t nodes;	   /* of an exact search; 0: no such search */
	uint32_t bounds;   /* part of the cuts, and of the sets */
	uint32_t refining; /* part */
	uint32_t few;	   /* part; 0: no such search */
	uint32_t windows;  /* part */
	bool shifts;
};

/* Every pass gets a little, then more: a fixed number of cuts before all other
 * passes starved graphs that need many cuts and wasted time on those that need
 * none. From stage to stage the patience grows by 4 and the nodes by 8, so the
 * last stage that runs takes most of the time. Of the 24 graphs of
 * docs/ordering.md the first stage proves 18, the second 5, and the fourth the
 * other one. Without parts, refinement or sets of graphs of 10,000 ops left
 * nothing to shifts, which bring most there, and windows nothing to the bounds
 * of the third stage, which are much higher at an order that is better. */
static const struct stage stages[] = {
	{4, 3, 1, 0, 2, 16, 0, 1, false},
	{16, 6, 2, 2000, 8, 16, 2, 2, true},
	{64, 36, 12, 16000, 1, 1, 2, 1, false},
	/* For graphs that are still open after a search without their smallest
	 * tensors. */
	{256, 36, 12, 128000, 1, 1, 2, 1, false},
	{1024, 36, 12, 1024000, 1, 1, 2, 1, false},
	{4096, 36, 12, 8192000, 1, 1, 2, 1, false},
};

enum {
	LINE_STAGE = 1, /* before it, parts run in line, */
	LATE_STAGE = 2, /* and before it, that order is offered again: behind
			   the shifts */
	FIRST_STAGES = 3
};

/* A gap that is not worth the other stages. The larger the graph, the more they
 * take, and the larger it may be: of 10,000 ops and more, a 3,600th of the peak
 * with the default effort. With more effort it is smaller. */
static bool is_close(const struct search *s)
{
	enum {
		OPS_A_PART = 6,
		MANY_OPS = 10000
	};
	uint64_t n = num_min(s->view->n_ops, MANY_OPS);

	return s->peak - s->bound.bytes <=
	       s->peak / (1 + s->all_steps / (1 + n / OPS_A_PART));
}

/* What one flow may take of the steps that are left, for a bound: a 32nd in the
 * first stage. In large networks with many long paths, one flow after the other
 * took most of the budget, and none raised the bound; what it has sent by then
 * is a bound too. */
static uint64_t flow_share(const struct search *s, const struct stage *stage)
{
	enum {
		ALL = 128 /* with so much patience, all steps */
	};

	return s->steps / ALL * num_min(stage->patience, ALL);
}

typedef bool pass_run(struct search *s, const struct stage *stage);

/* Runs a pass that may take one in so many of the steps that are left. */
static bool run_part(struct search *s, const struct stage *stage, uint32_t part,
	pass_run *pass)
{
	uint64_t held = s->steps - s->steps / part;
	bool done;

	s->steps -= held;
	done = pass(s, stage);
	s->steps += held;
	return done;
}

static bool bound_cut(struct search *s, const struct stage *stage)
{
	return mp_order_search_bound_cut(s, stage->patience);
}

static bool bound_set(struct search *s, const struct stage *stage)
{
	return mp_order_search_bound_set(s, stage->kinds, stage->seeds);
}

static bool refine(struct search *s, const struct stage *stage)
{
	(void)stage;
	return mp_order_search_refine(s);
}

static bool windows(struct search *s, const struct stage *stage)
{
	return mp_order_search_windows(s, stage->nodes);
}

static bool run_bounds(struct search *s, const struct stage *stage)
{
	bool done;

	s->cut.most_steps = flow_share(s, stage);
	done = run_part(s, stage, stage->bounds, bound_cut) &&
	       run_part(s, stage, stage->bounds, bound_set);
	s->cut.most_steps = UINT64_MAX;
	return done;
}

/* Half of the budget, on top of what is left: few graphs have such a bound, and
 * where it is the peak, what is left is saved. */
static bool bound_behind(struct search *s)
{
	uint64_t left = s->steps;
	bool done;

	if (left > 0)
		s->steps = s->budget / 2;
	done = mp_order_search_bound_behind(s);
	s->steps = left;
	return done;
}

/* All but the steps that are held, and of small graphs a quarter of the budget
 * on top: shifts leave too few for an answer, and many such graphs have one
 * soon. A flow of a large one takes too many steps for that. */
static bool try_few(struct search *s, uint64_t held)
{
	enum {
		SMALL_OPS = 4096
	};
	uint64_t more = 0;
	bool done;

	if (s->steps > 0 && s->view->n_ops <= SMALL_OPS)
		more = s->budget / 4;
	s->steps += more - held;
	done = mp_order_search_few(s);
	s->steps += held - num_min(s->steps, more);
	return done;
}

/* With part of the steps that are left. Where the gap gets much smaller, again
 * with what is on top: what closed a part of it often closes the rest. */
static bool search_few(struct search *s, const struct stage *stage)
{
	enum {
		MOST_TRIES = 4,
		GAP_PART = 8 /* that a try must have closed */
	};
	bool again = true, done = true;

	for (uint32_t i = 0; i < MOST_TRIES && again && done; i++) {
		uint64_t gap = s->peak - s->bound.bytes;

		done = try_few(
			s, i > 0 ? s->steps : s->steps - s->steps / stage->few);
		again = s->peak > s->bound.bytes &&
			s->peak - s->bound.bytes < gap - gap / GAP_PART;
	}
	return done;
}

static bool run_stage(struct search *s, const struct stage *stage)
{
	if (mp_order_search_done(s) || (stage != stages && is_close(s)))
		return true;
	if (!run_bounds(s, stage))
		return false;
	if (stage->shifts && !(run_part(s, stage, stage->refining, refine) &&
				     mp_order_search_shift(s)))
		return false;
	return run_part(s, stage, stage->refining, refine) &&
	       mp_order_search_hills(s) && bound_behind(s) &&
	       (stage->few == 0 || search_few(s, stage)) &&
	       (stage->nodes == 0 ||
		       run_part(s, stage, stage->windows, windows)) &&
	       run_part(s, stage, stage->refining, refine);
}

static bool run_stages_from(struct search *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (!run_stage(s, &stages[i]))
			return false;
	return true;
}

bool mp_order_search_first(struct search *s)
{
	return run_stages_from(s, 0, FIRST_STAGES);
}

/* ------------------------------------------------------------- dust */

/*
 * Dust: the smallest tensors, with a sum of sizes of at most 1/200 of the peak.
 * They multiply the sets of ops that a search has to distinguish and hardly
 * matter. This pass searches the graph with their sizes set to 0. Then every
 * order costs less, so a lower bound also holds for the true sizes; an order
 * that is found costs at most the dust more.
 */

/* Dust is at most half a percent of the peak, so that an order that is optimal
 * without it is within half a percent of the optimum. */
enum {
	DUST_PART = 200
};

/* Sets the smallest sizes to 0, up to `most` bytes in all; swept: a size
 * changed. False: memory is out. */
static bool remove_dust(uint64_t *size, uint32_t n, uint64_t most, bool *swept,
	struct arena *arena)
{
	uint32_t *order = NEW(arena, uint32_t, n);
	uint32_t *spare = NEW(arena, uint32_t, n);
	uint32_t last = 0;

	if (!order || !spare)
		return false;
	for (uint32_t t = 0; t < n; t++)
		order[t] = t;
	mp_sort_radix(order, spare, n, size);
	*swept = false;
	for (; last < n && size[order[last]] <= most; last++) {
		most -= size[order[last]];
		*swept |= size[order[last]] > 0;
		size[order[last]] = 0;
	}
	return true;
}

static bool copy_without_dust(
	const struct search *s, struct view *view, bool *swept)
{
	struct arena *arena = s->arena;

	*view = *s->view;
	view->size = mp_arena_copy(
		arena, s->view->size, view->n_tensors, sizeof(*view->size));
	return view->size &&
	       remove_dust(view->size, view->n_tensors, s->peak / DUST_PART,
		       swept, arena) &&
	       mp_order_view_sum(view, arena);
}

/* Spends half of the budget that is left. */
static bool search_without_dust(struct search *s, const struct view *view)
{
	struct search inner;
	uint64_t steps = s->steps / 2;

	if (!mp_order_search_init_within(&inner, s, view, s->order, steps))
		return false;
	inner.enough = s->enough;
	if (!mp_order_search_first(&inner))
		return false;
	assert(inner.steps <= steps);
	mp_order_search_step(s, steps - inner.steps);
	mp_order_search_raise(s, inner.bound);
	memcpy(s->trial, inner.order, sizeof(*s->trial) * view->n_ops);
	mp_order_search_take(s);
	return true;
}

bool mp_order_search_dust(struct search *s)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct view view;
	bool swept = false;
	bool done = copy_without_dust(s, &view, &swept) &&
		    (!swept || search_without_dust(s, &view));

	mp_arena_rewind(s->arena, mark);
	return done;
}

/* -------------------------------------------------------------- row */

/* All stages, with parts in line after the first one, as many graphs need no
 * more, and the pass without small tensors in the middle. */
static bool run_stages(struct search *s)
{
	if (!run_stages_from(s, 0, LINE_STAGE) ||
		(!is_close(s) && !mp_order_search_parts(s)) ||
		!run_stages_from(s, LINE_STAGE, LATE_STAGE))
		return false;
	mp_order_search_offer_late(s);
	if (!mp_order_search_bound_fewer(s) ||
		!run_stages_from(s, LATE_STAGE, FIRST_STAGES) ||
		(!mp_order_search_done(s) && !is_close(s) &&
			!mp_order_search_dust(s)))
		return false;
	return run_stages_from(s, FIRST_STAGES, countof(stages));
}

/* The budget of a job is for graphs of so many ops. It grows with the graph;
 * half of it is the least, as small graphs are hard too. */
enum {
	OPS_A_BUDGET = 30000,
	MOST_BUDGET_OPS = 600000 /* of more, no more: a step takes longer */
};

static uint64_t scale(const struct order_job *job, uint64_t steps, bool up)
{
	uint64_t n = num_min(
		num_max(job->graph->n_ops, OPS_A_BUDGET / 2), MOST_BUDGET_OPS);

	if (steps >= NUM_MAX_BYTES / UINT32_MAX)
		return steps;
	return up ? steps * n / OPS_A_BUDGET : steps * OPS_A_BUDGET / n;
}

/* Starts from the best order of the portfolio; the others give lower costs of
 * single ops. */
static bool begin_search(struct search *s, const struct order_job *job)
{
	uint64_t peak;

	assert(job->n_alternatives > 0);
	if (!mp_order_search_init(s, job->view, job->alternatives[0],
		    scale(job, job->steps, true), job->arena))
		return false;
	s->all_steps = job->steps;
	s->enough = job->peak;
	s->stop = job->stop;
	s->watch = job->watch;
	for (uint32_t i = 1; i < job->n_alternatives; i++) {
		memcpy(s->trial, job->alternatives[i],
			sizeof(*s->trial) * job->view->n_ops);
		peak = mp_order_search_measure(s);
		if (peak < s->peak)
			mp_order_search_accept(s, peak);
	}
	return true;
}

bool mp_order_search(struct order_job *job, int variant)
{
	struct search s;

	if ((job->n_alternatives == 0 && !mp_order_portfolio(job, variant)) ||
		!mp_order_view(job) || !begin_search(&s, job) ||
		!run_stages(&s))
		return false;
	job->alternatives[0] = s.order;
	job->n_alternatives = 1;
	job->found = s.peak;
	job->bound = s.bound;
	job->steps = scale(job, s.steps, false);
	return true;
}
