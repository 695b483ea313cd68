/*
 * around: what is left of random problems, around any crux. Whatever comes of
 * it, what it says holds: nothing overlaps, and nothing or something is above
 * the limit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/around.h"

#include <criterion/criterion.h>

#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	PROBLEMS = 1000,
	BUFFERS = 80,
	STEPS = 30,
	LATE_STEPS = 12,   /* of 80 buffers; 25, if each is compared with all */
	CALLED_STEPS = 15, /* likewise; 25, if all look at what one meets */
	ENDS = AROUND_NO_MEMORY
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct job job;
	struct packing packing;
	struct around around;
	uint32_t part_of[BUFFERS];
	uint64_t bases[BUFFERS];
	uint64_t offsets[BUFFERS];
	bool chosen[STEPS], tight[STEPS];
};

static bool is_in_crux(const struct fixture *f, uint32_t item)
{
	const struct packing *p = &f->packing;

	for (uint32_t s = p->start[item]; s < p->end[item]; s++)
		if (f->chosen[s])
			return true;
	return false;
}

static bool share_a_chosen(const struct fixture *f, uint32_t a, uint32_t b)
{
	const struct packing *p = &f->packing;

	for (uint32_t s = 0; s < p->n_sections; s++)
		if (f->chosen[s] && p->start[a] <= s && s < p->end[a] &&
			p->start[b] <= s && s < p->end[b])
			return true;
	return false;
}

static uint64_t size_of(const struct fixture *f, uint32_t item)
{
	return (uint64_t)f->packing.size[item] * f->packing.unit;
}

/* The lowest base at which an item meets no other of the crux where that is
 * chosen. */
static uint64_t base_of(const struct fixture *f, uint32_t item)
{
	uint64_t base = 0;

	for (uint32_t k = 0; k < item; k++) {
		uint64_t low = f->bases[k];
		uint64_t high = low + size_of(f, k);

		if (f->part_of[k] == NONE || !share_a_chosen(f, k, item) ||
			high <= base || base + size_of(f, item) <= low)
			continue;
		base = high;
		k = UINT32_MAX; /* from the first one again */
	}
	return base;
}

/* Around what is alive in the chosen sections. */
static void begin_around(struct fixture *f)
{
	uint64_t height = 0;

	for (uint32_t i = 0; i < f->packing.n_items; i++) {
		f->part_of[i] = is_in_crux(f, i) ? i : NONE;
		f->bases[i] = base_of(f, i);
		if (f->part_of[i] != NONE)
			height = num_max(height, f->bases[i] + size_of(f, i));
	}
	f->around = (struct around){.packing = &f->packing,
		.job = &f->job,
		.part_of = f->part_of,
		.bases = f->bases,
		.limit = num_max(height, f->problem.theoretical_min),
		.offsets = f->offsets,
		.chosen = f->chosen,
		.tight = f->tight};
}

static void begin(struct fixture *f, uint64_t seed)
{
	const struct random_shape shape = {.buffers = BUFFERS, .steps = STEPS};
	uint64_t state = seed;

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	f->job = mp_testing_job(&f->problem, UINT64_MAX, &f->arena);
	cr_assert(mp_planner_packing_init(&f->packing, &f->problem, &f->arena));
	for (uint32_t s = 0; s < f->packing.n_sections; s++)
		f->chosen[s] = mp_testing_one_in(&state, 3);
	begin_around(f);
}

static uint32_t count_tight(const struct fixture *f)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->packing.n_sections; s++) {
		cr_assert_not(f->tight[s] && f->chosen[s]);
		n += f->tight[s];
	}
	return n;
}

Test(around, says_what_holds)
{
	uint32_t count[ENDS] = {0};
	struct fixture f;

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		enum around_end end;
		bool above;

		begin(&f, seed);
		end = mp_planner_around(&f.around);
		cr_assert_lt(end, ENDS);
		cr_assert_neq(end, AROUND_SPENT);
		count[end]++;
		cr_assert_eq(count_tight(&f) > 0, end != AROUND_COMPLETE);
		above = mp_plan_height(&f.problem, f.offsets) > f.around.limit;
		if (end != AROUND_CLASH)
			cr_assert_eq(above, end == AROUND_ABOVE, "seed %u",
				(unsigned)seed);
		for (uint32_t i = 0; i < BUFFERS && end != AROUND_CLASH; i++)
			cr_assert(mp_testing_fits(&f.problem, f.offsets, i));
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(count[AROUND_COMPLETE], PROBLEMS / 4);
	cr_assert_gt(count[AROUND_ABOVE], PROBLEMS / 4);
	cr_assert_gt(count[AROUND_CLASH], PROBLEMS / 100);
}

/* Between the first section and the last one a buffer is alive at each step,
 * and one at all of them or not, beside many of the crux at the last of these
 * steps only. */
static void begin_late(struct fixture *f, struct planning *late, bool has_long)
{
	struct problem *p = &late->problem;

	*f = (struct fixture){0};
	mp_testing_begin(late, BUFFERS, STEPS);
	for (uint32_t s = 0; s < STEPS; s++)
		mp_testing_add(p, s, s + 1, 1);
	if (has_long)
		mp_testing_add(p, 1, STEPS - 1, 1);
	while (p->n_buffers < BUFFERS)
		mp_testing_add(p, STEPS - 2, STEPS, 1);
	cr_assert(mp_testing_end(late, "crux", UINT64_MAX));
	f->job = late->job;
	f->job.spent = 0;
	cr_assert(mp_planner_packing_init(&f->packing, p, &late->arena));
	cr_assert_eq(f->packing.n_sections, STEPS);
	f->problem = *p;
	f->chosen[0] = f->chosen[STEPS - 1] = true;
	begin_around(f);
}

Test(around, does_not_look_at_what_is_born_later)
{
	struct fixture f;
	struct planning late;

	begin_late(&f, &late, false);
	cr_assert_eq(mp_planner_around(&f.around), AROUND_COMPLETE);
	cr_assert_leq(
		f.job.spent, LATE_STEPS, "%lu", (unsigned long)f.job.spent);
	mp_arena_free(&late.arena);
}

/* The one that lives for long meets them, the others do not. */
Test(around, does_not_look_at_what_another_meets_later)
{
	struct fixture f;
	struct planning late;

	begin_late(&f, &late, true);
	cr_assert_eq(mp_planner_around(&f.around), AROUND_COMPLETE);
	for (uint32_t i = 0; i < BUFFERS; i++)
		cr_assert(mp_testing_fits(&f.problem, f.offsets, i));
	cr_assert_leq(
		f.job.spent, CALLED_STEPS, "%lu", (unsigned long)f.job.spent);
	mp_arena_free(&late.arena);
}

Test(around, ends_with_the_budget)
{
	struct fixture f;

	begin(&f, 1);
	f.job.cut_short = true;
	f.job.steps = 0;
	cr_assert_neq(mp_planner_around(&f.around), AROUND_NO_MEMORY);
	mp_arena_free(&f.arena);
}
