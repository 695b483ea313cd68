/*
 * Results of the commands, beside a plan: all that an emitter sees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_RESULTS_H
#define MP_PROBLEM_RESULTS_H

#include "problem/plan.h"

/* The result of one row of the order table: see the "show" report. */
struct order_result {
	const char *name;	/* of the row */
	uint64_t peak;		/* theoretical minimum of its order, bytes */
	uint64_t lower_bound;	/* of any order, as far as it proved; or 0 */
	const char *bound_kind; /* cut, set, few, search; NULL: none */
	uint32_t moved;		/* fewest ops to be put elsewhere */
	double seconds;
};

/* The memory that an online allocator would have taken: one row of the
 * simulator table. */
struct simulation {
	const char *name;      /* of the row */
	uint64_t reserved;     /* most bytes held of the device */
	uint64_t in_use;       /* most bytes handed out, with all rounding */
	uint64_t high_water;   /* greatest address handed out, summed over the
				  regions */
	uint64_t free;	       /* of reserved, when most was in use */
	uint64_t largest_free; /* in one piece, of these */
	uint32_t requests;     /* to allocate */
	uint64_t refused;    /* bytes of the request that it had no room for; 0:
				it served all */
	uint32_t refused_at; /* step of that request */
	double seconds;	     /* of CPU that the simulator took */
	uint32_t regions;    /* asked of the device */
	const uint64_t *in_use_at;   /* of each step: most bytes handed out */
	const uint64_t *reserved_at; /* and held; NULL: not asked for */
};

/* One change of the graph or of its order that would lower the theoretical
 * minimum. Steps are those of the plan. */
enum advice_kind {
	ADVICE_INPLACE, /* op writes its output other over its input */
	ADVICE_MOVE, /* op runs at another step, so that the tensor is not alive
			at the peak */
	ADVICE_RECOMPUTE, /* op runs again, so that the tensor need not wait */
	ADVICE_SWAP,	  /* a tensor waits elsewhere between two uses */
	ADVICE_BATCH,	  /* all but weights and states halve */
	N_ADVICE,
};

struct advice {
	enum advice_kind kind;
	uint32_t op, tensor, other;
	uint32_t from; /* last step that uses the tensor before the peak; where
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

/* The detours that were made to fit a budget. */
struct detour_sums {
	uint64_t budget;
	const char *copy_mode;
	uint32_t n_written, n_read, n_recomputed;
	uint64_t written, read; /* bytes copied */
	uint64_t before, after; /* nanoseconds of the run, without and with */
};

/* Counts of reuse edges: see src/problem/reuse-edges.h. */
struct reuse_sums {
	uint32_t edges, crossing, hazards;
	bool minimised;	 /* only then: */
	uint32_t before; /* edges of the plan that was found first */
	uint32_t least;	 /* no plan has fewer, as far as known */
};

/* What became of the tensors of an older plan that this one is near to. Sizes
 * are bytes; moved: at another offset or in another pool. */
struct near_sums {
	const char *plan; /* the name of the older one */
	uint32_t n_kept, n_moved;
	uint32_t n_new; /* tensors that it has not, or with another size */
	uint64_t kept, moved;
	uint32_t n_anew;     /* the plan that was found first would move so */
	uint64_t anew;	     /* many, of so many bytes, */
	uint64_t anew_arena; /* in an arena of this size */
};

/* What plans take with an in-place pair that was not taken, in bytes. */
struct pair_price {
	uint32_t pair;	/* as the schedule lists it */
	uint64_t least; /* every plan with it takes as much */
	uint64_t arena; /* one that was found takes so much */
};

struct pair_prices {
	const struct schedule *schedule; /* of the plan: the pairs it takes */
	uint64_t arena;			 /* of the plan */
	const struct pair_price *at;	 /* most promising first */
	uint32_t n;
	uint32_t n_unpriced; /* pairs that may be taken too */
};

/* Tensors that have one offset in several graphs. */
struct same_sums {
	uint32_t n_sets, n_tensors;
	uint64_t arena_apart; /* if each had its own; UINT64_MAX: none was found
			       */
};

struct results {
	const struct schedule *schedule; /* that was planned or surveyed */
	const struct plan *plan; /* NULL: a survey, which plans nothing */
	double read_seconds;	 /* spent reading and checking */
	bool confirmed; /* the claimed bound of all orders was checked */
	bool replayed;	/* by the proof file */

	struct order_result *orders; /* a survey's; NULL: none was made */
	uint32_t n_orders;
	uint32_t n_orders_left; /* rows that take too long for this graph */
	const struct simulation *simulations; /* NULL: none were made */
	uint32_t n_simulations;
	const struct detour_sums *detours; /* NULL: no budget was given */
	const struct swapping *swapping;   /* NULL: not simulated */
	struct reuse_sums *reuse;	   /* NULL: not asked for */
	const struct near_sums *near;	   /* NULL: not asked for */
	const struct pair_prices *prices;  /* NULL: not asked for, or no choice
					    */
	const struct same_sums *same;	   /* NULL: not asked for */
	const struct advice *advice;	   /* best first; NULL: not asked for */
	uint32_t n_advice;
	uint32_t pair[2]; /* the two tensors to explain; equal: none */
};

#endif
