/*
 * The command's own options, and the parser of the command line: see
 * arguments.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/arguments.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "base/sink-text.h"
#include "cli/session.h"
#include "cli/system.h"

static const struct memplan_option own_options[N_OPTIONS] = {
	[OPT_OUTPUT] = {"o", "FILE",
		"write a file; its suffix names the format; plan: - is stdout",
		NULL, NULL, NULL,
		FOR_PLAN | FOR_COMPARE | FOR_GATE | FOR_BATCH},
	[OPT_MAX_RATIO] = {"max-ratio", "R",
		"exit 1 if arena / theoretical minimum exceeds R",
		"a number from 0", NULL, NULL, FOR_PLAN},
	[OPT_BATCH] = {"batch", "B",
		"io_info: the files of this batch; of several together: 4,16",
		NULL, NULL, NULL, FOR_ONE_GRAPH},
	[OPT_TENSOR_SIZE] = {"tensor-size", "FILE", "io_info: tensor sizes",
		NULL, NULL, NULL, FOR_ONE_GRAPH},
	[OPT_RESIZE_INFO] = {"resize-info", "FILE", "io_info: temporaries",
		NULL, NULL, NULL, FOR_ONE_GRAPH},
	[OPT_COST_INFO] = {"cost-info", "FILE", "io_info: times", NULL, NULL,
		NULL, FOR_ONE_GRAPH},
	[OPT_EMIT_LP] = {"emit-lp", "FILE",
		"write the problem as a linear program, .lp or .mps", NULL,
		NULL, NULL, FOR_PLAN},
	[OPT_SOLUTION] = {"solution", "FILE",
		"take the offsets that a solver found: for --emit-lp, "
		"SOMAS's, or dsa-solver's",
		NULL, NULL, NULL, FOR_PLAN | FOR_CHECK | FOR_COMPARE},
	[OPT_PROOF] = {"proof", "FILE",
		"replay a proof of the lower bound, which -o NAME.proof wrote",
		NULL, NULL, NULL, FOR_CHECK},
	[OPT_NEAR] = {"near", "PLAN",
		"keep the offsets of an older plan where the arena allows it",
		NULL, NULL, NULL, FOR_PLAN},
	[OPT_LIVE_RANGE] = {"live-range", "FILE",
		"XLA: lifetimes, if not in NAME-live-range.txt beside "
		"NAME-buffer-assignment.txt",
		NULL, NULL, NULL, FOR_ONE_GRAPH},
	[OPT_DEPFILE] = {"depfile", "FILE",
		"write what the outputs depend on, for make and ninja", NULL,
		NULL, NULL, FOR_PLAN},
	[OPT_TIMELINE] = {"timeline", "FILE",
		"write bytes over the steps, .csv or .svg", NULL, NULL, NULL,
		FOR_SIMULATE},
	[OPT_DEVICE] = {"device", "host|cuda|acl", "where to run", NULL, "host",
		NULL, FOR_REPLAY},
	[OPT_ORDINAL] = {"ordinal", "N", "which of several devices",
		"an integer from 0 to 1023", "0", NULL, FOR_REPLAY},
	[OPT_REPEAT] = {"repeat", "N", "runs", "an integer from 1 to 1000000",
		"1", NULL, FOR_REPLAY},
	[OPT_ORDERS] = {"orders", "N",
		"several streams: more orders of the ops",
		"an integer from 0 to 1000000", "0", NULL, FOR_REPLAY},
	[OPT_POISON] = {"poison", NULL, "fill tensors that died", NULL, NULL,
		NULL, FOR_REPLAY},
	[OPT_HUGE_PAGES] = {"huge-pages", NULL,
		"host: ask the system for huge pages", NULL, NULL, NULL,
		FOR_REPLAY},
	[OPT_STREAM_ORDERED] = {"stream-ordered", NULL,
		"cuda: allocate in stream order", NULL, NULL, NULL, FOR_REPLAY},
	[OPT_PAIR] = {"pair", "A B",
		"say why these two tensors cannot share bytes", NULL, NULL,
		NULL, FOR_EXPLAIN},
	[OPT_SWAP] = {"swap", NULL, "simulate swapping of feature maps", NULL,
		NULL, NULL, FOR_SIMULATE},
	[OPT_CHART] = {"chart", NULL, "draw the load over the steps", NULL,
		NULL, NULL, FOR_SHOW},
	[OPT_JSON] = {"json", NULL, "machine-readable result on stdout", NULL,
		NULL, NULL, FOR_GRAPHS | FOR_REPLAY | FOR_GATE},
	[OPT_MARKDOWN] = {"markdown", NULL, "Markdown on stdout", NULL, NULL,
		NULL, FOR_COMPARE},
	[OPT_FORMAT] = {"format", "GATE-REPORT", "report on stdout", NULL,
		"human", "gate-reports", FOR_GATE},
	[OPT_UPDATE] = {"update", NULL,
		"rewrite the budgets' arena limits and their baselines", NULL,
		NULL, NULL, FOR_GATE},
	[OPT_UPDATE_ANYWHERE] = {"update-anywhere", NULL,
		"--update, also of baselines outside of the budget's folder",
		NULL, NULL, NULL, FOR_GATE},
	[OPT_STORE] = {"store", "FOLDER",
		"a folder of answers, which are planned once", NULL, NULL, NULL,
		FOR_BATCH | FOR_GATE | FOR_PLAN},
	[OPT_J] = {"j", "N", "processes that plan beside each other",
		"an integer from 1 to 1024", "1", NULL,
		FOR_BATCH | FOR_GATE | FOR_PLAN},
	[OPT_SHARD] = {"shard", "K/N",
		"only the tasks of shard K, from 0, of N", NULL, NULL, NULL,
		FOR_BATCH | FOR_PLAN},
	[OPT_MATRIX] = {"matrix", "AXIS=V,...",
		"tasks from axes: graphs=GLOB batch=1,4 target=cuda", NULL,
		NULL, NULL, FOR_BATCH},
	[OPT_MERGE] = {"merge", NULL,
		"plan nothing: put all answers of the store together", NULL,
		NULL, NULL, FOR_BATCH | FOR_PLAN},
	[OPT_SEEDS] = {"seeds", "A-B",
		"race these seeds, and take the best plan", NULL, NULL, NULL,
		FOR_PLAN},
	[OPT_QUIET] = {"quiet", NULL, "print no summary and no warnings", NULL,
		NULL, NULL, FOR_GRAPHS | FOR_REPLAY | FOR_GATE | FOR_BATCH},
	[OPT_PROGRESS] = {"progress", NULL,
		"show progress on stderr even if it is no terminal", NULL, NULL,
		NULL, FOR_PLANNING | FOR_SHOW | FOR_GATE | FOR_BATCH},
	[OPT_COLOR] = {"color", "auto|always|never",
		"colour of errors and warnings", NULL, "auto", NULL,
		FOR_GRAPHS | FOR_GATE | FOR_BATCH},
	[OPT_HELP] = {"help", NULL, "print this", NULL, NULL, NULL, FOR_ALL},
};

/* An answer has to be the same on every machine, and of one graph. */
static const struct {
	const char *name, *why;
} refused[] = {
	{"time-limit", "answers would depend on the machine; use steps"},
	{"together", "a task is one graph"},
	{"same-offsets", "a task is one graph"},
};

const char *cli_task_refusal(const char *name)
{
	for (size_t i = 0; i < countof(refused); i++)
		if (strcmp(refused[i].name, name) == 0)
			return refused[i].why;
	return NULL;
}

bool cli_option(uint32_t id, struct memplan_option *option)
{
	if (id >= N_OPTIONS) {
		if (!memplan_option_at(id - N_OPTIONS, option, sizeof(*option)))
			return false;
		/* What a task does not say, the batch does for all. */
		if (option->uses & FOR_PLAN)
			option->uses |= FOR_BATCH;
		return true;
	}
	*option = own_options[id];
	return true;
}

/* Writes "--name" or "-n" to the buffer. */
static const char *spelled(const struct memplan_option *option, char *buffer)
{
	assert(strlen(option->name) <= 60);
	sprintf(buffer, "%s%s", option->name[1] ? "--" : "-", option->name);
	return buffer;
}

/* ------------------------------------------------------------- help */

/* What is too long for the column stands in a line of its own. */
static void help(uint32_t id, unsigned command)
{
	struct memplan_option option;
	char name[64], left[96];

	if (!cli_option(id, &option) || !(option.uses & command) ||
		(command == FOR_BATCH && cli_task_refusal(option.name)))
		return;
	snprintf(left, sizeof(left), "%s%s%s", spelled(&option, name),
		option.argument ? " " : "",
		option.argument ? option.argument : "");
	printf("  %-22s%s%s%s%s\n", left,
		strlen(left) > 22 ? "\n                         " : " ",
		option.summary, option.initial ? ", default " : "",
		option.initial ? option.initial : "");
}

/* Options of output come first, then those of planning, then the rest. */
void cli_options_help(unsigned command)
{
	puts("options:");
	help(OPT_OUTPUT, command);
	for (uint32_t id = N_OPTIONS; id < MOST_OPTIONS; id++)
		help(id, command);
	for (uint32_t id = OPT_OUTPUT + 1; id < N_OPTIONS; id++)
		help(id, command);
}

/* ---------------------------------------------------------- parsing */

/* The option that the text names; "=value" is cut off. */
static bool find(const char *text, unsigned command, uint32_t *id,
	struct memplan_option *option)
{
	char name[64];
	size_t length;

	if (strcmp(text, "-h") == 0)
		text = "--help";
	length = strcspn(text, "=");
	for (*id = 0; cli_option(*id, option); ++*id) {
		spelled(option, name);
		if (option->uses & command && strlen(name) == length &&
			strncmp(name, text, length) == 0)
			return true;
	}
	return false;
}

static const char *nearest_to(const char *text, unsigned command)
{
	const char *wanted = text + strspn(text, "-"), *nearest = NULL;
	struct memplan_option option;
	/* A letter has nothing in common with what is as far as it is long. */
	uint32_t best = (uint32_t)num_min(4, strlen(wanted));

	for (uint32_t i = 0; cli_option(i, &option); i++)
		if (option.uses & command && option.name[1] &&
			mp_names_is_nearer(option.name, wanted, &best))
			nearest = option.name;
	return nearest;
}

static bool unknown(const char *text, unsigned command)
{
	const char *nearest = nearest_to(text, command);
	struct memplan_option option;
	uint32_t id;

	if (find(text, ~command, &id, &option))
		cli_say("memplan: '%s' is for other commands; --help names the "
			"options of this one\n",
			text);
	else if (nearest)
		cli_say("memplan: unknown option '%s'; did you mean '--%s'?\n",
			text, nearest);
	else
		cli_say("memplan: unknown option '%s'; --help names them\n",
			text);
	return false;
}

struct cursor {
	int argc, at;
	char **argv;
	unsigned command;
};

bool cli_output_is_file(const struct output *output)
{
	return strcmp(output->name, "-") != 0;
}

uint32_t cli_count_files(const struct arguments *arguments)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < arguments->n_outputs; i++)
		n += cli_output_is_file(&arguments->outputs[i]);
	return n;
}

static void add_input(struct arguments *arguments, char *name)
{
	cli_system_spell(name);
	arguments->inputs[arguments->n_inputs++] = name;
}

static void add_output(
	struct arguments *arguments, uint32_t id, const char *name)
{
	struct output *output = &arguments->outputs[arguments->n_outputs++];

	*output = (struct output){name, name};
	if (strcmp(name, "-") == 0)
		output->format = id == OPT_EMIT_LP ? "lp" : "plan";
}

/* Has the file a suffix of a linear program? */
static bool is_program(const char *name)
{
	return strcmp(name, "-") == 0 || mp_text_ends_with(name, ".lp") ||
	       mp_text_ends_with(name, ".mps");
}

/* Is the value one of the words of "auto|always|never"? The library checks the
 * values of the library's options. */
static bool check_words(
	uint32_t id, const struct memplan_option *option, const char *value)
{
	const char *words = option->argument;
	size_t length = strlen(value), n;

	if (id >= N_OPTIONS || !words || !strchr(words, '|'))
		return true;
	for (; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (n == length && strncmp(words, value, n) == 0)
			return true;
	}
	cli_usage("%s: '%s' is none of %s", option->name, value,
		option->argument);
	return false;
}

/* A file that an option names has a name. */
static bool check_name(const struct memplan_option *option, const char *value)
{
	static const char *const names[] = {"FILE", "PLAN", "FOLDER"};
	char name[64];

	for (size_t i = 0; i < countof(names) && option->argument; i++)
		if (*value == '\0' && strcmp(option->argument, names[i]) == 0)
			return cli_usage("%s: the name is empty",
				       spelled(option, name)),
			       false;
	return true;
}

/* The value of an option: the text behind "=", or the next argument; "" for a
 * switch. If the option does not accept it, prints that and returns NULL. */
static const char *take_value(
	const struct memplan_option *option, struct cursor *c)
{
	const char *text = c->argv[c->at], *equals = strchr(text, '=');

	if (!option->argument && equals)
		return cli_usage("'%s' takes no value", text), NULL;
	if (!option->argument)
		return "";
	if (equals)
		return equals + 1;
	if (c->at + 1 < c->argc)
		return c->argv[++c->at];
	cli_usage("'%s' needs a value: %s", text, option->argument);
	return NULL;
}

static bool take_option(struct arguments *arguments, struct cursor *c)
{
	struct memplan_option option;
	const char *value;
	uint32_t id;

	if (!find(c->argv[c->at], c->command, &id, &option))
		return unknown(c->argv[c->at], c->command);
	value = take_value(&option, c);
	if (!value || !check_words(id, &option, value) ||
		!check_name(&option, value))
		return false;
	if (option.argument && strcmp(option.argument, "FILE") == 0)
		cli_system_spell(c->argv[c->at]);
	assert(id < MOST_OPTIONS);
	if (id >= N_OPTIONS && option.uses & MEMPLAN_USE_REPEATED &&
		arguments->values[id])
		value = mp_arena_print(arguments->arena, "%s\n%s",
			arguments->values[id], value);
	if (!value)
		return cli_out_of_memory(), false;
	arguments->values[id] = value;
	if (id == OPT_PAIR && c->at + 1 == c->argc)
		return cli_usage("'--pair' needs two tensors"), false;
	if (id == OPT_PAIR)
		arguments->other = c->argv[++c->at];
	if (id == OPT_EMIT_LP && !is_program(value))
		return cli_usage("--emit-lp: '%s' is neither .lp nor .mps",
			       value),
		       false;
	if (id == OPT_OUTPUT || id == OPT_EMIT_LP || id == OPT_TIMELINE)
		add_output(arguments, id, value);
	return true;
}

bool cli_option_is_read(uint32_t id)
{
	static const enum option_id options[] = {OPT_TENSOR_SIZE,
		OPT_RESIZE_INFO, OPT_COST_INFO, OPT_SOLUTION, OPT_PROOF,
		OPT_NEAR, OPT_LIVE_RANGE};

	for (size_t i = 0; i < countof(options); i++)
		if (options[i] == id)
			return true;
	return false;
}

static bool is_stdin(const char *name)
{
	return name && strcmp(name, "-") == 0;
}

/* What is read from standard input is gone. */
static bool shares_stdin(const struct arguments *arguments)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < arguments->n_inputs; i++)
		n += is_stdin(arguments->inputs[i]);
	for (uint32_t id = 0; id < N_OPTIONS; id++)
		n += cli_option_is_read(id) && is_stdin(arguments->values[id]);
	return n > 1;
}

enum memplan_status cli_arguments_parse(struct arguments *arguments,
	unsigned command, int argc, char **argv, struct arena *arena)
{
	struct cursor c = {argc, 1, argv, command};
	bool options = true;

	*arguments = (struct arguments){.arena = arena};
	arguments->inputs = NEW(arena, const char *, (size_t)argc);
	arguments->outputs = NEW(arena, struct output, (size_t)argc);
	if (!arguments->inputs || !arguments->outputs)
		return cli_out_of_memory();
	for (; c.at < argc; c.at++) {
		char *text = argv[c.at];

		if (options && strcmp(text, "--") == 0)
			options = false;
		else if (text[0] == '\0')
			return cli_usage("the name of an input is empty");
		else if (!options || text[0] != '-' || text[1] == '\0')
			add_input(arguments, text);
		else if (!take_option(arguments, &c))
			return MEMPLAN_EUSAGE;
	}
	if (shares_stdin(arguments))
		return cli_usage("several inputs want stdin");
	return MEMPLAN_OK;
}

/* ------------------------------------------------------------- idle */

/* Options that only say how another one works, or one of two others. */
static const struct {
	unsigned commands;
	const char *name, *other, *second;
	const char *value; /* that the other one must have; NULL: any */
} idle[] = {
	{FOR_PLAN, "copy-mode", "budget", NULL, NULL},
	{FOR_PLAN, "recompute", "budget", NULL, NULL},
	{FOR_PLAN, "forward-end", "budget", NULL, NULL},
	{FOR_PLAN, "write-rate", "budget", NULL, NULL},
	{FOR_PLAN, "read-rate", "budget", NULL, NULL},
	{FOR_PLAN, "cross-stream-first", "minimise-reuse", NULL, NULL},
	{FOR_SIMULATE, "forward-end", "swap", NULL, NULL},
	{FOR_SIMULATE, "write-rate", "swap", NULL, NULL},
	{FOR_SIMULATE, "read-rate", "swap", NULL, NULL},
	{FOR_PLANNING, "peak", "order", NULL, NULL},
	{FOR_SHOW, "peak", "order", "orders", NULL},
	{FOR_GATE, "j", "store", NULL, NULL},
	{FOR_REPLAY, "huge-pages", "device", NULL, "host"},
	{FOR_REPLAY, "stream-ordered", "device", NULL, "cuda"},
};

/* Options that another one, or that value of it, leaves nothing to say. */
static const struct {
	unsigned commands;
	const char *name, *other;
	const char *value; /* NULL: any */
} moot[] = {
	{FOR_BATCH | FOR_PLAN, "shard", "merge", NULL},
	{FOR_BATCH | FOR_PLAN, "j", "merge", NULL},
	{FOR_SIMULATE, "mindspore", "swap", NULL},
	{FOR_PLAN, "write-rate", "copy-mode", "none"},
	{FOR_PLAN, "read-rate", "copy-mode", "none"},
	{FOR_PLANNING, "peak", "order", "keep"},
};

/* The value of one of the command's options, as in values; with initial also
 * the one that it has if none is given. */
static const char *value_of(const struct arguments *arguments, const char *name,
	unsigned command, bool initial)
{
	struct memplan_option option = {.name = name};
	char spelling[64];
	uint32_t id;
	bool there = find(spelled(&option, spelling), command, &id, &option);

	assert(there);
	if (initial && there && !arguments->values[id])
		return option.initial;
	return there ? arguments->values[id] : NULL;
}

static bool is_idle(
	const struct arguments *arguments, size_t row, unsigned command)
{
	const char *wanted = idle[row].value, *second = idle[row].second;
	const char *value;

	if (!(idle[row].commands & command) ||
		!value_of(arguments, idle[row].name, command, false) ||
		(second && value_of(arguments, second, command, false)))
		return false;
	value = value_of(arguments, idle[row].other, command, wanted != NULL);
	return !value || (wanted && strcmp(value, wanted) != 0);
}

static bool is_moot(
	const struct arguments *arguments, size_t row, unsigned command)
{
	const char *value, *wanted = moot[row].value;

	if (!(moot[row].commands & command) ||
		!value_of(arguments, moot[row].name, command, false))
		return false;
	value = value_of(arguments, moot[row].other, command, false);
	return value && (!wanted || strcmp(value, wanted) == 0);
}

static void tell_one(const struct arguments *arguments, const char *name,
	const char *how, const char *other, const char *value,
	const char *second)
{
	const struct place place = {.color = cli_color(arguments)};
	const struct memplan_option option = {.name = name};
	char text[160], spelling[64];

	snprintf(text, sizeof(text), "%s does nothing %s --%s%s%s%s%s",
		spelled(&option, spelling), how, other, value ? " " : "",
		value ? value : "", second ? " or --" : "",
		second ? second : "");
	cli_tell("warning", &place, text);
}

void cli_tell_idle(const struct arguments *arguments, unsigned command)
{
	if (arguments->values[OPT_QUIET])
		return;
	for (size_t i = 0; i < countof(idle); i++)
		if (is_idle(arguments, i, command))
			tell_one(arguments, idle[i].name, "without",
				idle[i].other, idle[i].value, idle[i].second);
	for (size_t i = 0; i < countof(moot); i++)
		if (is_moot(arguments, i, command))
			tell_one(arguments, moot[i].name, "with", moot[i].other,
				moot[i].value, NULL);
}

/* ----------------------------------------------------------- access */

static uint32_t id_of(const char *name)
{
	struct memplan_option option;
	uint32_t id = N_OPTIONS;
	bool there = cli_option(id, &option);

	for (; there && strcmp(option.name, name) != 0; id++)
		there = cli_option(id + 1, &option);
	assert(there);
	return id;
}

const char *cli_value(const struct arguments *arguments, const char *name)
{
	return arguments->values[id_of(name)];
}

void cli_set_value(
	struct arguments *arguments, const char *name, const char *value)
{
	arguments->values[id_of(name)] = value;
}
