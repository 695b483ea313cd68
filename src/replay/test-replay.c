/*
 * Replay of plans that are written down here: which tensor is accused, streams,
 * states. The stand-in for CUDA runs the latest stream first, so an order that
 * no event enforces is not kept.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "replay/testing.h"

#include <stdlib.h>

Test(replay, passes_what_is_right_on_every_device)
{
	const struct memplan_device_row *row;

	reset();
	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		cr_assert_eq(replay_on(row->name), MEMPLAN_OK);
		cr_assert_eq(result.written, 2 * (1000 + 77 + 1000));
		cr_assert_eq(result.checked, 2 * (1000 + 77 + 1000));
		options.poison = !options.poison;
	}
}

Test(replay, names_the_culprit_at_any_byte)
{
	reset();
	for (uint64_t offset = 1; offset < 1000; offset += 37) {
		tensors[B].offset = offset;
		cr_assert_eq(replay_on("host"), MEMPLAN_NO);
		expect_overwrite(1, A, B, MEMPLAN_BY_OP, offset);
		cr_assert_eq(result.overwrites[0].writer_at, 1);
		cr_assert(result.overwrites[0].is_input);
	}
}

Test(replay, accuses_the_poison_of_a_tensor_that_was_taken_for_dead)
{
	reset();
	tensors[A].end = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[C].offset = 1200;
	ops[2].inputs = &ids[A];
	options.poison = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(1, A, A, MEMPLAN_BY_POISON, 0);
}

Test(replay, keeps_states_from_run_to_run)
{
	reset();
	tensors[A].end = 3;
	tensors[A].kind = KIND_STATE;
	tensors[C].offset = 1200;
	ops[0].n_outputs = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.written, 1000 + 2 * (77 + 1000));
	tensors[C].offset = 900;
	tensors[C].size = 100;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(2, A, C, MEMPLAN_BY_OP, 900);
}

/* In place B takes the bytes of the smaller A over at g, or of the larger. */
Test(replay, lets_outputs_take_over_in_place)
{
	reset();
	tensors[A].size = 50;
	tensors[A].end = 1;
	tensors[B].offset = 0;
	tensors[C].offset = 1024;
	for (options.poison = 0; options.poison < 2; options.poison++)
		cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[A].size = 1000;
	tensors[A].end = tensors[B].start = 2;
	for (options.poison = 0; options.poison < 2; options.poison++)
		cr_assert_eq(replay_on("host"), MEMPLAN_OK);
}

/* B is bytes [3, 80) of A: g gives them a name, or writes to them. */
Test(replay, knows_the_tensor_that_an_alias_is_bytes_of)
{
	reset();
	tensors[B].is_alias = 1;
	tensors[B].alias_of = A;
	tensors[B].offset = tensors[B].alias_offset = 3;
	tensors[C].offset = 1024;
	tensors[C].size = 900;
	for (options.poison = 0; options.poison < 2; options.poison++) {
		tensors[B].writes = 0;
		cr_assert_eq(replay_on("host"), MEMPLAN_OK);
		cr_assert_eq(result.written, 2 * (1000 + 900));
		tensors[B].writes = 1;
		cr_assert_eq(replay_on("host"), MEMPLAN_OK);
		cr_assert_eq(result.written, 2 * (1000 + 77 + 900));
	}
	options.poison = 0;
	tensors[C].offset = 79;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(2, B, C, MEMPLAN_BY_OP, 76);
	tensors[B].writes = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(2, B, C, MEMPLAN_BY_OP, 76);
}

/* g writes to a state; h reads it as it was, too late. */
Test(replay, finds_the_op_that_reads_what_was_written_over)
{
	reset();
	tensors[A].kind = KIND_STATE;
	tensors[A].end = 3;
	tensors[B].is_alias = tensors[B].writes = 1;
	tensors[B].alias_of = A;
	tensors[B].offset = tensors[B].alias_offset = 510;
	tensors[C].offset = 1024;
	tensors[C].size = 900;
	ops[0].n_outputs = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.written, 2 * (1000 + 77 + 900));
	ops[2].inputs = &ids[A];
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(2, A, B, MEMPLAN_BY_OP, 510);
}

/* A rests at step 1 but for its bytes [0, 100). */
Test(replay, brings_back_what_a_gap_gave_away)
{
	const struct memplan_gap gap = {A, 1, 2, 0, 100};

	reset();
	tensors[A].end = 3;
	tensors[B].offset = 100;
	tensors[B].end = 2;
	tensors[C].offset = 1024;
	ops[1].n_inputs = ops[2].n_inputs = 0;
	plan.gaps = &gap;
	plan.n_gaps = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[B].offset = 99;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(2, A, B, MEMPLAN_BY_OP, 99);
}

/* At step 2 A comes back, where B was that leaves at the same step. */
Test(replay, lets_one_gap_begin_where_another_ends)
{
	const struct memplan_gap gaps[] = {{A, 1, 2, 0, 0}, {B, 2, 3, 0, 0}};

	reset();
	plan.ops = NULL;
	plan.n_ops = 0;
	plan.n_steps = 4;
	tensors[A].end = 3;
	tensors[B].offset = 3;
	tensors[B].end = 4;
	tensors[C].offset = 2048;
	plan.gaps = gaps;
	plan.n_gaps = 2;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	tensors[B].end = 3;
	plan.n_gaps = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
}

Test(replay, refuses_aliases_of_nothing_and_of_themselves)
{
	reset();
	tensors[B].is_alias = 1;
	tensors[B].alias_of = N_TENSORS;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
	tensors[B].alias_of = B;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
	tensors[B].alias_of = A;
	tensors[B].alias_offset = 924;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
	tensors[A].is_alias = 1;
	tensors[A].alias_of = C;
	tensors[C].is_alias = 1;
	tensors[C].alias_of = A;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
}

/* C takes the bytes of A, but its reader g runs in another stream. Only if h
 * reads what g writes does it come after. */
Test(replay, shows_hazards_between_streams)
{
	reset();
	ops[2].stream = 1;
	cr_assert_eq(replay_on("cuda"), MEMPLAN_OK);
	ops[2].n_inputs = 0;
	tensors[B].end = 2;
	tensors[C].end = 4;
	plan.n_steps = 4;
	plan.n_ops = 4;
	struct memplan_op more[4] = {ops[0], ops[1], ops[2], {.name = "i"}};
	plan.ops = more;
	options.repeat = 1;
	for (options.poison = 0; options.poison < 2; options.poison++) {
		cr_assert_eq(replay_on("cuda"), MEMPLAN_NO);
		cr_assert_eq(result.overwrites[0].run, 0);
		cr_assert_eq(replay_on("host"), MEMPLAN_NO);
		cr_assert_gt(result.overwrites[0].run, 0,
			"in the listed order nothing shows");
	}
}

/* g reads A in a stream of its own and is ordered behind the poison of f. */
Test(replay, poisons_what_a_stream_was_the_last_to_use)
{
	reset();
	tensors[A].end = 1;
	tensors[C].offset = 1200;
	ops[1].stream = 1;
	ops[2].inputs = &ids[A];
	cr_assert_eq(replay_on("cuda"), MEMPLAN_OK);
	options.poison = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	cr_assert_eq(replay_on("cuda"), MEMPLAN_NO);
	expect_overwrite(1, A, A, MEMPLAN_BY_POISON, 0);
}

/* g and h read A beside each other; then i takes its bytes, after both. Either
 * reader may be the last, so neither may poison it. */
Test(replay, does_not_poison_what_two_streams_may_be_the_last_to_use)
{
	static const char *const moods[] = {"", "first-stream-first"};
	const struct memplan_tensor four[] = {
		{.name = "A", .offset = 0, .size = 1000, .end = 3},
		{.name = "B", .offset = 1024, .size = 77, .start = 1, .end = 4},
		{.name = "C", .offset = 1200, .size = 80, .start = 2, .end = 4},
		{.name = "D", .offset = 0, .size = 900, .start = 3, .end = 5},
	};
	const uint32_t read[] = {B, C}, d = 3;
	struct memplan_op five[] = {{0}, {0}, {0},
		{.name = "i",
			.inputs = read,
			.outputs = &d,
			.n_inputs = 2,
			.n_outputs = 1},
		{.name = "j", .inputs = &d, .n_inputs = 1}};

	reset();
	memcpy(five, ops, sizeof(ops));
	five[1].stream = 1;
	five[2].stream = 2;
	five[2].inputs = &ids[A];
	plan = (struct memplan_replay_plan){
		four, five, 4, 5, 5, {2048, 4096}, NULL, 0, 0, NULL, NULL, 0};
	options.poison = 1;
	for (uint32_t i = 0; i < 2; i++) {
		setenv("MEMPLAN_STAND_IN", moods[i], 1);
		cr_assert_eq(replay_on("cuda"), MEMPLAN_OK);
	}
	five[3].n_inputs = 1;
	cr_assert_eq(replay_on("cuda"), MEMPLAN_NO);
}

Test(replay, counts_the_streams_that_it_can_order)
{
	static struct memplan_op many[300];

	reset();
	for (uint32_t i = 0; i < 300; i++)
		many[i].stream = i;
	plan.ops = many;
	plan.n_ops = plan.n_steps = 300;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	options.poison = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
}

Test(replay, aligns_blocks_beyond_what_devices_promise)
{
	const struct memplan_device_row *row;
	struct memplan_device device;
	struct memplan_block block;
	struct memplan_pool pool = {100, 1 << 16}, huge = {UINT64_MAX - 9, 512};

	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		cr_assert_eq(memplan_device_open(&device, row->name, NULL), 0);
		cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
		cr_assert_eq(block.address % pool.align, 0);
		cr_assert_leq(block.address - block.memory, pool.align);
		cr_assert_eq(memplan_block_release(&device, &block), 0);
		cr_assert_neq(
			memplan_block_allocate(&device, &huge, &block), 0);
		cr_assert(strstr(device.text, row->name));
		memplan_device_close(&device);
	}
	cr_assert_neq(memplan_device_open(&device, "tpu", NULL), 0);
	cr_assert_eq(device.code, MEMPLAN_DEVICE_UNKNOWN);
}

Test(replay, refuses_more_than_the_machine_has)
{
	struct memplan_device device;

	reset();
	plan.arena.size = UINT64_C(1) << 52;
	cr_assert_eq(memplan_device_open(&device, "host", NULL), 0);
	cr_assert_eq(
		memplan_replay(&device, &plan, &options, &result), MEMPLAN_EIO);
	cr_assert(strstr(device.text, "host: malloc: "));
	memplan_device_close(&device);
}

Test(replay, allocates_as_asked)
{
	struct memplan_device_options wishes = {
		.huge_pages = 1, .stream_ordered = 1};
	struct memplan_device device;

	reset();
	plan.arena.size = 5 << 20;
	cr_assert_eq(memplan_device_open(&device, "host", &wishes), 0);
	cr_assert_eq(memplan_replay(&device, &plan, &options, &result),
		MEMPLAN_OK, "%s", device.text);
	memplan_device_close(&device);
	cr_assert_eq(memplan_device_open(&device, "cuda", &wishes), 0);
	cr_assert_eq(memplan_replay(&device, &plan, &options, &result),
		MEMPLAN_OK, "%s", device.text);
	memplan_device_close(&device);
}

/* A is of one branch, B of the other: f writes both to the same place. */
static void choose_one(void)
{
	reset();
	ops[0].outputs = ids;
	ops[0].n_outputs = 2;
	ops[1].inputs = ids;
	ops[1].n_inputs = 2;
	ops[1].n_outputs = 0;
	ops[2].n_inputs = 0;
	tensors[A].choice = tensors[B].choice = 1;
	tensors[B].branch = 1;
	tensors[B].offset = tensors[B].start = 0;
	tensors[B].end = 2;
}

Test(replay, takes_one_branch_of_a_choice_at_a_time)
{
	choose_one();
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	cr_assert_eq(result.runs, 4, "each way twice");
	cr_assert_eq(result.written, 2 * (1000 + 77 + 2 * 1000));
	options.poison = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);

	tensors[B].choice = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO, "it always lives");
	expect_overwrite(1, A, B, MEMPLAN_BY_OP, 0);
}

Test(replay, goes_all_ways_through_two_choices)
{
	choose_one();
	tensors[B].choice = 2;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	cr_assert_eq(result.runs, 4, "B is branch 1 of 2, A of 1");
	cr_assert_eq(result.n_overwritten, 4 / 2);
	cr_assert_eq(result.overwrites[0].run, 1, "run 0 has no B");
}

/* Too many to combine: A and B are of the last branch of two choices. */
Test(replay, takes_every_branch_of_wide_choices)
{
	choose_one();
	tensors[B].choice = 2;
	tensors[A].branch = tensors[B].branch = 99;
	options.repeat = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	cr_assert_eq(result.runs, 100);
	cr_assert_eq(result.overwrites[0].run, 99);
}
