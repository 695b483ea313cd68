/*
 * The comparison of plans made by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "compare/compare.h"
#include "testing/sample-plan.h"

static struct sample before, after;
static struct comparison c;

static void setup(void)
{
	mp_testing_sample_chain(&before, 8);
	mp_testing_sample_chain(&after, 8);
}

static void teardown(void)
{
	mp_testing_sample_free(&before);
	mp_testing_sample_free(&after);
}

static void compare(void)
{
	cr_assert(mp_compare(
		&before.plan, &after.plan, &c, &after.arena, &after.error));
}

static const char *report(const char *name)
{
	after.sink.length = 0;
	mp_compare_report(name)->run(&c, &after.sink);
	mp_sink_write(&after.sink, "", 1);
	after.sink.length--;
	return after.sink.bytes;
}

/* Sizes, loads and the arena follow from the parts. */
static void measure(struct sample *s)
{
	mp_problem_measure(&s->problem, &s->arena, &s->error);
	s->plan.arena_size = mp_plan_height(&s->problem, s->plan.offsets);
}

TestSuite(compare, .init = setup, .fini = teardown);

Test(compare, equal_plans_have_no_changes)
{
	compare();
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++)
		cr_assert_eq(c.kinds[k].n, 0, "%s", mp_compare_change_name(k));
	cr_assert_eq(c.peak.n, 0);
	cr_assert_not(c.peak_moved);
	cr_assert(strstr(report("text"), "arena unchanged"));
}

Test(compare, each_kind_of_change_is_found)
{
	struct item *items = after.problem.items;

	items[1].name = "someone else";
	items[2].size += 1000;
	after.plan.offsets[3] += 512;
	compare();
	cr_assert_eq(c.kinds[CHANGE_ADDED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_ADDED].at[0].new, 1);
	cr_assert_eq(c.kinds[CHANGE_REMOVED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_REMOVED].at[0].old, 1);
	cr_assert_eq(c.kinds[CHANGE_RESIZED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_RESIZED].at[0].new, 2);
	cr_assert_eq(c.kinds[CHANGE_MOVED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_MOVED].at[0].new, 3);
}

Test(compare, the_peak_s_differences_add_up_to_the_minimum_s)
{
	struct problem *p = &after.problem;
	int64_t sum = 0;

	p->items[1].size += 100000;
	p->parts[1].size += 100352;
	measure(&after);
	compare();
	for (uint32_t i = 0; i < c.peak.n; i++)
		sum += (int64_t)(c.peak.at[i].after - c.peak.at[i].before);
	cr_assert_eq(sum,
		(int64_t)(p->theoretical_min - before.problem.theoretical_min));
	cr_assert_eq(c.peak.at[0].new, 1);
	cr_assert(strstr(report("text"), "tensor1"));
	cr_assert(c.peak_moved);
}

/* Ids of temporaries count ops; an op put in front shifts them all. */
Test(compare, temporaries_are_known_by_their_op)
{
	after.problem.items[8].id = "9";
	after.problem.items[8].name = "9:0";
	compare();
	cr_assert_eq(c.kinds[CHANGE_ADDED].n, 0);
	after.problem.ops[0].name = "renamed";
	compare();
	cr_assert_eq(c.kinds[CHANGE_ADDED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_REMOVED].n, 1);
}

Test(compare, equal_names_are_matched_in_their_order)
{
	for (uint32_t i = 0; i < 4; i++)
		before.problem.items[i].name = after.problem.items[i].name =
			"twin";
	compare();
	cr_assert_eq(c.kinds[CHANGE_RESIZED].n, 0);
	after.problem.items[0].name = "first";
	compare();
	cr_assert_eq(c.kinds[CHANGE_ADDED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_REMOVED].n, 1);
	cr_assert_eq(c.kinds[CHANGE_REMOVED].at[0].old, 3);
}

/* No line of a report begins or ends where a name says so. */
Test(compare, hostile_names_break_no_report)
{
	mp_testing_sample_free(&after);
	mp_testing_sample_make(
		&after, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	compare();
	for (uint32_t i = 0; i < mp_n_comparison_reports; i++) {
		const char *text = report(mp_comparison_reports[i].name);

		cr_assert_eq(strlen(text), after.sink.length);
		cr_assert_not(strstr(text, "\n#error"));
		cr_assert_not(strchr(text, '\x1b'));
		cr_assert_not(strchr(text, '\r'));
	}
	cr_assert_not(strstr(report("markdown"), "<script>"));
	cr_assert_not(strstr(report("markdown"), "<img"));
}

Test(compare, failed_allocations_are_told)
{
	struct arena_mark mark;
	uint32_t failures = 0;
	bool done = false;
	uint64_t held;

	teardown();
	mp_testing_sample_chain(&before, 3000);
	mp_testing_sample_chain(&after, 3000);
	mark = mp_arena_mark(&after.arena);
	held = after.arena.held;

	for (uint64_t limit = 1; !done; limit += 8192) {
		after.error = (struct error){0};
		after.arena.limit = held + limit;
		done = mp_compare(&before.plan, &after.plan, &c, &after.arena,
			&after.error);
		cr_assert(done || after.error.code == MEMPLAN_ENOMEM);
		failures += !done;
		mp_arena_rewind(&after.arena, mark);
	}
	cr_assert(failures > 0);
}
