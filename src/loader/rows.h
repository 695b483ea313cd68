/*
 * The rows of the device table, and how they report failures.
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

#endif
