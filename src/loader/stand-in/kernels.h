/*
 * The kernels of this project by name, as plain C.
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

/* Runs all threads, one after the other. */
void run_kernel(const struct kernel *kernel, unsigned blocks, unsigned threads,
	const union value *values);

#endif
