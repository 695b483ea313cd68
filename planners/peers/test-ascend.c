/*
 * The worked example of the articles on Ascend's graph engine, and the range
 * lists published there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <criterion/criterion.h>
#include <string.h>

#include "lifetime/lifetime.h"
#include "testing/planning.h"
#include "testing/small-graph.h"

enum {
	TENSORS = 5,
	OPS = 6
};

/* Tensor i is made by op i; these ops read it. Op 3 reads B and C. */
static const uint64_t sizes[TENSORS] = {1024, 2048, 1024, 512, 4096};
static const uint32_t inputs[OPS][2] = {{0}, {0}, {1}, {1, 2}, {3}, {4}};
static const uint32_t swapped[2] = {2, 1};
static const uint32_t n_inputs[OPS] = {0, 1, 1, 2, 1, 1};
static const uint32_t outputs[OPS] = {0, 1, 2, 3, 4, 0};
static const uint32_t order[OPS] = {0, 1, 2, 3, 4, 5};

struct example {
	struct arena arena;
	struct error error;
	struct op ops[OPS];
	struct tensor tensors[TENSORS];
	struct graph graph;
	struct problem problem;
	uint64_t offsets[TENSORS];
	struct job job;
};

static void make(struct example *x, bool swap)
{
	struct lifetime_options options = {.inplace = true};

	memset(x, 0, sizeof(*x));
	x->arena.error = &x->error;
	for (uint32_t i = 0; i < OPS; i++) {
		x->ops[i].name = "";
		x->ops[i].inputs = (struct ids){inputs[i], n_inputs[i]};
		x->ops[i].outputs = (struct ids){&outputs[i], i < TENSORS};
	}
	if (swap)
		x->ops[3].inputs.at = swapped;
	for (uint32_t i = 0; i < TENSORS; i++) {
		x->tensors[i].id = "t";
		x->tensors[i].size = sizes[i];
		x->tensors[i].producer = i;
	}
	x->graph = mp_testing_graph(x->ops, OPS, x->tensors, TENSORS);
	x->graph.alignment = 512;
	cr_assert(mp_graph_link(&x->graph, &x->arena, &x->error), "%s",
		x->error.text);
	cr_assert(mp_lifetime(
		&x->graph, order, &options, &x->problem, &x->arena, &x->error));
}

static uint64_t height(struct example *x, const char *name)
{
	x->job = mp_testing_job(&x->problem, 1000000, &x->arena);
	x->job.best = x->offsets;
	cr_assert_neq(mp_testing_plan(&x->job, name), PLAN_FAILED, "%s: %s",
		name, x->error.text);
	return x->job.height;
}

Test(ascend, plans_the_worked_example)
{
	struct example x;

	make(&x, false);
	cr_assert_eq(x.problem.total_size, 8704);
	cr_assert_eq(x.problem.theoretical_min, 4608);
	cr_assert_eq(x.problem.peak_step, 4);
	cr_assert_eq(height(&x, "linear"), 8704);
	cr_assert_eq(height(&x, "max-block"), 6656);
	cr_assert_eq(height(&x, "binary-block"), 7680);
	cr_assert_eq(height(&x, "binary-block-2026"), 7680);
	cr_assert_eq(height(&x, "exact-block"), 7680);
	cr_assert_eq(height(&x, "two-level-2020"), 4608);
	cr_assert_eq(height(&x, "ascend"), 4608);
	mp_arena_free(&x.arena);
}

Test(ascend, nests_where_the_articles_say)
{
	static const uint64_t expected[TENSORS] = {2048, 0, 2048, 4096, 0};
	struct example x;

	make(&x, false);
	cr_assert_eq(height(&x, "two-level"), 4608);
	cr_assert_arr_eq(x.offsets, expected, sizeof(expected));
	mp_arena_free(&x.arena);
}

Test(ascend, depends_on_the_order_of_inputs)
{
	struct example x;

	make(&x, true);
	cr_assert_eq(height(&x, "max-block"), 5632);
	mp_arena_free(&x.arena);
}

static void expect_ranges(enum ascend_classes rule, const uint64_t *some,
	uint32_t n, const uint64_t *expected, uint32_t n_expected)
{
	uint64_t ranges[64];
	uint32_t n_ranges = mp_planner_ascend_ranges(some, n, rule, ranges);

	cr_assert_eq(n_ranges, n_expected, "%u ranges", n_ranges);
	for (uint32_t i = 0; i < n_ranges; i++)
		cr_assert_eq(ranges[i], expected[i], "%llu",
			(unsigned long long)ranges[i]);
}

#define LIST(...) ((const uint64_t[]){__VA_ARGS__})
#define RANGES(rule, some, expected)                                           \
	expect_ranges(                                                         \
		rule, some, sizeof(some) / 8, expected, sizeof(expected) / 8)

Test(ascend, finds_the_published_ranges)
{
	RANGES(CLASSES_2020, sizes, LIST(1024, 2048, 4096));
	RANGES(CLASSES_2026, sizes, LIST(2048, 4096));
	RANGES(CLASSES_2020, LIST(6, 12, 16, 24, 24, 30, 32, 48, 60, 256),
		LIST(12, 24, 48, 60, 256));
	RANGES(CLASSES_2026, LIST(6, 12, 16, 24, 24, 30, 32, 48, 60, 256),
		LIST(16, 32, 60, 256));
	RANGES(CLASSES_2020, LIST(100, 200), LIST(200));
	RANGES(CLASSES_2020, LIST(512, 512), LIST(512));
	RANGES(CLASSES_2020, LIST(1024, 1024, 1024, 1024, 1024), LIST(1024));
}

Test(ascend, loses_the_lowest_class_as_the_original_does)
{
	uint64_t ranges[64];

	cr_assert_eq(mp_planner_ascend_ranges(
			     LIST(100, 200), 2, CLASSES_2026, ranges),
		0);
	cr_assert_eq(mp_planner_ascend_ranges(
			     LIST(512, 512), 2, CLASSES_2026, ranges),
		0);
	cr_assert_eq(
		mp_planner_ascend_ranges(LIST(1024, 1024, 1024, 1024, 1024), 5,
			CLASSES_2026, ranges),
		0);
}
