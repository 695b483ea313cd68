/*
 * memplan check PLAN [INPUT]: verify a plan from scratch.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/session.h"

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

/* The companion files of an io_info triple belong to the input, not to the
 * plan. */
static enum memplan_status check_against(const struct arguments *arguments)
{
	struct arguments of_plan = *arguments;
	struct session plan, input;
	enum memplan_status status;

	of_plan.values[OPT_BATCH] = NULL;
	of_plan.values[OPT_TENSOR_SIZE] = NULL;
	of_plan.values[OPT_RESIZE_INFO] = NULL;
	of_plan.values[OPT_COST_INFO] = NULL;
	status = cli_session_open(&plan, &of_plan, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = cli_session_open(&input, arguments, arguments->inputs[1]);
	if (status == MEMPLAN_OK) {
		status = report(&input, arguments,
			memplan_check_against(input.plan, plan.plan));
		cli_session_close(&input);
	}
	cli_session_close(&plan);
	return status;
}

enum memplan_status cli_check(const struct arguments *arguments)
{
	if (arguments->n_inputs == 1)
		return check_alone(arguments);
	if (arguments->n_inputs == 2)
		return check_against(arguments);
	fputs("memplan: check takes a plan and, if you like, its input\n",
		stderr);
	return MEMPLAN_EUSAGE;
}
