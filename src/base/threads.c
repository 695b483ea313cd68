/*
 * Loops over POSIX threads. The indices that wait for a thread are bits of a
 * word. One that is to run again waits behind the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <assert.h>
#include <pthread.h>

#include "base/num.h"

struct loop {
	struct threads *threads;
	atomic_uint waiting; /* bit i: index i */
	bool (*run)(void *context, uint32_t i);
	void *context;
	pthread_t helpers[LOOP_MOST];
	uint32_t n_helpers; /* that have ever been started */
};

/* The next index that waits, from this one on and then from 0. False: none
 * does. Those that run stay with the threads that run them. */
static bool take(struct loop *loop, uint32_t *i)
{
	unsigned waiting = atomic_load(&loop->waiting), behind;

	do {
		if (waiting == 0)
			return false;
		behind = *i < LOOP_MOST ? waiting >> *i << *i : 0;
		*i = (uint32_t)__builtin_ctz(behind ? behind : waiting);
	} while (!atomic_compare_exchange_weak(
		&loop->waiting, &waiting, waiting & ~(1u << *i)));
	return true;
}

/* Runs an index that waits, from this one on. False: none does. */
static bool run_next(struct loop *loop, uint32_t *i)
{
	if (!take(loop, i))
		return false;
	if (loop->run(loop->context, *i))
		atomic_fetch_or(&loop->waiting, 1u << *i);
	++*i;
	return true;
}

static void *help(void *argument)
{
	struct loop *loop = argument;
	uint32_t i = 0;

	while (run_next(loop, &i))
		;
	atomic_fetch_add(&loop->threads->idle, 1);
	return NULL;
}

/* False: no thread is idle. */
static bool take_idle(struct threads *threads)
{
	int idle = threads ? atomic_load(&threads->idle) : 0;

	while (idle > 0)
		if (atomic_compare_exchange_weak(
			    &threads->idle, &idle, idle - 1))
			return true;
	return false;
}

uint32_t mp_threads_for(const struct threads *threads, uint32_t n)
{
	int idle = threads ? atomic_load(&threads->idle) : 0;

	return idle > 0 ? (uint32_t)num_min((uint64_t)idle + 1, n) : 1;
}

/* Starts a helper for each index that waits but one, which the caller runs. */
static void start_helpers(struct loop *loop)
{
	unsigned waiting = atomic_load(&loop->waiting);

	for (; waiting & (waiting - 1); waiting &= waiting - 1) {
		pthread_t *helper = &loop->helpers[loop->n_helpers];

		if (loop->n_helpers == LOOP_MOST || !take_idle(loop->threads))
			return;
		if (pthread_create(helper, NULL, help, loop) != 0) {
			atomic_fetch_add(&loop->threads->idle, 1);
			return;
		}
		loop->n_helpers++;
	}
}

void mp_threads_run(struct threads *threads, uint32_t n,
	bool (*run)(void *context, uint32_t i), void *context)
{
	struct loop loop = {.threads = threads, .run = run, .context = context};
	uint32_t i = 0;

	assert(run && n > 0 && n <= LOOP_MOST);
	atomic_init(&loop.waiting, ~0u >> (LOOP_MOST - n));
	/* Others may have become idle since the last time. */
	do
		start_helpers(&loop);
	while (run_next(&loop, &i));
	if (loop.n_helpers == 0)
		return;
	/* While it waits for the others this thread is idle itself. */
	atomic_fetch_add(&threads->idle, 1);
	while (loop.n_helpers > 0)
		pthread_join(loop.helpers[--loop.n_helpers], NULL);
	atomic_fetch_sub(&threads->idle, 1);
}

/* ----------------------------------------------------------- ranges */

struct cut {
	void (*run)(void *context, uint32_t from, uint32_t to);
	void *context;
	uint32_t n, pieces;
};

static bool run_piece(void *context, uint32_t i)
{
	const struct cut *cut = context;
	uint64_t n = cut->n;

	cut->run(cut->context, (uint32_t)(n * i / cut->pieces),
		(uint32_t)(n * (i + 1) / cut->pieces));
	return false;
}

void mp_threads_cut(struct threads *threads, uint32_t n, uint32_t least,
	void (*run)(void *context, uint32_t from, uint32_t to), void *context)
{
	struct cut cut = {run, context, n, 1};

	assert(least > 0);
	cut.pieces = mp_threads_for(
		threads, (uint32_t)num_min(n / least + 1, LOOP_MOST));
	if (cut.pieces > 1)
		mp_threads_run(threads, cut.pieces, run_piece, &cut);
	else
		run(context, 0, n);
}
