/*
 * What devices ask of Windows: see rows.h. As on POSIX, a library stays in
 * memory when it is closed.
 *
 * SPDX-License-Identifier: MIT
 */
#define WIN32_LEAN_AND_MEAN
#include "loader/rows.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <windows.h>

int mp_device_has_memory(uint64_t size)
{
	MEMORYSTATUSEX memory = {.dwLength = sizeof(memory)};

	return !GlobalMemoryStatusEx(&memory) || size <= memory.ullTotalPhys;
}

/* A program needs a right of its user for them, and malloc() has none. */
int mp_device_huge_pages(void *block, uint64_t size)
{
	(void)block;
	(void)size;
	return ENOSYS;
}

/* Drivers have another name here, and are taken from the system's folder only:
 * a file beside the program is none of theirs. */
static HMODULE load(const char *name)
{
	return LoadLibraryExA(
		strcmp(name, "libcuda.so.1") == 0 ? "nvcuda.dll" : name, NULL,
		LOAD_LIBRARY_SEARCH_SYSTEM32);
}

int mp_library_open(struct memplan_device *device, const char *name,
	const struct mp_symbol *symbols, uint32_t n, void **library)
{
	FARPROC symbol;

	assert(name && n > 0);
	*library = load(name);
	if (!*library)
		return mp_device_fail(device, "LoadLibrary",
			MEMPLAN_DEVICE_ABSENT, "no driver of it is installed");
	for (uint32_t i = 0; i < n; i++) {
		symbol = GetProcAddress(*library, symbols[i].name);
		if (!symbol && symbols[i].older)
			symbol = GetProcAddress(*library, symbols[i].older);
		if (!symbol && !symbols[i].is_optional)
			return mp_device_fail(device, "GetProcAddress",
				MEMPLAN_DEVICE_ABSENT, symbols[i].name);
		memcpy(symbols[i].target, &symbol, sizeof(symbol));
	}
	return 0;
}

void mp_library_close(void *library)
{
	(void)library;
}
