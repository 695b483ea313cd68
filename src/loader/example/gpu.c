/*
 * Loads the CUDA driver and launches the example's kernels: see gpu.h.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum {
	THREADS = 128,
	NON_BLOCKING = 1, /* CU_STREAM_NON_BLOCKING */
};

static int failed(const char *call, int code)
{
	if (code != 0)
		fprintf(stderr, "%s failed: error %d\n", call, code);
	return code != 0;
}

/* C does not say that a data pointer can hold a function's address; POSIX does.
 */
static int find(const struct gpu *gpu, const char *name, void *target)
{
	void *symbol = dlsym(gpu->library, name);

	memcpy(target, &symbol, sizeof(symbol));
	return failed(name, symbol ? 0 : -1);
}

static int load(struct gpu *gpu)
{
	memset(gpu, 0, sizeof(*gpu));
	gpu->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	return failed("dlopen", gpu->library ? 0 : -1) ||
	       find(gpu, "cuModuleLoadData", &gpu->load_module) ||
	       find(gpu, "cuModuleUnload", &gpu->unload_module) ||
	       find(gpu, "cuModuleGetFunction", &gpu->get_function) ||
	       find(gpu, "cuStreamCreate", &gpu->create_stream) ||
	       find(gpu, "cuStreamDestroy_v2", &gpu->destroy_stream) ||
	       find(gpu, "cuLaunchKernel", &gpu->launch);
}

int gpu_open(struct gpu *gpu, const char *ptx)
{
	return load(gpu) ||
	       failed("cuModuleLoadData",
		       gpu->load_module(&gpu->module, ptx)) ||
	       failed("cuStreamCreate",
		       gpu->create_stream(&gpu->stream, NON_BLOCKING));
}

void gpu_close(struct gpu *gpu)
{
	if (gpu->stream)
		gpu->destroy_stream(gpu->stream);
	if (gpu->module)
		gpu->unload_module(gpu->module);
	if (gpu->library)
		dlclose(gpu->library);
}

int gpu_run(const struct gpu *gpu, const char *kernel, int elements,
	void **parameters)
{
	unsigned blocks = ((unsigned)elements + THREADS - 1) / THREADS;
	void *function;

	return failed(kernel,
		       gpu->get_function(&function, gpu->module, kernel)) ||
	       failed(kernel, gpu->launch(function, blocks, 1, 1, THREADS, 1, 1,
				      0, gpu->stream, parameters, NULL));
}
