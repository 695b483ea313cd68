/*
 * A plan in one cudaMalloc(): the block is the program's own. memplan needs
 * neither its device library nor a context for that, only the loader's core.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime_api.h>
#include <memplan/loader.h>
#include <stdio.h>

#include "net_plan.h"

enum {
	NO_GPU = 6,
	PIXELS = 3 * 32 * 32,
	CLASSES = 10,
};

/* cudaMalloc() aligns to 256 bytes and plans commonly to 512. So this asks for
 * more, and takes the first aligned address. */
static void *allocate(void **memory)
{
	uint64_t size = TINY_ARENA_SIZE + TINY_ARENA_ALIGN;
	void *block = NULL;

	if (cudaMalloc(memory, size) != cudaSuccess)
		return NULL;
	if (memplan_block_align(&tiny_pools[0], *memory, size, &block) ||
		memplan_block_check(&tiny_pools[0], block, TINY_ARENA_SIZE)) {
		cudaFree(*memory);
		return NULL;
	}
	return block;
}

int main(void)
{
	float image[PIXELS] = {1.0f}, classes[CLASSES];
	void *memory, *block = allocate(&memory);
	int bad;

	if (!block) {
		fprintf(stderr, "cuda-malloc: %s\n",
			cudaGetErrorString(cudaGetLastError()));
		return NO_GPU;
	}
	bad = cudaMemcpy(TINY_AT(block, input), image, sizeof(image),
		      cudaMemcpyHostToDevice) != cudaSuccess;
	/* Here kernels run, each with addresses from TINY_AT(). */
	bad |= cudaMemset(TINY_AT(block, addmm), 0, sizeof(classes)) !=
	       cudaSuccess;
	bad |= cudaMemcpy(classes, TINY_AT(block, addmm), sizeof(classes),
		       cudaMemcpyDeviceToHost) != cudaSuccess;
	/* cudaFree() promises no wait for other streams. */
	bad |= cudaDeviceSynchronize() != cudaSuccess;
	bad |= cudaFree(memory) != cudaSuccess;
	printf("%u tensors in one cudaMalloc of %llu bytes\n", TINY_N_TENSORS,
		(unsigned long long)TINY_ARENA_SIZE);
	return bad;
}
