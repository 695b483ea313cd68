/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <string.h>

size_t mp_file_mark(const struct input_file *file)
{
	static const char mark[] = {'\xef', '\xbb', '\xbf'};

	if (file->length < sizeof(mark))
		return 0;
	return memcmp(file->bytes, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}
