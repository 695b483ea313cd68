/*
 * Cutting a profile into falling and rising segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>

/* Bytes alive before a point. */
static int64_t before(const struct point *p, uint32_t i)
{
	return i > 0 ? p[i - 1].after : 0;
}

/* Cuts the points up to the lowest valley, from the back: the last segment has
 * the highest hill and begins at the lowest valley before it. */
static struct segment *cut_down(
	struct point *p, uint32_t end, uint32_t first, struct segment *segment)
{
	uint32_t hill = 0, start = 0;

	for (uint32_t i = 0; i < end; i++) {
		if (i > 0 && p[i - 1].after <= before(p, start))
			start = i;
		if (p[i].cost > p[hill].cost)
			hill = i;
		p[i].hill = hill;
		p[i].end = start;
	}
	while (end > 0) {
		hill = p[end - 1].hill;
		start = p[hill].end;
		*segment++ = (struct segment){first + start, first + end, false,
			p[hill].cost - before(p, start)};
		end = start;
	}
	return segment;
}

/* Cuts the points after the lowest valley: the first segment has the highest
 * hill and ends at the lowest valley after it. */
static struct segment *cut_up(struct point *p, uint32_t from, uint32_t end,
	uint32_t first, struct segment *segment)
{
	uint32_t hill = end - 1, low = end - 1;

	for (uint32_t i = end; i-- > from;) {
		if (p[i].after < p[low].after)
			low = i;
		if (p[i].cost > p[hill].cost)
			hill = i;
		p[i].hill = hill;
		p[i].end = low;
	}
	while (from < end) {
		hill = p[from].hill;
		low = p[hill].end;
		*segment++ = (struct segment){first + from, first + low + 1,
			true, p[hill].cost - p[low].after};
		from = low + 1;
	}
	return segment;
}

uint32_t mp_order_segments_cut(struct point *points, uint32_t n, uint32_t first,
	struct segment *segments)
{
	struct segment *end;
	uint32_t lowest = 0;
	int64_t low = 0;

	assert(n > 0);
	for (uint32_t i = 0; i < n; i++)
		if (points[i].after <= low) {
			low = points[i].after;
			lowest = i + 1;
		}
	end = cut_down(points, lowest, first, segments);
	end = cut_up(points, lowest, n, first, end);
	assert(segments < end && end <= segments + n);
	return (uint32_t)(end - segments);
}
