/*
 * Dives against a plain one that tries every item at every section, and the
 * skyline against a list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	ROUNDS = 60,
	BUFFERS = 60,
	STEPS = 64,
	SECTIONS = 5000
};

static const enum rank_key keys[][RANK_KEYS] = {
	{RANK_PRESSURE, RANK_LIFETIME, RANK_AREA},
	{RANK_SIZE, RANK_START},
	{RANK_SECTIONS, RANK_CONFLICTS, RANK_PRESSURE},
	{RANK_LIFETIME},
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct packing packing;
	struct dive dive;
	struct job job;
};

static void begin(struct fixture *f, uint64_t seed)
{
	struct random_shape shape = {
		.buffers = BUFFERS, .steps = STEPS, .size = 40};
	int64_t *offset;

	*f = (struct fixture){.job = {.steps = UINT64_MAX}};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	cr_assert(mp_planner_packing_init(&f->packing, &f->problem, &f->arena));
	offset = NEW(&f->arena, int64_t, f->packing.n_items);
	cr_assert(mp_planner_dive_init(&f->dive, &f->packing,
		keys[seed % countof(keys)], offset, &f->arena));
}

/* ---------------------------------------------------- the plain way */

static int64_t floor_under(
	const struct packing *p, const int64_t *floors, uint32_t item)
{
	int64_t highest = 0;

	for (uint32_t s = p->start[item]; s < p->end[item]; s++)
		if (floors[s] > highest)
			highest = floors[s];
	return highest;
}

/* The item that can lie lowest, the best rank among equals. */
static uint32_t lowest_item(
	const struct dive *d, const int64_t *floors, const int64_t *offset)
{
	uint32_t best = NONE;

	for (uint32_t r = 0; r < d->packing->n_items; r++) {
		uint32_t item = d->order[r];

		if (offset[item] < 0 &&
			(best == NONE ||
				floor_under(d->packing, floors, item) <
					floor_under(d->packing, floors, best)))
			best = item;
	}
	return best;
}

static void dive_plainly(const struct dive *d, int64_t *offset)
{
	const struct packing *p = d->packing;
	int64_t floors[BUFFERS] = {0};

	for (uint32_t i = 0; i < p->n_items; i++)
		offset[i] = -1;
	for (uint32_t i = 0; i < p->n_items; i++) {
		uint32_t item = lowest_item(d, floors, offset);

		offset[item] = floor_under(p, floors, item);
		for (uint32_t s = p->start[item]; s < p->end[item]; s++)
			floors[s] = offset[item] + p->size[item];
	}
}

Test(dive, is_what_it_says)
{
	struct fixture f;
	int64_t offset[BUFFERS];

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		cr_assert(mp_planner_dive(&f.dive, &f.job));
		dive_plainly(&f.dive, offset);
		cr_assert_arr_eq(f.dive.offset, offset,
			sizeof(*offset) * f.packing.n_items, "seed %d",
			(int)seed);
		mp_arena_free(&f.arena);
	}
}

/* ----------------------------------------------------------- target */

/* Where a dive failed, what is placed and what waits is above the target. */
static void check_failed(const struct dive *d)
{
	const struct packing *p = d->packing;
	int64_t top = d->skyline.floor[mp_planner_skyline_segment(
		&d->skyline, d->failed)];

	for (uint32_t i = 0; i < p->n_items; i++)
		if (d->offset[i] < 0 && p->start[i] <= d->failed &&
			d->failed < p->end[i])
			top += p->size[i];
	cr_assert_gt(top, d->target);
}

Test(dive, meets_a_target_or_says_where_not)
{
	struct fixture f;
	int64_t height;
	uint32_t met = 0;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		cr_assert(mp_planner_dive(&f.dive, &f.job));
		height = mp_planner_dive_height(&f.dive);
		for (int64_t less = 0; less < 3; less++) {
			f.dive.target = height - less;
			if (mp_planner_dive(&f.dive, &f.job)) {
				cr_assert_eq(less, 0);
				met++;
				continue;
			}
			cr_assert_gt(less, 0);
			if (f.dive.failed != NONE)
				check_failed(&f.dive);
			else
				cr_assert_gt(f.packing.max_load, f.dive.target);
		}
		mp_arena_free(&f.arena);
	}
	cr_assert_eq(met, ROUNDS);
}

/* ------------------------------------------------------------ ranks */

Test(dive, ranks_by_its_keys)
{
	struct fixture f;
	const struct packing *p = &f.packing;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		cr_assert(mp_planner_dive_rank(&f.dive, keys[1], &f.arena));
		for (uint32_t r = 1; r < p->n_items; r++) {
			uint32_t a = f.dive.order[r - 1], b = f.dive.order[r];

			cr_assert(p->size[a] > p->size[b] ||
				  (p->size[a] == p->size[b] &&
					  p->start[a] <= p->start[b]));
		}
		mp_arena_free(&f.arena);
	}
}

/* ---------------------------------------------------------- skyline */

static void check_skyline(const struct skyline *s, const bool *starts)
{
	uint32_t segment = 0, next = SECTIONS;

	for (uint32_t i = 0; i < SECTIONS; i++) {
		if (starts[i])
			segment = i;
		cr_assert_eq(mp_planner_skyline_segment(s, i), segment);
	}
	for (uint32_t i = SECTIONS; i-- > 0;) {
		cr_assert_eq(mp_planner_skyline_next(s, i), next);
		if (starts[i])
			next = i;
	}
}

Test(skyline, finds_its_segments)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct skyline skyline;
	bool starts[SECTIONS] = {true};
	uint64_t random = 5;

	cr_assert(mp_planner_skyline_init(&skyline, SECTIONS, &arena));
	for (uint32_t round = 0; round < 40; round++) {
		for (uint32_t i = 0; i < 50; i++) {
			uint32_t s =
				1 + mp_testing_below(&random, SECTIONS - 1);

			if (starts[s])
				mp_planner_skyline_join(&skyline, s);
			else
				mp_planner_skyline_split(&skyline, s);
			starts[s] = !starts[s];
		}
		check_skyline(&skyline, starts);
	}
	mp_planner_skyline_clear(&skyline);
	memset(starts + 1, 0, sizeof(starts) - sizeof(starts[0]));
	check_skyline(&skyline, starts);
	mp_arena_free(&arena);
}
