/*
 * What rows of the device table share: how they say what failed, and that there
 * is nothing to wait for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "loader/rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
	MOST_WORDS = 180, /* so that the code fits behind the text */
};

int mp_device_fail(struct memplan_device *device, const char *call, long code,
	const char *text)
{
	size_t length;

	assert(device->row);
	text = text && *text ? text : "unknown error";
	length = strcspn(text, "\n");
	device->code = code;
	snprintf(device->text, sizeof(device->text), "%s: %s: %.*s (%ld)",
		device->row->name, call,
		length < MOST_WORDS ? (int)length : MOST_WORDS, text, code);
	return 1;
}

int mp_device_no_event(
	struct memplan_device *device, uint32_t stream, uint32_t event)
{
	(void)device;
	(void)stream;
	(void)event;
	return 0;
}
