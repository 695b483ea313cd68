/*
 * What the examples of docs/use/device need of CUDA's runtime library, in
 * memory of the host, for a build where no toolkit is installed. A capture
 * notes what it is asked for; a launch of the graph does it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TOOLS_STUBS_CUDA_RUNTIME_API_H
#define MP_TOOLS_STUBS_CUDA_RUNTIME_API_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
	cudaSuccess = 0,
	cudaErrorMemoryAllocation = 2,
	cudaErrorStreamCaptureUnsupported = 900,
} cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
};

enum cudaStreamCaptureMode {
	cudaStreamCaptureModeGlobal = 0,
};

#define cudaStreamNonBlocking 1

struct stub_work {
	void *at;
	int value;
	size_t size;
};

struct stub_graph {
	struct stub_work work[16];
	size_t n;
	int is_capturing;
};

typedef struct stub_graph *cudaStream_t, *cudaGraph_t, *cudaGraphExec_t;

static int stub_captures;

static inline const char *cudaGetErrorString(cudaError_t error)
{
	return error == cudaSuccess ? "no error" : "an error";
}

static inline cudaError_t cudaGetLastError(void)
{
	return cudaSuccess;
}

static inline cudaError_t stub_unsafe(void)
{
	return stub_captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

static inline cudaError_t cudaMalloc(void **memory, size_t size)
{
	*memory = stub_captures ? NULL : calloc(1, size);
	return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *memory)
{
	free(memory);
	return stub_unsafe();
}

static inline cudaError_t cudaMemcpy(
	void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
	(void)kind;
	memcpy(to, from, size);
	return stub_unsafe();
}

static inline cudaError_t cudaMemset(void *at, int value, size_t size)
{
	memset(at, value, size);
	return stub_unsafe();
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
	return stub_unsafe();
}

static inline cudaError_t cudaStreamCreateWithFlags(
	cudaStream_t *stream, unsigned flags)
{
	(void)flags;
	*stream = (cudaStream_t)calloc(1, sizeof(**stream));
	return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	free(stream);
	return cudaSuccess;
}

static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	return stub_unsafe();
}

static inline cudaError_t cudaMemsetAsync(
	void *at, int value, size_t size, cudaStream_t stream)
{
	if (stream->is_capturing)
		stream->work[stream->n++] = (struct stub_work){at, value, size};
	else
		memset(at, value, size);
	return cudaSuccess;
}

static inline cudaError_t cudaStreamBeginCapture(
	cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	(void)mode;
	stream->n = 0;
	stream->is_capturing = stub_captures = 1;
	return cudaSuccess;
}

static inline cudaError_t cudaStreamEndCapture(
	cudaStream_t stream, cudaGraph_t *graph)
{
	stream->is_capturing = stub_captures = 0;
	*graph = (cudaGraph_t)malloc(sizeof(**graph));
	if (!*graph)
		return cudaErrorMemoryAllocation;
	**graph = *stream;
	return cudaSuccess;
}

static inline cudaError_t cudaGraphInstantiateWithFlags(
	cudaGraphExec_t *executable, cudaGraph_t graph,
	unsigned long long flags)
{
	(void)flags;
	*executable = (cudaGraphExec_t)malloc(sizeof(*graph));
	if (!*executable)
		return cudaErrorMemoryAllocation;
	**executable = *graph;
	return cudaSuccess;
}

static inline cudaError_t cudaGraphLaunch(
	cudaGraphExec_t executable, cudaStream_t stream)
{
	(void)stream;
	for (size_t i = 0; i < executable->n; i++)
		memset(executable->work[i].at, executable->work[i].value,
			executable->work[i].size);
	return cudaSuccess;
}

static inline cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	free(graph);
	return cudaSuccess;
}

static inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
	free(executable);
	return cudaSuccess;
}

#endif
