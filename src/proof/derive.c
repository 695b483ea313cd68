/*
 * A claim that only a search knows, derived again, as proofs are written: by a
 * search for a reason, within a budget, and its replay.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "proof/inside.h"

enum {
	/* Of more memories each gets less work. A claim costs up to seven times
	 * its work: a search of all, and one of each window. */
	FEW = 4
};

static bool is_refuted(const struct problem *problem, uint64_t size,
	const struct refutation *refutation, bool *refuted, struct arena *arena)
{
	struct domains domains;

	return mp_proof_domains_init(
		       &domains, problem, refutation->among, size, arena) &&
	       mp_proof_domains_narrow(&domains) &&
	       mp_proof_replay(&domains, refutation->nodes, refutation->n,
		       refuted, arena);
}

static bool derive(const struct problem *problem, uint64_t claim, uint64_t work,
	bool *derived, struct arena *arena)
{
	struct reason reason;

	assert(claim > 0);
	return mp_proof_search(
		       problem, claim - 1, work, &reason, derived, arena) &&
	       (!*derived || reason.n_pile > 0 ||
		       is_refuted(problem, claim - 1, &reason.refutation,
			       derived, arena));
}

bool mp_proof_derive(const struct problem *problem, const struct spaces *spaces,
	const uint64_t *claims, uint64_t *bounds, struct arena *scratch)
{
	uint32_t n = spaces ? spaces->n : 1, n_claims = 0;
	uint64_t work;

	for (uint32_t i = 0; i < n; i++)
		n_claims += claims[i] > 0;
	work = PROOF_LITTLE_WORK * FEW / num_max(n_claims, FEW);
	for (uint32_t i = 0; i < n; i++) {
		struct arena_mark mark = mp_arena_mark(scratch);
		struct problem memory;
		bool derived = false;

		if (claims[i] > 0 && (!mp_proof_memory(problem, spaces, i,
					      &memory, NULL, scratch) ||
					     !derive(&memory, claims[i], work,
						     &derived, scratch)))
			return false;
		bounds[i] = derived ? claims[i] : 0;
		mp_arena_rewind(scratch, mark);
	}
	return true;
}
