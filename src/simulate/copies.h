/*
 * When copies to slower memory and back run, and how long a run then takes.
 * Each of a set of buffers is written out behind its last use of the forward
 * pass and read back for its first use of the backward pass; its bytes belong
 * to others in between. The modes are those of HeuristicAllocator's swap
 * simulation; docs/swap.md. Times are nanoseconds, so that they are the same
 * anywhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_SIMULATE_COPIES_H
#define MP_SIMULATE_COPIES_H

#include "base/arena.h"
#include "base/num.h"

struct copy {
	uint64_t bytes;
	uint32_t buffer;   /* the caller's */
	uint32_t last_use; /* step, before forward_end */
	uint32_t next_use; /* step, from forward_end on */

	/* What a mode decides. */
	uint32_t out_step; /* its bytes are free behind this step */
	uint32_t in_step;  /* and its own again before this one */
};

struct copies {
	uint32_t n_steps;
	uint32_t forward_end;		/* first step of the backward pass */
	uint64_t write_rate, read_rate; /* bytes a second, at least 1 */
	const uint64_t *cost;		/* nanoseconds of each step */
	uint32_t n;
	struct copy *at; /* in the order in which they are written out */
	uint32_t *in;	 /* their indices, by step of the next use */

	/* Scratch of the modes. */
	uint64_t *read, *write; /* of a step: time of its copies */
	uint64_t *start;	/* of a step: when, if no op ever waits */
	uint64_t *ready;	/* of a step: when its reads are over */
	uint64_t *done;		/* of a write: when it is over */
	uint32_t *begun;	/* of a step: the one that begins its reads */
};

struct copy_mode {
	const char *name;
	const char *summary;
	/* Fills the steps of all copies; returns the time of the whole run. */
	uint64_t (*run)(struct copies *copies);
};

extern const struct copy_mode mp_copy_modes[];
extern const uint32_t mp_n_copy_modes;

/* Makes the scratch, and in from at. */
bool mp_simulate_copies_init(struct copies *copies, struct arena *arena);

#endif
