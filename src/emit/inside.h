/*
 * What several emitters say of one thing: lines for people and members of JSON
 * objects; and one of a plan's memories as pictures and traces show it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_INSIDE_H
#define MP_EMIT_INSIDE_H

#include "emit/emit.h"

/* The graphs of a bundle: members of the outermost object, or a line each.
 * Nothing of what is no bundle. */
void mp_emit_bundle_json(struct sink *sink, const struct plan *plan);
void mp_emit_bundle_text(struct sink *sink, const struct plan *plan);

/* How many of the problem's in-place pairs share bytes. */
uint32_t mp_emit_inplace_shared(const struct schedule *schedule);

/* What became of in-place pairs: lines, nothing where the input has none; and
 * the member "inplace". False: out of memory. */
bool mp_emit_inplace_text(struct sink *sink, const struct schedule *schedule,
	struct arena *scratch);
bool mp_emit_inplace_json(struct sink *sink, const struct schedule *schedule,
	struct arena *scratch);

/* Buffers that lie elsewhere than in the first pool of their list, the largest
 * first: a line that names the first few, nothing where there are none; and the
 * member "spilled_buffers" with all. False: out of memory. */
bool mp_emit_spilled_text(
	struct sink *sink, const struct plan *plan, struct arena *scratch);
bool mp_emit_spilled_json(
	struct sink *sink, const struct plan *plan, struct arena *scratch);

/* The bytes that are alive in a memory at each step. */
struct lane {
	struct space space;
	uint32_t index;	      /* of the memory */
	const uint64_t *load; /* bytes alive at each step of the listed order */
	uint32_t peak_step;   /* first step that has most of them */
};

/* Of one memory that is all; of several, sizes are rounded as each wants it. */
bool mp_emit_lane(const struct plan *plan, uint32_t i, struct lane *lane,
	struct arena *arena, struct error *e);

/* Where a part lies. */
uint32_t mp_emit_lane_of(const struct plan *plan, const struct part *part);

#endif
