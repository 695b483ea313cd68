/*
 * Which tensors of two graphs are the same. Tensors are told apart by name,
 * temporaries by their op's name and their place in its list, so that an op put
 * in between renames nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_TENSOR_MATCH_H
#define MP_PROBLEM_TENSOR_MATCH_H

#include "graph/graph.h"

/* Fills what each tensor of the new graph was in the old one; NONE: it is new.
 * Of several with one name the first is the first. False only if memory is out.
 */
bool mp_problem_match_tensors(const struct graph *old, const struct graph *new,
	uint32_t *was, struct arena *scratch);

#endif
