/*
 * The stages between the graph and the planner: an order for the ops, and the
 * problem that this order makes of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "lifetime/lifetime.h"
#include "verify/verify.h"

/* ------------------------------------------------------------ order */

/* An order is not trusted: every choice must respect the dependences. */
static bool check_choices(
	memplan *m, const struct order_row *row, const struct order_job *job)
{
	for (uint32_t i = 0; i < job->n_alternatives; i++)
		if (!mp_graph_is_order(
			    job->graph, job->alternatives[i], &m->run))
			return mp_fail(&m->error, MEMPLAN_EINTERNAL,
				"order '%s' broke a dependence", row->name);
	return true;
}

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
	if (!check_choices(m, row, job))
		return false;
	if (!mp_order_fold_is_exact(run->graph))
		job->lower_bound = 0;
	return true;
}

/* ---------------------------------------------------------- problem */

/* The offset of a buffer is that of its first tensor. */
static void take_solution(struct problem *problem, const uint64_t *solution)
{
	for (uint32_t i = problem->n_items; i-- > 0;)
		if (problem->items[i].buffer != NONE)
			problem->buffers[problem->items[i].buffer].offset =
				solution[i];
}

static void name_claimed_bound(
	const struct order_bound *claim, struct problem *problem)
{
	problem->order_bound = claim->bytes;
	problem->order_bound_kind = claim->kind;
	problem->order_bound_ops = claim->ops.at;
	problem->n_order_bound_ops = claim->ops.n;
	problem->order_bound_first = claim->first;
	problem->order_bound_inplace = claim->inplace;
	problem->order_bound_claimed = claim->bytes > 0;
}

/* What is known of all orders: what this run proved, else what the plan file
 * says. */
static bool name_bound(memplan *m, const struct run *run,
	const struct order_job *job, struct problem *problem)
{
	uint32_t *ops;

	if (job->lower_bound == 0) {
		name_claimed_bound(&run->graph->claims.order_bound, problem);
		return true;
	}
	ops = NEW(&m->run, uint32_t, job->n_bound_ops);
	if (!ops)
		return false;
	memcpy(ops, job->bound_ops, sizeof(*ops) * job->n_bound_ops);
	problem->order_bound = job->lower_bound;
	problem->order_bound_kind = job->bound_kind;
	problem->order_bound_ops = ops;
	problem->n_order_bound_ops = job->n_bound_ops;
	problem->order_bound_first = job->bound_first;
	problem->order_bound_inplace = job->inplace;
	return true;
}

/* Where all offsets are fixed, that is a plan, which a planner answers for. */
bool mp_street_check_fixed(memplan *m, const struct problem *problem)
{
	if (mp_problem_is_given(problem))
		return true;
	return problem->pools ? mp_verify_fixed_spaces(problem, MEMPLAN_EINPUT,
					&m->run, &m->error)
			      : mp_verify_fixed(problem, &m->run, &m->error);
}

bool mp_street_problem(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice, struct problem *problem)
{
	struct lifetime_options options = {.inplace = m->options.inplace};
	const struct graph *graph = run->graph;

	assert(graph && choice < job->n_alternatives);
	if (!mp_lifetime(graph, job->alternatives[choice], &options, problem,
		    &m->run, &m->error))
		return false;
	if (graph->solution)
		take_solution(problem, graph->solution);
	if (!mp_street_check_fixed(m, problem))
		return mp_fail_at(&m->error, problem->name, graph->place);
	problem->order_name =
		graph->claims.order ? graph->claims.order : job->winner;
	return name_bound(m, run, job, problem);
}
