/*
 * Cliques: parts of which any two conflict, because they may be alive together
 * or because their buffers are apart. Parts of a buffer that have the same
 * bytes, before a gap and behind it, count as one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_CLIQUE_H
#define MP_PROBLEM_CLIQUE_H

#include "problem/problem.h"

/* Tensors of which no two ever share a byte, and the bytes that an arena has to
 * have for that. */
struct clique {
	uint64_t bytes;
	struct ids tensors; /* ascending; none: the problem is nameless */
	struct ids parts;   /* of the problem, ascending */
	uint64_t align;	    /* that sizes are rounded up to; 1: they are not */
};

/* Puts a clique that needs more bytes in the place of this one, if it finds
 * one, of parts at multiples of that alignment: at least the problem's.
 * It may be more than the load if the problem has buffers that are apart, or
 * gaps. arena and scratch differ. */
bool mp_problem_clique(const struct problem *problem, uint64_t align,
	struct clique *clique, struct arena *arena, struct arena *scratch);

#endif
