/*
 * The layers of the example network on a GPU. A thread makes whole elements of
 * a result and adds in the order of network-host.c, so the figures do not
 * depend on how many threads there are. network-ptx.h has these kernels as PTX,
 * made by tools/make-ptx; the tests also run this source as plain C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef KERNEL
#define KERNEL extern "C" __global__
#endif

__device__ static int thread_index(void)
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ static int thread_count(void)
{
	return (int)(gridDim.x * blockDim.x);
}

/* A row of 9 * inputs for every pixel, zero beyond the border. */
KERNEL void network_unfold(
	const float *image, int inputs, int width, float *columns)
{
	int row = 9 * inputs, n = width * width * row;

	for (int i = thread_index(); i < n; i += thread_count()) {
		int k = i % row, pixel = i / row;
		int v = pixel / width + k % 9 / 3 - 1;
		int u = pixel % width + k % 3 - 1;

		columns[i] = v < 0 || v >= width || u < 0 || u >= width
				     ? 0.0f
				     : image[(k / 9 * width + v) * width + u];
	}
}

/* 3 x 3 with a rectifier, of unfolded pixels. */
KERNEL void network_convolve(const float *columns, const float *weights,
	int row, int outputs, int pixels, float *result)
{
	for (int i = thread_index(); i < outputs * pixels;
		i += thread_count()) {
		const float *weight = weights + i / pixels * row;
		const float *column = columns + i % pixels * row;
		float sum = 0.0f;

		for (int k = 0; k < row; k++)
			sum += weight[k] * column[k];
		result[i] = sum > 0.0f ? sum : 0.0f;
	}
}

KERNEL void network_add(const float *a, const float *b, int n, float *result)
{
	for (int i = thread_index(); i < n; i += thread_count())
		result[i] = a[i] + b[i];
}

/* The largest of 2 x 2. */
KERNEL void network_pool(
	const float *image, int channels, int width, float *result)
{
	int half = width / 2;

	for (int i = thread_index(); i < channels * half * half;
		i += thread_count()) {
		int c = i / (half * half), y = i / half % half, x = i % half;
		const float *at = image + (c * width + 2 * y) * width + 2 * x;
		float most = at[0];

		most = at[1] > most ? at[1] : most;
		most = at[width] > most ? at[width] : most;
		result[i] = at[width + 1] > most ? at[width + 1] : most;
	}
}

KERNEL void network_mean(
	const float *image, int channels, int pixels, float *result)
{
	for (int c = thread_index(); c < channels; c += thread_count()) {
		float sum = 0.0f;

		for (int i = 0; i < pixels; i++)
			sum += image[c * pixels + i];
		result[c] = sum / (float)pixels;
	}
}

KERNEL void network_multiply(const float *weights, const float *values,
	int rows, int n, float *result)
{
	for (int i = thread_index(); i < rows; i += thread_count()) {
		float sum = 0.0f;

		for (int k = 0; k < n; k++)
			sum += weights[i * n + k] * values[k];
		result[i] = sum;
	}
}

/* Few classes, so one thread; the result may take the bytes of the scores. */
KERNEL void network_softmax(const float *scores, int n, float *chances)
{
	float most = scores[0], sum = 0.0f;

	if (thread_index() > 0)
		return;
	for (int i = 1; i < n; i++)
		most = scores[i] > most ? scores[i] : most;
	for (int i = 0; i < n; i++) {
		chances[i] = expf(scores[i] - most);
		sum += chances[i];
	}
	for (int i = 0; i < n; i++)
		chances[i] /= sum;
}
