/* SPDX-License-Identifier: MIT */
#include "order/cut.h"

#include <string.h>

enum {
	WORK_UNIT = 32
}; /* neighbours of a flow looked at in one step of a job */

bool mp_cut_init(struct cut *cut, const struct view *view, struct arena *arena)
{
	*cut = (struct cut){.view = view, .arena = arena};
	cut->side = NEW(arena, uint8_t, view->n_ops);
	cut->in = NEW(arena, bool, view->n_ops);
	cut->nodes = NEW(arena, uint32_t, view->n_ops);
	cut->stack = NEW(arena, uint32_t, view->n_ops);
	return cut->side && cut->in && cut->nodes && cut->stack;
}

void mp_cut_reset(struct cut *cut)
{
	memset(cut->side, CUT_FREE, cut->view->n_ops);
}

/* Puts the op and all that it reaches along the lists on one side. */
static bool force(struct cut *cut, const struct lists *lists, uint32_t op,
	enum cut_side side)
{
	uint32_t n = 0;

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

bool mp_cut_force_in(struct cut *cut, uint32_t op)
{
	return force(cut, &cut->view->before, op, CUT_IN);
}

bool mp_cut_force_out(struct cut *cut, uint32_t op)
{
	return force(cut, &cut->view->behind, op, CUT_OUT);
}

bool mp_cut_before(struct cut *cut, uint32_t op)
{
	struct ids before = mp_lists_at(&cut->view->before, op);

	for (uint32_t i = 0; i < before.n; i++)
		if (!mp_cut_force_in(cut, before.at[i]))
			return false;
	return mp_cut_force_out(cut, op);
}

/* ----------------------------------------------------------------- network */

/* The network of the free ops. What is forced in supplies, what is forced out
 * demands; a tensor between the two is alive in any case. */
struct network {
	struct cut *cut;
	struct flow flow;
	struct flow_edge *edges;
	uint32_t n_edges, n_nodes;
	uint64_t *supply, *demand; /* at the nodes */
	uint64_t fixed;		   /* bytes alive in any case */
	uint32_t *edge_of; /* of a user: the edge from the producer at hand */
};

/* Who the free users of a tensor are, and whether one is forced out. */
struct use {
	uint32_t n_free, last_free;
	bool some_out;
};

static struct use use_of(const struct cut *cut, uint32_t tensor)
{
	struct ids users = mp_lists_at(&cut->view->users, tensor);
	struct use use = {0, NONE, cut->view->to_end[tensor]};

	for (uint32_t i = 0; i < users.n; i++) {
		if (cut->side[users.at[i]] == CUT_OUT)
			use.some_out = true;
		if (cut->side[users.at[i]] != CUT_FREE)
			continue;
		use.n_free++;
		use.last_free = users.at[i];
	}
	return use;
}

static void add_edge(struct network *net, uint32_t from, uint32_t to,
	uint64_t forward, uint64_t backward)
{
	net->edges[net->n_edges++] =
		(struct flow_edge){from, to, forward, backward};
}

/* A tensor with several free users gets a node: alive until all are in. */
static uint32_t add_shared(struct network *net, uint32_t tensor)
{
	struct ids users = mp_lists_at(&net->cut->view->users, tensor);
	uint32_t node = net->n_nodes++;

	for (uint32_t i = 0; i < users.n; i++)
		if (net->cut->side[users.at[i]] == CUT_FREE)
			add_edge(net, node, net->cut->nodes[users.at[i]],
				FLOW_UNLIMITED, 0);
	return node;
}

/* A tensor whose producer is in the set for sure. */
static void add_supplied(struct network *net, uint32_t tensor)
{
	struct use use = use_of(net->cut, tensor);
	uint64_t size = net->cut->view->size[tensor];

	if (use.some_out)
		net->fixed += size;
	else if (use.n_free == 1)
		net->supply[net->cut->nodes[use.last_free]] += size;
	else if (use.n_free > 1)
		net->supply[add_shared(net, tensor)] += size;
}

/* A tensor whose producer is free. */
static void add_tensor(struct network *net, uint32_t op, uint32_t tensor)
{
	struct use use = use_of(net->cut, tensor);
	uint64_t size = net->cut->view->size[tensor];
	uint32_t node = net->cut->nodes[op];

	if (use.some_out)
		net->demand[node] += size;
	else if (use.n_free == 1)
		net->edges[net->edge_of[use.last_free]].forward += size;
	else if (use.n_free > 1)
		add_edge(net, node, add_shared(net, tensor), size, 0);
}

/* An op in the set needs what it waits for in the set: unlimited backwards. */
static void add_op(struct network *net, uint32_t op)
{
	const struct cut *cut = net->cut;
	struct ids behind = mp_lists_at(&cut->view->behind, op);
	struct ids outputs = mp_lists_at(&cut->view->outputs, op);

	for (uint32_t i = 0; i < behind.n; i++) {
		if (cut->side[behind.at[i]] != CUT_FREE)
			continue;
		net->edge_of[behind.at[i]] = net->n_edges;
		add_edge(net, cut->nodes[op], cut->nodes[behind.at[i]], 0,
			FLOW_UNLIMITED);
	}
	for (uint32_t i = 0; i < outputs.n; i++)
		add_tensor(net, op, outputs.at[i]);
}

static void add_forced(struct network *net, uint32_t op)
{
	struct ids outputs = mp_lists_at(&net->cut->view->outputs, op);

	for (uint32_t i = 0; i < outputs.n; i++)
		add_supplied(net, outputs.at[i]);
}

static bool reserve(struct network *net)
{
	const struct view *view = net->cut->view;
	struct arena *arena = net->cut->arena;
	size_t edges = (size_t)view->behind.first[view->n_ops] +
		       view->users.first[view->n_tensors] + view->n_tensors;
	size_t nodes = (size_t)view->n_ops + view->n_tensors;

	net->edges = NEW(arena, struct flow_edge, edges);
	net->supply = NEW(arena, uint64_t, nodes);
	net->demand = NEW(arena, uint64_t, nodes);
	net->edge_of = NEW(arena, uint32_t, view->n_ops);
	return net->edges && net->supply && net->demand && net->edge_of;
}

static void collect(struct network *net)
{
	const struct view *view = net->cut->view;
	const uint8_t *side = net->cut->side;

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
		else if (side[op] == CUT_IN)
			add_forced(net, op);
	}
}

/* What a node both supplies and demands flows through it alone. */
static void settle_nodes(struct network *net)
{
	for (uint32_t i = 0; i < net->n_nodes; i++) {
		uint64_t through = num_min(net->supply[i], net->demand[i]);

		net->fixed += through;
		net->flow.supply[i] = net->supply[i] - through;
		net->flow.demand[i] = net->demand[i] - through;
	}
}

static bool build(struct network *net, uint64_t price)
{
	if (!reserve(net))
		return false;
	collect(net);
	for (uint32_t op = 0; price > 0 && op < net->cut->view->n_ops; op++)
		if (net->cut->side[op] == CUT_FREE)
			net->demand[net->cut->nodes[op]] += price;
	if (!mp_flow_init(&net->flow, net->n_nodes, net->edges, net->n_edges,
		    net->cut->arena))
		return false;
	settle_nodes(net);
	return true;
}

static bool find_set(struct network *net)
{
	struct cut *cut = net->cut;
	bool *reached = NEW(cut->arena, bool, net->n_nodes);

	if (!reached)
		return false;
	mp_flow_reach(&net->flow, reached);
	for (uint32_t op = 0; op < cut->view->n_ops; op++)
		cut->in[op] =
			cut->side[op] == CUT_IN ||
			(cut->side[op] == CUT_FREE && reached[cut->nodes[op]]);
	return true;
}

bool mp_cut_solve(struct cut *cut, uint64_t price, uint64_t limit)
{
	struct arena_mark mark = mp_arena_mark(cut->arena);
	struct network net = {.cut = cut};
	bool done = build(&net, price);

	if (done) {
		cut->value = net.fixed;
		if (cut->value < limit)
			cut->value +=
				mp_flow_run(&net.flow, limit - cut->value);
		done = cut->value >= limit || find_set(&net);
		cut->work += 1 + (net.flow.work + net.n_edges) / WORK_UNIT;
	}
	mp_arena_rewind(cut->arena, mark);
	return done;
}
