/*
 * The public headers keep what they promise: errors, options, structs, input.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "memplan/gate.h"
#include "memplan/report.h"

static const char csv[] = "id,lower,upper,size,gaps\n"
			  "a,0,6,64,2-4\nb,2,4,64,\nc,0,6,32,\n";
static const char graph[] =
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"two\","
	"\"tensors\":[{\"id\":0,\"size\":64,\"kind\":\"input\"},"
	"{\"id\":1,\"size\":32},{\"id\":2,\"size\":32,\"kind\":\"output\"}],"
	"\"ops\":[{\"inputs\":[0],\"outputs\":[1]},"
	"{\"inputs\":[1],\"outputs\":[2]}]}";

/* The second choice stands in the second branch of the first. */
static const char nested[] =
	"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"nest\","
	"\"tensors\":[{\"id\":0,\"size\":64,\"lifetime\":[0,1]},"
	"{\"id\":1,\"size\":32,\"lifetime\":[0,1]},"
	"{\"id\":2,\"size\":32,\"lifetime\":[0,1]}],"
	"\"exclusive\":[[[0],[]],{\"in\":[0,1],\"branches\":[[1],[2]]}]}";

static memplan *with_input(const char *name, const char *text)
{
	memplan *m = memplan_new();

	cr_assert_eq(memplan_input(m, "graph", name, text, strlen(text)),
		MEMPLAN_OK);
	return m;
}

static memplan *planned(const char *name, const char *text)
{
	memplan *m = with_input(name, text);

	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return m;
}

static uint64_t arena_size(const memplan *m)
{
	uint64_t size = 0;

	cr_assert(memplan_number(m, "arena_size", &size));
	return size;
}

static void expect(memplan *m, enum memplan_status have,
	enum memplan_status want, const char *words)
{
	cr_assert_eq(have, want, "%d: %s", (int)have, memplan_error(m));
	cr_assert(strstr(memplan_error(m), words), "%s", memplan_error(m));
	cr_assert_eq(memplan_error(m)[0] == '\0', want == MEMPLAN_OK);
}

/* ----------------------------------------------------------- errors */

Test(public, errors_do_not_stick)
{
	memplan *m = with_input("net.csv", csv);
	uint64_t size;

	expect(m, memplan_set(m, "colour", "red"), MEMPLAN_EUSAGE, "colour");
	expect(m, memplan_set(m, "planner", "auto"), MEMPLAN_OK, "");
	expect(m, memplan_set(m, "planner", "dice"), MEMPLAN_EUSAGE, "dive");
	expect(m, memplan_input(m, "grape", "x", "", 0), MEMPLAN_EUSAGE,
		"grape");
	expect(m, memplan_read(m), MEMPLAN_OK, "");
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	size = arena_size(m);
	memplan_set(m, "capacity", "1");
	expect(m, memplan_plan(m), MEMPLAN_NO, "fit");
	expect(m, memplan_read(m), MEMPLAN_OK, "");
	memplan_set(m, "capacity", "1MiB");
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	cr_assert_eq(arena_size(m), size);
	memplan_free(m);
}

Test(public, a_wrong_value_changes_no_option)
{
	static const char *const options[][2] = {{"capacity", "5x"},
		{"align", "3"}, {"inputs", "outside"}, {"inplace", "of"},
		{"together", "both"}, {"effort", "4"}, {"order", "atuo"}};
	memplan *m = with_input("net.json", graph);
	const void *bytes;
	size_t length, n;
	char text[4096];

	memplan_plan(m);
	memplan_write(m, "plan", &bytes, &length);
	cr_assert_lt(length, sizeof(text));
	memcpy(text, bytes, n = length);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		expect(m, memplan_set(m, options[i][0], options[i][1]),
			MEMPLAN_EUSAGE, options[i][1]);
	memplan_input(m, "graph", "net.json", graph, strlen(graph));
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	memplan_write(m, "plan", &bytes, &length);
	cr_assert(length == n && memcmp(bytes, text, n) == 0);
	memplan_free(m);
}

Test(public, formats_are_known_before_there_is_a_plan)
{
	memplan *m = with_input("net.csv", csv);
	const void *bytes = csv;
	size_t length = 1;

	expect(m, memplan_write(m, "pln", &bytes, &length), MEMPLAN_EUSAGE,
		"'plan'");
	cr_assert(!bytes && length == 0);
	expect(m, memplan_write(m, "net.zzzzzzzz", &bytes, &length),
		MEMPLAN_EUSAGE, "list outputs");
	expect(m, memplan_write(m, "net.h", &bytes, &length), MEMPLAN_NO,
		"no result");
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	expect(m, memplan_write(m, "net.h", &bytes, &length), MEMPLAN_OK, "");
	cr_assert(bytes && length > 0);
	expect(m, memplan_compare(m, m, "page", &bytes, &length),
		MEMPLAN_EUSAGE, "page");
	expect(m, memplan_compare(m, m, "text", &bytes, &length), MEMPLAN_OK,
		"");
	memplan_free(m);
}

/* Two pools that three tensors do not fit in: the answer is no, and there is no
 * plan. Asking for one is allowed. */
Test(public, a_plan_that_does_not_exist_is_not_written)
{
	static const char full[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"pools\":[{\"name\":\"fast\",\"capacity\":64},"
		"{\"name\":\"slow\",\"capacity\":64}],\"tensors\":["
		"{\"id\":0,\"size\":40,\"lifetime\":[0,2],\"pools\":[\"fast\"]}"
		","
		"{\"id\":1,\"size\":25,\"lifetime\":[0,2]},"
		"{\"id\":2,\"size\":64,\"lifetime\":[0,2]}]}";
	memplan *m = with_input("full.json", full);
	const void *bytes;
	const char *format, *summary;
	size_t length;

	expect(m, memplan_plan(m), MEMPLAN_NO, "fast");
	for (uint32_t i = 0; (format = memplan_row("outputs", i, &summary));
		i++) {
		enum memplan_status status =
			memplan_write(m, format, &bytes, &length);
		bool wants_plan = strncmp(format, "show", 4) != 0;

		cr_expect_eq(status == MEMPLAN_OK, !wants_plan, "%s: %d",
			format, (int)status);
		cr_expect_eq(!bytes, wants_plan, "%s", format);
	}
	cr_assert_not(memplan_tensor_at(m, 0, &(struct memplan_tensor){0},
		sizeof(struct memplan_tensor)));
	cr_assert_not(memplan_op_at(
		m, 0, &(struct memplan_op){0}, sizeof(struct memplan_op)));
	cr_assert_not(memplan_memory_at(m, 0, &(struct memplan_memory){0},
		sizeof(struct memplan_memory)));
	memplan_free(m);
}

/* ------------------------------------------------------------ input */

Test(public, the_name_is_copied)
{
	char name[] = "net.csv";
	memplan *m = with_input(name, csv);

	memset(name, 'x', sizeof(name) - 1);
	memplan_plan(m);
	cr_assert_str_eq(memplan_text(m, "name"), "net");
	memplan_free(m);
}

Test(public, a_bad_input_is_forgotten)
{
	static const char key[] = "{\"format\":\"memplan.graph\",\n"
				  "\"version\":1,\n\"opps\":[]}";
	memplan *m = with_input("bad.json", "{\n \"form");
	uint32_t line, column;

	expect(m, memplan_plan(m), MEMPLAN_EINPUT, "bad.json");
	expect(m, memplan_plan(m), MEMPLAN_EUSAGE, "no input");
	memplan_input(m, "graph", "key.json", key, strlen(key));
	expect(m, memplan_read(m), MEMPLAN_EINPUT, "opps");
	memplan_error_place(m, &line, &column);
	cr_assert(line == 3 && column == 8, "%u:%u", line, column);
	memplan_input(m, "graph", "net.csv", csv, strlen(csv));
	memplan_error_place(m, &line, &column);
	cr_assert(line == 0 && column == 0);
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	memplan_free(m);
}

Test(public, a_pointer_has_a_place)
{
	static const char text[] = "\xef\xbb\xbf{\"a~/b\":1,\n\"ops\": [[],\n"
				   " {\"x: y\":\t\"/\"}]}";
	static const struct {
		const char *pointer;
		uint32_t line, column; /* 0: leads nowhere */
	} rows[] = {
		{"", 1, 1},
		{"/a~0~1b: must be less", 1, 9},
		{"/ops/1: is wrong: /ops/0", 3, 2},
		{"/ops/0", 2, 9},
		{"/ops/2: there is none", 0, 0},
		{"/ops/01", 0, 0},
		{"/ops/1/x", 0, 0},
		{"/none", 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t line = 0, column = 0;
		int found = memplan_json_place(
			text, strlen(text), rows[i].pointer, &line, &column);

		cr_assert(found == (rows[i].line > 0) && line == rows[i].line &&
				  column == rows[i].column,
			"'%s': %d %u:%u", rows[i].pointer, found, line, column);
	}
}

Test(public, a_new_input_takes_the_place_of_the_old)
{
	memplan *m = planned("net.csv", csv);
	uint64_t number;

	memplan_input(m, "graph", "two.json", graph, strlen(graph));
	cr_assert_not(memplan_number(m, "arena_size", &number));
	cr_assert_not(memplan_number(m, "tensors", &number));
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	cr_assert_str_eq(memplan_text(m, "name"), "two");
	cr_assert(memplan_number(m, "ops", &number) && number == 2);
	memplan_free(m);
}

Test(public, an_interrupt_stops_one_run_only)
{
	memplan *m = with_input("two.json", graph);
	memplan *fresh = planned("two.json", graph);

	memplan_interrupt(m);
	memplan_plan(m);
	expect(m, memplan_plan(m), MEMPLAN_OK, "");
	cr_assert_eq(arena_size(m), arena_size(fresh));
	memplan_free(fresh);
	memplan_free(m);
}

/* ---------------------------------------------------------- structs */

/* What a program that was compiled with later headers would pass. */
#define LATER(type)                                                            \
	struct {                                                               \
		struct type now;                                               \
		unsigned char later[16];                                       \
	}

static bool is_filled(const void *bytes, size_t n, int value)
{
	for (size_t i = 0; i < n; i++)
		if (((const unsigned char *)bytes)[i] != value)
			return false;
	return true;
}

/* Of a struct: the call fills it; with fewer bytes only these, and with more
 * the rest is 0. */
#define CHECK_SIZES(type, call)                                                \
	do {                                                                   \
		LATER(type) s;                                                 \
		size_t size = sizeof(s.now);                                   \
		struct type now;                                               \
                                                                               \
		memset(&s, 0xa5, sizeof(s));                                   \
		cr_assert(call);                                               \
		cr_assert(is_filled(s.later, sizeof(s.later), 0xa5));          \
		now = s.now;                                                   \
		memset(&s, 0xa5, sizeof(s));                                   \
		size = 8;                                                      \
		cr_assert(call);                                               \
		cr_assert_eq(memcmp(&s, &now, 8), 0);                          \
		cr_assert(is_filled((char *)&s + 8, sizeof(s) - 8, 0xa5));     \
		size = sizeof(s);                                              \
		cr_assert(call);                                               \
		cr_assert_eq(memcmp(&s, &now, 8), 0);                          \
		cr_assert(is_filled(s.later, sizeof(s.later), 0));             \
	} while (0)

Test(public, structs_may_be_smaller_and_larger)
{
	static const char budget[] =
		"{\"format\":\"memplan.budget\",\"version\":1,\"budgets\":["
		"{\"graph\":\"a.json\",\"arena\":{\"fail\":\"1KiB\"}}]}";
	memplan *m = planned("net.csv", csv);
	memplan *two = planned("two.json", graph);
	memplan *nest = planned("nest.json", nested);
	memplan_gate *g = memplan_gate_new();

	CHECK_SIZES(memplan_tensor, memplan_tensor_at(m, 0, &s.now, size));
	CHECK_SIZES(memplan_memory, memplan_memory_at(m, 0, &s.now, size));
	CHECK_SIZES(memplan_gap, memplan_gap_at(m, 0, &s.now, size));
	CHECK_SIZES(memplan_choice, memplan_choice_at(nest, 2, &s.now, size));
	CHECK_SIZES(memplan_op, memplan_op_at(two, 0, &s.now, size));
	CHECK_SIZES(memplan_option, memplan_option_at(0, &s.now, size));
	cr_assert_eq(memplan_gate_read(g, "b.json", budget, strlen(budget)),
		MEMPLAN_OK, "%s", memplan_gate_error(g));
	CHECK_SIZES(memplan_budget, memplan_gate_row(g, 0, &s.now, size));
	memplan_gate_free(g);
	memplan_free(nest);
	memplan_free(two);
	memplan_free(m);
}

Test(public, choices_stand_in_branches)
{
	memplan *m = planned("nest.json", nested);
	struct memplan_choice choice;
	struct memplan_tensor tensor;

	cr_assert_not(memplan_choice_at(m, 0, &choice, sizeof(choice)));
	cr_assert(memplan_choice_at(m, 1, &choice, sizeof(choice)));
	cr_expect_eq(choice.in_choice, 0);
	cr_assert(memplan_choice_at(m, 2, &choice, sizeof(choice)));
	cr_expect_eq(choice.in_choice, 1);
	cr_expect_eq(choice.in_branch, 1);
	cr_assert_not(memplan_choice_at(m, 3, &choice, sizeof(choice)));
	cr_assert(memplan_tensor_at(m, 2, &tensor, sizeof(tensor)));
	cr_expect_eq(tensor.choice, 2);
	cr_expect_eq(tensor.branch, 1);
	memplan_free(m);
}

static void check_progress(
	void *context, const struct memplan_progress *progress, size_t size)
{
	cr_assert_eq(size, sizeof(*progress));
	cr_assert(progress->phase);
	++*(uint32_t *)context;
}

Test(public, progress_tells_its_size)
{
	memplan *m = with_input("two.json", graph);
	uint32_t calls = 0;

	memplan_on_progress(m, check_progress, &calls);
	memplan_plan(m);
	cr_assert_gt(calls, 0);
	memplan_free(m);
}

Test(public, tensors_have_the_kinds_of_the_header)
{
	static const uint32_t kinds[] = {MEMPLAN_KIND_INPUT,
		MEMPLAN_KIND_ACTIVATION, MEMPLAN_KIND_OUTPUT};
	memplan *m = planned("two.json", graph);
	struct memplan_tensor tensor;
	uint32_t n = 0;

	for (; memplan_tensor_at(m, n, &tensor, sizeof(tensor)); n++)
		cr_assert_eq(tensor.kind, kinds[n]);
	cr_assert_eq(n, 3);
	memplan_free(m);
}

/* ---------------------------------------------------------- options */

static void check_words(memplan *m, const struct memplan_option *option)
{
	char word[64];
	size_t length;

	for (const char *at = option->argument; *at;
		at += length + (at[length] == '|')) {
		length = strcspn(at, "|");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		expect(m, memplan_set(m, option->name, word), MEMPLAN_OK, "");
	}
}

static void check_table(
	memplan *m, const struct memplan_option *option, const char *table)
{
	const char *name, *summary;
	uint32_t n = 0;

	for (; (name = memplan_row(table, n, &summary)); n++)
		expect(m, memplan_set(m, option->name, name), MEMPLAN_OK, "");
	cr_assert_gt(n, 0, "%s", table);
}

static void check_rows(memplan *m, const struct memplan_option *option)
{
	char table[64];
	size_t length;

	for (const char *at = option->table; *at;
		at += length + (at[length] == '|')) {
		length = strcspn(at, "|");
		snprintf(table, sizeof(table), "%.*s", (int)length, at);
		check_table(m, option, table);
	}
}

Test(public, options_take_what_their_table_says)
{
	struct memplan_option option;
	uint32_t n = 0;

	for (; memplan_option_at(n, &option, sizeof(option)); n++) {
		memplan *m = memplan_new();
		const char *summary,
			*name = memplan_row("options", n, &summary);

		cr_assert_str_eq(name, option.name);
		cr_assert(option.summary[0] && option.uses);
		if (option.initial)
			expect(m, memplan_set(m, name, option.initial),
				MEMPLAN_OK, "");
		if (option.argument && strchr(option.argument, '|'))
			check_words(m, &option);
		if (option.table)
			check_rows(m, &option);
		if (option.argument)
			expect(m, memplan_set(m, name, ""), MEMPLAN_EUSAGE,
				name);
		memplan_free(m);
	}
	cr_assert_gt(n, 20);
}

Test(public, a_switch_can_be_taken_back)
{
	static const char placed[] =
		"id,lower,upper,size,offset\na,0,4,64,512\n";
	static const char *const values[] = {"off", "on", "off", ""};
	memplan *m = memplan_new();
	struct memplan_tensor tensor;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		memplan_set(m, "replan", values[i]);
		memplan_input(m, "graph", "net.csv", placed, strlen(placed));
		expect(m, memplan_plan(m), MEMPLAN_OK, "");
		cr_assert(memplan_tensor_at(m, 0, &tensor, sizeof(tensor)));
		cr_assert_eq(tensor.offset, i % 2 == 0 ? 512 : 0);
	}
	memplan_free(m);
}

Test(public, defaults_are_what_the_table_says)
{
	memplan *plain = planned("net.csv", csv), *m = memplan_new();
	struct memplan_option option;
	const void *a, *b;
	size_t n_a, n_b;

	for (uint32_t i = 0; memplan_option_at(i, &option, sizeof(option)); i++)
		if (option.initial)
			memplan_set(m, option.name, option.initial);
	memplan_input(m, "graph", "net.csv", csv, strlen(csv));
	memplan_plan(m);
	memplan_write(plain, "plan", &a, &n_a);
	memplan_write(m, "plan", &b, &n_b);
	cr_assert(n_a > 0 && n_a == n_b && memcmp(a, b, n_a) == 0);
	memplan_free(m);
	memplan_free(plain);
}

/* ----------------------------------------------- tables and version */

Test(public, the_table_of_tables_names_them_all)
{
	const char *table, *row, *summary;
	uint32_t n = 0;

	for (; (table = memplan_row("tables", n, &summary)); n++) {
		row = memplan_row(table, 0, &summary);
		cr_assert(row && row[0] && summary[0], "%s", table);
		cr_assert_null(memplan_row(table, UINT32_MAX, &summary));
	}
	cr_assert_geq(n, 10);
	cr_assert_null(memplan_row("rows", 0, &summary));
}

Test(public, the_library_is_of_the_headers_version)
{
	char text[32];

	snprintf(text, sizeof(text), "%d.%d.%d", MEMPLAN_VERSION_MAJOR,
		MEMPLAN_VERSION_MINOR, MEMPLAN_VERSION_PATCH);
	cr_assert_str_eq(MEMPLAN_VERSION, text);
	cr_assert_str_eq(memplan_version(), text);
}

/* ------------------------------------------------------------- gate */

static void expect_gate(memplan_gate *g, enum memplan_status have,
	enum memplan_status want, const char *words)
{
	cr_assert_eq(have, want, "%d: %s", (int)have, memplan_gate_error(g));
	cr_assert(strstr(memplan_gate_error(g), words), "%s",
		memplan_gate_error(g));
}

Test(public, a_gate_reads_budgets_once)
{
	static const char none[] =
		"{\"format\":\"memplan.budget\",\"version\":1,\"budgets\":[]}";
	static const char one[] =
		"{\"format\":\"memplan.budget\",\"version\":1,\"budgets\":"
		"[{\"graph\":\"a.json\"}]}";
	memplan_gate *g = memplan_gate_new();
	struct memplan_budget row;
	const void *bytes;
	size_t length;

	expect_gate(g, memplan_gate_write(g, "jason", &bytes, &length),
		MEMPLAN_EUSAGE, "'json'");
	expect_gate(g, memplan_gate_write(g, "json", &bytes, &length),
		MEMPLAN_NO, "no budgets");
	expect_gate(g, memplan_gate_read(g, "b.json", "{", 1), MEMPLAN_EINPUT,
		"b.json");
	cr_assert_not(memplan_gate_row(g, 0, &row, sizeof(row)));
	expect_gate(g, memplan_gate_read(g, "b.json", none, strlen(none)),
		MEMPLAN_EINPUT, "there are no budgets in it");
	expect_gate(g, memplan_gate_read(g, "b.json", one, strlen(one)),
		MEMPLAN_OK, "");
	expect_gate(g, memplan_gate_write(g, "json", &bytes, &length),
		MEMPLAN_OK, "");
	cr_assert_gt(length, 0);
	expect_gate(g, memplan_gate_read(g, "b.json", one, strlen(one)),
		MEMPLAN_EUSAGE, "has budgets");
	memplan_gate_free(g);
}

/* Nothing is left of an older error. */
Test(public, a_gate_says_which_limit_fails)
{
	static const char text[] =
		"{\"format\":\"memplan.budget\",\"version\":1,\"budgets\":"
		"[{\"graph\":\"a.json\",\"arena\":{\"fail\":\"1KiB\"}}]}";
	memplan_gate *g = memplan_gate_new();
	const void *bytes;
	size_t length;

	memplan_gate_read(g, "b.json", text, strlen(text));
	expect_gate(g, memplan_gate_judge_sizes(g, 0, 1025, 1025, 1025, NULL),
		MEMPLAN_NO,
		"a.json: arena of 1025 bytes (1.00 KiB) is more than 1024 "
		"bytes (1.00 KiB)");
	memplan_gate_write(g, "jason", &bytes, &length);
	cr_assert_eq(memplan_gate_judge_sizes(g, 0, 1024, 1024, 1024, NULL),
		MEMPLAN_OK);
	cr_assert_str_empty(memplan_gate_error(g));
	memplan_gate_free(g);
}

/* A window of 2 does not fit a guess of 1 for the dimension 'h', but the next
 * one: the reader's error is none of the call's. */
Test(public, has_no_error_behind_a_guess)
{
	static const unsigned char model[] = {8, 8, 58, 105, 10, 38, 10, 1, 120,
		18, 1, 121, 34, 7, 77, 97, 120, 80, 111, 111, 108, 42, 21, 10,
		12, 107, 101, 114, 110, 101, 108, 95, 115, 104, 97, 112, 101,
		64, 2, 64, 2, 160, 1, 7, 18, 1, 103, 90, 29, 10, 1, 120, 18, 24,
		10, 22, 8, 1, 18, 18, 10, 2, 8, 1, 10, 2, 8, 1, 10, 3, 18, 1,
		104, 10, 3, 18, 1, 104, 98, 29, 10, 1, 121, 18, 24, 10, 22, 8,
		1, 18, 18, 10, 2, 8, 1, 10, 2, 8, 1, 10, 3, 18, 1, 97, 10, 3,
		18, 1, 98, 66, 2, 16, 13};
	memplan *m = memplan_new();

	cr_assert_eq(memplan_input(m, "graph", "a.onnx", model, sizeof(model)),
		MEMPLAN_OK);
	cr_assert_eq(memplan_read(m), MEMPLAN_OK);
	cr_assert_str_empty(memplan_error(m));
	memplan_free(m);
}
