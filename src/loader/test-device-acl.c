/*
 * Ascend devices beside a program that uses the runtime for itself. On the
 * stand-in of two NPUs, with the rules of stand-in/libascendcl.c; the same
 * tests run on one that is like older runtimes.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "loader/testing-library.h"

enum {
	SIZE = 4096,
	ON_DEVICE = 3, /* ACL_MEMCPY_DEVICE_TO_DEVICE */
};

/* Functions of the library that a program beside memplan calls itself. */
static int (*aclInit)(const char *);
static int (*aclFinalizeReference)(uint64_t *);
static int (*aclrtSetDevice)(int32_t);
static int (*aclrtGetDevice)(int32_t *);
static int (*aclrtResetDevice)(int32_t);
static int (*aclrtCreateContext)(void **, int32_t);
static int (*aclrtGetCurrentContext)(void **);
static int (*aclrtMalloc)(void **, size_t, int);
static int (*aclrtFree)(void *);
static int (*aclrtCreateStream)(void **);
static int (*aclrtMemcpyAsync)(
	void *, size_t, const void *, size_t, int, void *);
static int (*aclrtSynchronizeDevice)(void);

static struct memplan_device device;
static const struct memplan_pool pool = {SIZE, 512};

static void open_program(const char *mood)
{
	const struct mp_symbol symbols[] = {SYMBOL(aclInit),
		OPTIONAL_SYMBOL(aclFinalizeReference), SYMBOL(aclrtSetDevice),
		SYMBOL(aclrtGetDevice), SYMBOL(aclrtResetDevice),
		SYMBOL(aclrtCreateContext), SYMBOL(aclrtGetCurrentContext),
		SYMBOL(aclrtMalloc), SYMBOL(aclrtFree),
		SYMBOL(aclrtCreateStream), SYMBOL(aclrtMemcpyAsync),
		SYMBOL(aclrtSynchronizeDevice)};

	setenv("MEMPLAN_STAND_IN", mood, 1);
	open_library("libascendcl.so", symbols,
		sizeof(symbols) / sizeof(symbols[0]));
}

static void *current_context(void)
{
	void *context = NULL;

	return aclrtGetCurrentContext(&context) == 0 ? context : NULL;
}

static void expect_to_work(struct memplan_device *opened)
{
	struct memplan_finding finding = {0, 0, 0};
	struct memplan_range range;
	struct memplan_block block;

	cr_assert_eq(memplan_block_allocate(opened, &pool, &block), 0, "%s",
		opened->text);
	cr_assert_eq(block.address % pool.align, 0);
	range = (struct memplan_range){block.address, SIZE - 64};
	cr_assert_eq(
		opened->row->fill(opened, 0, &range, 3), 0, "%s", opened->text);
	cr_assert_eq(opened->row->copy(opened, block.address + SIZE - 64,
			     (uintptr_t)&finding, sizeof(finding),
			     MEMPLAN_TO_DEVICE),
		0);
	cr_assert_eq(opened->row->compare(
			     opened, 0, &range, 4, block.address + SIZE - 64),
		0);
	cr_assert_eq(opened->row->copy(opened, (uintptr_t)&finding,
			     block.address + SIZE - 64, sizeof(finding),
			     MEMPLAN_FROM_DEVICE),
		0);
	cr_assert_eq(finding.count, (SIZE - 64) / 8);
	cr_assert_eq(memplan_block_release(opened, &block), 0);
}

Test(device_acl, leaves_the_runtime_to_a_program_that_had_it)
{
	int32_t ordinal;
	void *memory, *context;

	open_program("no-leaks");
	cr_assert(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
	context = current_context();
	open_device(&device, "acl", NULL);
	expect_to_work(&device);
	memplan_device_close(&device);
	cr_assert(aclrtGetDevice(&ordinal) == 0 && ordinal == 0);
	cr_assert_eq(current_context(), context);
	cr_assert_eq(aclrtMalloc(&memory, 1, 0), 0);
	cr_assert_eq(aclrtFree(memory), 0);
}

Test(device_acl, leaves_a_context_that_the_program_made)
{
	void *context;

	open_program("");
	cr_assert(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
	for (int32_t ordinal = 0; ordinal < 2; ordinal++) {
		struct memplan_device_options options = {.ordinal = ordinal};

		cr_assert_eq(aclrtCreateContext(&context, 0), 0);
		open_device(&device, "acl", &options);
		cr_assert_eq(current_context(), context);
		expect_to_work(&device);
		cr_assert_eq(current_context(), context);
		memplan_device_close(&device);
		cr_assert_eq(current_context(), context);
	}
}

/* The program changes its device between any two calls. */
Test(device_acl, takes_its_own_device_whichever_is_set)
{
	struct memplan_device devices[2];

	open_program("no-leaks");
	cr_assert_eq(aclInit(NULL), 0);
	for (int i = 0; i < 2; i++)
		open_device(&devices[i], "acl",
			&(struct memplan_device_options){.ordinal = i});
	for (int i = 0; i < 2; i++)
		expect_to_work(&devices[i]);
	cr_assert_eq(aclrtSetDevice(1), 0);
	expect_to_work(&devices[0]);
	memplan_device_close(&devices[0]);
	expect_to_work(&devices[1]);
	memplan_device_close(&devices[1]);
}

static void *use_device(void *argument)
{
	expect_to_work(argument);
	memplan_device_close(argument);
	return NULL;
}

Test(device_acl, serves_a_thread_that_has_no_context)
{
	pthread_t thread;

	open_program("no-leaks");
	open_device(&device, "acl", NULL);
	cr_assert_eq(pthread_create(&thread, NULL, use_device, &device), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
}

/* Newer runtimes count; older ones can be initialised once in a process. */
Test(device_acl, opens_again_and_beside_others)
{
	struct memplan_device other;
	uint64_t left = 9;

	open_program("no-leaks");
	for (int i = 0; i < 3; i++) {
		open_device(&device, "acl", NULL);
		open_device(&other, "acl", NULL);
		expect_to_work(&device);
		memplan_device_close(&device);
		expect_to_work(&other);
		memplan_device_close(&other);
	}
	cr_assert_neq(memplan_device_open(&device, "acl",
			      &(struct memplan_device_options){.ordinal = 9}),
		0);
	if (!aclFinalizeReference)
		return;
	cr_assert_eq(aclInit(NULL), 0);
	cr_assert_eq(aclFinalizeReference(&left), 0);
	cr_assert_eq(left, 0, "every opening took its count back");
}

/* Older runtimes do not count, so there the device stays. */
Test(device_acl, gives_the_device_back)
{
	open_program("no-leaks");
	if (!aclFinalizeReference)
		return;
	cr_assert_eq(aclInit(NULL), 0);
	open_device(&device, "acl", NULL);
	memplan_device_close(&device);
	cr_assert_neq(aclrtResetDevice(0), 0, "it was reset");
}

/* aclrtFree waits for nothing, and waiting is for one context only. */
Test(device_acl, releases_when_the_streams_of_the_program_are_done)
{
	for (int own = 0; own < 2; own++) {
		struct memplan_block block;
		void *stream, *context, *at;

		open_program("");
		aclInit(NULL);
		cr_assert_eq(aclrtSetDevice(0), 0);
		if (own)
			cr_assert_eq(aclrtCreateContext(&context, 0), 0);
		open_device(&device, "acl", NULL);
		cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
		cr_assert_eq(aclrtCreateStream(&stream), 0);
		at = mp_device_pointer(block.address);
		cr_assert_eq(aclrtMemcpyAsync((char *)at + 64, 64, at, 64,
				     ON_DEVICE, stream),
			0);
		cr_assert_eq(memplan_block_release(&device, &block), 0);
		cr_assert_eq(aclrtSynchronizeDevice(), 0);
		memplan_device_close(&device);
	}
}

/* A copy is made at once, whatever the streams still have to do. */
Test(device_acl, copies_when_the_streams_of_the_program_are_done)
{
	uint64_t words[8] = {7}, back = 0;
	struct memplan_block block;
	void *stream, *at;

	open_program("");
	cr_assert(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0);
	open_device(&device, "acl", NULL);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
	device.row->copy(&device, block.address, (uintptr_t)words,
		sizeof(words), MEMPLAN_TO_DEVICE);
	cr_assert_eq(aclrtCreateStream(&stream), 0);
	at = mp_device_pointer(block.address);
	cr_assert_eq(aclrtMemcpyAsync(
			     (char *)at + 64, 64, at, 64, ON_DEVICE, stream),
		0);
	device.row->copy(&device, (uintptr_t)&back, block.address + 64,
		sizeof(back), MEMPLAN_FROM_DEVICE);
	cr_assert_eq(back, 7);
	memplan_block_release(&device, &block);
	memplan_device_close(&device);
}

Test(device_acl, gives_all_back_when_memory_is_out)
{
	struct memplan_block block;

	for (int n = 1; n < 4; n++) {
		char mood[64];
		int failed;

		snprintf(mood, sizeof(mood), "no-leaks,out-of-memory=%d", n);
		open_program(mood);
		open_device(&device, "acl", NULL);
		failed = memplan_block_allocate(&device, &pool, &block);
		if (!failed)
			memplan_block_release(&device, &block);
		cr_assert_eq(failed, n == 1);
		memplan_device_close(&device);
	}
}
