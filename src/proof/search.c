/*
 * A search for a reason why nothing fits in some size, from what is quickly
 * seen to what takes long.
 *
 * SPDX-License-Identifier: MIT
 */
#include "proof/inside.h"

bool mp_proof_search(const struct problem *problem, uint64_t size,
	uint64_t work, struct reason *reason, bool *found, struct arena *arena)
{
	const struct ids all = {0};

	reason->refutation = (struct refutation){0};
	if (!mp_proof_pile(
		    problem, size, work, reason->pile, &reason->n_pile, arena))
		return false;
	*found = reason->n_pile > 0;
	return *found ||
	       (mp_proof_refute(problem, all, size, work, &reason->refutation,
			found, arena) &&
		       (*found || mp_proof_windows(problem, size,
					  num_min(work, PROOF_LITTLE_WORK),
					  &reason->refutation, found, arena)));
}
