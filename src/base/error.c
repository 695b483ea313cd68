/*
 * Failures and warnings become texts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/sink-text.h"

bool mp_fail(struct error *e, enum memplan_status code, const char *format, ...)
{
	va_list arguments;

	assert(code != MEMPLAN_OK);
	if (e->code != MEMPLAN_OK)
		return false;
	e->code = code;
	e->subject = 0;
	va_start(arguments, format);
	vsnprintf(e->text, sizeof(e->text), format, arguments);
	va_end(arguments);
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
