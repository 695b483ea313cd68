/*
 * What became of in-place pairs, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_INPLACE_REPORT_H
#define MP_EMIT_INPLACE_REPORT_H

#include "emit/emit.h"

/* How many of the problem's pairs share bytes. */
uint32_t mp_emit_inplace_shared(const struct schedule *schedule);

/* Lines for people; nothing where the input has no pairs. */
bool mp_emit_inplace_text(struct sink *sink, const struct schedule *schedule,
	struct arena *scratch);

/* The member "inplace" of the outermost object. */
bool mp_emit_inplace_json(struct sink *sink, const struct schedule *schedule,
	struct arena *scratch);

#endif
