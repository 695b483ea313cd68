/*
 * Dives against a plain one that tries every item at every section, and the
 * skyline against a list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/resource.h>

#include "base/guard.h"
#include "planners/rows.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	ROUNDS = 60,
	BUFFERS = 60,
	STEPS = 64,
	SECTIONS = 5000,
	MANY = 60000 /* enough for halves */
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

/* --------------------------------------------------------- by value */

enum {
	TRIES = 40 /* dives of a problem */
};

/* The order of the values, of equal ones the first item first. */
static void order_by_value(const struct dive *d, uint32_t *order)
{
	uint32_t n = d->packing->n_items;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;

		for (; k > 0 && d->value[order[k - 1]] > d->value[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}

/* Values change as in row local. Each dive ends as a new one by the same ranks
 * does, wherever it looks first: with the same plan, or none. */
Test(dive, by_value_takes_back_what_failed)
{
	uint32_t met = 0, failed = 0, early = 0;

	for (uint64_t seed = 0; seed < 5 * ROUNDS; seed++) {
		struct fixture f, anew;
		uint64_t random = seed;
		uint32_t focus[3], n;

		begin(&f, seed);
		begin(&anew, seed);
		n = f.packing.n_items;
		cr_assert(mp_planner_dive_by_value(&f.dive, &f.arena));
		f.dive.focus = focus;
		f.dive.target = anew.dive.target =
			f.packing.max_load + mp_testing_below(&random, 3);
		for (uint32_t k = 0; k < TRIES; k++) {
			bool complete;

			f.dive.n_focus = mp_testing_below(&random, 4);
			for (uint32_t j = 0; j < f.dive.n_focus; j++)
				focus[j] = mp_testing_below(
					&random, f.packing.n_sections);
			order_by_value(&f.dive, anew.dive.order);
			complete = mp_planner_dive(&f.dive, &f.job);
			cr_assert_eq(complete,
				mp_planner_dive(&anew.dive, &anew.job));
			if (complete) {
				met++;
				cr_assert_arr_eq(f.dive.offset,
					anew.dive.offset, sizeof(int64_t) * n);
				break;
			}
			failed++;
			early += f.dive.n_placed < n / 4;
			check_failed(&f.dive);
			mp_planner_dive_prefer(&f.dive,
				1 + mp_testing_below(&random, n / 4), &f.job);
		}
		mp_arena_free(&f.arena);
		mp_arena_free(&anew.arena);
	}
	cr_assert_gt(met, ROUNDS);
	cr_assert_gt(failed, 3 * ROUNDS);
	cr_assert_gt(early, ROUNDS / 2);
}

/* ----------------------------------------------------------- halves */

/* Lifetimes are short, but for a few. */
static void begin_long(struct fixture *f)
{
	struct problem *p = &f->problem;
	uint64_t state = 7;
	int64_t *offset;

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	*p = (struct problem){.alignment = 1,
		.n_steps = MANY,
		.n_streams = 1,
		.buffers = NEW(&f->arena, struct buffer, MANY),
		.parts = NEW(&f->arena, struct part, MANY)};
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t start = mp_testing_below(&state, MANY);
		uint32_t most = i % 1000 == 0 ? MANY : 40;
		uint32_t end = start + 1 + mp_testing_below(&state, most);

		mp_testing_add(p, start, end < MANY ? end : MANY,
			1 + mp_testing_below(&state, 90));
	}
	p->first_reserved = p->n_buffers;
	cr_assert(mp_problem_measure(p, &f->arena, &f->error));
	cr_assert(mp_planner_packing_init(&f->packing, p, &f->arena));
	offset = NEW(&f->arena, int64_t, MANY);
	cr_assert(mp_planner_dive_init(
		&f->dive, &f->packing, keys[0], offset, &f->arena));
}

/* A dive with no more than so many steps; 0: without a thread beside. */
static bool dive_with(
	struct fixture *f, uint64_t steps, int helpers, int64_t *height)
{
	struct threads threads;
	bool complete;

	mp_threads_init(&threads, helpers);
	f->job = (struct job){
		.steps = steps, .threads = helpers > 0 ? &threads : NULL};
	complete = mp_planner_dive(&f->dive, &f->job);
	*height = complete ? mp_planner_dive_height(&f->dive) : -1;
	return complete;
}

/* With a target that is met and others that are missed, here or there, and with
 * too few steps. */
Test(dive, in_halves_is_the_same)
{
	struct fixture f;
	int64_t height, most, *offset;
	uint64_t steps;

	begin_long(&f);
	cr_assert(dive_with(&f, UINT64_MAX, 0, &most));
	steps = f.job.spent;
	offset = mp_arena_copy(&f.arena, f.dive.offset, MANY, sizeof(*offset));
	cr_assert(mp_planner_dive_in_halves(&f.dive, &f.arena));
	cr_assert(f.dive.in_halves);
	for (int64_t k = 0; k < 6; k++) {
		uint64_t spent = 0, budget = k < 4 ? UINT64_MAX : steps / k;

		f.dive.target = k == 0 ? INT64_MAX : most - (k - 1) * 2;
		for (int helpers = 0; helpers < 3; helpers++) {
			cr_assert_eq(
				dive_with(&f, budget, helpers, &height), k < 2);
			if (k < 2)
				cr_assert_arr_eq(f.dive.offset, offset,
					sizeof(*offset) * MANY);
			cr_assert(helpers == 0 || f.job.spent == spent);
			spent = f.job.spent;
		}
	}
	mp_arena_free(&f.arena);
}

/* ------------------------------------------------------------ start */

/* Rows behind the dive take its packing, so that stays. */
Test(dive, counts_the_packing_that_stays)
{
	struct dive_start start = {.problem = NULL};
	struct planning f;
	uint64_t held;

	mp_testing_begin(&f, 2, 2);
	mp_testing_add(&f.problem, 0, 2, 3);
	mp_testing_add(&f.problem, 1, 2, 5);
	cr_assert(mp_testing_end(&f, "dive", UINT64_MAX));
	held = f.arena.held;
	f.job.start = &start;
	cr_assert_eq(mp_planner_dive_run(&f.job, 0), PLAN_OPTIMAL);
	cr_assert_eq(f.job.packing, &start.packing);
	cr_assert_gt(start.arena.held, 0);
	cr_assert_geq(f.arena.held, held + start.arena.held);
	held = f.arena.held - start.arena.held;
	mp_arena_free(&start.arena);
	cr_assert_eq(f.arena.held, held);
	mp_arena_free(&f.arena);
}

/* The dive that was made ready gives back what is not of its packing and its
 * offsets: the next one lies in the arena of the job. */
Test(dive, gives_back_what_was_made_ready)
{
	struct dive_start start = {.problem = NULL};
	struct arena_mark end;
	uint64_t state = 1;
	struct planning f;

	mp_testing_begin(&f, MANY, MANY);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t birth = mp_testing_below(&state, MANY - 9);

		mp_testing_add(&f.problem, birth,
			birth + 1 + mp_testing_below(&state, 9),
			1 + mp_testing_below(&state, 1000));
	}
	cr_assert(mp_testing_end(&f, "dive", UINT64_MAX));
	f.job.start = &start;
	mp_planner_dive_make_ready(&f.job);
	cr_assert_neq(mp_planner_dive_run(&f.job, 0), PLAN_FAILED);
	cr_assert_neq(f.job.height, UINT64_MAX);
	end = mp_arena_mark(&start.arena);
	cr_assert_eq(end.block, start.mark.block);
	cr_assert_eq(end.used, start.mark.used);
	mp_arena_free(&start.arena);
	mp_arena_free(&f.arena);
}

/* A limit of the address space, as the arena has none. */
static void limit_memory(rlim_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Without memory nothing is ready, and nothing is left over. With guards the
 * process would end. */
Test(dive, is_made_ready_when_there_is_memory_again)
{
	struct dive_start start = {.problem = NULL};
	struct planning f;

	mp_testing_begin(&f, SECTIONS, SECTIONS);
	for (uint32_t i = 0; i < SECTIONS; i++)
		mp_testing_add(&f.problem, i, i + 1, 1);
	cr_assert(mp_testing_end(&f, "dive", UINT64_MAX));
	f.job.start = &start;
	for (int tries = 0; GUARD_BYTES == 0 && tries < 2; tries++) {
		limit_memory(1);
		mp_planner_dive_make_ready(&f.job);
		limit_memory(RLIM_INFINITY);
		cr_assert_null(start.problem);
		cr_assert_eq(start.arena.held, 0);
	}
	mp_planner_dive_make_ready(&f.job);
	cr_assert_eq(start.problem, f.job.problem);
	cr_assert_eq(start.error.code, MEMPLAN_OK);
	mp_arena_free(&start.arena);
	mp_arena_free(&f.arena);
}

/* ------------------------------------------------------------ ranks */

/* By the greatest, but by the earliest start. */
static int64_t value_of(
	const struct packing *p, uint32_t item, enum rank_key key)
{
	if (key == RANK_SIZE)
		return p->size[item];
	if (key == RANK_AREA)
		return p->size[item] * mp_planner_packing_lifetime(p, item);
	if (key == RANK_LIFETIME)
		return mp_planner_packing_lifetime(p, item);
	if (key == RANK_CONFLICTS)
		return mp_planner_packing_conflicts(p, item);
	if (key == RANK_SECTIONS)
		return p->end[item] - p->start[item];
	if (key == RANK_PRESSURE)
		return p->load[p->top[item]];
	return -(int64_t)p->start[item];
}

static bool is_in_order(const struct packing *p, uint32_t a, uint32_t b,
	const enum rank_key by[RANK_KEYS])
{
	for (uint32_t k = 0; k < RANK_KEYS && by[k] != RANK_NONE; k++)
		if (value_of(p, a, by[k]) != value_of(p, b, by[k]))
			return value_of(p, a, by[k]) > value_of(p, b, by[k]);
	return a < b;
}

/* Sizes that leave no room for another key in a number of 64 bits. */
static void stretch(struct packing *p, int64_t by)
{
	for (uint32_t i = 0; i < p->n_items; i++)
		p->size[i] *= by;
	for (uint32_t s = 0; s < p->n_sections; s++)
		p->load[s] *= by;
	p->max_load *= by;
}

Test(dive, ranks_by_its_keys)
{
	struct fixture f;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		stretch(&f.packing, INT64_C(1) << seed % 40);
		for (uint32_t k = 0; k < countof(keys); k++) {
			mp_planner_dive_rank(&f.dive, keys[k], f.arena.threads);
			for (uint32_t r = 1; r < f.packing.n_items; r++)
				cr_assert(is_in_order(&f.packing,
					f.dive.order[r - 1], f.dive.order[r],
					keys[k]));
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
