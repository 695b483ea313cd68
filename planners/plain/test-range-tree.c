/*
 * The tree against a look at every item, from the first to the last that is
 * taken.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/range-tree.h"

#include <criterion/criterion.h>

#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	BUFFERS = 700, /* four levels */
	STEPS = 60,
	ROUNDS = 12,
	QUESTIONS = 8 /* after an item is taken */
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct packing packing;
	struct range_tree tree;
	uint32_t order[BUFFERS];
	bool taken[BUFFERS];
};

static void begin(struct fixture *f, uint64_t seed, uint64_t *random)
{
	struct random_shape shape = {
		.buffers = seed % 2 ? BUFFERS : 1 + (uint32_t)seed,
		.steps = STEPS,
		.size = 9};

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	cr_assert(mp_planner_packing_init(&f->packing, &f->problem, &f->arena));
	cr_assert(mp_planner_range_tree_init(&f->tree, &f->packing, &f->arena));
	for (uint32_t i = 0; i < f->packing.n_items; i++) {
		uint32_t k = mp_testing_below(random, i + 1);

		f->order[i] = f->order[k];
		f->order[k] = i;
	}
	mp_planner_range_tree_rank(&f->tree, f->order, NULL);
}

static uint32_t best_of_all(
	const struct fixture *f, uint32_t start, uint32_t end)
{
	const struct packing *p = &f->packing;

	for (uint32_t r = 0; r < p->n_items; r++) {
		uint32_t item = f->order[r];

		if (!f->taken[item] && p->start[item] >= start &&
			p->end[item] <= end)
			return r;
	}
	return NONE;
}

static void ask(const struct fixture *f, uint64_t *random)
{
	uint32_t n = f->packing.n_sections;
	uint64_t looks = 0;

	for (uint32_t k = 0; k < QUESTIONS; k++) {
		uint32_t start = mp_testing_below(random, n);
		uint32_t end = start + 1 + mp_testing_below(random, n - start);

		uint32_t best = best_of_all(f, start, end);

		cr_assert_eq(mp_planner_range_tree_best(
				     &f->tree, start, end, &looks),
			best);
		cr_assert_eq(mp_planner_range_tree_item(
				     &f->tree, start, end, &looks),
			best == NONE ? NONE : f->order[best]);
	}
	cr_assert_eq(mp_planner_range_tree_best(&f->tree, 0, n, &looks),
		best_of_all(f, 0, n));
}

Test(range_tree, finds_the_best_within)
{
	static struct fixture f;
	uint64_t random = 3, looks = 0;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed, &random);
		for (uint32_t i = 0; i < f.packing.n_items; i++) {
			uint32_t item = f.order[mp_testing_below(
				&random, f.packing.n_items)];

			ask(&f, &random);
			if (f.taken[item])
				continue;
			f.taken[item] = true;
			mp_planner_range_tree_take(&f.tree, item, &looks);
		}
		mp_planner_range_tree_rank(&f.tree, f.order, NULL);
		cr_assert_eq(mp_planner_range_tree_best(
				     &f.tree, 0, f.packing.n_sections, &looks),
			0);
		mp_arena_free(&f.arena);
	}
}

/* Questions that lie on one side of a cut, before the parts are joined again
 * and after, while items are taken from both. */
Test(range_tree, is_the_same_in_two_parts)
{
	static struct fixture f;
	uint64_t random = 5, looks = 0;

	for (uint64_t seed = 1; seed < ROUNDS; seed += 2) {
		uint32_t n, cut, middle;
		struct range_tree part;

		begin(&f, seed, &random);
		n = f.packing.n_sections;
		cut = 1 + mp_testing_below(&random, n - 1);
		middle = f.packing.first[cut];
		part = mp_planner_range_tree_part(&f.tree, middle);
		for (uint32_t k = 0; k < BUFFERS; k++) {
			uint32_t item =
				mp_testing_below(&random, f.packing.n_items);
			uint32_t low = mp_testing_below(&random, cut);
			uint32_t high =
				cut + mp_testing_below(&random, n - cut);

			cr_assert_eq(mp_planner_range_tree_best(
					     &f.tree, low, cut, &looks),
				best_of_all(&f, low, cut));
			cr_assert_eq(mp_planner_range_tree_best(
					     &part, high, n, &looks),
				best_of_all(&f, high, n));
			if (f.taken[item])
				continue;
			f.taken[item] = true;
			mp_planner_range_tree_take(
				item < middle ? &f.tree : &part, item, &looks);
		}
		mp_planner_range_tree_join(&f.tree, &part);
		ask(&f, &random);
		mp_arena_free(&f.arena);
	}
}

/* ------------------------------------------------------------ alive */

static uint32_t first_alive(
	const struct fixture *f, uint32_t from, uint32_t section)
{
	const struct packing *p = &f->packing;

	for (uint32_t i = from; i < p->n_items && p->start[i] <= section; i++)
		if (f->tree.rank[i] != NONE && p->end[i] > section)
			return i;
	return NONE;
}

/* Items are taken and put back with one of a few ranks. */
Test(range_tree, finds_what_is_alive)
{
	static struct fixture f;
	uint64_t random = 11, looks = 0;

	for (uint64_t seed = 1; seed < ROUNDS; seed++) {
		uint32_t n, n_items;

		begin(&f, seed, &random);
		n = f.packing.n_sections;
		n_items = f.packing.n_items;
		for (uint32_t i = 0; i < n_items; i++)
			f.order[i] = mp_testing_below(&random, 5);
		mp_planner_range_tree_values(&f.tree, f.order, NULL);
		for (uint32_t k = 0; k < BUFFERS; k++) {
			uint32_t item = mp_testing_below(&random, n_items);
			uint32_t section = mp_testing_below(&random, n);
			uint32_t rank = mp_testing_below(&random, 5);

			if (f.tree.rank[item] == NONE)
				mp_planner_range_tree_put(
					&f.tree, item, rank, &looks);
			else
				mp_planner_range_tree_take(
					&f.tree, item, &looks);
			cr_assert_eq(mp_planner_range_tree_alive(
					     &f.tree, item, section, &looks),
				first_alive(&f, item, section));
		}
		mp_arena_free(&f.arena);
	}
}
