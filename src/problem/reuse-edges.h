/*
 * Reuse edges for people and programs: which tensor overwrites which, which ops
 * that puts in sequence, and what already keeps them there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PROBLEM_REUSE_EDGES_H
#define MP_PROBLEM_REUSE_EDGES_H

#include "problem/last-uses.h"
#include "problem/plan.h"

/* What keeps the last users of the old tensor before the first writer of the
 * new one. */
enum reuse_order {
	REUSE_EDGES,	 /* data and after edges alone: any executor obeys */
	REUSE_STREAMS,	 /* that ops of a stream run in order, and edges */
	REUSE_LIFETIMES, /* no op is known to write or to use one of them */
	REUSE_HAZARD,	 /* nothing: the dependence must be added */
};

struct reuse {
	uint32_t old, next;   /* tensors: next overwrites old */
	uint32_t end, start;  /* steps: old needs the bytes before the one, next
				 from the other on; lifetimes may have gaps */
	uint32_t space;	      /* that both lie in; 0 where there is one */
	uint64_t low, bytes;  /* see struct overwrite; low counts from there */
	const uint32_t *last; /* steps that use old and after which no other
				 does: one, or one a stream */
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

/* All but REUSE_EDGES: these are REUSE_STREAMS until they are searched for. */
bool mp_problem_reuse_find(
	const struct plan *plan, struct reuses *reuses, struct arena *arena);
bool mp_problem_reuse_search(struct reuses *reuses, struct arena *scratch);

/* "edges", "streams", "lifetimes"; NULL for a hazard. */
const char *mp_problem_reuse_order_name(enum reuse_order order);

#endif
