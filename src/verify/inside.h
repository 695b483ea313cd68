/*
 * Declarations for the files of the verifier only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_INSIDE_H
#define MP_VERIFY_INSIDE_H

#include "problem/plan.h"

/* One run of the verifier. */
struct check {
	const struct problem *problem;
	const uint64_t *offsets;     /* NO_OFFSET: not placed yet */
	const struct spaces *spaces; /* several memories, else NULL */
	const uint64_t *base;	     /* of a space, if all are placed end to
					end; or NULL */
	enum memplan_status code;
	struct error *error;
};

/* A part of a buffer that has an offset. */
struct placed {
	uint64_t low, high; /* bytes [low, high) of the arena, or of all spaces
			       end to end */
	uint32_t part;
};

struct placed mp_verify_placed(const struct check *check, uint32_t part);

/* The name of the first tensor in a buffer. Slow: for messages. */
const char *mp_verify_name(const struct check *check, uint32_t buffer);

/* True if both parts may be alive at one time. */
bool mp_verify_conflict(const struct problem *problem, uint32_t a, uint32_t b);

/* ------------------------------------------------------------ below */

/* True if no run has both buffers: of the branches around the two, those at one
 * depth are of one choice and not the same. The problem has choices. */
bool mp_verify_exclusive(const struct problem *problem, uint32_t a, uint32_t b);

/* Parts that may reach above the next one, in ascending order of address, a
 * block of them after the other. */
struct below_block {
	uint32_t *parts, n;
	uint32_t choice;      /* all of them are in branches of it; NONE: no */
	uint32_t first, last; /* these branches */
};

struct verify_below {
	struct below_block *blocks;
	uint32_t n_blocks;
	uint32_t *room; /* for the blocks to come */
};

/* Room for n parts. */
bool mp_verify_below(
	struct verify_below *below, uint32_t n, struct arena *scratch);
void mp_verify_below_add(struct verify_below *below,
	const struct problem *problem, uint32_t part);

/* True if no run has the part and one of the block, as the branches of the
 * block show. */
bool mp_verify_are_exclusive(const struct problem *problem,
	const struct below_block *block, uint32_t part);

/* ------------------------------------------------- several memories */

/* True if a buffer lies in a pool that may hold it and has room for it. */
bool mp_verify_space(const struct check *check, uint32_t buffer);

/* Lays the spaces end to end: fills base. False: a pool is too small. */
bool mp_verify_lay_out(struct check *check, struct arena *scratch);

/* Fills the spaces of a problem in which no pool has several blocks: each pool
 * is one, and each buffer is in the first pool of its list. */
bool mp_verify_pools(const struct problem *problem, struct spaces *spaces,
	struct arena *scratch);

/* ---------------------------------------------------------- holders */

/* One stream, no branches: says if no two parts that are placed overlap. If not
 * apart, some do, or it would take too long to know. False: memory is out. */
bool mp_verify_holders(
	const struct check *check, bool *apart, struct arena *scratch);

/* ---------------------------------------------------------- skyline */

/* The skyline of the verifier: the greatest top over a range of births. It is
 * not the skyline of the planners, so that it shares none of their mistakes.
 *
 * A segment tree over births, of greatest tops. Tops only grow, so that nothing
 * is ever pushed down to the children. */
struct verify_skyline {
	uint64_t *highest; /* of a node: greatest top in its range */
	uint64_t *cover;   /* of a node: top laid over its whole range */
	uint32_t leaves;   /* a power of two */
	uint32_t *births;  /* of a step: steps with a birth before it */
};

/* Makes an empty skyline over the births of a problem. */
bool mp_verify_skyline(struct verify_skyline *skyline,
	const struct problem *problem, struct arena *arena);

/* The greatest top over births [start, end), which is not empty. */
uint64_t mp_verify_top(
	const struct verify_skyline *skyline, uint32_t start, uint32_t end);

/* Raises the tops over them to this one, where they are lower. */
void mp_verify_raise(struct verify_skyline *skyline, uint32_t start,
	uint32_t end, uint64_t top);

/* ---------------------------------------------------------- cliques */

/* A tensor or a reserved range: bytes of a buffer that move together. */
struct block {
	uint64_t base; /* in its buffer; of a reserved range in its memory */
	uint64_t align;
	uint64_t size; /* as its memory rounds it */
	uint64_t held; /* as the problem has it */
	uint32_t buffer;
	uint32_t part;	    /* which these bytes are, of the buffer */
	uint32_t tensor;    /* NONE: a reserved range */
	uint64_t low, high; /* the tensor's own bytes, from the buffer's base */
	bool counted; /* its bytes are those of an earlier tensor's part */
};

struct verified_clique;

/* Looks for two of the blocks that may share bytes, names them and sets share;
 * and marks blocks of which the part is counted already. False: memory is out.
 */
bool mp_verify_sharing(const struct problem *problem, struct block *blocks,
	uint32_t n, struct verified_clique *clique, bool *share,
	struct arena *scratch);

#endif
