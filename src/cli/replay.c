/*
 * memplan replay PLAN: run a plan on a device and prove that nothing is
 * overwritten.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "memplan/replay.h"

enum {
	TOLD = 10, /* overwrites that are told one by one */
};

struct replay {
	struct session session;
	const struct arguments *arguments;
	struct memplan_tensor *tensors;
	struct memplan_op *ops;
	struct memplan_gap *gaps;
	struct memplan_replay_plan plan;
	struct memplan_replay_options options;
	struct memplan_replay_result result;
};

/* ------------------------------------------------------------------- options
 */

static bool parse(const struct arguments *arguments, enum option_id id,
	uint64_t least, uint64_t most, uint64_t *value)
{
	const char *text = arguments->values[id];
	char *end;

	if (!text)
		return true;
	*value = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && *end == '\0' && *value >= least &&
		*value <= most)
		return true;
	fprintf(stderr, "memplan: --%s: '%s' is no number from %llu to %llu\n",
		cli_options[id].name, text, (unsigned long long)least,
		(unsigned long long)most);
	return false;
}

static bool parse_options(const struct arguments *arguments,
	struct memplan_replay_options *options,
	struct memplan_device_options *device)
{
	uint64_t repeat = 1, ordinal = 0;

	options->seed = 1;
	if (!parse(arguments, OPT_REPEAT, 1, 1000000, &repeat) ||
		!parse(arguments, OPT_SEED, 0, UINT64_MAX - 1,
			&options->seed) ||
		!parse(arguments, OPT_ORDINAL, 0, 1023, &ordinal))
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

/* ---------------------------------------------------------------------- plan
 */

static uint64_t number(const struct replay *r, const char *name)
{
	uint64_t value = 0;

	memplan_number(r->session.plan, name, &value);
	return value;
}

static bool make_room(struct replay *r)
{
	struct memplan_replay_plan *plan = &r->plan;

	r->tensors = calloc(plan->n_tensors + 1u, sizeof(*r->tensors));
	r->ops = calloc(plan->n_ops + 1u, sizeof(*r->ops));
	r->gaps = calloc(plan->n_gaps + 1u, sizeof(*r->gaps));
	plan->tensors = r->tensors;
	plan->ops = r->ops;
	plan->gaps = r->gaps;
	if (!r->tensors || !r->ops || !r->gaps)
		return fputs("memplan: out of memory\n", stderr), false;
	return true;
}

static bool gather(struct replay *r)
{
	const memplan *m = r->session.plan;
	struct memplan_replay_plan *plan = &r->plan;
	struct memplan_tensor tensor;
	struct memplan_gap gap;

	while (memplan_tensor_at(m, plan->n_tensors, &tensor))
		plan->n_tensors++;
	while (memplan_gap_at(m, plan->n_gaps, &gap))
		plan->n_gaps++;
	plan->n_ops = (uint32_t)number(r, "ops");
	plan->n_steps = (uint32_t)number(r, "steps");
	plan->pool.size = number(r, "arena_size");
	plan->pool.align = number(r, "base_alignment");
	if (!make_room(r))
		return false;
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		memplan_tensor_at(m, i, &r->tensors[i]);
	for (uint32_t i = 0; i < plan->n_ops; i++)
		memplan_op_at(m, i, &r->ops[i]);
	for (uint32_t i = 0; i < plan->n_gaps; i++)
		memplan_gap_at(m, i, &r->gaps[i]);
	return true;
}

/* ------------------------------------------------------------------- reports
 */

static const char *tensor_name(const struct replay *r, uint32_t t)
{
	const struct memplan_tensor *tensor = &r->tensors[t];

	return tensor->name ? tensor->name : tensor->id ? tensor->id : "?";
}

static void tell_op(const struct replay *r, int64_t step)
{
	fprintf(stderr, "step %lld", (long long)step);
	if (step < r->plan.n_ops)
		fprintf(stderr, " (op '%.80s')", r->ops[step].name);
}

static void tell_writer(
	const struct replay *r, const struct memplan_overwrite *overwrite)
{
	const char *culprit = tensor_name(r, overwrite->culprit);

	switch (overwrite->writer) {
	case MEMPLAN_BY_STRANGER:
		fputs("what nobody of this plan wrote", stderr);
		break;
	case MEMPLAN_BY_CALLER:
		fprintf(stderr, "'%.80s', which the caller wrote", culprit);
		break;
	case MEMPLAN_BY_OP:
		fprintf(stderr, "'%.80s', written at ", culprit);
		tell_op(r, overwrite->writer_at);
		break;
	case MEMPLAN_BY_POISON:
		fprintf(stderr, "poison of '%.80s', which was dead", culprit);
		break;
	case MEMPLAN_BY_EARLIER:
		fputs("what it had before it was written", stderr);
		break;
	}
}

static void tell_overwrite(
	const struct replay *r, const struct memplan_overwrite *overwrite)
{
	fprintf(stderr, "%s: run %u, ", r->arguments->inputs[0],
		overwrite->run + 1);
	tell_op(r, overwrite->step);
	fprintf(stderr,
		": %s '%.80s' is overwritten from byte %llu on (%llu words): "
		"there is ",
		overwrite->is_input ? "input" : "tensor",
		tensor_name(r, overwrite->tensor),
		(unsigned long long)overwrite->at,
		(unsigned long long)overwrite->words);
	tell_writer(r, overwrite);
	fputc('\n', stderr);
}

static void tell_overwrites(const struct replay *r)
{
	uint64_t n = r->result.n_overwritten;

	for (uint32_t i = 0; i < TOLD && i < n; i++)
		tell_overwrite(r, &r->result.overwrites[i]);
	if (n > TOLD)
		fprintf(stderr, "%s: and %llu more\n", r->arguments->inputs[0],
			(unsigned long long)(n - TOLD));
}

static double rate(const struct replay *r)
{
	const struct memplan_replay_result *result = &r->result;

	return (double)(result->written + result->checked) /
	       (result->seconds + 1e-9);
}

static void print_json(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	printf("{\"device\": \"%s\", \"arena_size\": %llu, \"ops\": %u, "
	       "\"tensors\": %u, \"runs\": %u, \"bytes_written\": %llu, "
	       "\"bytes_checked\": %llu, \"overwritten\": %llu, ",
		device, (unsigned long long)r->plan.pool.size, r->plan.n_ops,
		r->plan.n_tensors, result->runs,
		(unsigned long long)result->written,
		(unsigned long long)result->checked,
		(unsigned long long)result->n_overwritten);
	printf("\"seconds\": %.6f, \"bytes_per_second\": %.0f, "
	       "\"copy_bytes_per_second\": %.0f}\n",
		result->seconds, rate(r), result->copy_per_second);
}

static void print(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	printf("%s: %u ops, %u tensors in one block of %llu bytes on %s\n",
		memplan_text(r->session.plan, "name"), r->plan.n_ops,
		r->plan.n_tensors, (unsigned long long)r->plan.pool.size,
		device);
	printf("%u %s, ", result->runs, result->runs == 1 ? "run" : "runs");
	if (result->runs > r->options.repeat)
		printf("%u ways through the branches, ",
			result->runs / r->options.repeat);
	printf("%llu bytes written, %llu checked: ",
		(unsigned long long)result->written,
		(unsigned long long)result->checked);
	if (result->n_overwritten == 0)
		puts("nothing overwritten");
	else
		printf("%llu overwritten\n",
			(unsigned long long)result->n_overwritten);
	printf("%.2f GB/s written and checked, %.2f GB/s copied\n",
		rate(r) * 1e-9, result->copy_per_second * 1e-9);
}

/* ------------------------------------------------------------------- command
 */

static enum memplan_status replay(
	struct replay *r, struct memplan_device *device)
{
	enum memplan_status status =
		memplan_replay(device, &r->plan, &r->options, &r->result);

	if (status == MEMPLAN_EIO)
		fprintf(stderr, "memplan: %s\n", device->text);
	else if (status == MEMPLAN_ENOMEM)
		fputs("memplan: out of memory\n", stderr);
	else if (status == MEMPLAN_EUSAGE)
		fputs("memplan: --poison takes at most 256 streams\n", stderr);
	if (status != MEMPLAN_OK && status != MEMPLAN_NO)
		return status;
	tell_overwrites(r);
	if (r->arguments->values[OPT_JSON])
		print_json(r, device->row->name);
	else if (!r->arguments->values[OPT_QUIET])
		print(r, device->row->name);
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

	if (status == MEMPLAN_OK)
		status = gather(r) ? replay_on_device(r, options)
				   : MEMPLAN_ENOMEM;
	free(r->tensors);
	free(r->ops);
	free(r->gaps);
	return status;
}

enum memplan_status cli_replay(const struct arguments *arguments)
{
	struct replay r = {.arguments = arguments};
	struct memplan_device_options options = {0};
	enum memplan_status status;

	if (arguments->n_inputs != 1) {
		fputs("memplan: replay takes one plan\n", stderr);
		return MEMPLAN_EUSAGE;
	}
	if (!parse_options(arguments, &r.options, &options))
		return MEMPLAN_EUSAGE;
	status = cli_session_open(&r.session, arguments, arguments->inputs[0]);
	if (status != MEMPLAN_OK)
		return status;
	status = replay_plan(&r, &options);
	cli_session_close(&r.session);
	return status;
}
