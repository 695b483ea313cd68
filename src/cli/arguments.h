/*
 * The command line as data. There are two tables of options: the library's,
 * memplan_option_at(), and the command's own in arguments.c. Parsing and --help
 * are made from both.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_ARGUMENTS_H
#define MP_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "memplan/memplan.h"

/* Commands that take an option, as bits: those of struct memplan_option, and
 * the command's own. */
enum {
	FOR_PLAN = MEMPLAN_USE_PLAN,
	FOR_CHECK = MEMPLAN_USE_CHECK,
	FOR_SHOW = MEMPLAN_USE_SURVEY,
	FOR_SIMULATE = MEMPLAN_USE_SIMULATE,
	FOR_EXPLAIN = MEMPLAN_USE_EXPLAIN,
	FOR_COMPARE = MEMPLAN_USE_COMPARE,
	FOR_GATE = MEMPLAN_USE_GATE,
	FOR_REPLAY = MEMPLAN_USE_TAKE,
	FOR_LIST = 1 << 16,
	FOR_BATCH = 1 << 17,

	/* Commands that plan, and commands that read graphs. A command that
	 * reads two inputs takes no companion files. */
	FOR_PLANNING = FOR_PLAN | FOR_SIMULATE | FOR_COMPARE | FOR_EXPLAIN,
	FOR_GRAPHS = FOR_PLANNING | FOR_CHECK | FOR_SHOW,
	FOR_ONE_GRAPH = FOR_GRAPHS & ~FOR_COMPARE,
	FOR_ALL = (FOR_BATCH << 1) - 1,
};

/* The command's own options. */
enum option_id {
	OPT_OUTPUT,
	OPT_MAX_RATIO,
	OPT_BATCH,
	OPT_TENSOR_SIZE,
	OPT_RESIZE_INFO,
	OPT_COST_INFO,
	OPT_EMIT_LP,
	OPT_SOLUTION,
	OPT_PROOF,
	OPT_NEAR,
	OPT_LIVE_RANGE,
	OPT_DEPFILE,
	OPT_TIMELINE,
	OPT_DEVICE,
	OPT_ORDINAL,
	OPT_REPEAT,
	OPT_ORDERS,
	OPT_POISON,
	OPT_HUGE_PAGES,
	OPT_STREAM_ORDERED,
	OPT_PAIR,
	OPT_SWAP,
	OPT_CHART,
	OPT_JSON,
	OPT_MARKDOWN,
	OPT_FORMAT,
	OPT_UPDATE,
	OPT_UPDATE_ANYWHERE,
	OPT_STORE,
	OPT_J,
	OPT_SHARD,
	OPT_MATRIX,
	OPT_MERGE,
	OPT_SEEDS,
	OPT_QUIET,
	OPT_PROGRESS,
	OPT_COLOR,
	OPT_HELP,
	N_OPTIONS,	   /* the library's follow: option i is N_OPTIONS + i */
	MOST_OPTIONS = 96, /* with the library's */
};

/* Option id, of both tables; false beyond the last. A name of one letter has
 * one dash. */
bool cli_option(uint32_t id, struct memplan_option *option);

/* Does the option name a file that is read? */
bool cli_option_is_read(uint32_t id);

/* Why a task of a batch has no such option of memplan plan, or NULL. */
const char *cli_task_refusal(const char *name);

struct output {
	const char *name;   /* of the file; "-": stdout */
	const char *format; /* as memplan_write() takes it */
};

/* Does the output go to a file? Else it goes to stdout. */
bool cli_output_is_file(const struct output *output);

struct arguments {
	const char *values[MOST_OPTIONS]; /* last one given, or all as lines if
					     the option may be repeated; "" of a
					     switch; NULL: not given */
	const char *other;		  /* second value of --pair */
	const char **inputs;		  /* arguments that are no options */
	struct output *outputs;		  /* every -o, --emit-lp, --timeline */
	uint32_t n_inputs, n_outputs;
	bool bare_names;     /* plans and their messages have the names of files
				without folders */
	struct arena *arena; /* for what the command needs to its end */
};

/* Of the outputs. */
uint32_t cli_count_files(const struct arguments *arguments);

/* Parses argv[1...]. On a mistake prints it, with the nearest name. The strings
 * stay in argv, the lists are in the arena. */
enum memplan_status cli_arguments_parse(struct arguments *arguments,
	unsigned command, int argc, char **argv, struct arena *arena);

/* The value of one of the library's options, as in values. */
const char *cli_value(const struct arguments *arguments, const char *name);

/* Sets an option as if it had been given with that value; NULL: not given. */
void cli_set_value(
	struct arguments *arguments, const char *name, const char *value);

/* Warns of each option that only says how another one works, if that is not
 * given. */
void cli_tell_idle(const struct arguments *arguments, unsigned command);

/* Prints the options of a command, aligned. */
void cli_options_help(unsigned command);

#endif
