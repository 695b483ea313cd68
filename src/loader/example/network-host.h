/*
 * The example network in plain C: convolutions with a residual sum, pooling, a
 * dense layer and softmax.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_EXAMPLE_NETWORK_HOST_H
#define MP_LOADER_EXAMPLE_NETWORK_HOST_H

#include <stddef.h>

#include "network.names.h"

enum {
	CLASSES = 10,
	CHANNELS = 8,
	WIDE = 32,
	NARROW = 16,
	DEEP = 16,
	NETWORK_N_WEIGHTS = 2680,
};

/* The address of each tensor, and the weights, which belong to the program. */
struct network_memory {
	float *at[NETWORK_N_TENSORS];
	const float *weights;
};

enum network_kind {
	CONVOLVE,
	ADD,
	POOL,
	MEAN,
	MULTIPLY,
	SOFTMAX,
};

/* What a step computes. Tensors are indices, weights where its own begin. */
struct network_layer {
	enum network_kind kind;
	int input, other, result; /* other: the columns of a convolution, or
				     what is added */
	int weights, inputs, outputs, width;
};

extern const struct network_layer network_layers[NETWORK_N_STEPS];

/* Numbers from -0.5 to 0.5, the same ones for the same seed. */
void network_fill(float *values, size_t n, uint32_t seed);

void network_step(const struct network_memory *memory, uint32_t step);

/* Runs all steps with one allocation per tensor. False: memory is out. */
int network_run_apart(const float *weights, float *chances);

/* Prints how many bytes the plan saves. */
void network_print_saved(void);

#endif
