/*
 * Parallel loops that share threads. What a loop runs must not depend on which
 * thread runs it or when, so that the number of threads never changes a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_THREADS_H
#define MP_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	LOOP_MOST = 32 /* indices of a loop */
};

struct loop;
struct stay;

/* The threads that may run beside the caller's, which is not counted. Loops
 * within loops share them: when the outer loop has no more work, the inner one
 * gets its threads. */
struct threads {
	int n_others;	    /* all of them, idle or not */
	atomic_int idle;    /* threads without work */
	atomic_int helping; /* threads that run indices of other loops now and
			       then, beside their own work */
	atomic_int n_loops; /* loops in the list */
	struct loop *loops; /* those that run, of which any thread may run
			       indices */
	struct stay *stays; /* which threads are in which of them */
	pthread_mutex_t lock;
	pthread_cond_t has_left; /* the last thread has left a loop */
};

/* Starts without loops, with so many threads, all of them idle. */
void mp_threads_init(struct threads *threads, int n_others);

/* The same while no loop runs. */
void mp_threads_set(struct threads *threads, int n_others);

/* No loop may run any more. */
void mp_threads_free(struct threads *threads);

/* How many of n indices could run at a time. It may change at any time. */
uint32_t mp_threads_for(const struct threads *threads, uint32_t n);

/* How many of n indices will run at a time once all other threads are idle: for
 * a loop that takes long, which they join then. */
uint32_t mp_threads_later(const struct threads *threads, uint32_t n);

/* Calls run(context, i) for every i below n, ascending, and those again, in
 * turn, that have returned true. Calls with different i may run at the same
 * time, in this thread and in idle ones; NULL: in this one only. Waits for all.
 */
void mp_threads_run(struct threads *threads, uint32_t n,
	bool (*run)(void *context, uint32_t i), void *context);

/* Runs what waits in loops that this thread is not in: for work that is less
 * urgent, now and then. */
void mp_threads_help(struct threads *threads);

/* Cuts [0, n) into ranges of about so many at least, and calls run(context,
 * from, to) for each, likewise. Where they are cut depends on the threads, so
 * nothing that comes out may depend on it. */
void mp_threads_cut(struct threads *threads, uint32_t n, uint32_t least,
	void (*run)(void *context, uint32_t from, uint32_t to), void *context);

#endif
