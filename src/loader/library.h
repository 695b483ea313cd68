/*
 * Loads libraries of devices at run time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_LIBRARY_H
#define MP_LOADER_LIBRARY_H

#include "loader/rows.h"

/* The name of a function of a library, and the pointer that gets its address:
 * NULL if the library lacks an optional function. */
struct mp_symbol {
	const char *name;
	void *target;
	int is_optional;
};

/* Loads the library and its symbols, or fails with the loader's own text and
 * code MEMPLAN_DEVICE_ABSENT. */
int mp_library_open(struct memplan_device *device, const char *name,
	const struct mp_symbol *symbols, uint32_t n, void **library);
void mp_library_close(void *library);

#endif
