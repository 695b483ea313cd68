/*
 * search against brute force: it must always decide small problems.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "planners/plain/inside.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	PROBLEMS = 300, /* of each kind */
	MOST = 12,	/* buffers */
	HEIGHT = 6,
	STEPS = 9,
	FULL = 24, /* buffers */
	FULL_PROBLEMS = 30,
	FULL_HEIGHT = 1 << 20,
};

static const struct random_shape shapes[] = {
	{.buffers = 7},
	{.buffers = 7, .size = 5, .steps = 6},
	{.buffers = 6, .alignment = 512},
};

/* ------------------------------------------------------------ tight */

struct box {
	uint32_t start, end, low, high;
};

static uint32_t between(uint64_t *state, uint32_t low, uint32_t high)
{
	return low + mp_testing_below(state, high - low);
}

/* Cuts a box in two, at a time or at a height, if it is not too small. */
static uint32_t cut(struct box *box, struct box *rest, uint64_t *state)
{
	*rest = *box;
	if (mp_testing_one_in(state, 2)) {
		if (box->end - box->start < 2)
			return 0;
		box->end = rest->start =
			between(state, box->start + 1, box->end);
		return 1;
	}
	if (box->high - box->low < 2)
		return 0;
	box->high = rest->low = between(state, box->low + 1, box->high);
	return 1;
}

/* Everything is alive nearly as much as fits, and yet often does not fit: a
 * box cut into pieces, of which some live a step longer or shorter, or are a
 * unit higher. */
static void make_tight(
	uint64_t seed, struct problem *p, struct arena *arena, struct error *e)
{
	struct box box[MOST] = {{0, STEPS, 0, HEIGHT}};
	uint64_t state = seed;
	uint32_t n = 1;

	for (uint32_t tries = 0; tries < 60 && n < MOST; tries++)
		n += cut(&box[between(&state, 0, n)], &box[n], &state);
	*p = (struct problem){.name = "tight",
		.alignment = 1,
		.n_streams = 1,
		.n_steps = STEPS,
		.n_buffers = n,
		.n_parts = n};
	p->buffers = NEW(arena, struct buffer, n);
	p->parts = NEW(arena, struct part, n);
	for (uint32_t i = 0; i < n; i++) {
		struct box *b = &box[i];
		uint64_t size = b->high - b->low + between(&state, 0, 5) / 4;

		if (b->end < STEPS && between(&state, 0, 4) == 0)
			b->end++;
		else if (b->end - b->start > 1 && between(&state, 0, 4) == 0)
			b->end--;
		p->parts[i] = (struct part){0, size, b->start, b->end, i};
		p->buffers[i] = (struct buffer){
			size, 1, NO_OFFSET, b->start, b->end, i, 1};
	}
	cr_assert(mp_problem_measure(p, arena, e));
}

/* -------------------------------------------------------- backtrack */

static bool clashes(
	const struct problem *p, const uint64_t *offsets, uint32_t last)
{
	for (uint32_t i = 0; i < last; i++)
		if (mp_problem_conflict(p, i, last) &&
			offsets[i] < offsets[last] + p->parts[last].size &&
			offsets[last] < offsets[i] + p->parts[i].size)
			return true;
	return false;
}

/* Does it fit? Tries every offset of every buffer. */
static bool fits(const struct problem *p, uint64_t capacity)
{
	uint64_t offsets[MOST] = {0};
	uint32_t n = 0;

	for (;;) {
		if (offsets[n] + p->parts[n].size > capacity) {
			if (n == 0)
				return false;
			offsets[--n]++;
		} else if (clashes(p, offsets, n)) {
			offsets[n]++;
		} else if (++n == p->n_buffers) {
			return true;
		} else {
			offsets[n] = 0;
		}
	}
}

static uint64_t least_height(const struct problem *p)
{
	uint64_t height = p->theoretical_min;

	while (!fits(p, height))
		height++;
	return height;
}

/* ------------------------------------------------------------ trial */

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
	enum outcome outcome;
};

static void run(struct trial *t, uint64_t capacity)
{
	t->job = mp_testing_job(&t->problem, 1000000, &t->arena);
	t->job.capacity = capacity;
	t->outcome = mp_testing_plan(&t->job, "search");
}

static void check(struct trial *t, uint64_t seed, uint64_t least)
{
	run(t, UINT64_MAX);
	cr_assert_eq(
		t->outcome, PLAN_OPTIMAL, "%llu", (unsigned long long)seed);
	cr_assert_eq(t->job.height, least, "%llu", (unsigned long long)seed);
	cr_assert_eq(t->job.lower_bound, least);
	run(t, least);
	cr_assert_eq(
		t->outcome, PLAN_OPTIMAL, "%llu", (unsigned long long)seed);
	run(t, least - 1);
	cr_assert_eq(t->outcome, PLAN_NO_FIT, "%llu", (unsigned long long)seed);
	cr_assert_eq(t->job.height, UINT64_MAX);
	cr_assert_leq(t->job.lower_bound, least);
}

Test(search, decides_small_problems)
{
	for (uint32_t i = 0; i < countof(shapes); i++)
		for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
			struct trial t = {.arena = {.error = &t.error}};
			uint64_t least;
			bool exact;

			cr_assert(mp_testing_random_problem(
				seed, &shapes[i], &t.problem, &t.arena));
			least = mp_testing_brute_height(
				&t.problem, &exact, &t.arena);
			check(&t, seed, least);
			mp_arena_free(&t.arena);
		}
}

Test(search, decides_tight_problems)
{
	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		struct trial t = {.arena = {.error = &t.error}};

		make_tight(seed, &t.problem, &t.arena, &t.error);
		check(&t, seed, least_height(&t.problem));
		mp_arena_free(&t.arena);
	}
}

/* ------------------------------------------------------------- full */

/* At each step there come as many bytes as have gone, or the last of all: the
 * least height is mostly thousands of bytes above the load, and nearly each one
 * in between is a sum of sizes. */
static void make_full(uint64_t seed, struct problem *p, struct arena *arena)
{
	uint32_t end[FULL], n = 0;
	uint64_t state = seed, left;

	*p = (struct problem){.name = "full", .alignment = 1, .n_streams = 1};
	p->buffers = NEW(arena, struct buffer, FULL);
	p->parts = NEW(arena, struct part, FULL);
	for (uint32_t t = 0; n < FULL; t++) {
		left = FULL_HEIGHT;
		for (uint32_t i = 0; i < n; i++)
			left -= end[i] > t ? p->buffers[i].size : 0;
		while (left > 0 && n < FULL) {
			uint64_t size = between(
				&state, FULL_HEIGHT / 12, FULL_HEIGHT / 3);

			size = size < left ? size : left;
			end[n] = t + between(&state, 1, 6);
			p->parts[n] = (struct part){0, size, t, end[n], n};
			p->buffers[n] = (struct buffer){
				size, 1, NO_OFFSET, t, end[n], n, 1};
			p->n_steps = end[n] > p->n_steps ? end[n] : p->n_steps;
			left -= size;
			n++;
		}
	}
	p->n_buffers = n;
	p->n_parts = n;
	cr_assert(mp_problem_measure(p, arena, arena->error));
}

Test(search, refutes_thousands_of_heights_in_few_steps)
{
	uint32_t n_proved = 0;

	for (uint64_t seed = 0; seed < FULL_PROBLEMS; seed++) {
		struct trial t = {.arena = {.error = &t.error}};

		make_full(seed, &t.problem, &t.arena);
		t.job = mp_testing_job(&t.problem, 50000, &t.arena);
		if (mp_testing_plan(&t.job, "search") == PLAN_OPTIMAL) {
			cr_assert_eq(t.job.height, t.job.lower_bound);
			n_proved += t.job.height > FULL_HEIGHT + 1000;
			run(&t, t.job.height - 1);
			cr_assert_eq(t.outcome, PLAN_NO_FIT);
		}
		mp_arena_free(&t.arena);
	}
	cr_assert_gt(n_proved, FULL_PROBLEMS / 4, "%u", n_proved);
}

/* ---------------------------------------------------------- puzzles */

enum {
	PUZZLES = 5000,
	ITEMS = 8,
	SECTIONS = 6,
};

/* With floors and ceilings that vary, so that many do not fit. */
struct small {
	struct puzzle puzzle;
	uint32_t start[ITEMS], end[ITEMS], lifetime[ITEMS];
	uint32_t first[SECTIONS + 1];
	int64_t size[ITEMS], floor[SECTIONS], ceiling[SECTIONS];
};

static void add_item(struct small *q, uint32_t i, uint64_t *state)
{
	uint32_t start = between(state, 0, q->puzzle.n_sections);
	uint32_t end = between(state, start, q->puzzle.n_sections) + 1;

	for (; i > 0 && q->start[i - 1] > start; i--) {
		q->start[i] = q->start[i - 1];
		q->end[i] = q->end[i - 1];
		q->size[i] = q->size[i - 1];
	}
	q->start[i] = start;
	q->end[i] = end;
	q->size[i] = between(state, 1, 4);
}

static void make_small(struct small *q, uint64_t *state)
{
	struct puzzle *p = &q->puzzle;

	*q = (struct small){
		.puzzle = {between(state, 3, ITEMS + 1),
			between(state, 2, SECTIONS + 1), q->start, q->end,
			q->size, q->first, q->floor, q->ceiling}};
	for (uint32_t i = 0; i < p->n_items; i++)
		add_item(q, i, state);
	for (uint32_t s = 0; s < p->n_sections; s++) {
		q->floor[s] = between(state, 0, 3);
		q->ceiling[s] = q->floor[s] + between(state, 0, 3);
		for (uint32_t i = 0; i < p->n_items; i++) {
			q->first[s] += q->start[i] < s;
			if (q->start[i] <= s && s < q->end[i])
				q->ceiling[s] += q->size[i];
		}
	}
	q->first[p->n_sections] = p->n_items;
}

static bool is_placed_well(
	const struct small *q, const int64_t *offset, uint32_t last)
{
	for (uint32_t s = q->start[last]; s < q->end[last]; s++)
		if (offset[last] < q->floor[s] ||
			offset[last] + q->size[last] > q->ceiling[s])
			return false;
	for (uint32_t i = 0; i < last; i++)
		if (q->start[i] < q->end[last] && q->start[last] < q->end[i] &&
			offset[i] < offset[last] + q->size[last] &&
			offset[last] < offset[i] + q->size[i])
			return false;
	return true;
}

/* Tries every offset of every item. */
static bool small_fits(const struct small *q)
{
	int64_t offset[ITEMS] = {0};
	uint32_t n = 0;

	while (n < q->puzzle.n_items) {
		if (offset[n] > q->ceiling[q->start[n]]) {
			if (n == 0)
				return false;
			offset[--n]++;
		} else if (!is_placed_well(q, offset, n)) {
			offset[n]++;
		} else if (++n < q->puzzle.n_items) {
			offset[n] = 0;
		}
	}
	return true;
}

static bool solve_small(const struct small *q, uint64_t seed)
{
	struct error error = {.code = MEMPLAN_OK};
	struct arena arena = {.error = &error};
	struct nogoods nogoods;
	struct restarts r;
	enum plateau_answer answer;

	cr_assert(mp_planner_nogood_new(&nogoods, &arena));
	cr_assert(mp_planner_restarts_new(
		&r, &q->puzzle, q->lifetime, seed, &nogoods, &arena));
	answer = mp_planner_restarts_solve(&r, 1000000);
	cr_assert_neq(answer, PLATEAU_SPENT, "%llu", (unsigned long long)seed);
	if (answer == PLATEAU_YES)
		for (uint32_t i = 0; i < q->puzzle.n_items; i++)
			cr_assert(
				is_placed_well(q, r.plateau.horizon.offset, i));
	mp_planner_nogood_free(&nogoods);
	mp_arena_free(&arena);
	return answer == PLATEAU_YES;
}

Test(search, decides_puzzles_with_floors)
{
	uint32_t answers[2] = {0};
	uint64_t state = 7;

	for (uint64_t seed = 0; seed < PUZZLES; seed++) {
		struct small q;
		bool fit;

		make_small(&q, &state);
		fit = small_fits(&q);
		answers[fit]++;
		cr_assert_eq(solve_small(&q, seed), fit, "%llu",
			(unsigned long long)seed);
	}
	cr_assert_gt(answers[0], PUZZLES / 20);
	cr_assert_gt(answers[1], PUZZLES / 20);
}

/* ---------------------------------------------------------- nogoods */

/* Of so many refuted states, all of the same items, those that are known. */
static uint32_t n_known(
	const struct nogoods *nogoods, const struct horizon *h, uint32_t n)
{
	struct sections range = {0, h->puzzle->n_sections}, proof;
	uint32_t known = 0;

	for (uint64_t i = 0; i < n; i++)
		known += mp_planner_nogood_find(
			nogoods, h, range, i * UINT64_C(0x9e3779b9), &proof);
	return known;
}

/* Adds them first. */
static uint32_t count_known(
	struct nogoods *nogoods, const struct horizon *h, uint32_t n)
{
	struct sections range = {0, h->puzzle->n_sections};

	for (uint64_t i = 0; i < n; i++)
		mp_planner_nogood_add(
			nogoods, h, range, i * UINT64_C(0x9e3779b9), range);
	return n_known(nogoods, h, n);
}

Test(search, remembers_more_as_it_grows_but_within_the_limit)
{
	struct error error = {.code = MEMPLAN_OK};
	struct arena arena = {.error = &error};
	struct nogoods nogoods;
	struct horizon h;
	struct small q;
	uint64_t state = 7, before, held;

	make_small(&q, &state);
	cr_assert(mp_planner_horizon_new(&h, &q.puzzle, &arena));
	cr_assert(mp_planner_horizon_reset(&h));
	before = arena.held;
	cr_assert(mp_planner_nogood_new(&nogoods, &arena));
	cr_assert_lt(arena.held, before + 100000);
	cr_assert_eq(count_known(&nogoods, &h, 20000), 20000);
	cr_assert_gt(arena.held, 20000 * 8 * sizeof(uint64_t));
	held = arena.held;
	mp_planner_nogood_clear(&nogoods);
	cr_assert_lt(nogoods.size, nogoods.room);
	cr_assert_eq(n_known(&nogoods, &h, 20000), 0);
	cr_assert_eq(count_known(&nogoods, &h, 20000), 20000);
	cr_assert_eq(nogoods.size, nogoods.room);
	cr_assert_eq(arena.held, held);
	mp_planner_nogood_free(&nogoods);

	arena.limit = arena.held + 500000;
	cr_assert(mp_planner_nogood_new(&nogoods, &arena));
	cr_assert_gt(count_known(&nogoods, &h, 20000), 100);
	cr_assert_lt(count_known(&nogoods, &h, 20000), 20000);
	cr_assert_leq(arena.held, arena.limit);
	cr_assert_eq(error.code, MEMPLAN_OK);
	mp_planner_nogood_free(&nogoods);
	mp_arena_free(&arena);
}
