/*
 * A small network that computes: convolutions with a residual sum, pooling, a
 * dense layer and softmax. It runs twice, once with an allocation per tensor
 * and once in the one block of its plan, with canaries around every step; the
 * results must be equal to the last bit.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/canary.h"
#include "memplan/host.h"
#include "network.h"

enum {
	CLASSES = 10,
	CHANNELS = 8,
	WIDE = 32,
	NARROW = 16,
	DEEP = 16,
};

#define TENSOR(name) memory->at[NETWORK_TENSOR_##name]

/* Where each tensor lies, and the weights, which are the program's own. */
struct memory {
	float *at[NETWORK_N_TENSORS];
	const float *weights;
};

/* ------------------------------------------------------------------- kernels
 */

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

/* --------------------------------------------------------------------- steps
 */

static void conv1(const struct memory *memory)
{
	convolve(TENSOR(image), memory->weights, 3, CHANNELS, WIDE, TENSOR(0_0),
		TENSOR(first));
}

static void conv2(const struct memory *memory)
{
	convolve(TENSOR(first), memory->weights + 216, CHANNELS, CHANNELS, WIDE,
		TENSOR(1_0), TENSOR(second));
}

static void conv3(const struct memory *memory)
{
	convolve(TENSOR(second), memory->weights + 792, CHANNELS, CHANNELS,
		WIDE, TENSOR(2_0), TENSOR(third));
}

static void residual(const struct memory *memory)
{
	add(TENSOR(first), TENSOR(third), CHANNELS * WIDE * WIDE, TENSOR(sum));
}

static void pooling(const struct memory *memory)
{
	pool(TENSOR(sum), CHANNELS, WIDE, TENSOR(pooled));
}

static void conv4(const struct memory *memory)
{
	convolve(TENSOR(pooled), memory->weights + 1368, CHANNELS, DEEP, NARROW,
		TENSOR(5_0), TENSOR(fourth));
}

static void average(const struct memory *memory)
{
	mean(TENSOR(fourth), DEEP, NARROW * NARROW, TENSOR(average));
}

static void dense(const struct memory *memory)
{
	multiply(memory->weights + 2520, TENSOR(average), CLASSES, DEEP,
		TENSOR(scores));
}

static void classify(const struct memory *memory)
{
	softmax(TENSOR(scores), CLASSES, TENSOR(chances));
}

static void (*const steps[NETWORK_N_STEPS])(const struct memory *memory) = {
	conv1, conv2, conv3, residual, pooling, conv4, average, dense,
	classify};

/* ---------------------------------------------------------------------- runs
 */

static void fill(float *values, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		values[i] = (float)(seed >> 8) / (float)(1 << 24) - 0.5f;
	}
}

static int run_apart(struct memory *memory, float *chances)
{
	int good = 1;

	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++) {
		memory->at[i] = malloc((size_t)network_entries[i].size);
		good &= memory->at[i] != NULL;
	}
	if (good) {
		fill(TENSOR(image), NETWORK_SIZE_image / sizeof(float), 1);
		for (uint32_t step = 0; step < NETWORK_N_STEPS; step++)
			steps[step](memory);
		memcpy(chances, TENSOR(chances), NETWORK_SIZE_chances);
	}
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		free(memory->at[i]);
	return good;
}

static int run_watched(
	const struct memory *memory, const struct memplan_canary *canary)
{
	struct memplan_canary_report report;

	for (uint32_t step = 0; step < NETWORK_N_STEPS; step++) {
		memplan_canary_before(canary, step);
		steps[step](memory);
		if (memplan_canary_after(canary, step, &report)) {
			fprintf(stderr, "step %u: tensor %u, byte %llu\n",
				report.step, report.tensor,
				(unsigned long long)report.at);
			return 0;
		}
	}
	return 1;
}

static int run_planned(struct memory *memory, float *chances)
{
	uint64_t sums[NETWORK_N_TENSORS];
	void *block = memplan_host_allocate(&network_pools[0]);
	struct memplan_canary canary = {block, NETWORK_ARENA_SIZE,
		network_entries, NETWORK_N_TENSORS, sums};
	int good;

	if (!block)
		return 0;
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		memory->at[i] = memplan_entry_at(block, &network_entries[i]);
	fill(TENSOR(image), NETWORK_SIZE_image / sizeof(float), 1);
	good = run_watched(memory, &canary);
	memcpy(chances, TENSOR(chances), NETWORK_SIZE_chances);
	memplan_host_free(block);
	return good;
}

int main(void)
{
	static float weights[2680];
	struct memory memory = {.weights = weights};
	float apart[CLASSES], planned[CLASSES];
	unsigned long long total = 0;

	fill(weights, sizeof(weights) / sizeof(weights[0]), 7);
	if (!run_apart(&memory, apart) || !run_planned(&memory, planned))
		return 1;
	for (uint32_t i = 0; i < NETWORK_N_TENSORS; i++)
		total += network_entries[i].size;
	for (int i = 0; i < CLASSES; i++)
		printf("class %d: %.4f\n", i, (double)planned[i]);
	printf("%llu bytes in one block instead of %llu: %llu saved\n",
		(unsigned long long)NETWORK_ARENA_SIZE, total,
		total - NETWORK_ARENA_SIZE);
	return memcmp(apart, planned, sizeof(apart)) == 0 ? 0 : 1;
}
