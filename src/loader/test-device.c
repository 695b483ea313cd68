/*
 * Devices beside a program that uses the same library for itself: what they
 * change, they change back; and what they promise of memory and copies. On
 * stand-ins, which do late what the drivers may do late.
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

/* The library as the program has it, which is the same as the device's. */
static void open_library(
	const char *name, const struct mp_symbol *symbols, uint32_t n)
{
	struct memplan_device program = {.row = memplan_device_row(0)};
	void *library;

	cr_assert_eq(mp_library_open(&program, name, symbols, n, &library), 0,
		"%s", program.text);
}

static void expect_failure(const char *name,
	const struct memplan_device_options *options, const char *text)
{
	cr_assert_neq(memplan_device_open(&device, name, options), 0);
	cr_assert(strstr(device.text, text), "%s", device.text);
}

Test(device, gives_the_thread_its_context_back)
{
	int (*init)(unsigned), (*retain)(void **, int), (*set)(void *),
		(*get)(void **);
	const struct mp_symbol symbols[] = {{"cuInit", &init, 0},
		{"cuDevicePrimaryCtxRetain", &retain, 0},
		{"cuCtxSetCurrent", &set, 0}, {"cuCtxGetCurrent", &get, 0}};
	void *context, *current;

	open_library("libcuda.so.1", symbols, 4);
	cr_assert_eq(memplan_device_open(&device, "cuda", NULL), 0);
	memplan_device_close(&device);
	cr_assert(get(&current) == 0 && current == NULL);
	cr_assert(init(0) == 0 && retain(&context, 0) == 0);
	cr_assert_eq(set(context), 0);
	cr_assert_eq(memplan_device_open(&device, "cuda", NULL), 0);
	memplan_device_close(&device);
	cr_assert(get(&current) == 0 && current == context);
}

Test(device, leaves_the_runtime_to_a_program_that_had_it)
{
	int (*init)(const char *), (*set)(int32_t), (*get)(int32_t *),
		(*allocate)(void **, size_t, int);
	const struct mp_symbol symbols[] = {{"aclInit", &init, 0},
		{"aclrtSetDevice", &set, 0}, {"aclrtGetDevice", &get, 0},
		{"aclrtMalloc", &allocate, 0}};
	int32_t ordinal;
	void *memory;

	open_library("libascendcl.so", symbols, 4);
	cr_assert(init(NULL) == 0 && set(0) == 0);
	cr_assert_eq(memplan_device_open(&device, "acl", NULL), 0);
	memplan_device_close(&device);
	cr_assert_eq(get(&ordinal), 0);
	cr_assert_eq(allocate(&memory, 1, 0), 0);
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
	for (uint32_t i = 0; (row = memplan_device_row(i)); i++) {
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

/* Bytes go back in stream order, which is behind what other streams do; else
 * a sanitizer sees it. */
Test(device, allocates_in_stream_order)
{
	struct memplan_device_options wishes = {.stream_ordered = 1};
	struct memplan_range range = {0, SIZE};

	setenv("MEMPLAN_STAND_IN", "first-stream-first", 1);
	cr_assert_eq(memplan_device_open(&device, "cuda", &wishes), 0, "%s",
		device.text);
	for (uint32_t i = 0; i < 8; i++) {
		cr_assert_eq(
			device.row->allocate(&device, SIZE, &range.address), 0);
		cr_assert_eq(device.row->fill(&device, i, &range, i), 0);
		cr_assert_eq(device.row->release(&device, range.address), 0);
	}
	memplan_device_close(&device);
	setenv("MEMPLAN_STAND_IN", "no-pools", 1);
	cr_assert_eq(memplan_device_open(&device, "cuda", NULL), 0);
	memplan_device_close(&device);
	expect_failure("cuda", &wishes,
		"cuMemAllocAsync: CUDA_ERROR_NOT_SUPPORTED: operation not "
		"supported (801)");
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
