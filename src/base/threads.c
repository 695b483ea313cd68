/*
 * Loops over POSIX threads. The indices that wait for a thread are bits of a
 * word. One that is to run again waits behind the others. Loops that run are in
 * a list, so that a thread that has nothing to do but to wait for one visits
 * those within it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/threads.h"

#include <assert.h>

#include "base/num.h"

enum {
	STACK = 8 << 20 /* bytes of a helper: musl's are 128 KiB, and rows that
			   run others take up to that */
};

struct loop {
	struct threads *threads;
	atomic_uint waiting; /* bit i: index i */
	bool (*run)(void *context, uint32_t i);
	void *context;
	pthread_t helpers[LOOP_MOST];
	uint32_t n_helpers;  /* that have ever been started */
	atomic_int n_inside; /* of these, that have not ended */
	uint32_t n_visitors;
	const struct loop *outer; /* one of its indices runs this one; NULL:
				     none does */
	struct loop *next;	  /* of the list */
};

/* A thread that runs indices of a loop. */
struct stay {
	pthread_t thread;
	const struct loop *loop;
	struct stay *next; /* of all */
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

/* ----------------------------------------------------------- visits */

static bool is_within(const struct loop *loop, const struct loop *outer)
{
	while (loop && loop != outer)
		loop = loop->outer;
	return loop;
}

/* The innermost of this thread; NULL: there is none. */
static const struct stay *find_stay(const struct stay *stay)
{
	while (stay && !pthread_equal(stay->thread, pthread_self()))
		stay = stay->next;
	return stay;
}

static bool is_in(const struct threads *threads, const struct loop *loop)
{
	const struct stay *stay = find_stay(threads->stays);

	while (stay && stay->loop != loop)
		stay = find_stay(stay->next);
	return stay;
}

static void begin_stay(
	struct threads *threads, struct stay *stay, const struct loop *loop)
{
	*stay = (struct stay){pthread_self(), loop, threads->stays};
	threads->stays = stay;
}

static void end_stay(struct threads *threads, struct stay *stay)
{
	struct stay **at = &threads->stays;

	while (*at != stay)
		at = &(*at)->next;
	*at = stay->next;
}

/* A loop with an index that waits: within this one; NULL: any that this thread
 * is not in. */
static struct loop *find_loop(
	const struct threads *threads, const struct loop *outer)
{
	struct loop *loop = threads->loops;

	for (; loop; loop = loop->next)
		if (atomic_load(&loop->waiting) != 0 &&
			(outer ? is_within(loop, outer)
			       : !is_in(threads, loop)))
			return loop;
	return NULL;
}

/* Runs what waits in such a loop. False: nothing does. */
static bool visit(struct threads *threads, const struct loop *outer)
{
	struct loop *loop;
	struct stay stay;
	uint32_t i = 0;

	if (atomic_load(&threads->n_loops) == 0)
		return false;
	pthread_mutex_lock(&threads->lock);
	loop = find_loop(threads, outer);
	if (loop) {
		loop->n_visitors++;
		begin_stay(threads, &stay, loop);
	}
	pthread_mutex_unlock(&threads->lock);
	if (!loop)
		return false;
	while (run_next(loop, &i))
		;
	pthread_mutex_lock(&threads->lock);
	end_stay(threads, &stay);
	if (--loop->n_visitors == 0)
		pthread_cond_broadcast(&threads->has_left);
	pthread_mutex_unlock(&threads->lock);
	return true;
}

void mp_threads_help(struct threads *threads)
{
	while (visit(threads, NULL))
		;
}

static void enter_list(struct loop *loop, struct stay *stay)
{
	struct threads *threads = loop->threads;
	const struct stay *outer;

	pthread_mutex_lock(&threads->lock);
	outer = find_stay(threads->stays);
	loop->outer = outer ? outer->loop : NULL;
	begin_stay(threads, stay, loop);
	loop->next = threads->loops;
	threads->loops = loop;
	pthread_mutex_unlock(&threads->lock);
	atomic_fetch_add(&threads->n_loops, 1);
}

/* False: others are in the loop. */
static bool leave_list(struct loop *loop, struct stay *stay)
{
	struct threads *threads = loop->threads;
	struct loop **at = &threads->loops;
	bool is_alone;

	atomic_fetch_sub(&threads->n_loops, 1);
	pthread_mutex_lock(&threads->lock);
	while (*at != loop)
		at = &(*at)->next;
	*at = loop->next;
	end_stay(threads, stay);
	is_alone = loop->n_visitors == 0 && loop->n_helpers == 0;
	pthread_mutex_unlock(&threads->lock);
	return is_alone;
}

/* ---------------------------------------------------------- helpers */

/* Where its loop has nothing more for it, it waits for it as well. */
static void *help(void *argument)
{
	struct loop *loop = argument;
	struct threads *threads = loop->threads;
	struct stay stay;
	uint32_t i = 0;

	pthread_mutex_lock(&threads->lock);
	begin_stay(threads, &stay, loop);
	pthread_mutex_unlock(&threads->lock);
	while (run_next(loop, &i) || visit(threads, loop))
		;
	pthread_mutex_lock(&threads->lock);
	end_stay(threads, &stay);
	pthread_mutex_unlock(&threads->lock);
	atomic_fetch_add(&threads->idle, 1);
	atomic_fetch_sub(&loop->n_inside, 1);
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

void mp_threads_set(struct threads *threads, int n_others)
{
	threads->n_others = n_others;
	atomic_store(&threads->idle, n_others);
}

void mp_threads_init(struct threads *threads, int n_others)
{
	*threads = (struct threads){.n_others = n_others};
	pthread_mutex_init(&threads->lock, NULL);
	pthread_cond_init(&threads->has_left, NULL);
	atomic_init(&threads->idle, n_others);
	atomic_init(&threads->helping, 0);
	atomic_init(&threads->n_loops, 0);
}

void mp_threads_free(struct threads *threads)
{
	assert(!threads->loops);
	pthread_cond_destroy(&threads->has_left);
	pthread_mutex_destroy(&threads->lock);
}

uint32_t mp_threads_for(const struct threads *threads, uint32_t n)
{
	int others = threads ? atomic_load(&threads->idle) +
				       atomic_load(&threads->helping)
			     : 0;

	return others > 0 ? (uint32_t)num_min((uint64_t)others + 1, n) : 1;
}

uint32_t mp_threads_later(const struct threads *threads, uint32_t n)
{
	uint64_t others = threads ? (uint64_t)threads->n_others : 0;

	return (uint32_t)num_min(others + 1, n);
}

static bool start_helper(pthread_t *helper, struct loop *loop)
{
	pthread_attr_t attributes;
	bool fine;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	fine = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
	       pthread_create(helper, &attributes, help, loop) == 0;
	pthread_attr_destroy(&attributes);
	return fine;
}

/* Starts a helper for each index that waits but one, which the caller runs. */
static void start_helpers(struct loop *loop)
{
	unsigned waiting = atomic_load(&loop->waiting);

	for (; waiting & (waiting - 1); waiting &= waiting - 1) {
		pthread_t *helper = &loop->helpers[loop->n_helpers];

		if (loop->n_helpers == LOOP_MOST || !take_idle(loop->threads))
			return;
		atomic_fetch_add(&loop->n_inside, 1);
		if (!start_helper(helper, loop)) {
			atomic_fetch_sub(&loop->n_inside, 1);
			atomic_fetch_add(&loop->threads->idle, 1);
			return;
		}
		loop->n_helpers++;
	}
}

/* This thread is idle itself meanwhile. */
static void wait_for_others(struct loop *loop)
{
	struct threads *threads = loop->threads;

	atomic_fetch_add(&threads->idle, 1);
	pthread_mutex_lock(&threads->lock);
	while (loop->n_visitors > 0)
		pthread_cond_wait(&threads->has_left, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	while (loop->n_helpers > 0)
		pthread_join(loop->helpers[--loop->n_helpers], NULL);
	atomic_fetch_sub(&threads->idle, 1);
}

static void run_shared(struct loop *loop)
{
	struct stay stay;
	uint32_t i = 0;

	enter_list(loop, &stay);
	/* Others may have become idle since the last time. */
	do
		start_helpers(loop);
	while (run_next(loop, &i) || (atomic_load(&loop->n_inside) > 0 &&
					     visit(loop->threads, loop)));
	if (!leave_list(loop, &stay))
		wait_for_others(loop);
}

void mp_threads_run(struct threads *threads, uint32_t n,
	bool (*run)(void *context, uint32_t i), void *context)
{
	struct loop loop = {.threads = threads, .run = run, .context = context};
	uint32_t i = 0;

	assert(run && n > 0 && n <= LOOP_MOST);
	atomic_init(&loop.waiting, ~0u >> (LOOP_MOST - n));
	atomic_init(&loop.n_inside, 0);
	if (threads && n > 1)
		run_shared(&loop);
	else
		while (run_next(&loop, &i))
			;
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
