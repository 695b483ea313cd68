/*
 * Which of the in-place pairs of an op are taken. Each output takes over at
 * most one input, and each input goes to at most one output: so that most bytes
 * are shared, it is a bipartite matching of greatest weight.
 *
 * A pair saves bytes at the step of its op only. So what is best for each op
 * makes the load least at every step, and the peak least over all choices of
 * pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_PAIR_MATCH_H
#define MP_GRAPH_PAIR_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct shared_pair {
	uint32_t output, input; /* no output is an input of another pair */
	bool taken;
	uint64_t bytes; /* that it saves */
};

/* Scratch, one entry a tensor each. */
struct pair_matcher {
	uint32_t *pair; /* that has the tensor, or NONE */
	int64_t *gain;	/* bytes that a change would save more, up to here */
	uint32_t *via;	/* of an input: the pair that it would be in */
	bool missed;	/* of very many pairs some choice may save more */
};

/* False only if memory is out. */
bool mp_graph_matcher_init(
	struct pair_matcher *m, uint32_t n_tensors, struct arena *arena);

/* Says which of n pairs are taken, and returns the bytes that they save. If two
 * choices save the same, pairs that are listed first come first. Of very many
 * pairs each is taken that goes together with those before. */
uint64_t mp_graph_match_pairs(
	struct pair_matcher *m, struct shared_pair *pairs, uint32_t n);

#endif
