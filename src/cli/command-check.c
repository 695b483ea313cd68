/*
 * memplan check PLAN [INPUT]: verify a plan from scratch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/commands.h"

enum memplan_status cli_check_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status)
{
	cli_session_tell(session, arguments, status);
	if (status != MEMPLAN_OK || arguments->values[OPT_QUIET])
		return status;
	return cli_session_print(
		session, arguments->values[OPT_JSON] ? "result" : "verdict");
}

/* Checks a plan, or with another one, that it is a plan of the input. */
static enum memplan_status check_one(const struct arguments *arguments,
	const char *name, struct session *plan)
{
	struct session session;
	enum memplan_status status =
		cli_session_open(&session, arguments, name);

	if (status != MEMPLAN_OK)
		return status;
	session.next = plan;
	status = cli_check_finish(&session, arguments,
		plan ? memplan_check_against(session.plan, plan->plan)
		     : memplan_check(session.plan));
	cli_session_close(&session);
	return status;
}

/* A plan of one graph, or of several: each input is one of them. */
static enum memplan_status check_each(
	const struct arguments *arguments, struct session *plan)
{
	enum memplan_status status = MEMPLAN_OK;

	for (uint32_t i = 1; i < arguments->n_inputs && status == MEMPLAN_OK;
		i++)
		status = check_one(arguments, arguments->inputs[i], plan);
	return status;
}

/* A plan of several graphs, or of one bucket: all of them at once, unless some
 * are not given, or a name says which one is. Then the plan by itself first. A
 * proof is of buckets together, or of the plan by itself, which has no order of
 * all its graphs. */
static enum memplan_status check_bundle(const struct arguments *arguments,
	const struct arguments *of_plan, bool whole, struct session *plan)
{
	struct arguments own = *arguments, alone = *of_plan;
	bool buckets = whole && cli_session_number(plan, "buckets") > 0;
	enum memplan_status status = MEMPLAN_OK;

	if (!buckets) {
		alone.values[OPT_PROOF] = own.values[OPT_PROOF];
		own.values[OPT_PROOF] = NULL;
	}
	if (!whole || alone.values[OPT_PROOF])
		status = check_one(&alone, arguments->inputs[0], NULL);
	if (status != MEMPLAN_OK || !whole)
		return status == MEMPLAN_OK ? check_each(&own, plan) : status;
	own.inputs++;
	own.n_inputs--;
	return cli_check_together(&own, plan);
}

static enum memplan_status check_inputs(const struct arguments *arguments,
	const struct arguments *of_plan, struct session *plan)
{
	uint64_t graphs = cli_session_number(plan, "graphs"), n;
	uint64_t buckets = cli_session_number(plan, "buckets");
	bool named = cli_value(arguments, "name") != NULL;
	struct arguments inputs = *arguments;

	inputs.inputs++;
	inputs.n_inputs--;
	n = cli_count_together(&inputs);
	if (n == 0)
		return MEMPLAN_EUSAGE;
	if (graphs == 0 && n == 1 && (buckets != 1 || named))
		return check_each(arguments, plan);
	return check_bundle(arguments, of_plan,
		graphs == 0 || (n == graphs && !named), plan);
}

/* The name, the pools, the policies and the companion files of an input belong
 * to it, not to the plan. --replan forgets the offsets of the inputs only. */
static enum memplan_status check_against(const struct arguments *arguments)
{
	struct arguments of_plan = *arguments;
	struct session plan;
	enum memplan_status status;

	of_plan.values[OPT_BATCH] = NULL;
	of_plan.values[OPT_TENSOR_SIZE] = NULL;
	of_plan.values[OPT_RESIZE_INFO] = NULL;
	of_plan.values[OPT_COST_INFO] = NULL;
	of_plan.values[OPT_PROOF] = NULL;
	of_plan.values[OPT_LIVE_RANGE] = NULL;
	cli_set_value(&of_plan, "name", NULL);
	cli_set_value(&of_plan, "pools", NULL);
	cli_set_value(&of_plan, "replan", NULL);
	cli_set_value(&of_plan, "inputs", NULL);
	cli_set_value(&of_plan, "outputs", NULL);
	status = cli_session_open(&plan, &of_plan, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = memplan_read(plan.plan);
	if (status != MEMPLAN_OK)
		cli_check_finish(&plan, &of_plan, status);
	else
		status = check_inputs(arguments, &of_plan, &plan);
	cli_session_close(&plan);
	return status;
}

enum memplan_status cli_check(const struct arguments *arguments)
{
	if (arguments->n_inputs == 1 && cli_value(arguments, "replan"))
		return cli_usage("check --replan takes a plan and its inputs");
	if (arguments->n_inputs == 1)
		return check_one(arguments, arguments->inputs[0], NULL);
	if (arguments->n_inputs >= 2)
		return check_against(arguments);
	return cli_usage("check takes a plan and, if you like, its inputs");
}
