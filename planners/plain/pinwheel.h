/*
 * Pinwheels among compounds: four around a middle one, which no straight cut
 * parts.
 *
 *   +--------+-----+
 *   | BEFORE |OVER |       time goes to the right
 *   |     +--+-----+
 *   |     |MID| A  |       UNDER and MIDDLE end where AFTER begins,
 *   +-----+---+    |       BEFORE ends where MIDDLE and OVER begin
 *   | UNDER   |    |
 *   +---------+----+
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_PINWHEEL_H
#define MP_PLANNERS_PLAIN_PINWHEEL_H

#include "planners/plain/compounds.h"

/* In the order of the members of a pinwheel. */
enum wheel_role {
	WHEEL_UNDER,
	WHEEL_AFTER,
	WHEEL_OVER,
	WHEEL_BEFORE,
	WHEEL_MIDDLE,
	WHEEL_ROLES
};

/* Finds the others of a pinwheel in which a compound has that role. With
 * random not NULL it passes over what fits now and then. Adds how often it
 * looked at a compound. False: there are none, or it takes more than 64 looks
 * to find. */
bool mp_planner_pinwheel_find(const struct compounds *c, enum compound_kin kin,
	uint32_t compound, enum wheel_role role, uint64_t *random,
	uint32_t five[WHEEL_ROLES], uint64_t *looks);

/* Where the five of a pinwheel lie above its base. */
void mp_planner_pinwheel_places(const struct compounds *c,
	const struct compound *x, bool on_its_head,
	uint64_t place[MOST_MEMBERS]);

#endif
