/*
 * The stages between the graph and the planner: an order for the ops, and the
 * schedule of the graph in this order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "lifetime/lifetime.h"
#include "verify/verify.h"

/* ------------------------------------------------------------ order */

bool mp_street_order(memplan *m, const struct run *run,
	const struct order_row *row, struct order_job *job)
{
	assert(run->graph && row);
	*job = (struct order_job){.graph = run->graph,
		.inplace = m->options.inplace,
		.seed = m->options.seed,
		.steps = m->options.steps,
		.peak = m->options.peak,
		.stop = &run->caller->stop,
		.watch = mp_street_enter(run->caller, "ordering", row->name),
		.arena = &m->run,
		.error = &m->error,
		.winner = row->name};
	if (!row->run(job, row->variant))
		return m->error.code == MEMPLAN_OK
			       ? mp_fail(&m->error, MEMPLAN_EINTERNAL,
					 "order '%s' failed", row->name)
			       : false;
	/* No row is trusted: its orders must respect the dependences. */
	for (uint32_t i = 0; i < job->n_alternatives; i++)
		if (!mp_graph_is_order(
			    run->graph, job->alternatives[i], &m->run))
			return mp_fail(&m->error, MEMPLAN_EINTERNAL,
				"order '%s' broke a dependence", row->name);
	if (!mp_order_fold_is_exact(run->graph))
		job->bound = (struct order_bound){0};
	return true;
}

/* --------------------------------------------------------- schedule */

/* The bound on all orders: proved by this run, else claimed by the plan file.
 */
static void name_bound(const struct graph *graph, const struct order_job *job,
	struct schedule *schedule)
{
	schedule->order_bound = job->bound;
	schedule->order_bound.inplace = job->inplace;
	if (job->bound.bytes > 0)
		return;
	schedule->order_bound = graph->claims.order_bound;
	schedule->order_bound_claimed = schedule->order_bound.bytes > 0;
}

/* The first alternative has the least peak. On several streams, in pools, and
 * with estimates, peaks are no minimums of plans. */
static void name_least_peak(const struct order_job *job, const uint32_t *order,
	struct schedule *schedule)
{
	const struct problem *problem = &schedule->problem;

	if (order != job->alternatives[0] &&
		job->found < problem->theoretical_min &&
		problem->n_streams == 1 && !problem->pools &&
		mp_order_fold_is_exact(job->graph))
		schedule->least_peak = job->found;
}

/* If all offsets are fixed, they are the plan: the stage that plans checks it,
 * and the answer is then no. */
bool mp_street_check_fixed(
	memplan *m, const struct run *run, const struct problem *problem)
{
	return mp_problem_is_given(problem) ||
	       mp_verify_fixed(problem,
		       run->judges ? MEMPLAN_NO : MEMPLAN_EINPUT, &m->run,
		       &m->error);
}

/* "keep" is the order of the input and no other: where a row that tries it has
 * polished it, or found no better one, that row made the order. */
static const char *name_order(
	const struct run *run, const struct order_job *job)
{
	const char *keep = mp_order_find("keep")->name;

	if (run->graph->claims.order)
		return run->graph->claims.order;
	return job->winner == keep ? run->order->name : job->winner;
}

/* The schedule, without a check of its fixed offsets. */
static struct schedule *make_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice)
{
	const struct graph *graph = run->graph;
	struct lifetime_options options = {.inplace = m->options.inplace,
		.left = run->left,
		.like = m->first};
	struct schedule *schedule;

	assert(choice < job->n_alternatives);
	options.brief = !graph->solution;
	schedule = mp_lifetime(
		graph, job->alternatives[choice], &options, &m->run, &m->error);
	if (!schedule)
		return NULL;
	/* The offset of a buffer is the offset of its first tensor. */
	for (uint32_t t = graph->n_tensors; graph->solution && t-- > 0;)
		if (schedule->stay[t].buffer != NONE)
			schedule->problem.buffers[schedule->stay[t].buffer]
				.offset = graph->solution[t];
	schedule->order_name = name_order(run, job);
	name_bound(run->graph, job, schedule);
	name_least_peak(job, job->alternatives[choice], schedule);
	return schedule;
}

struct schedule *mp_street_brief_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice)
{
	struct schedule *schedule = make_schedule(m, run, job, choice);

	if (!schedule || run->looks ||
		mp_street_check_fixed(m, run, &schedule->problem))
		return schedule;
	mp_graph_fail_at(run->graph, &m->error);
	return NULL;
}

struct schedule *mp_street_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice)
{
	struct schedule *schedule =
		mp_street_brief_schedule(m, run, job, choice);

	return schedule && mp_schedule_unfold(schedule, &m->run) ? schedule
								 : NULL;
}

/* --------------------------------------------- orders that are left */

/* The least that a named order, or all orders of "auto", would break. */
static bool fail_order(
	memplan *m, const struct order_job *job, const struct error *broken)
{
	if (job->kept || job->winner == mp_order_find("keep")->name)
		return mp_fail(&m->error, broken->code, "%s", broken->text);
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"order '%s' breaks a lifetime that the input fixes: %s",
		job->winner, broken->text);
}

static bool fit_lifetimes(memplan *m, struct order_job *job)
{
	uint32_t n = 0;
	struct error broken = {0};

	for (uint32_t i = 0; i < job->n_alternatives; i++) {
		broken.code = MEMPLAN_OK;
		if (mp_graph_check_lifetimes(
			    job->graph, job->alternatives[i], &m->run, &broken))
			job->alternatives[n++] = job->alternatives[i];
		else if (m->error.code != MEMPLAN_OK)
			return false;
	}
	job->n_alternatives = n;
	return n > 0 || fail_order(m, job, &broken);
}

/* Do fixed offsets allow a plan in that order? False too if memory is out. */
static bool suits_offsets(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice)
{
	struct arena_mark mark = mp_arena_mark(&m->run);
	struct error broken = {0};
	const struct schedule *schedule = make_schedule(m, run, job, choice);
	bool suits =
		schedule && (mp_problem_is_given(&schedule->problem) ||
				    mp_verify_fixed(&schedule->problem,
					    MEMPLAN_EINPUT, &m->run, &broken));

	mp_arena_rewind(&m->run, mark);
	return suits;
}

/* If all are broken, the first stays: its schedule says how. */
static bool fit_offsets(
	memplan *m, const struct run *run, struct order_job *job)
{
	uint32_t n = 0;

	if (job->n_alternatives < 2 || !mp_graph_has_offsets(run->graph))
		return true;
	for (uint32_t i = 0; i < job->n_alternatives; i++) {
		if (suits_offsets(m, run, job, i))
			job->alternatives[n++] = job->alternatives[i];
		else if (m->error.code != MEMPLAN_OK)
			return false;
	}
	job->n_alternatives = n > 0 ? n : 1;
	return true;
}

bool mp_street_fit_orders(
	memplan *m, const struct run *run, struct order_job *job)
{
	return fit_lifetimes(m, job) && fit_offsets(m, run, job);
}
