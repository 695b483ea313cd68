/*
 * What all devices promise of memory and copies. On stand-ins, which do late
 * what the drivers may do late.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "memplan/device.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "loader/rows.h"

enum {
	SIZE = 4096,
};

static struct memplan_device device;

static void expect_failure(const char *name,
	const struct memplan_device_options *options, const char *text)
{
	cr_assert_neq(memplan_device_open(&device, name, options), 0);
	cr_assert(strstr(device.text, text), "%s", device.text);
}

/* The comparison runs in a stream that does not wait for the copy. */
Test(device, has_copied_when_a_copy_returns)
{
	const struct memplan_device_row *row;
	static unsigned char bytes[SIZE];
	struct memplan_pool pool = {2 * SIZE, 64}, slot = {64, 64};
	struct memplan_block block, slots;
	struct memplan_finding finding = {0, 0, 0};
	struct memplan_range range;

	for (uint64_t at = 0, key = 7; at < SIZE;
		at += 8, key += MEMPLAN_STRIDE)
		memcpy(bytes + at, &key, 8);
	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		cr_assert_eq(memplan_device_open(&device, row->name, NULL), 0);
		memplan_block_allocate(&device, &pool, &block);
		memplan_block_allocate(&device, &slot, &slots);
		row->copy(&device, slots.address, (uintptr_t)&finding,
			sizeof(finding), MEMPLAN_TO_DEVICE);
		row->copy(&device, block.address, (uintptr_t)bytes, SIZE,
			MEMPLAN_TO_DEVICE);
		row->copy(&device, block.address + SIZE, block.address, SIZE,
			MEMPLAN_ON_DEVICE);
		range = (struct memplan_range){block.address + SIZE, SIZE};
		row->compare(&device, 3, &range, 7, slots.address);
		row->copy(&device, (uintptr_t)&finding, slots.address,
			sizeof(finding), MEMPLAN_FROM_DEVICE);
		cr_assert_eq(finding.count, 0, "%s: byte %d", row->name,
			(int)finding.at);
		memplan_block_release(&device, &slots);
		memplan_block_release(&device, &block);
		memplan_device_close(&device);
	}
}

/* Ranges larger than what a device stages, words that begin anywhere. */
Test(device, compares_to_the_last_word)
{
	const uint64_t size = (9 << 20) + 3, at = (8 << 20) + 40;
	const struct memplan_device_row *row;
	struct memplan_pool pool = {size + 64, 64}, slot = {64, 64};
	const unsigned char wrong = 0;

	for (uint32_t i = 0; (row = memplan_device_row_at(i)); i++) {
		struct memplan_finding finding = {0, 0, 0};
		struct memplan_block block, slots;
		struct memplan_range range;

		cr_assert_eq(memplan_device_open(&device, row->name, NULL), 0);
		memplan_block_allocate(&device, &pool, &block);
		memplan_block_allocate(&device, &slot, &slots);
		range = (struct memplan_range){block.address + 5, size};
		row->copy(&device, slots.address, (uintptr_t)&finding,
			sizeof(finding), MEMPLAN_TO_DEVICE);
		cr_assert_eq(row->fill(&device, 0, &range, 1), 0);
		row->compare(&device, 0, &range, 1, slots.address);
		row->copy(&device, range.address + at, (uintptr_t)&wrong, 1,
			MEMPLAN_TO_DEVICE);
		row->compare(&device, 0, &range, 1, slots.address);
		row->copy(&device, (uintptr_t)&finding, slots.address,
			sizeof(finding), MEMPLAN_FROM_DEVICE);
		cr_assert_eq(finding.count, 1, "%s: %d", row->name,
			(int)finding.count);
		cr_assert_eq(finding.at, at);
		memplan_block_release(&device, &slots);
		memplan_block_release(&device, &block);
		memplan_device_close(&device);
	}
}

Test(device, says_what_is_missing)
{
	struct memplan_device_options wishes = {.ordinal = 9};

	expect_failure("cuda", &wishes, "CUDA_ERROR_INVALID_DEVICE");
	expect_failure("acl", &wishes, "invalid device id (107001)");
	setenv("MEMPLAN_STAND_IN", "no-device", 1);
	expect_failure("cuda", NULL,
		"cuda: cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device "
		"is detected (100)");
}

Test(device, holds_the_driver_to_its_alignment)
{
	struct memplan_pool pool = {100, 512};
	struct memplan_block block;

	setenv("MEMPLAN_STAND_IN", "askew", 1);
	cr_assert_eq(memplan_device_open(&device, "cuda", NULL), 0);
	cr_assert_neq(memplan_block_allocate(&device, &pool, &block), 0);
	cr_assert(strstr(device.text, "not aligned"), "%s", device.text);
	memplan_device_close(&device);
}

/* The text keeps the first line of a long message, and the code behind it. */
Test(device, keeps_the_code_of_a_long_text)
{
	struct memplan_pool pool = {100, 64};
	struct memplan_block block;

	setenv("MEMPLAN_STAND_IN", "out-of-memory", 1);
	cr_assert_eq(memplan_device_open(&device, "acl", NULL), 0);
	cr_assert_neq(memplan_block_allocate(&device, &pool, &block), 0);
	cr_assert(strstr(device.text, "acl: aclrtMalloc: EL0004: Failed"));
	cr_assert(strstr(device.text, " (207001)"), "%s", device.text);
	cr_assert_null(strchr(device.text, '\n'));
	memplan_device_close(&device);
}
