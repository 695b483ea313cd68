/*
 * Groups of a moment: all pairs of sets with one sum, up to the size that is
 * needed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/moment.h"

#include <criterion/criterion.h>

#include "testing/random.h"

enum {
	N = 6,
	SEEDS = 200
};

static int64_t sum_of(const struct moment *m, const int64_t *size,
	enum side side, uint64_t members)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < m->n[side]; i++)
		if (members >> i & 1)
			sum += size[m->item[side][i]];
	return sum;
}

/* Pairs of sets of at most so many members that have one sum; what is in some
 * of them. */
static uint32_t count_pairs(
	const struct moment *m, const int64_t *size, int most, struct group *in)
{
	uint32_t n = 0;

	*in = (struct group){{0, 0}};
	for (uint64_t a = 1; a < UINT64_C(1) << m->n[GONE]; a++)
		for (uint64_t b = 1; b < UINT64_C(1) << m->n[COME]; b++) {
			if (__builtin_popcountll(a) > most ||
				__builtin_popcountll(b) > most ||
				sum_of(m, size, GONE, a) !=
					sum_of(m, size, COME, b))
				continue;
			in->of[GONE] |= a;
			in->of[COME] |= b;
			n++;
		}
	return n;
}

static bool is_all(const struct moment *m, struct group in)
{
	struct group all = mp_planner_moment_all(m);

	return in.of[GONE] == all.of[GONE] && in.of[COME] == all.of[COME];
}

Test(moment, groups_are_all_pairs_of_sets_with_one_sum)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint64_t random = 1, looks = 0;
	int64_t size[2 * N];
	uint32_t n_large = 0;
	struct moment m;

	cr_assert(mp_planner_moment_init(&m, &arena));
	for (int seed = 0; seed < SEEDS; seed++) {
		struct group in;
		int most = 3;
		uint32_t n;

		m.n[GONE] = 1 + (uint32_t)mp_testing_below(&random, N);
		m.n[COME] = 1 + (uint32_t)mp_testing_below(&random, N);
		for (uint32_t i = 0; i < N; i++) {
			m.item[GONE][i] = i;
			m.item[COME][i] = N + i;
			size[i] = 1 + (int64_t)mp_testing_below(&random, 9);
			size[N + i] = 1 + (int64_t)mp_testing_below(&random, 9);
		}
		mp_planner_moment_groups(&m, size, &looks);
		n = count_pairs(&m, size, most, &in);
		while (!is_all(&m, in) && most < N)
			n = count_pairs(&m, size, ++most, &in);
		cr_assert_eq(m.n_groups, n, "seed %d", seed);
		for (uint32_t k = 0; k < n; k++)
			cr_assert_eq(
				sum_of(&m, size, GONE, m.groups[k].of[GONE]),
				sum_of(&m, size, COME, m.groups[k].of[COME]));
		n_large += most > 3;
	}
	cr_assert(n_large > 0 && n_large < SEEDS);
	cr_assert(looks > 0);
	mp_arena_free(&arena);
}
