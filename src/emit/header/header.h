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
	uint32_t n;		    /* tensors that are not external */
	uint32_t first_tensor;	    /* in the ties of the graph */
	const bool *changes; /* of a tensor of the whole: see emit/tied.h */
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

/* The macro that makes an address, and offset and size of each tensor. */
void mp_emit_header_tensors(const struct header *h);

/* The enum and the table of tensors, if there are any. */
void mp_emit_header_entries(const struct header *h);

/* That each tensor is aligned, or where it is an alias, and within the arena.
 */
void mp_emit_header_fits(const struct header *h);

/* How a tensor x is found, behind the prefix; and where from. */
const char *mp_emit_header_place(const struct header *h);
const char *mp_emit_header_bases(const struct header *h);

/* The rest of the opening comment of a bundle. */
void mp_emit_header_explain(const struct header *h);

/* The graphs of a bundle, and a table of them. */
bool mp_emit_header_bundle(
	const struct header *h, struct arena *scratch, struct error *e);

#endif
