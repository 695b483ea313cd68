/*
 * Policies for the inputs and outputs of a network: in the arena, in the
 * caller's memory, or in the arena and never shared with other tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_IO_POLICY_H
#define MP_GRAPH_IO_POLICY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct graph;

/* For inputs and outputs without a lifetime in the document. */
enum policy {
	POLICY_INSIDE,	   /* inputs from the start, outputs to the end */
	POLICY_EXTERNAL,   /* the caller's memory: zero copy */
	POLICY_THROUGHOUT, /* in the arena, alive throughout */
	N_POLICIES,
};

const char *mp_graph_policy_name(enum policy policy);

/* The same name, but NULL for the default. */
const char *mp_graph_policy_said(enum policy policy);

/* The policy of that name, or N_POLICIES. */
enum policy mp_graph_policy_find(const char *name);

/* Applies the policies of the graph. An alias of a tensor in the arena and a
 * member of a contiguous group cannot be external: these stay in the arena,
 * with a warning. */
bool mp_graph_apply_policies(
	struct graph *graph, struct arena *arena, struct error *e);

#endif
