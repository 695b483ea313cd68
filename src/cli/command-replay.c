/*
 * memplan replay PLAN: runs a plan on a device, with patterns for content, and
 * shows every tensor that is overwritten too early.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/command-replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "memplan/report.h"

/* ---------------------------------------------------------- options */

static bool parse(const char *name, const char *text, uint64_t least,
	uint64_t most, uint64_t *value)
{
	char *end;

	if (!text)
		return true;
	*value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && *value >= least &&
		*value <= most)
		return true;
	cli_usage("--%s: '%s' is no number from %llu to %llu", name, text,
		(unsigned long long)least, (unsigned long long)most);
	return false;
}

static bool parse_options(const struct arguments *arguments,
	struct memplan_replay_options *options,
	struct memplan_device_options *device)
{
	uint64_t repeat = 1, ordinal = 0;

	options->seed = 1;
	if (!parse("repeat", arguments->values[OPT_REPEAT], 1, 1000000,
		    &repeat) ||
		!parse("seed", cli_value(arguments, "seed"), 0, UINT64_MAX - 1,
			&options->seed) ||
		!parse("ordinal", arguments->values[OPT_ORDINAL], 0, 1023,
			&ordinal))
		return false;
	options->repeat = (uint32_t)repeat;
	options->poison = arguments->values[OPT_POISON] != NULL;
	options->measure =
		arguments->values[OPT_JSON] || !arguments->values[OPT_QUIET];
	device->ordinal = (int)ordinal;
	device->huge_pages = arguments->values[OPT_HUGE_PAGES] != NULL;
	device->stream_ordered = arguments->values[OPT_STREAM_ORDERED] != NULL;
	return true;
}

/* ------------------------------------------------------------- plan */

static bool make_room(struct replay *r)
{
	struct memplan_replay_plan *plan = &r->plan;
	struct arena *arena = r->arguments->arena;

	r->tensors = NEW(arena, struct memplan_tensor, plan->n_tensors);
	r->ops = NEW(arena, struct memplan_op, plan->n_ops);
	r->gaps = NEW(arena, struct memplan_gap, plan->n_gaps);
	r->memories = NEW(arena, struct memplan_memory, plan->n_pools);
	r->pools = NEW(arena, struct memplan_pool, plan->n_pools);
	plan->tensors = r->tensors;
	plan->ops = r->ops;
	plan->gaps = r->gaps;
	plan->pools = r->pools;
	if (!r->tensors || !r->ops || !r->gaps || !r->memories || !r->pools)
		return cli_out_of_memory(), false;
	return true;
}

static bool gather(struct replay *r)
{
	const memplan *m = r->session.plan;
	struct memplan_replay_plan *plan = &r->plan;
	struct memplan_tensor tensor;
	struct memplan_memory memory;
	struct memplan_gap gap;

	while (memplan_tensor_at(m, plan->n_tensors, &tensor, sizeof(tensor)))
		plan->n_tensors++;
	while (memplan_gap_at(m, plan->n_gaps, &gap, sizeof(gap)))
		plan->n_gaps++;
	plan->n_ops = (uint32_t)cli_session_number(&r->session, "ops");
	plan->n_steps = (uint32_t)cli_session_number(&r->session, "steps");
	while (memplan_memory_at(m, plan->n_pools, &memory, sizeof(memory)))
		plan->n_pools++;
	if (!make_room(r))
		return false;
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		memplan_tensor_at(m, i, &r->tensors[i], sizeof(r->tensors[i]));
	for (uint32_t i = 0; i < plan->n_ops; i++)
		memplan_op_at(m, i, &r->ops[i], sizeof(r->ops[i]));
	for (uint32_t i = 0; i < plan->n_gaps; i++)
		memplan_gap_at(m, i, &r->gaps[i], sizeof(r->gaps[i]));
	for (uint32_t i = 0; i < plan->n_pools; i++) {
		memplan_memory_at(m, i, &r->memories[i], sizeof(memory));
		r->pools[i] = (struct memplan_pool){
			r->memories[i].size, r->memories[i].align};
	}
	return true;
}

/* ---------------------------------------------------------- command */

static enum memplan_status replay(
	struct replay *r, struct memplan_device *device)
{
	enum memplan_status status =
		memplan_replay(device, &r->plan, &r->options, &r->result);

	if (status == MEMPLAN_EIO)
		fprintf(stderr, "memplan: %s\n", device->text);
	else if (status == MEMPLAN_ENOMEM)
		cli_out_of_memory();
	else if (status == MEMPLAN_EUSAGE)
		cli_usage("--poison takes at most 256 streams");
	if (status != MEMPLAN_OK && status != MEMPLAN_NO)
		return status;
	cli_replay_tell(r);
	if (r->arguments->values[OPT_JSON])
		cli_replay_json(r, device->row->name);
	else if (!r->arguments->values[OPT_QUIET])
		cli_replay_print(r, device->row->name);
	return status;
}

static enum memplan_status replay_on_device(
	struct replay *r, const struct memplan_device_options *options)
{
	const char *name = r->arguments->values[OPT_DEVICE];
	struct memplan_device device;
	enum memplan_status status;

	if (memplan_device_open(&device, name ? name : "host", options)) {
		fprintf(stderr, "memplan: %s\n", device.text);
		return device.code == MEMPLAN_DEVICE_UNKNOWN ? MEMPLAN_EUSAGE
							     : MEMPLAN_EIO;
	}
	status = replay(r, &device);
	memplan_device_close(&device);
	return status;
}

static enum memplan_status replay_plan(
	struct replay *r, const struct memplan_device_options *options)
{
	enum memplan_status status = cli_session_tell(
		&r->session, r->arguments, memplan_take(r->session.plan));

	if (status != MEMPLAN_OK)
		return status;
	return gather(r) ? replay_on_device(r, options) : MEMPLAN_ENOMEM;
}

enum memplan_status cli_replay(const struct arguments *arguments)
{
	struct replay r = {.arguments = arguments};
	struct memplan_device_options options = {0};
	enum memplan_status status;

	if (arguments->n_inputs != 1)
		return cli_usage("replay takes one plan");
	if (!parse_options(arguments, &r.options, &options))
		return MEMPLAN_EUSAGE;
	status = cli_session_open(&r.session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = replay_plan(&r, &options);
	cli_session_close(&r.session);
	return status;
}
