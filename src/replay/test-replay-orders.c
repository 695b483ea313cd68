/*
 * Hazards between streams that need no luck: orders of the ops in one stream,
 * halves of ops, and what is alive at the ends of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/testing.h"

/* C is written in a stream of its own and lies on A, which g still reads; no
 * op comes behind h. */
static void overlap_at_the_last_op(void)
{
	reset();
	ops[2].stream = 1;
	ops[2].n_inputs = 0;
	tensors[B].end = 3;
}

Test(replay_orders, sees_a_hazard_of_the_last_op_in_the_streams)
{
	overlap_at_the_last_op();
	options.repeat = 1;
	cr_assert_eq(replay_on("cuda"), MEMPLAN_NO);
	cr_assert_eq(result.overwrites[0].run, 0);
	cr_assert_eq(result.overwrites[0].order.kind, MEMPLAN_AS_LISTED);
}

Test(replay_orders, sees_a_hazard_on_every_device)
{
	const struct memplan_device_row *row;

	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		overlap_at_the_last_op();
		cr_assert_eq(replay_on(row->name), MEMPLAN_NO);
		cr_assert_gt(
			result.overwrites[result.n_overwritten - 1].order.kind,
			MEMPLAN_AS_LISTED);
		tensors[C].offset = 1200;
		cr_assert_eq(replay_on(row->name), MEMPLAN_OK);
		cr_assert_eq(result.orders, 2 + 2 + 1 + 3);
		cr_assert_eq(result.late, 3);
	}
}

/* A is an input that the caller writes with g, in the bytes of D; h reads it
 * in another stream, and waits for no op. */
Test(replay_orders, waits_for_an_input_that_is_written_late)
{
	const struct memplan_tensor four[] = {
		{.name = "A", .offset = 0, .size = 2000, .start = 1, .end = 3},
		{.name = "B", .offset = 2048, .size = 8, .start = 1, .end = 4},
		{.name = "C", .offset = 2056, .size = 8, .start = 2, .end = 4},
		{.name = "D", .offset = 0, .size = 2000, .end = 1},
	};
	static const uint32_t b = B, c = C, a = A, d = 3;
	const struct memplan_op four_ops[] = {
		{.name = "f", .inputs = &d, .n_inputs = 1},
		{.name = "g",
			.inputs = &a,
			.outputs = &b,
			.n_inputs = 1,
			.n_outputs = 1},
		{.name = "h",
			.inputs = &a,
			.outputs = &c,
			.n_inputs = 1,
			.n_outputs = 1,
			.stream = 1},
		{.name = "i", .stream = 1},
	};

	reset();
	plan = (struct memplan_replay_plan){four, four_ops, 4, 4, 4,
		{4096, 4096}, NULL, 0, 0, NULL, NULL, 0};
	for (options.poison = 0; options.poison < 2; options.poison++) {
		cr_assert_eq(replay_on("host"), MEMPLAN_OK);
		cr_assert_eq(replay_on("cuda"), MEMPLAN_OK);
	}
}

/* The caller writes A before f; g reads it in a stream of its own. */
Test(replay_orders, has_inputs_there_for_all_streams)
{
	reset();
	ops[0].n_outputs = 0;
	ops[1].stream = 1;
	tensors[C].offset = 1200;
	cr_assert_eq(replay_on("cuda"), MEMPLAN_OK);
}

/* f and g have scratch memory in the same bytes, and neither waits; h waits for
 * both. No tensor is read: only while both run is there anything wrong. */
Test(replay_orders, runs_two_ops_at_a_time)
{
	static const struct memplan_tensor two[] = {
		{.name = "A", .size = 1000, .end = 1},
		{.name = "B", .offset = 992, .size = 77, .start = 1, .end = 2}};
	const struct memplan_op apart[] = {
		{.name = "f", .temporaries = &ids[A], .n_temporaries = 1},
		{.name = "g",
			.temporaries = &ids[B],
			.n_temporaries = 1,
			.index = 1,
			.stream = 1},
		{.name = "h", .index = 2, .after = ids, .n_after = 2}};

	reset();
	plan = (struct memplan_replay_plan){
		two, apart, 2, 3, 3, {4096, 4096}, NULL, 0, 0, NULL, NULL, 0};
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(1, B, A, MEMPLAN_BY_OP, 0);
	cr_assert_eq(result.overwrites[0].order.kind, MEMPLAN_REVERSED);
}

/* No op reads A after f, but the plan says that it lives while g runs. */
Test(replay_orders, keeps_what_the_plan_keeps)
{
	overlap_at_the_last_op();
	tensors[A].end = 1;
	ops[1].n_inputs = 0;
	ops[1].stream = 2;
	tensors[C].end = 3;
	ops[2].stream = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[A].end = 2;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
}

/* A state that an op writes anew: what the caller left there lives until then.
 */
Test(replay_orders, keeps_a_state_until_it_is_written)
{
	reset();
	tensors[B].kind = KIND_STATE;
	tensors[B].start = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[A].size = 1030;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(1, B, A, MEMPLAN_BY_OP, 0);
}

/* Streams that wait for none: as many orders by stream as are worth it. */
Test(replay_orders, takes_plans_of_many_streams)
{
	static struct memplan_op many[256];

	reset();
	for (uint32_t i = 0; i < 256; i++)
		many[i] = (struct memplan_op){.index = i, .stream = i % 128};
	plan.ops = many;
	plan.n_tensors = 0;
	plan.n_ops = plan.n_steps = 256;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.orders, 2 * 32 + 1 + 256);
	cr_assert_eq(result.late, 256);
}

Test(replay_orders, takes_more_orders_if_asked)
{
	overlap_at_the_last_op();
	tensors[C].offset = 1200;
	options.orders = 40;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.orders, 8 + 40);
	ops[2].stream = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.orders, 0, "one stream has one order");
}

/* The same seed takes the same orders. */
Test(replay_orders, follow_from_the_seed)
{
	struct memplan_replay_result first;

	overlap_at_the_last_op();
	options.orders = 40;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	first = result;
	cr_assert_eq(replay_on("cuda"), MEMPLAN_NO);
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	cr_assert_eq(result.n_overwritten, first.n_overwritten);
	cr_assert_eq(memcmp(result.overwrites, first.overwrites,
			     sizeof(first.overwrites)),
		0);
}
