/*
 * The pools that may hold a buffer: those of its tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_POOL_LISTS_H
#define MP_LIFETIME_POOL_LISTS_H

#include "problem/schedule.h"

/* Fills the pools of the schedule's problem. Requires the stays. Does nothing
 * for a graph without pools. */
bool mp_lifetime_pool_lists_fill(
	struct schedule *schedule, struct arena *arena, struct error *e);

#endif
