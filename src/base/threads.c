/*
 * Loops over POSIX threads. The indices that wait for a thread are bits of a
 * word. One that is to run again waits behind the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <assert.h>
#include <pthread.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t gone_back;
};

struct helper {
	pthread_t id;
	struct loop *loop;
	_Atomic(struct threads *) from; /* where it is idle again; NULL: its
					   thread has gone back already */
};

struct loop {
	struct threads *threads;
	atomic_uint waiting; /* bit i: index i */
	bool (*run)(void *context, uint32_t i);
	void *context;
	struct helper helpers[LOOP_MOST];
	uint32_t n_helpers; /* that have ever been started */
};

/* The next index that waits, from this one on and then from 0. False: none
 * does. Those that run stay with the threads that run them. */
static bool take_index(struct loop *loop, uint32_t *i)
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
	if (!take_index(loop, i))
		return false;
	if (loop->run(loop->context, *i))
		atomic_fetch_or(&loop->waiting, 1u << *i);
	++*i;
	return true;
}

/* ------------------------------------------------------------- idle */

/* False: no thread is idle. */
static bool take(struct threads *threads)
{
	int idle = atomic_load(&threads->idle);

	while (idle > 0)
		if (atomic_compare_exchange_weak(
			    &threads->idle, &idle, idle - 1))
			return true;
	return false;
}

static void give(struct threads *threads)
{
	atomic_fetch_add(&threads->idle, 1);
	if (!threads->outer)
		return;
	pthread_mutex_lock(&threads->gate->lock);
	pthread_cond_broadcast(&threads->gate->gone_back);
	pthread_mutex_unlock(&threads->gate->lock);
}

static struct threads *outermost(struct threads *threads)
{
	while (threads->outer)
		threads = threads->outer;
	return threads;
}

/* What is on loan comes last. NULL: no thread is idle. */
static struct threads *take_any(struct threads *threads)
{
	if (!threads)
		return NULL;
	if (take(outermost(threads)))
		return outermost(threads);
	for (; threads->outer; threads = threads->outer)
		if (take(threads))
			return threads;
	return NULL;
}

uint32_t mp_threads_for(const struct threads *threads, uint32_t n)
{
	uint64_t all = 1;

	for (; threads; threads = threads->outer) {
		int idle = atomic_load(&threads->idle);

		all += idle > 0 ? (uint64_t)idle : 0;
	}
	return (uint32_t)num_min(all, n);
}

bool mp_threads_loan_init(
	struct threads *loan, struct threads *outer, struct arena *arena)
{
	struct gate *gate = NEW(arena, struct gate, 1);

	assert(outer);
	*loan = (struct threads){.outer = outer, .gate = gate};
	if (!gate)
		return false;
	if (pthread_mutex_init(&gate->lock, NULL) == 0) {
		if (pthread_cond_init(&gate->gone_back, NULL) == 0)
			return true;
		pthread_mutex_destroy(&gate->lock);
	}
	return mp_fail(arena->error, MEMPLAN_ENOMEM, "out of memory");
}

void mp_threads_loan_free(struct threads *loan)
{
	assert(atomic_load(&loan->idle) == 0);
	pthread_cond_destroy(&loan->gate->gone_back);
	pthread_mutex_destroy(&loan->gate->lock);
}

void mp_threads_lend(struct threads *loan)
{
	assert(loan->outer);
	give(loan);
}

void mp_threads_wait(struct threads *loan)
{
	if (atomic_load_explicit(&loan->idle, memory_order_relaxed) > 0)
		return;
	pthread_mutex_lock(&loan->gate->lock);
	while (atomic_load(&loan->idle) <= 0)
		pthread_cond_wait(&loan->gate->gone_back, &loan->gate->lock);
	pthread_mutex_unlock(&loan->gate->lock);
}

void mp_threads_take_back(struct threads *loan)
{
	do
		mp_threads_wait(loan);
	while (!take(loan));
}

/* ------------------------------------------------------------- loop */

static void *help(void *argument)
{
	struct helper *helper = argument;
	struct threads *from;
	uint32_t i = 0;

	while (run_next(helper->loop, &i))
		;
	from = atomic_exchange(&helper->from, NULL);
	if (from)
		give(from);
	return NULL;
}

/* Starts a helper for each index that waits but one, which the caller runs. */
static void start_helpers(struct loop *loop)
{
	unsigned waiting = atomic_load(&loop->waiting);

	for (; waiting & (waiting - 1); waiting &= waiting - 1) {
		struct helper *helper = &loop->helpers[loop->n_helpers];
		struct threads *from;

		if (loop->n_helpers == LOOP_MOST)
			return;
		from = take_any(loop->threads);
		if (!from)
			return;
		helper->loop = loop;
		atomic_init(&helper->from, from);
		if (pthread_create(&helper->id, NULL, help, helper) != 0) {
			give(from);
			return;
		}
		loop->n_helpers++;
	}
}

/* A helper that is on loan goes on in place of this thread, which waits. False:
 * there is none. */
static bool send_back(struct loop *loop)
{
	for (uint32_t k = 0; k < loop->n_helpers; k++) {
		struct threads *from = atomic_load(&loop->helpers[k].from);

		if (from && from->outer &&
			atomic_exchange(&loop->helpers[k].from, NULL)) {
			give(from);
			return true;
		}
	}
	return false;
}

/* Meanwhile this thread is idle itself. */
static void wait_for_helpers(struct loop *loop)
{
	struct threads *own = outermost(loop->threads);
	bool is_idle = !send_back(loop);

	if (is_idle)
		give(own);
	while (loop->n_helpers > 0)
		pthread_join(loop->helpers[--loop->n_helpers].id, NULL);
	if (is_idle)
		atomic_fetch_sub(&own->idle, 1);
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
	if (loop.n_helpers > 0)
		wait_for_helpers(&loop);
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
