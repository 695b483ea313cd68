/*
 * Times of an input without ops become steps: the distinct times are numbered
 * in ascending order, so that any range of times costs as much as it has
 * events.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_TIMES_H
#define MP_INPUT_TIMES_H

#include "input/gaps.h"

/* Pins the first n tensors of the graph to their spans and fills n_steps and
 * times, and the steps of the gaps. A span that is empty (0, 0) belongs to an
 * external tensor. */
bool mp_input_times_compress(struct graph *graph, const struct time_span *spans,
	uint32_t n, const struct gap_list *gaps, struct arena *arena);

#endif
