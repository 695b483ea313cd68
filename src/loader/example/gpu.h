/*
 * A program's own kernels, beside a memplan device: in the context that the
 * device has made current. The driver is loaded at run time; a program that is
 * built with a CUDA toolkit would include cuda.h instead.
 *
 * Functions that can fail return 0 on success, and say on stderr what failed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_EXAMPLE_GPU_H
#define MP_LOADER_EXAMPLE_GPU_H

/* CUresult is an int, all handles are pointers. */
struct gpu {
	int (*load_module)(void **module, const void *ptx);
	int (*unload_module)(void *module);
	int (*get_function)(void **function, void *module, const char *name);
	int (*create_stream)(void **stream, unsigned flags);
	int (*destroy_stream)(void *stream);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz,
		unsigned bx, unsigned by, unsigned bz, unsigned shared,
		void *stream, void **parameters, void **extra);
	void *library, *module, *stream;
};

int gpu_open(struct gpu *gpu, const char *ptx);

/* Also cleans up after an opening that failed. */
void gpu_close(struct gpu *gpu);

/* Runs one thread an element, after all kernels before it. */
int gpu_run(const struct gpu *gpu, const char *kernel, int elements,
	void **parameters);

#endif
