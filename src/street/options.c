/* SPDX-License-Identifier: MIT */
#include "street/options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/names.h"
#include "base/num.h"
#include "graph/io-policy.h"
#include "graph/target.h"
#include "order/order.h"
#include "planners/planner.h"

enum {
	DEFAULT_STEPS = 6000000
}; /* about half a second of planning */

/* 104,094,472 bytes in 4.452 s: the storage that HeuristicAllocator measured.
 */
#define DEFAULT_RATE UINT64_C(23381507)

void mp_street_options_init(struct options *options)
{
	*options = (struct options){.planner = "auto",
		.inputs = N_POLICIES,
		.outputs = N_POLICIES,
		.order = "keep",
		.capacity = UINT64_MAX,
		.inplace = true,
		.seed = 1,
		.steps = DEFAULT_STEPS,
		.threads = 1,
		.copy_mode = DETOUR_SYNC,
		.write_rate = DEFAULT_RATE,
		.read_rate = DEFAULT_RATE,
		.forward_end = NONE};
}

/* ----------------------------------------------------------- values */

static bool read_number(const char *text, uint64_t limit, uint64_t *value)
{
	return mp_bytes_digits(&text, limit, value) && *text == '\0';
}

/* Seconds with an optional fraction, read without the locale. */
static bool read_seconds(const char *text, double *value)
{
	uint64_t whole, digits = 0;
	double scale = 1;

	if (!mp_bytes_digits(&text, 1000000000, &whole))
		return false;
	if (*text == '.') {
		const char *fraction = ++text;

		if (!mp_bytes_digits(&text, 1000000000, &digits))
			return false;
		for (; fraction < text; fraction++)
			scale *= 10;
	}
	*value = (double)whole + (double)digits / scale;
	return *text == '\0';
}

/* ------------------------------------------------------------ names */

static const char *planner_name(uint32_t i)
{
	const struct planner *row = mp_planner_at(i);

	return row ? row->name : NULL;
}

static const char *order_name(uint32_t i)
{
	return i < mp_n_orders ? mp_orders[i].name : NULL;
}

static const char *target_name(uint32_t i)
{
	return i < mp_n_targets ? mp_targets[i].name : NULL;
}

/* Options whose values are rows of a table. */
static const struct row_option {
	const char *name;
	const char *(*row)(uint32_t i); /* NULL beyond the last */
	size_t field;			/* of the options, OPTION_TEXT bytes */
	const char *(*left_out)(const char *name); /* by this build; or NULL */
} row_options[] = {
	{"order", order_name, offsetof(struct options, order), NULL},
	{"planner", planner_name, offsetof(struct options, planner),
		mp_planner_left_out},
	{"target", target_name, offsetof(struct options, target), NULL},
};

static bool fail_row(const struct row_option *option, const char *value,
	const char *nearest, struct error *e)
{
	const char *what = option->name;
	const char *why = option->left_out ? option->left_out(value) : NULL;

	if (why)
		return mp_fail(e, MEMPLAN_EUSAGE, "this build has no %s: %s",
			value, why);
	return mp_fail(e, MEMPLAN_EUSAGE,
		nearest ? "unknown %s '%s'; did you mean '%s'?"
			: "unknown %s '%s'; 'memplan list %ss' names them",
		what, value, nearest ? nearest : what);
}

static bool set_row(struct options *options, const struct row_option *option,
	const char *value, struct error *e)
{
	char *field = (char *)options + option->field;
	const char *nearest = NULL, *name;
	/* A name of which no letter is right was not meant. */
	uint32_t best = (uint32_t)num_min(4, strlen(value)), distance;

	for (uint32_t i = 0; (name = option->row(i)); i++) {
		distance = mp_names_distance(name, value, 3);
		if (distance == 0) {
			memset(field, 0, OPTION_TEXT);
			strncpy(field, value, OPTION_TEXT - 1);
			return true;
		}
		if (distance < best) {
			best = distance;
			nearest = name;
		}
	}
	return fail_row(option, value, nearest, e);
}

/* ----------------------------------------------------------- fields */

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Whatever is said of it, it is on. */
static bool set_flag(void *field, const char *value)
{
	(void)value;
	return *(bool *)field = true;
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
	uint64_t threads;

	if (!read_number(value, 1024, &threads) || threads == 0)
		return false;
	*(uint32_t *)field = (uint32_t)threads;
	return true;
}

static bool set_seconds(void *field, const char *value)
{
	return read_seconds(value, field);
}

static bool set_text(char *field, const char *value, size_t room)
{
	size_t length = strlen(value);

	if (length == 0 || length >= room)
		return false;
	memcpy(field, value, length + 1);
	return true;
}

static bool set_name(void *field, const char *value)
{
	return set_text(field, value, OPTION_TEXT);
}

static bool set_graph(void *field, const char *value)
{
	return set_text(field, value, OPTION_GRAPH);
}

static bool set_pools(void *field, const char *value)
{
	return set_text(field, value, OPTION_POOLS);
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

static bool set_together(void *field, const char *value)
{
	bool *concurrent = field;

	*concurrent = is(value, "concurrent");
	return *concurrent || is(value, "serial");
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
	return set_integer(&options->steps, value);
}

/* What the levels spend: a glance, a breath, the default, a coffee. */
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
	return true;
}

/* ------------------------------------------------------------ table */

static const char size_wanted[] = "a size in bytes, like 4096 or 512KiB";
static const char rate_wanted[] = "bytes a second, like 300MB";
static const char policy_wanted[] = "inside, external or throughout";

/* The field is where the setter writes: bytes from the options' first. */
static const struct option {
	const char *name;
	bool (*set)(void *field, const char *value);
	size_t field;
	const char *wanted;
} table[] = {
	{"align", set_align, offsetof(struct options, align),
		"a power of two up to 1GiB"},
	{"budget", set_some_bytes, offsetof(struct options, budget),
		"a size in bytes above 0, like 512MiB"},
	{"capacity", set_bytes, offsetof(struct options, capacity),
		size_wanted},
	{"copy-mode", set_copy_mode, offsetof(struct options, copy_mode),
		"none, sync, semi or async"},
	{"cross-stream-first", set_flag,
		offsetof(struct options, cross_stream_first), ""},
	{"effort", set_effort, 0, "a level from 0 to 3"},
	{"forward-end", set_step, offsetof(struct options, forward_end),
		"a step"},
	{"graph", set_graph, offsetof(struct options, graph),
		"a name of 1 to 1023 bytes"},
	{"inplace", set_inplace, 0, "on, off or equal"},
	{"inputs", set_policy, offsetof(struct options, inputs), policy_wanted},
	{"max-memory", set_bytes, offsetof(struct options, max_memory),
		size_wanted},
	{"minimise-reuse", set_flag, offsetof(struct options, minimise_reuse),
		""},
	{"name", set_name, offsetof(struct options, name),
		"a name of 1 to 63 bytes"},
	{"orders", set_flag, offsetof(struct options, orders), ""},
	{"outputs", set_policy, offsetof(struct options, outputs),
		policy_wanted},
	{"peak", set_bytes, offsetof(struct options, peak), size_wanted},
	{"pools", set_pools, offsetof(struct options, pools),
		"a list like sram=256KiB,dram"},
	{"read-rate", set_some_bytes, offsetof(struct options, read_rate),
		rate_wanted},
	{"recompute", set_flag, offsetof(struct options, recompute), ""},
	{"replan", set_flag, offsetof(struct options, replan), ""},
	{"seed", set_integer, offsetof(struct options, seed),
		"an integer from 0"},
	{"steps", set_steps, 0, "an integer from 0"},
	{"threads", set_threads, offsetof(struct options, threads),
		"an integer from 1 to 1024"},
	{"time-limit", set_seconds, offsetof(struct options, time_limit),
		"a number of seconds"},
	{"together", set_together, offsetof(struct options, concurrent),
		"serial or concurrent"},
	{"write-rate", set_some_bytes, offsetof(struct options, write_rate),
		rate_wanted},
};

static const struct option *find(const char *name)
{
	for (uint32_t i = 0; i < countof(table); i++)
		if (is(table[i].name, name))
			return &table[i];
	return NULL;
}

bool mp_street_options_set(struct options *options, const char *name,
	const char *value, struct error *e)
{
	const struct option *option = find(name);

	for (uint32_t i = 0; i < countof(row_options); i++)
		if (is(row_options[i].name, name))
			return set_row(options, &row_options[i], value, e);
	if (!option)
		return mp_fail(e, MEMPLAN_EUSAGE, "unknown option '%s'", name);
	return option->set((char *)options + option->field, value) ||
	       mp_fail(e, MEMPLAN_EUSAGE, "%s: '%s' is not %s", name, value,
		       option->wanted);
}
