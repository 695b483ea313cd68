/*
 * For tests: a vendor's library as the program beside memplan has it, which is
 * the same as the device's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_TESTING_LIBRARY_H
#define MP_LOADER_TESTING_LIBRARY_H

#include <criterion/criterion.h>

#include "loader/rows.h"

/* A function and the pointer to it that has its name. */
#define SYMBOL(name)                                                           \
	{                                                                      \
#name, NULL, &name, 0                                          \
	}
#define OPTIONAL_SYMBOL(name)                                                  \
	{                                                                      \
#name, NULL, &name, 1                                          \
	}

static inline void open_library(
	const char *name, const struct mp_symbol *symbols, uint32_t n)
{
	struct memplan_device program = {.row = memplan_device_row_at(0)};
	void *library;

	cr_assert_eq(mp_library_open(&program, name, symbols, n, &library), 0,
		"%s", program.text);
}

static inline void open_device(struct memplan_device *device, const char *name,
	const struct memplan_device_options *options)
{
	cr_assert_eq(memplan_device_open(device, name, options), 0, "%s",
		device->text);
}

#endif
