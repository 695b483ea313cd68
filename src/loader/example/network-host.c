/*
 * The layers of the example network in plain C.
 *
 * SPDX-License-Identifier: MIT
 */
#include "network-host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENSOR(name) memory->at[NETWORK_TENSOR_##name]

/* ---------------------------------------------------------- kernels */

/* A row of 9 * inputs for every pixel, zero beyond the border. */
static void unfold(const float *image, int inputs, int width, float *columns)
{
	for (int y = 0; y < width; y++)
		for (int x = 0; x < width; x++)
			for (int k = 0; k < 9 * inputs; k++) {
				int v = y + k % 9 / 3 - 1, u = x + k % 3 - 1;
				int inside = v >= 0 && v < width && u >= 0 &&
					     u < width;

				*columns++ =
					inside ? image[(k / 9 * width + v) *
								 width +
							 u]
					       : 0.0f;
			}
}

/* 3 x 3 with a rectifier. */
static void convolve(const float *image, const float *weights, int inputs,
	int outputs, int width, float *columns, float *result)
{
	int n = 9 * inputs;

	unfold(image, inputs, width, columns);
	for (int c = 0; c < outputs; c++)
		for (int i = 0; i < width * width; i++) {
			float sum = 0.0f;

			for (int k = 0; k < n; k++)
				sum += weights[c * n + k] * columns[i * n + k];
			*result++ = sum > 0.0f ? sum : 0.0f;
		}
}

static void add(const float *a, const float *b, int n, float *result)
{
	for (int i = 0; i < n; i++)
		result[i] = a[i] + b[i];
}

static float largest(const float *values, int n)
{
	float most = values[0];

	for (int i = 1; i < n; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

/* The largest of 2 x 2. */
static void pool(const float *image, int channels, int width, float *result)
{
	for (int c = 0; c < channels; c++)
		for (int y = 0; y < width; y += 2)
			for (int x = 0; x < width; x += 2) {
				const float *at =
					image + (c * width + y) * width + x;
				float four[4] = {
					at[0], at[1], at[width], at[width + 1]};

				*result++ = largest(four, 4);
			}
}

static void mean(const float *image, int channels, int pixels, float *result)
{
	for (int c = 0; c < channels; c++) {
		float sum = 0.0f;

		for (int i = 0; i < pixels; i++)
			sum += *image++;
		result[c] = sum / (float)pixels;
	}
}

static void multiply(const float *weights, const float *values, int rows, int n,
	float *result)
{
	for (int i = 0; i < rows; i++) {
		result[i] = 0.0f;
		for (int k = 0; k < n; k++)
			result[i] += weights[i * n + k] * values[k];
	}
}

static void softmax(const float *scores, int n, float *chances)
{
	float most = largest(scores, n), sum = 0.0f;

	for (int i = 0; i < n; i++) {
		chances[i] = expf(scores[i] - most);
		sum += chances[i];
	}
	for (int i = 0; i < n; i++)
		chances[i] /= sum;
}

/* ------------------------------------------------------------ steps */

static void conv1(const struct network_memory *memory)
{
	convolve(TENSOR(image), memory->weights, 3, CHANNELS, WIDE, TENSOR(0_0),
		TENSOR(first));
}

static void conv2(const struct network_memory *memory)
{
	convolve(TENSOR(first), memory->weights + 216, CHANNELS, CHANNELS, WIDE,
		TENSOR(1_0), TENSOR(second));
}

static void conv3(const struct network_memory *memory)
{
	convolve(TENSOR(second), memory->weights + 792, CHANNELS, CHANNELS,
		WIDE, TENSOR(2_0), TENSOR(third));
}

static void residual(const struct network_memory *memory)
{
	add(TENSOR(first), TENSOR(third), CHANNELS * WIDE * WIDE, TENSOR(sum));
}

static void pooling(const struct network_memory *memory)
{
	pool(TENSOR(sum), CHANNELS, WIDE, TENSOR(pooled));
}

static void conv4(const struct network_memory *memory)
{
	convolve(TENSOR(pooled), memory->weights + 1368, CHANNELS, DEEP, NARROW,
		TENSOR(5_0), TENSOR(fourth));
}

static void average(const struct network_memory *memory)
{
	mean(TENSOR(fourth), DEEP, NARROW * NARROW, TENSOR(average));
}

static void dense(const struct network_memory *memory)
{
	multiply(memory->weights + 2520, TENSOR(average), CLASSES, DEEP,
		TENSOR(scores));
}

static void classify(const struct network_memory *memory)
{
	softmax(TENSOR(scores), CLASSES, TENSOR(chances));
}

static void (*const steps[NETWORK_N_STEPS])(
	const struct network_memory *memory) = {conv1, conv2, conv3, residual,
	pooling, conv4, average, dense, classify};

void network_step(const struct network_memory *memory, uint32_t step)
{
	steps[step](memory);
}

/* ------------------------------------------------------------- runs */

void network_fill(float *values, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		values[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
	}
}

int network_run_apart(const float *weights, float *chances)
{
	struct network_memory apart = {.weights = weights}, *memory = &apart;
	int good = 1;

	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++) {
		memory->at[i] = malloc((size_t)network_entries[i].size);
		good &= memory->at[i] != NULL;
	}
	if (good) {
		network_fill(
			TENSOR(image), NETWORK_SIZE_image / sizeof(float), 1);
		for (uint32_t step = 0; step < NETWORK_N_STEPS; step++)
			network_step(memory, step);
		memcpy(chances, TENSOR(chances), NETWORK_SIZE_chances);
	}
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		free(memory->at[i]);
	return good;
}

void network_print_saved(void)
{
	unsigned long long total = 0;

	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		total += network_entries[i].size;
	printf("%llu bytes in one block instead of %llu: %llu saved\n",
		(unsigned long long)NETWORK_ARENA_SIZE, total,
		total - NETWORK_ARENA_SIZE);
}
