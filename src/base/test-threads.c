/*
 * Loops over threads: every index as often as it asks for, never in two threads
 * at a time, and no more threads than there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <criterion/criterion.h>

enum {
	INDICES = 5,
	ROUNDS = 200
};

struct counts {
	struct threads *threads;
	uint32_t calls[INDICES]; /* not atomic: an index is in one thread */
	atomic_int running, most;
	struct counts *within; /* of a loop within for each index; or NULL */
};

static bool count(void *context, uint32_t i)
{
	struct counts *c = context;
	int running = atomic_fetch_add(&c->running, 1) + 1;
	int most = atomic_load(&c->most);

	while (running > most &&
		!atomic_compare_exchange_weak(&c->most, &most, running))
		;
	c->calls[i]++;
	if (c->within)
		mp_threads_run(c->threads, INDICES, count, &c->within[i]);
	atomic_fetch_sub(&c->running, 1);
	return c->calls[i] % (i + 1) != 0;
}

static void check_calls(const struct counts *c, uint32_t rounds)
{
	for (uint32_t i = 0; i < INDICES; i++)
		cr_assert_eq(c->calls[i], (i + 1) * rounds);
}

static void count_all(struct threads *threads, int helpers)
{
	struct counts c = {.threads = threads};

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		mp_threads_run(threads, INDICES, count, &c);
		check_calls(&c, round);
		cr_assert_leq(atomic_load(&c.most), helpers + 1);
		if (threads)
			cr_assert_eq(atomic_load(&threads->idle), helpers);
	}
}

Test(threads, run_every_index_until_it_is_done)
{
	struct threads threads;

	count_all(NULL, 0);
	for (int helpers = 0; helpers < 7; helpers++) {
		mp_threads_init(&threads, helpers);
		count_all(&threads, helpers);
	}
}

/* What waits for the last of an outer loop helps in the inner ones. */
Test(threads, are_shared_by_loops_within_loops)
{
	struct threads threads;

	for (int helpers = 0; helpers < 7; helpers++) {
		struct counts inner[INDICES] = {{.threads = &threads}};
		struct counts outer = {.threads = &threads, .within = inner};

		mp_threads_init(&threads, helpers);
		mp_threads_run(&threads, INDICES, count, &outer);
		check_calls(&outer, 1);
		for (uint32_t i = 0; i < INDICES; i++)
			check_calls(&inner[i], i + 1);
		cr_assert_eq(atomic_load(&threads.idle), helpers);
	}
}

/* A loop, and one that its last index runs while all threads are busy. */
struct nest {
	struct threads *threads;
	atomic_uint n_begun; /* indices of the inner loop */
	bool is_alone;	     /* one of them waits in vain */
};

/* Is there a thread beside this one? The system may have refused it. */
static bool has_helper(const struct nest *nest)
{
	return atomic_load(&nest->threads->idle) == 0;
}

static bool wait_for_both(void *context, uint32_t i)
{
	struct nest *nest = context;

	(void)i;
	atomic_fetch_add(&nest->n_begun, 1);
	while (atomic_load(&nest->n_begun) < 2 && has_helper(nest))
		;
	if (atomic_load(&nest->n_begun) < 2)
		nest->is_alone = true;
	return false;
}

static bool run_nest(void *context, uint32_t i)
{
	struct nest *nest = context;

	if (i == 1)
		mp_threads_run(nest->threads, 2, wait_for_both, nest);
	while (atomic_load(&nest->n_begun) == 0 && has_helper(nest))
		;
	return false;
}

/* The inner loop needs both, the outer has two indices: so it ends only if the
 * thread that has done its own goes on in the other loop. */
Test(threads, that_wait_for_a_loop_visit_those_within)
{
	struct threads threads;
	bool is_alone = false;

	mp_threads_init(&threads, 1);
	for (int round = 0; round < ROUNDS; round++) {
		struct nest nest = {.threads = &threads};

		mp_threads_run(&threads, 2, run_nest, &nest);
		cr_assert_eq(atomic_load(&nest.n_begun), 2);
		cr_assert_eq(atomic_load(&threads.idle), 1);
		is_alone |= nest.is_alone;
	}
	mp_threads_free(&threads);
	if (is_alone)
		cr_skip_test("no thread can be made");
}

static bool help_within(void *context, uint32_t i)
{
	struct nest *nest = context;

	mp_threads_help(nest->threads);
	cr_assert_eq(atomic_fetch_add(&nest->n_begun, 1), i);
	return false;
}

/* An index in an index would not end before the one that began it. */
Test(threads, help_in_no_loop_that_they_are_in)
{
	struct threads threads;
	struct nest nest = {.threads = &threads};

	mp_threads_init(&threads, 0);
	mp_threads_run(&threads, INDICES, help_within, &nest);
	cr_assert_eq(atomic_load(&nest.n_begun), INDICES);
	mp_threads_free(&threads);
}

static bool fill_stack(void *context, uint32_t i)
{
	struct nest *nest = context;
	volatile char bytes[1 << 20];

	for (uint32_t k = 0; k < sizeof(bytes); k += 1024)
		bytes[k] = (char)i;
	return wait_for_both(nest, (uint32_t)bytes[0]);
}

Test(threads, have_a_stack_for_rows_that_run_others)
{
	struct threads threads;
	struct nest nest = {.threads = &threads};

	mp_threads_init(&threads, 1);
	mp_threads_run(&threads, 2, fill_stack, &nest);
	cr_assert_eq(atomic_load(&nest.n_begun), 2);
	mp_threads_free(&threads);
}

Test(threads, are_as_many_as_can_help)
{
	struct threads threads;

	cr_assert_eq(mp_threads_for(NULL, 4), 1);
	mp_threads_init(&threads, 2);
	cr_assert_eq(mp_threads_for(&threads, 4), 3);
	cr_assert_eq(mp_threads_for(&threads, 2), 2);
}

static void count_range(void *context, uint32_t from, uint32_t to)
{
	uint32_t *calls = context;

	for (uint32_t i = from; i < to; i++)
		calls[i]++;
}

Test(threads, cut_ranges_without_a_gap)
{
	struct threads threads;

	for (int helpers = 0; helpers < 7; helpers++) {
		uint32_t calls[ROUNDS + 1] = {0};

		mp_threads_init(&threads, helpers);
		for (uint32_t n = 0; n <= ROUNDS; n++)
			mp_threads_cut(&threads, n, 7, count_range, calls);
		for (uint32_t i = 0; i <= ROUNDS; i++)
			cr_assert_eq(calls[i], ROUNDS - i);
	}
}
