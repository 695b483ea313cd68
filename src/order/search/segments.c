/*
 * Cutting a profile into falling and rising segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/segments.h"

#include <assert.h>

struct cutter {
	const struct point *points;
	uint32_t first; /* what the segments count from */
	struct segment *segments;
	uint32_t n_segments;
};

static void add_segment(
	struct cutter *c, uint32_t from, uint32_t to, bool up, int64_t key)
{
	c->segments[c->n_segments++] =
		(struct segment){c->first + from, c->first + to, up, key};
}

/* Cuts the points up to the lowest valley, from the back: the last segment has
 * the highest hill and begins at the lowest valley before it. */
static void cut_down(struct cutter *c, uint32_t end)
{
	const struct point *p = c->points;

	while (end > 0) {
		uint32_t hill = 0, start = 0;
		int64_t low = 0;

		for (uint32_t i = 0; i < end; i++)
			if (p[i].cost > p[hill].cost)
				hill = i;
		for (uint32_t i = 0; i < hill; i++)
			if (p[i].after <= low) {
				low = p[i].after;
				start = i + 1;
			}
		add_segment(c, start, end, false, p[hill].cost - low);
		end = start;
	}
}

/* Cuts the points after the lowest valley: the first segment has the highest
 * hill and ends at the lowest valley after it. */
static void cut_up(struct cutter *c, uint32_t from, uint32_t end)
{
	const struct point *p = c->points;

	while (from < end) {
		uint32_t hill = from, low;

		for (uint32_t i = from; i < end; i++)
			if (p[i].cost >= p[hill].cost)
				hill = i;
		low = hill;
		for (uint32_t i = hill; i < end; i++)
			if (p[i].after <= p[low].after)
				low = i;
		add_segment(
			c, from, low + 1, true, p[hill].cost - p[low].after);
		from = low + 1;
	}
}

uint32_t mp_order_segments_cut(const struct point *points, uint32_t n,
	uint32_t first, struct segment *segments)
{
	struct cutter c = {points, first, segments, 0};
	uint32_t lowest = 0;
	int64_t low = 0;

	assert(n > 0);
	for (uint32_t i = 0; i < n; i++)
		if (points[i].after <= low) {
			low = points[i].after;
			lowest = i + 1;
		}
	cut_down(&c, lowest);
	cut_up(&c, lowest, n);
	assert(c.n_segments > 0 && c.n_segments <= n);
	return c.n_segments;
}
