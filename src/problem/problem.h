/*
 * A problem: all that a planner sees. Filled by src/lifetime/lifetime.c from a
 * graph and an order, read by planners, simulators, the verifier and, through
 * the plan that points to it, by emitters. It knows no graph and no format.
 *
 * A buffer is what a planner places: a rigid stack of parts. A part is a
 * rectangle: bytes [base, base + size) relative to its buffer, steps
 * [start, end). A plain buffer has one part. Two parts conflict if their
 * lifetimes overlap; conflicting parts of different buffers may not overlap in
 * bytes. All sizes here are rounded up to the alignment already.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_PROBLEM_H
#define MP_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"
#include "graph/members.h"
#include "graph/pool.h"
#include "graph/target.h"
#include "graph/ties.h"
#include "problem/inplace-outcome.h"

#define NO_OFFSET UINT64_MAX

struct part {
	uint64_t base;	     /* bytes from the buffer's base */
	uint64_t size;	     /* bytes, more than 0 */
	uint32_t start, end; /* alive in steps [start, end), start < end */
	uint32_t buffer;
};

struct buffer {
	uint64_t size;	     /* greatest base + size of its parts */
	uint64_t align;	     /* of its offset: a power of two */
	uint64_t offset;     /* fixed by the input, or NO_OFFSET */
	uint32_t start, end; /* hull of its parts' lifetimes */
	uint32_t first_part; /* its parts are neighbours in problem.parts */
	uint32_t n_parts;    /* at least 1 */
};

enum item_kind {
	ITEM_ACTIVATION,
	ITEM_INPUT,
	ITEM_OUTPUT,
	ITEM_WEIGHT,
	ITEM_STATE,
	ITEM_TEMPORARY,
};

/* A tensor as emitters and people see it. */
struct item {
	const char *id;	     /* as the input spells it; NULL: none */
	const char *name;    /* NULL: none */
	const char *row;     /* CSV: the row as read, less its offset */
	uint64_t size;	     /* bytes as the input says, not rounded */
	uint64_t base;	     /* bytes from its buffer's base */
	uint32_t buffer;     /* NONE: takes no bytes (size 0) */
	uint32_t start, end; /* its bytes are its own in steps [start, end) */
	uint32_t producer;   /* op, or NONE */
	uint32_t align;	     /* its own; 0: the problem's serves */
	uint8_t kind;	     /* enum item_kind */
	bool id_is_number;
	bool external;	 /* not in the arena: no buffer */
	bool throughout; /* its bytes are never another's, between runs too */
};

/* An op as emitters and people see it; in input order. */
struct step {
	const char *name;				/* never NULL */
	const char *type;				/* or NULL */
	const uint32_t *inputs, *outputs, *temporaries; /* items */
	const uint32_t *release; /* freed behind it, in this order; may be
				    empty: the input does not say */
	uint32_t n_inputs, n_outputs, n_temporaries, n_release;
	const uint32_t *after; /* ops that this one waits for, all of them */
	uint32_t n_after;
	uint32_t stream;
	uint64_t cost_us;
};

struct problem {
	const char *name;	/* never NULL */
	uint64_t alignment;	/* that sizes were rounded to */
	struct margins margins; /* that were added before */
	uint32_t n_buffers, n_parts, n_steps, n_streams;
	struct buffer *buffers;
	struct part *parts; /* grouped by buffer, buffers ascending */

	/* Several streams (n_streams > 1), else NULL: part i is born at
	 * position born[i] of stream[i] (0: before its first op, at 1) and is
	 * free for stream t from position
	 * free[i * n_streams + t] on. start and end are then envelopes. */
	const uint32_t *stream, *born, *free;

	/* Buffers that never share a byte: those of buffer i are
	 * apart[first_apart[i]] up to apart[first_apart[i + 1]], ascending.
	 * NULL: there are none. */
	const uint32_t *first_apart, *apart;

	/* Of a buffer, or NULL: only one branch of a choice runs, so buffers of
	 * two branches of one choice never conflict. choice NONE: it always
	 * lives. */
	const uint32_t *choice, *branch;
	uint32_t n_choices;

	uint32_t first_reserved; /* the buffers from here on are ranges that
				    the input reserves: they hold no items */
	/* Several memories, else NULL and 0: pool_list[i] of pool_lists are
	 * those that may hold buffer i. Offsets count from the pool's base,
	 * and planners see one pool at a time. */
	const struct memory_pool *pools;
	const struct pool_list *pool_lists;
	uint16_t *pool_list;
	uint32_t n_pools;

	/* What follows from the parts; filled by mp_problem_measure(). */
	uint64_t *load;		  /* bytes alive at each of n_steps steps */
	uint64_t theoretical_min; /* greatest load; with several streams, of
				     all timings: see src/problem/antichain.h */
	uint64_t listed_min;	  /* greatest load in the listed order */
	uint32_t peak_step;	  /* first step that has it */
	uint64_t total_size;	  /* sum of buffer sizes: no reuse */

	const uint32_t *crowd; /* several streams: parts that may all be alive
				  together and weigh theoretical_min */
	uint32_t n_crowd;

	/* For people and emitters. */
	uint32_t n_items, n_ops;
	struct item *items;	/* in input order, then temporaries */
	struct step *ops;	/* in input order */
	const uint32_t *order;	/* n_ops op indices in execution order */
	const char *order_name; /* the row that made it */
	const int64_t *times;	/* n_steps + 1 times; NULL: step k is time k */
	const char *csv_header; /* or NULL */
	bool reordered;		/* order differs from the input's */
	struct bundle bundle;	/* whose items and ops are whose */
	struct ties ties;	/* of items, as the input has them */
	const struct inplace_outcome *inplace; /* of all pairs, as ops run */
	const struct write_wait *waits;	       /* of aliases that write */
	uint32_t n_inplace, n_waits;
	const char *inputs, *outputs; /* names of policies; NULL: the default */

	/* Least peak that any order can have, as far as proved; 0: unknown. */
	uint64_t order_bound;
	const char *order_bound_kind;	 /* cut, set, search; or NULL */
	const uint32_t *order_bound_ops; /* one of these runs last of them */
	uint32_t n_order_bound_ops;
	bool order_bound_first;	    /* or first */
	bool order_bound_inplace;   /* although in-place pairs share bytes */
	bool order_bound_claimed;   /* the plan file says so */
	bool order_bound_confirmed; /* and it was checked */

	/* What a plan file claimed (see graph/graph.h), or NULL and 0. */
	const char *claimed_planner, *claimed_bound_kind;
	uint64_t claimed_bound;
	const struct pool_claim *pool_claims; /* one a pool */
};

/* Fills load, theoretical_min, peak_step and total_size from the parts. */
bool mp_problem_measure(
	struct problem *problem, struct arena *arena, struct error *e);

/* Fills who is to be apart, from n pairs of different buffers; one may be there
 * twice. */
bool mp_problem_keep_apart(struct problem *problem,
	const struct tensor_pair *pairs, uint32_t n, struct arena *arena,
	struct arena *scratch);

/* True if the two buffers are never to share a byte. */
bool mp_problem_apart(const struct problem *problem, uint32_t a, uint32_t b);

/* True if the two buffers are of different branches of one choice. */
bool mp_problem_exclusive(
	const struct problem *problem, uint32_t a, uint32_t b);

/* A flat problem: one part a buffer with base 0, no fixed offset, and every
 * alignment divides every size, so that any stack of buffers is aligned;
 * and lifetimes alone say who is in whose way. */
bool mp_problem_is_flat(const struct problem *problem);

/* A plain problem: flat, and on one stream, so that lifetimes say all. Search
 * works on these. Dive takes flat ones, as if envelopes were lifetimes: a plan
 * of those is a plan, though not every plan is one of those. */
bool mp_problem_is_plain(const struct problem *problem);

/* True if the input fixes the offset of some buffer. */
bool mp_problem_has_fixed(const struct problem *problem);

/* True if it fixes the offsets of all, and there are any. */
bool mp_problem_is_given(const struct problem *problem);

/* True if the parts may not overlap: neither is surely over before the other
 * begins and both may run, or their buffers are to be apart. Exact for one
 * stream and for several. */
bool mp_problem_conflict(const struct problem *problem, uint32_t a, uint32_t b);

/* What an item takes: its size, padded and rounded; 0 if it has none. */
uint64_t mp_problem_item_rounded(
	const struct problem *problem, const struct item *item);

/* True if it outlives the run, or only a caller may overwrite it: it has to be
 * there when another branch runs the next time, and so is of none. */
bool mp_problem_item_outlives(const struct item *item);

/* Alive throughout and between runs. */
bool mp_problem_item_is_kept(
	const struct problem *problem, const struct item *item);

/* The output lies where the input lay and lives from when that one died. */
bool mp_problem_item_takes_over(
	const struct item *output, const struct item *input);

/* True if the buffer is a range that the input reserves. */
bool mp_problem_is_reserved(const struct problem *problem, uint32_t buffer);

/* Its tensor that reaches farthest, or what the reserved range is called. */
const char *mp_problem_label(const struct problem *problem, uint32_t buffer);

/* Name, else id, else "?" of an item. */
const char *mp_problem_item_label(const struct item *item);

/* What plans call a kind (enum item_kind): "activation". */
const char *mp_problem_item_kind(uint32_t kind);

/* The time of a step as the input has it. */
int64_t mp_problem_time(const struct problem *problem, uint32_t step);

#endif
