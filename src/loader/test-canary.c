/*
 * Canaries around kernels that are written down here: right ones, one that
 * writes a byte too many, and one that writes where another tensor lives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/canary.h"

#include <criterion/criterion.h>
#include <string.h>

/* a [0, 3), b [1, 3), c [1, 2) a temporary, d takes b's place. */
static const struct memplan_entry entries[] = {
	{0, 100, 0, 3, 0, 0},
	{128, 60, 1, 3, 0, 0},
	{192, 64, 1, 2, 0, 5},
	{128, 60, 3, 4, 0, 0},
};

static unsigned char block[256];
static uint64_t sums[4];
static const struct memplan_canary canary = {
	block, 256, entries, 4, sums, 0, NULL};
static struct memplan_canary_report report;

static void write_tensor(uint32_t i)
{
	memset(block + entries[i].offset, (int)(i + 1), entries[i].size);
}

static void write_births(uint32_t step)
{
	for (uint32_t i = 0; i < 4; i++)
		if (entries[i].start == step)
			write_tensor(i);
}

/* All steps; in one of them, a byte is written that should not be. */
static enum memplan_canary_status run(uint32_t bad_step, uint64_t bad_byte)
{
	enum memplan_canary_status status = MEMPLAN_CANARY_OK;

	memset(block, 0, sizeof(block));
	for (uint32_t step = 0; step < 4 && !status; step++) {
		memplan_canary_before(&canary, step);
		write_births(step);
		if (step == bad_step)
			block[bad_byte] ^= 0x40;
		status = memplan_canary_after(&canary, step, &report);
	}
	return status;
}

/* Right: what is born at the step, what a tensor's last step lets happen, and
 * nothing at all. */
static enum memplan_canary_status expected(uint32_t step, uint64_t byte)
{
	int is_covered = 0;

	for (uint32_t i = 0; i < 4; i++) {
		const struct memplan_entry *e = &entries[i];

		if (step < e->start || step >= e->end || byte < e->offset ||
			byte - e->offset >= e->size)
			continue;
		is_covered = 1;
		if (e->start < step && step + 1 < e->end)
			return MEMPLAN_CANARY_OVERWRITTEN;
	}
	return is_covered ? MEMPLAN_CANARY_OK : MEMPLAN_CANARY_STRAY;
}

Test(canary, notices_every_byte_that_is_not_the_kernels)
{
	cr_assert_eq(run(99, 0), MEMPLAN_CANARY_OK);
	for (uint32_t step = 0; step < 4; step++)
		for (uint64_t byte = 0; byte < sizeof(block); byte++) {
			enum memplan_canary_status status = run(step, byte);

			cr_assert_eq(status, expected(step, byte));
			if (status)
				cr_assert_eq(report.step, step);
		}
}

Test(canary, names_the_tensor)
{
	cr_assert_eq(run(1, 5), MEMPLAN_CANARY_OVERWRITTEN);
	cr_assert_eq(report.tensor, 0);
	cr_assert_eq(run(1, 103), MEMPLAN_CANARY_STRAY);
	cr_assert_eq(report.tensor, 0);
	cr_assert_eq(report.at, 103);
	cr_assert_eq(run(3, 2), MEMPLAN_CANARY_STRAY);
	cr_assert_eq(report.tensor, 4);
	cr_assert_eq(report.at, 2);
}

/* e lies in pool 1 where a lies in pool 0, at the same time. */
Test(canary, watches_each_pool_by_itself)
{
	static const struct memplan_entry both[] = {
		{0, 100, 0, 3, 0, 0}, {0, 64, 0, 3, 1, 0}};
	static unsigned char other[64];
	const struct memplan_canary here = {block, 256, both, 2, sums, 0, NULL};
	const struct memplan_canary there = {
		other, 64, both, 2, sums + 2, 1, NULL};

	memplan_canary_before(&here, 1);
	memplan_canary_before(&there, 1);
	cr_assert_eq(memplan_canary_after(&here, 1, &report), 0);
	cr_assert_eq(memplan_canary_after(&there, 1, &report), 0);
	block[70] ^= 1;
	cr_assert_eq(memplan_canary_after(&there, 1, &report), 0);
	cr_assert_eq(memplan_canary_after(&here, 1, &report),
		MEMPLAN_CANARY_OVERWRITTEN);
	cr_assert_eq(report.tensor, 0);
	block[70] ^= 1;
	other[63] ^= 1;
	cr_assert_eq(memplan_canary_after(&here, 1, &report), 0);
	cr_assert_eq(memplan_canary_after(&there, 1, &report),
		MEMPLAN_CANARY_OVERWRITTEN);
	cr_assert_eq(report.tensor, 1);
	block[100] ^= 1;
	cr_assert_eq(
		memplan_canary_after(&here, 1, &report), MEMPLAN_CANARY_STRAY);
	cr_assert_eq(report.tensor, 0);
}

/* Of two branches, a in one and b in the other, one runs: what it writes to
 * bytes of the other is no overwrite, but one of its own is. */
Test(canary, leaves_out_branches_that_do_not_run)
{
	static const struct memplan_entry both[] = {
		{0, 64, 0, 3, 0, 0}, {32, 64, 0, 3, 0, 0}};
	static const unsigned char absent[] = {1, 0};
	struct memplan_canary one = {block, 256, both, 2, sums, 0, NULL};

	memplan_canary_before(&one, 1);
	block[16] ^= 1;
	cr_assert_eq(memplan_canary_after(&one, 1, &report),
		MEMPLAN_CANARY_OVERWRITTEN);
	cr_assert_eq(report.tensor, 0);
	one.absent = absent;
	memplan_canary_before(&one, 1);
	cr_assert_eq(memplan_canary_after(&one, 1, &report), 0);
	block[32] ^= 1;
	cr_assert_eq(memplan_canary_after(&one, 1, &report),
		MEMPLAN_CANARY_OVERWRITTEN);
	cr_assert_eq(report.tensor, 1);
	block[32] ^= 1;
	block[16] ^= 1;
	cr_assert_eq(
		memplan_canary_after(&one, 1, &report), MEMPLAN_CANARY_STRAY);
}
