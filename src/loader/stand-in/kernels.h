/*
 * The kernels of this project by name, as plain C. A misaligned access stops
 * the program, as it stops a GPU (CUDA C++ Programming Guide 12, Device Memory
 * Accesses).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_KERNELS_H
#define MP_LOADER_STAND_IN_KERNELS_H

enum {
	MOST_PARAMETERS = 8,
};

union value {
	void *p;
	unsigned long long u;
	int i;
};

struct kernel {
	const char *name;
	const char *parameters; /* which member of union value each parameter
				   uses */
	void (*run)(const union value *values);
};

/* Finds a kernel. NULL: no kernel has that name, or the PTX has none with these
 * parameters. */
const struct kernel *find_kernel(const char *ptx, const char *name);

/* Do the bytes lie in blocks of the device: of a range all, of another pointer
 * the first? */
int kernel_may_run(
	const struct kernel *kernel, const union value *values, int device);

/* Runs all threads, one after the other. With the mood "interleave" they take
 * turns, at random where there is a seed: at every PAUSE() and around every
 * atomic operation. */
void run_kernel(const struct kernel *kernel, unsigned blocks, unsigned threads,
	const union value *values);

#endif
