/*
 * One handle, used again and again: what one run does, no other run can tell.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/prng.h"
#include "memplan/report.h"
#include "testing/player.h"

enum {
	SEEDS = 300,	 /* random graphs */
	FEW_SEEDS = 60,	 /* of these, where each is planned many times */
	RUNS = 12,	 /* of one handle, one after the other */
	TEXT = 1 << 19,	 /* bytes of a report */
	GRAPH = 1 << 16, /* bytes of an input */
};

/* ------------------------------------------------------------ texts */

/* The copy ends with NUL. Seconds are left out: they differ. */
static void copy_report(const char *bytes, size_t length, char *text)
{
	static const char key[] = "\"seconds\": ";
	size_t n = 0;

	cr_assert_lt(length, TEXT);
	for (size_t i = 0; i < length; i++) {
		if (strncmp(bytes + i, key, sizeof(key) - 1) == 0) {
			i += sizeof(key) - 1;
			i += strspn(bytes + i, "0123456789.e+-");
		}
		text[n++] = bytes[i];
	}
	text[n] = '\0';
}

static char *write_report(memplan *m, const char *format)
{
	char *text = malloc(TEXT);
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, format, &bytes, &length), MEMPLAN_OK,
		"%s: %s", format, memplan_error(m));
	copy_report(bytes, length, text);
	return text;
}

/* The handle must write exactly that text now. */
static void expect_report(memplan *m, const char *format, const char *text)
{
	char *own = write_report(m, format);

	cr_assert_str_eq(own, text);
	free(own);
}

/* A chain of ops with a loss in the middle: enough to plan within a budget, to
 * swap, and to order. */
static const char *chain(void)
{
	static char text[GRAPH];
	size_t n = 0;

	n += (size_t)snprintf(text, GRAPH,
		"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"chain\""
		",\"alignment\":64,\"tensors\":[");
	for (int i = 0; i < 24; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"%s{\"id\":%d,\"size\":%d%s}", i ? "," : "", i,
			1000 + 700 * (i * 7 % 5),
			i == 0	  ? ",\"kind\":\"input\""
			: i == 23 ? ",\"kind\":\"output\""
				  : "");
	n += (size_t)snprintf(text + n, GRAPH - n, "],\"ops\":[");
	for (int i = 0; i < 12; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"{\"name\":\"f%d\",\"inputs\":[%d],\"outputs\":[%d],"
			"\"cost_ms\":%d},",
			i, i, i + 1, 50 + i);
	for (int i = 12; i < 23; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"%s{\"name\":\"b%d\",\"inputs\":[%d,%d],\"outputs\":"
			"[%d],\"cost_ms\":%d}",
			i > 12 ? "," : "", i, i, 23 - i, i + 1, 90 + i);
	snprintf(text + n, GRAPH - n, "]}");
	return text;
}

/* ---------------------------------------------------------- handles */

static memplan *new_handle(const char *name, const char *text)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "2000");
	cr_assert_eq(memplan_input(m, "graph", name, text, strlen(text)),
		MEMPLAN_OK);
	return m;
}

static char *copy_text(const char *text)
{
	return strcpy(malloc(strlen(text) + 1), text);
}

/* What still looks at the text sees other bytes, even where no sanitizer runs.
 */
static void forget_text(char *text)
{
	memset(text, '!', strlen(text));
	free(text);
}

/* Reads a graph, then frees its bytes and its name. */
static memplan *read_handle(const char *name, const char *text)
{
	char *bytes = copy_text(text), *own = copy_text(name);
	memplan *m = new_handle(own, bytes);

	cr_assert_eq(memplan_read(m), MEMPLAN_OK, "%s", memplan_error(m));
	forget_text(own);
	forget_text(bytes);
	return m;
}

static uint64_t number(const memplan *m, const char *name)
{
	uint64_t value = 0;

	cr_assert(memplan_number(m, name, &value), "%s", name);
	return value;
}

static void set_bytes(memplan *m, const char *option, uint64_t bytes)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	cr_assert_eq(memplan_set(m, option, text), MEMPLAN_OK);
}

static char *plan_of(memplan *m)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return write_report(m, "plan");
}

/* Plans again and compares the plan with that text. */
static void expect_plan(memplan *m, const char *plan)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	expect_report(m, "plan", plan);
}

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

/* Intervals that are not soon packed as low as their load. */
static char *intervals(void)
{
	char *text = malloc(GRAPH);
	uint64_t random = 1;
	size_t n = (size_t)snprintf(text, GRAPH, "id,lower,upper,size\n");

	for (int i = 0; i < 1200; i++) {
		int start = (int)(mp_prng(&random) % 400);

		n += (size_t)snprintf(text + n, GRAPH - n, "%d,%d,%d,%d\n", i,
			start, start + 1 + (int)(mp_prng(&random) % 100),
			1 + (int)(mp_prng(&random) % 1000000));
	}
	return text;
}

static bool has_warning(const memplan *m, const char *text)
{
	const char *warning;

	for (uint32_t i = 0; (warning = memplan_warning(m, i)); i++)
		if (strstr(warning, text))
			return true;
	return false;
}

/* Plans within so much memory, near an older plan or NULL. */
static memplan *plan_within(
	const char *text, memplan *older, int kib, enum memplan_status *status)
{
	memplan *m = memplan_new();
	const void *plan;
	size_t length;
	char limit[32];

	snprintf(limit, sizeof(limit), "%dKiB", kib);
	memplan_set(m, "max-memory", limit);
	memplan_set(m, "steps", "2000000");
	*status = memplan_input(m, "graph", "a.csv", text, strlen(text));
	if (*status == MEMPLAN_OK && older) {
		cr_assert_eq(memplan_write(older, "plan", &plan, &length),
			MEMPLAN_OK, "%s", memplan_error(older));
		*status = memplan_input(m, "near", "a.json", plan, length);
	}
	if (*status == MEMPLAN_OK)
		*status = memplan_plan(m);
	return m;
}

/* What a planner has no memory for costs that planner. The plan is there, with
 * a word of it, until there is memory for all. */
Test(handle, plans_with_what_memory_there_is)
{
	char *text = intervals();
	int failed = 0, starved = 0, whole = 0;

	for (int kib = 64; kib < 1 << 15; kib += kib / 4) {
		enum memplan_status status;
		memplan *m = plan_within(text, NULL, kib, &status);

		if (status != MEMPLAN_OK)
			cr_assert_eq(
				status, MEMPLAN_ENOMEM, "%s", memplan_error(m));
		failed += status != MEMPLAN_OK;
		starved += has_warning(m, "out of memory for planner");
		whole += status == MEMPLAN_OK && !memplan_warning(m, 0);
		cr_assert(kib < 1 << 12 || !memplan_warning(m, 0), "%d", kib);
		memplan_free(m);
	}
	cr_assert(failed > 0 && starved > 1 && whole > 0, "%d %d %d", failed,
		starved, whole);
	free(text);
}

/* The same of planners that move a plan: greedy rows take only what is fixed.
 */
Test(handle, stays_near_with_what_memory_there_is)
{
	char *text = intervals();
	enum memplan_status status;
	memplan *older = plan_within(text, NULL, 1 << 10, &status), *m;
	bool told = false;

	cr_assert_eq(status, MEMPLAN_OK);
	for (int kib = 1 << 11; !told && kib < 1 << 12; kib += kib / 16) {
		m = plan_within(text, older, kib, &status);
		told = status == MEMPLAN_OK && has_warning(m, "'greedy-");
		memplan_free(m);
	}
	cr_assert(told);
	memplan_free(older);
	free(text);
}

/* Of a question that was refused nothing is left for the report. */
Test(handle, explains_no_pair_that_was_refused)
{
	memplan *m = read_handle("chain.json", chain());

	cr_assert_eq(memplan_explain(m, "1", "nix"), MEMPLAN_EUSAGE);
	free(write_report(m, "explain"));
	memplan_free(m);
}

/* ----------------------------------------------------------- joined */

/* The graph under another name and alignment. */
static const char *variant(const char *name, uint32_t alignment)
{
	static char text[GRAPH];
	const char *rest = strstr(chain(), ",\"tensors\"");

	snprintf(text, GRAPH,
		"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"%s\","
		"\"alignment\":%u%s",
		name, alignment, rest);
	return text;
}

static memplan *new_whole(const char *together)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "2000");
	memplan_set(m, "together", together);
	return m;
}

/* The rules that --together follows are the library's: what was read only is
 * planned as by hand. */
Test(handle, plans_parts_as_by_hand)
{
	static const char *const together[] = {"serial", "concurrent"};

	for (size_t i = 0; i < countof(together); i++) {
		memplan *a = read_handle("a.json", variant("a", 64)), *b, *m;
		memplan *c = read_handle("a.json", variant("a", 64)), *d, *hand;
		char *plan;

		b = read_handle("b.json", variant("b", 256));
		d = read_handle("b.json", variant("b", 256));
		m = new_whole(together[i]);
		hand = new_whole(together[i]);
		memplan_set(c, "align", "256");
		memplan_set(c, "inplace", i ? "equal" : "on");
		memplan_set(d, "inplace", i ? "equal" : "on");
		cr_assert_eq(memplan_plan(c), MEMPLAN_OK);
		cr_assert_eq(memplan_plan(d), MEMPLAN_OK);
		memplan_join(hand, c, NULL);
		memplan_join(hand, d, NULL);
		plan = plan_of(hand);
		memplan_join(m, a, NULL);
		memplan_join(m, b, NULL);
		expect_plan(m, plan);
		expect_plan(m, plan);
		memplan_free(m);
		memplan_free(hand);
		memplan_free(a);
		memplan_free(b);
		memplan_free(c);
		memplan_free(d);
		free(plan);
	}
}

/* Joining did not change the part's own options. */
Test(handle, leaves_a_part_to_itself)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 4096));
	memplan *m = new_whole("concurrent");
	char *plan = plan_of(a), *whole;

	memplan_free(a);
	a = read_handle("a.json", variant("a", 64));
	memplan_join(m, a, NULL);
	memplan_join(m, b, NULL);
	whole = plan_of(m);
	cr_assert_eq(number(a, "alignment"), 4096);
	expect_plan(a, plan);
	cr_assert_eq(number(a, "alignment"), 64);
	expect_plan(m, whole);
	free(whole);
	free(plan);
	memplan_free(m);
	memplan_free(a);
	memplan_free(b);
}

Test(handle, takes_another_part_behind_a_plan)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_whole("serial"), *both = new_whole("serial");
	char *plan;

	memplan_join(m, a, NULL);
	free(plan_of(m));
	memplan_join(m, b, ".16");
	memplan_join(both, a, NULL);
	memplan_join(both, b, ".16");
	plan = plan_of(both);
	cr_assert_str_eq(memplan_text(both, "name"), "a+b.16");
	expect_plan(m, plan);
	free(plan);
	memplan_free(m);
	memplan_free(both);
	memplan_free(a);
	memplan_free(b);
}

/* Of joined graphs with several streams too. */
Test(handle, swaps_of_a_whole)
{
	static struct play play;
	static char text[PLAY_JSON];
	memplan *a, *m = new_whole("serial");

	mp_testing_player_random(&play, 10);
	mp_testing_player_print(&play, text);
	a = read_handle("a.json", text);
	memplan_join(m, a, NULL);
	memplan_set(m, "forward-end", "1");
	cr_assert_eq(
		memplan_simulate_swap(m), MEMPLAN_OK, "%s", memplan_error(m));
	free(write_report(m, "swap"));
	memplan_free(m);
	memplan_free(a);
}

/* What a search has proved of the only part, which is above its load, is no
 * claim of a file. */
Test(handle, checks_a_whole)
{
	static struct play play;
	static char text[PLAY_JSON];
	memplan *a, *m = new_whole("serial");
	uint64_t bound, load;

	mp_testing_player_random(&play, 125);
	mp_testing_player_print(&play, text);
	a = read_handle("a.json", text);
	memplan_join(m, a, NULL);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK);
	cr_assert(memplan_number(m, "lower_bound", &bound));
	cr_assert(memplan_number(m, "theoretical_min", &load));
	cr_assert_gt(bound, load);
	cr_assert_eq(memplan_check(m), MEMPLAN_OK, "%s", memplan_error(m));
	memplan_free(m);
	memplan_free(a);
}

/* A plan of fewer graphs is none of the whole's; a join that is refused changes
 * nothing. */
Test(handle, forgets_its_plan_when_it_joins_another)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_whole("serial");
	struct memplan_gap gap;
	const void *bytes;
	char *plan;
	size_t n;

	memplan_join(m, a, NULL);
	plan = plan_of(m);
	cr_assert_eq(memplan_join(m, b, "a"), MEMPLAN_EINPUT);
	expect_report(m, "plan", plan);
	cr_assert_eq(memplan_join(m, b, NULL), MEMPLAN_OK);
	cr_assert_eq(memplan_gap_at(m, 0, &gap, sizeof(gap)), 0);
	cr_assert_eq(memplan_write(m, "plan", &bytes, &n), MEMPLAN_NO);
	free(plan);
	memplan_free(m);
	memplan_free(a);
	memplan_free(b);
}

static void expect_refusal(memplan *m, const char *sentence)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_EUSAGE);
	cr_assert_str_eq(memplan_error(m), sentence);
	cr_assert_eq(memplan_check_against(m, m), MEMPLAN_EUSAGE);
}

/* The owner of a part may have used it otherwise. */
Test(handle, notices_a_part_that_changed)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));
	memplan *m = new_whole("serial"), *of_plan = new_whole("concurrent");

	memplan_join(m, a, NULL);
	memplan_plan(b);
	memplan_join(of_plan, b, NULL);
	memplan_survey(b);
	expect_refusal(of_plan, "b: joined for a plan that it holds no more");
	memplan_input(a, "graph", "c.json", "{}", 2);
	expect_refusal(m, "a: joined for an input that it holds no more");
	cr_assert_eq(memplan_join(m, b, NULL), MEMPLAN_EUSAGE);
	memplan_free(m);
	memplan_free(of_plan);
	memplan_free(a);
	memplan_free(b);
}

Test(handle, joins_nothing_beside_an_input)
{
	memplan *a = read_handle("a.json", variant("a", 64));
	memplan *b = read_handle("b.json", variant("b", 64));

	cr_assert_eq(memplan_join(a, b, NULL), MEMPLAN_EUSAGE);
	cr_assert_str_eq(memplan_error(a),
		"a.json: a handle with an input joins no others");
	cr_assert_eq(memplan_plan(a), MEMPLAN_OK, "%s", memplan_error(a));
	memplan_free(a);
	memplan_free(b);
}

/* Batches of one graph: named by the batch, told of where a tensor shrinks. */
Test(handle, compares_batches)
{
	static const char key[] = "\"id\":5,\"size\":";
	char *larger = malloc(GRAPH);
	memplan *m = new_whole("serial"), *small, *large, *other;

	strcpy(larger, chain());
	strstr(larger, key)[strlen(key)] = '9'; /* 1000 becomes 9000 */
	small = read_handle("chain.json", larger);
	large = read_handle("chain.json", chain());
	other = read_handle("chain.json", chain());
	memplan_join(m, large, ".16");
	memplan_join(m, small, ".4");
	memplan_join(m, other, ".x");
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_str_eq(memplan_text(m, "name"), "chain");
	cr_assert(memplan_warning(m, 0));
	cr_assert(strstr(memplan_warning(m, 0),
			  "chain.json: 1 tensor is larger at batch 4 than at "
			  "batch 16, first '5': 9000 and 1000 bytes"),
		"%s", memplan_warning(m, 0));
	cr_assert(!memplan_warning(m, 1));
	memplan_free(m);
	memplan_free(small);
	memplan_free(large);
	memplan_free(other);
	free(larger);
}

/* ------------------------------------------------------------ brief */

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
Test(handle, writes_very_many_the_same_with_any_number_of_threads)
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
Test(handle, writes_a_brief_plan_as_the_whole)
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
