/*
 * What rows share: the view, alternatives, folded aliases, ops that move late,
 * and passes that polish an order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_INSIDE_H
#define MP_ORDER_INSIDE_H

#include "order/order.h"
#include "order/view.h"

/* ------------------------------------------------------------- view */

/* The view of the job's graph, which is made if there is none. It lives as long
 * as what the job's arena gets now. NULL: memory is out. */
const struct view *mp_order_view(struct order_job *job);

/* ----------------------------------------------------- alternatives */

/* Allocates the alternatives; there are none yet. */
bool mp_order_alternatives_init(struct order_job *job);

/* Adds an order if its peak equals that of the alternatives and it differs from
 * them; replaces them if its peak is lower. */
void mp_order_alternatives_offer(struct order_job *job, const uint32_t *order,
	uint64_t peak, const char *name);

/* Adds an order, whatever its peak, if it differs from them. The alternative
 * that it is; NULL: there is no room. */
const uint32_t *mp_order_alternatives_add(
	struct order_job *job, const uint32_t *order);

/* ------------------------------------------------------------- keep */

/* Fills a legal order: at every step the ready op of the least rank. False:
 * memory is out. */
bool mp_order_first_ready(const struct graph *graph, const uint32_t *rank,
	uint32_t *order, struct arena *arena);

/* ------------------------------------------------------------- fold */

/* A copy in which each root lives as long as any of its aliases, and aliases
 * take no bytes. Exact if every alias covers its whole root; else roots live
 * too long. Without aliases the result is the graph itself. NULL: memory is
 * out. */
const struct graph *mp_order_fold(
	const struct graph *graph, struct arena *arena);

/* ------------------------------------------------------------- late */

/* Outputs of a late op are not alive before they are needed; its inputs are
 * alive that long anyway. */
enum late_rule {
	/* An op moves if it reads no tensor that can be freed: variables,
	 * constants, data that is not reused. */
	LATE_FIXED,
	/* An op moves if a tensor that it reads lives beyond its first
	 * consumer. */
	LATE_DYNAMIC,
	/* An op moves if all tensors that it reads live to its first consumer,
	 * and its unused outputs fit under what that consumer writes: the peak
	 * never rises. */
	LATE_SAFE,
};

/* Applies the rule to every op, last to first, in place. */
bool mp_order_late_move(const struct view *view, enum late_rule rule,
	uint32_t *order, struct arena *arena);

/* ----------------------------------------------------------- polish */

/* Moves every op that frees more than it writes as far forward as its
 * dependences allow, unless its cost there exceeds the cap, which is at least
 * the order's peak. In place. live is scratch. */
bool mp_order_advance(const struct view *view, uint64_t cap, struct live *live,
	uint32_t *order, struct arena *arena);

/* Moves ops late (see order/rules/late.c) and early, and keeps the result if
 * its peak is lower. *peak is the peak of the order, before and after. live is
 * scratch. */
bool mp_order_polish(const struct view *view, struct live *live,
	uint32_t *order, uint64_t *peak, struct arena *arena);

/* Moves an order towards the wanted one by swaps of neighbours. No step may
 * cost more than the cap, which is at least the order's peak. In place. *tries
 * is how many swaps may be tried, and is counted down. live is scratch. */
bool mp_order_stabilise(const struct view *view, const uint32_t *wanted,
	uint64_t cap, uint64_t *tries, struct live *live, uint32_t *order,
	struct arena *arena);

#endif
