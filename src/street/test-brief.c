/*
 * Plans of very many buffers: the problem lists no parts until some call wants
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "memplan/report.h"

enum {
	VERY_MANY = 200001, /* buffers, of which a plan stays brief */
	ROW = 40	    /* bytes, at most */
};

/* A CSV of very many rows. */
static memplan *read_very_many(char *text, const char *threads)
{
	size_t n = (size_t)sprintf(text, "id,lower,upper,size\n");
	memplan *m = memplan_new();

	for (uint32_t i = 0; i < VERY_MANY; i++)
		n += (size_t)sprintf(text + n, "%u,%u,%u,%u\n", i, i,
			i + 1 + i % 7, 1 + i % 13);
	memplan_set(m, "effort", "0");
	memplan_set(m, "threads", threads);
	memplan_input(m, "graph", "many.csv", text, n);
	cr_assert_eq(memplan_read(m), MEMPLAN_OK, "%s", memplan_error(m));
	return m;
}

static char *copy_output(memplan *m, const char *format)
{
	const void *bytes;
	size_t length;
	char *copy;

	cr_assert_eq(memplan_write(m, format, &bytes, &length), MEMPLAN_OK,
		"%s: %s", format, memplan_error(m));
	copy = calloc(length + 1, 1);
	memcpy(copy, bytes, length);
	return copy;
}

/* Whatever threads share: reading, lifetimes, planning, writing. */
Test(brief, writes_very_many_the_same_with_any_number_of_threads)
{
	static const char *const threads[] = {"2", "3", "8"};
	char *text = malloc((size_t)VERY_MANY * ROW), *plan, *other;
	memplan *m = read_very_many(text, "1");

	cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
	plan = copy_output(m, "csv");
	memplan_free(m);
	for (uint32_t i = 0; i < countof(threads); i++) {
		m = read_very_many(text, threads[i]);
		cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
		other = copy_output(m, "csv");
		cr_assert_str_eq(plan, other);
		memplan_free(m);
		free(other);
	}
	free(plan);
	free(text);
}

/* A plan says the same before and after its parts are listed, and any call may
 * be the one that needs them. */
Test(brief, writes_a_brief_plan_as_the_whole)
{
	static const char *const formats[] = {"load", "plan", "table", "svg",
		"html", "trace", "result", "explain", "show"};
	char *text = malloc((size_t)VERY_MANY * ROW);
	memplan *m = read_very_many(text, "1");
	memplan *other = read_very_many(text, "1");
	struct memplan_tensor before = {0}, after = {0};
	const void *bytes;
	size_t length;

	for (uint32_t i = 0; i < countof(formats); i++) {
		char *brief, *whole;

		cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
		brief = copy_output(m, "csv");
		cr_assert(memplan_tensor_at(
			m, VERY_MANY / 2, &before, sizeof(before)));
		free(copy_output(m, formats[i]));
		cr_assert(memplan_tensor_at(
			m, VERY_MANY / 2, &after, sizeof(after)));
		cr_assert_eq(before.start, after.start);
		cr_assert_eq(before.end, after.end);
		cr_assert_eq(before.offset, after.offset);
		whole = copy_output(m, "csv");
		cr_assert_str_eq(brief, whole);
		free(brief);
		free(whole);
	}
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
	cr_assert_eq(memplan_plan(other), MEMPLAN_OK);
	cr_assert_eq(memplan_compare(other, m, "html", &bytes, &length),
		MEMPLAN_OK, "%s", memplan_error(m));
	memplan_free(m);
	memplan_free(other);
	free(text);
}
