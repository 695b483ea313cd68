/*
 * Chains: the tensors that have the bytes of a part, one after another in
 * place, as views, or side by side. A part is called after its chain, so that
 * one rectangle has one name wherever it is shown.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_CHAINS_H
#define MP_PROBLEM_CHAINS_H

#include "problem/schedule.h"

/* The tensors that need bytes of a part. */
struct chain {
	uint32_t first, last; /* to be born; of equal ones by index. NONE: no
				 tensor needs it, as it is reserved, or a guard
			       */
	uint32_t longest;     /* that lives longest: of equal ones the last */
	uint32_t n;
	uint8_t kind; /* enum tensor_kind: of the first that is no activation,
			 if any */
};

struct chains {
	struct chain *of; /* a part */
	uint32_t *home;	  /* of a tensor: the first part that it needs; NONE: it
			     takes no bytes */
	bool *fills; /* of a tensor: home is all that it needs, and it needs all
			of that: the two are one thing and have one name */
	struct lists members; /* the tensors at home in a part, as they are born
			       */
};

/* False only if memory is out. */
bool mp_problem_chains_find(
	struct chains *chains, const struct schedule *s, struct arena *arena);

#endif
