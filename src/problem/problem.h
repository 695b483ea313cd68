/*
 * A problem: all that a planner sees. Filled by src/lifetime/lifetime.c as part
 * of a schedule, read by planners, pools, the verifier and, through the
 * schedule, by emitters. It knows buffers and parts, no tensors and no ops.
 *
 * A buffer is what a planner places: a rigid stack of parts. A part is a
 * rectangle: bytes [base, base + size) relative to its buffer, steps
 * [start, end). A plain buffer has one part. Two parts conflict if their
 * lifetimes overlap; conflicting parts of different buffers may not overlap in
 * bytes. All sizes here are rounded up to the alignment already.
 *
 * A brief problem lists neither parts nor loads: each of its buffers is one
 * part. It is for a planner of very many buffers, and for the verifier;
 * mp_schedule_unfold() makes it whole.
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
#include "graph/pool.h"
#include "graph/target.h"
#include "graph/ties.h"

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

/* Two buffers in which two tensors lie that had better not share a byte. They
 * do unless the base of b is `below` or more above that of a, or `above` or
 * more below it. That costs so much, once, if both lie in one memory. Of banks
 * it costs so much for each bank that both tensors touch. */
struct costly_pair {
	uint32_t a, b; /* buffers, a < b; of banks they may be the same */
	int64_t below, above; /* bytes, at most NUM_MAX_BYTES either way */
	uint64_t cost;
	struct extent of_a, of_b; /* banks: the bytes of the tensors from the
				     bases of their buffers on */
};

struct schedule;

struct problem {
	const char *name;	/* never NULL */
	uint64_t alignment;	/* that sizes were rounded to */
	struct margins margins; /* that were added before */
	uint32_t n_buffers, n_parts, n_steps, n_streams;
	struct buffer *buffers;
	struct part *parts; /* grouped by buffer, buffers ascending; NULL: the
			       problem is brief */

	/* Several streams (n_streams > 1), else NULL: part i is born at
	 * position born[i] of stream[i] (0: before its first op, which is at
	 * 1) and is free for stream t from position free[i * n_streams + t] on.
	 * start and end are then envelopes. */
	const uint32_t *stream, *born, *free;

	/* Buffers that never share a byte: those of buffer i are
	 * apart[first_apart[i]] up to apart[first_apart[i + 1]], ascending.
	 * NULL: there are none. */
	const uint32_t *first_apart, *apart;

	/* What it costs if two buffers share bytes that count; if the problem
	 * has banks, banks. */
	const struct costly_pair *costs;
	uint32_t n_costs;
	struct banks banks;

	/* The costs of the same problem with the banks of its pool. */
	const struct costly_pair *bank_costs;
	uint32_t n_bank_costs;

	/* Of a buffer, or NULL: only one branch of a choice runs, so buffers of
	 * two branches of one choice never conflict. choice NONE: the buffer is
	 * of no branch. */
	const uint32_t *choice, *branch;
	uint32_t n_choices;
	const struct choice_site *sites; /* of a choice: the branch that it
					    stands in; NULL: all in none */

	uint32_t first_reserved; /* the buffers from here on are reserved
				    ranges: no tensor lies in them */
	uint32_t n_reserved;
	/* Several memories, else NULL and 0: pool_list[i] of pool_lists are
	 * those that may hold buffer i. Offsets count from the pool's base,
	 * and planners see one pool at a time. */
	const struct memory_pool *pools;
	const struct pool_list *pool_lists;
	uint16_t *pool_list;
	uint32_t n_pools;

	/* Filled by mp_problem_measure() from the parts. */
	uint64_t *load;		  /* bytes alive at each of n_steps steps; NULL:
				     the problem is brief */
	uint64_t theoretical_min; /* greatest load; with several streams, of
				     all timings: see src/problem/antichain.c */
	uint64_t listed_min;	  /* greatest load in the listed order */
	uint32_t peak_step;	  /* first step that has it */
	uint64_t total_size;	  /* sum of buffer sizes: no reuse */

	const uint32_t
		*antichain; /* several streams: parts that may all be
			       alive together and weigh theoretical_min */
	uint32_t n_antichain;

	/* For messages. */
	const int64_t *times; /* n_steps + 1 times; NULL: step k is time k */
	const struct schedule *schedule; /* names its buffers; NULL: nameless.
					    Planners do not look into it */
	const uint32_t *whole; /* of a subproblem's buffer: that of the
				  schedule. NULL: they are the same */

	const char *claimed_planner; /* what a plan file says made it; or NULL
				      */
};

static inline struct part mp_problem_part(
	const struct problem *problem, uint32_t i)
{
	const struct buffer *buffer = &problem->buffers[i];

	return problem->parts ? problem->parts[i]
			      : (struct part){.size = buffer->size,
					.start = buffer->start,
					.end = buffer->end,
					.buffer = i};
}

/* Fills theoretical_min, peak_step and total_size from the parts, and load if
 * the problem is not brief. */
bool mp_problem_measure(
	struct problem *problem, struct arena *arena, struct error *e);

/* Lists parts and loads if the problem is brief: for mp_schedule_unfold().
 * False only if memory is out. */
bool mp_problem_unfold(struct problem *problem, struct arena *arena);

/* Asserts what is true of every problem, for the code that makes one: parts are
 * grouped by buffer and lie within its bytes and its steps, which lie within
 * those of the problem; reserved ranges are the last buffers. A build without
 * assertions checks nothing. */
void mp_problem_assert(const struct problem *problem);

/* Fills which buffers are to be apart, from n pairs of different buffers, which
 * may repeat. */
bool mp_problem_keep_apart(struct problem *problem,
	const struct tensor_pair *pairs, uint32_t n, struct arena *arena,
	struct arena *scratch);

/* Keeps buffers of a problem apart that are apart in another one: at says which
 * of its buffers a buffer of the other one is in; NONE: it is left out. */
bool mp_problem_take_apart(struct problem *to, const struct problem *from,
	const uint32_t *at, struct arena *arena, struct arena *scratch);

/* A copy of the problem, in which the buffers of the pairs of its costs that
 * are marked are apart too. */
bool mp_problem_fence(const struct problem *problem, const bool *pairs,
	struct problem *fenced, struct arena *arena, struct arena *scratch);

/* True if the two buffers are never to share a byte. */
bool mp_problem_apart(const struct problem *problem, uint32_t a, uint32_t b);

/* True if the pair shares bytes that count, with bases of one memory. */
static inline bool mp_problem_is_paid(
	const struct costly_pair *pair, uint64_t base_a, uint64_t base_b)
{
	int64_t difference = (int64_t)base_b - (int64_t)base_a;

	return difference < pair->below && -difference < pair->above;
}

/* How many banks both touch; neither is empty. */
uint64_t mp_problem_shared_banks(
	const struct banks *banks, struct extent a, struct extent b);

/* What the pair costs with these bases. */
uint64_t mp_problem_pair_cost(const struct problem *problem,
	const struct costly_pair *pair, uint64_t base_a, uint64_t base_b);

/* A copy of the problem, with the costs of these banks instead of its own. */
struct problem mp_problem_with_banks(
	const struct problem *problem, struct banks banks);

static inline struct choice_site mp_problem_site(
	const struct problem *problem, uint32_t choice)
{
	return problem->sites ? problem->sites[choice]
			      : (struct choice_site){NONE, 0};
}

/* True if no run has both buffers: somewhere above they are of different
 * branches of one choice. The problem has choices. */
bool mp_problem_exclusive(
	const struct problem *problem, uint32_t a, uint32_t b);

/* The innermost branch that both branches are, or stand in. */
struct choice_site mp_problem_common(const struct problem *problem,
	struct choice_site x, struct choice_site y);

/* A flat problem: one part a buffer with base 0, no fixed offset, and every
 * alignment divides every size, so that any stack of buffers is aligned; no
 * buffers to be apart and no choices. */
bool mp_problem_is_flat(const struct problem *problem);

/* A plain problem: flat, and of one stream, so that two parts conflict if their
 * lifetimes overlap. The planner search takes these. The planner dive takes
 * flat problems and treats envelopes as lifetimes: its plans are plans, but not
 * every plan is one of them. */
bool mp_problem_is_plain(const struct problem *problem);

/* True if some buffer has an alignment of its own, and none has several parts.
 */
bool mp_problem_is_aligned(const struct problem *problem);

/* True if the input fixes the offset of some buffer. */
bool mp_problem_has_fixed(const struct problem *problem);

/* True if the input fixes the offsets of all buffers, and there are any. */
bool mp_problem_is_given(const struct problem *problem);

/* True if the input fixes the offsets of all buffers, in all memories: then it
 * is a plan, and its offsets are no reason for one. */
bool mp_problem_is_plan(const struct problem *problem);

/* True if the parts may not overlap in bytes: both may be alive at one time, or
 * their buffers are to be apart. Exact for one stream and for several. */
bool mp_problem_conflict(const struct problem *problem, uint32_t a, uint32_t b);

/* True if the buffer has the same bytes before a gap and behind it. */
bool mp_problem_has_gap(const struct problem *problem, uint32_t buffer);

/* True if the buffer is a range that the input reserves. */
bool mp_problem_is_reserved(const struct problem *problem, uint32_t buffer);

/* The buffer as the schedule numbers it. */
uint32_t mp_problem_whole(const struct problem *problem, uint32_t buffer);

/* Of each buffer of the schedule, the one of the problem; NONE: it has it not.
 * NULL: no memory. */
uint32_t *mp_problem_places(const struct problem *problem, struct arena *arena);

/* The name of the tensor that reaches farthest, or of the reserved range. */
const char *mp_problem_label(const struct problem *problem, uint32_t buffer);

/* The first tensor in the part; NONE: it is a reserved range, or not known. */
uint32_t mp_problem_part_tensor(const struct problem *problem, uint32_t part);

/* The name of that tensor, or of the reserved range. */
const char *mp_problem_part_label(const struct problem *problem, uint32_t part);

/* True if several tensors lie in the buffer. */
bool mp_problem_is_shared(const struct problem *problem, uint32_t buffer);

/* The time of a step as the input has it; and what it is called: "step", or
 * "time" where the input has times of its own. */
int64_t mp_problem_time(const struct problem *problem, uint32_t step);
const char *mp_problem_axis(const struct problem *problem);

/* ------------------------------------------------------ subproblems */

/* The bytes that a part takes in a memory of that alignment: up to the next
 * multiple, or to the next part of its buffer. */
uint64_t mp_problem_subproblem_size(
	const struct problem *problem, uint32_t part, uint64_t alignment);

/* Fills sub with those n buffers, ascending, rounded up to an alignment that is
 * at least the problem's. Buffer i of sub is buffers[i] of the problem. */
bool mp_problem_subproblem(const struct problem *problem,
	const uint32_t *buffers, uint32_t n, uint64_t alignment,
	struct problem *sub, struct arena *arena, struct error *e);

/* ----------------------------------------------------- many timings */

/* Is theoretical_min that of all timings? With choices it is the load of the
 * listed order, as no antichain weighs it. */
static inline bool mp_problem_over_timings(const struct problem *problem)
{
	return problem->n_streams > 1 && !problem->choice;
}

/* The theoretical minimum over all timings: the weight of the heaviest
 * antichain, a set of parts of which any two may be alive together. It is
 * exact. Fills theoretical_min and antichain, the parts that weigh as much, of
 * a problem with several streams. */
bool mp_problem_antichain(struct problem *problem, struct arena *arena);

/* Takes both from another problem if its parts are of the same sizes and
 * conflict in the same way. That is so of all orders of a graph, as each stream
 * has its own. */
bool mp_problem_share_antichain(
	struct problem *problem, const struct problem *other);

/* -------------------------------------------------------- witnesses */

/* A few tensors that show why no plan fits. Writes a reason as ": ..." to put
 * behind a sentence; an empty text if no few tensors show one. */
void mp_problem_witness(const struct schedule *schedule, uint64_t capacity,
	char *text, size_t length);

/* ", with what it is tied to," for a buffer with several tensors, else an empty
 * text: to put behind the name of one. */
const char *mp_problem_witness_ties(
	const struct problem *problem, uint32_t buffer);

#endif
