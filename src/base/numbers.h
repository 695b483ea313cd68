/*
 * A map from whole numbers to indices. Numbers that are less than how many
 * there are, as ids mostly are, have places of their own, in their order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_NUMBERS_H
#define MP_BASE_NUMBERS_H

#include "base/arena.h"

struct numbers {
	struct numbers_slot *slots;
	uint64_t mask; /* number of slots less one; a power of two of them */
	uint64_t last; /* slots behind this one are taken */
};

/* Room for count numbers. */
bool mp_numbers_init(
	struct numbers *numbers, uint32_t count, struct arena *arena);

/* Adds a number; returns the index that it had already, or NONE when it is new.
 */
uint32_t mp_numbers_add(
	struct numbers *numbers, uint64_t number, uint32_t index);

/* The index of a number, or NONE. */
uint32_t mp_numbers_find(const struct numbers *numbers, uint64_t number);

#endif
