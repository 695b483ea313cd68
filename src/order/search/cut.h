/*
 * The cheapest moment for a question. The bytes alive between steps depend only
 * on the set of ops that have run, and that function is submodular: a tensor
 * counts if its producer is in the set and not all of its users are. So the
 * least of it over all sets that contain some ops and leave out others is a
 * least cut (Picard 1976), and a flow of the same value proves it.
 *
 * A set is closed: with an op it contains all that the op waits for. Forcing an
 * op in forces those in as well; forcing one out, all that wait for it.
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
	uint8_t *side;	 /* of an op: enum cut_side; what was forced */
	bool *in;	 /* of an op: the smallest cheapest set */
	uint64_t value;	 /* its bytes, or as many as were asked for */
	uint64_t work;	 /* all that was done so far, in steps of a job */
	uint32_t *nodes; /* scratch: of an op and of a tensor, its node */
	uint32_t *stack; /* scratch */
	struct arena *arena;
};

bool mp_order_cut_init(
	struct cut *cut, const struct view *view, struct arena *arena);

/* Forgets what was forced. */
void mp_order_cut_reset(struct cut *cut);

/* False if the op is forced to the other side already. */
bool mp_order_cut_force_in(struct cut *cut, uint32_t op);
bool mp_order_cut_force_out(struct cut *cut, uint32_t op);

/* Forces so that the op can run next. False if that cannot be. */
bool mp_order_cut_before(struct cut *cut, uint32_t op);

/* Finds value, and in. A value of limit or more is not searched further, and
 * in then not filled. Every op in the set that was not forced costs price
 * bytes besides, which value includes. */
bool mp_order_cut_solve(struct cut *cut, uint64_t price, uint64_t limit);

#endif
