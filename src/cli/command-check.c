/*
 * memplan check PLAN [INPUT]: verify a plan from scratch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/commands.h"

static enum memplan_status report(struct session *session,
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
	status = report(&session, arguments,
		plan ? memplan_check_against(session.plan, plan->plan)
		     : memplan_check(session.plan));
	cli_session_close(&session);
	return status;
}

/* If the plan has several graphs, checks the bundle first: an input is one of
 * its members. */
static enum memplan_status check_whole(
	struct session *plan, const struct arguments *arguments)
{
	enum memplan_status status = memplan_read(plan->plan);

	if (status != MEMPLAN_OK)
		return report(plan, arguments, status);
	return cli_session_number(plan, "graphs") > 0
		       ? check_one(arguments, arguments->inputs[0], NULL)
		       : MEMPLAN_OK;
}

/* The name and the companion files of an io_info triple belong to the input,
 * not to the plan. */
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
	cli_set_value(&of_plan, "name", NULL);
	status = cli_session_open(&plan, &of_plan, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = check_whole(&plan, &of_plan);
	for (uint32_t i = 1; i < arguments->n_inputs && status == MEMPLAN_OK;
		i++)
		status = check_one(arguments, arguments->inputs[i], &plan);
	cli_session_close(&plan);
	return status;
}

enum memplan_status cli_check(const struct arguments *arguments)
{
	if (arguments->n_inputs == 1)
		return check_one(arguments, arguments->inputs[0], NULL);
	if (arguments->n_inputs >= 2)
		return check_against(arguments);
	return cli_usage("check takes a plan and, if you like, its inputs");
}
