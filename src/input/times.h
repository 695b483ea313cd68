/*
 * Lifetimes of inputs, in times of any kind, and gaps in them. Without ops,
 * times become steps: the distinct times are numbered in ascending order, so
 * that a range of times costs as much as it has events.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_TIMES_H
#define MP_INPUT_TIMES_H

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

/* Pins the first n tensors of the graph to their spans and fills n_steps and
 * times, and the steps of the gaps. A span that is empty (0, 0) belongs to an
 * external tensor. */
bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena);

#endif
