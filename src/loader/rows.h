/*
 * The rows of the device table, and what they share: how they report failures,
 * libraries loaded at run time, and patterns in memory of the host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_ROWS_H
#define MP_LOADER_ROWS_H

#include "memplan/device.h"

extern const struct memplan_device_row mp_device_host, mp_device_cuda,
	mp_device_acl;

/* An address as a pointer. Only the host and the device's library may read
 * through it. */
static inline void *mp_device_pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* Sets the text "DEVICE: CALL: TEXT (CODE)"; always returns 1. */
int mp_device_fail(struct memplan_device *device, const char *call, long code,
	const char *text);

/* For devices that finish all work before a call returns: there is nothing to
 * record and nothing to wait for. */
int mp_device_no_event(
	struct memplan_device *device, uint32_t stream, uint32_t event);

/* The name of a function of a library, its name in older ones or NULL, and the
 * pointer that gets its address: NULL if the library lacks an optional
 * function. */
struct mp_symbol {
	const char *name, *older;
	void *target;
	int is_optional;
};

/* What the system has to say, in device-posix.c and device-windows.c. */

/* Does the machine have that many bytes? The system may promise more, and later
 * kill the program that writes to them. */
int mp_device_has_memory(uint64_t size);

/* Asks for huge pages below a block. 0, or the code of what went wrong. */
int mp_device_huge_pages(void *block, uint64_t size);

/* Loads the library and its symbols, or fails with the loader's own text and
 * code MEMPLAN_DEVICE_ABSENT. */
int mp_library_open(struct memplan_device *device, const char *name,
	const struct mp_symbol *symbols, uint32_t n, void **library);
void mp_library_close(void *library);

/* Writes the pattern, which begins with its first word. */
void mp_pattern_fill(void *bytes, uint64_t size, uint64_t key);

/* Adds the words that differ to the finding, which keeps the first one and its
 * place. */
void mp_pattern_compare(const void *bytes, uint64_t size, uint64_t key,
	struct memplan_finding *finding);

#endif
