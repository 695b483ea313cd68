/*
 * Compounds with free bytes around fixed offsets, against all offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/slides.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random.h"

enum {
	BUFFERS = 5,
	TOP = 9,
	CASES = 300,
	TRIES = 40
};

/* From which byte to which the buffers in a compound lie. */
struct range {
	uint64_t low, high;
};

/* The least of all offsets. */
struct least {
	uint64_t end, size;
};

/* What a join makes of two: a stack of stacks is one of all their members. */
static uint32_t list_members(const struct compounds *c, enum join how,
	const uint32_t pair[2], uint32_t list[BUFFERS])
{
	uint32_t n = 0;

	for (int k = 0; k < 2; k++) {
		const struct compound *x = &c->at[pair[k]];
		bool is_stack = how == JOIN_STACK && x->how == JOIN_STACK;

		for (uint32_t m = 0; m < (is_stack ? x->n_members : 1); m++)
			list[n++] = is_stack ? x->member[m] : pair[k];
	}
	return n;
}

static bool are_apart(
	const struct range *ranges, const uint32_t *list, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t m = 0; m < k; m++)
			if (ranges[list[k]].low < ranges[list[m]].high &&
				ranges[list[m]].low < ranges[list[k]].high)
				return false;
	return true;
}

static struct range range_of(
	const struct range *ranges, const uint32_t *list, uint32_t n)
{
	struct range all = ranges[list[0]];

	for (uint32_t k = 1; k < n; k++) {
		all.low = num_min(all.low, ranges[list[k]].low);
		all.high = num_max(all.high, ranges[list[k]].high);
	}
	return all;
}

/* Members come before what they are members of. Only compounds inside of those
 * that are joined matter. */
static bool find_ranges(const struct compounds *c, const uint64_t *offsets,
	const bool *inside, struct range *ranges)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct compound *x = &c->at[i];

		if (x->how == JOIN_NONE) {
			uint64_t low = offsets[c->buffer[i]];

			ranges[i] = (struct range){low, low + x->size};
			continue;
		}
		if (inside[i] && x->how == JOIN_STACK &&
			!are_apart(ranges, x->member, x->n_members))
			return false;
		ranges[i] = range_of(ranges, x->member, x->n_members);
	}
	return true;
}

/* Fixed offsets are kept, and nothing ends above the top. */
static bool are_kept(const struct problem *p, const uint64_t *offsets)
{
	for (uint32_t i = 0; i < BUFFERS; i++) {
		const struct buffer *a = &p->buffers[i];

		if (offsets[i] + a->size > TOP ||
			(a->offset != NO_OFFSET && a->offset != offsets[i]))
			return false;
	}
	return true;
}

/* Of each compound whether it is one of the pair, or within these. */
static void find_inside(
	const struct compounds *c, const uint32_t pair[2], bool *inside)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t k = i;

		while (k != pair[0] && k != pair[1] && c->at[k].part_of != NONE)
			k = c->at[k].part_of;
		inside[i] = k == pair[0] || k == pair[1];
	}
}

/* Those that are not fixed at 0. */
static void begin_offsets(const struct problem *p, uint64_t *offsets)
{
	for (uint32_t i = 0; i < BUFFERS; i++)
		offsets[i] = p->buffers[i].offset == NO_OFFSET
				     ? 0
				     : p->buffers[i].offset;
}

/* A fixed offset that is in neither of a pair is alive when one is. */
static bool meet_others(const struct compounds *c, const struct problem *p,
	const uint32_t pair[2])
{
	bool inside[3 * BUFFERS], meet = false;

	find_inside(c, pair, inside);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		const struct buffer *b = &p->buffers[c->buffer[i]];

		meet |= !inside[i] && b->offset != NO_OFFSET &&
			b->start < c->at[pair[1]].end &&
			c->at[pair[0]].start < b->end;
	}
	return meet;
}

/* Tries all offsets of the buffers in both. */
static struct least try_all(const struct compounds *c, const struct problem *p,
	enum join how, const uint32_t pair[2])
{
	struct least least = {UINT64_MAX, UINT64_MAX};
	uint32_t list[BUFFERS], n = list_members(c, how, pair, list), i = 0;
	struct range ranges[3 * BUFFERS], all;
	uint64_t offsets[BUFFERS];
	bool inside[3 * BUFFERS];

	find_inside(c, pair, inside);
	begin_offsets(p, offsets);
	while (i < BUFFERS) {
		if (are_kept(p, offsets) &&
			find_ranges(c, offsets, inside, ranges) &&
			(how == JOIN_CHAIN || are_apart(ranges, list, n))) {
			all = range_of(ranges, list, n);
			least.end = num_min(least.end, all.high);
			least.size = num_min(least.size, all.high - all.low);
		}
		for (i = 0; i < BUFFERS; i++) {
			uint32_t b = c->buffer[i];

			if (!inside[i] || p->buffers[b].offset != NO_OFFSET)
				continue;
			if (++offsets[b] < TOP)
				break;
			offsets[b] = 0;
		}
	}
	return least;
}

static void expect_settled(struct compounds *c, const struct problem *p,
	uint32_t compound, uint64_t end)
{
	const uint32_t pair[2] = {compound, compound};
	uint64_t offsets[BUFFERS];
	struct range ranges[3 * BUFFERS];
	bool inside[3 * BUFFERS];

	find_inside(c, pair, inside);
	begin_offsets(p, offsets);
	mp_planner_compounds_settle(c, compound, 0, offsets);
	cr_assert(are_kept(p, offsets));
	cr_assert(find_ranges(c, offsets, inside, ranges));
	cr_assert_leq(ranges[compound].high, end);
}

/* Two that may be joined, if it comes to that. */
static bool pick_pair(const struct compounds *c, uint64_t *state,
	uint32_t pair[2], enum join *how)
{
	const struct compound *x, *y;

	for (int k = 0; k < 2; k++)
		pair[k] = c->live[mp_testing_below(state, c->n_live)];
	x = &c->at[pair[0]];
	y = &c->at[pair[1]];
	*how = x->end == y->start ? JOIN_CHAIN : JOIN_STACK;
	return x != y && (*how == JOIN_CHAIN ||
				 (x->start == y->start && x->end == y->end));
}

/* Three spans, so that much fits; two offsets are fixed. */
static void begin(struct planning *f, uint64_t *state)
{
	static const uint32_t spans[][2] = {{0, 1}, {1, 2}, {0, 2}};

	mp_testing_begin(f, BUFFERS, 2);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		const uint32_t *span = spans[mp_testing_below(state, 3)];

		mp_testing_add(&f->problem, span[0], span[1],
			1 + mp_testing_below(state, 3));
	}
	cr_assert(mp_testing_end(f, "pad", 1000));
	for (int k = 0; k < 2; k++) {
		uint64_t offset = mp_testing_below(state, TOP - 3);

		f->problem.buffers[mp_testing_below(state, BUFFERS)].offset =
			offset;
	}
}

/* Where a compound with fixed offsets in it ends if it is as low as can be. */
static uint64_t lowest_end(const struct compounds *c, uint32_t compound)
{
	const struct compound_slides *slides = &c->slides[compound];
	uint64_t end = UINT64_MAX;

	for (uint32_t k = 0; k < c->at[compound].n_bases; k++)
		end = num_min(end, num_max(slides->at[k].end, slides->bytes));
	return end;
}

/* Another fixed offset in the way may leave less than all. */
static void expect_least(struct compounds *c, const struct problem *p,
	uint32_t joined, struct least least, bool in_the_way)
{
	const struct compound *x = &c->at[joined];
	uint64_t end = lowest_end(c, joined);

	cr_assert_geq(x->size, least.size);
	cr_assert_geq(end, least.end);
	cr_assert(in_the_way || (x->size == least.size && end == least.end));
	expect_settled(c, p, joined, end);
}

Test(slides, are_the_least_of_all_offsets)
{
	uint32_t n_joined = 0, n_refused = 0;

	for (uint64_t seed = 1; seed <= CASES; seed++) {
		uint64_t state = seed;
		struct planning f;
		struct compounds c;

		begin(&f, &state);
		cr_assert(mp_planner_compounds_init_loose(
			&c, &f.problem, TOP, &f.arena));
		for (uint32_t k = 0; k < TRIES && c.n_live > 1; k++) {
			uint32_t pair[2], joined;
			enum join how;
			struct least least;
			bool in_the_way;

			if (!pick_pair(&c, &state, pair, &how))
				continue;
			in_the_way = meet_others(&c, &f.problem, pair);
			least = try_all(&c, &f.problem, how, pair);
			joined = mp_planner_compounds_join(&c, how, pair);
			if (joined == NONE)
				cr_assert(
					in_the_way || least.end == UINT64_MAX);
			else if (c.at[joined].n_bases > 0)
				expect_least(&c, &f.problem, joined, least,
					in_the_way);
			n_joined += joined != NONE;
			n_refused += joined == NONE;
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_joined, CASES);
	cr_assert_gt(n_refused, CASES);
}
