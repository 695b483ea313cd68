/*
 * One handle, used again and again: what one run does, no other run can tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/testing.h"

#include "base/num.h"
#include "base/prng.h"
#include "testing/player.h"

enum {
	SEEDS = 300,	/* random graphs */
	FEW_SEEDS = 60, /* of these, where each is planned many times */
	RUNS = 12,	/* of one handle, one after the other */
};

/* ------------------------------------------------------------ plans */

/* Graphs with everything: streams, aliases, branches, pools, fixed offsets. */
Test(handle, plans_twice_alike)
{
	static struct play play;
	static char text[PLAY_JSON];
	uint32_t n = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		memplan *m;
		char *plan;

		mp_testing_player_random(&play, seed);
		if (seed % 2)
			mp_testing_player_add_pools(&play, seed);
		if (play.tight)
			continue;
		mp_testing_player_print(&play, text);
		m = read_handle("g.json", text);
		memplan_set(m, "inplace", seed % 3 ? "on" : "equal");
		if (seed % 5 == 0)
			memplan_set(m, "minimise-reuse", "");
		plan = plan_of(m);
		expect_plan(m, plan);
		free(plan);
		memplan_free(m);
		n++;
	}
	cr_assert_gt(n, SEEDS / 4);
}

/* A survey has a minimum, but no plan. */
static void expect_survey(memplan *m, const char *survey)
{
	uint64_t value;

	cr_assert_eq(memplan_survey(m), MEMPLAN_OK, "%s", memplan_error(m));
	expect_report(m, "show-json", survey);
	cr_assert(memplan_number(m, "theoretical_min", &value));
	cr_assert_not(memplan_number(m, "arena_size", &value));
}

/* Whatever runs between two plans of one handle, and of one that was read from
 * the plan, they are the plan of a handle that does nothing else. */
static void run_all(const char *name, const char *text)
{
	memplan *m = read_handle(name, text), *given;
	memplan *fresh = read_handle(name, text);
	char *plan = plan_of(m), *survey;

	cr_assert_eq(memplan_survey(fresh), MEMPLAN_OK);
	survey = write_report(fresh, "show-json");
	expect_plan(fresh, plan);
	expect_survey(m, survey);
	cr_assert_eq(memplan_explain(m, NULL, NULL), MEMPLAN_OK);
	expect_report(m, "plan", plan);
	expect_survey(m, survey);
	cr_assert_eq(memplan_simulate(m, 0), MEMPLAN_OK);
	expect_report(m, "plan", plan);
	given = read_handle("plan.json", plan);
	expect_plan(given, plan);
	cr_assert_eq(
		memplan_check(given), MEMPLAN_OK, "%s", memplan_error(given));
	expect_plan(given, plan);
	cr_assert_eq(memplan_check_against(m, given), MEMPLAN_OK, "%s",
		memplan_error(m));
	expect_plan(m, plan);
	memplan_free(given);
	memplan_free(fresh);
	memplan_free(m);
	free(survey);
	free(plan);
}

Test(handle, plans_alike_between_other_commands)
{
	static struct play play;
	static char text[PLAY_JSON];

	for (uint64_t seed = 1; seed <= FEW_SEEDS; seed++) {
		mp_testing_player_random(&play, seed);
		mp_testing_player_print(&play, text);
		run_all("graph.json", text);
	}
	run_all("rows.csv", "id,lower,upper,size\n"
			    "first,0,3,100\nsecond,1,4,50\nthird,2,9,7\n"
			    "fourth,3,5,300\nfifth,5,9,20\n");
}

/* A plan within a capacity need not be the smallest; the next one is. */
Test(handle, forgets_a_capacity_that_is_taken_back)
{
	memplan *fresh = read_handle("chain.json", chain());
	memplan *m = read_handle("chain.json", chain());
	char *plan = plan_of(fresh);

	memplan_set(m, "capacity", "1GiB");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	set_bytes(m, "capacity", number(fresh, "arena_size"));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(number(m, "arena_size"), number(fresh, "arena_size"));
	memplan_set(m, "capacity", "4611686018427387904");
	memplan_set(fresh, "capacity", "4611686018427387904");
	free(plan);
	plan = plan_of(fresh);
	expect_plan(m, plan);
	free(plan);
	memplan_free(fresh);
	memplan_free(m);
}

/* Copies change the graph that is planned, not the one that was read. */
Test(handle, plans_within_a_budget_again)
{
	memplan *m = read_handle("chain.json", chain());
	memplan *fresh = read_handle("chain.json", chain());
	uint64_t ops, size;
	char *plan, *survey;

	free(plan_of(m));
	ops = number(m, "ops");
	size = number(m, "arena_size") * 3 / 4;
	set_bytes(m, "budget", size);
	plan = plan_of(m);
	cr_assert_leq(number(m, "arena_size"), size);
	cr_assert_gt(number(m, "ops"), ops);
	expect_plan(m, plan);
	cr_assert_eq(memplan_survey(fresh), MEMPLAN_OK);
	survey = write_report(fresh, "show-json");
	expect_survey(m, survey);
	cr_assert_eq(number(m, "ops"), ops);
	expect_plan(m, plan);
	free(survey);
	free(plan);
	memplan_free(fresh);
	memplan_free(m);
}

/* ----------------------------------------------------------- checks */

/* A check keeps the offsets and does not change the option planner. */
Test(handle, plans_by_its_planner_behind_a_check)
{
	memplan *m = read_handle("chain.json", chain()), *again;
	char *plan = plan_of(m), *other;

	again = read_handle("plan.json", plan);
	memplan_set(again, "planner", "greedy-size");
	other = plan_of(again);
	cr_assert_str_eq(memplan_text(again, "planner"), "greedy-size");
	cr_assert_eq(
		memplan_check(again), MEMPLAN_OK, "%s", memplan_error(again));
	cr_assert_str_eq(
		memplan_text(again, "planner"), memplan_text(m, "planner"));
	expect_plan(again, other);
	cr_assert_eq(
		memplan_take(again), MEMPLAN_OK, "%s", memplan_error(again));
	expect_plan(again, other);
	free(other);
	free(plan);
	memplan_free(again);
	memplan_free(m);
}

/* Offsets, order and policies of a plan are not the graph's own. */
Test(handle, is_not_changed_by_a_plan_to_check)
{
	static const char *const policies[] = {
		"inside", "external", "throughout"};
	memplan *m = read_handle("chain.json", chain());
	char *own = plan_of(m);

	for (size_t i = 0; i < countof(policies); i++) {
		memplan *other = new_handle("chain.json", chain()), *plan;
		char *text;

		memplan_set(other, "inputs", policies[i]);
		memplan_set(other, "outputs", policies[i]);
		memplan_set(other, "order", "auto");
		text = plan_of(other);
		plan = read_handle("plan.json", text);
		cr_assert_eq(memplan_check_against(m, plan), MEMPLAN_OK, "%s",
			memplan_error(m));
		expect_plan(m, own);
		cr_assert_eq(memplan_check_against(m, plan), MEMPLAN_OK, "%s",
			memplan_error(m));
		memplan_free(plan);
		memplan_free(other);
		free(text);
	}
	expect_plan(m, own);
	free(own);
	memplan_free(m);
}

/* ---------------------------------------------------------- reports */

static enum memplan_status simulate(memplan *m)
{
	return memplan_simulate(m, 1);
}

static enum memplan_status explain(memplan *m)
{
	return memplan_explain(m, NULL, NULL);
}

static enum memplan_status explain_pair(memplan *m)
{
	return memplan_explain(m, "1", "2");
}

static const struct {
	enum memplan_status (*run)(memplan *m);
	const char *format;
} verbs[] = {
	{memplan_plan, "plan"},
	{memplan_plan, "svg"},
	{memplan_survey, "show-json"},
	{explain, "explain-json"},
	{explain_pair, "explain-json"},
	{simulate, "simulate-json"},
	{simulate, "timeline"},
	{memplan_simulate_swap, "swap-json"},
};

static char *report_of(memplan *m, size_t verb)
{
	cr_assert_eq(verbs[verb].run(m), MEMPLAN_OK, "%s: %s",
		verbs[verb].format, memplan_error(m));
	return write_report(m, verbs[verb].format);
}

Test(handle, reports_in_any_order)
{
	memplan *m = read_handle("chain.json", chain());
	char *texts[countof(verbs)];
	uint64_t random = 1;

	for (size_t i = 0; i < countof(verbs); i++) {
		memplan *fresh = read_handle("chain.json", chain());

		texts[i] = report_of(fresh, i);
		memplan_free(fresh);
	}
	for (int run = 0; run < RUNS * (int)countof(verbs); run++) {
		size_t verb = mp_prng(&random) % countof(verbs);
		char *text = report_of(m, verb);

		cr_assert_str_eq(text, texts[verb]);
		free(text);
	}
	for (size_t i = 0; i < countof(verbs); i++)
		free(texts[i]);
	memplan_free(m);
}

/* The next run frees the results and warnings of this one. */
Test(handle, frees_what_a_run_leaves)
{
	memplan *m = read_handle("chain.json", chain());

	memplan_set(m, "max-memory", "4MiB");
	for (int run = 0; run < RUNS * RUNS; run++) {
		cr_assert_eq(memplan_simulate_swap(m), MEMPLAN_OK, "%s",
			memplan_error(m));
		cr_assert(memplan_warning(m, 0) && !memplan_warning(m, 1));
		cr_assert_eq(
			memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
		cr_assert(!memplan_warning(m, 0));
	}
	memplan_free(m);
}

/* Of a question that was refused nothing is left for the report. */
Test(handle, explains_no_pair_that_was_refused)
{
	memplan *m = read_handle("chain.json", chain());

	cr_assert_eq(memplan_explain(m, "1", "nix"), MEMPLAN_EUSAGE);
	free(write_report(m, "explain"));
	memplan_free(m);
}

/* Tensors of 8 bytes side by side; the last one overlaps the one before. */
static const char *overlapping(uint32_t n)
{
	static char text[4096];
	size_t at = (size_t)snprintf(text, sizeof(text),
		"{\"format\":\"memplan.graph\",\"version\":1,"
		"\"alignment\":4,\"tensors\":[");

	for (uint32_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
			"%s{\"id\":%u,\"size\":8,\"lifetime\":[0,1],"
			"\"offset\":%u}",
			i > 0 ? "," : "", i, i + 1 < n ? 8 * i : 8 * i - 4);
	snprintf(text + at, sizeof(text) - at, "]}");
	return text;
}

/* The tensor that one error is about is not that of the next. */
Test(handle, blames_no_tensor_of_an_earlier_input)
{
	static const char loose[] =
		"{\"format\":\"memplan.graph\",\"version\":1,"
		"\"tensors\":[{\"id\":0,\"size\":8,\"lifetime\":[0,1]}]}";
	memplan *m = read_handle("loose.json", overlapping(40));
	memplan *fresh = read_handle("loose.json", loose);

	cr_assert_eq(memplan_check(m), MEMPLAN_NO);
	cr_assert_eq(memplan_check(fresh), MEMPLAN_EINPUT);
	cr_assert_eq(
		memplan_input(m, "graph", "loose.json", loose, strlen(loose)),
		MEMPLAN_OK);
	cr_assert_eq(memplan_check(m), MEMPLAN_EINPUT);
	cr_assert_str_eq(memplan_error(m), memplan_error(fresh));
	memplan_free(fresh);
	memplan_free(m);
}
