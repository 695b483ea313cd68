/* SPDX-License-Identifier: MIT */
#include "cli/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/memplan.h"

const struct option cli_options[N_OPTIONS] = {
	[OPT_OUTPUT] = {"o", "FILE",
		"write a file; its suffix names the format, - is stdout",
		FOR_PLAN | FOR_GATE, false},
	[OPT_PLANNER] = {"planner", "NAME", "planner row, default auto",
		FOR_PLANNING, true},
	[OPT_REPLAN] = {"replan", NULL,
		"place anew what the input has placed already", FOR_PLANNING,
		true},
	[OPT_ORDER] = {"order", "NAME", "order row, default keep",
		FOR_PLANNING | FOR_SHOW, true},
	[OPT_PEAK] = {"peak", "BYTES",
		"stop ordering at this peak, then move few ops",
		FOR_PLANNING | FOR_SHOW, true},
	[OPT_CAPACITY] = {"capacity", "BYTES",
		"stop at the first plan that fits; exit 1 if none can",
		FOR_PLAN, true},
	[OPT_POOLS] = {"pools", "NAME=BYTES,...",
		"capacities of pools, or pools for a graph without any",
		FOR_GRAPHS, true},
	[OPT_BUDGET] = {"budget", "BYTES",
		"copy tensors out and back until a plan fits", FOR_PLAN, true},
	[OPT_COPY_MODE] = {"copy-mode", "MODE",
		"budget: sync (default), semi, async or none", FOR_PLAN, true},
	[OPT_RECOMPUTE] = {"recompute", NULL, "budget: ops may run again",
		FOR_PLAN, true},
	[OPT_MINIMISE_REUSE] = {"minimise-reuse", NULL,
		"let few tensors overwrite others, in what the plan may take",
		FOR_PLAN, true},
	[OPT_CROSS_STREAM_FIRST] = {"cross-stream-first", NULL,
		"minimise-reuse: first those across streams", FOR_PLAN, true},
	[OPT_ALIGN] = {"align", "BYTES",
		"round sizes and offsets to this power of two", FOR_GRAPHS,
		true},
	[OPT_TARGET] = {"target", "NAME",
		"alignment and padding of a device or runtime", FOR_GRAPHS,
		true},
	[OPT_INPLACE] = {"inplace", "on|off|equal",
		"honour in-place pairs (of equal size), default on", FOR_GRAPHS,
		true},
	[OPT_INPUTS] = {"inputs", "POLICY",
		"inside (default), external or throughout", FOR_GRAPHS, true},
	[OPT_OUTPUTS] = {"outputs", "POLICY", "likewise, of the outputs",
		FOR_GRAPHS, true},
	[OPT_MAX_RATIO] = {"max-ratio", "R",
		"exit 1 if arena / theoretical minimum exceeds R", FOR_PLAN,
		false},
	[OPT_SEED] = {"seed", "N", "seed of randomised rows, default 1",
		FOR_PLANNING | FOR_SHOW | FOR_REPLAY, true},
	[OPT_EFFORT] = {"effort", "0|1|2|3",
		"how much work to spend, default 2", FOR_PLAN | FOR_SHOW, true},
	[OPT_STEPS] = {"steps", "N", "work to spend, about 100 ns each",
		FOR_PLANNING | FOR_SHOW, true},
	[OPT_TIME_LIMIT] = {"time-limit", "SECONDS",
		"safety net; a plan that it cut short says so",
		FOR_PLANNING | FOR_GATE, true},
	[OPT_THREADS] = {"threads", "N",
		"threads; never changes the plan, default 1",
		FOR_PLANNING | FOR_GATE, true},
	[OPT_MAX_MEMORY] = {"max-memory", "BYTES", "most memory to take",
		FOR_GRAPHS | FOR_REPLAY | FOR_GATE, true},
	[OPT_GRAPH] = {"graph", "NAME",
		"of the graphs in a log, the one to read", FOR_GRAPHS, true},
	[OPT_BATCH] = {"batch", "B",
		"io_info: take the files of this batch beside it",
		FOR_ONE_GRAPH, false},
	[OPT_TOGETHER] = {"together", "serial|concurrent",
		"plan all inputs (and batches: 4,16) in one arena", FOR_PLAN,
		false},
	[OPT_NAME] = {"name", "NAME", "name of the plan and of its symbols",
		FOR_PLAN | FOR_CHECK, true},
	[OPT_TENSOR_SIZE] = {"tensor-size", "FILE", "io_info: tensor sizes",
		FOR_ONE_GRAPH, false},
	[OPT_RESIZE_INFO] = {"resize-info", "FILE", "io_info: temporaries",
		FOR_ONE_GRAPH, false},
	[OPT_COST_INFO] = {"cost-info", "FILE", "io_info: times", FOR_ONE_GRAPH,
		false},
	[OPT_EMIT_LP] = {"emit-lp", "FILE",
		"write the problem as a linear program, .lp or .mps", FOR_PLAN,
		false},
	[OPT_SOLUTION] = {"solution", "FILE",
		"take the offsets that a solver found: for --emit-lp, or "
		"SOMAS's",
		FOR_PLAN | FOR_CHECK | FOR_COMPARE, false},
	[OPT_DEPFILE] = {"depfile", "FILE",
		"write what the outputs depend on, for make and ninja",
		FOR_PLAN, false},
	[OPT_ORDERS] = {"orders", NULL, "measure every order row", FOR_SHOW,
		true},
	[OPT_TIMELINE] = {"timeline", "FILE",
		"write bytes over the steps, .csv or .svg", FOR_SIMULATE,
		false},
	[OPT_DEVICE] = {"device", "NAME", "host (default), cuda or acl",
		FOR_REPLAY, false},
	[OPT_ORDINAL] = {"ordinal", "N", "which of several devices, default 0",
		FOR_REPLAY, false},
	[OPT_REPEAT] = {"repeat", "N", "runs, default 1", FOR_REPLAY, false},
	[OPT_POISON] = {"poison", NULL, "fill tensors that died", FOR_REPLAY,
		false},
	[OPT_HUGE_PAGES] = {"huge-pages", NULL,
		"host: ask the system for huge pages", FOR_REPLAY, false},
	[OPT_STREAM_ORDERED] = {"stream-ordered", NULL,
		"cuda: allocate in stream order", FOR_REPLAY, false},
	[OPT_PAIR] = {"pair", "A B",
		"say why these two tensors cannot share bytes", FOR_EXPLAIN,
		false},
	[OPT_SWAP] = {"swap", NULL, "simulate swapping of feature maps",
		FOR_SIMULATE, false},
	[OPT_FORWARD_END] = {"forward-end", "N",
		"swap: first step of the backward pass, default found",
		FOR_SIMULATE | FOR_PLAN, true},
	[OPT_WRITE_RATE] = {"write-rate", "BYTES",
		"bytes a second that are copied out", FOR_SIMULATE | FOR_PLAN,
		true},
	[OPT_READ_RATE] = {"read-rate", "BYTES",
		"bytes a second that are copied in", FOR_SIMULATE | FOR_PLAN,
		true},
	[OPT_JSON] = {"json", NULL, "machine-readable result on stdout",
		FOR_GRAPHS | FOR_REPLAY | FOR_GATE, false},
	[OPT_MARKDOWN] = {"markdown", NULL, "Markdown on stdout", FOR_COMPARE,
		false},
	[OPT_FORMAT] = {"format", "NAME",
		"human, json, markdown, junit, sarif or github", FOR_GATE,
		false},
	[OPT_UPDATE] = {"update", NULL,
		"rewrite the budgets' arena limits and their baselines",
		FOR_GATE, false},
	[OPT_QUIET] = {"quiet", NULL, "print no summary and no warnings",
		FOR_GRAPHS | FOR_REPLAY | FOR_GATE, false},
	[OPT_PROGRESS] = {"progress", NULL,
		"show progress on stderr even if it is no terminal",
		FOR_PLANNING | FOR_SHOW | FOR_GATE, false},
	[OPT_COLOR] = {"color", "auto|always|never",
		"colour of errors and warnings, default auto",
		FOR_GRAPHS | FOR_GATE, false},
	[OPT_HELP] = {"help", NULL, "print this", ~0u, false},
};

/* "--name" or "-n", in buffer. */
static const char *spelled(const struct option *option, char *buffer)
{
	sprintf(buffer, "%s%.60s", option->name[1] ? "--" : "-", option->name);
	return buffer;
}

void cli_options_help(unsigned command)
{
	char name[64], left[96];

	puts("options:");
	for (uint32_t i = 0; i < N_OPTIONS; i++) {
		const struct option *option = &cli_options[i];

		if (!(option->commands & command))
			continue;
		snprintf(left, sizeof(left), "%s %s", spelled(option, name),
			option->argument ? option->argument : "");
		printf("  %-22s %s\n", left, option->help);
	}
}

/* ---------------------------------------------------------- parsing */

static bool unknown(const char *text, unsigned command)
{
	const char *wanted = text + strspn(text, "-"), *nearest = NULL;
	uint32_t best = 4;

	for (uint32_t i = 0; i < N_OPTIONS; i++) {
		const char *name = cli_options[i].name;

		if (!(cli_options[i].commands & command) || !name[1] ||
			memplan_distance(name, wanted) >= best)
			continue;
		best = memplan_distance(name, wanted);
		nearest = name;
	}
	fprintf(stderr, "memplan: unknown option '%s'", text);
	if (nearest)
		fprintf(stderr, "; did you mean '--%s'?", nearest);
	fputc('\n', stderr);
	return false;
}

/* The option that text spells, with "=value" cut off; N_OPTIONS: none. */
static uint32_t find(const char *text, unsigned command, const char **value)
{
	char name[64];
	const char *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : strlen(text);

	*value = equals ? equals + 1 : NULL;
	for (uint32_t i = 0; i < N_OPTIONS; i++) {
		spelled(&cli_options[i], name);
		if (cli_options[i].commands & command &&
			strlen(name) == length &&
			strncmp(name, text, length) == 0)
			return i;
	}
	return N_OPTIONS;
}

struct cursor {
	int argc, at;
	char **argv;
	unsigned command;
};

static void add_output(
	struct arguments *arguments, uint32_t id, const char *name)
{
	struct output *output = &arguments->outputs[arguments->n_outputs++];

	*output = (struct output){name, name};
	if (strcmp(name, "-") == 0)
		output->format = id == OPT_EMIT_LP ? "lp" : "plan";
}

static bool take_option(struct arguments *arguments, struct cursor *c)
{
	const char *text = c->argv[c->at], *value;
	uint32_t id = find(text, c->command, &value);

	if (id == N_OPTIONS)
		return unknown(text, c->command);
	if (!cli_options[id].argument && value)
		return fprintf(stderr, "memplan: '%s' takes no value\n", text),
		       false;
	if (!cli_options[id].argument)
		value = "";
	if (!value && c->at + 1 < c->argc)
		value = c->argv[++c->at];
	if (!value)
		return fprintf(stderr, "memplan: '%s' needs a value: %s\n",
			       text, cli_options[id].argument),
		       false;
	arguments->values[id] = value;
	if (id == OPT_PAIR && c->at + 1 == c->argc)
		return fputs("memplan: '--pair' needs two tensors\n", stderr),
		       false;
	if (id == OPT_PAIR)
		arguments->other = c->argv[++c->at];
	if (id == OPT_OUTPUT || id == OPT_EMIT_LP || id == OPT_TIMELINE)
		add_output(arguments, id, value);
	return true;
}

bool cli_arguments_parse(
	struct arguments *arguments, unsigned command, int argc, char **argv)
{
	struct cursor c = {argc, 1, argv, command};
	bool options = true;

	*arguments = (struct arguments){0};
	arguments->inputs = calloc((size_t)argc, sizeof(*arguments->inputs));
	arguments->outputs = calloc((size_t)argc, sizeof(*arguments->outputs));
	if (!arguments->inputs || !arguments->outputs)
		return fputs("memplan: out of memory\n", stderr), false;
	for (; c.at < argc; c.at++) {
		const char *text = argv[c.at];

		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (!options || text[0] != '-' || text[1] == '\0')
			arguments->inputs[arguments->n_inputs++] = text;
		else if (!take_option(arguments, &c))
			return false;
	}
	return true;
}

void cli_arguments_free(struct arguments *arguments)
{
	free(arguments->inputs);
	free(arguments->outputs);
	*arguments = (struct arguments){0};
}
