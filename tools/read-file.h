/*
 * A file in memory, for programs that measure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_READ_FILE_H
#define MP_TOOLS_READ_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* Bytes to be freed; NULL: it cannot be read, or there is no memory. The file
 * is unbuffered, so that the bytes are copied once. */
static inline char *read_file(const char *name, size_t *length)
{
	FILE *file = fopen(name, "rb");
	char *bytes = NULL;
	long size = -1;

	if (file && setvbuf(file, NULL, _IONBF, 0) == 0 &&
		fseek(file, 0, SEEK_END) == 0)
		size = ftell(file);
	if (size >= 0 && fseek(file, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)size + 1);
	if (bytes)
		*length = fread(bytes, 1, (size_t)size, file);
	if (file)
		fclose(file);
	return bytes;
}

#endif
