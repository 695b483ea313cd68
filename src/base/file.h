/*
 * A file that was read: its bytes and the name that messages give it. The
 * caller owns both.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_FILE_H
#define MP_BASE_FILE_H

#include <stddef.h>

struct input_file {
	const char *name; /* for messages; NULL: not given */
	const char *bytes;
	size_t length;
};

/* Length of the byte order mark that the file begins with, or 0. */
size_t mp_file_mark(const struct input_file *file);

#endif
