/*
 * A file that was read: its bytes, and its name for messages. The caller owns
 * both.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_FILE_H
#define MP_BASE_FILE_H

#include <stddef.h>
#include <string.h>

struct input_file {
	const char *name; /* for messages; NULL: not given */
	const char *bytes;
	size_t length;
};

/* Length of the byte order mark of UTF-8 that the file begins with, or 0. */
static inline size_t mp_file_mark(const struct input_file *file)
{
	static const char mark[] = {'\xef', '\xbb', '\xbf'};

	if (file->length < sizeof(mark))
		return 0;
	return memcmp(file->bytes, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

#endif
