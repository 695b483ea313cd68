/*
 * Variants of mend: how it sets its target.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_MEND_H
#define MP_PLANNERS_PLAIN_MEND_H

enum mend_variant {
	MEND_BY_STEPS, /* lower and lower, as far as it gets */
	MEND_AT_ONCE   /* the goal itself, for a plan of which little sticks
			  out: ends soon where that is out of reach */
};

#endif
