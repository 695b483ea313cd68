/*
 * The outcome of an in-place pair: the two share bytes, or why they do not.
 * src/lifetime/in-place.c decides it, and reports say it in words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_INPLACE_OUTCOME_H
#define MP_PROBLEM_INPLACE_OUTCOME_H

#include <stdint.h>

enum inplace_verdict {
	INPLACE_SHARED,
	INPLACE_OFF,	    /* the option inplace is off */
	INPLACE_UNEQUAL,    /* sizes differ, and the option asks for equal */
	INPLACE_EXTERNAL,   /* other is the caller's memory */
	INPLACE_EMPTY,	    /* other takes no bytes */
	INPLACE_FIXED,	    /* the input fixes the lifetime of other */
	INPLACE_TIED,	    /* other is tied to tensors besides */
	INPLACE_APART,	    /* other is to be apart from some tensor */
	INPLACE_OFFSETS,    /* the input fixes offsets that differ */
	INPLACE_POOLS,	    /* the pools that may hold the two differ */
	INPLACE_BRANCHES,   /* of two branches of a choice, or one of none */
	INPLACE_KEPT,	    /* the input must outlive the run */
	INPLACE_READ_LATER, /* the input is read after this op, last by other */
	INPLACE_NEW,	    /* the input is not alive before this op */
	INPLACE_OLD,	    /* the output is alive before this op */
	INPLACE_TAKEN,	    /* other takes over the input already */
	INPLACE_TAKES,	    /* the output takes over other already */
	INPLACE_STREAMS, /* other, on another stream, does not happen before */
	INPLACE_SIZES,	 /* sizes differ, which needs a single stream */
	INPLACE_BRIEF,	 /* the output is smaller, and not needed later */
	N_INPLACE,
};

struct inplace_outcome {
	uint32_t op, output, input;
	uint32_t other;	 /* op or tensor that the verdict names, or NONE */
	uint8_t verdict; /* enum inplace_verdict */
};

#endif
