/*
 * Minimum cuts: the set of ops that have run with the fewest bytes alive. The
 * bytes alive between two steps depend only on that set, and are a submodular
 * function of it: a tensor counts if its producer is in the set and not all of
 * its users are. So the minimum over all sets that contain some ops and exclude
 * others is a minimum cut (Picard 1976), and a flow of the same value proves
 * it.
 *
 * A set is closed: with an op it contains its predecessors. Forcing an op in
 * forces its predecessors in; forcing an op out forces its successors out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_CUT_H
#define MP_ORDER_SEARCH_CUT_H

#include "base/max-flow.h"
#include "order/view.h"

enum cut_side {
	CUT_FREE,
	CUT_IN,
	CUT_OUT,
};

struct cut {
	const struct view *view;
	uint8_t *side;	 /* of an op: enum cut_side, as forced */
	bool *in;	 /* of an op: it is in the smallest of the cheapest
			    sets */
	uint64_t value;	 /* bytes of that set, or the limit or more */
	uint64_t work;	 /* work so far, in steps of a job */
	uint32_t *nodes; /* scratch: of an op and of a tensor, its node */
	uint32_t *stack; /* scratch */
	struct arena *arena;
};

bool mp_order_cut_init(
	struct cut *cut, const struct view *view, struct arena *arena);

/* No op is forced. */
void mp_order_cut_reset(struct cut *cut);

/* False if the op is forced to the other side already. */
bool mp_order_cut_force_in(struct cut *cut, uint32_t op);

/* Forces nothing but the sides that ops are on when a member of the set runs,
 * after all others (or before them): its predecessors are in, and it is out.
 * False: it cannot run last (or first). */
bool mp_order_cut_member(
	struct cut *cut, struct ids set, uint32_t member, bool first);

/* Finds value and in. If the value is limit or more, it need not be the minimum
 * and `in` is not filled. Every op in the set that was not forced costs `price`
 * bytes more, which value includes. False: memory is out. */
bool mp_order_cut_solve(struct cut *cut, uint64_t price, uint64_t limit);

#endif
