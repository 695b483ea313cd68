/*
 * The tree against a sum at every step.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/loads.h"

#include <criterion/criterion.h>

#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	BUFFERS = 90,
	STEPS = 64,
	CHANGES = 300
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	struct loads loads;
	int64_t load[STEPS + 1];
};

static void add(struct fixture *f, const struct buffer *b, int64_t bytes)
{
	for (uint32_t s = b->start; s < b->end; s++)
		f->load[s] += bytes;
}

static void begin(struct fixture *f, uint64_t seed)
{
	struct random_shape shape = {.buffers = 1 + (uint32_t)seed % BUFFERS,
		.steps = STEPS,
		.size = 50};

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(mp_testing_random_problem(
		seed, &shape, &f->problem, &f->arena));
	cr_assert(mp_planner_loads_init(&f->loads, &f->problem, &f->arena));
	for (uint32_t i = 0; i < f->problem.n_buffers; i++)
		add(f, &f->problem.buffers[i],
			(int64_t)f->problem.buffers[i].size);
}

static uint64_t most_of(const struct fixture *f)
{
	int64_t most = 0;

	for (uint32_t s = 0; s < STEPS; s++)
		most = f->load[s] > most ? f->load[s] : most;
	return (uint64_t)most;
}

/* From where one buffer begins to where another one ends. */
static void change(struct fixture *f, uint64_t *random, int64_t sign)
{
	const struct problem *p = &f->problem;
	struct buffer range = {
		.start = p->buffers[mp_testing_below(random, p->n_buffers)]
				 .start,
		.end = p->buffers[mp_testing_below(random, p->n_buffers)].end};
	int64_t bytes = sign * (1 + mp_testing_below(random, 40));
	uint64_t looks = 0;

	if (range.start >= range.end)
		return;
	mp_planner_loads_add(&f->loads, range.start, range.end, bytes, &looks);
	add(f, &range, bytes);
	cr_assert_gt(looks, 0);
}

Test(loads, has_the_greatest_load_whatever_is_added_and_taken_off)
{
	static struct fixture f;

	for (uint64_t seed = mp_testing_first(), n = mp_testing_cases(200, 10);
		n-- > 0; seed++) {
		uint64_t random = seed;

		begin(&f, seed);
		cr_assert_eq(mp_planner_loads_most(&f.loads), most_of(&f));
		for (int k = 0; k < CHANGES; k++) {
			uint64_t again = random;

			change(&f, &random, 1);
			cr_assert_eq(
				mp_planner_loads_most(&f.loads), most_of(&f));
			if (k % 2 == 0)
				continue;
			change(&f, &again, -1);
			cr_assert_eq(
				mp_planner_loads_most(&f.loads), most_of(&f));
		}
		mp_arena_free(&f.arena);
	}
}
