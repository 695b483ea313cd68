/*
 * What the input says of several tensors at once, as a plan has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_TIED_H
#define MP_EMIT_TIED_H

#include "base/text.h"
#include "emit/emit.h"

/* A walk over the tensors in ascending order; the zero value is its start. */
struct tied {
	uint32_t tensor;
	uint32_t alias, gap; /* all before these belong to earlier tensors */
};

/* The tensor's alias and gaps, as members of its JSON object. */
void mp_emit_tied_emit(
	struct sink *sink, const struct schedule *s, struct tied *tied);

/* The groups, as a member of the outermost object; nothing if there are none.
 */
void mp_emit_groups_emit(struct sink *sink, const struct schedule *s);

/* Pairs to be apart, reserved ranges, branches: likewise. */
void mp_emit_relations_emit(struct sink *sink, const struct schedule *s);

/* Of each tensor: whether its bytes may change while it is alive, as an alias
 * writes to them or others use them in a gap. A watcher of memory must know it
 * as a state. NULL: out of memory. */
const bool *mp_emit_tied_changes(const struct schedule *s, struct arena *arena);

/* The gaps of the walk's tensor as a cell of CSV, behind a comma. */
void mp_emit_gaps_cell(
	struct sink *sink, const struct schedule *s, struct tied *tied);

enum tied_role {
	TIED_NOT, /* neither has nor is an alias */
	TIED_ALIAS,
	TIED_ROOT, /* has aliases, is none */
};

/* enum tied_role of each tensor; NULL: out of memory. */
const uint8_t *mp_emit_tied_roles(
	const struct schedule *s, struct arena *arena);

/* Of each part: the tensor that is drawn there, where buffers have aliases or
 * gaps: the one that needs the part's bytes longest, of several the smallest;
 * else NONE.
 * NULL: out of memory. */
const uint32_t *mp_emit_tied_keepers(
	const struct schedule *s, struct arena *arena);

/* True if the tensor's buffer is one that has keepers. */
bool mp_emit_tied_by_parts(
	const struct schedule *s, const uint32_t *keepers, uint32_t tensor);

#endif
