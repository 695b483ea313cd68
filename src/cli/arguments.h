/*
 * The command line as data: one table of options serves parsing, --help, the
 * manual and the completions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_ARGUMENTS_H
#define MP_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Commands that take an option, as bits. */
enum {
	FOR_PLAN = 1 << 0,
	FOR_CHECK = 1 << 1,
	FOR_SHOW = 1 << 2,
	FOR_LIST = 1 << 3,
	FOR_COMPLETIONS = 1 << 10,
	FOR_SIMULATE = 1 << 4,
	FOR_COMPARE = 1 << 8,
	FOR_GATE = 1 << 9,
	FOR_EXPLAIN = 1 << 12,

	/* Those that plan, and those that read graphs. Companion files of one
	 * input make no sense where there are two. */
	FOR_PLANNING = FOR_PLAN | FOR_SIMULATE | FOR_COMPARE | FOR_EXPLAIN,
	FOR_GRAPHS = FOR_PLANNING | FOR_CHECK | FOR_SHOW,
	FOR_ONE_GRAPH = FOR_GRAPHS & ~FOR_COMPARE,
	FOR_REPLAY = 1 << 5,
};

enum option_id {
	OPT_OUTPUT,
	OPT_PLANNER,
	OPT_REPLAN,
	OPT_ORDER,
	OPT_PEAK,
	OPT_CAPACITY,
	OPT_POOLS,
	OPT_BUDGET,
	OPT_COPY_MODE,
	OPT_RECOMPUTE,
	OPT_MINIMISE_REUSE,
	OPT_CROSS_STREAM_FIRST,
	OPT_ALIGN,
	OPT_TARGET,
	OPT_INPLACE,
	OPT_INPUTS,
	OPT_OUTPUTS,
	OPT_MAX_RATIO,
	OPT_SEED,
	OPT_EFFORT,
	OPT_STEPS,
	OPT_TIME_LIMIT,
	OPT_THREADS,
	OPT_MAX_MEMORY,
	OPT_GRAPH,
	OPT_BATCH,
	OPT_TOGETHER,
	OPT_NAME,
	OPT_TENSOR_SIZE,
	OPT_RESIZE_INFO,
	OPT_COST_INFO,
	OPT_EMIT_LP,
	OPT_SOLUTION,
	OPT_DEPFILE,
	OPT_ORDERS,
	OPT_TIMELINE,
	OPT_DEVICE,
	OPT_ORDINAL,
	OPT_REPEAT,
	OPT_POISON,
	OPT_HUGE_PAGES,
	OPT_STREAM_ORDERED,
	OPT_PAIR,
	OPT_SWAP,
	OPT_FORWARD_END,
	OPT_WRITE_RATE,
	OPT_READ_RATE,
	OPT_JSON,
	OPT_MARKDOWN,
	OPT_FORMAT,
	OPT_UPDATE,
	OPT_QUIET,
	OPT_PROGRESS,
	OPT_COLOR,
	OPT_HELP,
	N_OPTIONS,
};

struct option {
	const char *name;     /* without its dashes; one letter: one dash */
	const char *argument; /* what follows, as help shows it; NULL: none */
	const char *help;     /* one line */
	unsigned commands;    /* FOR_ bits */
	bool to_library;      /* handed on to memplan_set() as it is */
};

extern const struct option cli_options[N_OPTIONS];

struct output {
	const char *name;   /* of the file; "-": stdout */
	const char *format; /* as memplan_write() takes it */
};

struct arguments {
	const char *values[N_OPTIONS]; /* last one given; "" if it takes none;
					  NULL: not given */
	const char *other;	       /* second value of --pair */
	const char **inputs;	       /* arguments that are no options */
	struct output *outputs;	       /* every -o, --emit-lp, --timeline */
	uint32_t n_inputs, n_outputs;
};

/* Parses argv[1...]. On a mistake prints it, with the nearest name, and returns
 * false. The strings stay in argv; cli_arguments_free() frees the lists. */
bool cli_arguments_parse(
	struct arguments *arguments, unsigned command, int argc, char **argv);
void cli_arguments_free(struct arguments *arguments);

/* Prints the options of a command, aligned. */
void cli_options_help(unsigned command);

#endif
