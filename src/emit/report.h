/*
 * What reports for people have in common: labels in one column, sizes
 * with digits that end in one column, names and lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_REPORT_H
#define MP_EMIT_REPORT_H

#include "base/text.h"
#include "emit/emit.h"
#include "emit/peak.h"

enum {
	REPORT_NAME = 60
}; /* characters of a name that reports print */

void mp_emit_report_label(struct sink *sink, const char *label);

/* A label and a size, without the line's end. */
void mp_emit_report_size(struct sink *sink, const char *label, uint64_t bytes,
	const struct schedule *s);

/* Name of the graph, and how many ops, tensors and buffers it has. */
void mp_emit_report_head(struct sink *sink, const struct schedule *s);

/* A line for each of several memories; nothing for one. */
void mp_emit_report_pools(struct sink *sink, const struct plan *plan);

/* A name in quotes. */
void mp_emit_report_name(struct sink *sink, const char *name);

/* An op by its number and name, for names need not differ, or be there; and
 * its stream where there are several. */
void mp_emit_report_op(
	struct sink *sink, const struct schedule *s, uint32_t op);

/* A tensor's label in quotes. */
void mp_emit_report_tensor(
	struct sink *sink, const struct schedule *s, uint32_t tensor);

/* "[3, 7)": when a tensor is alive. */
void mp_emit_report_life(
	struct sink *sink, const struct schedule *s, uint32_t tensor);

/* How many of the n tensors of a peak are not shown; nothing if all are. */
void mp_emit_report_rest(struct sink *sink, const struct alive *alive,
	uint32_t n, uint32_t shown);

/* The theoretical minimum, and where it stems from: a step, or, with several
 * streams, all timings, and then the listed order's on a line of its own. Ends
 * without a newline. */
void mp_emit_report_minimum(struct sink *sink, const struct schedule *schedule);

#endif
