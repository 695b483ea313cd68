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

static enum memplan_status check_alone(const struct arguments *arguments)
{
	struct session plan;
	enum memplan_status status =
		cli_session_open(&plan, arguments, arguments->inputs[0]);

	if (status != MEMPLAN_OK)
		return status;
	status = report(&plan, arguments, memplan_check(plan.plan));
	cli_session_close(&plan);
	return status;
}

/* If the plan has several graphs, checks the bundle first: an input is one of
 * its members. */
static enum memplan_status check_whole(
	struct session *plan, const struct arguments *arguments)
{
	enum memplan_status status = memplan_read(plan->plan);
	uint64_t graphs = 0;

	if (status != MEMPLAN_OK)
		return report(plan, arguments, status);
	memplan_number(plan->plan, "graphs", &graphs);
	return graphs > 0 ? check_alone(arguments) : MEMPLAN_OK;
}

static enum memplan_status check_input(struct session *plan,
	const struct arguments *arguments, const char *name)
{
	struct session input;
	enum memplan_status status = cli_session_open(&input, arguments, name);

	if (status != MEMPLAN_OK)
		return status;
	input.next = plan;
	status = report(&input, arguments,
		memplan_check_against(input.plan, plan->plan));
	cli_session_close(&input);
	return status;
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
	cli_set_value(&of_plan, "name", NULL);
	status = cli_session_open(&plan, &of_plan, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = check_whole(&plan, &of_plan);
	for (uint32_t i = 1; i < arguments->n_inputs && status == MEMPLAN_OK;
		i++)
		status = check_input(&plan, arguments, arguments->inputs[i]);
	cli_session_close(&plan);
	return status;
}

enum memplan_status cli_check(const struct arguments *arguments)
{
	if (arguments->n_inputs == 1)
		return check_alone(arguments);
	if (arguments->n_inputs >= 2)
		return check_against(arguments);
	return cli_usage("check takes a plan and, if you like, its inputs");
}
