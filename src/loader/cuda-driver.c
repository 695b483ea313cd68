/*
 * The names of the driver's binary interface, and its words for failures. No
 * toolkit is needed to build it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/cuda-driver.h"

#include <stdio.h>

enum need {
	NEEDED,
	OPTIONAL,
	OR_PLAIN,
};

int mp_device_load_driver(struct memplan_device *device,
	struct mp_device_driver *driver, void **library)
{
	const struct mp_symbol symbols[] = {
#define FUNCTION(field, name, version, need, parameters)                       \
	{#name version, need == OR_PLAIN ? #name : NULL, &driver->field,       \
		need == OPTIONAL},
#define NUMBER(name, value)
#include "loader/cuda-driver.def"
#undef FUNCTION
#undef NUMBER
	};

	return mp_library_open(device, "libcuda.so.1", symbols,
		sizeof(symbols) / sizeof(symbols[0]), library);
}

int mp_device_driver_failed(struct memplan_device *device,
	const struct mp_device_driver *driver, const char *call, int code)
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
