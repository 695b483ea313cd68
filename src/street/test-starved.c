/*
 * Plans with less memory than all planners want.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/guard.h"
#include "base/prng.h"
#include "memplan/memplan.h"

enum {
	INTERVALS = 1200,
	TEXT = 1 << 16 /* bytes of the input */
};

/* Intervals that are not soon packed as low as their load. */
static char *intervals(void)
{
	char *text = malloc(TEXT);
	uint64_t random = 1;
	size_t n = (size_t)snprintf(text, TEXT, "id,lower,upper,size\n");

	for (int i = 0; i < INTERVALS; i++) {
		int start = (int)(mp_prng(&random) % 400);

		n += (size_t)snprintf(text + n, TEXT - n, "%d,%d,%d,%d\n", i,
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
Test(starved, plans_with_what_memory_there_is)
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
 * With guards between arrays they have their memory wherever a plan has. */
Test(starved, stays_near_with_what_memory_there_is)
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
	cr_assert(told || GUARD_BYTES > 0);
	memplan_free(older);
	free(text);
}

static void check_plan(memplan *m)
{
	memplan *own = memplan_new();
	const void *plan;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &plan, &length), MEMPLAN_OK);
	memplan_input(own, "graph", "p.json", plan, length);
	cr_assert_eq(memplan_check(own), MEMPLAN_OK, "%s", memplan_error(own));
	memplan_free(own);
}

/* Returns how many plans stay as they were, with a word of it, within ever more
 * memory. */
static int count_unchanged(const char *text, memplan *older, const char *option)
{
	int unchanged = 0;

	for (int kib = 64; kib < 1 << 12; kib += kib / 16) {
		memplan *m = memplan_new();
		const void *plan;
		size_t length;
		char limit[32], warning[64];

		snprintf(limit, sizeof(limit), "%dKiB", kib);
		snprintf(warning, sizeof(warning),
			"out of memory for %s: the plan stays as it was",
			option);
		memplan_set(m, "max-memory", limit);
		memplan_set(m, "steps", "1000");
		memplan_input(m, "graph", "a.csv", text, strlen(text));
		if (older) {
			cr_assert_eq(
				memplan_write(older, "plan", &plan, &length),
				MEMPLAN_OK);
			memplan_input(m, "near", "a.json", plan, length);
		} else {
			memplan_set(m, option, "on");
		}
		if (memplan_plan(m) == MEMPLAN_OK && has_warning(m, warning)) {
			check_plan(m);
			unchanged++;
		}
		memplan_free(m);
	}
	return unchanged;
}

/* What memory is out for costs that, not the plan. */
Test(starved, keeps_a_plan_that_it_has_no_memory_to_change)
{
	char *text = intervals();
	enum memplan_status status;
	memplan *older = plan_within(text, NULL, 1 << 10, &status);

	cr_assert_eq(status, MEMPLAN_OK);
	cr_assert_gt(count_unchanged(text, older, "near"), 0);
	cr_assert_gt(count_unchanged(text, NULL, "minimise-reuse"), 0);
	memplan_free(older);
	free(text);
}

static memplan *plan_in_pools(const char *text, const char *pools, int kib,
	bool minimises, enum memplan_status *status)
{
	memplan *m = memplan_new();
	char limit[32];

	snprintf(limit, sizeof(limit), "%dKiB", kib);
	memplan_set(m, "max-memory", limit);
	memplan_set(m, "steps", "1000");
	if (pools)
		memplan_set(m, "pools", pools);
	if (minimises)
		memplan_set(m, "minimise-reuse", "on");
	memplan_input(m, "graph", "a.csv", text, strlen(text));
	*status = memplan_plan(m);
	return m;
}

/* Wherever there is a plan there is one with less reuse, or a word of why not:
 * it stays, or memory is out to count what it has. */
static void count_words(
	const char *text, const char *pools, int *unchanged, int *uncounted)
{
	for (int kib = 64; kib < 1 << 12; kib += kib / 16) {
		enum memplan_status plain, status;
		memplan *first = plan_in_pools(text, pools, kib, false, &plain);
		memplan *m = plan_in_pools(text, pools, kib, true, &status);
		bool stays = has_warning(m, "for minimise-reuse: the plan");
		bool counts = !has_warning(m, "for the count of reuse edges");
		uint64_t edges;

		if (plain == MEMPLAN_OK) {
			cr_assert_eq(status, MEMPLAN_OK, "%d: %s", kib,
				memplan_error(m));
			check_plan(m);
			cr_assert_eq(memplan_number(m, "reuse_edges", &edges),
				!stays && counts);
		}
		*unchanged += stays;
		*uncounted += !counts;
		memplan_free(first);
		memplan_free(m);
	}
}

/* With guards between arrays there is memory to count wherever a plan moves. */
Test(starved, keeps_a_plan_that_it_has_no_memory_to_count)
{
	char *text = intervals();
	int unchanged = 0, uncounted = 0;

	count_words(text, "small=16MiB,large", &unchanged, &uncounted);
	cr_assert_gt(unchanged, 0);
	count_words(text, NULL, &unchanged, &uncounted);
	cr_assert(uncounted > 0 || GUARD_BYTES > 0);
	free(text);
}

static void check_has_no_plan(memplan *m)
{
	const void *plan;
	uint64_t size;
	size_t length;

	cr_assert(!memplan_number(m, "arena_size", &size));
	cr_assert_eq(memplan_write(m, "plan", &plan, &length), MEMPLAN_NO);
}

/* Plans within ever more memory; the graph by itself, or as the member of a
 * bundle. */
static void check_until_there_is_memory(bool joined)
{
	char *text = intervals();
	int failed = 0;

	for (int kib = 64; kib < 1 << 13; kib += kib / 16) {
		memplan *m = memplan_new(), *bundle = memplan_new();
		char limit[32];

		snprintf(limit, sizeof(limit), "%dKiB", kib);
		memplan_set(m, "max-memory", limit);
		memplan_set(m, "steps", "1000");
		memplan_set(m, "minimise-reuse", "on");
		memplan_input(m, "graph", "a.csv", text, strlen(text));
		if (joined && memplan_read(m) == MEMPLAN_OK)
			cr_assert_eq(memplan_join(bundle, m, NULL), MEMPLAN_OK);
		if (memplan_plan(joined ? bundle : m) == MEMPLAN_ENOMEM) {
			failed++;
			check_has_no_plan(m);
		}
		memplan_free(bundle);
		memplan_free(m);
	}
	cr_assert_gt(failed, 0);
	free(text);
}

/* A run that memory ended has no plan, though there was one half-way. */
Test(starved, has_no_plan_when_memory_is_out)
{
	check_until_there_is_memory(false);
}

Test(starved, has_no_plan_of_a_member_when_memory_is_out)
{
	check_until_there_is_memory(true);
}
