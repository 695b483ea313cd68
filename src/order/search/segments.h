/*
 * Segments of a memory profile. A run is a sequence of ops that shares no
 * tensor with other ops. It is cut into segments where it may pause for other
 * ops; within a segment a pause never helps (Abdel-Wahab and Kameda 1978, Liu
 * 1987).
 *
 * A hill is a maximum of the profile, a valley a minimum. A run is cut at its
 * lowest valley. Before it, each segment ends at a new minimum. After it, a
 * segment reaches over the highest hill to the lowest valley that follows, and
 * so on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SEGMENTS_H
#define MP_ORDER_SEARCH_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* An op of a run. Bytes are relative to the begin of the run and may be
 * negative. */
struct point {
	uint32_t step; /* of the op: the caller's index */
	int64_t cost;  /* bytes alive while it runs */
	int64_t after; /* bytes alive after it */
};

/* Points [from, to), which run without a pause. To merge several runs, falling
 * segments run first, the one with the smallest key first; then rising ones,
 * the one with the greatest key first. This keeps the order of the segments of
 * a run. */
struct segment {
	uint32_t from, to;
	bool up;     /* rising: it ends higher than it began */
	int64_t key; /* height of its hill above its start; if up, above its
			end */
};

/* Cuts n points, at least one. Segments number them from `first` on. Returns
 * the number of segments, at most n, not in the order of the run. */
uint32_t mp_order_segments_cut(const struct point *points, uint32_t n,
	uint32_t first, struct segment *segments);

#endif
