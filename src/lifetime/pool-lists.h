/*
 * Which pools may hold a buffer: those of its tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LIFETIME_POOL_LISTS_H
#define MP_LIFETIME_POOL_LISTS_H

#include "problem/schedule.h"

/* Gives the problem of a schedule whose stays are known its pools. Nothing is
 * done for a graph without any. */
bool mp_lifetime_pool_lists_fill(
	struct schedule *schedule, struct arena *arena, struct error *e);

#endif
