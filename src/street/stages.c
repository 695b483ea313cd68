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
		job->lower_bound = 0;
	return true;
}

/* --------------------------------------------------------- schedule */

/* The bound on all orders: proved by this run, else claimed by the plan file.
 */
static bool name_bound(memplan *m, const struct run *run,
	const struct order_job *job, struct schedule *schedule)
{
	const uint32_t *ops;

	if (job->lower_bound == 0) {
		schedule->order_bound = run->graph->claims.order_bound;
		schedule->order_bound_claimed = schedule->order_bound.bytes > 0;
		return true;
	}
	ops = mp_arena_copy(
		&m->run, job->bound_ops, job->n_bound_ops, sizeof(*ops));
	schedule->order_bound = (struct order_bound){.bytes = job->lower_bound,
		.kind = job->bound_kind,
		.ops = {ops, job->n_bound_ops},
		.first = job->bound_first,
		.inplace = job->inplace};
	return ops != NULL;
}

/* If all offsets are fixed, they are the plan; the planner `given` hands it
 * back. */
bool mp_street_check_fixed(memplan *m, const struct problem *problem)
{
	if (mp_problem_is_given(problem))
		return true;
	return problem->pools ? mp_verify_fixed_spaces(problem, MEMPLAN_EINPUT,
					&m->run, &m->error)
			      : mp_verify_fixed(problem, &m->run, &m->error);
}

struct schedule *mp_street_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice)
{
	struct lifetime_options options = {.inplace = m->options.inplace};
	const struct graph *graph = run->graph;
	struct schedule *schedule;

	assert(graph && choice < job->n_alternatives);
	schedule = mp_lifetime(
		graph, job->alternatives[choice], &options, &m->run, &m->error);
	if (!schedule)
		return NULL;
	/* The offset of a buffer is the offset of its first tensor. */
	for (uint32_t t = graph->n_tensors; graph->solution && t-- > 0;)
		if (schedule->stay[t].buffer != NONE)
			schedule->problem.buffers[schedule->stay[t].buffer]
				.offset = graph->solution[t];
	if (!mp_street_check_fixed(m, &schedule->problem)) {
		mp_fail_at(&m->error, graph->name, graph->place);
		return NULL;
	}
	schedule->order_name =
		graph->claims.order ? graph->claims.order : job->winner;
	return name_bound(m, run, job, schedule) ? schedule : NULL;
}
