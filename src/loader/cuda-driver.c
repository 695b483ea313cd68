/*
 * Loads the functions of the CUDA driver by the names of their binary
 * interface: NAME_v2 where cuda.h maps NAME to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/cuda-driver.h"

#include <stdio.h>

#include "loader/library.h"

int mp_driver_open(
	struct memplan_device *device, struct mp_driver *d, void **library)
{
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
		sizeof(symbols) / sizeof(symbols[0]), library);
}

int mp_driver_failed(struct memplan_device *device,
	const struct mp_driver *driver, const char *call, int code)
{
	const char *name = NULL, *words = NULL;
	char text[160];

	if (code == 0)
		return 0;
	driver->error_name(code, &name);
	driver->error_text(code, &words);
	snprintf(text, sizeof(text), "%s: %s", name ? name : "?",
		words ? words : "unknown error");
	return mp_device_fail(device, call, code, text);
}
