/*
 * CUDA, by its driver. The declarations are ours, of functions whose binary
 * interface is fixed, so that no toolkit is needed to build this.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "cuda-kernels.h"
#include "library.h"

enum {
	BASE_ALIGN = 256,
	MOST_STREAMS = 256,
	NON_BLOCKING = 1,   /* CU_STREAM_NON_BLOCKING */
	DISABLE_TIMING = 2, /* CU_EVENT_DISABLE_TIMING */
	THREADS = 256,
	MOST_BLOCKS = 4096,
};

/* CUresult is an int, CUdeviceptr a 64-bit number, all others are pointers. */
struct driver {
	int (*init)(unsigned flags);
	int (*get_device)(int *gpu, int ordinal);
	int (*retain_context)(void **context, int gpu);
	int (*release_context)(int gpu);
	int (*set_context)(void *context);
	int (*synchronize)(void);
	int (*load_module)(void **module, const void *image);
	int (*unload_module)(void *module);
	int (*get_function)(void **function, void *module, const char *name);
	int (*allocate)(unsigned long long *address, size_t size);
	int (*release)(unsigned long long address);
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
	void *context, *module, *fill, *compare;
	void *streams[MOST_STREAMS];
	void **events; /* NULL: never recorded */
	uint32_t n_events;
};

/* True, and the driver's own code and words are kept, if a call failed. */
static int failed(struct memplan_device *device, const char *call, int code)
{
	const struct cuda *cuda = device->state;
	const char *name = NULL, *words = NULL;
	char text[160];

	if (code == 0)
		return 0;
	cuda->driver.error_name(code, &name);
	cuda->driver.error_text(code, &words);
	snprintf(text, sizeof(text), "%s: %s", name ? name : "?",
		words ? words : "unknown error");
	return mp_device_fail(device, call, code, text);
}

/* ------------------------------------------------------------------- opening
 */

static int load(struct memplan_device *device, struct cuda *cuda)
{
	struct driver *d = &cuda->driver;
	const struct mp_symbol symbols[] = {
		{"cuInit", &d->init},
		{"cuDeviceGet", &d->get_device},
		{"cuDevicePrimaryCtxRetain", &d->retain_context},
		{"cuDevicePrimaryCtxRelease_v2", &d->release_context},
		{"cuCtxSetCurrent", &d->set_context},
		{"cuCtxSynchronize", &d->synchronize},
		{"cuModuleLoadData", &d->load_module},
		{"cuModuleUnload", &d->unload_module},
		{"cuModuleGetFunction", &d->get_function},
		{"cuMemAlloc_v2", &d->allocate},
		{"cuMemFree_v2", &d->release},
		{"cuMemAllocAsync", &d->allocate_async},
		{"cuMemFreeAsync", &d->release_async},
		{"cuMemcpyHtoD_v2", &d->to_device},
		{"cuMemcpyDtoH_v2", &d->from_device},
		{"cuMemcpyDtoD_v2", &d->on_device},
		{"cuStreamCreate", &d->create_stream},
		{"cuStreamDestroy_v2", &d->destroy_stream},
		{"cuEventCreate", &d->create_event},
		{"cuEventDestroy_v2", &d->destroy_event},
		{"cuEventRecord", &d->record},
		{"cuStreamWaitEvent", &d->wait},
		{"cuLaunchKernel", &d->launch},
		{"cuGetErrorName", &d->error_name},
		{"cuGetErrorString", &d->error_text},
	};

	return mp_library_open(device, "libcuda.so.1", symbols,
		sizeof(symbols) / sizeof(symbols[0]), &cuda->library);
}

static int load_kernels(struct memplan_device *device, struct cuda *cuda)
{
	const struct driver *d = &cuda->driver;

	return failed(device, "cuModuleLoadData",
		       d->load_module(&cuda->module, cuda_kernels)) ||
	       failed(device, "cuModuleGetFunction",
		       d->get_function(
			       &cuda->fill, cuda->module, "memplan_fill")) ||
	       failed(device, "cuModuleGetFunction",
		       d->get_function(&cuda->compare, cuda->module,
			       "memplan_compare"));
}

static int open_cuda(struct memplan_device *device,
	const struct memplan_device_options *options)
{
	struct cuda *cuda = calloc(1, sizeof(*cuda));

	if (!cuda)
		return mp_device_fail(device, "calloc", 0, "out of memory");
	device->state = cuda;
	cuda->stream_ordered = options->stream_ordered;
	return load(device, cuda) ||
	       failed(device, "cuInit", cuda->driver.init(0)) ||
	       failed(device, "cuDeviceGet",
		       cuda->driver.get_device(&cuda->gpu, options->ordinal)) ||
	       failed(device, "cuDevicePrimaryCtxRetain",
		       cuda->driver.retain_context(
			       &cuda->context, cuda->gpu)) ||
	       failed(device, "cuCtxSetCurrent",
		       cuda->driver.set_context(cuda->context)) ||
	       load_kernels(device, cuda);
}

/* Also what an opening that failed has left. */
static void close_cuda(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	if (!cuda)
		return;
	for (uint32_t i = 0; i < cuda->n_events; i++)
		if (cuda->events[i])
			cuda->driver.destroy_event(cuda->events[i]);
	for (uint32_t i = 0; i < MOST_STREAMS; i++)
		if (cuda->streams[i])
			cuda->driver.destroy_stream(cuda->streams[i]);
	if (cuda->module)
		cuda->driver.unload_module(cuda->module);
	if (cuda->context)
		cuda->driver.release_context(cuda->gpu);
	mp_library_close(cuda->library);
	free(cuda->events);
	free(cuda);
}

/* ------------------------------------------------------------------- streams
 */

static int stream_of(struct memplan_device *device, uint32_t i, void **stream)
{
	struct cuda *cuda = device->state;

	*stream = NULL;
	if (i >= MOST_STREAMS)
		return mp_device_fail(
			device, "streams", (long)i, "more than 256");
	if (!cuda->streams[i] &&
		failed(device, "cuStreamCreate",
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

static int record(struct memplan_device *device, uint32_t id, uint32_t event)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (stream_of(device, id, &stream) || make_room(device, event))
		return 1;
	if (!cuda->events[event] &&
		failed(device, "cuEventCreate",
			cuda->driver.create_event(
				&cuda->events[event], DISABLE_TIMING)))
		return 1;
	return failed(device, "cuEventRecord",
		cuda->driver.record(cuda->events[event], stream));
}

static int await(struct memplan_device *device, uint32_t id, uint32_t event)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (event >= cuda->n_events || !cuda->events[event])
		return 0;
	return stream_of(device, id, &stream) ||
	       failed(device, "cuStreamWaitEvent",
		       cuda->driver.wait(stream, cuda->events[event], 0));
}

static int finish(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	return failed(device, "cuCtxSynchronize", cuda->driver.synchronize());
}

/* -------------------------------------------------------------------- memory
 */

static int allocate(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	struct cuda *cuda = device->state;
	unsigned long long given = 0;
	void *stream;
	int bad;

	size = size ? size : 1;
	if (!cuda->stream_ordered)
		bad = failed(device, "cuMemAlloc",
			cuda->driver.allocate(&given, (size_t)size));
	else
		bad = stream_of(device, 0, &stream) ||
		      failed(device, "cuMemAllocAsync",
			      cuda->driver.allocate_async(
				      &given, (size_t)size, stream)) ||
		      finish(device);
	*address = given;
	return bad;
}

static int release(struct memplan_device *device, uint64_t address)
{
	struct cuda *cuda = device->state;
	void *stream;

	if (!cuda->stream_ordered)
		return failed(
			device, "cuMemFree", cuda->driver.release(address));
	return finish(device) || stream_of(device, 0, &stream) ||
	       failed(device, "cuMemFreeAsync",
		       cuda->driver.release_async(address, stream)) ||
	       finish(device);
}

static int copy(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	const struct driver *d = &((struct cuda *)device->state)->driver;
	size_t n = (size_t)size;

	if (finish(device))
		return 1;
	if (direction == MEMPLAN_TO_DEVICE)
		return failed(device, "cuMemcpyHtoD",
			d->to_device(to, (const void *)(uintptr_t)from, n));
	if (direction == MEMPLAN_FROM_DEVICE)
		return failed(device, "cuMemcpyDtoH",
			d->from_device((void *)(uintptr_t)to, from, n));
	return failed(device, "cuMemcpyDtoD", d->on_device(to, from, n)) ||
	       finish(device);
}

/* ------------------------------------------------------------------- kernels
 */

static int launch(struct memplan_device *device, uint32_t id, void *function,
	uint64_t size, void **parameters)
{
	struct cuda *cuda = device->state;
	uint64_t blocks = size / 8 / THREADS + 1;
	void *stream;

	if (blocks > MOST_BLOCKS)
		blocks = MOST_BLOCKS;
	return stream_of(device, id, &stream) ||
	       failed(device, "cuLaunchKernel",
		       cuda->driver.launch(function, (unsigned)blocks, 1, 1,
			       THREADS, 1, 1, 0, stream, parameters, NULL));
}

static int fill(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key)
{
	struct cuda *cuda = device->state;
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key};

	return launch(device, stream, cuda->fill, size, parameters);
}

static int compare(struct memplan_device *device, uint32_t stream,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	struct cuda *cuda = device->state;
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key, &finding};

	return launch(device, stream, cuda->compare, size, parameters);
}

const struct memplan_device_row mp_device_cuda = {
	"cuda",
	"an NVIDIA GPU, by libcuda.so.1",
	BASE_ALIGN,
	open_cuda,
	close_cuda,
	allocate,
	release,
	copy,
	fill,
	compare,
	record,
	await,
	finish,
};
