/*
 * memplan list TABLE: one row a line, the name first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "cli/commands.h"
#include "memplan/memplan.h"

int cli_list(int argc, char **argv)
{
	const char *name, *summary;

	if (argc != 2 || !memplan_row(argv[1], 0, &summary)) {
		fputs("usage: memplan list planners|orders|inputs|outputs\n",
			stderr);
		return MEMPLAN_EUSAGE;
	}
	for (uint32_t i = 0; (name = memplan_row(argv[1], i, &summary)); i++)
		printf("%-20s %s\n", name, summary);
	return MEMPLAN_OK;
}
