/*
 * The flow network of a cut: a node for every op that is not forced, and for
 * every tensor with several such users. Tensors of ops forced in become
 * supplies, those used by ops forced out become demands; a tensor between the
 * two is alive in any case.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_FLOW_NETWORK_H
#define MP_ORDER_SEARCH_FLOW_NETWORK_H

#include "order/search/cut.h"

/* Which part of the network a tensor became. */
enum tie_kind {
	TIE_FIXED,  /* alive in any case */
	TIE_SUPPLY, /* part of the supply of a node */
	TIE_DEMAND, /* part of the demand of a node */
	TIE_EDGE,   /* part of an edge, forward */
	TIE_WAIT,   /* an edge, backward: tensor and user are ops */
};

struct network_tie {
	enum tie_kind kind;
	uint32_t at;	 /* node or edge */
	uint32_t tensor; /* TIE_WAIT: the op that waits */
	uint32_t user;	 /* op; NONE: the tensor is kept to the end;
			    TIE_WAIT: the op that is waited for */
};

struct network {
	struct cut *cut;
	struct flow flow;
	struct flow_edge *edges;
	uint32_t n_edges, n_nodes;
	uint64_t *supply, *demand; /* of a node, as the network begins */
	uint64_t fixed;		   /* bytes alive in any case */
	uint32_t *edge_of; /* of an op: the edge to it from the op that is being
			      added */
	struct network_tie *ties; /* NULL: not recorded */
	uint32_t n_ties;
};

/* The network of a cut with its forced ops; every free op in the set costs
 * price bytes. tied: records ties. */
bool mp_order_network_init(
	struct network *net, struct cut *cut, uint64_t price, bool tied);

#endif
