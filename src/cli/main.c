/*
 * The command: memplan COMMAND ...
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "memplan/memplan.h"

static const struct command commands[] = {
	{"list", "list planners|orders|inputs|outputs", cli_list},
};

static int usage(FILE *file, int status)
{
	fputs("usage:\n", file);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(file, "  memplan %s\n", commands[i].usage);
	return status;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr, MEMPLAN_EUSAGE);
	if (strcmp(argv[1], "--help") == 0)
		return usage(stdout, MEMPLAN_OK);
	if (strcmp(argv[1], "--version") == 0)
		return printf("memplan %s\n", memplan_version()) < 0;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "memplan: unknown command '%s'\n", argv[1]);
	return MEMPLAN_EUSAGE;
}
