/*
 * memplan replay PLAN: runs a plan on a device, with patterns for content, and
 * shows every tensor that is overwritten too early.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sink-text.h"
#include "cli/commands.h"
#include "memplan/replay.h"
#include "memplan/report.h"

enum {
	TOLD = 10, /* overwrites, and pools, that are printed one by one */
};

struct replay {
	struct session session;
	const struct arguments *arguments;
	const char *path; /* of the plan */
	struct memplan_tensor *tensors;
	struct memplan_op *ops;
	struct memplan_gap *gaps;
	struct memplan_choice *choices;
	struct memplan_memory *memories;
	struct memplan_pool *pools; /* the same, as blocks */
	struct memplan_replay_plan plan;
	struct memplan_replay_options options;
	struct memplan_replay_result result;
};

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
	uint64_t repeat = 1, ordinal = 0, orders = 0;

	options->seed = 1;
	if (!parse("repeat", arguments->values[OPT_REPEAT], 1, 1000000,
		    &repeat) ||
		!parse("seed", cli_value(arguments, "seed"), 0, UINT64_MAX - 1,
			&options->seed) ||
		!parse("orders", arguments->values[OPT_ORDERS], 0, 1000000,
			&orders) ||
		!parse("ordinal", arguments->values[OPT_ORDINAL], 0, 1023,
			&ordinal))
		return false;
	options->repeat = (uint32_t)repeat;
	options->orders = (uint32_t)orders;
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
	r->choices = NEW(arena, struct memplan_choice, plan->n_choices);
	r->memories = NEW(arena, struct memplan_memory, plan->n_pools);
	r->pools = NEW(arena, struct memplan_pool, plan->n_pools);
	plan->tensors = r->tensors;
	plan->ops = r->ops;
	plan->gaps = r->gaps;
	plan->choices = r->choices;
	plan->pools = r->pools;
	if (!r->tensors || !r->ops || !r->gaps || !r->choices || !r->memories ||
		!r->pools)
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
	struct memplan_choice choice;

	while (memplan_tensor_at(m, plan->n_tensors, &tensor, sizeof(tensor)))
		plan->n_tensors++;
	while (memplan_gap_at(m, plan->n_gaps, &gap, sizeof(gap)))
		plan->n_gaps++;
	while (memplan_choice_at(
		m, plan->n_choices + 1, &choice, sizeof(choice)))
		plan->n_choices++;
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
	for (uint32_t i = 0; i < plan->n_choices; i++)
		memplan_choice_at(
			m, i + 1, &r->choices[i], sizeof(r->choices[i]));
	for (uint32_t i = 0; i < plan->n_pools; i++) {
		memplan_memory_at(m, i, &r->memories[i], sizeof(memory));
		r->pools[i] = (struct memplan_pool){
			r->memories[i].size, r->memories[i].align};
	}
	return true;
}

/* ----------------------------------------------------------- report */

static const char *tensor_name(const struct replay *r, uint32_t t)
{
	const struct memplan_tensor *tensor = &r->tensors[t];

	return tensor->name ? tensor->name : tensor->id ? tensor->id : "?";
}

/* The name of the tensor's pool, if there are several. */
static void tell_pool(const struct replay *r, uint32_t t)
{
	const char *pool = r->memories[r->tensors[t].pool].name;

	if (pool)
		cli_say(" in pool '%.60s'", pool);
}

static void tell_op(const struct replay *r, int64_t step)
{
	cli_say("step %lld", (long long)step);
	if (step < r->plan.n_ops)
		cli_say(" (op '%.80s')", r->ops[step].name);
}

static void tell_writer(
	const struct replay *r, const struct memplan_overwrite *overwrite)
{
	const char *culprit = tensor_name(r, overwrite->culprit);

	switch (overwrite->writer) {
	case MEMPLAN_BY_STRANGER:
		cli_say("what nothing in this plan wrote");
		break;
	case MEMPLAN_BY_CALLER:
		cli_say("'%.80s', which the caller wrote", culprit);
		break;
	case MEMPLAN_BY_OP:
		cli_say("'%.80s', written at ", culprit);
		tell_op(r, overwrite->writer_at);
		break;
	case MEMPLAN_BY_POISON:
		cli_say("poison of '%.80s', which was dead", culprit);
		break;
	case MEMPLAN_BY_EARLIER:
		cli_say("what it had before it was written");
		break;
	}
}

/* In which order of the ops it was noticed; nothing of the listed one. */
static void tell_order(
	const struct replay *r, const struct memplan_replay_order *order)
{
	switch (order->kind) {
	case MEMPLAN_AS_LISTED:
		return;
	case MEMPLAN_STREAM_LAST:
		cli_say("stream %u last, ", order->which);
		return;
	case MEMPLAN_STREAM_FIRST:
		cli_say("stream %u first, ", order->which);
		return;
	case MEMPLAN_REVERSED:
		cli_say("last ops first, ");
		return;
	case MEMPLAN_OP_LATE:
		cli_say("op '%.80s' late, ", r->ops[order->which].name);
		return;
	case MEMPLAN_RANDOM:
		cli_say("random order %u, ", order->which + 1);
		return;
	}
}

static void tell_overwrite(
	const struct replay *r, const struct memplan_overwrite *overwrite)
{
	cli_say("%s: run %u, ", r->path, overwrite->run + 1);
	tell_order(r, &overwrite->order);
	tell_op(r, overwrite->step);
	cli_say(": %s '%.80s'", overwrite->is_input ? "input" : "tensor",
		tensor_name(r, overwrite->tensor));
	tell_pool(r, overwrite->tensor);
	cli_say(" is overwritten from byte %llu on (%llu word%s): there is ",
		(unsigned long long)overwrite->at,
		(unsigned long long)overwrite->words,
		mp_text_plural(overwrite->words));
	tell_writer(r, overwrite);
	cli_say("\n");
}

/* Prints on stderr which tensors were overwritten, and by which writer. */
static void tell_overwrites(const struct replay *r)
{
	uint64_t n = r->result.n_overwritten;

	for (uint32_t i = 0; i < TOLD && i < n; i++)
		tell_overwrite(r, &r->result.overwrites[i]);
	if (n > TOLD)
		cli_say("%s: and %llu more\n", r->path,
			(unsigned long long)(n - TOLD));
}

static double rate(const struct replay *r)
{
	const struct memplan_replay_result *result = &r->result;

	return (double)(result->written + result->checked) /
	       (result->seconds + 1e-9);
}

static void print_string(const char *text)
{
	struct error error = {0};
	struct sink sink = {.error = &error};

	mp_sink_json(&sink, text);
	if (sink.length > 0)
		fwrite(sink.bytes, 1, sink.length, stdout);
	mp_sink_free(&sink);
}

static void print_json_pools(const struct replay *r)
{
	if (!r->memories[0].name)
		return;
	fputs("\"pools\": [", stdout);
	for (uint32_t i = 0; i < r->plan.n_pools; i++) {
		fputs(i > 0 ? ", {\"name\": " : "{\"name\": ", stdout);
		print_string(r->memories[i].name);
		printf(", \"size\": %llu, \"align\": %llu}",
			(unsigned long long)r->pools[i].size,
			(unsigned long long)r->pools[i].align);
	}
	fputs("], ", stdout);
}

/* Prints on stdout what was done, as JSON. */
static void print_json(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	fputs("{\"plan\": ", stdout);
	print_string(r->path);
	printf(", \"device\": \"%s\", \"arena_size\": %llu, \"ops\": %u, "
	       "\"tensors\": %u, \"runs\": %u, \"orders\": %u, "
	       "\"late_ops\": %u, \"bytes_written\": %llu, "
	       "\"bytes_checked\": %llu, \"overwritten\": %llu, ",
		device,
		(unsigned long long)cli_session_number(
			&r->session, "arena_size"),
		r->plan.n_ops, r->plan.n_tensors, result->runs, result->orders,
		result->late, (unsigned long long)result->written,
		(unsigned long long)result->checked,
		(unsigned long long)result->n_overwritten);
	print_json_pools(r);
	printf("\"seconds\": %.6f, \"bytes_per_second\": %.0f, "
	       "\"copy_bytes_per_second\": %.0f}\n",
		result->seconds, rate(r), result->copy_per_second);
}

static void print_blocks(const struct replay *r)
{
	uint32_t n = r->plan.n_pools;

	if (!r->memories[0].name) {
		printf("one block of %llu byte%s",
			(unsigned long long)r->pools[0].size,
			mp_text_plural(r->pools[0].size));
		return;
	}
	printf("%u %s of ", n, n == 1 ? "block" : "blocks");
	for (uint32_t i = 0; i < n && i < TOLD; i++)
		cli_say_out("%s%llu (%.60s)", i > 0 ? ", " : "",
			(unsigned long long)r->pools[i].size,
			r->memories[i].name);
	printf("%s bytes", n > TOLD ? " and more" : "");
}

/* Prints the result for people. */
static void print_text(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	assert(r->options.repeat > 0);
	cli_say_out("%s: %u op%s, %u tensor%s in ",
		memplan_text(r->session.plan, "name"), r->plan.n_ops,
		mp_text_plural(r->plan.n_ops), r->plan.n_tensors,
		mp_text_plural(r->plan.n_tensors));
	print_blocks(r);
	printf(" on %s\n", device);
	printf("%u %s, ", result->runs, result->runs == 1 ? "run" : "runs");
	if (result->runs > r->options.repeat)
		printf("%u ways through the branches, ",
			result->runs / r->options.repeat);
	if (result->orders > 0)
		printf("%u other order%s, %u of %u ops late, ", result->orders,
			mp_text_plural(result->orders), result->late,
			r->plan.n_ops);
	printf("%llu byte%s written, %llu checked: ",
		(unsigned long long)result->written,
		mp_text_plural(result->written),
		(unsigned long long)result->checked);
	if (result->n_overwritten == 0)
		puts("nothing overwritten");
	else
		printf("%llu overwritten\n",
			(unsigned long long)result->n_overwritten);
	printf("%.2f GB/s written and checked, %.2f GB/s copied\n",
		rate(r) * 1e-9, result->copy_per_second * 1e-9);
}

/* The order of one stream is the only one. */
static void tell_idle_orders(const struct replay *r)
{
	const struct place place = {
		.file = r->path, .color = cli_color(r->arguments)};
	const char *text;

	if (r->options.orders == 0 || r->result.orders > 0 ||
		r->arguments->values[OPT_QUIET])
		return;
	text = mp_arena_print(r->arguments->arena,
		"%s: --orders does nothing: all ops are on one stream",
		r->path);
	if (text)
		cli_tell("warning", &place, text);
}

/* ---------------------------------------------------------- command */

static enum memplan_status replay(
	struct replay *r, struct memplan_device *device)
{
	enum memplan_status status =
		memplan_replay(device, &r->plan, &r->options, &r->result);

	if (status == MEMPLAN_EIO)
		cli_say("memplan: %s\n", device->text);
	else if (status == MEMPLAN_ENOMEM)
		cli_out_of_memory();
	else if (status == MEMPLAN_EUSAGE)
		cli_usage("--poison takes at most 256 streams");
	if (status != MEMPLAN_OK && status != MEMPLAN_NO)
		return status;
	tell_overwrites(r);
	tell_idle_orders(r);
	if (r->arguments->values[OPT_JSON])
		print_json(r, device->row->name);
	else if (!r->arguments->values[OPT_QUIET])
		print_text(r, device->row->name);
	return status;
}

static enum memplan_status replay_taken(
	struct replay *r, struct memplan_device *device)
{
	enum memplan_status status = cli_session_tell(
		&r->session, r->arguments, memplan_take(r->session.plan));

	if (status != MEMPLAN_OK)
		return status;
	return gather(r) ? replay(r, device) : MEMPLAN_ENOMEM;
}

static enum memplan_status replay_plan(const struct arguments *arguments,
	const struct memplan_replay_options *options, const char *path,
	struct memplan_device *device)
{
	struct replay r = {
		.arguments = arguments, .path = path, .options = *options};
	enum memplan_status status =
		cli_session_open(&r.session, arguments, path);

	if (status != MEMPLAN_OK)
		return status;
	status = replay_taken(&r, device);
	cli_session_close(&r.session);
	return status;
}

/* One after the other on one device, which may take seconds to open. The worst
 * status counts. */
static enum memplan_status replay_plans(const struct arguments *arguments,
	const struct memplan_replay_options *options,
	struct memplan_device *device)
{
	enum memplan_status worst = MEMPLAN_OK, status;

	for (uint32_t i = 0; i < arguments->n_inputs; i++) {
		status = replay_plan(
			arguments, options, arguments->inputs[i], device);
		worst = status > worst ? status : worst;
	}
	return worst;
}

enum memplan_status cli_replay(const struct arguments *arguments)
{
	const char *name = arguments->values[OPT_DEVICE];
	struct memplan_device_options wishes = {0};
	struct memplan_replay_options options = {0};
	struct memplan_device device;
	enum memplan_status status;

	if (arguments->n_inputs == 0)
		return cli_usage("replay takes plans");
	if (!parse_options(arguments, &options, &wishes))
		return MEMPLAN_EUSAGE;
	if (memplan_device_open(&device, name ? name : "host", &wishes)) {
		cli_say("memplan: %s\n", device.text);
		return device.code == MEMPLAN_DEVICE_UNKNOWN ? MEMPLAN_EUSAGE
							     : MEMPLAN_EIO;
	}
	status = replay_plans(arguments, &options, &device);
	memplan_device_close(&device);
	return status;
}
