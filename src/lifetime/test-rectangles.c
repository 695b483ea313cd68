/*
 * Cut rectangles cover what the pieces cover, once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/random.h"

enum {
	BYTES = 12,
	STEPS = 10,
	PIECES = 6,
	MANY = 20000,
};

static void paint(
	const struct rectangle *r, uint32_t n, uint8_t grid[BYTES][STEPS])
{
	memset(grid, 0, (size_t)BYTES * STEPS);
	for (uint32_t i = 0; i < n; i++)
		for (uint64_t b = r[i].low; b < r[i].high; b++)
			for (uint32_t k = r[i].start; k < r[i].end; k++)
				grid[b][k]++;
}

/* Bytes needed twice are needed in between. */
static void fill_holes(uint8_t row[STEPS])
{
	uint32_t first = 0, last = STEPS;

	while (first < STEPS && !row[first])
		first++;
	while (last > first && !row[last - 1])
		last--;
	for (uint32_t k = first; k < last; k++)
		row[k] = 1;
}

static struct rectangle random_piece(uint64_t *state)
{
	struct rectangle r;

	r.low = mp_testing_below(state, BYTES);
	r.high = r.low + 1 + mp_testing_below(state, BYTES - r.low);
	r.start = mp_testing_below(state, STEPS);
	r.end = r.start + 1 + mp_testing_below(state, STEPS - r.start);
	return r;
}

static void expect_cover(const struct rectangle *pieces, uint32_t n, bool whole)
{
	uint8_t wanted[BYTES][STEPS], got[BYTES][STEPS];
	struct error e = {0};
	struct arena arena = {.error = &e}, scratch = {.error = &e};
	struct rectangles cuts;

	cr_assert(mp_lifetime_rectangles_cut(
		pieces, n, whole, &cuts, &arena, &scratch));
	paint(pieces, n, wanted);
	paint(cuts.at, cuts.n, got);
	for (uint32_t b = 0; b < BYTES; b++) {
		if (whole)
			fill_holes(wanted[b]);
		for (uint32_t k = 0; k < STEPS; k++)
			cr_assert_eq(got[b][k], wanted[b][k] > 0,
				"byte %u, step %u: %u", b, k, got[b][k]);
	}
	for (uint32_t i = 1; i < cuts.n; i++)
		cr_assert(cuts.at[i - 1].low < cuts.at[i].low ||
			  cuts.at[i - 1].end < cuts.at[i].start);
	mp_arena_free(&arena);
	mp_arena_free(&scratch);
}

Test(rectangle, random_pieces_are_covered_once)
{
	struct rectangle pieces[PIECES];
	uint64_t state = 1;
	uint32_t n;

	for (uint32_t i = 0; i < 5000; i++) {
		n = 1 + mp_testing_below(&state, PIECES);
		for (uint32_t k = 0; k < n; k++)
			pieces[k] = random_piece(&state);
		expect_cover(pieces, n, i % 2);
	}
}

/* So that it takes no more memory than a few words a piece. */
static void expect_bounded(const struct rectangle *pieces, uint32_t n,
	bool whole, uint32_t least, uint32_t most)
{
	struct error e = {0};
	struct arena arena = {.error = &e}, scratch = {.error = &e};
	struct rectangles cuts;

	arena.limit = scratch.limit = 1000 * (size_t)n + 1000000;
	cr_assert(mp_lifetime_rectangles_cut(
			  pieces, n, whole, &cuts, &arena, &scratch),
		"%s", e.text);
	cr_assert(least <= cuts.n && cuts.n <= most, "%u parts", cuts.n);
	mp_arena_free(&arena);
	mp_arena_free(&scratch);
}

/* Views of one tensor, each of other bytes and read at another step. */
Test(rectangle, many_nested_pieces_are_as_many_parts)
{
	static struct rectangle pieces[MANY];

	for (uint32_t i = 0; i < MANY; i++)
		pieces[i] = (struct rectangle){0, i + 1, 0, i + 1};
	expect_bounded(pieces, MANY, false, 1, 1);
	for (uint32_t i = 0; i < MANY; i++)
		pieces[i] = (struct rectangle){0, i + 1, 0, MANY - i};
	expect_bounded(pieces, MANY, false, MANY, MANY);
	expect_bounded(pieces, MANY, true, MANY, MANY);
}

/* A tensor with a gap after every step, in each of which other bytes stay. */
Test(rectangle, runs_that_stay_go_on)
{
	static struct rectangle pieces[MANY];

	for (uint32_t i = 0; i < MANY / 2; i++) {
		pieces[2 * i] = (struct rectangle){0, MANY, 2 * i, 2 * i + 1};
		pieces[2 * i + 1] =
			(struct rectangle){i, i + 1, 2 * i + 1, 2 * i + 2};
	}
	expect_bounded(pieces, MANY, false, MANY, 2 * MANY);
}

/* Half of the pieces cross the others: exact as long as there are few, else
 * steps that no rectangle needs are kept. */
static void make_grid(struct rectangle *pieces, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		pieces[i] = (struct rectangle){0, 2 * n, 2 * i, 2 * i + 1};
		pieces[n + i] = (struct rectangle){2 * i, 2 * i + 1, 0, 2 * n};
	}
}

Test(rectangle, a_grid_is_exact_while_it_is_small)
{
	static struct rectangle pieces[MANY];

	make_grid(pieces, 10);
	expect_bounded(pieces, 20, false, 10 + 10 * 10, 10 + 10 * 10);
	make_grid(pieces, MANY / 2);
	expect_bounded(pieces, MANY, false, 1, MANY);
}

Test(rectangle, neighbours_that_live_alike_are_one)
{
	static const struct rectangle pieces[] = {
		{0, 4, 1, 3}, {4, 8, 1, 3}, {8, 9, 1, 4}};
	struct error e = {0};
	struct arena arena = {.error = &e}, scratch = {.error = &e};
	struct rectangles cuts;

	cr_assert(mp_lifetime_rectangles_cut(
		pieces, 3, false, &cuts, &arena, &scratch));
	cr_assert_eq(cuts.n, 2);
	cr_assert_eq(cuts.at[0].high, 8);
	mp_arena_free(&arena);
	mp_arena_free(&scratch);
}
