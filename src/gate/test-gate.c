/*
 * Budgets: read, judged and brought up to date.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

static struct error error;
static struct arena arena = {.error = &error};
static struct sink sink = {.error = &error};
static struct gate gate;

static void teardown(void)
{
	mp_sink_free(&sink);
	mp_arena_free(&arena);
}

TestSuite(gate, .fini = teardown);

#define HEAD "{\"format\": \"memplan.budget\", \"version\": 1, \"budgets\": ["
#define ROW HEAD "\n{\"graph\": \"g\", "

static bool read(const char *text)
{
	struct input_file file = {"b.json", text, strlen(text)};

	error = (struct error){0};
	return mp_gate_read(&file, &gate, &arena, &error);
}

static void measure(uint64_t arena_size, uint64_t least, uint64_t baseline)
{
	struct budget *budget = &gate.budgets[0];

	budget->planned = true;
	budget->arena_size = arena_size;
	budget->theoretical_min = budget->lower_bound = least;
	budget->baseline_size = baseline;
	budget->has_baseline = baseline > 0;
	mp_gate_judge(budget);
}

static const char *report(const char *name)
{
	sink.length = 0;
	mp_gate_report(name)->run(&gate, &sink, &arena);
	mp_sink_write(&sink, "", 1);
	return sink.bytes;
}

Test(gate, each_gate_has_its_limit_in_bytes)
{
	static const struct {
		const char *text;
		uint64_t limit; /* greatest arena that keeps to it */
	} cases[] = {
		{"\"arena\": {\"fail\": 5000}}]}", 5000},
		{"\"arena\": {\"fail\": \"5KiB\"}}]}", 5120},
		{"\"ratio\": {\"fail\": 1.05}}]}", 4200},
		{"\"ratio\": {\"fail\": 1}}]}", 4000},
		{"\"optimal\": \"fail\"}]}", 4000},
		{"\"baseline\": \"p\", \"growth\": {\"fail\": 0}}]}", 3000},
		{"\"baseline\": \"p\", \"growth\": {\"fail\": \"7\"}}]}", 3007},
		{"\"baseline\": \"p\", \"growth\": {\"fail\": \"0.5%\"}}]}",
			3015},
		{"\"baseline\": \"p\", \"growth\": {\"fail\": \"10%\"}}]}",
			3300},
	};
	char text[256];

	for (size_t i = 0; i < countof(cases); i++) {
		snprintf(text, sizeof(text), ROW "%s", cases[i].text);
		cr_assert(read(text), "%s: %s", text, error.text);
		measure(cases[i].limit, 4000, 3000);
		cr_expect_eq(mp_gate_level(&gate.budgets[0]), LEVEL_PASS, "%s",
			text);
		measure(cases[i].limit + 1, 4000, 3000);
		cr_expect_eq(mp_gate_level(&gate.budgets[0]), LEVEL_FAIL, "%s",
			text);
	}
}

Test(gate, a_warning_comes_before_a_failure)
{
	cr_assert(read(ROW "\"arena\": {\"warn\": 10, \"fail\": 20}}]}"));
	measure(10, 1, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_PASS);
	measure(11, 1, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_WARN);
	measure(21, 1, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_FAIL);
}

Test(gate, a_missing_baseline_is_a_notice)
{
	cr_assert(
		read(ROW "\"baseline\": \"p\", \"growth\": {\"fail\": 0}}]}"));
	measure(21, 1, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_NOTICE);
	cr_assert(strstr(report("junit"), "<skipped"));
	cr_assert(strstr(report("github"), "::notice "));
}

Test(gate, a_row_without_gates_says_so)
{
	cr_assert(read(HEAD "{\"graph\": \"g\"}]}"));
	measure(21, 1, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_PASS);
	cr_assert(strstr(report("human"),
		"g\n  pass    no gate: --update gives it one\n"));
}

/* What does not fit a size limits nothing, and never wraps around. */
Test(gate, huge_limits_do_not_overflow)
{
	cr_assert(read(ROW "\"ratio\": {\"fail\": 1000000}}]}"));
	measure(NUM_MAX_BYTES, NUM_MAX_BYTES / 2, 0);
	cr_assert_eq(mp_gate_level(&gate.budgets[0]), LEVEL_PASS);
}

Test(gate, mistakes_are_refused_with_their_place)
{
	static const struct {
		const char *text, *error;
		uint32_t line, column;
	} cases[] = {
		{ROW "\"arena\": {\"fail\": -1}}]}", "/arena/fail: must", 2,
			34},
		{ROW "\"arena\":\n\n{\"fail\" : \"x\"}}]}", "/arena/fail: must",
			4, 11},
		{ROW "\"arena\": {}}]}", "'warn' or 'fail' is missing", 2, 25},
		{ROW "\"arena\": {\"warn\": 2, \"fail\": 1}}]}",
			"'fail' must not be below 'warn'", 2, 25},
		{ROW "\"growth\": {\"fail\": 1}}]}", "needs a 'baseline'", 2,
			1},
		{ROW "\"optimal\": true}]}", "must be a string", 2, 27},
		{ROW "\"optimal\": \"yes\"}]}", "\"warn\" or \"fail\"", 2, 27},
		{ROW "\"aren\": {}}]}", "did you mean 'arena'", 2, 24},
		{HEAD "{}]}", "'graph' is missing", 1, 56},
		{HEAD "]}", "/budgets: there are no budgets in it", 1, 55},
		{"{\"format\": \"memplan.plan\", \"version\": 1, "
		 "\"tensors\": []}",
			"must be \"memplan.budget\", not \"memplan.plan\"", 1,
			12},
	};

	for (size_t i = 0; i < countof(cases); i++) {
		cr_assert_not(read(cases[i].text), "%s", cases[i].text);
		cr_expect(strstr(error.text, cases[i].error), "%s", error.text);
		cr_expect_eq(error.line, cases[i].line, "%s: %u", cases[i].text,
			error.line);
		cr_expect_eq(error.column, cases[i].column, "%s: %u",
			cases[i].text, error.column);
	}
}

Test(gate, an_update_changes_the_limits_and_nothing_else)
{
	static const struct {
		const char *before, *after;
	} cases[] = {
		{"\"arena\" : {\"fail\":10, \"x-a\": \"],}\"}}]}",
			"\"arena\" : {\"fail\":99, \"x-a\": \"],}\"}}]}"},
		{"\"arena\": {\"warn\": 10, \"fail\": \"1KiB\"}}]}",
			"\"arena\": {\"warn\": 99, \"fail\": 1113}}]}"},
		{"\"arena\": {\"fail\": 12, \"warn\": 10}} ]}",
			"\"arena\": {\"fail\": 101, \"warn\": 99}} ]}"},
		{"\"arena\": {\"warn\": 10}}]}",
			"\"arena\": {\"warn\": 99}}]}"},
		{"\"optimal\": \"warn\"}]}", "\"optimal\": \"warn\"}]}"},
	};
	char text[256];

	for (size_t i = 0; i < countof(cases); i++) {
		snprintf(text, sizeof(text), ROW "%s", cases[i].before);
		cr_assert(read(text), "%s", error.text);
		measure(99, 99, 0);
		cr_expect(strstr(report("budget"), cases[i].after), "%s",
			sink.bytes);
	}
	cr_assert(read(HEAD "{\"graph\": \"g\"}]}"));
	measure(99, 99, 0);
	cr_assert_str_eq(report("budget"),
		HEAD "{\"arena\": {\"fail\": 99}, \"graph\": \"g\"}]}");
}

Test(gate, reports_fail_cleanly_when_memory_is_out)
{
	cr_assert(read(ROW "\"arena\": {\"fail\": 1}}]}"));
	measure(2, 1, 0);
	for (uint32_t i = 0; i < mp_n_gate_reports; i++) {
		mp_sink_free(&sink);
		sink.limit = 1;
		mp_gate_reports[i].run(&gate, &sink, &arena);
		cr_assert_eq(error.code, MEMPLAN_ENOMEM, "%s",
			mp_gate_reports[i].name);
		error = (struct error){0};
	}
	sink.limit = 0;
}
