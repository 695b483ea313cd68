/*
 * Which buffer lies in which of several pools, and where: the preferred pools
 * are filled, the cheapest buffers leave those that are full, and each pool is
 * planned as a problem of its own by any planner.
 *
 * What costs to leave a preferred pool is bytes times uses. A buffer only ever
 * moves on in its list of pools, so that there is an end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_POOLS_POOLS_H
#define MP_POOLS_POOLS_H

#include "planners/planner.h"

/* Why there is no assignment. */
enum misfit {
	MISFIT_NONE,
	MISFIT_PROVED, /* there is none */
	MISFIT_OPEN,   /* none was found */
};

struct assignment {
	const struct problem *problem;

	/* Plans some of the buffers for one block of memory. False: failed. */
	bool (*plan)(void *context, const struct problem *sub,
		uint64_t capacity, struct job *job);
	void *context;
	struct arena *arena;
	struct error *error;
	uint64_t work; /* comparisons of two parts that are left */

	bool settled; /* rank is final: nobody leaves */

	/* One a buffer. */
	uint64_t *uses; /* by ops; at least 1 */
	uint32_t *rank; /* place of its pool in its list; NONE: none is large
			   enough */
	uint64_t *offsets;

	/* What came out. */
	struct spaces spaces;
	enum misfit misfit;
	char *why; /* a sentence without its place */
	bool cut_short;
};

/* One block of memory and who would lie there: src/pools/fill-block.c. */
struct filling {
	struct assignment *a;
	uint64_t capacity;
	uint64_t alignment;
	bool blocks;	   /* what does not fit has another block */
	uint32_t pool;	   /* of the problem */
	uint32_t *members; /* buffers, ascending */
	uint32_t n;
	bool *stays;	   /* one a member */
	uint64_t *offsets; /* likewise; of those that stay */
	bool fits;
	struct space space;
};

/* Fills what came out; the arrays of one a buffer are made too. False: failed;
 * that there is no assignment is no failure but a misfit. */
bool mp_pools_assign(struct assignment *a);

/* Uses of every buffer by the ops. */
bool mp_pools_assign_uses(struct assignment *a);

/* Chooses who stays, and where. */
bool mp_pools_fill(struct filling *f, struct arena *scratch);

/* Lets members leave until at no step more of those that stay is alive than the
 * block has, as far as they may: src/pools/evict.c. */
bool mp_pools_fill_sweep(struct filling *f, struct arena *scratch);

/* There is another place for it. */
bool mp_pools_fill_may_leave(const struct filling *f, uint32_t member);

/* The next place, from this one on, in a buffer's list of a pool that is large
 * enough for it; NONE. */
uint32_t mp_pools_assign_next(
	const struct assignment *a, uint32_t buffer, uint32_t rank);

/* The pool of that place. */
uint32_t mp_pools_assign_pool(
	const struct assignment *a, uint32_t buffer, uint32_t rank);

/* Looks for reasons that there is no assignment at all: before one is sought,
 * and, with planners, when none was found. False: failed. */
bool mp_pools_misfit_loads(struct assignment *a);
bool mp_pools_misfit_forced(struct assignment *a);

/* Tries all assignments where there are few, finds one or proves that there is
 * none; leaves the misfit as it is where that is too much. */
bool mp_pools_misfit_exhaust(struct assignment *a);

/* What one block of a pool has, and what a buffer takes there. */
uint64_t mp_pools_room(const struct memory_pool *pool);
uint64_t mp_pools_size(const struct problem *problem,
	const struct memory_pool *pool, uint32_t buffer);

#endif
