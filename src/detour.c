/*
 * The street with a budget: where a plan does not fit, tensors take detours
 * until one does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"
#include "rewrite/detours.h"
#include "simulate/budget.h"
#include "simulate/swap.h"

enum {
	ROUNDS = 8, /* a plan may miss the target that its lifetimes meet */
	WORK_A_STEP = 50, /* about 1 ns each */
};

struct detouring {
	memplan *m;
	struct graph graph; /* as the input has it */
	struct order_job order;
	struct problem problem; /* of that graph */
	struct budget_job job;
	struct problem planned; /* of the rewritten one */
	struct job best;
};

static uint32_t forward_end(struct detouring *d)
{
	bool sure;

	return d->m->options.forward_end != NONE
		       ? d->m->options.forward_end
		       : mp_swap_forward_end(&d->problem, &sure, &d->m->arena);
}

static void describe_job(struct detouring *d)
{
	const struct options *options = &d->m->options;

	d->job = (struct budget_job){.problem = &d->problem,
		.mode = options->copy_mode,
		.recompute = options->recompute,
		.write_rate = options->write_rate,
		.read_rate = options->read_rate,
		.forward_end = forward_end(d),
		.arena = &d->m->arena};
}

/* The first order as the list of ops, with the detours put in. */
static bool rewrite(struct detouring *d, struct order_job *listed)
{
	memplan *m = d->m;
	uint32_t *ops;

	if (!mp_rewrite_detours(&d->graph, d->order.choices[0], d->job.detours,
		    d->job.n_detours, &m->graph, &m->arena, &m->error))
		return false;
	ops = NEW(&m->arena, uint32_t, m->graph.n_ops);
	if (!ops)
		return false;
	for (uint32_t i = 0; i < m->graph.n_ops; i++)
		ops[i] = i;
	*listed = (struct order_job){.winner = d->order.winner};
	listed->choices[0] = ops;
	listed->n_choices = 1;
	return true;
}

static bool plan_rewritten(struct detouring *d)
{
	struct order_job listed;

	return rewrite(d, &listed) &&
	       mp_street_problem(d->m, &listed, 0, &d->planned) &&
	       mp_street_plan(d->m, &d->planned, 1, &d->best);
}

/* What copying everything leaves, with compute waiting for all of it, is the
 * least that any choice leaves. Running ops again needs what they read. */
static bool is_least(const struct detouring *d)
{
	return d->job.mode != DETOUR_NONE;
}

static bool refuse(struct detouring *d)
{
	memplan *m = d->m;
	unsigned long long budget = m->options.budget;
	const struct step *op;

	d->job.target = 1;
	if (!mp_budget_choose(&d->job))
		return false;
	if (d->job.reached <= budget)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: no plan of at most %llu bytes was found, though "
			"%llu can be had alive at once",
			d->problem.name, budget,
			(unsigned long long)d->job.reached);
	op = &d->problem.ops[d->problem.order[d->job.reached_step]];
	return mp_fail(&m->error, is_least(d) ? MEMPLAN_NO : MEMPLAN_EBUDGET,
		"%s: a budget of %llu bytes is too small: step %u, op '%s', "
		"needs %llu whatever else leaves%s",
		d->problem.name, budget, d->job.reached_step, op->name,
		(unsigned long long)d->job.reached,
		is_least(d) ? "" : ", as far as was found");
}

static bool search(struct detouring *d)
{
	memplan *m = d->m;
	uint64_t budget = m->options.budget, miss;
	bool found = true;

	d->job.target = budget;
	for (int round = 0; round < ROUNDS && found; round++) {
		d->job.work = m->options.steps * WORK_A_STEP / (round + 1u);
		if (!mp_budget_choose(&d->job))
			return false;
		/* Below what can be met, the nearest choice may still do. */
		found = d->job.reached <= d->job.target;
		if (d->job.reached > budget)
			break;
		if (!plan_rewritten(d))
			return false;
		if (d->best.height <= budget)
			return true;
		miss = num_max(d->best.height - budget, m->graph.alignment);
		if (miss >= d->job.target)
			break;
		d->job.target -= miss;
	}
	return refuse(d);
}

static bool record(struct detouring *d)
{
	struct detour_sums *sums = NEW(&d->m->arena, struct detour_sums, 1);

	if (!sums)
		return false;
	sums->budget = d->m->options.budget;
	sums->copy_mode = mp_detour_modes[d->job.mode];
	sums->before = d->job.before;
	sums->after = d->job.nanoseconds;
	for (uint32_t i = 0; i < d->job.n_detours; i++) {
		const struct detour *detour = &d->job.detours[i];
		uint64_t bytes = d->problem.items[detour->tensor].size;

		sums->n_recomputed += detour->recompute;
		sums->n_read += !detour->recompute;
		sums->n_written += detour->written;
		sums->read += detour->recompute ? 0 : bytes;
		sums->written += detour->written ? bytes : 0;
	}
	d->m->plan.detours = sums;
	return true;
}

/* Without a detour where the plan fits as it is. */
bool mp_street_budget(memplan *m)
{
	const struct order_row *row = mp_order_find(m->options.order);
	struct detouring d = {.m = m};
	double start = mp_job_now();

	if (m->options.capacity > m->options.budget)
		m->options.capacity = m->options.budget;
	if (!mp_street_read(m) || !mp_street_order(m, row, &d.order) ||
		!mp_street_problem(m, &d.order, 0, &d.problem))
		return false;
	if (d.problem.n_ops == 0 || d.problem.n_streams != 1)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: a budget needs ops on one stream", d.problem.name);
	d.graph = m->graph;
	describe_job(&d);
	if (!search(&d) || !record(&d))
		return false;
	mp_street_keep(m, &d.planned, &d.best);
	m->least_bound = d.best.lower_bound;
	m->plan.seconds = mp_job_now() - start;
	return !m->options.minimise_reuse || mp_street_spread(m);
}
