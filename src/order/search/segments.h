/*
 * The profile of a run of ops, cut where it may pause. What lies between two
 * cuts may as well run in one go, whatever else runs in between, as long as the
 * run shares no tensor with the rest (Abdel-Wahab and Kameda 1978, Liu 1987).
 *
 * A run is cut at its lowest point. Down to there it is cut into segments, each
 * to a new low; from there on it is cut behind its highest hill, at the lowest
 * point that follows, and so on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_SEGMENTS_H
#define MP_ORDER_SEARCH_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Levels are bytes relative to where the run begins, and may be below. */
struct point {
	uint32_t step; /* whose: the caller's index */
	int64_t cost;  /* while it runs */
	int64_t after; /* behind it */
};

/* Points [from, to), which run in one go. Of several runs those that fall go
 * first, the one with the smallest key first; then those that rise, the one
 * with the greatest key first. Within a run the segments then keep their
 * order. */
struct segment {
	uint32_t from, to;
	bool up;     /* it ends higher than it began */
	int64_t key; /* its hill, above its start, or if up above its end */
};

/* Cuts n points, at least one, which the segments count from first on. Gives
 * the number of segments, n at most, not in the order of the run. */
uint32_t mp_order_segments_cut(const struct point *points, uint32_t n,
	uint32_t first, struct segment *segments);

#endif
