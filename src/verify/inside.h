/*
 * What the files of the verifier share among themselves, and with nobody else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_INSIDE_H
#define MP_VERIFY_INSIDE_H

#include "problem/plan.h"

/* What is checked, and what is said of it. */
struct check {
	const struct problem *problem;
	const uint64_t *offsets;     /* of those not placed yet, NO_OFFSET */
	const struct spaces *spaces; /* several memories, else NULL */
	const uint64_t *base;	     /* of a space, when all are laid end to
					end; or NULL */
	enum memplan_status code;
	struct error *error;
};

/* What a part takes where its buffer lies: there sizes may be rounded more than
 * in the whole. */
uint64_t mp_verify_check_size(const struct check *check, uint32_t part);

/* Whether a buffer is where it may be, whatever else is there: without a word,
 * and with one. */
bool mp_verify_check_buffer_quietly(
	const struct buffer *buffer, uint64_t offset);
bool mp_verify_check_buffer(const struct check *check, uint32_t buffer);

/* Whether any two that are placed are in each other's way. */
bool mp_verify_check_pairs(const struct check *check, struct arena *scratch);

#endif
