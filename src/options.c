/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "num.h"
#include "order/order.h"
#include "planner.h"
#include "policy.h"
#include "target.h"

enum {
	DEFAULT_STEPS = 6000000
}; /* about half a second of planning */

/* 104,094,472 bytes in 4.452 s: the storage that HeuristicAllocator measured.
 */
#define DEFAULT_RATE UINT64_C(23381507)

void mp_options_init(struct options *options)
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

/* ------------------------------------------------------------------ values */

/* Digits only; false beyond the limit. Moves *text behind the last digit. */
static bool read_digits(const char **text, uint64_t limit, uint64_t *value)
{
	const char *at = *text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (digit > limit || *value > (limit - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	if (at == *text)
		return false;
	*text = at;
	return true;
}

static bool read_number(const char *text, uint64_t limit, uint64_t *value)
{
	return read_digits(&text, limit, value) && *text == '\0';
}

bool mp_options_bytes(const char *text, uint64_t *value)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {{"", 1}, {"B", 1}, {"KiB", UINT64_C(1) << 10},
		{"MiB", UINT64_C(1) << 20}, {"GiB", UINT64_C(1) << 30},
		{"TiB", UINT64_C(1) << 40}, {"K", UINT64_C(1) << 10},
		{"M", UINT64_C(1) << 20}, {"G", UINT64_C(1) << 30},
		{"KB", 1000}, {"MB", 1000000}, {"GB", 1000000000},
		{"TB", UINT64_C(1000000000000)}};

	if (!read_digits(&text, NUM_MAX_BYTES, value))
		return false;
	for (size_t i = 0; i < countof(units); i++)
		if (strcmp(text, units[i].unit) == 0)
			return num_mul(*value, units[i].bytes, value);
	return false;
}

/* Seconds with an optional fraction, read without the locale. */
static bool read_seconds(const char *text, double *value)
{
	uint64_t whole, digits = 0;
	double scale = 1;

	if (!read_digits(&text, 1000000000, &whole))
		return false;
	if (*text == '.') {
		const char *fraction = ++text;

		if (!read_digits(&text, 1000000000, &digits))
			return false;
		for (; fraction < text; fraction++)
			scale *= 10;
	}
	*value = (double)whole + (double)digits / scale;
	return *text == '\0';
}

/* ------------------------------------------------------------------- names */

struct row_names {
	uint32_t n;
	const char *(*name)(uint32_t i);
};

static const char *planner_name(uint32_t i)
{
	return mp_planners[i].name;
}

static const char *order_name(uint32_t i)
{
	return mp_orders[i].name;
}

static const char *target_name(uint32_t i)
{
	return mp_targets[i].name;
}

static bool set_row(char *field, const struct row_names *rows, const char *what,
	const char *value, struct error *e)
{
	const char *nearest = NULL;
	/* A name of which no letter is right was not meant. */
	uint32_t best = (uint32_t)num_min(4, strlen(value)), distance;

	for (uint32_t i = 0; i < rows->n; i++) {
		distance = mp_names_distance(rows->name(i), value, 3);
		if (distance == 0) {
			strncpy(field, value, OPTION_TEXT - 1);
			return true;
		}
		if (distance < best) {
			best = distance;
			nearest = rows->name(i);
		}
	}
	return mp_fail(e, MEMPLAN_EUSAGE,
		nearest ? "unknown %s '%s'; did you mean '%s'?"
			: "unknown %s '%s'; 'memplan list %ss' names them",
		what, value, nearest ? nearest : what);
}

static bool set_planner(
	struct options *options, const char *value, struct error *e)
{
	struct row_names rows = {mp_n_planners, planner_name};

	memset(options->planner, 0, sizeof(options->planner));
	return set_row(options->planner, &rows, "planner", value, e);
}

static bool set_order(
	struct options *options, const char *value, struct error *e)
{
	struct row_names rows = {mp_n_orders, order_name};

	memset(options->order, 0, sizeof(options->order));
	return set_row(options->order, &rows, "order", value, e);
}

static bool set_target(
	struct options *options, const char *value, struct error *e)
{
	struct row_names rows = {mp_n_targets, target_name};

	memset(options->target, 0, sizeof(options->target));
	return set_row(options->target, &rows, "target", value, e);
}

/* ------------------------------------------------------------------- table */

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool set_align(struct options *options, const char *value)
{
	return mp_options_bytes(value, &options->align) &&
	       num_is_pow2(options->align) &&
	       options->align <= UINT64_C(1) << 30;
}

static bool read_rate(const char *text, uint64_t *rate)
{
	return mp_options_bytes(text, rate) && *rate > 0;
}

static bool set_copy_mode(struct options *options, const char *value)
{
	for (uint32_t i = 0; i <= DETOUR_ASYNC; i++)
		if (is(value, mp_detour_modes[i])) {
			options->copy_mode = (enum detour_mode)i;
			return true;
		}
	return false;
}

static bool set_forward_end(struct options *options, const char *value)
{
	uint64_t step;

	if (!read_number(value, NONE - 1, &step))
		return false;
	options->forward_end = (uint32_t)step;
	return true;
}

static bool set_name(struct options *options, const char *value)
{
	size_t length = strlen(value);

	if (length == 0 || length >= OPTION_TEXT)
		return false;
	memcpy(options->name, value, length + 1);
	return true;
}

static bool set_together(struct options *options, const char *value)
{
	options->concurrent = is(value, "concurrent");
	return options->concurrent || is(value, "serial");
}

static bool set_pools(
	struct options *options, const char *value, const char **wanted)
{
	*wanted = "a list like sram=256KiB,dram";
	if (value[0] == '\0' || strlen(value) >= sizeof(options->pools))
		return false;
	strcpy(options->pools, value);
	return true;
}

static bool set_graph(struct options *options, const char *value)
{
	size_t length = strlen(value);

	if (length == 0 || length >= sizeof(options->graph))
		return false;
	memcpy(options->graph, value, length + 1);
	return true;
}

static bool set_inplace(struct options *options, const char *value)
{
	options->equal = is(value, "equal");
	options->inplace = is(value, "on") || options->equal;
	return options->inplace || is(value, "off");
}

static bool set_policy(uint8_t *policy, const char *value)
{
	*policy = (uint8_t)mp_policy_find(value);
	return *policy != N_POLICIES;
}

static bool set_threads(struct options *options, const char *value)
{
	uint64_t threads;

	if (!read_number(value, 1024, &threads) || threads == 0)
		return false;
	options->threads = (uint32_t)threads;
	return true;
}

/* What the levels spend: a glance, a breath, the default, a coffee. */
static bool set_effort(
	struct options *options, const char *value, const char **wanted)
{
	static const uint64_t steps[] = {
		200000, 1000000, DEFAULT_STEPS, 240000000};
	uint64_t level;

	*wanted = "a level from 0 to 3";
	if (!read_number(value, countof(steps) - 1, &level))
		return false;
	options->steps = steps[level];
	options->steps_given = steps[level] != DEFAULT_STEPS;
	return true;
}

/* An option that is on as soon as it is named; NULL: it is none of these. */
static bool *flag_of(struct options *options, const char *name)
{
	if (is(name, "recompute"))
		return &options->recompute;
	if (is(name, "replan"))
		return &options->replan;
	if (is(name, "minimise-reuse"))
		return &options->minimise_reuse;
	if (is(name, "cross-stream-first"))
		return &options->cross_stream_first;
	return is(name, "orders") ? &options->orders : NULL;
}

/* How much work a run may take. */
static bool set_work(struct options *options, const char *name,
	const char *value, const char **wanted)
{
	*wanted = "an integer from 0";
	if (is(name, "seed"))
		return read_number(value, UINT64_MAX, &options->seed);
	if (is(name, "effort"))
		return set_effort(options, value, wanted);
	if (is(name, "steps")) {
		options->steps_given = true;
		return read_number(value, UINT64_MAX, &options->steps);
	}
	*wanted = "an integer from 1 to 1024";
	if (is(name, "threads"))
		return set_threads(options, value);
	*wanted = "a number of seconds";
	if (is(name, "time-limit"))
		return read_seconds(value, &options->time_limit);
	*wanted = NULL;
	return false;
}

static bool set_value(struct options *options, const char *name,
	const char *value, const char **wanted)
{
	bool *flag = flag_of(options, name);

	if (flag)
		return *flag = true;
	*wanted = "a size in bytes, like 4096 or 512KiB";
	if (is(name, "capacity"))
		return mp_options_bytes(value, &options->capacity);
	if (is(name, "peak"))
		return mp_options_bytes(value, &options->peak);
	if (is(name, "max-memory"))
		return mp_options_bytes(value, &options->max_memory);
	*wanted = "a size in bytes above 0, like 512MiB";
	if (is(name, "budget"))
		return mp_options_bytes(value, &options->budget) &&
		       options->budget > 0;
	*wanted = "none, sync, semi or async";
	if (is(name, "copy-mode"))
		return set_copy_mode(options, value);
	*wanted = "bytes a second, like 300MB";
	if (is(name, "write-rate"))
		return read_rate(value, &options->write_rate);
	if (is(name, "read-rate"))
		return read_rate(value, &options->read_rate);
	*wanted = "a power of two up to 1GiB";
	if (is(name, "align"))
		return set_align(options, value);
	*wanted = "a name of 1 to 63 bytes";
	if (is(name, "name"))
		return set_name(options, value);
	*wanted = "a name of 1 to 1023 bytes";
	if (is(name, "graph"))
		return set_graph(options, value);
	*wanted = "serial or concurrent";
	if (is(name, "together"))
		return set_together(options, value);
	if (is(name, "pools"))
		return set_pools(options, value, wanted);
	*wanted = "on, off or equal";
	if (is(name, "inplace"))
		return set_inplace(options, value);
	*wanted = "inside, external or throughout";
	if (is(name, "inputs"))
		return set_policy(&options->inputs, value);
	if (is(name, "outputs"))
		return set_policy(&options->outputs, value);
	*wanted = "a step";
	if (is(name, "forward-end"))
		return set_forward_end(options, value);
	return set_work(options, name, value, wanted);
}

bool mp_options_set(struct options *options, const char *name,
	const char *value, struct error *e)
{
	const char *wanted;

	if (is(name, "planner"))
		return set_planner(options, value, e);
	if (is(name, "order"))
		return set_order(options, value, e);
	if (is(name, "target"))
		return set_target(options, value, e);
	if (set_value(options, name, value, &wanted))
		return true;
	if (!wanted)
		return mp_fail(e, MEMPLAN_EUSAGE, "unknown option '%s'", name);
	return mp_fail(
		e, MEMPLAN_EUSAGE, "%s: '%s' is not %s", name, value, wanted);
}
