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

#define T(name) NETWORK_TENSOR_##name

const struct network_layer network_layers[NETWORK_N_STEPS] = {
	{CONVOLVE, T(image), T(0_0), T(first), 0, 3, CHANNELS, WIDE},
	{CONVOLVE, T(first), T(1_0), T(second), 216, CHANNELS, CHANNELS, WIDE},
	{CONVOLVE, T(second), T(2_0), T(third), 792, CHANNELS, CHANNELS, WIDE},
	{ADD, T(first), T(third), T(sum), 0, CHANNELS, CHANNELS, WIDE},
	{POOL, T(sum), 0, T(pooled), 0, CHANNELS, CHANNELS, WIDE},
	{CONVOLVE, T(pooled), T(5_0), T(fourth), 1368, CHANNELS, DEEP, NARROW},
	{MEAN, T(fourth), 0, T(average), 0, DEEP, DEEP, NARROW},
	{MULTIPLY, T(average), 0, T(scores), 2520, DEEP, CLASSES, 1},
	{SOFTMAX, T(scores), 0, T(chances), 0, CLASSES, CLASSES, 1},
};

void network_step(const struct network_memory *memory, uint32_t step)
{
	const struct network_layer *l = &network_layers[step];
	const float *weights = memory->weights + l->weights;
	const float *input = memory->at[l->input];
	float *other = memory->at[l->other], *result = memory->at[l->result];
	int n = l->inputs, pixels = l->width * l->width;

	switch (l->kind) {
	case CONVOLVE:
		convolve(
			input, weights, n, l->outputs, l->width, other, result);
		break;
	case ADD:
		add(input, other, n * pixels, result);
		break;
	case POOL:
		pool(input, n, l->width, result);
		break;
	case MEAN:
		mean(input, n, pixels, result);
		break;
	case MULTIPLY:
		multiply(weights, input, l->outputs, n, result);
		break;
	case SOFTMAX:
		softmax(input, n, result);
		break;
	}
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
