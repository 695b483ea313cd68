/*
 * proof: that no plan of the problem is smaller, for other programs to check:
 * docs/formats/proof.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/rows.h"
#include "proof/proof.h"

void mp_emit_proof(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	if (results->plan->problem->sites)
		mp_fail(scratch->error, MEMPLAN_EUSAGE,
			"%s: a proof has no choices that stand in branches",
			results->plan->problem->name);
	else
		mp_proof_write(results->plan, sink, scratch);
}
