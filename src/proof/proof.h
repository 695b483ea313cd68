/*
 * Proofs of lower bounds, as files that other programs can check:
 * docs/formats/proof.md. A proof spells out the problem of each memory, and
 * shows parts of which any two may be alive together, or refutes all smaller
 * arenas. If the plan has a bound on all orders, it shows that too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROOF_PROOF_H
#define MP_PROOF_PROOF_H

#include "base/sink.h"
#include "problem/plan.h"

/* Numbers of a proof are below it, so that checkers can add a few of them. */
#define PROOF_END (UINT64_C(1) << 60)

/* Writes a proof of the greatest bound on each memory of a plan that it can: of
 * the size there, or of the plan's bound, if the refutation is small enough.
 * Warns where it shows less than the plan says. What fails is in the error,
 * which sink and scratch share. */
void mp_proof_write(
	const struct plan *plan, struct sink *sink, struct arena *scratch);

/* Reads a proof and replays it for a problem, in one memory or, with spaces, in
 * several. Fills the bound of each that it proves. MEMPLAN_NO: it is of another
 * problem, or proves nothing. MEMPLAN_EINPUT: it is no proof file. */
bool mp_proof_check(const struct problem *problem, const struct spaces *spaces,
	const char *name, const char *text, size_t length, uint64_t *bounds,
	struct arena *scratch);

/* Refutes what is smaller than the claim of each memory, within a budget, and
 * replays that. A claim of 0 is none. Fills the bound of each that it derives,
 * else 0. */
bool mp_proof_derive(const struct problem *problem, const struct spaces *spaces,
	const uint64_t *claims, uint64_t *bounds, struct arena *scratch);

/* Writes a proof of the bound on all orders, or warns that it has none. */
void mp_proof_write_order(const struct schedule *schedule, struct sink *sink,
	struct arena *scratch);

/* Has the proof a part about the order? */
bool mp_proof_has_order(const char *text, size_t length);

/* Reads what a proof says of all orders of a graph, and replays it. bound: no
 * order has a lower peak; 0: it says nothing. inplace: whether in-place pairs
 * share bytes. Fails as mp_proof_check() does. */
bool mp_proof_check_order(const struct graph *graph, bool inplace,
	const char *name, const char *text, size_t length, uint64_t *bound,
	struct arena *scratch);

#endif
