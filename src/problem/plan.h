/*
 * A plan: an offset for every buffer of a problem, and what was proved of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_PLAN_H
#define MP_PROBLEM_PLAN_H

#include "problem/schedule.h"

/* The easier it is to derive a bound again, the earlier its kind. */
enum bound_kind {
	BOUND_LOAD,   /* the theoretical minimum: the load at peak_step */
	BOUND_PIN,    /* fixed offsets or alignment force it */
	BOUND_CLIQUE, /* tensors of which no two ever share a byte */
	BOUND_SEARCH, /* every smaller arena was refuted by exhausted search */
	BOUND_PROOF,  /* a proof file was replayed */
	N_BOUNDS,
};

struct plan;

/* The bytes of the arena that hold all states. */
struct extent mp_plan_states(const struct plan *plan);

/* One of several memories that a plan takes: a pool, or a block of one. */
struct space {
	const char *name;	  /* "dram"; of a block "dram#0" */
	uint64_t capacity;	  /* bytes; or NO_CAPACITY */
	uint64_t alignment;	  /* of sizes and offsets there */
	uint64_t base_alignment;  /* what its base must be aligned to */
	uint64_t size;		  /* greatest offset + size there */
	uint64_t theoretical_min; /* of what lies there */
	uint64_t lower_bound;	  /* the best that is proved of its size */
	enum bound_kind bound_kind;
	uint64_t bound_steps;	/* BOUND_SEARCH: work that it took to prove */
	uint64_t claimed_bound; /* more than lower_bound: a plan file says so,
				   and nothing shows it; 0: no such claim */
	const char *planner;	/* name of the row that placed it; or NULL */
	struct ids clique;	/* BOUND_CLIQUE: the tensors */
	uint32_t pool;		/* of the problem */
	uint32_t n_buffers;
};

/* The space of each buffer. Spaces are in the order of the pools. */
struct spaces {
	struct space *at; /* n of them; NULL: there is one memory only */
	uint32_t n;
	uint32_t *of; /* a buffer's space */

	/* Buffers that lie elsewhere than in the first pool of their list. */
	uint32_t n_spilled;
	uint64_t spilled; /* bytes of these */
	uint64_t traffic; /* bytes times uses by ops */
};

/* Banks that tensors touch that are used together. */
struct bank_sums {
	uint64_t cost;	  /* of each pair of tensors the banks that both touch,
			     each time that they are used */
	uint64_t bound;	  /* no plan of this order costs less within the
			     capacity, with what lies in which pool; as far as
			     proved */
	uint64_t claimed; /* more than that: a plan file says so, and nothing
			     shows it; 0: no such claim */
	uint64_t n_pairs; /* in one pool with banks, each time again */
	uint64_t n_paid;  /* of these, pairs that share some bank */
};

struct plan {
	const struct problem *problem;	 /* that of the schedule */
	const struct schedule *schedule; /* of which this is a plan */
	uint64_t *offsets;		 /* bytes, one a buffer */
	uint64_t arena_size;  /* greatest offset + size; of several memories
				 the sum */
	uint64_t lower_bound; /* no plan for this order is smaller; of several
				 memories the sum, for what lies where */
	struct spaces spaces; /* where offsets count from, if several */
	enum bound_kind bound_kind;
	uint64_t bound_steps;	/* BOUND_SEARCH: work that it took to prove */
	uint64_t pairs_bound;	/* less than lower_bound: with another choice of
				   in-place pairs a plan may be smaller, but not
				   below this; 0: none is smaller */
	uint64_t claimed_bound; /* more than lower_bound: a plan file says so,
				   and nothing shows it; 0: no such claim */
	uint64_t reuse_cost;	/* of the pairs that share a byte */
	uint32_t n_paid;	/* pairs that share a byte and cost something */
	uint64_t reuse_cost_bound;   /* no plan of this order costs less within
					the capacity, with what lies in which
					pool; as far as proved */
	uint64_t claimed_cost_bound; /* more than that: likewise a claim */
	struct bank_sums banks;	     /* where a pool has some */
	const char *claimed_kind;  /* how the file says that it is known; NULL:
				      it does not */
	struct ids claimed_clique; /* the tensors that the file names for it */
	struct ids clique;	   /* BOUND_CLIQUE: the tensors, of several
				      memories those of all */
	const char *planner;	   /* name of the row that made the offsets */
	bool cut_short; /* by time limit or interrupt: not repeatable */
	double seconds; /* spent planning */
};

/* Greatest offset + size over all buffers. */
uint64_t mp_plan_height(const struct problem *problem, const uint64_t *offsets);

/* The space that a tensor lies in; 0 where it takes no bytes, and where there
 * is one memory only. */
uint32_t mp_plan_space(const struct plan *plan, uint32_t tensor);

/* How many memories the plan takes, and memory i: the spaces, or the arena. */
uint32_t mp_plan_memories(const struct plan *plan);
struct space mp_plan_memory(const struct plan *plan, uint32_t i);

/* Offset of a tensor in the arena or in its space; 0 for one that takes no
 * bytes. */
uint64_t mp_plan_offset(const struct plan *plan, uint32_t tensor);

/* Addresses as if the memories lay end to end: the base of each of the
 * mp_plan_memories(), and the address of each buffer, which is its offset if
 * there is one memory. NULL: out of memory. */
const uint64_t *mp_plan_bases(const struct plan *plan, struct arena *arena);
const uint64_t *mp_plan_addresses(
	const struct plan *plan, const uint64_t *bases, struct arena *arena);

/* What the arena's base must be aligned to, so that every buffer is aligned. */
uint64_t mp_plan_base_alignment(const struct problem *problem);

/* The row that made the offsets; if the input gives them, the row that the
 * input names. */
const char *mp_plan_planner(const struct plan *plan);

/* The bytes that a member of a bundle has while it runs, and those that it
 * keeps between its runs: from the lowest to the highest. In several memories
 * the base is 0 and the size that of all of them. */
void mp_plan_regions(const struct plan *plan, uint32_t member,
	struct extent *shared, struct extent *kept);

/* "load", "pin", "clique", "search" or "proof". */
const char *mp_problem_bound_name(enum bound_kind kind);

/* The kind of that name; N_BOUNDS: there is none. */
enum bound_kind mp_problem_bound_find(const char *name);

/* True if the plan has the size of its proved lower bound. A claim is no proof.
 */
bool mp_plan_is_optimal(const struct plan *plan);

/* Have states of the graph one region, which may need more alignment than each
 * of them? */
bool mp_plan_has_region(const struct plan *plan);

/* May a bound of the plan come from fixed offsets? A plan does not say which
 * offsets its graph fixed. Of one memory some buffer ends at that bound, or
 * states without fixed offsets are one region. */
bool mp_plan_may_be_pinned(const struct plan *plan, uint64_t end);

#endif
