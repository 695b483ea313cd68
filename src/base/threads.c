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

static void work(struct loop *loop)
{
	uint32_t i = 0;

	while (take(loop, &i)) {
		if (loop->run(loop->context, i))
			atomic_fetch_or(&loop->waiting, 1u << i);
		i++;
	}
}

static void *help(void *argument)
{
	struct loop *loop = argument;

	work(loop);
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

static uint32_t start_helpers(
	struct loop *loop, uint32_t most, pthread_t *helpers)
{
	uint32_t started = 0;

	while (started < most && take_idle(loop->threads)) {
		if (pthread_create(&helpers[started], NULL, help, loop) != 0) {
			atomic_fetch_add(&loop->threads->idle, 1);
			break;
		}
		started++;
	}
	return started;
}

void mp_threads_run(struct threads *threads, uint32_t n,
	bool (*run)(void *context, uint32_t i), void *context)
{
	struct loop loop = {.threads = threads, .run = run, .context = context};
	pthread_t helpers[LOOP_MOST];
	uint32_t started;

	assert(run && n > 0 && n <= LOOP_MOST);
	atomic_init(&loop.waiting, ~0u >> (LOOP_MOST - n));
	started = start_helpers(&loop, n - 1, helpers);
	work(&loop);
	if (started == 0)
		return;
	/* While it waits for the others this thread is idle itself. */
	atomic_fetch_add(&threads->idle, 1);
	while (started > 0)
		pthread_join(helpers[--started], NULL);
	atomic_fetch_sub(&threads->idle, 1);
}
