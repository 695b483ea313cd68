/*
 * Buffers in several pools, against all assignments: what is said to fit is
 * verified, what is said not to fit fits in no way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pools/pools.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "pools/test-assign-brute.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS = 2000, /* unless MEMPLAN_PROBLEMS says another */
	MOST_BUFFERS = 6,
	RANGES = 2,
	POOLS = BRUTE_POOLS,
};

_Static_assert((int)MOST_BUFFERS + RANGES <= BRUTE_BUFFERS, "brute force");

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct memory_pool pools[POOLS];
	uint32_t places[BRUTE_BUFFERS][POOLS];
	struct pool_list lists[BRUTE_BUFFERS];
	uint16_t list_of[BRUTE_BUFFERS];
	struct assignment assignment;
	uint64_t random;
	uint32_t smaller; /* pools that --tight makes smaller */
};

static bool plan(void *context, const struct problem *sub, uint64_t capacity,
	struct job *job)
{
	struct trial *t = context;

	*job = mp_testing_job(sub, 20000, &t->arena);
	job->capacity = capacity;
	return mp_testing_plan(job, "auto") != PLAN_FAILED;
}

/* ----------------------------------------------------------- trials */

static void shuffle(struct trial *t, uint32_t *at, uint32_t n)
{
	for (uint32_t i = n; i-- > 1;) {
		uint32_t k = mp_testing_below(&t->random, i + 1), other = at[k];

		at[k] = at[i];
		at[i] = other;
	}
}

/* Some pools in some order, for each buffer its own. */
static void draw_lists(struct trial *t)
{
	for (uint32_t i = 0; i < t->problem.n_buffers; i++) {
		for (uint32_t k = 0; k < t->problem.n_pools; k++)
			t->places[i][k] = k;
		if (mp_testing_below(&t->random, 3) == 0)
			shuffle(t, t->places[i], t->problem.n_pools);
		t->lists[i] = (struct pool_list){t->places[i],
			mp_testing_below(&t->random, 3)
				? t->problem.n_pools
				: 1 + mp_testing_below(
					      &t->random, t->problem.n_pools)};
		t->list_of[i] = (uint16_t)i;
	}
}

static void draw_pools(struct trial *t)
{
	struct problem *p = &t->problem;
	uint64_t most = p->theoretical_min * 5 / 4 + 8;

	p->n_pools = 1 + mp_testing_below(&t->random, POOLS);
	for (uint32_t i = 0; i < p->n_pools; i++) {
		t->pools[i] = (struct memory_pool){.name = "pool",
			.capacity = NO_CAPACITY,
			.alignment = p->alignment
				     << mp_testing_below(&t->random, 2)};
		if (mp_testing_below(&t->random, 8) > 0)
			t->pools[i].capacity = num_up(
				1 + mp_testing_below(&t->random,
					    (uint32_t)most / p->n_pools + 1),
				t->pools[i].alignment);
	}
	draw_lists(t);
	p->pools = t->pools;
	p->pool_lists = t->lists;
	p->pool_list = t->list_of;
}

/* ----------------------------------------------------------- ranges */

/* The same with room for the ranges, all bits of them so. */
static void *longer(
	struct trial *t, const void *from, size_t n, size_t size, int bits)
{
	char *to = mp_arena_alloc(&t->arena, n + RANGES, size);

	cr_assert(to);
	memset(to + n * size, bits, RANGES * size);
	return from ? memcpy(to, from, n * size) : to;
}

static uint32_t *longer_first(struct trial *t, const uint32_t *first, size_t n)
{
	uint32_t *to = longer(t, first, n + 1, sizeof(*first), 0);

	for (size_t i = n + 1; i <= n + RANGES; i++)
		to[i] = first[n];
	return to;
}

/* One buffer more, alive throughout and on all streams. */
static void add_range(struct trial *t, uint32_t pool)
{
	struct problem *p = &t->problem;
	uint64_t room = num_min(t->pools[pool].capacity, 32);
	uint64_t size =
		1 + mp_testing_below(&t->random, (uint32_t)room / 3 + 1);
	uint64_t offset =
		mp_testing_below(&t->random, (uint32_t)(room - size) + 1);

	p->buffers[p->n_buffers] =
		(struct buffer){size, 1, offset, 0, p->n_steps, p->n_parts, 1};
	p->parts[p->n_parts] =
		(struct part){0, size, 0, p->n_steps, p->n_buffers};
	t->places[p->n_buffers][0] = pool;
	t->lists[p->n_buffers] = (struct pool_list){t->places[p->n_buffers], 1};
	t->list_of[p->n_buffers] = (uint16_t)p->n_buffers;
	p->n_buffers++;
	p->n_parts++;
}

/* Ranges of one pool stay clear of each other, so each is of another one. */
static void reserve(struct trial *t)
{
	struct problem *p = &t->problem;
	size_t n = p->n_buffers, parts = p->n_parts, word = sizeof(uint32_t);

	p->buffers = longer(t, p->buffers, n, sizeof(*p->buffers), 0);
	p->parts = longer(t, p->parts, parts, sizeof(*p->parts), 0);
	p->stream = longer(t, p->stream, parts, word, 0);
	p->born = longer(t, p->born, parts, word, 0);
	p->free = longer(t, p->free, parts, word * p->n_streams, 0xff);
	if (p->choice) {
		p->choice = longer(t, p->choice, n, word, 0xff);
		p->branch = longer(t, p->branch, n, word, 0);
	}
	if (p->apart)
		p->first_apart = longer_first(t, p->first_apart, n);
	p->first_reserved = p->n_buffers;
	p->n_reserved = 1 + mp_testing_below(&t->random, RANGES);
	if (p->n_reserved > p->n_pools)
		p->n_reserved = p->n_pools;
	for (uint32_t i = 0; i < p->n_reserved; i++)
		add_range(t, i);
}

static void take_all(struct trial *t)
{
	t->assignment = (struct assignment){.problem = &t->problem,
		.plan = plan,
		.context = t,
		.arena = &t->arena,
		.error = &t->error,
		.work = 1000000};
	cr_assert(mp_pools_assign(&t->assignment), "%s", t->error.text);
}

static void prepare(
	struct trial *t, uint64_t seed, const struct random_shape *shape)
{
	memset(t, 0, sizeof(*t));
	t->random = seed * 31 + 7;
	t->arena.error = &t->error;
	cr_assert(
		mp_testing_random_problem(seed, shape, &t->problem, &t->arena));
	draw_pools(t);
	if (shape->reserved)
		reserve(t);
}

/* ------------------------------------------------------------ tests */

static void check_spaces(const struct trial *t)
{
	const struct assignment *a = &t->assignment;

	for (uint32_t i = 0; i < a->spaces.n; i++) {
		const struct space *space = &a->spaces.at[i];
		uint64_t top = 0;

		for (uint32_t b = 0; b < t->problem.n_buffers; b++)
			if (a->spaces.of[b] == i)
				top = num_max(top,
					a->offsets[b] +
						mp_pools_size(&t->problem,
							&t->pools[space->pool],
							b));
		cr_assert_eq(space->size, top);
		cr_assert_leq(space->size, space->capacity);
		cr_assert_leq(space->lower_bound, space->size);
		cr_assert_leq(space->theoretical_min, space->lower_bound);
	}
}

/* The same assignment, in as little room as its planner finds. */
static void make_tight(struct trial *t)
{
	const struct assignment roomy = t->assignment;

	t->assignment.tight = true;
	t->assignment.spaces = (struct spaces){0};
	cr_assert(mp_pools_assign(&t->assignment), "%s", t->error.text);
	cr_assert(mp_verify_spaces(&t->problem, &t->assignment.spaces,
			  t->assignment.offsets, MEMPLAN_NO, &t->arena,
			  &t->error),
		"%s", t->error.text);
	check_spaces(t);
	cr_assert_eq(t->assignment.spaces.n, roomy.spaces.n);
	for (uint32_t i = 0; i < roomy.spaces.n; i++) {
		const struct space *space = &t->assignment.spaces.at[i];

		cr_assert_leq(space->size, roomy.spaces.at[i].size);
		cr_assert_geq(
			space->lower_bound, roomy.spaces.at[i].lower_bound);
		t->smaller += space->size < roomy.spaces.at[i].size;
	}
}

static void try_problem(uint64_t seed, const struct random_shape *shape,
	uint32_t *outcomes, uint32_t *missed, uint32_t *smaller)
{
	struct trial t;
	bool fits;

	prepare(&t, seed, shape);
	take_all(&t);
	outcomes[t.assignment.misfit]++;
	if (t.assignment.misfit == MISFIT_NONE) {
		cr_assert(mp_verify_spaces(&t.problem, &t.assignment.spaces,
				  t.assignment.offsets, MEMPLAN_NO, &t.arena,
				  &t.error),
			"%llu: %s", (unsigned long long)seed, t.error.text);
		check_spaces(&t);
		make_tight(&t);
		*smaller += t.smaller;
	} else {
		fits = mp_brute_fits(&t.problem);
		cr_assert(!fits || t.assignment.misfit == MISFIT_OPEN,
			"%llu: %s", (unsigned long long)seed, t.assignment.why);
		*missed += fits;
	}
	mp_arena_free(&t.arena);
}

/* How many of a thousand may be found by brute force only: planners for plain
 * problems miss none, those for others are not exact. */
static void try_shape(const struct random_shape *shape, uint32_t most)
{
	uint32_t outcomes[3] = {0}, missed = 0, smaller = 0;
	uint64_t n = mp_testing_cases(PROBLEMS, 1);

	for (uint64_t seed = 0; seed < n; seed++)
		try_problem(seed, shape, outcomes, &missed, &smaller);
	cr_assert_leq((uint64_t)missed * 1000, n * most);
	cr_assert(most == 0 || smaller > 0);
	cr_assert(outcomes[MISFIT_NONE] > n / 5 &&
			  outcomes[MISFIT_PROVED] > n / 5,
		"%u fit, %u do not: the test would miss a mistake",
		outcomes[MISFIT_NONE], outcomes[MISFIT_PROVED]);
}

Test(assign, holds_against_all_assignments)
{
	try_shape(&(struct random_shape){.buffers = MOST_BUFFERS}, 0);
}

Test(assign, holds_with_streams)
{
	try_shape(&(struct random_shape){.buffers = 5, .streams = 3}, 5);
}

Test(assign, holds_with_alignments)
{
	try_shape(
		&(struct random_shape){
			.buffers = 5, .alignment = 64, .aligned = true},
		5);
}

Test(assign, holds_with_pairs_apart)
{
	try_shape(
		&(struct random_shape){.buffers = MOST_BUFFERS, .apart = true},
		5);
}

Test(assign, holds_with_branches)
{
	try_shape(&(struct random_shape){.buffers = MOST_BUFFERS,
			  .choices = true},
		5);
}

Test(assign, holds_with_reserved_ranges)
{
	try_shape(&(struct random_shape){.buffers = MOST_BUFFERS,
			  .reserved = true},
		5);
}

Test(assign, holds_with_all_of_it)
{
	try_shape(&(struct random_shape){.buffers = 5,
			  .streams = 2,
			  .alignment = 2,
			  .aligned = true,
			  .apart = true,
			  .choices = true,
			  .reserved = true},
		10);
}

/* What leaves a chunk goes to the next; every chunk is one memory of its own.
 */
Test(assign, chunks_hold_all)
{
	for (uint64_t seed = 0; seed < mp_testing_cases(PROBLEMS, 1) / 4;
		seed++) {
		struct random_shape shape = {.buffers = 30, .steps = 12};
		struct memory_pool pool = {.name = "pool",
			.capacity = NO_CAPACITY,
			.alignment = 1,
			.chunk = 20};
		uint32_t place = 0;
		struct pool_list list = {&place, 1};
		uint16_t list_of[30] = {0};
		struct trial t = {.random = seed};

		t.arena.error = &t.error;
		cr_assert(mp_testing_random_problem(
			seed, &shape, &t.problem, &t.arena));
		t.problem.pools = &pool;
		t.problem.n_pools = 1;
		t.problem.pool_lists = &list;
		t.problem.pool_list = list_of;
		take_all(&t);
		cr_assert_eq(t.assignment.misfit, MISFIT_NONE);
		cr_assert_geq((t.assignment.spaces.n) * pool.chunk,
			t.problem.theoretical_min);
		cr_assert(mp_verify_spaces(&t.problem, &t.assignment.spaces,
			t.assignment.offsets, MEMPLAN_NO, &t.arena, &t.error));
		mp_arena_free(&t.arena);
	}
}
