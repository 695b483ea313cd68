/*
 * A schedule: what the lifetime stage found out about a graph whose ops run in
 * a given order. It owns every such fact: when each tensor's bytes are its own,
 * which bytes of which buffer they are, what surely happens before what, and
 * what became of in-place pairs. All else about a tensor or an op is in the
 * graph, which must outlive the schedule. Planners see its problem only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_SCHEDULE_H
#define MP_PROBLEM_SCHEDULE_H

#include "graph/graph.h"
#include "problem/inplace-outcome.h"
#include "problem/problem.h"

/* Where the bytes of a tensor are, and when. */
struct stay {
	uint64_t base;	     /* bytes from its buffer's base */
	uint32_t buffer;     /* NONE: takes no bytes in the arena */
	uint32_t start, end; /* its bytes are its own in steps [start, end) */
	bool throughout; /* its bytes are never another's, between runs too */
};

struct schedule {
	const struct graph *graph;
	struct problem problem; /* what planners see of all this */

	const uint32_t *order;	/* the graph's ops in execution order */
	const char *order_name; /* the row that made it */
	bool reordered;		/* order differs from the graph's */
	struct stay *stay;	/* one a tensor */

	/* Several streams, else NULL: the position of an op in its stream, from
	 * 1 on; and its vector clock, one entry a stream: how many ops of that
	 * stream are surely over, or are the op itself, when it runs. */
	const uint32_t *position, *clocks;

	const struct inplace_outcome *inplace; /* of all pairs, as ops run */
	uint32_t n_inplace;

	/* What is known of the peaks of all orders. */
	struct order_bound order_bound;
	bool order_bound_claimed; /* the plan file says so */
};

/* The op that runs at a step; NULL: none does. */
const struct op *mp_schedule_op(const struct schedule *schedule, uint32_t step);

/* Its name, else its type; NULL: it has neither. */
const char *mp_schedule_op_name(const struct schedule *schedule, uint32_t step);

/* Several streams: does op a surely end before op b begins? */
bool mp_schedule_before(
	const struct schedule *schedule, uint32_t a, uint32_t b);

/* True if it outlives the run, or only a caller may overwrite it: it has to be
 * there when another branch runs the next time, and so is of none. */
bool mp_schedule_outlives(const struct schedule *schedule, uint32_t tensor);

/* Alive throughout and between runs. */
bool mp_schedule_is_kept(const struct schedule *schedule, uint32_t tensor);

/* The output lies where the input lay and lives from when that one died. */
bool mp_schedule_takes_over(
	const struct schedule *schedule, uint32_t output, uint32_t input);

/* Does the tensor need bytes of a part of its buffer, at some step of both? */
static inline bool mp_schedule_needs(const struct schedule *schedule,
	uint32_t tensor, const struct part *part)
{
	const struct stay *stay = &schedule->stay[tensor];
	uint64_t size = schedule->graph->tensors[tensor].size;

	return stay->start < part->end && part->start < stay->end &&
	       stay->base < part->base + part->size &&
	       part->base < stay->base + size;
}

/* Does it begin there: is its first byte in the part? */
static inline bool mp_schedule_begins_in(const struct schedule *schedule,
	uint32_t tensor, const struct part *part)
{
	const struct stay *stay = &schedule->stay[tensor];

	return stay->start < part->end && part->start < stay->end &&
	       part->base <= stay->base && stay->base - part->base < part->size;
}

/* The tensor of a buffer that reaches farthest; NONE: it is a reserved range.
 */
uint32_t mp_schedule_highest(const struct schedule *schedule, uint32_t buffer);

/* How many tensors lie in a buffer. */
uint32_t mp_schedule_count(const struct schedule *schedule, uint32_t buffer);

/* The first tensor whose bytes are in the part, which may be one of a
 * subproblem but for its buffer; NONE: it is a reserved range. */
uint32_t mp_schedule_tensor_of(const struct schedule *schedule,
	const struct part *part, uint32_t buffer);

#endif
