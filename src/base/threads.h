/*
 * Several threads at one job. What they run must not depend on which thread
 * runs it or when: so the number of threads never changes a result.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_THREADS_H
#define MP_BASE_THREADS_H

#include <stdint.h>

/* Calls run(context, i) once for every i below n, ascending, on up to that many
 * threads at a time, and waits for all. A thread that cannot be had is done
 * without. */
void mp_team_run(uint32_t threads, uint32_t n,
	void (*run)(void *context, uint32_t i), void *context);

#endif
