/*
 * Banks of a memory: which of them two ranges of bytes touch, and what it costs
 * that they touch the same.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "problem/problem.h"

/* Banks from `first` on, so many one after the other; behind the last comes
 * bank 0. */
struct arc {
	uint64_t first, n; /* n at most all of them */
};

static struct arc arc_of(const struct banks *banks, struct extent bytes)
{
	uint64_t first = bytes.base / banks->size;
	uint64_t last = (bytes.base + bytes.size - 1) / banks->size;

	assert(bytes.size > 0);
	return (struct arc){
		first % banks->count, num_min(last - first + 1, banks->count)};
}

/* Of [a, a + n) and [b, b + m). */
static uint64_t overlap(uint64_t a, uint64_t n, uint64_t b, uint64_t m)
{
	uint64_t low = num_max(a, b), high = num_min(a + n, b + m);

	return low < high ? high - low : 0;
}

uint64_t mp_problem_shared_banks(
	const struct banks *banks, struct extent a, struct extent b)
{
	struct arc x = arc_of(banks, a), y = arc_of(banks, b);
	uint64_t round = banks->count;

	/* One arc may begin again where the other is in its first round. */
	return overlap(x.first, x.n, y.first, y.n) +
	       overlap(x.first + round, x.n, y.first, y.n) +
	       overlap(x.first, x.n, y.first + round, y.n);
}

uint64_t mp_problem_pair_cost(const struct problem *problem,
	const struct costly_pair *pair, uint64_t base_a, uint64_t base_b)
{
	struct extent a = pair->of_a, b = pair->of_b;

	if (problem->banks.count == 0)
		return mp_problem_is_paid(pair, base_a, base_b) ? pair->cost
								: 0;
	a.base += base_a;
	b.base += base_b;
	return pair->cost * mp_problem_shared_banks(&problem->banks, a, b);
}

struct problem mp_problem_with_banks(
	const struct problem *problem, struct banks banks)
{
	struct problem with = *problem;

	assert(banks.count > 0);
	with.banks = banks;
	with.costs = problem->bank_costs;
	with.n_costs = problem->n_bank_costs;
	return with;
}
