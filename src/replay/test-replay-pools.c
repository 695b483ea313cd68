/*
 * Replay of plans of several memories.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/testing.h"

/* Blocks of their own, each aligned as its pool wants it: one offset is two
 * places. What lies in one pool overwrites nothing in the other. */
Test(pools, keeps_pools_apart_on_every_device)
{
	static const struct memplan_pool pools[] = {{1000, 64}, {1024, 8192}};
	const struct memplan_device_row *row;

	reset();
	tensors[B].offset = 0;
	tensors[B].pool = 1;
	plan.pools = pools;
	plan.n_pools = 2;
	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		options.poison = i % 2;
		cr_assert_eq(replay_on(row->name), MEMPLAN_OK);
		cr_assert_eq(result.checked, 2 * (1000 + 77 + 1000));
	}
}

Test(pools, names_the_culprit_of_the_same_pool)
{
	static const struct memplan_pool pools[] = {{2000, 64}, {2000, 8192}};

	reset();
	plan.pools = pools;
	plan.n_pools = 2;
	for (uint32_t t = 0; t < N_TENSORS; t++)
		tensors[t].pool = 1;
	tensors[B].offset = 40;
	cr_assert_eq(replay_on("host"), MEMPLAN_NO);
	expect_overwrite(1, A, B, MEMPLAN_BY_OP, 40);
	tensors[B].pool = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
}

Test(pools, refuses_tensors_of_no_pool)
{
	static const struct memplan_pool pools[] = {{2000, 64}};

	reset();
	plan.pools = pools;
	plan.n_pools = 1;
	tensors[B].pool = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
	tensors[B].external = 1;
	cr_assert_eq(replay_on("host"), MEMPLAN_OK);
	plan.n_pools = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
	plan.pools = NULL;
	tensors[B].external = 0;
	cr_assert_eq(replay_on("host"), MEMPLAN_EUSAGE);
}

/* The first block is released, and the text names the call that failed. */
Test(pools, gives_back_what_it_has_when_a_pool_is_too_large)
{
	static const struct memplan_pool pools[] = {
		{2000, 64}, {UINT64_C(1) << 52, 64}};
	struct memplan_device device;

	reset();
	plan.pools = pools;
	plan.n_pools = 2;
	cr_assert_eq(memplan_device_open(&device, "host", NULL), 0);
	cr_assert_eq(
		memplan_replay(&device, &plan, &options, &result), MEMPLAN_EIO);
	cr_assert(strstr(device.text, "host: malloc: "));
	memplan_device_close(&device);
}
