/*
 * What became of an in-place pair: the two share bytes, or why they do not.
 * Decided in lifetime/in-place.c, said in words by the reports.
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
	INPLACE_POOLS,	    /* other pools may hold the one than the other */
	INPLACE_BRANCHES,   /* of two branches of a choice, or one of none */
	INPLACE_KEPT,	    /* the input must be there when all is done */
	INPLACE_READ_LATER, /* the input is read behind this op, last by other
			     */
	INPLACE_NEW,	    /* the input is not there before this op */
	INPLACE_OLD,	    /* the output is */
	INPLACE_TAKEN,	    /* other takes over the input already */
	INPLACE_TAKES,	    /* the output takes over other already */
	INPLACE_STREAMS,    /* on its stream other is not surely done before */
	INPLACE_SIZES,	    /* sizes differ, which needs a single stream */
	INPLACE_BRIEF,	    /* the output is smaller, and not needed later */
	N_INPLACE,
};

struct inplace_outcome {
	uint32_t op, output, input;
	uint32_t other;	 /* op or tensor that the verdict speaks of, or NONE */
	uint8_t verdict; /* enum inplace_verdict */
};

#endif
