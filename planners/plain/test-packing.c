/*
 * Packings against their definition, and the sorts that make them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/packing.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/num.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	BUFFERS = 120,
	STEPS = 40,
	ROUNDS = 50,
	MANY = 21000, /* enough for two threads */
	MANY_STEPS = 9000
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct packing packing;
};

static void begin(struct fixture *f, uint64_t seed)
{
	struct random_shape shape = {
		.buffers = BUFFERS, .steps = STEPS, .size = 3, .alignment = 8};

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	cr_assert(mp_problem_is_plain(&f->problem));
	cr_assert(mp_planner_packing_init(&f->packing, &f->problem, &f->arena));
}

static bool share_a_step(const struct problem *p, uint32_t a, uint32_t b)
{
	return p->buffers[a].start < p->buffers[b].end &&
	       p->buffers[b].start < p->buffers[a].end;
}

static bool share_a_section(const struct packing *p, uint32_t a, uint32_t b)
{
	return p->start[a] < p->end[b] && p->start[b] < p->end[a];
}

static void check_item(const struct fixture *f, uint32_t i)
{
	const struct packing *p = &f->packing;
	const struct buffer *buffer = &f->problem.buffers[p->buffer[i]];
	uint32_t conflicts = 0;

	cr_assert_eq((uint64_t)p->size[i] * p->unit, buffer->size);
	cr_assert_eq(
		mp_planner_packing_lifetime(p, i), buffer->end - buffer->start);
	for (uint32_t j = 0; j < p->n_items; j++) {
		bool step =
			share_a_step(&f->problem, p->buffer[i], p->buffer[j]);

		cr_assert_eq(step, share_a_section(p, i, j));
		conflicts += step && i != j;
	}
	cr_assert_eq(conflicts, mp_planner_packing_conflicts(p, i));
}

Test(packing, keeps_conflicts_and_sizes)
{
	struct fixture f;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		for (uint32_t i = 0; i < f.packing.n_items; i++)
			check_item(&f, i);
		mp_arena_free(&f.arena);
	}
}

/* The items alive in section a are all alive in section b too. */
static bool is_within(const struct packing *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->start[i] <= a && a < p->end[i] &&
			!(p->start[i] <= b && b < p->end[i]))
			return false;
	return true;
}

Test(packing, has_sections_of_which_none_is_within_another)
{
	struct fixture f;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		for (uint32_t a = 0; a < f.packing.n_sections; a++)
			for (uint32_t b = 0; b < f.packing.n_sections; b++)
				cr_assert(
					a == b || !is_within(&f.packing, a, b));
		mp_arena_free(&f.arena);
	}
}

/* Sorts take what is filled later, and the steps are few. */
Test(packing, takes_little_beside_what_stays)
{
	struct random_shape shape = {
		.buffers = MANY, .steps = STEPS, .size = 100, .alignment = 1};
	struct fixture f = {.arena.error = &f.error};
	uint64_t held;

	cr_assert(mp_testing_random_problem(1, &shape, &f.problem, &f.arena));
	held = f.arena.held;
	f.arena.peak = held;
	cr_assert(mp_planner_packing_init(&f.packing, &f.problem, &f.arena));
	cr_assert_gt(f.arena.held, held);
	cr_assert_leq(f.arena.peak, f.arena.held + sizeof(uint32_t) * MANY);
	mp_arena_free(&f.arena);
}

static int64_t load_of(const struct packing *p, uint32_t section)
{
	int64_t load = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->start[i] <= section && section < p->end[i])
			load += p->size[i];
	return load;
}

Test(packing, measures_loads_and_their_tops)
{
	struct fixture f;
	int64_t most;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		cr_assert_eq((uint64_t)f.packing.max_load * f.packing.unit,
			f.problem.theoretical_min);
		for (uint32_t s = 0; s < f.packing.n_sections; s++)
			cr_assert_eq(f.packing.load[s], load_of(&f.packing, s));
		for (uint32_t i = 0; i < f.packing.n_items; i++) {
			most = 0;
			for (uint32_t s = f.packing.start[i];
				s < f.packing.end[i]; s++)
				if (f.packing.load[s] > most)
					most = f.packing.load[s];
			cr_assert(f.packing.start[i] <= f.packing.top[i] &&
				  f.packing.top[i] < f.packing.end[i]);
			cr_assert_eq(f.packing.load[f.packing.top[i]], most);
		}
		mp_arena_free(&f.arena);
	}
}

static uint32_t count_crossing(const struct packing *p, uint32_t section)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		n += p->start[i] < section && section < p->end[i];
	return n;
}

Test(packing, splits_where_nothing_crosses)
{
	struct fixture f;
	uint32_t c;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		c = 0;
		for (uint32_t s = 0; s <= f.packing.n_sections; s++)
			if (count_crossing(&f.packing, s) == 0)
				cr_assert_eq(f.packing.component[c++], s);
		cr_assert_eq(c, f.packing.n_components + 1);
		mp_arena_free(&f.arena);
	}
}

static bool are_twins(const struct packing *p, uint32_t a, uint32_t b)
{
	return p->start[a] == p->start[b] && p->end[a] == p->end[b] &&
	       p->size[a] == p->size[b];
}

Test(packing, lets_twins_stand_together)
{
	struct fixture f;
	const struct packing *p = &f.packing;
	uint32_t expected, found;

	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		begin(&f, seed);
		expected = found = 0;
		for (uint32_t i = 0; i < p->n_items; i++) {
			found += i > 0 && are_twins(p, i - 1, i);
			for (uint32_t j = 0; j < i; j++)
				if (are_twins(p, i, j)) {
					expected++;
					break;
				}
		}
		cr_assert_eq(found, expected);
		mp_arena_free(&f.arena);
	}
}

Test(packing, of_nothing_is_empty)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct problem problem = {.name = "empty", .alignment = 1};
	struct packing packing;

	cr_assert(mp_planner_packing_init(&packing, &problem, &arena));
	cr_assert_eq(packing.n_sections, 0);
	cr_assert_eq(packing.n_components, 0);
	mp_arena_free(&arena);
}

/* Lifetimes are long, so that many cross any cut. */
static void make_many(struct planning *f, uint64_t seed)
{
	uint64_t state = seed;

	mp_testing_begin(f, MANY, MANY_STEPS);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t start = mp_testing_below(&state, MANY_STEPS - 1);
		uint32_t most = MANY_STEPS - start;
		uint64_t size = 1 + mp_testing_below(&state, 100);

		if (i % 4 > 0 && most > 60)
			most = 60;
		mp_testing_add(&f->problem, start,
			start + 1 + mp_testing_below(&state, most), size);
	}
	cr_assert(mp_testing_end(f, "dive", 1));
}

static void compare(const void *a, const void *b, size_t n, size_t size)
{
	cr_assert_eq(memcmp(a, b, n * size), 0);
}

static void compare_packings(const struct packing *a, const struct packing *b)
{
	size_t sections = (size_t)a->n_sections + 1;

	cr_assert_eq(a->n_sections, b->n_sections);
	cr_assert_eq(a->max_load, b->max_load);
	cr_assert_eq(a->peak, b->peak);
	cr_assert_eq(a->n_components, b->n_components);
	compare(a->buffer, b->buffer, a->n_items, sizeof(*a->buffer));
	compare(a->start, b->start, a->n_items, sizeof(*a->start));
	compare(a->end, b->end, a->n_items, sizeof(*a->end));
	compare(a->size, b->size, a->n_items, sizeof(*a->size));
	compare(a->top, b->top, a->n_items, sizeof(*a->top));
	compare(a->load, b->load, sections, sizeof(*a->load));
	compare(a->first, b->first, sections, sizeof(*a->first));
	compare(a->ended, b->ended, sections, sizeof(*a->ended));
	compare(a->component, b->component, (size_t)a->n_components + 1,
		sizeof(*a->component));
}

Test(packing, is_that_of_the_job_for_its_problem_only)
{
	struct fixture f, other;
	struct packing packing;
	struct job job;

	begin(&f, 1);
	begin(&other, 2);
	job = mp_testing_job(&f.problem, 1, &f.arena);
	job.packing = &f.packing;
	cr_assert(mp_planner_packing_of(&packing, &job, &f.arena));
	cr_assert_eq(packing.load, f.packing.load);
	job.problem = &other.problem;
	cr_assert(mp_planner_packing_of(&packing, &job, &f.arena));
	compare_packings(&packing, &other.packing);
	mp_arena_free(&other.arena);
	mp_arena_free(&f.arena);
}

/* So that one does for many rows, in several threads. */
Test(packing, is_not_changed_by_rows)
{
	static const char *const rows[] = {"dive", "search", "local", "beam",
		"mend", "crux", "terraces", "courses", "ruin", "turnover",
		"inherit", "auto"};

	for (uint32_t i = 0; i < 2 * countof(rows); i++) {
		struct job alone, own;
		struct packing same;
		struct fixture f;

		begin(&f, i);
		alone = mp_testing_job(&f.problem, 100000, &f.arena);
		own = mp_testing_job(&f.problem, 100000, &f.arena);
		own.packing = &f.packing;
		mp_testing_plan(&alone, rows[i / 2]);
		mp_testing_plan(&own, rows[i / 2]);
		cr_assert_eq(own.packing, &f.packing);
		cr_assert_eq(own.height, alone.height);
		cr_assert_eq(own.spent, alone.spent);
		cr_assert(mp_planner_packing_init(&same, &f.problem, &f.arena));
		compare_packings(&same, &f.packing);
		mp_arena_free(&f.arena);
	}
}

Test(packing, is_the_same_with_threads)
{
	struct threads threads;
	struct packing one, two;
	struct planning f;

	mp_threads_init(&threads, 1);
	for (uint64_t seed = 1; seed <= 4; seed++) {
		make_many(&f, seed);
		cr_assert(mp_planner_packing_init(&one, &f.problem, &f.arena));
		f.arena.threads = &threads;
		cr_assert(mp_planner_packing_init(&two, &f.problem, &f.arena));
		compare_packings(&one, &two);
		mp_arena_free(&f.arena);
	}
}
