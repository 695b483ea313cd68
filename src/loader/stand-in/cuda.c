/*
 * A stand-in for libcuda.so.1, for tests where there is no GPU. Memory is the
 * host's. Streams are queues that run late: when somebody waits, and then the
 * last stream first, each as far as the events let it. So what is not ordered
 * by events happens in another order than it was asked for. The kernels are
 * those of cuda-kernels.cu, compiled as plain C, run with all their threads one
 * after the other.
 *
 * MEMPLAN_STAND_IN=out-of-memory makes allocations fail.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

/* ------------------------------------------------------------------- kernels
 */

struct dimension {
	unsigned x;
};

static struct dimension gridDim, blockDim, blockIdx, threadIdx;

static unsigned long long atomic_add(
	unsigned long long *at, unsigned long long value)
{
	*at += value;
	return *at - value;
}

#define __device__
#define KERNEL static
#define atomicAdd atomic_add
#include "../cuda-kernels.cu"

/* -------------------------------------------------------------------- queues
 */

enum {
	OK = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NOT_INITIALIZED = 3,
	NO_DEVICE = 100,
	NOT_FOUND = 500,
	MOST_STREAMS = 64,
	ALIGN = 256,
};

enum kind {
	FILL,
	COMPARE,
	RECORD,
	WAIT,
};

struct event {
	unsigned long asked, happened; /* how often it was recorded */
};

struct job {
	enum kind kind;
	unsigned blocks, threads;
	unsigned long long address, size, key, finding;
	struct event *event;
	unsigned long wanted; /* of the event */
};

struct queue {
	struct job *jobs;
	size_t first, n, room;
};

static struct queue *queues[MOST_STREAMS];
static char fill_name, compare_name; /* their addresses are the functions */
static int is_ready;

static void run_threads(const struct job *job)
{
	gridDim.x = job->blocks;
	blockDim.x = job->threads;
	for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
		for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
			if (job->kind == FILL)
				memplan_fill((unsigned char *)job->address,
					job->size, job->key);
			else
				memplan_compare(
					(const unsigned char *)job->address,
					job->size, job->key,
					(struct finding *)job->finding);
}

/* False if it has to wait. */
static int run_job(const struct job *job)
{
	switch (job->kind) {
	case FILL:
	case COMPARE:
		run_threads(job);
		return 1;
	case RECORD:
		job->event->happened++;
		return 1;
	case WAIT:
		return job->event->happened >= job->wanted;
	}
	return 0;
}

static int run_queue(struct queue *queue)
{
	int moved = 0;

	while (queue->first < queue->n && run_job(&queue->jobs[queue->first])) {
		queue->first++;
		moved = 1;
	}
	if (queue->first == queue->n)
		queue->first = queue->n = 0;
	return moved;
}

/* The latest stream first, and again whenever one has moved. */
static void run_all(void)
{
	for (int i = MOST_STREAMS - 1; i >= 0; i--)
		if (queues[i] && run_queue(queues[i]))
			i = MOST_STREAMS;
}

static int add(struct queue *queue, struct job job)
{
	struct job *jobs;

	if (queue->n == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 64;
		jobs = realloc(queue->jobs, queue->room * sizeof(*jobs));
		if (!jobs)
			return OUT_OF_MEMORY;
		queue->jobs = jobs;
	}
	queue->jobs[queue->n++] = job;
	return OK;
}

/* ------------------------------------------------------------------ the same
 */

API int cuInit(unsigned flags);
API int cuDeviceGet(int *gpu, int ordinal);
API int cuDevicePrimaryCtxRetain(void **context, int gpu);
API int cuDevicePrimaryCtxRelease_v2(int gpu);
API int cuCtxSetCurrent(void *context);
API int cuCtxSynchronize(void);
API int cuModuleLoadData(void **module, const void *image);
API int cuModuleUnload(void *module);
API int cuModuleGetFunction(void **function, void *module, const char *name);
API int cuMemAlloc_v2(unsigned long long *address, size_t size);
API int cuMemFree_v2(unsigned long long address);
API int cuMemAllocAsync(unsigned long long *address, size_t size, void *stream);
API int cuMemFreeAsync(unsigned long long address, void *stream);
API int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size);
API int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size);
API int cuMemcpyDtoD_v2(
	unsigned long long to, unsigned long long from, size_t size);
API int cuStreamCreate(void **stream, unsigned flags);
API int cuStreamDestroy_v2(void *stream);
API int cuEventCreate(void **event, unsigned flags);
API int cuEventDestroy_v2(void *event);
API int cuEventRecord(void *event, void *stream);
API int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **parameters, void **extra);
API int cuGetErrorName(int code, const char **text);
API int cuGetErrorString(int code, const char **text);

int cuInit(unsigned flags)
{
	is_ready = flags == 0;
	return is_ready ? OK : INVALID_VALUE;
}

int cuDeviceGet(int *gpu, int ordinal)
{
	*gpu = ordinal;
	if (!is_ready)
		return NOT_INITIALIZED;
	return ordinal == 0 ? OK : NO_DEVICE;
}

int cuDevicePrimaryCtxRetain(void **context, int gpu)
{
	*context = &is_ready;
	return gpu == 0 ? OK : NO_DEVICE;
}

int cuDevicePrimaryCtxRelease_v2(int gpu)
{
	return gpu == 0 ? OK : NO_DEVICE;
}

int cuCtxSetCurrent(void *context)
{
	return context == &is_ready ? OK : INVALID_VALUE;
}

/* A queue that never ends waits for an event that nobody will record. */
int cuCtxSynchronize(void)
{
	run_all();
	for (int i = 0; i < MOST_STREAMS; i++)
		if (queues[i] && queues[i]->n > 0)
			abort();
	return OK;
}

int cuModuleLoadData(void **module, const void *image)
{
	*module = &is_ready;
	return strncmp(image, ".version", 8) == 0 ? OK : INVALID_VALUE;
}

int cuModuleUnload(void *module)
{
	return module == &is_ready ? OK : INVALID_VALUE;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	*function = NULL;
	if (strcmp(name, "memplan_fill") == 0)
		*function = &fill_name;
	if (strcmp(name, "memplan_compare") == 0)
		*function = &compare_name;
	return module && *function ? OK : NOT_FOUND;
}

int cuMemAlloc_v2(unsigned long long *address, size_t size)
{
	const char *mood = getenv("MEMPLAN_STAND_IN");
	void *memory;

	if (size == 0)
		return INVALID_VALUE;
	if (mood && strcmp(mood, "out-of-memory") == 0)
		return OUT_OF_MEMORY;
	memory = aligned_alloc(ALIGN, (size + ALIGN - 1) & -(size_t)ALIGN);
	*address = (unsigned long long)memory;
	return memory ? OK : OUT_OF_MEMORY;
}

int cuMemFree_v2(unsigned long long address)
{
	cuCtxSynchronize();
	free((void *)address);
	return OK;
}

int cuMemAllocAsync(unsigned long long *address, size_t size, void *stream)
{
	return stream ? cuMemAlloc_v2(address, size) : INVALID_VALUE;
}

int cuMemFreeAsync(unsigned long long address, void *stream)
{
	return stream ? cuMemFree_v2(address) : INVALID_VALUE;
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t size)
{
	memcpy((void *)to, from, size);
	return OK;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t size)
{
	memcpy(to, (const void *)from, size);
	return OK;
}

int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, size_t size)
{
	memcpy((void *)to, (const void *)from, size);
	return OK;
}

int cuStreamCreate(void **stream, unsigned flags)
{
	if (flags > 1)
		return INVALID_VALUE;
	for (int i = 0; i < MOST_STREAMS; i++) {
		if (queues[i])
			continue;
		queues[i] = calloc(1, sizeof(*queues[i]));
		*stream = queues[i];
		return *stream ? OK : OUT_OF_MEMORY;
	}
	return OUT_OF_MEMORY;
}

int cuStreamDestroy_v2(void *stream)
{
	struct queue *queue = stream;

	cuCtxSynchronize();
	for (int i = 0; i < MOST_STREAMS; i++)
		if (queues[i] == queue)
			queues[i] = NULL;
	free(queue->jobs);
	free(queue);
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
	return add(stream, (struct job){.kind = RECORD, .event = e});
}

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	struct event *e = event;

	if (flags != 0)
		return INVALID_VALUE;
	return add(stream,
		(struct job){.kind = WAIT, .event = e, .wanted = e->asked});
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **parameters, void **extra)
{
	struct job job = {
		.kind = function == &fill_name ? FILL : COMPARE,
		.blocks = gx,
		.threads = bx,
		.address = *(unsigned long long *)parameters[0],
		.size = *(unsigned long long *)parameters[1],
		.key = *(unsigned long long *)parameters[2],
	};

	if (!stream || gx == 0 || gy != 1 || gz != 1 || bx > 1024 || by != 1 ||
		bz != 1 || shared != 0 || extra)
		return INVALID_VALUE;
	if (job.kind == COMPARE)
		job.finding = *(unsigned long long *)parameters[3];
	return add(stream, job);
}

int cuGetErrorName(int code, const char **text)
{
	*text = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
		: code == NO_DEVICE   ? "CUDA_ERROR_NO_DEVICE"
				      : "CUDA_ERROR_INVALID_VALUE";
	return OK;
}

int cuGetErrorString(int code, const char **text)
{
	*text = code == OUT_OF_MEMORY ? "out of memory"
		: code == NO_DEVICE   ? "no CUDA-capable device is detected"
				      : "invalid argument";
	return OK;
}
