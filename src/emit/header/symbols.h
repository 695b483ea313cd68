/*
 * C symbols for names that may be anything. A symbol depends on its own name
 * only, unless two would be equal, also but for case: then each of the two gets
 * a hash of its original name behind it, never a counter, so that a tensor that
 * is added elsewhere in the graph renames nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_HEADER_SYMBOLS_H
#define MP_EMIT_HEADER_SYMBOLS_H

#include "problem/plan.h"

enum {
	SYMBOL_MOST = 31, /* characters of a tensor's symbol */
	PREFIX_MOST = 24, /* and of what stands before all of a plan's */
};

/* One symbol for each tensor that is not external: letters, digits and single
 * underscores, none at either end; perhaps with a digit in front. NULL: no
 * memory. */
const char *const *mp_emit_symbols(
	const struct schedule *s, struct arena *arena);

/* The plan's name as a symbol in upper case. */
const char *mp_emit_symbol_prefix(const char *name, struct arena *arena);

/* Of the original name; never changes between versions. */
uint32_t mp_emit_symbol_hash(const char *name);

#endif
