/*
 * The memory assigners of Ascend's graph engine (GE), for comparison. Level 1,
 * segregated free lists: every tensor takes a free block of its size class or a
 * new one; blocks are never split. Level 2, nesting: a block is placed within a
 * larger one if their tensors live at different times.
 *
 * The units are the buffers of the problem. A buffer of several parts is taken
 * whole, from its first step to its last, and envelopes stand for lifetimes on
 * several streams. So the plans are valid on any problem without fixed offsets
 * and without pairs apart.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PEERS_ASCEND_H
#define MP_PLANNERS_PEERS_ASCEND_H

#include "planners/planner.h"
#include "problem/buffer-uses.h"

/* Rules for the size classes. */
enum ascend_classes {
	CLASSES_MAX,   /* one class: the largest size */
	CLASSES_2020,  /* ranges: powers of two from the smallest, thinned */
	CLASSES_2026,  /* ranges: halves from the largest, thinned */
	CLASSES_EXACT, /* every size is its own class */
};

/* Rules for nesting blocks. */
enum ascend_nesting {
	NEST_NOT,
	NEST_UNSORTED,	 /* in order of creation, whole, one level deep */
	NEST_ASCENDING,	 /* large, few members, early first */
	NEST_DESCENDING, /* large, late first */
};

struct block {
	uint64_t class_size;
	uint64_t size;	      /* of the largest member, rounded */
	uint64_t filled;      /* bytes given to children */
	uint64_t offset;      /* in the arena, at last */
	uint32_t first, last; /* members by birth; see ascend.next */
	uint32_t n_members;
	uint32_t begin, end; /* hull of the members' lives, half-open */
	uint32_t first_child, last_child, next_sibling, parent;
	uint32_t next_free; /* in the list of free blocks */
};

/* One run. There are never more blocks than buffers. */
struct ascend {
	struct job *job;
	const struct problem *problem;
	struct buffer_uses uses;
	uint64_t grain; /* that sizes are rounded to */
	uint64_t *size; /* of a buffer, as the input says */
	uint32_t *next; /* next member of the same block, or NONE */
	struct block *blocks;
	uint32_t n_blocks;
	uint32_t *list;	  /* blocks in the order of level 2 */
	uint32_t *nested; /* blocks that have a parent, as they got it */
	uint32_t n_nested;
};

/* The range list of some sizes (none 0): ascending, no two equal. Fills at most
 * 64 ranges and returns their number. The 2026 rule never fills its lowest
 * class, so that it may well return 0. */
uint32_t mp_planner_ascend_ranges(const uint64_t *sizes, uint32_t n,
	enum ascend_classes rule, uint64_t ranges[64]);

/* Fills the list, and nests blocks by the rule. Ends early when the budget is
 * spent. False: memory is out. */
bool mp_planner_ascend_nest(struct ascend *ascend, enum ascend_nesting nesting);

/* Adds a buffer to a block, as its last member. Members of a block follow each
 * other in time. */
void mp_planner_ascend_join(
	struct ascend *ascend, struct block *block, uint32_t buffer);

#endif
