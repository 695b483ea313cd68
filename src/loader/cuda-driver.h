/*
 * Declares the functions of the CUDA driver that the loader calls. Their binary
 * interface is fixed, so that no CUDA toolkit is needed to build.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_CUDA_DRIVER_H
#define MP_LOADER_CUDA_DRIVER_H

#include "loader/rows.h"

/* CUresult is an int, CUdeviceptr a 64-bit number, all others are pointers. */
struct mp_driver {
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

/* Loads libcuda.so.1, or fails as mp_library_open() does. */
int mp_driver_open(struct memplan_device *device, struct mp_driver *driver,
	void **library);

/* If a call failed: keeps the driver's code and words, and returns true. */
int mp_driver_failed(struct memplan_device *device,
	const struct mp_driver *driver, const char *call, int code);

#endif
