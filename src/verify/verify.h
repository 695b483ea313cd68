/*
 * The verifier. It runs after every planner in every build. It shares no code
 * with planners, and no conflict structures: a mistake would have to be made
 * twice to pass.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_VERIFY_H
#define MP_VERIFY_VERIFY_H

#include "graph/graph.h"
#include "problem/plan.h"

/* True if the offsets (one a buffer) are a valid plan: aligned, fixed offsets
 * kept, no overflow, and no two conflicting parts overlap in bytes. Otherwise
 * the error names a pair, with the code that the caller gives. */
bool mp_verify(const struct problem *problem, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e);

/* True if the offsets that the input fixes allow a plan, in one memory or in
 * several. Otherwise the error names two fixed buffers that overlap, or one and
 * a reserved range, with the code that the caller gives. */
bool mp_verify_fixed(const struct problem *problem, enum memplan_status code,
	struct arena *scratch, struct error *e);

/* mp_verify() for a plan in several pools: offsets count from the base of the
 * buffer's space, only buffers of one space can overlap, and every space must
 * be one that may hold the buffer and has room for it. spaces NULL: there is
 * one memory. */
bool mp_verify_spaces(const struct problem *problem,
	const struct spaces *spaces, const uint64_t *offsets,
	enum memplan_status code, struct arena *scratch, struct error *e);

/* True if the graph, with the offsets of a plan, runs on these
 * places in that order of its ops: each op finds what it reads, in every timing
 * of the streams, and what must stay stays. Knows no lifetimes but those that
 * the graph itself gives. problem: for the number of steps. */
bool mp_verify_run(const struct graph *graph, const uint32_t *order,
	const struct problem *problem, struct arena *scratch, struct error *e);

/* A bound that the verifier derived, and where it shows. */
struct verified_bound {
	uint64_t bytes;
	enum bound_kind kind; /* BOUND_LOAD or BOUND_PIN */
	uint32_t step;	      /* at which so much is alive; NONE: of many
				 timings, or an offset is fixed so high */
	uint64_t align;	      /* that adds to what is alive; 1: it does not */
};

/* Derives the load, what alignment adds to it, and the largest buffer, of a
 * valid plan: of all, or of one space of several; and where the last buffer
 * ends that is reserved or fixed, unless all are. */
bool mp_verify_bound(const struct problem *problem, const struct spaces *spaces,
	const uint64_t *offsets, uint32_t space, struct verified_bound *bound,
	struct arena *scratch);

/* What tensors need that lie in one memory and never share a byte. */
struct verified_clique {
	uint64_t bytes;	     /* 0: two of them may share bytes, or it is open */
	uint32_t sharing[2]; /* these; NONE: a reserved range, or no one */
	bool is_open;	     /* they are too many to compare */
};

/* Holds the tensors of a valid plan that lie in that memory against each
 * other. */
bool mp_verify_clique(const struct problem *problem,
	const struct spaces *spaces, const uint64_t *offsets, uint32_t space,
	struct ids tensors, struct verified_clique *clique,
	struct arena *scratch);

/* What the pairs of tensors cost that share a byte in a valid plan, and how
 * many these are. */
struct verified_cost {
	uint64_t paid;
	uint64_t forced; /* of the pairs that do wherever their buffers lie: in
			    one buffer, or in a memory that has no room for
			    both */
	uint32_t n_paid;
};

struct verified_cost mp_verify_cost(const struct plan *plan);

/* What the banks of the pools cost in a valid plan. */
struct verified_banks {
	uint64_t paid;
	uint64_t forced; /* of each op, or without ops or with exclusive tensors
			    of each pair, what it costs wherever its tensors
			    lie, as they touch so many banks */
	uint64_t n_pairs, n_paid;
};

/* Adds up the banks that tensors touch that are used together, from the graph,
 * the places of its tensors and nothing else. False: memory is out. */
bool mp_verify_banks(const struct plan *plan, struct verified_banks *sum,
	struct arena *scratch);

/* True if the tensors of each set that is to have one offset have it, in one
 * memory, and are of different graphs: of those that keep all of the set, or of
 * graphs in turn. What graphs at one time keep together, none of them writes.
 * Otherwise the error has that code. */
bool mp_verify_same(const struct plan *plan, enum memplan_status code,
	struct arena *scratch, struct error *e);

/* False: the bound of a problem of several streams with pools or branches is
 * less than that of the planners: they see a pool by itself and the listed
 * order. */
bool mp_verify_bound_is_whole(
	const struct problem *problem, const struct spaces *spaces);

#endif
