/*
 * Declarations for the files of the verifier only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_INSIDE_H
#define MP_VERIFY_INSIDE_H

#include "problem/plan.h"

/* One run of the verifier. */
struct check {
	const struct problem *problem;
	const uint64_t *offsets;     /* NO_OFFSET: not placed yet */
	const struct spaces *spaces; /* several memories, else NULL */
	const uint64_t *base;	     /* of a space, if all are placed end to
					end; or NULL */
	enum memplan_status code;
	struct error *error;
};

/* The bytes of a part in the space of its buffer: a pool may round sizes up
 * more than the problem does. */
uint64_t mp_verify_check_size(const struct check *check, uint32_t part);

/* True if a buffer by itself lies where it may. The first function sets no
 * error: names for messages are looked up only after a failure. */
bool mp_verify_check_buffer_quietly(
	const struct buffer *buffer, uint64_t offset);
bool mp_verify_check_buffer(const struct check *check, uint32_t buffer);

/* True if no two placed buffers overlap in bytes although they conflict. */
bool mp_verify_check_pairs(const struct check *check, struct arena *scratch);

#endif
