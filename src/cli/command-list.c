/*
 * memplan list TABLE: one row a line, the name first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "memplan/memplan.h"

void cli_print_rows(const char *table)
{
	const char *name, *summary;

	for (uint32_t i = 0; (name = memplan_row(table, i, &summary)); i++)
		fprintf(stderr, "%s %s", i > 0 ? "," : "", name);
	fputc('\n', stderr);
}

enum memplan_status cli_list(const struct arguments *arguments)
{
	const char *name, *summary, *table = arguments->inputs[0];

	if (arguments->n_inputs != 1 || !memplan_row(table, 0, &summary)) {
		fputs("memplan: list what? One of planners, peers, orders, "
		      "inputs, outputs, simulators, targets.\n",
			stderr);
		return MEMPLAN_EUSAGE;
	}
	for (uint32_t i = 0; (name = memplan_row(table, i, &summary)); i++)
		printf("%-20s %s\n", name, summary);
	return MEMPLAN_OK;
}
