/*
 * Prints the findings of a replay.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>

#include "cli/command-replay.h"

enum {
	TOLD = 10, /* overwrites, and pools, that are printed one by one */
};

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
		fprintf(stderr, " in pool '%.60s'", pool);
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
		fputs("what nothing in this plan wrote", stderr);
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
	fprintf(stderr, ": %s '%.80s'",
		overwrite->is_input ? "input" : "tensor",
		tensor_name(r, overwrite->tensor));
	tell_pool(r, overwrite->tensor);
	fprintf(stderr,
		" is overwritten from byte %llu on (%llu words): there is ",
		(unsigned long long)overwrite->at,
		(unsigned long long)overwrite->words);
	tell_writer(r, overwrite);
	fputc('\n', stderr);
}

void cli_replay_tell(const struct replay *r)
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

static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			printf("\\u%04x", c);
		else
			printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	putchar('"');
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

void cli_replay_json(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	printf("{\"device\": \"%s\", \"arena_size\": %llu, \"ops\": %u, "
	       "\"tensors\": %u, \"runs\": %u, \"bytes_written\": %llu, "
	       "\"bytes_checked\": %llu, \"overwritten\": %llu, ",
		device,
		(unsigned long long)cli_session_number(
			&r->session, "arena_size"),
		r->plan.n_ops, r->plan.n_tensors, result->runs,
		(unsigned long long)result->written,
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
		printf("one block of %llu bytes",
			(unsigned long long)r->pools[0].size);
		return;
	}
	printf("%u %s of ", n, n == 1 ? "block" : "blocks");
	for (uint32_t i = 0; i < n && i < TOLD; i++)
		printf("%s%llu (%.60s)", i > 0 ? ", " : "",
			(unsigned long long)r->pools[i].size,
			r->memories[i].name);
	printf("%s bytes", n > TOLD ? " and more" : "");
}

void cli_replay_print(const struct replay *r, const char *device)
{
	const struct memplan_replay_result *result = &r->result;

	assert(r->options.repeat > 0);
	printf("%s: %u ops, %u tensors in ",
		memplan_text(r->session.plan, "name"), r->plan.n_ops,
		r->plan.n_tensors);
	print_blocks(r);
	printf(" on %s\n", device);
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
