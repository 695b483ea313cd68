/*
 * The table of the library's options, and a setter for each type of value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

enum {
	MINDSPORE_UNIT = 1 << 30,
};

/* ----------------------------------------------------------- values */

static bool read_number(const char *text, uint64_t limit, uint64_t *value)
{
	return mp_bytes_digits(&text, limit, value) && *text == '\0';
}

/* ----------------------------------------------------------- fields */

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool set_flag(void *field, const char *value)
{
	*(bool *)field = !is(value, "off");
	return true;
}

static bool set_bytes(void *field, const char *value)
{
	return mp_bytes_parse(value, field);
}

static bool set_some_bytes(void *field, const char *value)
{
	return mp_bytes_parse(value, field) && *(uint64_t *)field > 0;
}

static bool set_align(void *field, const char *value)
{
	uint64_t *align = field;

	return mp_bytes_parse(value, align) && num_is_pow2(*align) &&
	       *align <= UINT64_C(1) << 30;
}

static bool set_integer(void *field, const char *value)
{
	return read_number(value, UINT64_MAX, field);
}

static bool set_step(void *field, const char *value)
{
	uint64_t step;

	if (!read_number(value, NONE - 1, &step))
		return false;
	*(uint32_t *)field = (uint32_t)step;
	return true;
}

static bool set_threads(void *field, const char *value)
{
	uint32_t *threads = field;

	return set_step(threads, value) && *threads >= 1 && *threads <= 1024;
}

static bool set_text(char *field, const char *value, size_t room)
{
	size_t length = strlen(value);

	if (length == 0 || length >= room)
		return false;
	memcpy(field, value, length + 1);
	return true;
}

/* A name, or a row, which a caller has found in its table. */
static bool set_name(void *field, const char *value)
{
	return set_text(field, value, OPTION_TEXT);
}

/* Seconds with an optional fraction, read without the locale. */
static bool set_seconds(void *field, const char *value)
{
	uint64_t whole, digits = 0;
	double scale = 1;

	if (!mp_bytes_digits(&value, 1000000000, &whole))
		return false;
	if (*value == '.') {
		const char *fraction = ++value;

		if (!mp_bytes_digits(&value, 1000000000, &digits))
			return false;
		for (; fraction < value; fraction++)
			scale *= 10;
	}
	*(double *)field = (double)whole + (double)digits / scale;
	return *value == '\0';
}

static bool set_graph(void *field, const char *value)
{
	return set_text(field, value, OPTION_GRAPH);
}

static bool set_pools(void *field, const char *value)
{
	return set_text(field, value, OPTION_POOLS);
}

/* "init=BYTES,increase=BYTES,max=BYTES", each at most once; what is left out is
 * as MindSpore has it. */
static bool set_mindspore(void *field, const char *value)
{
	struct pool_settings *told = field;
	struct setting {
		const char *key;
		uint64_t *at;
		uint64_t value;
		bool given;
	} settings[] = {{"init=", &told->initial, 0, false},
		{"increase=", &told->increment, MINDSPORE_UNIT, false},
		{"max=", &told->most, 0, false}};

	for (bool more = true; more;) {
		size_t length = strcspn(value, ",");
		char text[OPTION_TEXT];
		uint32_t i = 0, key;

		while (i < countof(settings) &&
			strncmp(value, settings[i].key,
				strlen(settings[i].key)) != 0)
			i++;
		if (i == countof(settings) || settings[i].given ||
			length >= sizeof(text))
			return false;
		key = (uint32_t)strlen(settings[i].key);
		memcpy(text, value + key, length - key);
		text[length - key] = '\0';
		settings[i].given = true;
		if (!mp_bytes_parse(text, &settings[i].value) ||
			settings[i].value == 0)
			return false;
		more = value[length] == ',';
		value += length + more;
	}
	for (uint32_t i = 0; i < countof(settings); i++)
		*settings[i].at = settings[i].value;
	return true;
}

/* One more line, or several. The lines are together in one text; "off"
 * forgets them. */
static bool set_lines(void *field, const char *value)
{
	char *lines = field;
	size_t used = strlen(lines), length = strlen(value);

	if (is(value, "off")) {
		lines[0] = '\0';
		return true;
	}
	if (length == 0 || used + length + 2 > OPTION_LINES)
		return false;
	if (used > 0)
		lines[used++] = '\n';
	memcpy(lines + used, value, length + 1);
	return true;
}

static bool set_views(void *field, const char *value)
{
	for (uint32_t i = 0; i < N_VIEWS; i++)
		if (is(value, mp_view_names[i])) {
			*(enum views *)field = (enum views)i;
			return true;
		}
	return false;
}

static bool set_constants(void *field, const char *value)
{
	bool *keep = field;

	*keep = is(value, "keep");
	return *keep || is(value, "fold");
}

static bool set_policy(void *field, const char *value)
{
	uint8_t *policy = field;

	*policy = (uint8_t)mp_graph_policy_find(value);
	return *policy != N_POLICIES;
}

static bool set_copy_mode(void *field, const char *value)
{
	for (uint32_t i = 0; i <= DETOUR_ASYNC; i++)
		if (is(value, mp_detour_modes[i])) {
			*(enum detour_mode *)field = (enum detour_mode)i;
			return true;
		}
	return false;
}

static bool set_variables(void *field, const char *value)
{
	bool *inside = field;

	*inside = is(value, "arena");
	return *inside || is(value, "external");
}

static bool set_together(void *field, const char *value)
{
	static const char *const names[N_TOGETHER] = {
		"serial", "concurrent", "buckets"};
	uint8_t *together = field;

	*together = 0;
	while (*together < N_TOGETHER && !is(value, names[*together]))
		++*together;
	return *together < N_TOGETHER;
}

/* ------------------------------------------- several fields at once */

static bool set_inplace(void *all, const char *value)
{
	struct options *options = all;

	options->equal = is(value, "equal");
	options->inplace = is(value, "on") || options->equal;
	return options->inplace || is(value, "off");
}

static bool set_steps(void *all, const char *value)
{
	struct options *options = all;

	options->steps_given = true;
	options->by_effort = false;
	return set_integer(&options->steps, value);
}

/* Steps of each level: 0.02 s, 0.1 s, 0.5 s (the default), 24 s on a core of
 * 3 GHz. */
static bool set_effort(void *all, const char *value)
{
	static const uint64_t steps[] = {
		200000, 1000000, DEFAULT_STEPS, 240000000};
	struct options *options = all;
	uint64_t level;

	if (!read_number(value, countof(steps) - 1, &level))
		return false;
	options->steps = steps[level];
	options->steps_given = steps[level] != DEFAULT_STEPS;
	options->by_effort = true;
	return true;
}

/* ------------------------------------------------------------ table */

enum {
	PLAN = MEMPLAN_USE_PLAN,
	SURVEY = MEMPLAN_USE_SURVEY,
	SIMULATE = MEMPLAN_USE_SIMULATE,
	GATE = MEMPLAN_USE_GATE,
	TAKE = MEMPLAN_USE_TAKE,
	/* Commands that plan, and commands that read graphs. */
	PLANS = PLAN | SIMULATE | MEMPLAN_USE_EXPLAIN | MEMPLAN_USE_COMPARE,
	READS = PLANS | SURVEY | MEMPLAN_USE_CHECK,
};

#define A_SIZE "a size in bytes, like 4096 or 512KiB"
#define A_RATE "bytes a second, like 300MB"

/* HeuristicAllocator measured 104,094,472 bytes in 4.452 s on a phone's storage
 */
#define RATE "23381507"

#define FIELD(name) offsetof(struct options, name)

/* The options in the order of help. `field` is the offset of the field that the
 * setter writes in struct options. */
static const struct option {
	struct memplan_option row;
	bool (*set)(void *field, const char *value);
	size_t field;
} table[] = {
	{{"planner", "PLANNER", "planner row", NULL, "auto", "planners|peers",
		 PLANS},
		set_name, FIELD(planner)},
	{{"replan", NULL, "place anew what the input has placed already", NULL,
		 NULL, NULL, PLANS | MEMPLAN_USE_CHECK},
		set_flag, FIELD(replan)},
	{{"order", "ORDER", "order row", NULL, "keep", "orders",
		 PLANS | SURVEY},
		set_name, FIELD(order)},
	{{"peak", "BYTES",
		 "an order with this peak is enough; it then moves few ops",
		 A_SIZE, NULL, NULL, PLANS | SURVEY},
		set_bytes, FIELD(peak)},
	{{"capacity", "BYTES",
		 "stop at the first plan that fits; the answer is no if none "
		 "can",
		 A_SIZE, NULL, NULL, PLAN},
		set_bytes, FIELD(capacity)},
	{{"tight", NULL,
		 "make the arena and pools small within their capacities", NULL,
		 NULL, NULL, PLAN},
		set_flag, FIELD(tight)},
	{{"pools", "NAME=BYTES,...",
		 "capacities of pools, or pools for a graph without any",
		 "a list like sram=256KiB,dram", NULL, NULL, READS},
		set_pools, FIELD(pools)},
	{{"budget", "BYTES", "copy tensors out and back until a plan fits",
		 "a size in bytes above 0, like 512MiB", NULL, NULL, PLAN},
		set_some_bytes, FIELD(budget)},
	{{"copy-mode", "none|sync|semi|async",
		 "budget: what runs beside a copy", NULL, "sync", NULL, PLAN},
		set_copy_mode, FIELD(copy_mode)},
	{{"recompute", NULL, "budget: ops may run again", NULL, NULL, NULL,
		 PLAN},
		set_flag, FIELD(recompute)},
	{{"minimise-reuse", NULL,
		 "in the capacity, or the arena found: low reuse cost, then "
		 "few overwrites",
		 NULL, NULL, NULL, PLAN},
		set_flag, FIELD(minimise_reuse)},
	{{"minimise-banks", NULL,
		 "in the capacity, or the arena found: tensors that an op uses "
		 "together share few banks",
		 NULL, NULL, NULL, PLAN},
		set_flag, FIELD(minimise_banks)},
	{{"cross-stream-first", NULL,
		 "minimise-reuse: first those across streams", NULL, NULL, NULL,
		 PLAN},
		set_flag, FIELD(cross_stream_first)},
	{{"align", "BYTES", "round sizes and offsets to this power of two",
		 "a power of two up to 1GiB", NULL, NULL, READS},
		set_align, FIELD(align)},
	{{"target", "TARGET", "alignment and padding of a device or runtime",
		 NULL, NULL, "targets", READS},
		set_name, FIELD(target)},
	{{"inplace", "on|off|equal", "honour in-place pairs (of equal size)",
		 NULL, "on", NULL, READS},
		set_inplace, 0},
	{{"inputs", "inside|external|throughout",
		 "where the inputs are; else inside, or where a plan has them",
		 NULL, NULL, NULL, READS},
		set_policy, FIELD(inputs)},
	{{"outputs", "inside|external|throughout",
		 "where the outputs are; else inside, or where a plan has them",
		 NULL, NULL, NULL, READS},
		set_policy, FIELD(outputs)},
	{{"variables", "external|arena",
		 "of a TFLite model: beside the arena, or in it", NULL,
		 "external", NULL, READS},
		set_variables, FIELD(variables_inside)},
	{{"seed", "N", "seed of randomised rows", "an integer from 0", "1",
		 NULL, PLANS | SURVEY | TAKE},
		set_integer, FIELD(seed)},
	{{"effort", "0|1|2|3", "how much work to spend", "a level from 0 to 3",
		 "2", NULL, PLANS | SURVEY},
		set_effort, 0},
	{{"steps", "N", "work to spend, about 100 ns each", "an integer from 0",
		 NULL, NULL, PLANS | SURVEY},
		set_steps, 0},
	{{"time-limit", "SECONDS",
		 "most time; without steps or an effort, work goes on until "
		 "then",
		 "a number of seconds", NULL, NULL, PLANS | GATE},
		set_seconds, FIELD(time_limit)},
	{{"threads", "N", "threads; never changes the plan",
		 "an integer from 1 to 1024", "1", NULL, PLANS | GATE},
		set_threads, FIELD(threads)},
	{{"max-memory", "BYTES", "most memory to take", A_SIZE, NULL, NULL,
		 READS | TAKE | GATE},
		set_bytes, FIELD(max_memory)},
	{{"graph", "NAME", "of the graphs in a log or program, the one to read",
		 "a name of 1 to 1023 bytes", NULL, NULL, READS},
		set_graph, FIELD(graph)},
	{{"dim", "NAME=N", "ONNX: the length of a dimension; may be repeated",
		 "NAME=N or INPUT:AXIS=N, at most 4095 bytes together", NULL,
		 NULL, READS | MEMPLAN_USE_REPEATED},
		set_lines, FIELD(dims)},
	{{"value", "NAME=V,...",
		 "ONNX: the content of an input; may be repeated",
		 "NAME=V,..., at most 4095 bytes together", NULL, NULL,
		 READS | MEMPLAN_USE_REPEATED},
		set_lines, FIELD(values)},
	{{"shape", "NAME=2x64:TYPE",
		 "ONNX: the shape of a value; may be repeated",
		 "NAME=2x64:TYPE, at most 4095 bytes together", NULL, NULL,
		 READS | MEMPLAN_USE_REPEATED},
		set_lines, FIELD(shapes)},
	{{"views", "alias|alias-slices|inplace|copy",
		 "ONNX: what Reshape and the like are", NULL, "alias", NULL,
		 READS},
		set_views, FIELD(views)},
	{{"constants", "fold|keep", "models: ops of constants vanish, or stay",
		 NULL, "fold", NULL, READS},
		set_constants, FIELD(keeps_constants)},
	{{"together", "serial|concurrent|buckets",
		 "several graphs: run in turn, at one time, or with one table",
		 NULL, NULL, NULL, PLAN},
		set_together, FIELD(together)},
	{{"same-offsets", "NAME,...",
		 "tensors at one offset in all graphs; may be repeated",
		 "NAME,..., at most 4095 bytes together", NULL, NULL,
		 PLAN | MEMPLAN_USE_REPEATED},
		set_lines, FIELD(same)},
	{{"name", "NAME", "name of the plan and of its symbols",
		 "a name of 1 to 63 bytes", NULL, NULL,
		 PLAN | MEMPLAN_USE_CHECK},
		set_name, FIELD(name)},
	{{"orders", NULL, "measure every order row", NULL, NULL, NULL, SURVEY},
		set_flag, FIELD(orders)},
	{{"forward-end", "N",
		 "swap: first step of the backward pass, else found", "a step",
		 NULL, NULL, PLAN | SIMULATE},
		set_step, FIELD(forward_end)},
	{{"mindspore", "KEY=BYTES,...",
		 "settings of MindSpore's pool: init, increase, max",
		 "a list like init=64MiB,increase=64MiB,max=2GiB",
		 "increase=1GiB", NULL, SIMULATE},
		set_mindspore, FIELD(mindspore)},
	{{"write-rate", "BYTES", "bytes a second that are copied out", A_RATE,
		 RATE, NULL, PLAN | SIMULATE},
		set_some_bytes, FIELD(write_rate)},
	{{"read-rate", "BYTES", "bytes a second that are copied in", A_RATE,
		 RATE, NULL, PLAN | SIMULATE},
		set_some_bytes, FIELD(read_rate)},
};

/* ----------------------------------------------------------- access */

static bool set(
	struct options *options, const struct option *option, const char *value)
{
	return option->set((char *)options + option->field, value);
}

/* Spells "on|off|equal" as "on, off or equal". */
static const char *list_words(const char *words, char *text, size_t room)
{
	size_t used = 0, length;

	assert(strchr(words, '|'));
	for (; *words; words += length + (words[length] == '|')) {
		length = strcspn(words, "|");
		used += (size_t)snprintf(text + used, room - used, "%s%.*s",
			used == 0	? ""
			: words[length] ? ", "
					: " or ",
			(int)length, words);
		assert(used < room);
	}
	return text;
}

static bool refuse(
	const struct option *option, const char *value, struct error *e)
{
	const struct memplan_option *row = &option->row;
	char words[OPTION_TEXT];

	assert(row->argument);
	return mp_fail(e, MEMPLAN_EUSAGE, "%s: '%s' is not %s", row->name,
		value,
		row->values ? row->values
			    : list_words(row->argument, words, sizeof(words)));
}

bool mp_street_options_set(struct options *options, const char *name,
	const char *value, struct error *e)
{
	const struct option *option = table;
	struct options before = *options;

	while (option < table + countof(table) && !is(option->row.name, name))
		option++;
	if (option == table + countof(table))
		return mp_fail(e, MEMPLAN_EUSAGE, "unknown option '%s'", name);
	if (option->row.table &&
		!mp_street_tables_check(option->row.table, name, value, e))
		return false;
	if (set(options, option, value))
		return true;
	*options = before;
	return refuse(option, value, e);
}

void mp_street_options_init(struct options *options)
{
	*options = (struct options){.inputs = N_POLICIES,
		.outputs = N_POLICIES,
		.capacity = UINT64_MAX,
		.forward_end = NONE};
	for (uint32_t i = 0; i < countof(table); i++) {
		const char *initial = table[i].row.initial;
		bool is_set = !initial || set(options, &table[i], initial);

		assert(is_set);
		(void)is_set;
	}
}

const struct memplan_option *mp_street_options_row(uint32_t i)
{
	return i < countof(table) ? &table[i].row : NULL;
}
