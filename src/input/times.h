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

/* Gaps in lifetimes, as an input lists them. */
struct gap_list {
	struct lifetime_gap *at; /* their steps are set later */
	struct time_span *spans; /* of a gap: its times */
	uint32_t n, room;
};

/* Appends a gap; false if memory is out. */
bool mp_input_gap_list_add(struct gap_list *gaps,
	const struct lifetime_gap *gap, const struct time_span *span,
	struct arena *arena);

/* Checks the gaps from number `from` on, which belong to one tensor of this
 * lifetime and size. Returns what is wrong, as the end of a sentence, or NULL.
 */
const char *mp_input_gap_list_fault(const struct gap_list *gaps, uint32_t from,
	const struct time_span *lifetime, uint64_t size);

/* Pins the first n tensors of the graph to their spans, and fills n_steps,
 * times and the steps of the gaps. External tensors have an empty span (0, 0).
 */
bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena);

#endif
