/*
 * A plan: an offset for every buffer of a problem, and what was proved of it.
 * All that an emitter sees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_PLAN_H
#define MP_PROBLEM_PLAN_H

#include "problem/problem.h"

enum bound_kind {
	BOUND_LOAD,   /* the theoretical minimum: who is alive at peak_step */
	BOUND_SEARCH, /* every smaller arena was refuted by exhausted search */
	BOUND_PIN,    /* fixed offsets or alignment force it */
	BOUND_CLAIM,  /* the plan file says so; nobody has checked */
};

struct plan;

/* Bytes [offset, offset + size) of the arena hold all states, which outlive the
 * run. size 0: there are none. */
struct byte_range {
	uint64_t offset, size;
};

struct byte_range mp_plan_states(const struct plan *plan);

/* What one row of the order table gives: see the "show" report. */
struct order_result {
	const char *name;	/* of the row */
	uint64_t peak;		/* theoretical minimum of its order, bytes */
	uint64_t lower_bound;	/* of any order, as far as it proved; or 0 */
	const char *bound_kind; /* cut, set, search; NULL: none */
	uint32_t moved;		/* fewest ops to be put elsewhere */
	double seconds;
};

/* What an online allocator would have used: one row of the simulator table. */
struct simulation {
	const char *name;      /* of the row */
	uint64_t reserved;     /* most bytes held of the device */
	uint64_t in_use;       /* most bytes handed out, with all rounding */
	uint64_t high_water;   /* greatest address handed out, summed over the
				  regions */
	uint64_t free;	       /* of reserved, when most was in use */
	uint64_t largest_free; /* in one piece, of these */
	uint32_t requests;     /* to allocate */
	double seconds;	       /* of CPU that the simulator took */
	uint32_t regions;      /* asked of the device */
	const uint64_t *in_use_at;   /* of each step: most bytes handed out */
	const uint64_t *reserved_at; /* and held; NULL: not asked for */
};

/* What would lower the theoretical minimum: one change of the graph or of its
 * order. Steps are those of the plan. */
enum advice_kind {
	ADVICE_INPLACE,	  /* op writes its output other over its input item */
	ADVICE_MOVE,	  /* op runs at another step, so that item is not alive
			     at the peak */
	ADVICE_RECOMPUTE, /* op runs again, so that item need not wait */
	ADVICE_SWAP,	  /* item waits elsewhere between two uses */
	ADVICE_BATCH,	  /* all but weights and states halve */
	N_ADVICE,
};

struct advice {
	enum advice_kind kind;
	uint32_t op, item, other;
	uint32_t from; /* last step that uses the item before the peak; where
			  the op runs that moves */
	uint32_t to;   /* next step that uses it; before which the op moves or
			  runs again */
	uint64_t peak; /* the theoretical minimum if this alone is done */
};

/* Swapping by one copy mode. */
struct swap_mode {
	const char *name;		      /* of the row */
	uint64_t nanoseconds;		      /* of the run */
	uint64_t theoretical_min;	      /* of the lifetimes that remain */
	uint64_t arena_size;		      /* of a plan of these */
	const char *planner;		      /* that made it */
	const struct simulation *simulations; /* of the same requests */
	uint32_t n_simulations;
};

struct swapping {
	uint32_t forward_end;		/* first step of the backward pass */
	uint32_t n_maps;		/* tensors copied out and back */
	uint64_t bytes;			/* of these, one way */
	uint64_t write_rate, read_rate; /* bytes a second */
	uint64_t nanoseconds;		/* of the ops alone */
	struct swap_mode *modes;
	uint32_t n_modes;
};

/* What was given up for a while to fit a budget. */
struct detour_sums {
	uint64_t budget;
	const char *copy_mode;
	uint32_t n_written, n_read, n_recomputed;
	uint64_t written, read; /* bytes copied */
	uint64_t before, after; /* nanoseconds of the run, without and with */
};

/* Which tensor overwrites which, in numbers: see problem/reuse-edges.h. */
struct reuse_sums {
	uint32_t edges, crossing, hazards;
	bool minimised;	 /* and then: */
	uint32_t before; /* edges of the plan that was found first */
	uint32_t least;	 /* no plan has fewer, as far as known */
};

/* One of several memories that a plan takes: a pool, or a block of one. */
struct space {
	const char *name;	  /* "dram"; of a block "dram#0" */
	uint64_t capacity;	  /* bytes; or NO_CAPACITY */
	uint64_t alignment;	  /* of sizes and offsets there */
	uint64_t base_alignment;  /* what its base must be aligned to */
	uint64_t size;		  /* greatest offset + size there */
	uint64_t theoretical_min; /* of what lies there */
	uint64_t lower_bound;	  /* likewise */
	enum bound_kind bound_kind;
	uint64_t bound_steps; /* BOUND_SEARCH: work that it took to prove */
	const char *planner;  /* name of the row that placed it; or NULL */
	uint32_t pool;	      /* of the problem */
	uint32_t n_buffers;
};

/* Which buffer lies where, in the order of the pools. */
struct spaces {
	struct space *at; /* n of them; NULL: there is one memory only */
	uint32_t n;
	uint32_t *of; /* a buffer's space */

	/* Buffers that lie elsewhere than in the first pool of their list. */
	uint32_t n_spilled;
	uint64_t spilled; /* bytes of these */
	uint64_t traffic; /* bytes times uses by ops */
};

struct plan {
	const struct problem *problem;
	uint64_t *offsets;    /* bytes, one a buffer; NULL in a survey */
	uint64_t arena_size;  /* greatest offset + size; of several memories
				 the sum */
	uint64_t lower_bound; /* no plan for this order is smaller; of several
				 memories the sum, for what lies where */
	struct spaces spaces; /* where offsets count from, if several */
	enum bound_kind bound_kind;
	uint64_t bound_steps; /* BOUND_SEARCH: work that it took to prove */
	const char *planner;  /* name of the row whose offsets these are */
	bool cut_short;	      /* by time limit or interrupt: not repeatable */
	double seconds;	      /* spent planning */
	double read_seconds;  /* spent reading and checking */
	struct order_result *orders; /* a survey's; NULL: none was made */
	uint32_t n_orders;
	uint32_t n_orders_left; /* rows that take too long for this graph */
	const struct simulation *simulations; /* NULL: none were made */
	const struct detour_sums *detours;    /* NULL: no budget was given */
	const struct swapping *swapping;      /* NULL: not simulated */
	struct reuse_sums *reuse;	      /* NULL: not asked for */
	uint32_t n_simulations;
	const struct advice *advice; /* best first; NULL: not asked for */
	uint32_t n_advice;
	uint32_t pair[2]; /* items whose sharing is asked about; equal: none */
};

/* Greatest offset + size over all buffers. */
uint64_t mp_plan_height(const struct problem *problem, const uint64_t *offsets);

/* The space that an item lies in; 0 where it takes no bytes, and where there is
 * one memory only. */
uint32_t mp_plan_space(const struct plan *plan, const struct item *item);

/* How many memories the plan takes, and memory i: the spaces, or the arena. */
uint32_t mp_plan_memories(const struct plan *plan);
struct space mp_plan_memory(const struct plan *plan, uint32_t i);

/* Offset of an item in the arena or in its space; 0 for one that takes no
 * bytes. */
uint64_t mp_plan_offset(const struct plan *plan, const struct item *item);

/* As if the memories lay one behind the other in one range of addresses: where
 * each begins, mp_plan_memories() of them; and the buffers' offsets there,
 * which for one memory are those of the plan. NULL: out of memory. */
const uint64_t *mp_plan_bases(const struct plan *plan, struct arena *arena);
const uint64_t *mp_plan_addresses(
	const struct plan *plan, const uint64_t *bases, struct arena *arena);

/* What the arena's base must be aligned to, so that every offset serves. */
uint64_t mp_plan_base_alignment(const struct problem *problem);

/* The row that made the offsets; for offsets taken as they were, the one that
 * the input says. */
const char *mp_plan_planner(const struct plan *plan);

/* The bytes that a member of a bundle has while it runs, and those that it
 * keeps between its runs: from the lowest to the highest. In several memories
 * the base is 0 and the size that of all of them. */
void mp_plan_regions(const struct plan *plan, uint32_t member,
	struct extent *shared, struct extent *kept);

/* "load", "search", "pin" or "claim". */
const char *mp_problem_bound_name(enum bound_kind kind);

#endif
