/*
 * A run of a graph by the verifier: what its files share. See verify-run.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_VERIFY_RUN_H
#define MP_VERIFY_RUN_H

#include "base/lists.h"
#include "problem/plan.h"

/* The content of a node of the tree of cells, if its cells differ. */
#define MIXED UINT32_MAX

/* A place where a tensor begins or ends. */
struct edge {
	uint64_t at;
	uint32_t pool;
};

/* Cells [low, high). */
struct cells {
	uint32_t low, high;
};

/* A node of a segment tree over the cells, of which the leaves are a power of
 * two. It has these cells; its children, 2 * index and 2 * index + 1, have half
 * of them each. */
struct cell_node {
	uint32_t index;
	struct cells cells;
};

struct run_check {
	const struct graph *graph;
	const struct problem *problem; /* for its name and its steps */
	const uint32_t *order;
	struct choice_site *site;  /* of a tensor: its branch */
	uint32_t *taken, *counts;  /* of a choice: the branch that runs, and how
				      many it has */
	uint32_t n_choices, prime; /* no choice and no branch is greater */
	uint32_t *writer;	   /* the tensor that wrote its content */
	uint32_t *loop_end;	   /* of a loop: the step of its last op */
	uint32_t again, again_from; /* the outermost loop that runs again, and
				       its first step; NONE: none does */
	uint32_t *low, *high;	    /* cells of a tensor, with its guards */
	uint32_t *inner_low, *inner_high; /* and without them */
	bool *alive;	 /* takes bytes, in the branches that run */
	uint32_t *pause; /* the gap that a tensor is in; NONE */
	struct edge *edges;
	uint32_t n_edges, leaves;
	uint32_t *content; /* of a node of the tree; MIXED */
	uint32_t n_streams;
	uint32_t *position; /* of an op in its stream, from 1 on */
	uint32_t *clocks;   /* of an op and a stream: the ops before it */
	struct use *uses;   /* by ops of several streams, as they came */
	uint32_t n_uses, room;
	uint32_t *used, *used_by_all; /* of one stream and a node: the last op
					 that used a cell there, all cells */
	struct lists starts, ends;    /* of a step: tensors with lifetimes */
	struct lists resumes;	      /* gaps that end there */
	struct lists pauses;
	struct arena *scratch;
	struct error *error;
};

/* Fails: the tensor is not as it must be, because of the other. */
bool mp_verify_run_complain(const struct run_check *r, const char *what,
	uint32_t tensor, uint32_t other);

/* ------------------------------------------------- trees over cells */

static inline struct cell_node mp_verify_run_root(const struct run_check *r)
{
	return (struct cell_node){1, {0, r->leaves}};
}

static inline struct cell_node mp_verify_run_left(struct cell_node node)
{
	uint32_t half = (node.cells.high - node.cells.low) / 2;

	return (struct cell_node){
		2 * node.index, {node.cells.low, node.cells.low + half}};
}

static inline struct cell_node mp_verify_run_right(struct cell_node node)
{
	uint32_t half = (node.cells.high - node.cells.low) / 2;

	return (struct cell_node){
		2 * node.index + 1, {node.cells.low + half, node.cells.high}};
}

/* Has the node none of the cells? */
static inline bool mp_verify_run_misses(
	struct cell_node node, struct cells cells)
{
	return cells.high <= node.cells.low || node.cells.high <= cells.low;
}

/* Are all of the node's cells among these? */
static inline bool mp_verify_run_is_within(
	struct cell_node node, struct cells cells)
{
	return cells.low <= node.cells.low && node.cells.high <= cells.high;
}

/* ------------------------------------------------------ run-cells.c */

bool mp_verify_run_takes_bytes(const struct tensor *tensor);
uint32_t mp_verify_run_pool(
	const struct graph *graph, const struct tensor *tensor);

/* Finds the cells of all tensors. */
bool mp_verify_run_cells(struct run_check *r);

/* The number of an edge that is listed. */
uint32_t mp_verify_run_edge(const struct run_check *r, struct edge edge);

/* The tensor writes cells [low, high). */
void mp_verify_run_write(
	struct run_check *r, uint32_t tensor, uint32_t low, uint32_t high);

/* A tensor that may not be there in cells [low, high), where `tensor` is
 * needed; NONE: all is as its writer left it, or as the op itself has
 * overwritten it. */
uint32_t mp_verify_run_other(const struct run_check *r, uint32_t low,
	uint32_t high, uint32_t op, uint32_t tensor);

/* --------------------------------------------------- run-branches.c */

/* Finds the branch of each tensor. */
bool mp_verify_run_branches(struct run_check *r);

/* How many rounds there are, and which tensors are alive in one. */
uint32_t mp_verify_run_rounds(const struct run_check *r);
void mp_verify_run_choose(struct run_check *r, uint32_t round);

/* ---------------------------------------------------- run-streams.c */

/* Finds what happens before what. */
bool mp_verify_run_streams(struct run_check *r);

/* The op uses cells of a tensor. Nothing on one stream. */
bool mp_verify_run_use(struct run_check *r, uint32_t op, uint32_t tensor,
	struct cells cells, bool writes);

/* Each op that writes cells comes after all ops that had used them by then. */
bool mp_verify_run_check_uses(struct run_check *r);

void mp_verify_run_forget_uses(struct run_check *r);

#endif
