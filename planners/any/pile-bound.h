/*
 * A lower bound from a pile: parts that lie one above the other, in some order.
 * With alignments of their own the order matters, as bytes are lost between two
 * of them. How many bytes a pile takes at the least is a dynamic program over
 * its subsets, which is exact: one of its parts is the highest.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_ANY_PILE_BOUND_H
#define MP_PLANNERS_ANY_PILE_BOUND_H

#include "planners/planner.h"

enum {
	PILE_MOST = 20 /* parts of which all subsets are looked at */
};

/* Steps that it takes to look at all subsets. */
uint64_t mp_planner_pile_work(uint32_t n);

/* Raises the job's bound if these parts, of which no two ever share a byte,
 * take more. Of more than PILE_MOST it says nothing. False: memory is out. */
bool mp_planner_pile_raise(struct job *job, const uint32_t *parts, uint32_t n);

/* The same for what is alive at each step, of a problem of one stream without
 * branches. */
bool mp_planner_pile_raise_steps(struct job *job);

#endif
