/*
 * What devices ask of POSIX: see rows.h.
 *
 * A data pointer may hold the address of a function there. A library stays in
 * memory when it is closed: those of vendors have threads and exit handlers of
 * their own, and programs crashed after an unloading (JuliaGPU/CUDA.jl, issue
 * 1848).
 *
 * SPDX-License-Identifier: MIT
 */
#define _DEFAULT_SOURCE /* madvise() */
#include "loader/rows.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int mp_device_has_memory(uint64_t size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages <= 0 || page <= 0 ||
	       size / (uint64_t)page <= (uint64_t)pages;
}

#ifdef MADV_HUGEPAGE
int mp_device_huge_pages(void *block, uint64_t size)
{
	return madvise(block, (size_t)size, MADV_HUGEPAGE) == 0 ? 0 : errno;
}
#else
int mp_device_huge_pages(void *block, uint64_t size)
{
	(void)block;
	(void)size;
	return ENOSYS;
}
#endif

static void *find(void *library, const struct mp_symbol *symbol)
{
	void *found = dlsym(library, symbol->name);

	return found || !symbol->older ? found : dlsym(library, symbol->older);
}

int mp_library_open(struct memplan_device *device, const char *name,
	const struct mp_symbol *symbols, uint32_t n, void **library)
{
	void *symbol;

	assert(name && n > 0);
	*library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!*library)
		return mp_device_fail(
			device, "dlopen", MEMPLAN_DEVICE_ABSENT, dlerror());
	for (uint32_t i = 0; i < n; i++) {
		symbol = find(*library, &symbols[i]);
		if (!symbol && !symbols[i].is_optional)
			return mp_device_fail(device, "dlsym",
				MEMPLAN_DEVICE_ABSENT, dlerror());
		memcpy(symbols[i].target, &symbol, sizeof(symbol));
	}
	return 0;
}

void mp_library_close(void *library)
{
	if (library)
		dlclose(library);
}
