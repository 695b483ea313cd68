/*
 * For tests: random graphs on several streams, with who happens before whom by
 * transitive closure.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_RANDOM_STREAMS_H
#define MP_TESTING_RANDOM_STREAMS_H

#include "lifetime/lifetime.h"
#include "lifetime/streams.h"

enum {
	MOST_OPS = 8,
	MOST_STREAMS = 3,
	MOST_TENSORS = 2 * MOST_OPS,
};

struct crowd {
	struct error error;
	struct arena arena;
	struct graph graph;
	struct schedule *schedule;
	struct problem problem; /* that of the schedule */
	struct op ops[MOST_OPS];
	struct tensor tensors[MOST_TENSORS];
	uint32_t lists[MOST_OPS][4][MOST_OPS]; /* inputs, outputs, temporaries,
						  after */
	struct inplace_pair pairs[MOST_OPS];
	bool before[MOST_OPS]
		   [MOST_OPS]; /* surely over before the other begins */
	const uint32_t *order;
	uint64_t random;
};

uint32_t mp_testing_streams_below(struct crowd *f, uint32_t n);

/* Lists of an op. */
enum crowd_list {
	CROWD_INPUTS,
	CROWD_OUTPUTS,
	CROWD_TEMPORARIES,
	CROWD_AFTER,
};

void mp_testing_streams_add(
	struct crowd *f, uint32_t op, enum crowd_list list, uint32_t value);
uint32_t mp_testing_streams_tensor(struct crowd *f, enum tensor_kind kind);

/* A graph of its own for every seed, in the order of its list. Free the arena.
 */
void mp_testing_streams_begin(struct crowd *f, uint64_t seed, bool inplace);

/* Does the op hold the tensor? */
bool mp_testing_streams_uses(const struct crowd *f, uint32_t op, uint32_t t);

/* May both be alive at some moment? */
bool mp_testing_streams_conflict(const struct crowd *f, uint32_t a, uint32_t b);

/* Are there several streams? */
static inline bool mp_testing_streams_is_spread(const struct crowd *f)
{
	return f->problem.n_streams > 1;
}

#endif
