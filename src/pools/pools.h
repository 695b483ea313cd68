/*
 * Assigns buffers to several pools, and offsets within each pool. Every buffer
 * begins in its preferred pool. If a pool is too small, the buffers of the
 * least cost leave it for the next pool of their lists. Any planner then plans
 * each pool as a problem of its own.
 *
 * The cost of leaving a preferred pool is bytes times uses. A buffer only ever
 * moves on in its list of pools, so that the assignment ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_POOLS_POOLS_H
#define MP_POOLS_POOLS_H

#include "planners/planner.h"

/* Says why there is no assignment. */
enum misfit {
	MISFIT_NONE,
	MISFIT_PROVED, /* proved: there is none */
	MISFIT_OPEN,   /* open: none was found */
};

struct assignment {
	const struct problem *problem;

	/* Plans some of the buffers for one block of memory. False: failed. */
	bool (*plan)(void *context, const struct problem *sub,
		uint64_t capacity, struct job *job);
	void *context;
	struct arena *arena;
	struct error *error;
	uint64_t work; /* work left, in comparisons of two parts */

	bool settled; /* rank is final: no buffer leaves its pool */
	bool tight;   /* pools are to be as small as they get */

	/* One a buffer. */
	uint64_t *uses; /* by ops; at least 1 */
	uint32_t *rank; /* of its pool in its list; NONE: no pool is large
			   enough */
	uint64_t *offsets;

	/* The results. */
	struct spaces spaces;
	enum misfit misfit;
	char *why; /* a sentence, without the name of the input */
	bool cut_short;
};

/* One block of memory and the buffers that may lie there: fill-block.c. */
struct filling {
	struct assignment *a;
	uint64_t capacity;
	uint64_t alignment;
	bool blocks;	   /* buffers that do not fit go to another block */
	uint32_t pool;	   /* of the problem */
	uint32_t *members; /* buffers, ascending */
	uint32_t n;
	bool *stays;	   /* one a member */
	uint64_t *offsets; /* one a member; valid for those that stay */
	bool fits;
	struct space space;
};

/* Makes the arrays with one element a buffer and fills the results. False:
 * memory is out or a planner failed. If there is no assignment, that is a
 * misfit, not a failure. */
bool mp_pools_assign(struct assignment *a);

/* Chooses the members that stay, and their offsets. */
bool mp_pools_fill(struct filling *f, struct arena *scratch);

/* Lets members leave until the load of those that stay is within the capacity
 * of the block at every step, as far as they may leave. */
bool mp_pools_evict(struct filling *f, struct arena *scratch);

/* True if a member may leave: there is another block or pool for it. */
bool mp_pools_fill_may_leave(const struct filling *f, uint32_t member);

/* The next rank, from this one on, of a pool in the list of a buffer that is
 * large enough for it; NONE: there is none. */
uint32_t mp_pools_assign_next(
	const struct assignment *a, uint32_t buffer, uint32_t rank);

/* The pool of that rank. */
uint32_t mp_pools_assign_pool(
	const struct assignment *a, uint32_t buffer, uint32_t rank);

/* Looks for proofs that there is no assignment: by loads before the assignment,
 * by planners after it found none. False: failed. */
bool mp_pools_misfit_loads(struct assignment *a);
bool mp_pools_misfit_forced(struct assignment *a);

/* If there are few buffers, tries all assignments: finds one or proves that
 * there is none. Else leaves the misfit as it is. */
bool mp_pools_try_all(struct assignment *a);

/* The bytes that a buffer takes in a pool. */
uint64_t mp_pools_size(const struct problem *problem,
	const struct memory_pool *pool, uint32_t buffer);

#endif
