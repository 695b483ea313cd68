/*
 * Commands: rows of the command line. A command sees the public header only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_COMMANDS_H
#define MP_CLI_COMMANDS_H

#include "cli/session.h"

struct command {
	const char *name;
	const char *operands; /* behind the name in help */
	const char *summary;  /* one line */
	unsigned options;     /* its FOR_ bit: which options it takes */
	enum memplan_status (*run)(const struct arguments *arguments);
};

enum memplan_status cli_plan(const struct arguments *arguments);
enum memplan_status cli_check(const struct arguments *arguments);
enum memplan_status cli_show(const struct arguments *arguments);
enum memplan_status cli_simulate(const struct arguments *arguments);
enum memplan_status cli_compare(const struct arguments *arguments);
enum memplan_status cli_replay(const struct arguments *arguments);
enum memplan_status cli_explain(const struct arguments *arguments);
enum memplan_status cli_gate(const struct arguments *arguments);
enum memplan_status cli_batch(const struct arguments *arguments);
enum memplan_status cli_list(const struct arguments *arguments);

/* ------------------------------------------------ parts of commands */

/* Prints the result of a plan, writes its files and prints its summary. */
enum memplan_status cli_plan_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

/* Plans an input with several seeds. */
enum memplan_status cli_plan_seeds(const struct arguments *arguments);

/* Plans all inputs in one arena. */
enum memplan_status cli_plan_together(const struct arguments *arguments);

/* How many graphs these are: inputs times batches. 0: batches of two kinds,
 * which it prints. */
uint64_t cli_count_together(const struct arguments *arguments);

/* Checks a plan against all inputs, which are all of its graphs. */
enum memplan_status cli_check_together(
	const struct arguments *arguments, struct session *plan);

/* Prints what a check found. */
enum memplan_status cli_check_finish(struct session *session,
	const struct arguments *arguments, enum memplan_status status);

#endif
