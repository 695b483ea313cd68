/*
 * How the ops of a graph use a buffer: numbers for pools and for peers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_BUFFER_USES_H
#define MP_PROBLEM_BUFFER_USES_H

#include "problem/problem.h"

struct buffer_use {
	uint64_t bytes; /* end of what its tensors reach, padded but not
			   rounded; 0: no tensor is known to lie in it */
	uint64_t count; /* how often an op reads or writes one of its tensors;
			   scratch counts twice */
	uint32_t made;	/* its place among the buffers as the ops make them,
			   ascending from 1; 0: no op makes it */
	uint32_t read;	/* the last place among the inputs of the op at the
			   buffer's last step; NONE: that op does not read it */
};

struct buffer_uses {
	const struct buffer_use *of; /* of a buffer */
	uint32_t n_ops; /* 0: the input says lifetimes, not what makes them */
};

/* As the problem's schedule has them; false only if memory is out. */
bool mp_problem_buffer_uses(const struct problem *problem,
	struct buffer_uses *uses, struct arena *arena);

#endif
