/*
 * Aliases that are written over bytes of others, and who therefore runs before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SHOW_WRITTEN_H
#define MP_EMIT_SHOW_WRITTEN_H

#include "emit/emit.h"

/* Lines for people; nothing where no alias writes. */
void mp_emit_alias_writes_text(
	struct sink *sink, const struct schedule *schedule);

/* The member "writes" of the outermost object. */
void mp_emit_alias_writes_json(
	struct sink *sink, const struct schedule *schedule);

#endif
