/*
 * Compounds: items joined so that they fill a rectangle of steps and bytes
 * without a gap. Any plan of the compounds is a plan of the items, with the
 * same loads; what the joins rule out are other plans. Four joins are known:
 *
 *   chain      one item is born where another of the same size dies
 *   stack      two have the same lifetime
 *   fill       one has the size of another and is alive in its gap
 *   pinwheel   four around a fifth, which no straight cut parts
 *
 * Chains and stacks may have members that do not fill them: each lies at the
 * bottom of its place.
 *
 * A compound of items with fixed offsets can lie at a few bases only. No join
 * contradicts the fixed offsets within it, or those around it. A compound that
 * is part of no other is live. Joins and breaks are undone until they are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_COMPOUNDS_H
#define MP_PLANNERS_PLAIN_COMPOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "planners/plain/pins.h"
#include "planners/planner.h"

enum join {
	JOIN_NONE,
	JOIN_CHAIN,
	JOIN_STACK,
	JOIN_FILL,
	JOIN_PINWHEEL
};

enum {
	COMPOUNDS_MOST = 200000, /* buffers; 100 MB */
	LOOKS_A_STEP = 6,	 /* about 100 ns */
	MOST_MEMBERS = 5,
	SHAPES_A_LIST = 8,	/* counts of these: few shapes share one */
	COMPOUNDS_DEEPEST = 16, /* one is taken out of so many at most */
	STACK_ORDERS = 120,	/* of so many */
	MOST_BASES = 8,		/* bases that are remembered */
	MOST_SLIDES = 24	/* orders that are remembered */
};

/* Compounds, in lists by what they fit: those of one start and size, of one end
 * and size, of one lifetime (one with a gap: by that), of one start, of one
 * end. A compound with a gap is on one list only. A list may also have others.
 */
enum compound_list {
	OF_START_SIZE,
	OF_END_SIZE,
	OF_SPAN,
	OF_START,
	OF_END,
	COMPOUND_LISTS
};

/* Each list twice: of those that are live, and of all. */
enum compound_kin {
	LIVE_ONES,
	ALL_ONES,
	COMPOUND_KINS
};

/* A line of the cache: looks take turns all over the memory. */
struct compound {
	uint32_t start, end;   /* steps */
	uint32_t gap, gap_end; /* steps without bytes; equal: there are none */
	uint64_t size;	       /* bytes */
	uint32_t live;	       /* its index in the list of these; NONE */
	uint32_t part_of;      /* the compound that it is a member of; NONE */
	enum join how;	       /* JOIN_NONE: a single buffer */
	uint32_t member[MOST_MEMBERS], n_members;
	uint32_t n_bases; /* 0: it may lie anywhere */
};

/* Where a compound that has bases can lie: see bases.h. */
struct compound_bases {
	uint64_t at[MOST_BASES];
};

/* Likewise, if it has free bytes in it: see slides.h. The best come first. */
struct compound_slides {
	uint64_t bytes; /* without free ones */
	struct slide {
		uint64_t high, end; /* the highest base, the lowest end */
	} at[MOST_SLIDES];
};

/* Beside a compound in each list; NONE: it is at the end. */
struct compound_links {
	struct compound_link {
		uint32_t next, prev;
	} in[COMPOUND_LISTS];
};

/* In a plan. */
struct compound_place {
	uint32_t compound;
	uint64_t base;
};

/* Live compounds that are on no list: the next by part_of. */
struct compound_chain {
	uint32_t first, n; /* NONE: there are none */
};

/* What an undo takes back. */
struct compound_step {
	uint32_t compound;
	bool broken; /* else joined */
};

struct compounds {
	struct compound *at;	     /* those of single buffers come first */
	uint32_t n, room;	     /* compounds that were ever made */
	struct compound_chain spare; /* unused ones */
	uint32_t n_buffers;	     /* of the problem */
	struct pins pins;
	struct compound_bases *bases; /* of each compound, if there are pins; */
	struct compound_slides *slides; /* or these instead */
	bool are_loose;			/* they have free bytes */
	uint32_t *buffer; /* of a single one; NULL: of its own number */
	uint8_t below[STACK_ORDERS][MOST_MEMBERS]; /* bits: members */
	uint64_t top; /* the load, or the greatest end of a fixed offset: no
			 compound with a base ends above */
	uint32_t *head[COMPOUND_KINS][COMPOUND_LISTS]; /* NONE: empty */
	struct compound_links *links[COMPOUND_KINS];
	uint32_t mask;	 /* of the numbers of lists */
	uint8_t *shapes; /* of all: how many there are of a start, an end and a
			    size. NULL where none is looked for: loose ones */
	uint32_t *live, n_live;
	struct compound_step *done; /* since the last keep */
	uint32_t n_done, most_done;
	struct compound_place *todo; /* scratch */
	uint64_t looks; /* at compounds, that are not charged yet */
};

#define TOO_MANY_TO_JOIN "takes 200,000 buffers at most"

/* True if buffers of such problems can be joined: one stream, one block of
 * bytes a buffer, with at most one gap, and no more than COMPOUNDS_MOST. It
 * looks at no part of a problem with more. */
bool mp_planner_compounds_suit(const struct problem *problem);

/* A live compound a buffer. */
bool mp_planner_compounds_init(struct compounds *c,
	const struct problem *problem, struct arena *arena);

/* The same, where compounds with fixed offsets have free bytes and end at the
 * top at most. Buffers are numbered in the order of birth, as compounds that
 * are looked at together then lie together. No list goes by size. */
bool mp_planner_compounds_init_loose(struct compounds *c,
	const struct problem *problem, uint64_t top, struct arena *arena);

/* The first of the list of a step and a size or another step (or 0); NONE: it
 * is empty. The link leads on. */
uint32_t mp_planner_compounds_first(const struct compounds *c,
	enum compound_kin kin, enum compound_list list, uint32_t step,
	uint64_t with);

/* False: none of all has that start, end and size. Not for loose ones. */
bool mp_planner_compounds_may_have(
	const struct compounds *c, uint32_t start, uint32_t end, uint64_t size);

static inline bool mp_planner_compound_has_gap(const struct compound *x)
{
	return x->gap < x->gap_end;
}

/* Joins live compounds that fit: two, or the five of a pinwheel in the order of
 * what lies under the middle, what follows that, what lies above this, what
 * precedes it, the middle. NONE: fixed offsets are against it, or there is no
 * room for more until the next keep or undo. Where there are fixed offsets,
 * stacks of stacks are stacks of as many as may be, as these can be in more
 * orders. */
uint32_t mp_planner_compounds_join(
	struct compounds *c, enum join how, const uint32_t *members);

/* Makes the members of a live compound live. */
void mp_planner_compounds_break(struct compounds *c, uint32_t compound);

/* Breaks the n compounds that one is within, from the last, which is live, to
 * the first: as one after the other, but what lies between is not put on lists
 * of live ones to be taken off again. */
void mp_planner_compounds_break_path(
	struct compounds *c, const uint32_t *path, uint32_t n);

/* Forgets how to undo, or undoes all since the last keep, or all but the first
 * n_done. */
void mp_planner_compounds_keep(struct compounds *c);
void mp_planner_compounds_undo(struct compounds *c);
void mp_planner_compounds_undo_to(struct compounds *c, uint32_t n_done);

/* Makes others of the same problem, which have none of the buffers yet. Each
 * may be changed while the others are. False: memory is out. */
bool mp_planner_compounds_part(
	struct compounds *c, struct compounds *others, struct arena *arena);

/* Takes a live compound, and what it is made of, from the lists, or puts all of
 * a chain on them. */
void mp_planner_compounds_hand(
	struct compounds *c, uint32_t compound, struct compound_chain *chain);
void mp_planner_compounds_receive(
	struct compounds *c, struct compound_chain *chain);

/* Gives both as much room for compounds to be made. */
void mp_planner_compounds_level(struct compounds *a, struct compounds *b);

/* Takes all of the others, which are of no more use. */
void mp_planner_compounds_unite(struct compounds *c, struct compounds *others);

/* Makes a copy that changes by itself. False: memory is out. */
bool mp_planner_compounds_copy(
	const struct compounds *c, struct compounds *copy, struct arena *arena);

/* Looks at compounds and at pins that are not charged yet. */
uint64_t mp_planner_compounds_looks(const struct compounds *c);

/* Charges them to the job. False: its budget is spent. */
bool mp_planner_compounds_charge(struct compounds *c, struct job *job);

/* The n compounds that one is within, from the innermost on. False: it lies too
 * deep to be taken out, or within the one that is to take it. */
bool mp_planner_compounds_around(struct compounds *c, uint32_t compound,
	uint32_t taker, uint32_t path[COMPOUNDS_DEEPEST], uint32_t *n);

/* The bases of a compound's members, by its own: one for each compound. */
void mp_planner_compounds_settle_members(
	struct compounds *c, uint32_t compound, uint64_t *base);

/* Offsets of the buffers in a compound that lies at this base, one of its
 * own if it has some. */
void mp_planner_compounds_settle(struct compounds *c, uint32_t compound,
	uint64_t base, uint64_t *offsets);

#endif
