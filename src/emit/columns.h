/*
 * A text table. Its cells are written one after the other into a sink, with a
 * tab behind each but the last of a row and a newline behind that one, and then
 * printed in columns as wide as their widest cell. A row may end early.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_COLUMNS_H
#define MP_EMIT_COLUMNS_H

#include "base/text.h"

enum {
	COLUMNS_MOST = 8
};

struct column {
	uint32_t gap;	/* spaces before the column */
	uint32_t width; /* at least */
	bool left;	/* where the cells begin; else they end together */
};

/* An empty sink for cells; mp_emit_columns_print() frees it. */
struct sink mp_emit_columns_begin(const struct sink *sink);

/* Prints the rows. A cell of the last column is never filled up, and may be of
 * any width. */
void mp_emit_columns_print(struct sink *sink, struct sink *cells,
	const struct column *columns, uint32_t n);

#endif
