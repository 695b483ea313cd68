/*
 * Plans a graph within a budget. While the plan is too large, more tensors take
 * detours: they are copied out and back, or computed again. The plan then
 * belongs to the rewritten graph, which has ops for the detours.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "base/sink-text.h"
#include "budget/budget.h"
#include "simulate/simulate.h"

enum {
	WORK_A_STEP = 50 /* about 1 ns each */
};

/* One plan has so large a part of the effort. */
enum effort {
	WHOLE = 1,
	LOOK = 4,
	GLANCE = 16
};

struct detouring {
	memplan *m;
	const struct run *run; /* of the graph as the input has it */
	uint64_t limit; /* the budget, the capacity, or what all pools have: the
			   least of these */
	struct order_job order;
	uint32_t choice;		 /* of these orders */
	const struct schedule *schedule; /* of that graph */
	struct budget_job job;
	bool spares; /* uses less of the first pool rather than give up */
	enum effort effort;
	double deadline; /* of all plans; 0: none */
	struct graph *rewritten;
	const struct schedule *planned; /* of that one */
	struct job best;
};

static bool check_ops(const struct detouring *d)
{
	return d->schedule->graph->n_ops > 0 ||
	       mp_fail(&d->m->error, MEMPLAN_EUSAGE,
		       "%s: a budget needs steps to be put in, but there are "
		       "no ops",
		       d->schedule->graph->name);
}

/* Lifetimes of a plan end where another tensor takes over the bytes. */
static bool check_plan(const struct detouring *d)
{
	const struct graph *graph = d->run->graph;

	return (!graph->claims.present && !graph->was_plan) ||
	       mp_fail(&d->m->error, MEMPLAN_EUSAGE,
		       "%s: a plan has the lifetimes that it has: a budget "
		       "takes the graph that it is of",
		       graph->place);
}

static void warn_of_costs(const struct detouring *d)
{
	const struct graph *graph = d->run->graph;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (graph->ops[i].cost_us > 0)
			return;
	mp_warn(&d->m->error,
		"%s: no op has a cost: to run one again counts as no time, and "
		"no copy is hidden behind one",
		graph->name);
}

/* Tensors of the same bytes. Outside the arena that matters only if an op
 * writes over these bytes: then no op that reads them can run again. */
static bool tie_aliases(struct detouring *d, bool *tied)
{
	const struct graph *graph = d->run->graph;
	const struct ties *ties = &graph->ties;
	bool *written = NEW(&d->m->run, bool, graph->n_tensors);

	for (uint32_t i = 0; written && i < ties->n_aliases; i++)
		written[ties->aliases[i].root] |= ties->aliases[i].writes;
	for (uint32_t i = 0; written && i < ties->n_aliases; i++) {
		const struct tensor_alias *alias = &ties->aliases[i];

		if (written[alias->root] ||
			!graph->tensors[alias->root].external)
			tied[alias->tensor] = tied[alias->of] = true;
	}
	return written != NULL;
}

/* A tensor that a loop uses is there in each iteration. */
static void tie_loops(const struct graph *graph, bool *tied)
{
	for (uint32_t op = 0; op < graph->n_ops && graph->loop_of; op++) {
		const struct op *o = &graph->ops[op];

		if (graph->loop_of[op] == NONE)
			continue;
		for (uint32_t i = 0; i < o->inputs.n; i++)
			tied[o->inputs.at[i]] = true;
		for (uint32_t i = 0; i < o->outputs.n; i++)
			tied[o->outputs.at[i]] = true;
	}
	for (uint32_t i = 0; i < graph->n_loops; i++)
		for (uint32_t k = 0; k < graph->loops[i].n_carried; k++) {
			const struct carried_pair *pair =
				&graph->loops[i].carried[k];

			if (pair->in != NONE)
				tied[pair->in] = true;
			if (pair->out != NONE)
				tied[pair->out] = true;
		}
}

/* A tensor stays in the arena if the input's constraints on its bytes or steps
 * (groups, fixed offsets and lifetimes) would not hold for a copy, or if no
 * other tensor may take its bytes. */
static bool find_tied(struct detouring *d)
{
	const struct graph *graph = d->run->graph;
	const struct ties *ties = &graph->ties;
	bool *tied = NEW(&d->m->run, bool, graph->n_tensors);

	if (!tied || !tie_aliases(d, tied))
		return false;
	mp_graph_ties_mark_groups(ties, tied);
	tie_loops(graph, tied);
	for (uint32_t i = 0; i < ties->n_apart; i++)
		tied[ties->apart[i].a] = tied[ties->apart[i].b] = true;
	for (uint32_t i = 0; i < ties->n_branches; i++)
		tied[ties->branches[i].tensor] = true;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		tied[t] |= !graph->tensors[t].external &&
			   (graph->tensors[t].pinned ||
				   (graph->tensors[t].from_start &&
					   graph->tensors[t].to_end));
	d->job.tied = tied;
	return true;
}

static bool describe_job(struct detouring *d)
{
	const struct options *options = &d->m->options;
	bool sure;

	d->job = (struct budget_job){.schedule = d->schedule,
		.mode = options->copy_mode,
		.recompute = options->recompute,
		.write_rate = options->write_rate,
		.read_rate = options->read_rate,
		.stop = &d->run->caller->stop,
		.forward_end = options->forward_end,
		.arena = &d->m->run};
	if (options->forward_end == NONE)
		d->job.forward_end = mp_simulate_swap_forward_end(
			d->schedule, &sure, &d->m->run);
	if (d->choice == 0 && (options->recompute || d->job.mode > DETOUR_SYNC))
		warn_of_costs(d);
	return find_tied(d);
}

/* The steps of the outermost loop around a step; first NONE: none. */
static void find_body(const struct detouring *d, uint32_t step, uint32_t *first,
	uint32_t *last)
{
	const struct graph *graph = d->run->graph;
	const uint32_t *order = d->schedule->order;
	uint32_t outer = NONE, at = step;

	*first = NONE;
	for (uint32_t i = graph->loop_of[order[step]]; i != NONE;
		i = graph->loops[i].around)
		outer = i;
	if (outer == NONE)
		return;
	while (order[at] != graph->loops[outer].first)
		at--;
	*first = at;
	*last = at + graph->loops[outer].last - graph->loops[outer].first;
}

/* What is put into a body would run in each iteration, or in none: it moves in
 * front of the loop, or behind it. The tensor is away the longer. */
static void keep_out_of_loops(struct detouring *d)
{
	for (uint32_t i = 0; d->run->graph->loop_of && i < d->job.n_detours;
		i++) {
		struct detour *detour = &d->job.detours[i];
		uint32_t first, last;

		find_body(d, detour->out_step, &first, &last);
		if (first != NONE && detour->out_step < last) {
			assert(detour->last_use < first);
			detour->out_step = first - 1;
		}
		find_body(d, detour->in_step, &first, &last);
		if (first != NONE && detour->in_step > first) {
			assert(detour->next_use > last);
			detour->in_step = last + 1;
		}
	}
}

static bool choose(struct detouring *d)
{
	d->job.watch =
		mp_street_enter(d->run->caller, "choosing what to copy", NULL);
	if (!mp_budget_choose(&d->job))
		return false;
	keep_out_of_loops(d);
	return true;
}

/* The order as the list of ops, with the detours put in. */
static bool rewrite(struct detouring *d, struct order_job *listed)
{
	memplan *m = d->m;
	uint32_t *ops;

	d->rewritten = NEW(&m->run, struct graph, 1);
	if (!d->rewritten ||
		!mp_budget_rewrite_detours(d->run->graph,
			d->order.alternatives[d->choice], d->job.detours,
			d->job.n_detours, d->job.mode >= DETOUR_SEMI,
			d->rewritten, &m->run, &m->error))
		return false;
	ops = NEW(&m->run, uint32_t, d->rewritten->n_ops);
	if (!ops)
		return false;
	for (uint32_t i = 0; i < d->rewritten->n_ops; i++)
		ops[i] = i;
	*listed = (struct order_job){.winner = d->order.winner};
	listed->alternatives[0] = ops;
	listed->n_alternatives = 1;
	return true;
}

/* When a plan is to be there: each has half of the time that is left. */
static double share_of_time(const struct detouring *d)
{
	double now = mp_planner_job_now();

	if (d->deadline == 0)
		return 0;
	return now + (d->deadline > now ? (d->deadline - now) / 2 : 0);
}

static bool plan_rewritten(struct detouring *d)
{
	struct run run = *d->run;
	struct order_job listed;

	if (!rewrite(d, &listed))
		return false;
	run.graph = d->rewritten;
	run.spares = d->spares;
	run.once = d->effort != WHOLE;
	run.deadline = share_of_time(d);
	d->planned = mp_street_schedule(d->m, &run, &listed, 0);
	return d->planned && mp_street_plan(d->m, &run, &d->planned->problem,
				     d->effort, &d->best);
}

/* Copying every candidate while compute waits leaves the least load of all
 * choices. Recomputing needs the inputs of the op. With several streams loads
 * are those of the listed order only; and what loops use might leave too. */
static bool is_least(const struct detouring *d)
{
	return d->job.mode != DETOUR_NONE && d->run->graph->n_loops == 0 &&
	       d->schedule->problem.n_streams == 1;
}

/* A misfit is one of the last choice only: others may fit the pools. */
static bool refuse(const struct detouring *d)
{
	memplan *m = d->m;
	unsigned long long limit = d->limit;
	const struct op *op;

	if (d->job.reached <= limit)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: no plan of at most %llu byte%s was found, though "
			"%llu can be had alive at once%s%s",
			d->run->graph->name, limit, mp_text_plural(limit),
			(unsigned long long)d->job.reached,
			m->found.misfit ? "; last: " : "",
			m->found.misfit ? m->found.misfit_why : "");
	op = mp_schedule_op(d->schedule, d->job.reached_step);
	return mp_fail(&m->error, is_least(d) ? MEMPLAN_NO : MEMPLAN_EBUDGET,
		"%s: a budget of %llu byte%s%s is too small: step %u, op '%s', "
		"needs %llu whatever else leaves%s",
		d->run->graph->name, limit, mp_text_plural(limit),
		limit < d->run->capacity ? ", which is what all pools have,"
					 : "",
		d->job.reached_step, op->name,
		(unsigned long long)d->job.reached,
		is_least(d) ? "" : ", as far as was found");
}

/* How far the plan is above the limit; a share of the target if tensors did not
 * fit their pools. */
static uint64_t miss_of(const struct detouring *d)
{
	enum {
		SHARE = 16
	};
	uint64_t miss = d->best.height == UINT64_MAX
				? d->job.target / SHARE
				: d->best.height - d->limit;

	return num_max(miss, d->rewritten->alignment);
}

/* ---------------------------------------------------------- targets */

/*
 * A plan may miss the limit that its lifetimes meet, so they get a lower
 * target. The higher the target, the faster the run; but one that just does not
 * fit takes a planner's whole effort. So glances find about where plans begin
 * to fit, and then longer looks find more exactly where.
 */

struct range {
	struct detouring *best; /* of those that fitted the fastest run */
	uint64_t fits;		/* the greatest target that fitted, or 0 */
	uint64_t fails;		/* the least one above that did not, or 0 */
	uint64_t miss;		/* how far that plan was above the limit */
};

/* When targets are near enough to what fits. */
enum until {
	ANY_FITS,
	ROUGHLY,
	CLOSELY
};

static bool is_enough(
	const struct range *range, uint64_t limit, enum until until)
{
	enum {
		NEAR = 256,
		PARTS = 4
	};
	uint64_t apart = range->fails - num_min(range->fails, range->fits);

	if (range->fits == 0)
		return false;
	return until == ANY_FITS || apart <= limit / NEAR ||
	       (until == ROUGHLY && apart <= (limit - range->fits) / PARTS);
}

/* As much lower as the last plan was too high, but no nearer than halfway to
 * what fits. */
static uint64_t next_target(const struct range *range)
{
	uint64_t lower = range->fails - num_min(range->fails, range->miss);

	if (range->fits == 0)
		return lower;
	return num_max(lower, range->fits + (range->fails - range->fits) / 2);
}

/* Without a detour the plan is the one that there is without a budget. What
 * hardly missed the limit is worth a look. */
static enum effort effort_for(
	const struct detouring *d, const struct range *range, enum effort usual)
{
	enum {
		HARDLY = 512
	};

	if (d->job.n_detours == 0)
		return WHOLE;
	if (usual == GLANCE && range->fails > 0 &&
		range->miss <= d->limit / HARDLY)
		return LOOK;
	return usual;
}

static bool try_target(struct detouring *d, struct range *range)
{
	if (!plan_rewritten(d))
		return false;
	if (d->best.height > d->limit) {
		range->fails = d->job.target;
		range->miss = miss_of(d);
		return true;
	}
	if (range->fits == 0 ||
		d->job.nanoseconds < range->best->job.nanoseconds)
		*range->best = *d;
	range->fits = d->job.target;
	return true;
}

/* Tries one target after the other, from the job's on. */
static bool narrow(struct detouring *d, struct range *range, uint32_t rounds,
	enum effort effort, enum until until)
{
	enum {
		PARTS = 4 /* of the work for a choice, after the first one */
	};
	uint64_t work = num_mul_most(d->m->options.steps, WORK_A_STEP) /
			d->order.n_alternatives;
	bool met = true;

	for (uint32_t i = 0; i < rounds && met && d->job.target > 0; i++) {
		bool first = range->fits == 0 && range->fails == 0;

		d->job.work = first ? work : work / PARTS;
		if (!choose(d))
			return false;
		/* The nearest target that can be met, if this one cannot: its
		 * plan may still fit. */
		met = d->job.reached <= d->job.target;
		if (d->job.reached > d->limit)
			return true;
		d->effort = effort_for(d, range, effort);
		if (!try_target(d, range))
			return false;
		if (range->fails == 0 || is_enough(range, d->limit, until))
			return true;
		d->job.target = next_target(range);
	}
	return true;
}

/* From a third of the way between what fits and the limit. */
static bool look_closer(struct detouring *d, struct range *range)
{
	enum {
		ROUNDS = 4,
		PARTS = 3
	};

	range->fails = range->miss = d->limit;
	d->job.target = range->fits + (d->limit - range->fits) / PARTS;
	return is_enough(range, d->limit, CLOSELY) ||
	       narrow(d, range, ROUNDS, LOOK, CLOSELY);
}

static bool is_interrupted(const struct detouring *d)
{
	return atomic_load_explicit(
		&d->run->caller->stop, memory_order_relaxed);
}

/* False is a failure. Whether a plan was found is in the result. */
static bool search(struct detouring *d, bool *found)
{
	enum {
		ROUNDS = 8
	};
	struct detouring best = *d;
	struct range range = {.best = &best};
	bool fine, goes_on;

	d->job.target = d->limit;
	fine = narrow(d, &range, ROUNDS, GLANCE, ROUGHLY);
	goes_on = fine && !is_interrupted(d);
	if (goes_on && range.fits == 0 && d->job.reached <= d->limit) {
		range.fails = 0;
		d->job.target = d->limit;
		fine = narrow(d, &range, ROUNDS, WHOLE, ANY_FITS);
	} else if (goes_on && range.fails > 0 && range.fits > 0) {
		fine = look_closer(d, &range);
	}
	*found = range.fits > 0;
	if (*found)
		*d = best;
	return fine;
}

/* ----------------------------------------------------------- orders */

/* If no choice meets the budget: the plan in which every candidate takes its
 * detour. */
static bool try_order(struct detouring *d, bool *found)
{
	d->schedule = mp_street_schedule(d->m, d->run, &d->order, d->choice);
	if (!d->schedule || !check_ops(d) || !check_plan(d) || !describe_job(d))
		return false;
	/* To copy more comes before using less of the preferred pool. */
	for (uint32_t i = 0; i < (d->run->graph->n_pools > 1 ? 2 : 1); i++) {
		d->spares = i > 0;
		if (!search(d, found))
			return false;
		if (*found)
			return true;
	}
	d->job.target = 1;
	return choose(d);
}

static bool is_better(const struct detouring *a, bool fits,
	const struct detouring *b, bool other_fits)
{
	if (fits != other_fits)
		return fits;
	return fits ? a->job.nanoseconds < b->job.nanoseconds
		    : a->job.reached < b->job.reached;
}

/* The fastest plan that meets the budget, or the smallest if none does. */
static bool try_orders(struct detouring *d, struct detouring *best, bool *found)
{
	for (; d->choice < d->order.n_alternatives; d->choice++) {
		bool fits;

		if (!try_order(d, &fits))
			return false;
		if (d->choice > 0 && !is_better(d, fits, best, *found))
			continue;
		*best = *d;
		*found = fits;
	}
	return true;
}

static bool record(const struct detouring *d)
{
	struct detour_sums *sums = NEW(&d->m->run, struct detour_sums, 1);

	if (!sums)
		return false;
	sums->budget = d->m->options.budget;
	sums->copy_mode = mp_detour_modes[d->job.mode];
	sums->before = d->job.before;
	sums->after = d->job.nanoseconds;
	for (uint32_t i = 0; i < d->job.n_detours; i++) {
		const struct detour *detour = &d->job.detours[i];
		uint64_t bytes = d->run->graph->tensors[detour->tensor].size;

		sums->n_recomputed += detour->n_ops;
		sums->n_read += !detour->recompute;
		sums->n_written += detour->written;
		sums->read += detour->recompute ? 0 : bytes;
		sums->written += detour->written ? bytes : 0;
	}
	d->m->results.detours = sums;
	return true;
}

static bool keep(const struct detouring *best)
{
	struct run run = *best->run;

	run.graph = best->rewritten;
	mp_street_keep(best->m, &run, best->planned, &best->best);
	best->m->found.least_bound =
		mp_street_least(&best->planned->problem, &best->best);
	return record(best);
}

/* Of one memory, or if a pool has no capacity: UINT64_MAX. */
static uint64_t room_of_pools(const struct graph *graph)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < graph->n_pools; i++)
		if (graph->pools[i].capacity == NO_CAPACITY ||
			!num_add(room, graph->pools[i].capacity, &room))
			return UINT64_MAX;
	return graph->n_pools ? room : UINT64_MAX;
}

/* If the plan fits without a detour, every tensor stays. */
bool mp_street_fit_budget(memplan *m, const struct run *run)
{
	struct detouring d = {.m = m, .run = run}, best = d;
	double start = mp_planner_job_now();
	bool found = false;

	if (m->options.time_limit > 0)
		d.deadline = start + m->options.time_limit;
	assert(m->options.budget > 0 && run->capacity <= m->options.budget);
	d.limit = num_min(run->capacity, room_of_pools(run->graph));
	if (!mp_street_order(m, run, run->order, &d.order) ||
		!mp_street_fit_orders(m, run, &d.order) ||
		!try_orders(&d, &best, &found))
		return false;
	if (!found)
		return refuse(&best);
	if (!keep(&best))
		return false;
	m->plan.seconds = mp_planner_job_now() - start;
	return true;
}
