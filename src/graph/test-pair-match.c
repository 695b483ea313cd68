/*
 * The pairs that are taken, against all sets of pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/pair-match.h"

#include <criterion/criterion.h>

#include "testing/random.h"

enum {
	CASES = 20000,
	PAIRS = 10,
	SIDE = 4, /* outputs, and inputs */
};

/* The bytes that a set of pairs saves; 0: a tensor is in two of them. */
static uint64_t saved_by(
	const struct shared_pair *pairs, uint32_t n, uint32_t set)
{
	uint32_t seen = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t both = 1u << pairs[i].output | 1u << pairs[i].input;

		if (!(set >> i & 1))
			continue;
		if (seen & both)
			return 0;
		seen |= both;
		sum += pairs[i].bytes;
	}
	return sum;
}

static uint64_t best_of_all(const struct shared_pair *pairs, uint32_t n)
{
	uint64_t best = 0;

	for (uint32_t set = 0; set < 1u << n; set++) {
		uint64_t sum = saved_by(pairs, n, set);

		best = sum > best ? sum : best;
	}
	return best;
}

/* Outputs are tensors 0 to 3, inputs 4 to 7. */
static uint32_t make_pairs(struct shared_pair *pairs, uint64_t *r)
{
	uint32_t n = mp_testing_below(r, PAIRS + 1);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t out = mp_testing_below(r, SIDE);
		uint32_t in = SIDE + mp_testing_below(r, SIDE);

		pairs[i] = (struct shared_pair){
			out, in, false, 1 + mp_testing_below(r, 9)};
	}
	return n;
}

static uint32_t set_of(const struct shared_pair *pairs, uint32_t n)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < n; i++)
		set |= (uint32_t)pairs[i].taken << i;
	return set;
}

Test(pair_match, saves_as_much_as_any_set)
{
	struct shared_pair pairs[PAIRS];
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct pair_matcher matcher;

	cr_assert(mp_graph_matcher_init(&matcher, 2 * SIDE, &arena));
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		uint64_t r = seed;
		uint32_t n = make_pairs(pairs, &r);
		uint64_t sum = mp_graph_match_pairs(&matcher, pairs, n);

		cr_assert_eq(sum, best_of_all(pairs, n), "seed %llu",
			(unsigned long long)seed);
		cr_assert_eq(sum, saved_by(pairs, n, set_of(pairs, n)));
	}
	cr_assert(!matcher.missed);
	mp_arena_free(&arena);
}

/* Of two that are as good, the first. */
Test(pair_match, keeps_to_the_list)
{
	struct shared_pair pairs[] = {{0, 2, false, 8}, {0, 3, false, 8}};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct pair_matcher matcher;

	cr_assert(mp_graph_matcher_init(&matcher, 4, &arena));
	cr_assert_eq(mp_graph_match_pairs(&matcher, pairs, 2), 8);
	cr_assert(pairs[0].taken && !pairs[1].taken);
	mp_arena_free(&arena);
}
