/*
 * Loads the libraries of devices with dlopen(). POSIX lets a data pointer hold
 * the address of a function. A library stays in memory when it is closed: those
 * of vendors have threads and exit handlers of their own, and programs crashed
 * after an unloading (JuliaGPU/CUDA.jl, issue 1848).
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "loader/rows.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

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
		symbol = dlsym(*library, symbols[i].name);
		if (!symbol && symbols[i].older)
			symbol = dlsym(*library, symbols[i].older);
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
