/*
 * Why no order has a smaller peak, in a form that can be checked without
 * trusting who found it. The claim names a set of ops. One of them runs last of
 * the set, with all others behind it (or first, with all others ahead), and for
 * each of them that can be the one, a flow through the graph shows how many
 * bytes are alive at that moment: bytes that leave ops that have run for ops
 * that have not must pass through tensors that are alive. A set of one op is
 * the plain case.
 *
 * The check is linear in the graph and shares no code with bounds and search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_CERTIFICATE_H
#define MP_ORDER_SEARCH_CERTIFICATE_H

#include "graph/graph.h"

enum certificate_arc_kind {
	ARC_READ, /* through a tensor, from its producer to one of its readers
		   */
	ARC_KEEP, /* from its producer into a tensor that is kept to the end */
	ARC_WAIT, /* from an op to one that it waits for: free of charge */
};

struct certificate_arc {
	uint64_t bytes;
	uint32_t from; /* tensor; ARC_WAIT: the op */
	uint32_t to;   /* reader; ARC_WAIT: the op that it waits for */
	enum certificate_arc_kind kind;
};

/* The flow for one member of the set. */
struct certificate {
	const struct certificate_arc *arcs;
	uint32_t n_arcs;
};

/* Checks the claim for one member, given by its place in the claim: it cannot
 * be the one that runs last (or first), or the flow is one and shows what is
 * claimed. Otherwise the error says what is wrong, with MEMPLAN_NO. */
bool mp_order_certificate_check(const struct graph *graph,
	const struct order_bound *claim, uint32_t member,
	const struct certificate *certificate, struct arena *arena,
	struct error *e);

#endif
