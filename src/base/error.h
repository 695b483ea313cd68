/*
 * Error handling. A function that can fail takes a struct error last and
 * returns false after mp_fail(); its callers return false too. The first
 * failure is kept, later ones are ignored. Warnings are collected and do not
 * stop anything.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_ERROR_H
#define MP_BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "memplan/status.h"

enum {
	ERROR_TEXT = 512,   /* longest message, with its NUL */
	WARNINGS_KEPT = 16, /* further ones are only counted */
};

struct error {
	enum memplan_status code;
	char text[ERROR_TEXT]; /* a sentence with its place, no newline */
	uint32_t line, column; /* place in the file, from 1, if the text has a
				  JSON Pointer; 0: not known */
	uint32_t subject;      /* 1 + the tensor that the text is about; 0: not
				  known, or in the text */
	uint32_t n_warnings;   /* all that were raised, also those not kept */
	char warnings[WARNINGS_KEPT][ERROR_TEXT];
};

#if defined(__MINGW32__) /* printf is here that of C, not of Windows */
#define MP_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define MP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define MP_PRINTF(text, first)
#endif

/* Records the first failure. Always returns false, for use in a return:
 * return mp_fail(e, MEMPLAN_EINPUT, "%s: ...", place); */
bool mp_fail(struct error *e, enum memplan_status code, const char *format, ...)
	MP_PRINTF(3, 4);

/* Records a warning: input that is odd but has a meaning. */
void mp_warn(struct error *e, const char *format, ...) MP_PRINTF(2, 3);

#endif
