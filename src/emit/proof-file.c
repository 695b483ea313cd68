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
	mp_proof_write(results->plan, sink, scratch);
}
