/*
 * What the input says of several tensors at once, as a plan has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_TIED_H
#define MP_EMIT_TIED_H

#include "base/text.h"
#include "emit/emit.h"

/* A walk over the items in ascending order; the zero value is its start. */
struct tied {
	uint32_t item;
	uint32_t alias, gap; /* all before these belong to earlier items */
};

/* The item's alias and gaps, as members of its JSON object. */
void mp_emit_tied_emit(
	struct sink *sink, const struct problem *p, struct tied *tied);

/* The groups, as a member of the outermost object; nothing if there are none.
 */
void mp_emit_groups_emit(struct sink *sink, const struct problem *p);

/* Pairs to be apart, reserved ranges, branches: likewise. */
void mp_emit_relations_emit(struct sink *sink, const struct problem *p);

/* Of each item: whether its bytes may change while it is alive, as an alias
 * writes to them or others use them in a gap. Who watches memory must know it
 * as a state. NULL: out of memory. */
const bool *mp_emit_tied_changes(const struct problem *p, struct arena *arena);

/* The gaps of the walk's item as a cell of CSV, behind a comma. */
void mp_emit_gaps_cell(
	struct sink *sink, const struct problem *p, struct tied *tied);

enum tied_role {
	TIED_NOT, /* neither has nor is an alias */
	TIED_ALIAS,
	TIED_ROOT, /* has aliases, is none */
};

/* enum tied_role of each item; NULL: out of memory. */
const uint8_t *mp_emit_tied_roles(const struct problem *p, struct arena *arena);

/* Of each part: the item that is drawn there, where buffers have aliases or
 * gaps: who needs the part's bytes longest, of several the smallest; else NONE.
 * NULL: out of memory. */
const uint32_t *mp_emit_tied_keepers(
	const struct problem *p, struct arena *arena);

/* Parts are rounded outwards, and an item needs all of one or nothing: true if
 * it needs it while it is alive. */
bool mp_emit_tied_covers(const struct problem *p, const struct item *item,
	const struct part *part);

/* True if the item's buffer is one that has keepers. */
bool mp_emit_tied_by_parts(const struct problem *p, const uint32_t *keepers,
	const struct item *item);

#endif
