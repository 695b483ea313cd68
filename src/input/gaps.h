/*
 * Lifetimes as inputs have them, in times of any kind, and pauses in them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_GAPS_H
#define MP_INPUT_GAPS_H

#include "graph/graph.h"

struct time_span {
	int64_t start, end; /* alive in [start, end), start < end */
};

/* Pauses in lifetimes, as an input lists them. */
struct gap_list {
	struct lifetime_gap *at; /* all but their steps */
	struct time_span *spans; /* their times */
	uint32_t n, room;
};

/* Appends one; false when memory is out. */
bool mp_input_gap_list_add(struct gap_list *gaps,
	const struct lifetime_gap *gap, const struct time_span *span,
	struct arena *arena);

/* What is wrong with the gaps from number `from` on, all of one tensor of that
 * lifetime and size, as the end of a sentence; NULL: nothing. */
const char *mp_input_gap_list_fault(const struct gap_list *gaps, uint32_t from,
	const struct time_span *lifetime, uint64_t size);

#endif
