/*
 * The command line: finds the command and calls it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "cli/system.h"
#include "memplan/memplan.h"

static const struct command commands[] = {
	{"plan", "INPUT... [-o FILE]...",
		"plan; the formats follow from the files' suffixes", FOR_PLAN,
		cli_plan},
	{"check", "PLAN [INPUT]...",
		"verify a plan from scratch; with INPUT, that it is a plan of "
		"it",
		FOR_CHECK, cli_check},
	{"show", "INPUT", "what is in a graph, and what is alive at the peak",
		FOR_SHOW, cli_show},
	{"simulate", "INPUT", "what online allocators would have needed",
		FOR_SIMULATE, cli_simulate},
	{"explain", "INPUT", "what binds the peak, and what would lower it",
		FOR_EXPLAIN, cli_explain},
	{"compare", "OLD [NEW]",
		"two plans: what grew, by how much; OLD alone: its "
		"offsets against memplan's own",
		FOR_COMPARE, cli_compare},
	{"replay", "PLAN...",
		"run plans on a device; prove that nothing is overwritten",
		FOR_REPLAY, cli_replay},
	{"gate", "BUDGET", "many graphs against checked-in budgets", FOR_GATE,
		cli_gate},
	{"batch", "TASKS --store FOLDER",
		"many plans, in a store of answers, a shard at a time",
		FOR_BATCH, cli_batch},
	{"list", "TABLE", "the rows of a table; 'list tables' names them all",
		FOR_LIST, cli_list},
};

/* A block of a MiB goes back to the system when it is freed. Else the GNU C
 * library keeps blocks as large as the input, once that is freed. Smaller ones
 * are kept from stage to stage, a few MiB of them: the same pages were taken
 * several times. Blocks of an arena are fresh pages: calloc() clears what was
 * taken from the system beyond need. */
#ifdef __GLIBC__
#include <malloc.h>

static void set_up_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	mallopt(M_TOP_PAD, 0);
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
}
#else
static void set_up_memory(void)
{
}
#endif

static void help(FILE *file)
{
	fputs("Plans the memory of a neural-network graph: one arena, a fixed "
	      "offset for every\ntensor, and a proof of how close that is to "
	      "the minimum.\n\n"
	      "  memplan plan net.json -o net_plan.h -o net_plan.svg\n\n"
	      "commands ('memplan COMMAND --help' for more):\n",
		file);
	for (uint32_t i = 0; i < countof(commands); i++)
		fprintf(file, "  %-8s %-23s %s\n", commands[i].name,
			commands[i].operands, commands[i].summary);
}

static void help_command(const struct command *command)
{
	printf("usage: memplan %s %s\n%s\n\n", command->name, command->operands,
		command->summary);
	cli_options_help(command->options);
}

static enum memplan_status run(
	const struct command *command, int argc, char **argv)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct arguments arguments;
	enum memplan_status status = cli_arguments_parse(
		&arguments, command->options, argc, argv, &arena);

	if (status == MEMPLAN_OK && arguments.values[OPT_HELP])
		help_command(command);
	else if (status == MEMPLAN_OK) {
		cli_tell_idle(&arguments, command->options);
		status = command->run(&arguments);
	}
	mp_arena_free(&arena);
	return status;
}

/* A full disk or a closed pipe shows only when the buffer is flushed. What was
 * found before an interrupt is written by now. */
static int leave(enum memplan_status status)
{
	enum memplan_status written = MEMPLAN_OK;

	if (fflush(stdout) != 0 || ferror(stdout))
		written = cli_no_stdout();
	cli_signals_end();
	return (int)(status == MEMPLAN_OK ? written : status);
}

static const struct command *find_command(const char *name)
{
	for (uint32_t i = 0; i < countof(commands); i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	return NULL;
}

static enum memplan_status unknown_command(const char *name)
{
	const char *nearest = NULL;
	uint32_t best = 3;

	for (uint32_t i = 0; i < countof(commands); i++)
		if (mp_names_is_nearer(commands[i].name, name, &best))
			nearest = commands[i].name;
	return cli_unknown("command", name, nearest, "memplan --help");
}

/* help COMMAND, or help alone: NULL. */
static enum memplan_status help_on(const char *name)
{
	const struct command *command = name ? find_command(name) : NULL;

	if (name && !command)
		return unknown_command(name);
	if (command)
		help_command(command);
	else
		help(stdout);
	return MEMPLAN_OK;
}

/* Programs differ in how they are asked: "help", "--help" and "-h" are one. */
static bool asks_for(const char *word, const char *name, const char *letter)
{
	return strcmp(word, name) == 0 || strcmp(word, letter) == 0 ||
	       (strncmp(word, "--", 2) == 0 && strcmp(word + 2, name) == 0);
}

int main(int argc, char **argv)
{
	const struct command *command;
	const char *name;

	set_up_memory();
	if (!cli_system_begin(&argc, &argv))
		return (int)cli_out_of_memory();
	cli_signals_take();
	name = argc > 1 ? argv[1] : NULL;
	command = name ? find_command(name) : NULL;
	if (!name) {
		help(stderr);
		return MEMPLAN_EUSAGE;
	}
	if (command)
		return leave(run(command, argc - 1, argv + 1));
	if (asks_for(name, "help", "-h"))
		return leave(help_on(argc > 2 ? argv[2] : NULL));
	if (asks_for(name, "version", "-V")) {
		printf("memplan %s\n", memplan_version());
		return leave(MEMPLAN_OK);
	}
	return (int)unknown_command(name);
}
