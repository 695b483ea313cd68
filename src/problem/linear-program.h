/*
 * A problem as an integer linear program, for any solver that reads one: the
 * planner ilp hands it to GLPK, the emitters lp and mps write it down.
 *
 *	minimise h
 *	a[i] k[i] + size[i] <= h                       every buffer i
 *	top of p <= bottom of q + M (1 - y[pq])        every pair of parts p, q
 *	top of q <= bottom of p + M y[pq]              that conflict
 *
 * k[i] counts multiples of the buffer's alignment a[i], so that its offset is
 * a[i] k[i]; y[pq] is 1 if p lies below q. M is the greatest height in question
 * less the part's base, the least that holds for every plan of that height.
 *
 * In a plain problem, of equal buffers the first lies lowest. A plain plan
 * turned upside down is a plan, so the largest buffer lies in the lower half.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_LINEAR_PROGRAM_H
#define MP_PROBLEM_LINEAR_PROGRAM_H

#include "problem/problem.h"

struct model_term {
	uint32_t column;
	int64_t factor;
};

/* The terms sum to at most limit. */
struct model_row {
	int64_t limit;
	uint32_t first_term; /* its terms are neighbours in model.terms */
	uint32_t n_terms;
};

/* Column 0 is h; column 1 + i is k of buffer i; then one y a pair. */
struct model_column {
	int64_t lower, upper; /* whole numbers between these */
};

struct model {
	struct model_column *columns;
	struct model_row *rows;
	struct model_term *terms;
	uint32_t n_columns, n_rows, n_terms;
	uint32_t n_pairs;
};

/* How many pairs of parts conflict; counting stops above `most`. */
uint64_t mp_problem_lp_pairs(
	const struct problem *problem, uint64_t most, struct arena *scratch);

/* The program for plans of at most this height. Fails where too many pairs
 * conflict, before it takes memory for them. */
bool mp_problem_lp_init(struct model *model, const struct problem *problem,
	uint64_t height, struct arena *arena, struct error *e);

#endif
