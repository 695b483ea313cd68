/*
 * Bundles: planned graphs become one graph that knows its answers. Members are
 * joined (join.c), laid into one arena (join-place.c, join-fixed.c) or placed
 * anew in one problem (replan.c), and taken out of a bundle again (member.c).
 * Graphs of the same ops, each of which is to run with one table, become the
 * widest of them (widest.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUNDLE_BUNDLE_H
#define MP_BUNDLE_BUNDLE_H

#include "graph/graph.h"
#include "problem/plan.h"

/* ---------------------------------------------------------- joining */

/* A planned graph on its way into a bundle. */
struct joined {
	const struct plan *plan;
	const char *name, *place; /* as the bundle calls it; its file */
	bool from_plan;		  /* its fixed offsets are a plan's */
	uint32_t first_tensor, n_tensors;
	uint32_t first_op, n_ops;
	uint32_t first_stream, n_streams;
	uint32_t first_list; /* of pools */
	uint32_t *tensor;    /* of a tensor of the plan; NONE: external */
	uint64_t *offsets;   /* of a buffer, in the region it is in */
	bool *is_kept;	     /* of a buffer: it is in the second region */
	struct extent shared, kept;
};

/* Planned graphs as one graph, for one run. */
struct layout {
	struct joined *members;
	uint32_t n;
	bool concurrent;
	bool stays;	    /* their plans lie in one arena already */
	struct graph graph; /* offsets and lifetimes are fixed */
	struct ids *same;   /* sets of its tensors that are to begin at one
			       offset */
	uint32_t n_same;
	double seconds; /* of planning the members and joining them */
};

/* Gives every member its two regions: bytes that others may use when it does
 * not run, and what it keeps between its runs. Then fills the graph with the
 * ops and tensors of all members, and links it. */
bool mp_bundle_join(
	struct layout *layout, struct arena *arena, struct error *e);

/* Whether mp_bundle_join() moved no fixed offset and left alone the bytes that
 * the graph reserves. Otherwise all has to be placed anew. */
bool mp_bundle_join_holds(const struct layout *layout);

/* Finds the sets of a joined layout: for each of the names, which are separated
 * by commas or lines, the tensor that each member calls so. MEMPLAN_EUSAGE if
 * they cannot have one offset. */
bool mp_bundle_find_same(struct layout *layout, const char *names,
	struct arena *arena, struct error *e);

/* Takes the sets that a plan of the same graphs names. */
bool mp_bundle_take_same(struct layout *layout, const struct graph *plan,
	struct arena *arena, struct error *e);

/* ---------------------------------------------------------- buckets */

/* A graph that is to run with the table of another. */
struct bucket_graph {
	const struct graph *graph;
	const char *place; /* its file, and which of its graphs */
};

/* Fills in the graph of which any plan serves all of them. It is linked, and
 * shares texts and ties with the first. MEMPLAN_EINPUT if none does: they must
 * have the same ops, and the same tensors but for sizes and temporaries. */
bool mp_bundle_widest(const struct bucket_graph *buckets, uint32_t n,
	struct graph *widest, struct arena *arena, struct error *e);

/* ----------------------------------------------------- placing anew */

/* The problem of placing planned graphs anew, together: for where something
 * must not move, so that their plans do not fit as they are. What one of the
 * plans holds together is one buffer of this problem: a buffer, an output and
 * the input that it took the bytes of, all that a graph keeps between its
 * runs. */
struct replan {
	const struct schedule *whole; /* that of the joined graph */
	struct schedule *schedule;    /* the same, but for its buffers */
	uint32_t *buffer; /* of a buffer of the whole: the one it is in */
	uint64_t *base;	  /* and its first byte there */
	bool exact;	  /* no buffer holds more together than planning did */
};

/* The whole has all offsets as mp_bundle_join() found them. */
bool mp_bundle_replan_fill(struct replan *replan, const struct layout *layout,
	const struct schedule *whole, struct arena *arena, struct error *e);

/* Puts the graph's tensors where the buffers are now; with several spaces, its
 * reserved ranges too, and the spaces become its pools, as a plan file has
 * them. */
bool mp_bundle_replan_settle(const struct replan *replan,
	const uint64_t *offsets, const struct spaces *spaces,
	struct graph *graph, struct arena *arena);

/* ---------------------------------------------------------- members */

/* The member that the name of a graph says, as a plan of it: tensors by their
 * own ids, offsets in the one arena, ops by their own indices. It claims
 * nothing but its order. Shares its texts with the bundle. */
bool mp_bundle_member(const struct graph *bundle, const char *name,
	struct graph *member, struct arena *arena, struct error *e);

/* Fails unless what the member keeps between its runs, as its schedule says, is
 * alive throughout the bundle. */
bool mp_bundle_check_kept(const struct graph *bundle,
	const struct graph *member, const struct schedule *schedule,
	struct arena *arena, struct error *e);

/* A graph's name as bundles have it. NULL: no memory. */
const char *mp_bundle_name(const char *name, struct arena *arena);

/* Fails unless the members of a bundle run as it says: in turn, or at the same
 * time, when no op waits for one of another member. The graph is linked; one
 * that is no bundle passes. */
bool mp_bundle_check_order(
	const struct graph *graph, struct arena *arena, struct error *e);

#endif
