/*
 * A plan and a CUDA graph. While a stream is captured, nothing may be allocated
 * or released; a plan needs neither, and its addresses are the same in every
 * launch.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime_api.h>
#include <memplan/loader.h>
#include <stdio.h>

#include "net_plan.h"

enum {
	NO_GPU = 6,
	LAUNCHES = 3,
};

static int failed(cudaError_t error)
{
	if (error != cudaSuccess)
		fprintf(stderr, "cuda-graph: %s\n", cudaGetErrorString(error));
	return error != cudaSuccess;
}

/* Stands for the network's kernels. */
static cudaError_t run_network(void *block, cudaStream_t stream)
{
	cudaError_t error = cudaMemsetAsync(TINY_AT(block, relu), 0,
		tiny_entries[TINY_TENSOR_relu].size, stream);

	if (error != cudaSuccess)
		return error;
	return cudaMemsetAsync(TINY_AT(block, addmm), 1,
		tiny_entries[TINY_TENSOR_addmm].size, stream);
}

static int capture(
	void *block, cudaStream_t stream, cudaGraphExec_t *executable)
{
	cudaGraph_t graph;

	return failed(cudaStreamBeginCapture(
		       stream, cudaStreamCaptureModeGlobal)) ||
	       failed(run_network(block, stream)) ||
	       failed(cudaStreamEndCapture(stream, &graph)) ||
	       failed(cudaGraphInstantiateWithFlags(executable, graph, 0)) ||
	       failed(cudaGraphDestroy(graph));
}

/* Before the capture: the block. After the last launch has ended: its release.
 */
int main(void)
{
	uint64_t size = TINY_ARENA_SIZE + TINY_ARENA_ALIGN;
	cudaGraphExec_t executable;
	void *memory, *block;
	cudaStream_t stream;
	int bad;

	if (failed(cudaMalloc(&memory, size)))
		return NO_GPU;
	if (memplan_block_align(&tiny_pools[0], memory, size, &block) ||
		memplan_block_check(&tiny_pools[0], block, TINY_ARENA_SIZE))
		return 1;
	bad = failed(cudaStreamCreateWithFlags(
		      &stream, cudaStreamNonBlocking)) ||
	      capture(block, stream, &executable);
	for (int i = 0; i < LAUNCHES && !bad; i++)
		bad = failed(cudaGraphLaunch(executable, stream));
	bad = bad || failed(cudaStreamSynchronize(stream)) ||
	      failed(cudaGraphExecDestroy(executable)) ||
	      failed(cudaStreamDestroy(stream));
	bad |= failed(cudaFree(memory));
	if (!bad)
		printf("one graph, launched %d times in one block\n", LAUNCHES);
	return bad;
}
