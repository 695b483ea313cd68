/*
 * What the header of one plan and that of a bundle have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_HEADER_HEADER_H
#define MP_EMIT_HEADER_HEADER_H

#include "emit/emit.h"

struct header {
	const struct plan *plan;
	const struct schedule *schedule;
	struct sink *sink;
	const char *prefix;	    /* of macros and enumerators */
	const char *lower;	    /* the same in lower case, of tables */
	const char *const *symbols; /* one a tensor */
	uint32_t n; /* tensors that have bytes: no others are listed */
	bool names; /* the long form: macros a tensor, too */
	uint32_t first_tensor; /* in the ties of the graph */
	const bool *changes;   /* of a tensor of the whole: see emit/inside.h */
};

/* Finds prefix and symbols of plan and schedule. */
bool mp_emit_header_prepare(struct header *h, struct arena *scratch);

/* #define PREFIX_name value */
void mp_emit_header_define(
	const struct header *h, const char *name, uint64_t value);

void mp_emit_header_literal(struct sink *sink, uint64_t value);

/* A name in a comment: ASCII that ends no comment, cut where it is long. */
void mp_emit_header_comment(struct sink *sink, const char *name);

/* What the base of the arena must be, whatever lies in it. */
void mp_emit_header_arena(const struct header *h);

/* The macro that makes an address, and in the long form offset and size of each
 * tensor. */
void mp_emit_header_tensors(const struct header *h);

/* The enum and the table of tensors, if there are any. */
void mp_emit_header_entries(const struct header *h);

/* The graphs of a bundle, and a table of them. */
void mp_emit_header_bundle(const struct header *h, struct arena *scratch);

/* ---------------------------------------------------------- symbols */

/* Symbols depend on their own name only, unless two would be equal: then each
 * of the two gets a hash of its original name behind it, never a counter, so
 * that a tensor that is added elsewhere in the graph renames nothing. */
enum {
	SYMBOL_MOST = 63, /* characters of a tensor's symbol */
	PREFIX_MOST = 24, /* and of what stands before all of a plan's */
};

/* One symbol for each tensor that has bytes: its name, in which all but
 * letters, digits and underscores became underscores. Others have NULL. NULL:
 * no memory. */
const char *const *mp_emit_symbols(
	const struct schedule *s, struct arena *arena);

/* The plan's name as a symbol in upper case. */
const char *mp_emit_symbol_prefix(const char *name, struct arena *arena);

/* A copy without upper case. */
const char *mp_emit_symbol_lower(const char *text, struct arena *arena);

/* Of the original name; never changes between versions. */
uint32_t mp_emit_symbol_hash(const char *name);

#endif
