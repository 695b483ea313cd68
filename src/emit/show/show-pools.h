/*
 * The memories that a graph names, as reports on the graph have them. Nothing
 * where it names none; false: out of memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SHOW_SHOW_POOLS_H
#define MP_EMIT_SHOW_SHOW_POOLS_H

#include "emit/emit.h"

bool mp_emit_memories_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch);
bool mp_emit_memories_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch);

#endif
