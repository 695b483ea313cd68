/*
 * Forcing ops to a side, and solving the network that is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

enum {
	WORK_UNIT = 32, /* neighbours that the flow visits in one step of a job,
			   about 100 ns */

	/* A network of so many nodes takes twice as long for each, as less of
	 * it is in the caches, and the largest ones so many times as long: 2 ns
	 * at 28,000 nodes, 7 at 110,000. */
	CACHED_NODES = 1 << 16,
	MOST_TIMES = 4,
};

/* Room for the networks of all cuts. */
static bool make_room(struct network *net, bool tied, struct arena *arena)
{
	const struct view *view = net->cut->view;
	size_t edges = view->n_edges + view->users.first[view->n_tensors] +
		       view->n_tensors;
	size_t nodes = (size_t)view->n_ops + view->n_tensors;

	net->edges = NEW(arena, struct flow_edge, edges);
	net->capacities = NEW(arena, struct flow_capacity, edges);
	net->supply = NEW(arena, uint64_t, nodes);
	net->demand = NEW(arena, uint64_t, nodes);
	net->reached = NEW(arena, bool, nodes);
	net->edge_of = NEW(arena, uint32_t, view->n_ops);
	if (tied) {
		net->ties = NEW(arena, struct network_tie, edges);
		if (!net->ties)
			return false;
	}
	return net->edges && net->capacities && net->supply && net->demand &&
	       net->reached && net->edge_of &&
	       mp_flow_room(&net->flow, nodes, edges, arena);
}

bool mp_order_cut_init(struct cut *cut, const struct view *view, bool tied,
	struct arena *arena)
{
	*cut = (struct cut){.view = view, .most_steps = UINT64_MAX};
	cut->side = NEW(arena, uint8_t, view->n_ops);
	cut->in = NEW(arena, bool, view->n_ops);
	cut->nodes = NEW(arena, uint32_t, view->n_ops);
	cut->stack = NEW(arena, uint32_t, view->n_ops);
	cut->net = NEW(arena, struct network, 1);
	if (!cut->side || !cut->in || !cut->nodes || !cut->stack || !cut->net)
		return false;
	cut->net->cut = cut;
	return make_room(cut->net, tied, arena);
}

void mp_order_cut_reset(struct cut *cut)
{
	memset(cut->side, CUT_FREE, cut->view->n_ops);
}

/* Puts the op and all ops that must be with it on one side: its predecessors
 * in, or its successors out. */
static bool force_side(struct cut *cut, uint32_t op, enum cut_side side)
{
	const struct lists *lists =
		side == CUT_IN ? &cut->view->before : &cut->view->behind;
	uint32_t n = 0;

	assert(op < cut->view->n_ops && side != CUT_FREE);
	if (cut->side[op] != CUT_FREE)
		return cut->side[op] == side;
	cut->side[op] = (uint8_t)side;
	cut->stack[n++] = op;
	while (n > 0) {
		struct ids next = mp_lists_at(lists, cut->stack[--n]);

		for (uint32_t i = 0; i < next.n; i++) {
			if (cut->side[next.at[i]] == side)
				continue;
			if (cut->side[next.at[i]] != CUT_FREE)
				return false;
			cut->side[next.at[i]] = (uint8_t)side;
			cut->stack[n++] = next.at[i];
		}
	}
	return true;
}

bool mp_order_cut_force_in(struct cut *cut, uint32_t op)
{
	return force_side(cut, op, CUT_IN);
}

bool mp_order_cut_force_out(struct cut *cut, uint32_t op)
{
	return force_side(cut, op, CUT_OUT);
}

/* Forces the sides that ops are on when an op runs. */
static bool force_next(struct cut *cut, uint32_t op)
{
	struct ids before = mp_lists_at(&cut->view->before, op);
	bool possible = true;

	for (uint32_t i = 0; i < before.n && possible; i++)
		possible = mp_order_cut_force_in(cut, before.at[i]);
	return possible && force_side(cut, op, CUT_OUT);
}

bool mp_order_cut_moment(
	struct cut *cut, struct ids ops, uint32_t ran, uint32_t next)
{
	uint32_t op = next == NONE ? NONE : ops.at[next];
	bool possible;

	assert(next == NONE || next < ops.n);
	mp_order_cut_reset(cut);
	possible = op == NONE || force_next(cut, op);
	for (uint32_t i = 0; i < ops.n && possible; i++)
		if (ops.at[i] != op)
			possible = force_side(cut, ops.at[i],
				ran >> i % MOST_FEW_OPS & 1 ? CUT_IN : CUT_OUT);
	return possible;
}

void mp_order_cut_op(struct cut *cut, uint32_t op)
{
	mp_order_cut_moment(cut, (struct ids){&op, 1}, 0, 0);
}

/* ---------------------------------------------------------- network */

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

static uint32_t add_node(struct network *net)
{
	net->supply[net->n_nodes] = net->demand[net->n_nodes] = 0;
	return net->n_nodes++;
}

static void add_edge(struct network *net, uint32_t from, uint32_t to,
	uint64_t forward, uint64_t backward)
{
	net->edges[net->n_edges] = (struct flow_edge){from, to};
	net->capacities[net->n_edges++] =
		(struct flow_capacity){forward, backward};
}

/* A tensor with several free users becomes a node: it is alive until all of
 * them are in the set. */
static uint32_t add_shared(struct network *net, uint32_t tensor)
{
	struct ids users = mp_lists_at(&net->cut->view->users, tensor);
	uint32_t node = add_node(net);

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

/* The edge to the op. There is none yet if the op does not wait for the node by
 * itself: the last op of a loop needs what the loop carries. */
static uint32_t edge_to(struct network *net, uint32_t node, uint32_t op)
{
	uint32_t edge = net->edge_of[op], to = net->cut->nodes[op];

	if (edge < net->n_edges && net->edges[edge].from == node &&
		net->edges[edge].to == to)
		return edge;
	add_edge(net, node, to, 0, 0);
	return net->n_edges - 1;
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
		uint32_t edge = edge_to(net, node, use.last_free);

		add_tie(net, TIE_EDGE, edge, tensor, use.last_free);
		net->capacities[edge].forward += size;
	} else if (use.n_free > 1) {
		add_edge(net, node, add_shared(net, tensor), size, 0);
	}
}

/* With an op its predecessors are in the set: unlimited capacity backwards. */
static void add_op(struct network *net, uint32_t op)
{
	const struct cut *cut = net->cut;
	struct ids behind = mp_lists_at(&cut->view->behind, op);
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

static void build_network(struct network *net)
{
	const struct view *view = net->cut->view;
	const uint8_t *side = net->cut->side;
	struct ids outputs;

	net->n_nodes = net->n_edges = net->n_ties = 0;
	for (uint32_t op = 0; op < view->n_ops; op++)
		if (side[op] == CUT_FREE) {
			net->cut->nodes[op] = add_node(net);
			net->edge_of[op] = NONE;
		}
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

void mp_order_cut_build(struct cut *cut, uint64_t price)
{
	struct network *net = cut->net;

	build_network(net);
	for (uint32_t op = 0; price > 0 && op < cut->view->n_ops; op++)
		if (cut->side[op] == CUT_FREE)
			net->demand[cut->nodes[op]] += price;
	mp_flow_begin(&net->flow, net->n_nodes, net->edges, net->capacities,
		net->n_edges);
	settle_nodes(net);
}

/* ------------------------------------------------------------ solve */

static void find_set(struct cut *cut)
{
	struct network *net = cut->net;

	mp_flow_reach(&net->flow, net->reached);
	for (uint32_t op = 0; op < cut->view->n_ops; op++)
		cut->in[op] = cut->side[op] == CUT_IN ||
			      (cut->side[op] == CUT_FREE &&
				      net->reached[cut->nodes[op]]);
}

/* What a look at a neighbour counts, in parts of CACHED_NODES. */
static uint64_t parts_of(const struct network *net)
{
	return num_min(CACHED_NODES + (uint64_t)net->n_nodes,
		(uint64_t)MOST_TIMES * CACHED_NODES);
}

static uint64_t steps_of(const struct network *net, uint64_t looks)
{
	return looks / WORK_UNIT * parts_of(net) / CACHED_NODES;
}

/* The other way, and far below the greatest number where there is no limit. */
static uint64_t looks_in(const struct network *net, uint64_t steps)
{
	uint64_t most = UINT64_MAX / (WORK_UNIT * CACHED_NODES);

	return num_min(steps, most) * (WORK_UNIT * CACHED_NODES) /
	       parts_of(net);
}

void mp_order_cut_solve(struct cut *cut, uint64_t price, uint64_t limit)
{
	const struct view *view = cut->view;
	struct network *net = cut->net;
	/* Entries of lists that building a network visits. */
	uint64_t entries = (uint64_t)view->n_ops + view->n_tensors +
			   view->n_edges + view->users.first[view->n_tensors];

	mp_order_cut_build(cut, price);
	net->flow.most_work = looks_in(net, cut->most_steps);
	cut->value = net->fixed;
	if (cut->value < limit)
		cut->value += mp_flow_run(&net->flow, limit - cut->value);
	cut->gave_up =
		cut->value < limit && net->flow.work >= net->flow.most_work;
	if (cut->value < limit)
		find_set(cut);
	cut->work +=
		1 + steps_of(net, net->flow.work + 4 * (uint64_t)net->n_edges +
					  entries);
}
