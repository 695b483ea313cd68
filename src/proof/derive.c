/*
 * A claim that only a search knows, derived again, as proofs are written: by a
 * pile that does not fit, or by a search for a refutation of all or of what is
 * alive in a window, within a budget, and its replay.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "proof/inside.h"

/* Pairs looked at for each memory: a tenth of a second. Proofs of this length
 * have some thousand numbers. Of more memories than FEW each gets less. */
static const uint64_t most_work = 20000000;

enum {
	FEW = 16
};

static bool is_refuted(const struct problem *problem, uint64_t size,
	const struct refutation *refutation, bool *refuted, struct arena *arena)
{
	struct domains domains;

	return mp_proof_domains_init(&domains, problem, size, arena) &&
	       mp_proof_domains_narrow(&domains) &&
	       mp_proof_replay(&domains, refutation->nodes, refutation->n,
		       refuted, arena);
}

bool mp_proof_derive_refutation(const struct problem *problem, uint64_t size,
	uint64_t work, bool *refuted, struct arena *arena)
{
	struct refutation refutation;

	return mp_proof_refute(
		       problem, size, work, &refutation, refuted, arena) &&
	       (!*refuted ||
		       is_refuted(problem, size, &refutation, refuted, arena));
}

static bool derive(const struct problem *problem, uint64_t claim, uint64_t work,
	bool *derived, struct arena *arena)
{
	uint32_t pile[PROOF_MOST_PILE], n;

	assert(claim > 0);
	if (!mp_proof_pile(problem, claim - 1, work, pile, &n, arena))
		return false;
	*derived = n > 0;
	return *derived ||
	       (mp_proof_derive_refutation(
			problem, claim - 1, work, derived, arena) &&
		       (*derived || mp_proof_windows(problem, claim - 1, work,
					    derived, arena)));
}

bool mp_proof_derive(const struct problem *problem, const struct spaces *spaces,
	const uint64_t *claims, uint64_t *bounds, struct arena *scratch)
{
	uint32_t n = spaces ? spaces->n : 1, n_claims = 0;
	uint64_t work;

	for (uint32_t i = 0; i < n; i++)
		n_claims += claims[i] > 0;
	work = most_work * FEW / num_max(n_claims, FEW);
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
