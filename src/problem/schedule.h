/*
 * A schedule: all that follows from a graph in a given order. That is when each
 * tensor is alive, which bytes of which buffer it has, which op happens before
 * which, and the outcomes of in-place pairs. All else about a tensor or an op
 * is in the graph, which must outlive the schedule. Planners see its problem
 * only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_SCHEDULE_H
#define MP_PROBLEM_SCHEDULE_H

#include "graph/graph.h"
#include "problem/problem.h"

/* The outcome of an in-place pair: the two share bytes, or why they do not.
 * src/lifetime/in-place.c decides it, and reports say it in words. */
enum inplace_verdict {
	INPLACE_SHARED,
	INPLACE_OFF,	    /* the option inplace is off */
	INPLACE_UNEQUAL,    /* sizes differ, and the option asks for equal */
	INPLACE_EXTERNAL,   /* other is the caller's memory */
	INPLACE_EMPTY,	    /* other takes no bytes */
	INPLACE_FIXED,	    /* the input fixes the lifetime of other */
	INPLACE_TIED,	    /* other is tied to tensors besides */
	INPLACE_APART,	    /* other is to be apart from some tensor */
	INPLACE_OFFSETS,    /* the input fixes offsets that differ */
	INPLACE_POOLS,	    /* the pools that may hold the two differ */
	INPLACE_BRANCHES,   /* of two branches of a choice, or one of none */
	INPLACE_KEPT,	    /* the input must outlive the run */
	INPLACE_LOOP,	    /* the next iteration of a loop needs the input */
	INPLACE_READ_LATER, /* the input is read after this op, last by other */
	INPLACE_NEW,	    /* the input is not alive before this op */
	INPLACE_OLD,	    /* the output is alive before this op */
	INPLACE_TAKEN,	    /* other takes over the input already */
	INPLACE_TAKES,	    /* the output takes over other already */
	INPLACE_STREAMS, /* other, on another stream, does not happen before */
	INPLACE_SIZES,	 /* sizes differ, which needs a single stream */
	INPLACE_LEFT,	 /* apart, so that the arena is smaller */
	N_INPLACE,
};

struct inplace_outcome {
	uint32_t op, output, input;
	uint32_t other;	 /* op or tensor that the verdict names, or NONE */
	uint8_t verdict; /* enum inplace_verdict */
};

/* Is the pair a choice: do the two share bytes, or would they, if no other pair
 * did and none was left apart? */
bool mp_schedule_may_share(const struct inplace_outcome *pair);

/* Where the bytes of a tensor are, and when. */
struct stay {
	uint64_t base;	     /* bytes from its buffer's base */
	uint32_t buffer;     /* NONE: takes no bytes in the arena */
	uint32_t start, end; /* alive in steps [start, end); equal if it takes
				over, or is taken over, in its only step */
	bool throughout; /* no other tensor gets its bytes, even between runs */
};

struct schedule {
	const struct graph *graph;
	struct problem problem; /* what planners see of all this */

	const uint32_t *order;	/* the graph's ops in execution order */
	const char *order_name; /* the row that made it */
	bool reordered;		/* order differs from the graph's */
	struct stay *stay;	/* one a tensor; NULL: tensor i is buffer i of a
				   brief problem. See mp_schedule_stay() */

	/* Several streams, else NULL: the position of an op in its stream, from
	 * 1 on; and its vector clock, one entry a stream: how many ops of that
	 * stream happen before it, or are the op itself. */
	const uint32_t *position, *clocks;

	const struct inplace_outcome *inplace; /* of all pairs, as ops run */
	uint32_t n_inplace;
	bool pairs_open; /* with other pairs some load may be less */

	/* A lower bound on the peaks of all orders. */
	struct order_bound order_bound;
	bool order_bound_claimed; /* the plan file says so */

	uint64_t least_peak; /* of an order that was found and has a larger
				plan; 0: none has a lower peak */
};

/* Of any schedule; `stay` is for those of a problem that is not brief. */
static inline struct stay mp_schedule_stay(
	const struct schedule *schedule, uint32_t tensor)
{
	const struct buffer *buffer;

	if (schedule->stay)
		return schedule->stay[tensor];
	buffer = &schedule->problem.buffers[tensor];
	return (struct stay){
		.buffer = tensor, .start = buffer->start, .end = buffer->end};
}

/* Lists stays, parts and loads if the problem is brief. False only if memory is
 * out. */
bool mp_schedule_unfold(struct schedule *schedule, struct arena *arena);

/* Asserts what is true of every schedule: the same of its problem, which refers
 * to this schedule. Each tensor has a lifetime, and a buffer or none; the order
 * has ops of the graph. */
void mp_schedule_assert(const struct schedule *schedule);

/* The op that runs at a step; NULL: none does. */
const struct op *mp_schedule_op(const struct schedule *schedule, uint32_t step);

/* Its name, else its type; NULL: it has neither. */
const char *mp_schedule_op_name(const struct schedule *schedule, uint32_t step);

/* Several streams: does op a happen before op b? */
bool mp_schedule_before(
	const struct schedule *schedule, uint32_t a, uint32_t b);

/* True if the tensor outlives the run, or only a caller may overwrite it. The
 * next run may take another branch, so such a tensor is of no branch. */
bool mp_schedule_outlives(const struct schedule *schedule, uint32_t tensor);

/* Alive throughout and between runs. */
bool mp_schedule_is_kept(const struct schedule *schedule, uint32_t tensor);

/* Of tensors that several graphs keep at one offset the largest, which has the
 * bytes of all of them. Else the tensor itself. */
static inline uint32_t mp_schedule_same_bytes(
	const struct schedule *schedule, uint32_t tensor)
{
	const uint32_t *same_as = schedule->graph->ties.same_as;
	const struct stay *stay = schedule->stay, *one, *two;

	if (!same_as || stay[tensor].buffer == NONE)
		return tensor;
	one = &stay[tensor];
	two = &stay[same_as[tensor]];
	return one->start < two->end && two->start < one->end ? same_as[tensor]
							      : tensor;
}

/* The output lies at the offset of the input and begins where that one ends. */
bool mp_schedule_takes_over(
	const struct schedule *schedule, uint32_t output, uint32_t input);

/* Is the part alive in some step of the stay? A tensor without a step is in the
 * parts of its neighbours in place, which begin or end where it does. */
static inline bool mp_schedule_meets(
	const struct stay *stay, const struct part *part)
{
	if (stay->start == stay->end)
		return stay->start <= part->end && part->start <= stay->end;
	return stay->start < part->end && part->start < stay->end;
}

/* No plan of this order is smaller, whichever in-place pairs are taken; 0:
 * there is no choice. */
uint64_t mp_schedule_pairs_bound(const struct schedule *schedule);

/* Does the tensor need bytes of a part of its buffer at some step? */
static inline bool mp_schedule_needs(const struct schedule *schedule,
	uint32_t tensor, const struct part *part)
{
	const struct stay *stay = &schedule->stay[tensor];
	uint64_t size = schedule->graph->tensors[tensor].size;

	return mp_schedule_meets(stay, part) &&
	       stay->base < part->base + part->size &&
	       part->base < stay->base + size;
}

/* Is the first byte of the tensor in the part? */
static inline bool mp_schedule_begins_in(const struct schedule *schedule,
	uint32_t tensor, const struct part *part)
{
	const struct stay stay = mp_schedule_stay(schedule, tensor);

	return mp_schedule_meets(&stay, part) && part->base <= stay.base &&
	       stay.base - part->base < part->size;
}

/* The tensor of a buffer that reaches farthest; NONE: it is a reserved range.
 */
uint32_t mp_schedule_highest(const struct schedule *schedule, uint32_t buffer);

/* How many tensors lie in a buffer. */
uint32_t mp_schedule_count(const struct schedule *schedule, uint32_t buffer);

/* The first tensor that begins in the part; NONE: it is a reserved range. The
 * part may be one of a subproblem; the buffer is that of the schedule. */
uint32_t mp_schedule_tensor_of(const struct schedule *schedule,
	const struct part *part, uint32_t buffer);

#endif
