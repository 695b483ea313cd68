/*
 * Segments of profiles.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "order/search/inside.h"
#include "testing/random.h"

enum {
	PROFILES = 20000,
	MOST_POINTS = 12,
	LONG = 1 << 20
};

static int64_t before(const struct point *p, uint32_t i)
{
	return i > 0 ? p[i - 1].after : 0;
}

/* The lowest valley, the last one of several, and the highest hill on the side
 * away from it are where inside.h says. */
static void expect_segment(
	const struct point *p, uint32_t n, uint32_t lowest, struct segment x)
{
	uint32_t from = x.up ? x.from : 0, to = x.up ? n : x.to;
	uint32_t hill = from;
	int64_t end = x.up ? p[x.to - 1].after : before(p, x.from);

	cr_assert(x.from < x.to && (x.up ? lowest <= x.from : x.to <= lowest));
	for (uint32_t i = from; i < to; i++)
		if (p[i].cost > p[hill].cost ||
			(x.up && p[i].cost == p[hill].cost))
			hill = i;
	cr_assert(x.from <= hill && hill < x.to);
	cr_assert_eq(x.key, p[hill].cost - end);
	for (uint32_t i = x.up ? hill : 0; i < (x.up ? n : hill + 1); i++) {
		int64_t low = x.up ? p[i].after : before(p, i);
		bool later = x.up ? i >= x.to : i > x.from;

		cr_assert(later ? low > end : low >= end);
	}
}

static void expect_segments(const struct point *p, uint32_t n)
{
	struct point copy[MOST_POINTS];
	struct segment segments[MOST_POINTS];
	uint32_t n_segments, lowest = 0, covered = 0;

	for (uint32_t i = 0; i <= n; i++)
		if (before(p, i) <= before(p, lowest))
			lowest = i;
	for (uint32_t i = 0; i < n; i++)
		copy[i] = p[i];
	n_segments = mp_order_segments_cut(copy, n, 0, segments);
	for (uint32_t i = 0; i < n_segments; i++) {
		expect_segment(p, n, lowest, segments[i]);
		covered += segments[i].to - segments[i].from;
	}
	cr_assert_eq(covered, n);
}

Test(segments, lie_between_valleys)
{
	for (uint64_t seed = 0; seed < PROFILES; seed++) {
		uint64_t state = seed;
		uint32_t n = 1 + mp_testing_below(&state, MOST_POINTS);
		struct point p[MOST_POINTS];

		for (uint32_t i = 0; i < n; i++) {
			p[i].after = mp_testing_below(&state, 9) - 4;
			p[i].cost = num_max(p[i].after, before(p, i)) +
				    mp_testing_below(&state, 3);
		}
		expect_segments(p, n);
	}
}

/* Each hill is lower than the one before, and each valley higher: as many
 * segments as points, on either side of the lowest valley. */
Test(segments, many_take_linear_time)
{
	struct point *p = calloc(LONG, sizeof(*p));
	struct segment *segments = calloc(LONG, sizeof(*segments));

	cr_assert(p && segments);
	for (uint32_t i = 0; i < LONG / 2; i++) {
		p[i].after = -(int64_t)i - 1;
		p[i].cost = LONG + i;
		p[LONG - 1 - i].after = -(int64_t)i;
		p[LONG - 1 - i].cost = LONG + i;
	}
	cr_assert_eq(mp_order_segments_cut(p, LONG, 0, segments), LONG);
	free(p);
	free(segments);
}
