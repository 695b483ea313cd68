/*
 * Reuse edges: which tensor overwrites which, the ops that must run in sequence
 * therefore, and what already keeps them in sequence.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_REUSE_EDGES_H
#define MP_PROBLEM_REUSE_EDGES_H

#include "problem/last-uses.h"
#include "problem/plan.h"

/* What keeps the last uses of the old tensor before the first write of the new
 * one. */
enum reuse_order {
	REUSE_EDGES,	 /* data and after edges alone: any executor keeps it */
	REUSE_STREAMS,	 /* edges and the sequence of ops in a stream */
	REUSE_LIFETIMES, /* no op is known to write or to use one of them */
	REUSE_HAZARD,	 /* nothing: the dependence must be added */
};

struct reuse {
	uint32_t old, next;   /* tensors: next overwrites old */
	uint32_t end, start;  /* steps: old needs the bytes before end, next
				 from start on; lifetimes may have gaps */
	uint32_t space;	      /* that both lie in; 0 if there is one memory */
	uint64_t low, bytes;  /* as in struct overwrite; low counts from the
				 base of the space */
	const uint32_t *last; /* steps that use old and happen before no other
				 use: one, or at most one a stream */
	uint32_t n_last;
	uint32_t first; /* step that writes next first; NONE: unknown */
	bool crosses;	/* one of the last runs on another stream than first */
	enum reuse_order order;
};

struct reuses {
	struct reuse *at;
	uint32_t n, n_crossing, n_hazards;
	uint64_t bytes; /* sum over all */
	bool searched;	/* false: too large to find all paths of edges, so that
			   some REUSE_STREAMS may be REUSE_EDGES */
	struct last_uses uses;
};

/* find() never says REUSE_EDGES; search() finds which REUSE_STREAMS are
 * REUSE_EDGES. */
bool mp_problem_reuse_find(
	const struct plan *plan, struct reuses *reuses, struct arena *arena);
bool mp_problem_reuse_search(struct reuses *reuses, struct arena *scratch);

/* "edges", "streams", "lifetimes"; NULL for a hazard. */
const char *mp_problem_reuse_order_name(enum reuse_order order);

#endif
