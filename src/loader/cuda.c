/*
 * CUDA devices, through the driver. They use the primary context of the GPU,
 * which the runtime library uses too. The thread that opens the device has this
 * context as its current one until it closes the device. This file declares the
 * driver's functions itself. Their binary interface is fixed, so that no
 * toolkit is needed to build it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "loader/cuda-kernels.h"
#include "loader/rows.h"

enum {
	BASE_ALIGN = 256,
	MOST_STREAMS = 256,
	POOLS = 115,	     /* CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED */
	NOT_SUPPORTED = 801, /* CUDA_ERROR_NOT_SUPPORTED */
	NON_BLOCKING = 1,    /* CU_STREAM_NON_BLOCKING */
	DISABLE_TIMING = 2,  /* CU_EVENT_DISABLE_TIMING */
	THREADS = 256,
	MOST_BLOCKS = 4096,
};

/* CUresult is an int, CUdeviceptr a 64-bit number, all others are pointers. */
struct driver {
	int (*init)(unsigned flags);
	int (*get_device)(int *gpu, int ordinal);
	int (*get_attribute)(int *value, int attribute, int gpu);
	int (*retain_context)(void **context, int gpu);
	int (*release_context)(int gpu);
	int (*get_context)(void **context);
	int (*set_context)(void *context);
	int (*synchronize)(void);
	int (*load_module)(void **module, const void *image);
	int (*unload_module)(void *module);
	int (*get_function)(void **function, void *module, const char *name);
	int (*allocate)(unsigned long long *address, size_t size);
	int (*release)(unsigned long long address);
	/* NULL in drivers older than CUDA 11.2. */
	int (*allocate_async)(
		unsigned long long *address, size_t size, void *stream);
	int (*release_async)(unsigned long long address, void *stream);
	int (*to_device)(unsigned long long to, const void *from, size_t size);
	int (*from_device)(void *to, unsigned long long from, size_t size);
	int (*on_device)(
		unsigned long long to, unsigned long long from, size_t size);
	int (*create_stream)(void **stream, unsigned flags);
	int (*destroy_stream)(void *stream);
	int (*create_event)(void **event, unsigned flags);
	int (*destroy_event)(void *event);
	int (*record)(void *event, void *stream);
	int (*wait)(void *stream, void *event, unsigned flags);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz,
		unsigned bx, unsigned by, unsigned bz, unsigned shared,
		void *stream, void **parameters, void **extra);
	int (*error_name)(int code, const char **text);
	int (*error_text)(int code, const char **text);
};

struct cuda {
	struct driver driver;
	void *library;
	int gpu, stream_ordered;
	int has_new;  /* allocations that only stream 0 waits for */
	int has_work; /* allocations in other streams since the last wait for
			 all */
	void *context, *module, *fill, *compare;
	void *before; /* the thread's context until the device was opened */
	int is_current;
	void *streams[MOST_STREAMS];
	void **events; /* NULL: never recorded */
	uint32_t n_events;
};

/* Keeps the driver's words and code. */
static int has_failed(struct memplan_device *device, const char *call, int code)
{
	const struct driver *d = &((struct cuda *)device->state)->driver;
	const char *name = NULL, *words = NULL;
	char text[160];

	if (code == 0)
		return 0;
	d->error_name(code, &name);
	d->error_text(code, &words);
	snprintf(text, sizeof(text), "%s: %s", name ? name : "?",
		words ? words : "unknown error");
	return mp_device_fail(device, call, code, text);
}

/* ---------------------------------------------------------- opening */

/* By the names of the binary interface: NAME_v2 where cuda.h maps NAME to it.
 */
static int load_symbols(struct memplan_device *device, struct cuda *cuda)
{
	struct driver *d = &cuda->driver;
	const struct mp_symbol symbols[] = {
		{"cuInit", &d->init, 0},
		{"cuDeviceGet", &d->get_device, 0},
		{"cuDeviceGetAttribute", &d->get_attribute, 0},
		{"cuDevicePrimaryCtxRetain", &d->retain_context, 0},
		{"cuDevicePrimaryCtxRelease_v2", &d->release_context, 0},
		{"cuCtxGetCurrent", &d->get_context, 0},
		{"cuCtxSetCurrent", &d->set_context, 0},
		{"cuCtxSynchronize", &d->synchronize, 0},
		{"cuModuleLoadData", &d->load_module, 0},
		{"cuModuleUnload", &d->unload_module, 0},
		{"cuModuleGetFunction", &d->get_function, 0},
		{"cuMemAlloc_v2", &d->allocate, 0},
		{"cuMemFree_v2", &d->release, 0},
		{"cuMemAllocAsync", &d->allocate_async, 1},
		{"cuMemFreeAsync", &d->release_async, 1},
		{"cuMemcpyHtoD_v2", &d->to_device, 0},
		{"cuMemcpyDtoH_v2", &d->from_device, 0},
		{"cuMemcpyDtoD_v2", &d->on_device, 0},
		{"cuStreamCreate", &d->create_stream, 0},
		{"cuStreamDestroy_v2", &d->destroy_stream, 0},
		{"cuEventCreate", &d->create_event, 0},
		{"cuEventDestroy_v2", &d->destroy_event, 0},
		{"cuEventRecord", &d->record, 0},
		{"cuStreamWaitEvent", &d->wait, 0},
		{"cuLaunchKernel", &d->launch, 0},
		{"cuGetErrorName", &d->error_name, 0},
		{"cuGetErrorString", &d->error_text, 0},
	};

	return mp_library_open(device, "libcuda.so.1", symbols,
		sizeof(symbols) / sizeof(symbols[0]), &cuda->library);
}

static int load_kernels(struct memplan_device *device, struct cuda *cuda)
{
	const struct driver *d = &cuda->driver;

	return has_failed(device, "cuModuleLoadData",
		       d->load_module(&cuda->module, cuda_kernels)) ||
	       has_failed(device, "cuModuleGetFunction",
		       d->get_function(
			       &cuda->fill, cuda->module, "memplan_fill")) ||
	       has_failed(device, "cuModuleGetFunction",
		       d->get_function(&cuda->compare, cuda->module,
			       "memplan_compare"));
}

/* Old drivers do not know the attribute and return an error for it. */
static int need_pools(struct memplan_device *device, const struct cuda *cuda)
{
	const struct driver *d = &cuda->driver;
	int has_pools = 0;

	if (!cuda->stream_ordered)
		return 0;
	if (d->allocate_async && d->release_async &&
		d->get_attribute(&has_pools, POOLS, cuda->gpu) == 0 &&
		has_pools)
		return 0;
	return has_failed(device, "cuMemAllocAsync", NOT_SUPPORTED);
}

static int enter_context(struct memplan_device *device, struct cuda *cuda)
{
	const struct driver *d = &cuda->driver;

	if (has_failed(device, "cuDevicePrimaryCtxRetain",
		    d->retain_context(&cuda->context, cuda->gpu)) ||
		has_failed(device, "cuCtxGetCurrent",
			d->get_context(&cuda->before)) ||
		has_failed(device, "cuCtxSetCurrent",
			d->set_context(cuda->context)))
		return 1;
	cuda->is_current = 1;
	return 0;
}

static int open_cuda(struct memplan_device *device,
	const struct memplan_device_options *options)
{
	struct cuda *cuda = calloc(1, sizeof(*cuda));

	if (!cuda)
		return mp_device_fail(device, "calloc", 0, "out of memory");
	device->state = cuda;
	cuda->stream_ordered = options->stream_ordered;
	return load_symbols(device, cuda) ||
	       has_failed(device, "cuInit", cuda->driver.init(0)) ||
	       has_failed(device, "cuDeviceGet",
		       cuda->driver.get_device(&cuda->gpu, options->ordinal)) ||
	       need_pools(device, cuda) || enter_context(device, cuda) ||
	       load_kernels(device, cuda);
}

static void destroy_streams(struct cuda *cuda)
{
	for (uint32_t i = 0; i < cuda->n_events; i++)
		if (cuda->events[i])
			cuda->driver.destroy_event(cuda->events[i]);
	for (uint32_t i = 0; i < MOST_STREAMS; i++)
		if (cuda->streams[i])
			cuda->driver.destroy_stream(cuda->streams[i]);
}

/* Also cleans up after an opening that failed. Bytes may still be returned in
 * stream order, so this waits for all streams. */
static void close_cuda(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	if (!cuda)
		return;
	if (cuda->is_current)
		cuda->driver.synchronize();
	destroy_streams(cuda);
	if (cuda->module)
		cuda->driver.unload_module(cuda->module);
	if (cuda->is_current)
		cuda->driver.set_context(cuda->before);
	if (cuda->context)
		cuda->driver.release_context(cuda->gpu);
	mp_library_close(cuda->library);
	free(cuda->events);
	free(cuda);
}

/* ---------------------------------------------------------- streams */

static int finish_cuda(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	cuda->has_new = cuda->has_work = 0;
	return has_failed(
		device, "cuCtxSynchronize", cuda->driver.synchronize());
}

static int stream_of(struct memplan_device *device, uint32_t i, void **stream)
{
	struct cuda *cuda = device->state;

	*stream = NULL;
	if (i >= MOST_STREAMS)
		return mp_device_fail(
			device, "streams", (long)i, "more than 256");
	if (i > 0 && cuda->has_new && finish_cuda(device))
		return 1;
	cuda->has_work |= i > 0;
	if (!cuda->streams[i] &&
		has_failed(device, "cuStreamCreate",
			cuda->driver.create_stream(
				&cuda->streams[i], NON_BLOCKING)))
		return 1;
	*stream = cuda->streams[i];
	return 0;
}

static int make_room(struct memplan_device *device, uint32_t event)
{
	struct cuda *cuda = device->state;
	uint32_t n = cuda->n_events ? cuda->n_events : 64;
	void **events;

	assert(event < UINT32_MAX / 2);
	if (event < cuda->n_events)
		return 0;
	while (n <= event)
		n *= 2;
	events = realloc(cuda->events, n * sizeof(*events));
	if (!events)
		return mp_device_fail(device, "realloc", 0, "out of memory");
	for (; cuda->n_events < n; cuda->n_events++)
		events[cuda->n_events] = NULL;
	cuda->events = events;
	return 0;
}

static int record_event(
	struct memplan_device *device, uint32_t id, uint32_t event)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (stream_of(device, id, &stream) || make_room(device, event))
		return 1;
	if (!cuda->events[event] &&
		has_failed(device, "cuEventCreate",
			cuda->driver.create_event(
				&cuda->events[event], DISABLE_TIMING)))
		return 1;
	return has_failed(device, "cuEventRecord",
		cuda->driver.record(cuda->events[event], stream));
}

static int await_event(
	struct memplan_device *device, uint32_t id, uint32_t event)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (event >= cuda->n_events || !cuda->events[event])
		return 0;
	return stream_of(device, id, &stream) ||
	       has_failed(device, "cuStreamWaitEvent",
		       cuda->driver.wait(stream, cuda->events[event], 0));
}

/* ----------------------------------------------------------- memory */

static int allocate_cuda(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	struct cuda *cuda = device->state;
	unsigned long long given = 0;
	void *stream;
	int bad;

	size = size ? size : 1;
	if (!cuda->stream_ordered)
		bad = has_failed(device, "cuMemAlloc",
			cuda->driver.allocate(&given, (size_t)size));
	else
		bad = stream_of(device, 0, &stream) ||
		      has_failed(device, "cuMemAllocAsync",
			      cuda->driver.allocate_async(
				      &given, (size_t)size, stream));
	cuda->has_new |= cuda->stream_ordered;
	*address = given;
	return bad;
}

/* The bytes are returned in stream order, so other streams must have finished
 * with them. */
static int release_cuda(struct memplan_device *device, uint64_t address)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (!cuda->stream_ordered)
		return has_failed(
			device, "cuMemFree", cuda->driver.release(address));
	return (cuda->has_work && finish_cuda(device)) ||
	       stream_of(device, 0, &stream) ||
	       has_failed(device, "cuMemFreeAsync",
		       cuda->driver.release_async(address, stream));
}

/* Copies run in the default stream. Our streams do not wait for it, and a copy
 * may return before its bytes have arrived on the device. */
static int copy_cuda(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t bytes, enum memplan_direction direction)
{
	const struct driver *d = &((struct cuda *)device->state)->driver;
	size_t size = (size_t)bytes;

	if (finish_cuda(device))
		return 1;
	if (direction == MEMPLAN_FROM_DEVICE)
		return has_failed(device, "cuMemcpyDtoH",
			d->from_device(mp_device_pointer(to), from, size));
	if (direction == MEMPLAN_TO_DEVICE)
		return has_failed(device, "cuMemcpyHtoD",
			       d->to_device(
				       to, mp_device_pointer(from), size)) ||
		       finish_cuda(device);
	return has_failed(
		       device, "cuMemcpyDtoD", d->on_device(to, from, size)) ||
	       finish_cuda(device);
}

/* ---------------------------------------------------------- kernels */

static int launch_kernel(struct memplan_device *device, uint32_t id,
	void *function, uint64_t size, void **parameters)
{
	struct cuda *cuda = device->state;
	uint64_t blocks = size / 8 / THREADS + 1;
	void *stream;

	assert(cuda->is_current && function);
	if (blocks > MOST_BLOCKS)
		blocks = MOST_BLOCKS;
	return stream_of(device, id, &stream) ||
	       has_failed(device, "cuLaunchKernel",
		       cuda->driver.launch(function, (unsigned)blocks, 1, 1,
			       THREADS, 1, 1, 0, stream, parameters, NULL));
}

static int fill_cuda(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key)
{
	struct cuda *cuda = device->state;
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key};

	return launch_kernel(device, stream, cuda->fill, size, parameters);
}

static int compare_cuda(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	struct cuda *cuda = device->state;
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key, &finding};

	return launch_kernel(device, stream, cuda->compare, size, parameters);
}

const struct memplan_device_row mp_device_cuda = {
	"cuda",
	"an NVIDIA GPU, by libcuda.so.1",
	BASE_ALIGN,
	open_cuda,
	close_cuda,
	allocate_cuda,
	release_cuda,
	copy_cuda,
	fill_cuda,
	compare_cuda,
	record_event,
	await_event,
	finish_cuda,
};
