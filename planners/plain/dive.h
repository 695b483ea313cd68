/*
 * A dive: greedy skyline packing in one pass, from the bottom up, without a
 * conflict graph. A plateau is a run of segments of one height; the dive works
 * on one with higher neighbours. It places the items that lie within the
 * plateau, best rank first; what remains is raised to the lower neighbour, and
 * its bytes are lost. That is the first descent of a search that takes the
 * lowest offset first and a static rank second (Moffitt, MiniMalloc, ASPLOS
 * 2023), stated as a skyline (Burke, Kendall, Whitwell, Operations Research
 * 52(4), 2004).
 *
 * A tree finds the best item within a plateau (see range-tree.h). An item that
 * is placed leaves a range on either side of it, where the tree is asked again.
 * So the work follows from the items that are placed, however many wait.
 *
 * A dive can be given a target. The slack of a section is the number of bytes
 * that may be lost in it before the plan must exceed the target. The dive ends
 * where a slack is spent, and says where that was.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_DIVE_H
#define MP_PLANNERS_PLAIN_DIVE_H

#include <assert.h>

#include "base/bitset.h"
#include "planners/any/rank.h"
#include "planners/plain/range-tree.h"
#include "planners/planner.h"

/* A skyline over the sections of a packing: how high each is filled.
 * Neighbouring sections of one height form a segment, which is known by its
 * first section. A step to the next or the last segment takes a few operations
 * on memory that stays in the cache even for a million sections. */
struct skyline {
	uint32_t from;	     /* the first section; 0, but of a half */
	uint32_t n_sections; /* behind the last */
	struct bits starts;  /* of segments; and n_sections */
	int64_t *floor;	     /* height, at the first section of a segment */
};

/* Joins all to one segment of height 0. */
static inline void mp_planner_skyline_clear(struct skyline *skyline)
{
	bits_clear(&skyline->starts);
	bits_add(&skyline->starts, 0);
	bits_add(&skyline->starts, skyline->n_sections);
	skyline->floor[0] = 0;
}

/* Makes one segment of height 0, of at least one section. */
static inline bool mp_planner_skyline_init(
	struct skyline *skyline, uint32_t n_sections, struct arena *arena)
{
	assert(n_sections > 0 && n_sections < UINT32_MAX);
	*skyline = (struct skyline){.n_sections = n_sections};
	skyline->floor = NEW(arena, int64_t, n_sections);
	if (!skyline->floor ||
		!bits_init(&skyline->starts, n_sections + 1, arena))
		return false;
	mp_planner_skyline_clear(skyline);
	return true;
}

/* The first section of the segment that a section is in. */
static inline uint32_t mp_planner_skyline_segment(
	const struct skyline *skyline, uint32_t section)
{
	assert(section < skyline->n_sections);
	return bits_below(&skyline->starts, section + 1);
}

/* The first section of the next segment; n_sections behind the last. */
static inline uint32_t mp_planner_skyline_next(
	const struct skyline *skyline, uint32_t section)
{
	return bits_above(&skyline->starts, section);
}

/* Makes a segment begin at this section, or join the one before. Section 0
 * always begins one. */
static inline void mp_planner_skyline_split(
	struct skyline *skyline, uint32_t section)
{
	assert(section < skyline->n_sections);
	bits_add(&skyline->starts, section);
}

static inline void mp_planner_skyline_join(
	struct skyline *skyline, uint32_t section)
{
	assert(0 < section && section < skyline->n_sections);
	bits_remove(&skyline->starts, section);
}

enum {
	SLACK_SPAN = 16 /* sections */
};

/* Of a span of sections: the bytes lost in all of them, which the slack of each
 * still has, and the least slack that one of them has with these. */
struct slack_span {
	int64_t lost, least;
};

enum dive_part {
	WHOLE,
	FIRST_HALF,
	SECOND_HALF
};

struct dive {
	const struct packing *packing;
	uint32_t *order; /* items, best rank first: set before a dive */
	int64_t target;	 /* units; INT64_MAX: none. Set before a dive */
	/* Places some items on a plateau of sections [start, end). False: none
	 * fits. NULL: by rank. */
	bool (*fill)(struct dive *dive, uint32_t start, uint32_t end);

	/* Sections that are filled first, one after the other, where the dive
	 * is likely to fail: of a dive that has a target. What is placed is the
	 * same. Set before a dive. */
	const uint32_t *focus;
	uint32_t n_focus;

	/* What came out. */
	int64_t *offset;	 /* of an item, units; -1: not placed */
	uint32_t failed;	 /* section with its slack spent; NONE: none */
	uint64_t looks, charged; /* items looked at; those charged so far */

	/* The state of a pass. */
	struct skyline skyline;
	struct range_tree tree; /* of the items not placed */
	uint32_t n_placed;
	uint32_t position; /* section where the last plateau was */
	uint32_t n_full;   /* so many of the focus are filled */
	int64_t *slack;	   /* of a section, units */
	struct slack_span *spans;
	struct bits starts; /* of the second half of the skyline */
	bool in_halves;

	/* Of a dive by value, else NULL. */
	uint32_t *value;	/* of an item: its rank */
	uint32_t *first, *next; /* items in lists by value; NONE: none */
	uint32_t *placed;	/* items, in turn */
	struct bits touched;	/* 1 + a span that may have lost slack; and one
				   number behind all */
	int64_t made_for;	/* the target that the slack was made for */

	enum dive_part part;
};

/* Makes room, but for the offsets, which the caller brings, and ranks the items
 * by the keys. */
bool mp_planner_dive_init(struct dive *dive, const struct packing *packing,
	const enum rank_key keys[RANK_KEYS], int64_t *offset,
	struct arena *arena);

/* Lets two threads share the dives of very many items, which come out the same
 * but for the work that is counted. Makes room for that. */
bool mp_planner_dive_in_halves(struct dive *dive, struct arena *arena);

/* Lets items have values as their ranks, which several may share: then the
 * first of these is the best. At first they have those of the order, which does
 * not count from then on. The next dive takes back what the last one placed,
 * which is little if that failed early. */
bool mp_planner_dive_by_value(struct dive *dive, struct arena *arena);

/* Lowers the values of what is alive where such a dive has failed, and not
 * placed: it came too late. Charges the job for it. */
void mp_planner_dive_prefer(struct dive *dive, uint32_t by, struct job *job);

/* Sorts the order by keys, the most important first: any but RANK_WHOLE and
 * RANK_PEAK. Works in what a dive makes anew: offsets and the ranks of the
 * tree. */
void mp_planner_dive_rank(struct dive *dive,
	const enum rank_key keys[RANK_KEYS], struct threads *threads);

/* What the first dive of row dive begins with. Another row may have it made
 * ready in a thread that is idle; if that row is likely to find no plan, the
 * dive runs ahead too. */
struct dive_start {
	const struct problem *problem; /* NULL: nothing is ready */
	struct packing packing;
	struct dive dive;
	struct arena_mark mark; /* what is only for that dive is behind it */
	struct arena arena;
	struct error error;

	/* Of a dive that ran ahead. */
	struct job job;
	bool has_run, complete;
	struct beaten beaten; /* the other row has found a plan */
};

/* Makes the start of the job ready, and runs the dive if the job wants only
 * plans that are near. */
void mp_planner_dive_make_ready(const struct job *job);

/* Places all items, and charges the job for it. False: the target is out of
 * reach, and failed says where; or the job says to stop. */
bool mp_planner_dive(struct dive *dive, struct job *job);

/* For fill: places an item on the segment that it lies within. */
void mp_planner_dive_place(struct dive *dive, uint32_t item);

/* The height before a section, or behind one; INT64_MAX where there is none. */
int64_t mp_planner_dive_before(const struct dive *dive, uint32_t section);
int64_t mp_planner_dive_behind(const struct dive *dive, uint32_t section);

/* Greatest offset + size of a complete dive, in units. */
int64_t mp_planner_dive_height(const struct dive *dive);

/* Hands the plan of a complete dive to the job. */
bool mp_planner_dive_offer(const struct dive *dive, struct job *job);

/* For rows that make a plan lower: makes one if there is none yet. False: the
 * row ends with this outcome, as there is nothing to make lower, or memory is
 * out. */
bool mp_planner_dive_first(struct job *job, enum outcome *outcome);

#endif
