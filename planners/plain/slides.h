/*
 * Where compounds with fixed offsets can lie if they have free bytes in them:
 * they can slide.
 *
 * A compound that is put at a base, or above it, ends somewhere: at the lowest
 * end, or as many bytes above the base as all that is in it takes. From some
 * base on its fixed offsets are out of reach. So each order of its stacks is
 * two numbers, the highest base and the lowest end; and what is made of such
 * compounds has two numbers again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_SLIDES_H
#define MP_PLANNERS_PLAIN_SLIDES_H

#include "planners/plain/compounds.h"

/* Gives the compound of one buffer its only place, the offset. */
void mp_planner_slides_fix(struct compounds *c, uint32_t i, uint64_t offset);

/* Finds how the compound can lie. One with fixed offsets in it gets as many
 * bytes as it takes. False: it cannot. */
bool mp_planner_slides_find(struct compounds *c, struct compound *x);

/* The bytes that both would take together; UINT64_MAX: they cannot be joined.
 */
uint64_t mp_planner_slides_together(struct compounds *c,
	const struct compound *x, const struct compound *y, enum join how);

/* The lowest base at which an order of the compound takes the fewest bytes. */
uint64_t mp_planner_slides_base(
	const struct compounds *c, const struct compound *x, uint32_t order);

/* Whether it can lie there and take no more bytes than it has. */
bool mp_planner_slides_can_lie(
	const struct compounds *c, const struct compound *x, uint64_t base);

/* From now on the compound has that base only, at which it can lie. */
void mp_planner_slides_stay(struct compounds *c, uint32_t i, uint64_t base);

/* Where the members lie above a base that the compound can have, so that all
 * end as low as possible. */
void mp_planner_slides_places(const struct compounds *c,
	const struct compound *x, uint64_t base, uint64_t place[MOST_MEMBERS]);

#endif
