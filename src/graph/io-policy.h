/*
 * Where the inputs and outputs of a network are: in the arena, in the caller's
 * memory, or in the arena and untouched by anything else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_IO_POLICY_H
#define MP_GRAPH_IO_POLICY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

struct graph;

/* Of a tensor of a kind that has no lifetime of its own in the input. */
enum policy {
	POLICY_INSIDE,	   /* inputs from the start, outputs to the end */
	POLICY_EXTERNAL,   /* the caller's memory: zero copy */
	POLICY_THROUGHOUT, /* in the arena, its bytes never anyone else's */
	N_POLICIES,
};

const char *mp_graph_policy_name(enum policy policy);

/* The same, but NULL for the default. */
const char *mp_graph_policy_said(enum policy policy);

/* The policy of that name, or N_POLICIES. */
enum policy mp_graph_policy_find(const char *name);

/* Applies the policies that the graph names. An output that is bytes of a
 * tensor in the arena cannot be outside, nor a member of a group: these stay,
 * with a warning. */
bool mp_graph_apply_policies(
	struct graph *graph, struct arena *arena, struct error *e);

#endif
