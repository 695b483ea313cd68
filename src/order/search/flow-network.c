/*
 * Capacities of the network: each tensor becomes a supply, a demand, an edge
 * or a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>

/* The users of a tensor: how many are free, and whether one is forced out. */
struct use {
	uint32_t n_free, last_free;
	uint32_t out;  /* a user that is forced out, or NONE */
	bool some_out; /* there is one, or the tensor is kept */
};

static struct use use_of(const struct cut *cut, uint32_t tensor)
{
	struct ids users = mp_lists_at(&cut->view->users, tensor);
	struct use use = {0, NONE, NONE, cut->view->to_end[tensor]};

	for (uint32_t i = 0; i < users.n; i++) {
		if (cut->side[users.at[i]] == CUT_OUT) {
			use.some_out = true;
			use.out = users.at[i];
		}
		if (cut->side[users.at[i]] != CUT_FREE)
			continue;
		use.n_free++;
		use.last_free = users.at[i];
	}
	return use;
}

static void add_tie(struct network *net, enum tie_kind kind, uint32_t at,
	uint32_t tensor, uint32_t user)
{
	if (net->ties)
		net->ties[net->n_ties++] =
			(struct network_tie){kind, at, tensor, user};
}

static void add_edge(struct network *net, uint32_t from, uint32_t to,
	uint64_t forward, uint64_t backward)
{
	net->edges[net->n_edges++] =
		(struct flow_edge){from, to, forward, backward};
}

/* A tensor with several free users becomes a node: it is alive until all of
 * them are in the set. */
static uint32_t add_shared(struct network *net, uint32_t tensor)
{
	struct ids users = mp_lists_at(&net->cut->view->users, tensor);
	uint32_t node = net->n_nodes++;

	for (uint32_t i = 0; i < users.n; i++)
		if (net->cut->side[users.at[i]] == CUT_FREE) {
			add_tie(net, TIE_EDGE, net->n_edges, tensor,
				users.at[i]);
			add_edge(net, node, net->cut->nodes[users.at[i]],
				FLOW_UNLIMITED, 0);
		}
	return node;
}

/* A tensor with a producer that is forced in. */
static void add_supplied(struct network *net, uint32_t tensor)
{
	struct use use = use_of(net->cut, tensor);
	uint64_t size = net->cut->view->size[tensor];

	if (use.some_out) {
		add_tie(net, TIE_FIXED, 0, tensor, use.out);
		net->fixed += size;
	} else if (use.n_free == 1) {
		uint32_t node = net->cut->nodes[use.last_free];

		add_tie(net, TIE_SUPPLY, node, tensor, use.last_free);
		net->supply[node] += size;
	} else if (use.n_free > 1) {
		net->supply[add_shared(net, tensor)] += size;
	}
}

/* A tensor with a free producer. */
static void add_tensor(struct network *net, uint32_t op, uint32_t tensor)
{
	struct use use = use_of(net->cut, tensor);
	uint64_t size = net->cut->view->size[tensor];
	uint32_t node = net->cut->nodes[op];

	assert(net->cut->side[op] == CUT_FREE);
	if (use.some_out) {
		add_tie(net, TIE_DEMAND, node, tensor, use.out);
		net->demand[node] += size;
	} else if (use.n_free == 1) {
		uint32_t edge = net->edge_of[use.last_free];

		add_tie(net, TIE_EDGE, edge, tensor, use.last_free);
		net->edges[edge].forward += size;
	} else if (use.n_free > 1) {
		add_edge(net, node, add_shared(net, tensor), size, 0);
	}
}

/* With an op its predecessors are in the set: unlimited capacity backwards. */
static void add_op(struct network *net, uint32_t op)
{
	const struct cut *cut = net->cut;
	struct ids behind = cut->view->ops[op].behind;
	struct ids outputs = mp_lists_at(&cut->view->outputs, op);

	for (uint32_t i = 0; i < behind.n; i++) {
		if (cut->side[behind.at[i]] != CUT_FREE)
			continue;
		net->edge_of[behind.at[i]] = net->n_edges;
		add_tie(net, TIE_WAIT, net->n_edges, behind.at[i], op);
		add_edge(net, cut->nodes[op], cut->nodes[behind.at[i]], 0,
			FLOW_UNLIMITED);
	}
	for (uint32_t i = 0; i < outputs.n; i++)
		add_tensor(net, op, outputs.at[i]);
}

static bool allocate_network(struct network *net, bool tied)
{
	const struct view *view = net->cut->view;
	struct arena *arena = net->cut->arena;
	size_t edges = view->n_edges + view->users.first[view->n_tensors] +
		       view->n_tensors;
	size_t nodes = (size_t)view->n_ops + view->n_tensors;

	net->edges = NEW(arena, struct flow_edge, edges);
	net->supply = NEW(arena, uint64_t, nodes);
	net->demand = NEW(arena, uint64_t, nodes);
	net->edge_of = NEW(arena, uint32_t, view->n_ops);
	if (tied) {
		net->ties = NEW(arena, struct network_tie, edges);
		if (!net->ties)
			return false;
	}
	return net->edges && net->supply && net->demand && net->edge_of;
}

static void build_network(struct network *net)
{
	const struct view *view = net->cut->view;
	const uint8_t *side = net->cut->side;
	struct ids outputs;

	for (uint32_t op = 0; op < view->n_ops; op++)
		if (side[op] == CUT_FREE)
			net->cut->nodes[op] = net->n_nodes++;
	net->fixed = view->always;
	for (uint32_t t = 0; t < view->n_tensors; t++)
		if (view->producer[t] == NONE)
			add_supplied(net, t);
	for (uint32_t op = 0; op < view->n_ops; op++) {
		if (side[op] == CUT_FREE)
			add_op(net, op);
		outputs = mp_lists_at(&view->outputs, op);
		for (uint32_t i = 0; side[op] == CUT_IN && i < outputs.n; i++)
			add_supplied(net, outputs.at[i]);
	}
}

/* Bytes that a node both supplies and demands flow within the node. */
static void settle_nodes(struct network *net)
{
	for (uint32_t i = 0; i < net->n_nodes; i++) {
		uint64_t through = num_min(net->supply[i], net->demand[i]);

		net->fixed += through;
		net->flow.supply[i] = net->supply[i] - through;
		net->flow.demand[i] = net->demand[i] - through;
	}
}

bool mp_order_network_init(
	struct network *net, struct cut *cut, uint64_t price, bool tied)
{
	*net = (struct network){.cut = cut};
	if (!allocate_network(net, tied))
		return false;
	build_network(net);
	for (uint32_t op = 0; price > 0 && op < cut->view->n_ops; op++)
		if (cut->side[op] == CUT_FREE)
			net->demand[cut->nodes[op]] += price;
	if (!mp_flow_init(&net->flow, net->n_nodes, net->edges, net->n_edges,
		    cut->arena))
		return false;
	assert(net->flow.n_nodes == net->n_nodes);
	settle_nodes(net);
	return true;
}
