/*
 * Buffers that lie elsewhere than in the first pool of their list, the largest
 * first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SPILLED_H
#define MP_EMIT_SPILLED_H

#include "base/text.h"
#include "emit/emit.h"

/* A line for people that names the first of them; nothing where there are
 * none. False: memory is out. */
bool mp_emit_spilled_text(
	struct sink *sink, const struct plan *plan, struct arena *scratch);

/* The member "spilled_buffers" of the outermost object: all of them. */
bool mp_emit_spilled_json(
	struct sink *sink, const struct plan *plan, struct arena *scratch);

#endif
