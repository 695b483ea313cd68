/*
 * A parallel loop. What it runs must not depend on which thread runs it or
 * when, so that the number of threads never changes a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_THREADS_H
#define MP_BASE_THREADS_H

#include <stdint.h>

/* Calls run(context, i) once for every i below n, ascending, on up to that many
 * threads at a time, and waits for all. If threads cannot be created, fewer do
 * the work. */
void mp_team_run(uint32_t threads, uint32_t n,
	void (*run)(void *context, uint32_t i), void *context);

#endif
