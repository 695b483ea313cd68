/*
 * Fuzz target of the whole street: an input, and options behind a record
 * separator. A plan that is made is checked by itself and against its input,
 * written in every format, read back and written again as the same bytes, and
 * its table holds what the library says.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/loader.h"
#include "memplan/report.h"

/* ---------------------------------------------------------- options */

/* Row of a table, counted round. */
static const char *row_of(const char *table, uint8_t byte)
{
	const char *summary;
	uint32_t n = 0;

	while (memplan_row(table, n, &summary))
		n++;
	assert(n > 0);
	return memplan_row(table, byte % n, &summary);
}

/* Byte i of the options, or 0. */
static uint8_t option(const struct input_file *options, uint32_t i)
{
	return i < options->length ? (uint8_t)options->bytes[i] : 0;
}

/* The first byte has switches that a check needs too. */
static void set_shape(memplan *m, const struct input_file *options)
{
	uint8_t switches = option(options, 0);

	if (switches & 1)
		memplan_set(m, "align", "64");
	if (switches & 2)
		memplan_set(m, "inplace", "off");
	if (switches & 4)
		memplan_set(m, "target", row_of("targets", switches >> 4));
}

/* The second byte is a planner, the third an order. The ILP runs by time, not
 * by steps. */
static void set_options(memplan *m, const struct input_file *options)
{
	const char *planner = row_of("planners", option(options, 1));

	set_shape(m, options);
	if (options->length > 1 && strcmp(planner, "ilp") != 0)
		memplan_set(m, "planner", planner);
	if (options->length > 2)
		memplan_set(m, "order", row_of("orders", option(options, 2)));
	if (option(options, 0) & 8)
		memplan_set(m, "minimise-reuse", "on");
}

/* ------------------------------------------------------------ plans */

/* A copy of what a format writes, to be freed; NULL: nothing to write. */
static char *write_copy(memplan *m, const char *format, size_t *length)
{
	const void *bytes;
	char *copy;

	if (!mp_testing_fuzz_is_fine(
		    m, memplan_write(m, format, &bytes, length)))
		return NULL;
	copy = malloc(*length + 1);
	mp_testing_fuzz_expect(copy, "no memory");
	if (*length > 0)
		memcpy(copy, bytes, *length);
	copy[*length] = '\0';
	return copy;
}

/* Those of tensors with or without bytes stand from an index on. Returns where
 * they end. */
static uint32_t expect_entries(const memplan *m,
	const struct memplan_table *table, bool with_bytes, uint32_t n)
{
	struct memplan_tensor tensor;
	struct memplan_entry entry;

	for (uint32_t i = 0; memplan_tensor_at(m, i, &tensor, sizeof(tensor));
		i++) {
		if (tensor.external || (tensor.size > 0) != with_bytes)
			continue;
		mp_testing_fuzz_expect(memplan_table_entry(table, n++,
					       &entry) == MEMPLAN_TABLE_OK &&
					       entry.offset == tensor.offset &&
					       entry.size == tensor.size &&
					       entry.pool == tensor.pool,
			"tensor %u is not in the table as it is", i);
	}
	return n;
}

static void expect_table(const memplan *m, const char *bytes, size_t length)
{
	struct memplan_table table;
	enum memplan_table_status status =
		memplan_table_open(&table, bytes, length);
	uint32_t n;

	mp_testing_fuzz_expect(status == MEMPLAN_TABLE_OK, "table: %s",
		memplan_table_text(status));
	n = expect_entries(m, &table, true, 0);
	n = expect_entries(m, &table, false, n);
	mp_testing_fuzz_expect(n == memplan_table_count(&table),
		"%u tensors, %u in the table", n, memplan_table_count(&table));
}

static void write_all(memplan *m)
{
	const char *format, *summary;

	for (uint32_t i = 0; (format = memplan_row("outputs", i, &summary));
		i++) {
		size_t length;
		char *text = write_copy(m, format, &length);

		if (text && strcmp(format, "table") == 0)
			expect_table(m, text, length);
		free(text);
	}
}

/* A plan is valid, and a fixed point. */
static void expect_plan(const char *text, size_t length)
{
	const struct input_file file = {"plan.json", text, length};
	memplan *m = mp_testing_fuzz_handle(&file);
	size_t n;
	char *again;

	mp_testing_fuzz_expect(memplan_check(m) == MEMPLAN_OK, "check: %s\n%s",
		memplan_error(m), text);
	mp_testing_fuzz_expect(memplan_plan(m) == MEMPLAN_OK, "plan: %s\n%s",
		memplan_error(m), text);
	again = write_copy(m, "plan", &n);
	mp_testing_fuzz_expect(
		again && n == length && memcmp(text, again, n) == 0,
		"not the same when read and written again:\n%s%s", text,
		again ? again : "");
	free(again);
	memplan_free(m);
}

/* It is a plan of its input, whatever row made it. */
static void expect_plan_of(const struct input_file *input,
	const struct input_file *options, const char *text, size_t length)
{
	const struct input_file file = {"plan.json", text, length};
	memplan *plan = mp_testing_fuzz_handle(&file);
	memplan *graph = mp_testing_fuzz_handle(input);

	set_shape(graph, options);
	mp_testing_fuzz_expect(memplan_check_against(graph, plan) == MEMPLAN_OK,
		"check against its input: %s\n%s", memplan_error(graph), text);
	memplan_free(plan);
	memplan_free(graph);
}

/* Reports of the input that need no plan. */
static void report(const struct input_file *input)
{
	memplan *m = mp_testing_fuzz_handle(input);

	if (mp_testing_fuzz_is_fine(m, memplan_explain(m, NULL, NULL)))
		write_all(m);
	if (mp_testing_fuzz_is_fine(m, memplan_survey(m)))
		write_all(m);
	if (mp_testing_fuzz_is_fine(m, memplan_simulate(m, true)))
		write_all(m);
	memplan_free(m);
}

/* Integers of JSON end at 2^53. */
static bool is_readable(const memplan *m)
{
	uint64_t size = 0;

	memplan_number(m, "arena_size", &size);
	return size <= UINT64_C(1) << 53;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_file files[2] = {{0}};
	memplan *m;
	char *text;
	size_t length;

	mp_testing_fuzz_split(data, size, files, 2);
	m = mp_testing_fuzz_handle(&files[0]);
	set_options(m, &files[1]);
	if (mp_testing_fuzz_is_fine(m, memplan_plan(m)) && is_readable(m)) {
		text = write_copy(m, "plan", &length);
		mp_testing_fuzz_expect(text, "%s", memplan_error(m));
		expect_plan(text, length);
		expect_plan_of(&files[0], &files[1], text, length);
		free(text);
		report(&files[0]);
	}
	write_all(m);
	memplan_free(m);
	return 0;
}
