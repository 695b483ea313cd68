/*
 * Where compounds with fixed offsets can lie if they have no free bytes in
 * them: at a few bases only. Those with free bytes slide: see slides.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_BASES_H
#define MP_PLANNERS_PLAIN_BASES_H

#include "planners/plain/compounds.h"

/* The n_bases of a compound. */
static inline uint64_t *mp_planner_bases_of(
	const struct compounds *c, const struct compound *x)
{
	return c->bases[x - c->at].at;
}

/* Fills below[k][m]: the members of a stack that lie below member m in its k-th
 * order, as bits. A stack of fewer than five members has the first orders. */
void mp_planner_bases_list_orders(uint8_t below[STACK_ORDERS][MOST_MEMBERS]);

/* Gives the compound of one buffer its only base, the offset. */
void mp_planner_bases_fix(struct compounds *c, uint32_t i, uint64_t offset);

/* Finds the bases of a compound from those of its members; some of more than
 * MOST_BASES. False: fixed offsets leave none. */
bool mp_planner_bases_find(struct compounds *c, struct compound *x);

/* Where the members lie above a base that the compound can have, so that they
 * can lie there. */
void mp_planner_bases_places(const struct compounds *c,
	const struct compound *x, uint64_t base, uint64_t place[MOST_MEMBERS]);

#endif
