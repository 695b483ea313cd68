/*
 * What a solution of dsa-solver's names, of the problem that a graph was read
 * from. Its buffers are the tensors of the graph; buffers that have to lie at
 * one place are one tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_DSA_PROBLEM_H
#define MP_GRAPH_DSA_PROBLEM_H

#include <stdint.h>

struct dsa_buffer_id {
	uint64_t id;
	uint32_t tensor;
};

struct dsa_problem {
	const char *profile, *instance;
	const char *fingerprint;	     /* 16 hexadecimal digits */
	const struct dsa_buffer_id *buffers; /* ascending by id */
	const uint64_t *pool_ids;	     /* of the pools of the graph */
	uint32_t n_buffers;
};

#endif
