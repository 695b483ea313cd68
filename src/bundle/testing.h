/*
 * For tests of bundles: graphs written as text, and plans as they are written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_TESTING_H
#define MP_BUNDLE_TESTING_H

#include "memplan/memplan.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT = 1 << 14,
	PLAN = 1 << 18,
};

struct text {
	char bytes[TEXT];
	size_t length;
};

static inline void put(struct text *text, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	text->length += (size_t)vsnprintf(
		text->bytes + text->length, TEXT - text->length, format, list);
	va_end(list);
	cr_assert(text->length < TEXT);
}

/* The plan in a text of PLAN bytes, and its length. */
static inline size_t write_plan(memplan *m, char *plan)
{
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK,
		"%s", memplan_error(m));
	cr_assert_lt(length, PLAN);
	memcpy(plan, bytes, length);
	plan[length] = '\0';
	return length;
}

#endif
