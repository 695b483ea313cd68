/*
 * A stand-in for libcuda.so.1, for tests where there is no GPU. Memory is the
 * host's, kernels are plain C, streams are the queues of queues.h, and copies
 * to the device arrive as late as the driver allows.
 *
 * MEMPLAN_STAND_IN=out-of-memory makes allocations fail, no-device finds no
 * GPU, no-pools has no stream-ordered allocator, askew aligns memory to less
 * than the driver does.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "queues.h"

enum {
	OK = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201,
	NOT_FOUND = 500,
	NOT_SUPPORTED = 801,
	POOLS = 115,
	ALIGN = 256,
	ASKEW = 64,
};

static int is_ready, n_retained;
static void *current;

int cuInit(unsigned flags)
{
	if (has_mood("no-device"))
		return NO_DEVICE;
	is_ready = flags == 0;
	return is_ready ? OK : INVALID_VALUE;
}

int cuDeviceGet(int *gpu, int ordinal)
{
	*gpu = ordinal;
	if (!is_ready)
		return NOT_INITIALIZED;
	return ordinal == 0 ? OK : INVALID_DEVICE;
}

int cuDeviceGetAttribute(int *value, int attribute, int gpu)
{
	*value = !has_mood("no-pools");
	return attribute == POOLS && gpu == 0 ? OK : INVALID_VALUE;
}

/* ---------------------------------------------------------- context */

int cuDevicePrimaryCtxRetain(void **context, int gpu)
{
	if (gpu != 0)
		return INVALID_DEVICE;
	n_retained++;
	*context = &is_ready;
	return OK;
}

int cuDevicePrimaryCtxRelease_v2(int gpu)
{
	if (gpu != 0 || n_retained == 0)
		return INVALID_CONTEXT;
	n_retained--;
	return OK;
}

int cuCtxGetCurrent(void **context)
{
	*context = current;
	return OK;
}

int cuCtxSetCurrent(void *context)
{
	if (context && (context != &is_ready || n_retained == 0))
		return INVALID_CONTEXT;
	current = context;
	return OK;
}

/* Fails if a queue waits for an event that is never recorded. */
int cuCtxSynchronize(void)
{
	if (!current)
		return INVALID_CONTEXT;
	if (!run_all())
		abort();
	return OK;
}

/* A module is represented by its PTX text. */
int cuModuleLoadData(void **module, const void *image)
{
	size_t size = strlen(image) + 1;

	if (!current || strncmp(image, ".version", 8) != 0)
		return INVALID_VALUE;
	*module = malloc(size);
	if (!*module)
		return OUT_OF_MEMORY;
	memcpy(*module, image, size);
	return OK;
}

int cuModuleUnload(void *module)
{
	free(module);
	return OK;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	const struct kernel *kernel = find_kernel(module, name);

	memcpy(function, &kernel, sizeof(kernel));
	return kernel ? OK : NOT_FOUND;
}

/* ----------------------------------------------------------- memory */

/* In the mood `askew` the block is at a poor alignment, in a static array that
 * needs no release. */
int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
	size_t room = (size + 2 * ALIGN - 1) & -(size_t)ALIGN;
	char *memory;

	if (size == 0)
		return INVALID_VALUE;
	if (!current)
		return INVALID_CONTEXT;
	if (room < size || has_mood("out-of-memory"))
		return OUT_OF_MEMORY;
	if (has_mood("askew")) {
		static _Alignas(ALIGN) char askew[1 << 16];

		*address = (unsigned long long)askew + ASKEW;
		return size < sizeof(askew) - ASKEW ? OK : OUT_OF_MEMORY;
	}
	memory = aligned_alloc(ALIGN, room);
	*address = (unsigned long long)memory;
	return memory ? OK : OUT_OF_MEMORY;
}

int cuMemFree_v2(unsigned long long address)
{
	if (has_mood("askew"))
		return OK;
	cuCtxSynchronize();
	free((void *)address);
	return OK;
}

int cuMemAllocAsync(unsigned long long *address, size_t size, void *stream)
{
	if (has_mood("no-pools"))
		return NOT_SUPPORTED;
	return stream ? cuMemAlloc_v2(address, size) : INVALID_VALUE;
}

int cuMemFreeAsync(unsigned long long address, void *stream)
{
	struct job job = {.kind = RELEASE, .from = (void *)address};

	return stream && add_job(stream, job) ? OK : INVALID_VALUE;
}

/* Reads the bytes at once; they arrive at the device later. */
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
	struct job job = {.kind = COPY, .to = (void *)to, .size = size};

	job.from = job.staged = malloc(size + 1);
	if (!job.staged)
		return OUT_OF_MEMORY;
	memcpy(job.staged, from, size);
	return add_job(NULL, job) ? OK : OUT_OF_MEMORY;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
	run_default();
	memcpy(to, (const void *)from, size);
	return OK;
}

int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t size)
{
	struct job job = {.kind = COPY,
		.to = (void *)to,
		.from = (void *)from,
		.size = size};

	return add_job(NULL, job) ? OK : OUT_OF_MEMORY;
}

/* ---------------------------------------------------------- streams */

int cuStreamCreate(void **stream, unsigned flags)
{
	if (flags > 1)
		return INVALID_VALUE;
	*stream = new_queue();
	return *stream ? OK : OUT_OF_MEMORY;
}

int cuStreamDestroy_v2(void *stream)
{
	cuCtxSynchronize();
	free_queue(stream);
	return OK;
}

int cuEventCreate(void **event, unsigned flags)
{
	*event = calloc(1, sizeof(struct event));
	return *event && flags == 2 ? OK : OUT_OF_MEMORY;
}

int cuEventDestroy_v2(void *event)
{
	free(event);
	return OK;
}

int cuEventRecord(void *event, void *stream)
{
	struct event *e = event;

	e->asked++;
	return stream && add_job(stream,
				 (struct job){.kind = RECORD, .event = e})
		       ? OK
		       : INVALID_VALUE;
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	struct event *e = event;
	struct job job = {.kind = WAIT, .event = e, .wanted = e->asked};

	return stream && flags == 0 && add_job(stream, job) ? OK
							    : INVALID_VALUE;
}

static union value parameter(char kind, const void *at)
{
	union value value = {.u = 0};

	switch (kind) {
	case 'p':
		memcpy(&value.p, at, sizeof(value.p));
		break;
	case 'u':
		memcpy(&value.u, at, sizeof(value.u));
		break;
	case 'i':
		memcpy(&value.i, at, sizeof(value.i));
		break;
	}
	return value;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **parameters, void **extra)
{
	struct job job = {.kind = LAUNCH,
		.kernel = function,
		.blocks = gx,
		.threads = bx};

	if (!stream || gx == 0 || gy != 1 || gz != 1 || bx > 1024 || by != 1 ||
		bz != 1 || shared != 0 || extra)
		return INVALID_VALUE;
	for (size_t i = 0; job.kernel->parameters[i]; i++)
		job.values[i] =
			parameter(job.kernel->parameters[i], parameters[i]);
	return add_job(stream, job) ? OK : OUT_OF_MEMORY;
}

/* ----------------------------------------------------------- errors */

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
	{OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	{NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
		"no CUDA-capable device is detected"},
	{INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	{INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
		"invalid device context"},
	{NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
	{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
};

static size_t error_at(int code)
{
	size_t i = 0, last = sizeof(errors) / sizeof(errors[0]) - 1;

	while (i < last && errors[i].code != code)
		i++;
	return i;
}

int cuGetErrorName(int code, const char **text)
{
	*text = errors[error_at(code)].name;
	return OK;
}

int cuGetErrorString(int code, const char **text)
{
	*text = errors[error_at(code)].text;
	return OK;
}
