/*
 * A crew: processes that work beside each other, each on one item. What one
 * does to itself, a crash or too much memory, costs its item only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_CREW_H
#define MP_CLI_CREW_H

#include "base/arena.h"

enum {
	CREW_MOST = 1024, /* processes */
};

struct crew {
	struct worker *workers;
	struct worker *
		*waited; /* scratch, as is the next: those that are busy */
	struct pollfd *polled;
	uint32_t n, n_busy;
	struct arena *arena;
};

/* How a process ended. */
struct crew_end {
	uint64_t item;
	int status;	  /* what the work returned; -N: by signal N */
	const char *said; /* on stderr; until the next call */
};

/* A crew of n, from 1 to CREW_MOST; end it. */
bool cli_crew_begin(struct crew *crew, uint32_t n, struct arena *arena);

/* Begins a process that runs the work and ends with the status, from 0 to 127,
 * that it returns. One of the crew is not busy. False: the system has no more
 * processes; prints why. */
bool cli_crew_start(struct crew *crew, uint64_t item,
	int (*work)(void *context, uint64_t item), void *context);

/* Waits until a process ends, at most for that many milliseconds; -1: for ever.
 * False: none has. */
bool cli_crew_wait(struct crew *crew, int milliseconds, struct crew_end *end);

/* Ends all processes at once, and frees what they said. */
void cli_crew_end(struct crew *crew);

#endif
