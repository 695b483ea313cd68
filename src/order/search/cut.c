/*
 * Forcing ops to a side, and solving the network that is left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

/* Neighbours that the flow visits in one step of a job, about 100 ns. */
enum {
	WORK_UNIT = 32
};

bool mp_order_cut_init(
	struct cut *cut, const struct view *view, struct arena *arena)
{
	*cut = (struct cut){.view = view, .arena = arena};
	cut->side = NEW(arena, uint8_t, view->n_ops);
	cut->in = NEW(arena, bool, view->n_ops);
	cut->nodes = NEW(arena, uint32_t, view->n_ops);
	cut->stack = NEW(arena, uint32_t, view->n_ops);
	return cut->side && cut->in && cut->nodes && cut->stack;
}

void mp_order_cut_reset(struct cut *cut)
{
	memset(cut->side, CUT_FREE, cut->view->n_ops);
}

/* Puts the op and all ops that must be with it on one side: its predecessors
 * in, or its successors out. */
static bool force_side(struct cut *cut, uint32_t op, enum cut_side side)
{
	uint32_t n = 0;

	assert(op < cut->view->n_ops && side != CUT_FREE);
	if (cut->side[op] != CUT_FREE)
		return cut->side[op] == side;
	cut->side[op] = (uint8_t)side;
	cut->stack[n++] = op;
	while (n > 0) {
		const struct op *at = &cut->view->ops[cut->stack[--n]];
		struct ids next = side == CUT_IN ? at->before : at->behind;

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

bool mp_order_cut_member(
	struct cut *cut, struct ids set, uint32_t member, bool first)
{
	uint32_t op = set.at[member];
	struct ids before = cut->view->ops[op].before;
	bool possible = true;

	assert(member < set.n);
	mp_order_cut_reset(cut);
	for (uint32_t i = 0; i < before.n && possible; i++)
		possible = mp_order_cut_force_in(cut, before.at[i]);
	possible = possible && force_side(cut, op, CUT_OUT);
	for (uint32_t i = 0; i < set.n && possible; i++)
		if (set.at[i] != op)
			possible = force_side(
				cut, set.at[i], first ? CUT_OUT : CUT_IN);
	return possible;
}

/* ------------------------------------------------------------ solve */

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

bool mp_order_cut_solve(struct cut *cut, uint64_t price, uint64_t limit)
{
	struct arena_mark mark = mp_arena_mark(cut->arena);
	const struct view *view = cut->view;
	/* Entries of lists that building a network visits. */
	uint64_t entries = (uint64_t)view->n_ops + view->n_tensors +
			   view->n_edges + view->users.first[view->n_tensors];
	struct network net;
	bool done = mp_order_network_init(&net, cut, price, false);

	if (done) {
		cut->value = net.fixed;
		if (cut->value < limit)
			cut->value +=
				mp_flow_run(&net.flow, limit - cut->value);
		done = cut->value >= limit || find_set(&net);
		cut->work += 1 + (net.flow.work + 4 * (uint64_t)net.n_edges +
					 entries) /
					 WORK_UNIT;
	}
	mp_arena_rewind(cut->arena, mark);
	return done;
}
