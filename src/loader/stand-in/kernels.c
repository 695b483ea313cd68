/*
 * Sources of kernels, compiled as plain C: what a thread asks the GPU for are
 * variables here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "kernels.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct dimension {
	unsigned x;
};

static struct dimension gridDim, blockDim, blockIdx, threadIdx;

static unsigned long long atomic_add(
	unsigned long long *at, unsigned long long value)
{
	*at += value;
	return *at - value;
}

#define __device__
#define KERNEL static
#define atomicAdd atomic_add
#include "../cuda-kernels.cu"

static void fill(const union value *v)
{
	memplan_fill(v[0].p, v[1].u, v[2].u);
}

static void compare(const union value *v)
{
	memplan_compare(v[0].p, v[1].u, v[2].u, v[3].p);
}

static const struct kernel kernels[] = {
	{"memplan_fill", "puu", fill},
	{"memplan_compare", "puup", compare},
};

const struct kernel *find_kernel(const char *name)
{
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(kernels[i].name, name) == 0)
			return &kernels[i];
	return NULL;
}

void run_kernel(const struct kernel *kernel, unsigned blocks, unsigned threads,
	const union value *values)
{
	gridDim.x = blocks;
	blockDim.x = threads;
	for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
		for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)
			kernel->run(values);
}
