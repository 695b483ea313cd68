/*
 * The ops that use a part last, and the op that writes it first. If one part
 * overwrites another, the former must end before the latter begins.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_LAST_USES_H
#define MP_PROBLEM_LAST_USES_H

#include "problem/uses.h"

struct last_uses {
	const struct schedule *schedule;
	uint32_t n_streams;
	struct uses uses;

	/* One a part: its first and its last tensor, and the step that writes
	 * it first; each NONE if there is none. */
	uint32_t *first, *last, *writer;

	/* n_streams a part, of which n_used[part] are filled: the steps that
	 * use it and that happen before no other use. */
	uint32_t *used, *n_used;

	uint32_t *kept; /* scratch: one a stream */
};

bool mp_problem_last_uses_init(struct last_uses *last_uses,
	const struct schedule *s, struct arena *arena);

/* Does the op of step a happen before the op of step b? */
bool mp_problem_last_uses_before(
	const struct last_uses *last_uses, uint32_t a, uint32_t b);

/* Is one of the last uses of a part on another stream than this? */
bool mp_problem_last_uses_cross(
	const struct last_uses *last_uses, uint32_t part, uint32_t stream);

#endif
