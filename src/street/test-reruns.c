/*
 * A handle may plan, check, survey, explain and simulate in any order and any
 * number of times after one memplan_input(), whose bytes and name are gone once
 * memplan_read() has returned: each time it writes what a fresh handle does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/memplan.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "testing/player.h"

enum {
	GRAPHS = 60,
};

struct written {
	char *bytes;
	size_t length;
};

/* What is freed here is overwritten before, so that whatever still looks at it
 * sees other bytes even where no sanitizer runs. */
static memplan *read_and_forget(const char *name, const char *text)
{
	size_t length = strlen(text), name_length = strlen(name) + 1;
	char *bytes = malloc(length + 1), *own = malloc(name_length);
	memplan *m = memplan_new();

	memcpy(bytes, text, length + 1);
	memcpy(own, name, name_length);
	memplan_set(m, "steps", "2000");
	memplan_input(m, "graph", own, bytes, length);
	memset(own, '?', name_length);
	free(own);
	cr_assert_eq(memplan_read(m), MEMPLAN_OK, "%s", memplan_error(m));
	memset(bytes, '?', length + 1);
	free(bytes);
	return m;
}

static struct written write_as(memplan *m, const char *format)
{
	struct written w;
	const void *bytes;

	cr_assert_eq(memplan_write(m, format, &bytes, &w.length), MEMPLAN_OK,
		"%s: %s", format, memplan_error(m));
	w.bytes = malloc(w.length + 1);
	memcpy(w.bytes, bytes, w.length);
	w.bytes[w.length] = '\0';
	return w;
}

static void expect(memplan *m, const char *format, const struct written *fresh)
{
	struct written w = write_as(m, format);

	cr_assert_eq(w.length, fresh->length, "%s\n%s", w.bytes, fresh->bytes);
	cr_assert_arr_eq(w.bytes, fresh->bytes, w.length);
	free(w.bytes);
}

static void expect_plan(memplan *m, const struct written *fresh)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	expect(m, "plan", fresh);
}

static struct written plan_afresh(const char *name, const char *text)
{
	memplan *m = read_and_forget(name, text);
	struct written w;

	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	w = write_as(m, "plan");
	memplan_free(m);
	return w;
}

/* A survey has orders but no plan; a plan no orders. */
static void check_survey(memplan *m)
{
	const void *bytes;
	size_t length;
	uint64_t value;

	cr_assert_eq(memplan_survey(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(memplan_write(m, "show", &bytes, &length), MEMPLAN_OK);
	cr_assert(memplan_number(m, "theoretical_min", &value));
	cr_assert_not(memplan_number(m, "arena_size", &value));
}

static void run_all(const char *name, const char *text)
{
	struct written plan = plan_afresh(name, text);
	memplan *m = read_and_forget(name, text), *given;

	check_survey(m);
	expect_plan(m, &plan);
	expect_plan(m, &plan);
	cr_assert_eq(memplan_explain(m, NULL, NULL), MEMPLAN_OK);
	expect(m, "plan", &plan);
	check_survey(m);
	cr_assert_eq(memplan_simulate(m, 0), MEMPLAN_OK);
	expect(m, "plan", &plan);
	given = read_and_forget("plan.json", plan.bytes);
	expect_plan(given, &plan);
	cr_assert_eq(
		memplan_check(given), MEMPLAN_OK, "%s", memplan_error(given));
	expect_plan(given, &plan);
	cr_assert_eq(memplan_check_against(m, given), MEMPLAN_OK, "%s",
		memplan_error(m));
	expect_plan(m, &plan);
	memplan_free(given);
	memplan_free(m);
	free(plan.bytes);
}

Test(reruns, of_random_graphs_give_the_same)
{
	static struct play play;
	static char text[PLAY_JSON];

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		mp_testing_player_random(&play, seed);
		mp_testing_player_print(&play, text);
		run_all("graph.json", text);
	}
}

Test(reruns, of_rows_give_the_same)
{
	run_all("rows.csv", "id,lower,upper,size\n"
			    "first,0,3,100\nsecond,1,4,50\nthird,2,9,7\n"
			    "fourth,3,5,300\nfifth,5,9,20\n");
}

/* The input's graph stays, though a plan within a budget is one of another. */
Test(reruns, within_a_budget)
{
	const char *text =
		"{\"format\": \"memplan.graph\", \"version\": 1, "
		"\"alignment\": 64, \"tensors\": ["
		"{\"id\": \"a\", \"size\": 64}, {\"id\": \"b\", \"size\": "
		"256}, "
		"{\"id\": \"c\", \"size\": 64}, {\"id\": \"d\", \"size\": "
		"64}], "
		"\"ops\": [{\"name\": \"1\", \"outputs\": [\"a\"]}, "
		"{\"name\": \"2\", \"outputs\": [\"b\"]}, "
		"{\"name\": \"3\", \"inputs\": [\"b\"], \"outputs\": [\"c\"]}, "
		"{\"name\": \"4\", \"inputs\": [\"a\", \"c\"], "
		"\"outputs\": [\"d\"]}]}";
	memplan *m = read_and_forget("budget.json", text);
	struct written plan;
	uint64_t ops;

	memplan_set(m, "budget", "320");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_number(m, "ops", &ops) && ops > 4);
	plan = write_as(m, "plan");
	check_survey(m);
	cr_assert(memplan_number(m, "ops", &ops) && ops == 4);
	expect_plan(m, &plan);
	memplan_free(m);
	free(plan.bytes);
}
