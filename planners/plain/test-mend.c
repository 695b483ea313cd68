/*
 * mend: patches of random plans, and plans that it makes lower.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>

#include "planners/plain/patch.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	PROBLEMS = 300,
	BUFFERS = 3000,
	TIME = 1000,	  /* steps */
	LONGEST = 60,	  /* greatest lifetime, in steps */
	GREATEST = 100000 /* greatest size, in bytes */
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct job job;
	struct packing packing;
	int64_t *offset;
};

/* ---------------------------------------------------------- patches */

/* A small problem with the plan of a row. */
static void begin_small(struct fixture *f, uint64_t seed)
{
	const struct random_shape shape = {.buffers = 40, .steps = 30};

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	f->job = mp_testing_job(&f->problem, UINT64_MAX, &f->arena);
	cr_assert_neq(mp_testing_plan(&f->job, "greedy-lifetime"), PLAN_FAILED);
	cr_assert(mp_planner_packing_init(&f->packing, &f->problem, &f->arena));
	f->offset = NEW(&f->arena, int64_t, f->packing.n_items);
	for (uint32_t i = 0; i < f->packing.n_items; i++)
		f->offset[i] = (int64_t)(f->job.best[f->packing.buffer[i]] /
					 f->packing.unit);
}

static int64_t top_of(const struct fixture *f, uint32_t item)
{
	return f->offset[item] + f->packing.size[item];
}

/* The index in the patch; n: it is not in it. */
static uint32_t index_of(const struct patch *patch, uint32_t item)
{
	uint32_t k = 0;

	while (k < patch->n && patch->item[k] != item)
		k++;
	return k;
}

/* An item that stays is below the floor or above the ceiling, and one of the
 * patch between them, but where it has to be lower. */
static void check_item(const struct fixture *f, const struct patch *patch,
	uint32_t item, const struct patch_site *site)
{
	const struct packing *p = &f->packing;
	bool is_in = index_of(patch, item) < patch->n;

	for (uint32_t k = 0; k < patch->puzzle.n_sections; k++) {
		uint32_t start = patch->cut[k], end = patch->cut[k + 1];
		int64_t floor = patch->floor[k], ceiling = patch->ceiling[k];
		bool here = p->start[site->item] < end &&
			    p->end[site->item] > start;

		if (p->start[item] >= end || p->end[item] <= start ||
			(floor == 0 && ceiling == 0))
			continue;
		if (here)
			cr_assert_leq(ceiling, site->target);
		if (is_in && !here)
			cr_assert(floor <= f->offset[item] &&
				  top_of(f, item) <= ceiling);
		if (!is_in)
			cr_assert(top_of(f, item) <= floor ||
				  f->offset[item] >= ceiling);
	}
}

static void check_patch(const struct fixture *f, const struct patch *patch,
	const struct patch_site *site)
{
	const struct puzzle *puzzle = &patch->puzzle;

	cr_assert_lt(index_of(patch, site->item), patch->n);
	cr_assert_eq(puzzle->n_items, patch->n);
	cr_assert_eq(puzzle->first[puzzle->n_sections], patch->n);
	for (uint32_t k = 0; k < patch->n; k++) {
		uint32_t i = patch->item[k];

		cr_assert_eq(patch->cut[patch->start[k]], f->packing.start[i]);
		cr_assert_eq(patch->cut[patch->end[k]], f->packing.end[i]);
		cr_assert_leq(puzzle->first[patch->start[k]], k);
		cr_assert_gt(puzzle->first[patch->start[k] + 1], k);
	}
	for (uint32_t i = 0; i < f->packing.n_items; i++)
		check_item(f, patch, i, site);
}

Test(mend, a_patch_is_what_lies_between_the_others)
{
	struct fixture f;
	struct patch patch;
	uint32_t found = 0;

	for (uint64_t seed = 1; seed <= mp_testing_cases(PROBLEMS, 10);
		seed++) {
		begin_small(&f, seed);
		for (uint32_t i = 0; i < f.packing.n_items; i++) {
			struct patch_site site = {.item = i,
				.target = top_of(&f, i) - 1,
				.most = 1 + (uint32_t)seed % 8,
				.wide = 1 + i % 4};

			if (site.target < f.packing.max_load)
				continue;
			cr_assert(mp_planner_patch_find(
				&patch, &f.packing, f.offset, &site, &f.arena));
			if (patch.n > 0)
				check_patch(&f, &patch, &site);
			found += patch.n > 0;
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(found, PROBLEMS / 10);
}

/* ------------------------------------------------------------ plans */

/* Lifetimes and sizes by chance. */
static void begin(struct planning *f, uint64_t steps)
{
	struct problem *p = &f->problem;
	uint64_t state = 1;

	mp_testing_begin(f, BUFFERS, TIME + LONGEST);
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint32_t start = mp_testing_below(&state, TIME);
		uint64_t size = 1 + mp_testing_below(&state, GREATEST);

		mp_testing_add(p, start,
			start + 1 + mp_testing_below(&state, LONGEST), size);
	}
	cr_assert(mp_testing_end(f, "mend", UINT64_MAX));
	cr_assert_eq(mp_testing_plan(&f->job, "dive"), PLAN_FOUND);
	f->job.steps = steps;
}

Test(mend, goes_down_from_the_best_plan)
{
	struct planning f;
	uint64_t before;

	begin(&f, UINT64_MAX);
	before = f.job.height - f.job.lower_bound;
	mp_testing_plan(&f.job, "mend");
	cr_assert_str_eq(f.job.winner, "mend");
	cr_assert_lt(f.job.height - f.job.lower_bound, before / 4);
	mp_arena_free(&f.arena);
}

Test(mend, is_done_where_the_capacity_suffices)
{
	struct planning f;

	begin(&f, UINT64_MAX);
	f.job.capacity = (f.job.height + f.job.lower_bound) / 2;
	cr_assert_eq(mp_testing_plan(&f.job, "mend"), PLAN_OPTIMAL);
	cr_assert_leq(f.job.height, f.job.capacity);
	mp_arena_free(&f.arena);
}

Test(mend, ends_with_its_budget)
{
	struct planning f;
	uint64_t spent;

	begin(&f, 10 * BUFFERS);
	spent = f.job.spent;
	cr_assert_eq(mp_testing_plan(&f.job, "mend"), PLAN_FOUND);
	cr_assert_eq(f.job.steps, 0);
	cr_assert_leq(f.job.spent - spent, 100 * BUFFERS);
	mp_arena_free(&f.arena);
}
