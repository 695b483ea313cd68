/*
 * CUDA's driver, loaded at run time: its functions and its words for failures.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_CUDA_DRIVER_H
#define MP_LOADER_CUDA_DRIVER_H

#include <stddef.h>

#include "loader/cuda-types.h"
#include "loader/rows.h"

enum {
#define FUNCTION(field, name, version, need, parameters)
#define NUMBER(name, value) name = value,
#include "loader/cuda-driver.def"
#undef FUNCTION
#undef NUMBER
};

/* NULL: an optional function that the driver lacks. */
struct mp_device_driver {
#define FUNCTION(field, name, version, need, parameters)                       \
	CUresult(*field) parameters;
#define NUMBER(name, value)
#include "loader/cuda-driver.def"
#undef FUNCTION
#undef NUMBER
};

/* Loads the library and fills the driver, or fails as mp_library_open() does.
 */
int mp_device_load_driver(struct memplan_device *device,
	struct mp_device_driver *driver, void **library);

/* False if the code is 0; else keeps the driver's words for it. */
int mp_device_driver_failed(struct memplan_device *device,
	const struct mp_device_driver *driver, const char *call, int code);

#endif
