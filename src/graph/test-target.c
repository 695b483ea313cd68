/*
 * What each target makes of sizes: the examples of its documentation, and the
 * greatest sizes that there may be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/target.h"

#include <criterion/criterion.h>
#include <string.h>

#include "memplan/memplan.h"
#include "problem/plan.h"
#include "testing/small-graph.h"

/* A tensor alive by itself in one step. */
static struct fixture make_lone(
	struct tensor *tensor, const struct target *target, uint64_t size)
{
	struct fixture f = {.graph = mp_testing_graph(NULL, 0, tensor, 1)};

	*tensor = (struct tensor){.name = "x",
		.size = size,
		.producer = NONE,
		.pinned = true,
		.end = 1};
	f.graph.alignment = target->alignment;
	f.graph.margins = target->margins;
	return f;
}

/* The bytes that one tensor of that size takes on the target. */
static uint64_t taken(const char *target, uint64_t size)
{
	const struct target *row = mp_graph_target_find(target);
	struct tensor tensor;
	struct fixture f;
	uint64_t bytes;

	cr_assert_not_null(row);
	f = make_lone(&tensor, row, size);
	cr_assert(mp_testing_lifetime(&f, NULL, true), "%s", f.error.text);
	bytes = f.problem.theoretical_min;
	cr_assert_eq(mp_graph_tensor_rounded(&f.graph, &tensor), bytes);
	mp_arena_free(&f.arena);
	return bytes;
}

/* (n + 512 + 31) / 512 * 512 */
Test(target, ascend_and_ge_add_32_and_round_to_512)
{
	static const char *const names[] = {"ascend", "ge"};

	for (uint32_t i = 0; i < countof(names); i++) {
		cr_assert_eq(taken(names[i], 1), 512);
		cr_assert_eq(taken(names[i], 480), 512);
		cr_assert_eq(taken(names[i], 481), 1024);
		cr_assert_eq(taken(names[i], 512), 1024);
		cr_assert_eq(taken(names[i], 0), 0);
		for (uint64_t n = 1; n < 3000; n++)
			cr_assert_eq(
				taken(names[i], n), (n + 512 + 31) / 512 * 512);
	}
}

/* Each piece has ALIGN_UP(n, 32) + 32 bytes, the next one begins on 64. */
Test(target, acl_leaves_every_piece_its_documented_room)
{
	cr_assert_eq(taken("acl", 1), 64);
	cr_assert_eq(taken("acl", 32), 64);
	cr_assert_eq(taken("acl", 33), 128);
	for (uint64_t n = 1; n < 3000; n++) {
		uint64_t room = (n + 31) / 32 * 32 + 32;

		cr_assert_eq(taken("acl", n), (room + 63) / 64 * 64);
	}
}

Test(target, others_round_only)
{
	cr_assert_eq(taken("cuda", 1), 256);
	cr_assert_eq(taken("cuda", 256), 256);
	cr_assert_eq(taken("cuda", 257), 512);
	cr_assert_eq(taken("tflm", 16), 16);
	cr_assert_eq(taken("tflm", 17), 32);
	cr_assert_eq(taken("host", 64), 64);
	cr_assert_eq(taken("host", 65), 128);
}

Test(target, every_row_is_sound)
{
	const char *summary;

	for (uint32_t i = 0; i < mp_n_targets; i++) {
		const struct target *t = &mp_targets[i];
		struct problem p = {.alignment = 1, .margins = t->margins};

		cr_assert(num_is_pow2(t->alignment), "%s", t->name);
		cr_assert(num_is_pow2(t->margins.base), "%s", t->name);
		cr_assert_geq(t->margins.base, t->alignment);
		cr_assert_eq(t->margins.guard % t->alignment, 0);
		cr_assert_str_eq(t->margins.target, t->name);
		cr_assert_eq(mp_plan_base_alignment(&p), t->margins.base);
		cr_assert_str_eq(memplan_row("targets", i, &summary), t->name);
	}
	cr_assert_null(memplan_row("targets", mp_n_targets, &summary));
	cr_assert_null(mp_graph_target_find(""));
}

Test(target, sizes_that_padding_lifts_beyond_2_62_are_refused)
{
	const struct target *ascend = mp_graph_target_find("ascend");
	uint64_t most = NUM_MAX_BYTES - 32;
	struct tensor tensor;
	struct fixture f = make_lone(&tensor, ascend, most - 510);

	cr_assert_eq(taken("ascend", most - 511), NUM_MAX_BYTES);
	cr_assert_not(mp_testing_lifetime(&f, NULL, true));
	cr_assert_eq(f.error.code, MEMPLAN_EINPUT);
	cr_assert(strstr(f.error.text, "'x'"), "%s", f.error.text);
	mp_arena_free(&f.arena);
}

Test(target, an_alignment_asked_for_beats_that_of_the_target)
{
	static const char csv[] = "id,lower,upper,size\na,0,1,100\nb,0,1,481\n";
	memplan *m = memplan_new();
	uint64_t value;

	memplan_set(m, "align", "64");
	memplan_set(m, "target", "ascend");
	memplan_input(m, "graph", "x.csv", csv, sizeof(csv) - 1);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_number(m, "alignment", &value) && value == 64);
	cr_assert(memplan_number(m, "padding", &value) && value == 32);
	cr_assert(memplan_number(m, "base_alignment", &value) && value == 512);
	cr_assert(memplan_number(m, "arena_size", &value));
	cr_assert_eq(value, 192 + 576);
	memplan_free(m);
}
