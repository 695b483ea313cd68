/*
 * Errors that have their byte: see wire.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/wire/wire.h"

#include <stdio.h>

bool mp_input_wire_fail(struct error *e, const struct input_file *file,
	uint64_t byte, const char *format, va_list arguments)
{
	char sentence[ERROR_TEXT];

	vsnprintf(sentence, sizeof(sentence), format, arguments);
	return mp_fail(e, MEMPLAN_EINPUT, "%s: at byte %llu: %s", file->name,
		(unsigned long long)byte, sentence);
}
