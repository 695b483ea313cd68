/*
 * What show and show-json say of one thing: lines for people and members of the
 * outermost object.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_SHOW_SHOW_H
#define MP_EMIT_SHOW_SHOW_H

#include "emit/emit.h"

/* The memories that a graph names; nothing where it names none. False: out of
 * memory. */
bool mp_emit_memories_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch);
bool mp_emit_memories_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch);

/* Aliases that are written over bytes of others, and the ops that therefore run
 * before. As text nothing where no alias writes. */
void mp_emit_alias_writes_text(
	struct sink *sink, const struct schedule *schedule);
void mp_emit_alias_writes_json(
	struct sink *sink, const struct schedule *schedule);

#endif
