/*
 * CUDA devices, through the driver. They work in the primary context of the
 * GPU, which the runtime library uses too. Every call of the driver acts on the
 * context that is current in the calling thread, and a program or a framework
 * may change it at any time. So every function of the row pushes the device's
 * context and pops it again.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "loader/cuda-driver.h"
#include "loader/cuda-kernels.h"

enum {
	BASE_ALIGN = 256,
	THREADS = 256,
	MOST_BLOCKS = 4096,
};

/* A stream of the driver for a number of the caller's. */
struct lane {
	uint32_t number;
	CUstream stream;
};

struct cuda {
	struct mp_device_driver driver;
	void *library;
	CUdevice gpu;
	int stream_ordered;
	int has_new; /* allocations that only stream 0 waits for */
	CUcontext context;
	CUmodule module; /* loaded when a kernel is first needed */
	CUfunction fill, compare;
	struct lane *lanes; /* by number, ascending */
	uint32_t n_lanes, room;
	CUevent *events; /* NULL: never recorded */
	uint32_t n_events;
};

static int has_failed(struct memplan_device *device, const char *call, int code)
{
	const struct cuda *cuda = device->state;

	return mp_device_driver_failed(device, &cuda->driver, call, code);
}

/* ---------------------------------------------------------- context */

static int enter(struct memplan_device *device)
{
	const struct cuda *cuda = device->state;

	return has_failed(device, "cuCtxPushCurrent",
		cuda->driver.push_context(cuda->context));
}

/* Of two failures the text of the first is kept. */
static int leave(struct memplan_device *device, int failed)
{
	const struct cuda *cuda = device->state;
	CUcontext context;
	int code = cuda->driver.pop_context(&context);

	return failed || has_failed(device, "cuCtxPopCurrent", code);
}

/* Old drivers do not know the attribute and return an error for it. */
static int need_pools(struct memplan_device *device, const struct cuda *cuda)
{
	const struct mp_device_driver *d = &cuda->driver;
	int has_pools = 0;

	if (!cuda->stream_ordered)
		return 0;
	if (d->allocate_async && d->release_async &&
		d->get_attribute(&has_pools,
			CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
			cuda->gpu) == 0 &&
		has_pools)
		return 0;
	return has_failed(device, "cuMemAllocAsync", CUDA_ERROR_NOT_SUPPORTED);
}

static int open_cuda(struct memplan_device *device,
	const struct memplan_device_options *options)
{
	struct cuda *cuda = calloc(1, sizeof(*cuda));
	const struct mp_device_driver *d;

	if (!cuda)
		return mp_device_fail(device, "calloc", 0, "out of memory");
	device->state = cuda;
	d = &cuda->driver;
	cuda->stream_ordered = options->stream_ordered;
	return mp_device_load_driver(device, &cuda->driver, &cuda->library) ||
	       has_failed(device, "cuInit", d->init(0)) ||
	       has_failed(device, "cuDeviceGet",
		       d->get_device(&cuda->gpu, options->ordinal)) ||
	       need_pools(device, cuda) ||
	       has_failed(device, "cuDevicePrimaryCtxRetain",
		       d->retain_context(&cuda->context, cuda->gpu));
}

static void destroy_all(struct cuda *cuda)
{
	for (uint32_t i = 0; i < cuda->n_events; i++)
		if (cuda->events[i])
			cuda->driver.destroy_event(cuda->events[i]);
	for (uint32_t i = 0; i < cuda->n_lanes; i++)
		cuda->driver.destroy_stream(cuda->lanes[i].stream);
	if (cuda->module)
		cuda->driver.unload_module(cuda->module);
}

/* Also cleans up after an opening that failed. Bytes may still be returned in
 * stream order, so this waits for all streams. */
static void close_cuda(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	if (!cuda)
		return;
	if (cuda->context) {
		if (enter(device) == 0) {
			cuda->driver.synchronize();
			destroy_all(cuda);
			leave(device, 0);
		}
		cuda->driver.release_context(cuda->gpu);
	}
	mp_library_close(cuda->library);
	free(cuda->lanes);
	free(cuda->events);
	free(cuda);
}

/* ---------------------------------------------------------- streams */

/* From here on, functions run between enter() and leave(). */

static int synchronize(struct memplan_device *device)
{
	struct cuda *cuda = device->state;

	cuda->has_new = 0;
	return has_failed(
		device, "cuCtxSynchronize", cuda->driver.synchronize());
}

/* The first lane with a number that is not less. */
static uint32_t lane_at(const struct cuda *cuda, uint32_t number)
{
	uint32_t low = 0, high = cuda->n_lanes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (cuda->lanes[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_lane(struct memplan_device *device, uint32_t at, uint32_t number)
{
	struct cuda *cuda = device->state;
	struct lane *lanes = cuda->lanes;
	CUstream stream;

	if (cuda->n_lanes == cuda->room) {
		cuda->room = cuda->room ? 2 * cuda->room : 16;
		lanes = realloc(lanes, cuda->room * sizeof(*lanes));
		if (!lanes)
			return mp_device_fail(
				device, "realloc", 0, "out of memory");
		cuda->lanes = lanes;
	}
	if (has_failed(device, "cuStreamCreate",
		    cuda->driver.create_stream(
			    &stream, CU_STREAM_NON_BLOCKING)))
		return 1;
	memmove(&lanes[at + 1], &lanes[at],
		(cuda->n_lanes - at) * sizeof(*lanes));
	lanes[at] = (struct lane){number, stream};
	cuda->n_lanes++;
	return 0;
}

static int stream_of(
	struct memplan_device *device, uint32_t number, CUstream *stream)
{
	struct cuda *cuda = device->state;
	uint32_t at = lane_at(cuda, number);

	if (number > 0 && cuda->has_new && synchronize(device))
		return 1;
	if ((at == cuda->n_lanes || cuda->lanes[at].number != number) &&
		add_lane(device, at, number))
		return 1;
	*stream = cuda->lanes[at].stream;
	return 0;
}

static int make_room(struct memplan_device *device, uint32_t event)
{
	struct cuda *cuda = device->state;
	uint32_t n = cuda->n_events ? cuda->n_events : 64;
	CUevent *events;

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

static int record_now(
	struct memplan_device *device, uint32_t number, uint32_t event)
{
	struct cuda *cuda = device->state;
	CUstream stream;

	if (stream_of(device, number, &stream) || make_room(device, event))
		return 1;
	if (!cuda->events[event] &&
		has_failed(device, "cuEventCreate",
			cuda->driver.create_event(
				&cuda->events[event], CU_EVENT_DISABLE_TIMING)))
		return 1;
	return has_failed(device, "cuEventRecord",
		cuda->driver.record(cuda->events[event], stream));
}

static int await_now(
	struct memplan_device *device, uint32_t number, uint32_t event)
{
	struct cuda *cuda = device->state;
	CUstream stream;

	if (event >= cuda->n_events || !cuda->events[event])
		return 0;
	return stream_of(device, number, &stream) ||
	       has_failed(device, "cuStreamWaitEvent",
		       cuda->driver.wait(stream, cuda->events[event], 0));
}

/* ----------------------------------------------------------- memory */

static int allocate_now(
	struct memplan_device *device, uint64_t size, CUdeviceptr *given)
{
	struct cuda *cuda = device->state;
	CUstream stream;

	size = size ? size : 1;
	if (!cuda->stream_ordered)
		return has_failed(device, "cuMemAlloc",
			cuda->driver.allocate(given, (size_t)size));
	cuda->has_new = 1;
	return stream_of(device, 0, &stream) ||
	       has_failed(device, "cuMemAllocAsync",
		       cuda->driver.allocate_async(
			       given, (size_t)size, stream));
}

static int release_now(struct memplan_device *device, uint64_t address)
{
	struct cuda *cuda = device->state;
	CUstream stream;

	if (!cuda->stream_ordered)
		return has_failed(
			device, "cuMemFree", cuda->driver.release(address));
	return stream_of(device, 0, &stream) ||
	       has_failed(device, "cuMemFreeAsync",
		       cuda->driver.release_async(address, stream));
}

/* Copies run in the default stream. Our streams do not wait for it, and a copy
 * may return before its bytes have arrived on the device. */
static int copy_now(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t bytes, enum memplan_direction direction)
{
	const struct mp_device_driver *d =
		&((struct cuda *)device->state)->driver;
	size_t size = (size_t)bytes;

	if (synchronize(device))
		return 1;
	if (direction == MEMPLAN_FROM_DEVICE)
		return has_failed(device, "cuMemcpyDtoH",
			d->from_device(mp_device_pointer(to), from, size));
	if (direction == MEMPLAN_TO_DEVICE)
		return has_failed(device, "cuMemcpyHtoD",
			       d->to_device(
				       to, mp_device_pointer(from), size)) ||
		       synchronize(device);
	return has_failed(
		       device, "cuMemcpyDtoD", d->on_device(to, from, size)) ||
	       synchronize(device);
}

/* ---------------------------------------------------------- kernels */

/* A driver without the compiler for PTX can hold blocks and copy; only tests
 * need kernels. */
static int load_kernels(struct memplan_device *device)
{
	struct cuda *cuda = device->state;
	const struct mp_device_driver *d = &cuda->driver;

	if (cuda->compare)
		return 0;
	return (!cuda->module &&
		       has_failed(device, "cuModuleLoadData",
			       d->load_module(&cuda->module, cuda_kernels))) ||
	       has_failed(device, "cuModuleGetFunction",
		       d->get_function(
			       &cuda->fill, cuda->module, "memplan_fill")) ||
	       has_failed(device, "cuModuleGetFunction",
		       d->get_function(&cuda->compare, cuda->module,
			       "memplan_compare"));
}

static int launch_kernel(struct memplan_device *device, uint32_t number,
	CUfunction function, uint64_t size, void **parameters)
{
	struct cuda *cuda = device->state;
	uint64_t blocks = size / 8 / THREADS + 1;
	CUstream stream;

	assert(function);
	if (blocks > MOST_BLOCKS)
		blocks = MOST_BLOCKS;
	return stream_of(device, number, &stream) ||
	       has_failed(device, "cuLaunchKernel",
		       cuda->driver.launch(function, (unsigned)blocks, 1, 1,
			       THREADS, 1, 1, 0, stream, parameters, NULL));
}

static int fill_now(struct memplan_device *device, uint32_t number,
	const struct memplan_range *range, uint64_t key)
{
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key};

	return load_kernels(device) ||
	       launch_kernel(device, number,
		       ((struct cuda *)device->state)->fill, size, parameters);
}

static int compare_now(struct memplan_device *device, uint32_t number,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	uint64_t address = range->address, size = range->size;
	void *parameters[] = {&address, &size, &key, &finding};

	return load_kernels(device) ||
	       launch_kernel(device, number,
		       ((struct cuda *)device->state)->compare, size,
		       parameters);
}

/* -------------------------------------------------------------- row */

static int finish_cuda(struct memplan_device *device)
{
	return enter(device) || leave(device, synchronize(device));
}

static int record_event(
	struct memplan_device *device, uint32_t number, uint32_t event)
{
	return enter(device) ||
	       leave(device, record_now(device, number, event));
}

static int await_event(
	struct memplan_device *device, uint32_t number, uint32_t event)
{
	return enter(device) || leave(device, await_now(device, number, event));
}

static int allocate_cuda(
	struct memplan_device *device, uint64_t size, uint64_t *address)
{
	CUdeviceptr given = 0;
	int failed = enter(device) ||
		     leave(device, allocate_now(device, size, &given));

	*address = given;
	return failed;
}

static int release_cuda(struct memplan_device *device, uint64_t address)
{
	return enter(device) || leave(device, release_now(device, address));
}

static int copy_cuda(struct memplan_device *device, uint64_t to, uint64_t from,
	uint64_t size, enum memplan_direction direction)
{
	return enter(device) ||
	       leave(device, copy_now(device, to, from, size, direction));
}

static int fill_cuda(struct memplan_device *device, uint32_t number,
	const struct memplan_range *range, uint64_t key)
{
	return enter(device) ||
	       leave(device, fill_now(device, number, range, key));
}

static int compare_cuda(struct memplan_device *device, uint32_t number,
	const struct memplan_range *range, uint64_t key, uint64_t finding)
{
	return enter(device) ||
	       leave(device, compare_now(device, number, range, key, finding));
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
