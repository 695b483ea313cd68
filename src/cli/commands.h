/*
 * Commands: rows of the command line. A command sees the public header only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

struct command {
	const char *name;
	const char *usage; /* behind "memplan " */
	/* argv[0] is the command's name. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

int cli_list(int argc, char **argv);

#endif
