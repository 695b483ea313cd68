/*
 * What reports for people have in common: pieces of sentences, lines that
 * several reports have, and tables.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_REPORT_H
#define MP_EMIT_REPORT_H

#include "base/sink-text.h"
#include "emit/emit.h"
#include "emit/labels.h"

enum {
	REPORT_NAME = 60, /* characters of a name that reports print */
	PIECE_ROOM = 640, /* bytes of a number, a label and a few words */
};

/* A piece of a sentence, for "%s" of mp_sink_print(). What a function returns
 * lasts to the end of the full expression that calls it:
 * mp_sink_print(sink, "%s more", mp_emit_bytes(n).text). */
struct piece {
	char text[PIECE_ROOM];
};

/* "1572864 bytes (1.50 MiB)", "1.50 MiB", and "12.5 %" without its sign. */
struct piece mp_emit_bytes(uint64_t bytes);
struct piece mp_emit_unit(uint64_t bytes);
struct piece mp_emit_percent(uint64_t a, uint64_t b);

/* mp_emit_bytes(), with digits that end in one column in all of a report. */
struct piece mp_emit_size(const struct schedule *s, uint64_t bytes);

/* A name of at most REPORT_NAME characters; the same in quotes. */
struct piece mp_emit_plain(const char *name);
struct piece mp_emit_quoted(const char *name);

/* An op by its number and name, for names need not differ, or be there; and
 * its stream where there are several. */
struct piece mp_emit_op(const struct schedule *s, uint32_t op);

/* A tensor's label, and the same in quotes. */
struct piece mp_emit_label(const struct labels *labels, uint32_t tensor);
struct piece mp_emit_called(const struct labels *labels, uint32_t tensor);

/* Its own name, which may be a part of a label; and the same in quotes. */
struct piece mp_emit_own(const struct schedule *s, uint32_t tensor);
struct piece mp_emit_tensor(const struct schedule *s, uint32_t tensor);

/* "step 7 (conv2)" */
struct piece mp_emit_step(const struct schedule *s, uint32_t step);

/* "[3, 7)": some steps; those in which a tensor is alive; and what its label
 * names. */
struct piece mp_emit_steps(
	const struct schedule *s, uint32_t start, uint32_t end);
struct piece mp_emit_life(const struct schedule *s, uint32_t tensor);
struct piece mp_emit_label_life(const struct labels *labels, uint32_t tensor);

/* A phrase with the name in the place of its "%s"; NULL: it has none. */
void mp_emit_phrase(struct sink *sink, const char *phrase, const char *name);

/* Name of the graph, and how many ops (if any), tensors and buffers it has. */
void mp_emit_report_head(struct sink *sink, const struct schedule *s);

/* How many of the n tensors of a peak are not shown; nothing if all are. */
void mp_emit_report_rest(struct sink *sink, const struct alive *alive,
	uint32_t n, uint32_t shown);

/* The theoretical minimum, and where it stems from: a step, or, with several
 * streams, all timings, and then the listed order's on a line of its own. */
void mp_emit_report_minimum(struct sink *sink, const struct schedule *schedule);

/* ---------------------------------------------------------- columns */

/* A text table. Its cells are written one after the other into a sink, with a
 * tab behind each but the last of a row and a newline behind that one, and then
 * printed in columns as wide as their widest cell. A row may end early. */

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
