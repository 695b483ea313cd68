/*
 * Memory and copies of the stand-in for libcuda.so.1.
 *
 * SPDX-License-Identifier: MIT
 */
#include "libcuda.h"

#include <stdlib.h>
#include <string.h>

#include "live-blocks.h"

enum {
	ALIGN = 256,
	ASKEW = 64,
	DEVICE_ORDINAL = 9, /* CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL */
};

/* Rule 13. */
static int take(CUdeviceptr *address, size_t size, int is_ready)
{
	static struct calls calls;
	void *block;

	if (size == 0)
		return INVALID_VALUE;
	if (is_the_call("out-of-memory", &calls))
		return OUT_OF_MEMORY;
	block = take_block(current_context()->device, size, ALIGN,
		has_mood("askew") ? ASKEW : 0, is_ready);
	*address = (CUdeviceptr)block;
	return block ? OK : OUT_OF_MEMORY;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
	int code = check_unsafe_call(CAPTURE_UNSUPPORTED);

	return code ? code : take(address, size, 1);
}

/* Rule 6. */
CUresult cuMemFree_v2(CUdeviceptr address)
{
	int code = check_unsafe_call(CAPTURE_UNSUPPORTED);

	if (code)
		return code;
	return give_block((void *)address) ? OK : INVALID_VALUE;
}

#ifndef OLD_DRIVER
/* Rule 7. */
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream)
{
	struct queue *queue = stream;
	struct job job = {.kind = ALLOCATE};
	int code = check_call();

	if (code)
		return code;
	if (has_mood("no-pools"))
		return NOT_SUPPORTED;
	if (!queue || queue->context != current_context())
		return INVALID_HANDLE;
	code = take(address, size, 0);
	job.to = code ? NULL : (void *)*address;
	if (code == OK && !add_job(queue, job))
		return OUT_OF_MEMORY;
	return code;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
	struct queue *queue = stream;
	struct job job = {.kind = RELEASE, .from = (void *)address};
	int code = check_call();

	if (code)
		return code;
	if (!queue || queue->context != current_context())
		return INVALID_HANDLE;
	return add_job(queue, job) ? OK : OUT_OF_MEMORY;
}
#endif

/* Of a block: the number of its GPU. */
CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address)
{
	if (attribute != DEVICE_ORDINAL)
		return INVALID_VALUE;
	for (int i = 0; i < DEVICES; i++)
		if (is_usable((void *)address, 1, i))
			return memcpy(data, &i, sizeof(i)), OK;
	return INVALID_VALUE;
}

/* ----------------------------------------------------------- copies */

static int is_of_device(const void *at, size_t size)
{
	return is_usable(at, size, current_context()->device);
}

/* Rule 8: reads the bytes at once; they arrive at the device later. */
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size)
{
	struct job job = {.kind = COPY, .to = (void *)to, .size = size};
	int code = check_unsafe_call(CAPTURE_IMPLICIT);

	if (code)
		return code;
	if (!is_of_device(job.to, size))
		return INVALID_VALUE;
	job.from = job.staged = malloc(size + 1);
	if (!job.staged)
		return OUT_OF_MEMORY;
	memcpy(job.staged, from, size);
	return add_job(default_queue(current_context()->device), job)
		       ? OK
		       : OUT_OF_MEMORY;
}

/* Rule 8: waits for the default stream only. */
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size)
{
	int code = check_unsafe_call(CAPTURE_IMPLICIT);

	if (code)
		return code;
	run_until_empty(default_queue(current_context()->device));
	if (!is_of_device((void *)from, size))
		return INVALID_VALUE;
	memcpy(to, (const void *)from, size);
	return check_call();
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size)
{
	struct job job = {.kind = COPY,
		.to = (void *)to,
		.from = (void *)from,
		.size = size};
	int code = check_unsafe_call(CAPTURE_IMPLICIT);

	if (code)
		return code;
	if (!is_of_device(job.to, size) || !is_of_device(job.from, size))
		return INVALID_VALUE;
	return add_job(default_queue(current_context()->device), job)
		       ? OK
		       : OUT_OF_MEMORY;
}
