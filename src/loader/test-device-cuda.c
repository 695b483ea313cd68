/*
 * CUDA devices beside a program that uses the driver for itself: contexts,
 * threads, streams, captures, faults. On the stand-in of two GPUs, with the
 * rules of stand-in/libcuda.h.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/cuda-types.h"
#include "loader/testing-library.h"
#include "memplan/replay.h"

enum {
	SIZE = 4096,
	ORDINAL_OF = 9,		   /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
	CAPTURE_INVALIDATED = 901, /* CUDA_ERROR_STREAM_CAPTURE_INVALIDATED */
};

/* The program's own. */
static CUresult (*cuInit)(unsigned);
static CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *, CUdevice);
static CUresult (*cuDevicePrimaryCtxGetState)(CUdevice, unsigned *, int *);
static CUresult (*cuCtxSetCurrent)(CUcontext);
static CUresult (*cuCtxGetCurrent)(CUcontext *);
static CUresult (*cuCtxSynchronize)(void);
static CUresult (*cuPointerGetAttribute)(void *, int, CUdeviceptr);
static CUresult (*cuStreamCreate)(CUstream *, unsigned);
static CUresult (*cuStreamBeginCapture_v2)(CUstream, int);
static CUresult (*cuStreamEndCapture)(CUstream, void **);
static CUresult (*cuMemAllocAsync)(CUdeviceptr *, size_t, CUstream);
static CUresult (*cuModuleLoadData)(CUmodule *, const void *);
static CUresult (*cuModuleUnload)(CUmodule);
static CUresult (*cuModuleGetFunction)(CUfunction *, CUmodule, const char *);
static CUresult (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned,
	unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);

#include "loader/cuda-kernels.h"

static const struct memplan_pool pool = {SIZE, 256};

static void open_program(const char *mood)
{
	const struct mp_symbol symbols[] = {SYMBOL(cuInit),
		SYMBOL(cuDevicePrimaryCtxRetain),
		SYMBOL(cuDevicePrimaryCtxGetState), SYMBOL(cuCtxSetCurrent),
		SYMBOL(cuCtxGetCurrent), SYMBOL(cuCtxSynchronize),
		SYMBOL(cuPointerGetAttribute), SYMBOL(cuStreamCreate),
		SYMBOL(cuStreamBeginCapture_v2), SYMBOL(cuStreamEndCapture),
		OPTIONAL_SYMBOL(cuMemAllocAsync), SYMBOL(cuModuleLoadData),
		SYMBOL(cuModuleUnload), SYMBOL(cuModuleGetFunction),
		SYMBOL(cuLaunchKernel)};

	setenv("MEMPLAN_STAND_IN", mood, 1);
	open_library(
		"libcuda.so.1", symbols, sizeof(symbols) / sizeof(symbols[0]));
	cr_assert_eq(cuInit(0), 0);
}

static CUcontext enter_context(CUdevice gpu)
{
	CUcontext context;

	cr_assert_eq(cuDevicePrimaryCtxRetain(&context, gpu), 0);
	cr_assert_eq(cuCtxSetCurrent(context), 0);
	return context;
}

static CUcontext current_context(void)
{
	CUcontext context;

	cr_assert_eq(cuCtxGetCurrent(&context), 0);
	return context;
}

/* The GPU that has the block; -1: none. */
static int gpu_of(const struct memplan_block *block)
{
	int gpu = -1;

	cuPointerGetAttribute(&gpu, ORDINAL_OF, block->address);
	return gpu;
}

static int is_active(CUdevice gpu)
{
	unsigned flags;
	int active;

	cr_assert_eq(cuDevicePrimaryCtxGetState(gpu, &flags, &active), 0);
	return active;
}

static CUfunction load_fill(CUmodule *module)
{
	CUfunction function;

	cr_assert_eq(cuModuleLoadData(module, cuda_kernels), 0);
	cr_assert_eq(
		cuModuleGetFunction(&function, *module, "memplan_fill"), 0);
	return function;
}

/* The program fills the range in a stream of its own. */
static void fill_aside(
	CUfunction fill, uint64_t address, uint64_t size, CUstream stream)
{
	uint64_t key = 1;
	void *parameters[] = {&address, &size, &key};

	cr_assert_eq(cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, stream,
			     parameters, NULL),
		0);
}

/* --------------------------------------------------------- contexts */

Test(device_cuda, takes_its_own_gpu_whichever_is_current)
{
	struct memplan_device devices[2];
	struct memplan_block blocks[2];

	open_program("no-leaks");
	for (int i = 0; i < 2; i++)
		open_device(&devices[i], "cuda",
			&(struct memplan_device_options){.ordinal = i});
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(
			memplan_block_allocate(&devices[i], &pool, &blocks[i]),
			0, "%s", devices[i].text);
		cr_assert_eq(gpu_of(&blocks[i]), i);
	}
	cr_assert_eq(memplan_block_release(&devices[0], &blocks[0]), 0);
	memplan_device_close(&devices[0]);
	cr_assert_eq(memplan_block_release(&devices[1], &blocks[1]), 0, "%s",
		devices[1].text);
	memplan_device_close(&devices[1]);
	cr_assert_not(is_active(0));
	cr_assert_not(is_active(1));
}

/* As cudaSetDevice() or a framework's guard does, between any two calls. */
Test(device_cuda, leaves_the_current_context_as_it_is)
{
	struct memplan_finding finding = {0, 0, 0};
	struct memplan_device device;
	struct memplan_block block;
	struct memplan_range range;
	CUcontext other;

	open_program("no-leaks");
	open_device(&device, "cuda", NULL);
	cr_assert_null(current_context());
	other = enter_context(1);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0, "%s",
		device.text);
	cr_assert_eq(gpu_of(&block), 0);
	range = (struct memplan_range){block.address, SIZE - 64};
	cr_assert_eq(device.row->fill(&device, 1, &range, 5), 0);
	cr_assert_eq(device.row->record(&device, 1, 0), 0);
	cr_assert_eq(device.row->await(&device, 2, 0), 0);
	cr_assert_eq(device.row->copy(&device, block.address + SIZE - 64,
			     (uintptr_t)&finding, sizeof(finding),
			     MEMPLAN_TO_DEVICE),
		0);
	cr_assert_eq(device.row->compare(
			     &device, 2, &range, 5, block.address + SIZE - 64),
		0);
	cr_assert_eq(device.row->finish(&device), 0, "%s", device.text);
	cr_assert_eq(memplan_block_release(&device, &block), 0);
	cr_assert_eq(current_context(), other);
	memplan_device_close(&device);
	cr_assert_eq(current_context(), other);
}

static void *use_device(void *argument)
{
	struct memplan_device *device = argument;
	struct memplan_block block;

	cr_assert_eq(memplan_block_allocate(device, &pool, &block), 0, "%s",
		device->text);
	cr_assert_eq(memplan_block_release(device, &block), 0);
	memplan_device_close(device);
	return NULL;
}

/* Work may be under way when a device is closed; a block may have no bytes. */
Test(device_cuda, closes_when_its_work_is_done)
{
	struct memplan_device device;
	struct memplan_block block, empty;
	struct memplan_pool none = {0, 256};
	struct memplan_range range;

	open_program("");
	open_device(&device, "cuda", NULL);
	cr_assert_eq(memplan_block_allocate(&device, &none, &empty), 0, "%s",
		device.text);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
	range = (struct memplan_range){block.address, SIZE};
	cr_assert_eq(device.row->fill(&device, 3, &range, 1), 0);
	cr_assert_eq(device.row->record(&device, 3, 64), 0);
	cr_assert_eq(device.row->await(&device, 4, 64), 0);
	memplan_device_close(&device);
	cr_assert_not(is_active(0));
}

Test(device_cuda, serves_one_thread_after_the_other)
{
	struct memplan_device device;
	pthread_t thread;

	open_program("no-leaks");
	open_device(&device, "cuda", NULL);
	cr_assert_eq(pthread_create(&thread, NULL, use_device, &device), 0);
	cr_assert_eq(pthread_join(thread, NULL), 0);
	cr_assert_not(is_active(0));
}

/* The libraries of vendors crash when they are unloaded. */
Test(device_cuda, leaves_the_library_in_memory)
{
	struct memplan_device device;

	open_device(&device, "cuda", NULL);
	memplan_device_close(&device);
	cr_assert_not_null(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD));
}

/* ---------------------------------------------------------- streams */

/* cuMemFree may return while other streams still use the bytes. */
Test(device_cuda, releases_when_the_streams_of_the_program_are_done)
{
	open_program("");
	for (int ordered = 0; ordered < 1 + !!cuMemAllocAsync; ordered++) {
		struct memplan_device device;
		struct memplan_block block;
		CUmodule module;
		CUstream stream;

		enter_context(0);
		open_device(&device, "cuda",
			&(struct memplan_device_options){
				.stream_ordered = ordered});
		cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
		cr_assert_eq(cuStreamCreate(&stream, 1), 0);
		fill_aside(load_fill(&module), block.address, SIZE, stream);
		cr_assert_eq(memplan_block_release(&device, &block), 0);
		cr_assert_eq(cuCtxSynchronize(), 0);
		cr_assert_eq(cuModuleUnload(module), 0);
		memplan_device_close(&device);
	}
}

Test(device_cuda, takes_any_number_for_a_stream)
{
	static const uint32_t numbers[] = {
		300, 0, 65535, UINT32_MAX, 7, 299, 301, 300, 7};
	struct memplan_device device;
	struct memplan_block block;
	struct memplan_range range;

	open_program("no-leaks");
	open_device(&device, "cuda", NULL);
	memplan_block_allocate(&device, &pool, &block);
	range = (struct memplan_range){block.address, SIZE};
	for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		cr_assert_eq(device.row->fill(&device, numbers[i], &range, i),
			0, "%s", device.text);
		cr_assert_eq(device.row->record(&device, numbers[i], i), 0);
	}
	/* A number means the same stream each time: without an event its
	 * work is done in order. */
	for (uint64_t key = 0; key < 3; key++)
		device.row->fill(&device, 65535, &range, key);
	cr_assert_eq(device.row->finish(&device), 0);
	cr_assert_eq(memplan_block_release(&device, &block), 0);
	memplan_device_close(&device);
}

/* Of two streams only the event makes the second wait: in all the orders that
 * the seeds choose. */
Test(device_cuda, waits_for_the_events_that_it_is_told)
{
	struct memplan_pool both = {2 * SIZE, 256};
	uint32_t n_found = 0;

	for (uint32_t seed = 1; seed <= 40; seed++)
		for (int ordered = 0; ordered < 2; ordered++) {
			struct memplan_finding finding = {0, 0, 0};
			struct memplan_device device;
			struct memplan_block block;
			struct memplan_range range;
			char mood[32];

			snprintf(mood, sizeof(mood), "seed=%u", seed);
			open_program(mood);
			open_device(&device, "cuda", NULL);
			memplan_block_allocate(&device, &both, &block);
			range = (struct memplan_range){block.address, SIZE};
			device.row->copy(&device, block.address + SIZE,
				(uintptr_t)&finding, sizeof(finding),
				MEMPLAN_TO_DEVICE);
			device.row->fill(&device, 1, &range, 5);
			device.row->record(&device, 1, 64);
			if (ordered)
				device.row->await(&device, 2, 64);
			device.row->compare(
				&device, 2, &range, 5, block.address + SIZE);
			device.row->copy(&device, (uintptr_t)&finding,
				block.address + SIZE, sizeof(finding),
				MEMPLAN_FROM_DEVICE);
			cr_assert(!ordered || finding.count == 0);
			n_found += finding.count > 0;
			cr_assert_eq(memplan_block_release(&device, &block), 0);
			memplan_device_close(&device);
		}
	cr_assert(n_found > 0 && n_found < 40, "%u", n_found);
}

Test(device_cuda, says_that_a_stream_may_not_be_captured_meanwhile)
{
	struct memplan_device device;
	struct memplan_block block, more;
	struct memplan_finding finding;
	CUmodule module;
	CUfunction fill;
	CUstream stream;
	void *graph;

	open_program("");
	enter_context(0);
	open_device(&device, "cuda", NULL);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
	cr_assert_eq(cuStreamCreate(&stream, 1), 0);
	fill = load_fill(&module);
	cr_assert_eq(cuStreamBeginCapture_v2(stream, 0), 0);
	fill_aside(fill, block.address, SIZE, stream);
	cr_assert_eq(cuStreamEndCapture(stream, &graph), 0);

	cr_assert_eq(cuStreamBeginCapture_v2(stream, 0), 0);
	cr_assert_neq(memplan_block_allocate(&device, &pool, &more), 0);
	cr_assert(strstr(device.text, "STREAM_CAPTURE"), "%s", device.text);
	cr_assert_neq(
		device.row->copy(&device, (uintptr_t)&finding, block.address,
			sizeof(finding), MEMPLAN_FROM_DEVICE),
		0);
	cr_assert_eq(cuStreamEndCapture(stream, &graph), CAPTURE_INVALIDATED);
	cr_assert_eq(
		memplan_block_release(&device, &block), 0, "%s", device.text);
	memplan_device_close(&device);
}

/* ----------------------------------------------------------- memory */

static void expect_no_pools(void)
{
	struct memplan_device_options wishes = {.stream_ordered = 1};
	struct memplan_device device;

	open_device(&device, "cuda", NULL);
	memplan_device_close(&device);
	cr_assert_neq(memplan_device_open(&device, "cuda", &wishes), 0);
	cr_assert(strstr(device.text,
			  "cuMemAllocAsync: CUDA_ERROR_NOT_SUPPORTED: "
			  "operation not supported (801)"),
		"%s", device.text);
}

/* Bytes go back in stream order, which is behind what other streams did. */
Test(device_cuda, allocates_in_stream_order)
{
	static const char *const moods[] = {"first-stream-first,no-leaks",
		"no-leaks", "seed=1,no-leaks", "seed=2,no-leaks"};
	struct memplan_device_options wishes = {.stream_ordered = 1};
	struct memplan_range range = {0, SIZE};
	struct memplan_device device;

	open_program("");
	if (!cuMemAllocAsync) {
		expect_no_pools();
		return;
	}
	for (uint32_t mood = 0; mood < 4; mood++) {
		open_program(moods[mood]);
		open_device(&device, "cuda", &wishes);
		for (uint32_t i = 0; i < 8; i++) {
			struct memplan_block block = {.size = SIZE};

			cr_assert_eq(device.row->allocate(
					     &device, SIZE, &range.address),
				0);
			cr_assert_eq(
				device.row->fill(&device, i, &range, i), 0);
			block.memory = range.address;
			cr_assert_eq(memplan_block_release(&device, &block), 0,
				"%s", device.text);
		}
		memplan_device_close(&device);
		cr_assert_not(is_active(0));
	}
	setenv("MEMPLAN_STAND_IN", "no-pools", 1);
	expect_no_pools();
}

/* What needs no kernel works without the compiler of the driver. */
Test(device_cuda, holds_blocks_without_a_compiler)
{
	static char bytes[SIZE] = "bytes", back[SIZE];
	struct memplan_device device;
	struct memplan_block block;
	struct memplan_range range;

	open_program("no-jit,no-leaks");
	open_device(&device, "cuda", NULL);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
	cr_assert_eq(device.row->copy(&device, block.address, (uintptr_t)bytes,
			     SIZE, MEMPLAN_TO_DEVICE),
		0);
	cr_assert_eq(device.row->copy(&device, (uintptr_t)back, block.address,
			     SIZE, MEMPLAN_FROM_DEVICE),
		0);
	cr_assert_eq(memcmp(bytes, back, SIZE), 0);
	range = (struct memplan_range){block.address, SIZE};
	cr_assert_neq(device.row->fill(&device, 0, &range, 1), 0);
	cr_assert(strstr(device.text, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"),
		"%s", device.text);
	cr_assert_eq(memplan_block_release(&device, &block), 0);
	memplan_device_close(&device);
}

static enum memplan_status replay_tiny(struct memplan_device *device)
{
	static const uint32_t a = 0, b = 1;
	static const struct memplan_tensor tensors[] = {
		{.name = "a", .size = 100, .end = 2},
		{.name = "b", .offset = 128, .size = 9, .start = 1, .end = 2}};
	static const struct memplan_op ops[] = {
		{.name = "f", .outputs = &a, .n_outputs = 1},
		{.name = "g",
			.inputs = &a,
			.outputs = &b,
			.n_inputs = 1,
			.n_outputs = 1,
			.stream = 1}};
	const struct memplan_replay_plan plan = {.tensors = tensors,
		.ops = ops,
		.n_tensors = 2,
		.n_ops = 2,
		.n_steps = 2,
		.arena = {256, 256}};
	const struct memplan_replay_options options = {.repeat = 1, .seed = 1};
	struct memplan_replay_result result;

	return memplan_replay(device, &plan, &options, &result);
}

/* Whichever allocation fails, nothing is left behind. */
Test(device_cuda, gives_all_back_when_memory_is_out)
{
	enum memplan_status status = MEMPLAN_EIO;

	for (uint32_t n = 1; status != MEMPLAN_OK; n++) {
		struct memplan_device device;
		char mood[64];

		snprintf(mood, sizeof(mood), "no-leaks,out-of-memory=%u", n);
		open_program(mood);
		open_device(&device, "cuda", NULL);
		status = replay_tiny(&device);
		cr_assert(status == MEMPLAN_OK ||
				  strstr(device.text, "OUT_OF_MEMORY"),
			"%s", device.text);
		memplan_device_close(&device);
		cr_assert_not(is_active(0));
		cr_assert_lt(n, 9);
	}
}

/* A fault stays; all calls after it fail, and the first text is kept. */
Test(device_cuda, tells_of_a_fault_that_stays)
{
	struct memplan_device device;
	struct memplan_block block;
	struct memplan_range range;

	open_program("fault=2");
	open_device(&device, "cuda", NULL);
	cr_assert_eq(memplan_block_allocate(&device, &pool, &block), 0);
	range = (struct memplan_range){block.address, SIZE};
	device.row->fill(&device, 0, &range, 1);
	cr_assert_eq(device.row->finish(&device), 0);
	device.row->fill(&device, 0, &range, 2);
	cr_assert_neq(memplan_block_release(&device, &block), 0);
	cr_assert(strstr(device.text,
			  "cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"),
		"%s", device.text);
	memplan_device_close(&device);
	cr_assert_not(is_active(0));
}

/* ---------------------------------------------------------- kernels */

/* The threads of a kernel take turns in any order: patterns are whole, and what
 * differs is counted once a word. */
Test(device_cuda, has_kernels_whose_threads_may_take_turns)
{
	static unsigned char bytes[SIZE], wanted[SIZE];
	struct memplan_pool both = {2 * SIZE, 256};
	struct memplan_device device;
	struct memplan_block block;

	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct memplan_finding finding = {0, 0, 0};
		struct memplan_range range;
		uint64_t skip = seed % 9, size = 700 + 3 * seed;
		char mood[64];

		snprintf(mood, sizeof(mood), "interleave,seed=%u", seed);
		open_program(mood);
		open_device(&device, "cuda", NULL);
		memplan_block_allocate(&device, &both, &block);
		range = (struct memplan_range){block.address + skip, size};
		memset(wanted, 0xee, SIZE);
		device.row->copy(&device, block.address, (uintptr_t)wanted,
			SIZE, MEMPLAN_TO_DEVICE);
		cr_assert_eq(device.row->fill(&device, 0, &range, seed), 0);
		device.row->copy(&device, (uintptr_t)bytes, block.address, SIZE,
			MEMPLAN_FROM_DEVICE);
		mp_pattern_fill(wanted + skip, size, seed);
		cr_assert_eq(memcmp(bytes, wanted, SIZE), 0, "seed %u", seed);

		for (uint32_t i = 0; i < 5; i++)
			bytes[skip + 8 * (3 + i * i)] ^= 0x80;
		device.row->copy(&device, block.address, (uintptr_t)bytes, SIZE,
			MEMPLAN_TO_DEVICE);
		device.row->copy(&device, block.address + SIZE,
			(uintptr_t)&finding, sizeof(finding),
			MEMPLAN_TO_DEVICE);
		device.row->compare(
			&device, 0, &range, seed, block.address + SIZE);
		device.row->copy(&device, (uintptr_t)&finding,
			block.address + SIZE, sizeof(finding),
			MEMPLAN_FROM_DEVICE);
		cr_assert_eq(finding.count, 5);
		cr_assert_eq(
			memcmp(&finding.found, bytes + skip + finding.at, 8),
			0);
		cr_assert_eq(memplan_block_release(&device, &block), 0);
		memplan_device_close(&device);
	}
}
