/*
 * Failures and warnings become texts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sink-text.h"

bool mp_fail(struct error *e, enum memplan_status code, const char *format, ...)
{
	va_list arguments;

	assert(code != MEMPLAN_OK);
	if (e->code != MEMPLAN_OK)
		return false;
	e->code = code;
	va_start(arguments, format);
	vsnprintf(e->text, sizeof(e->text), format, arguments);
	va_end(arguments);
	mp_text_clean(e->text);
	return false;
}

bool mp_fail_at(struct error *e, const char *name, const char *place)
{
	size_t length = strlen(name), kept = strlen(place), end;
	char rest[ERROR_TEXT];

	if (e->code != MEMPLAN_EINPUT || strncmp(e->text, name, length) != 0 ||
		e->text[length] != ':')
		return false;
	snprintf(rest, sizeof(rest), "%s", e->text + length);
	end = strlen(rest) + 1;
	if (kept > ERROR_TEXT - end)
		kept = ERROR_TEXT - end;
	memcpy(e->text, place, kept);
	assert(kept + end <= ERROR_TEXT);
	memcpy(e->text + kept, rest, end);
	mp_text_clean(e->text);
	return false;
}

void mp_warn(struct error *e, const char *format, ...)
{
	va_list arguments;
	char *text;

	if (e->n_warnings++ >= WARNINGS_KEPT)
		return;
	text = e->warnings[e->n_warnings - 1];
	va_start(arguments, format);
	vsnprintf(text, ERROR_TEXT, format, arguments);
	va_end(arguments);
	mp_text_clean(text);
}
