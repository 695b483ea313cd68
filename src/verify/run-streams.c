/*
 * What ops of several streams have used each cell, of which a log is kept. One
 * stream after another, its own uses and all writes are read in that order: a
 * segment tree has the last of the stream's ops that used a cell.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/run.h"

/* -------------------------------------------------------------- log */

/* An op uses cells of a tensor. */
struct use {
	uint32_t op, tensor;
	struct cells cells;
	uint32_t stream; /* of the op */
	bool writes;	 /* it must come after all ops that used them */
};

bool mp_verify_run_use(struct run_check *r, uint32_t op, uint32_t t,
	struct cells cells, bool writes)
{
	struct use *uses;

	if (r->n_streams <= 1 || op == NONE)
		return true;
	uses = mp_arena_grow(
		r->scratch, r->uses, r->n_uses, &r->room, sizeof(*uses));
	if (!uses)
		return false;
	uses[r->n_uses++] =
		(struct use){op, t, cells, r->graph->ops[op].stream, writes};
	r->uses = uses;
	return true;
}

void mp_verify_run_forget_uses(struct run_check *r)
{
	r->n_uses = 0;
}

/* ------------------------------------------------------------ trees */

/* Does an op behind this position use one of the cells? */
static bool is_used_after(const struct run_check *r, struct cell_node node,
	struct cells cells, uint32_t position)
{
	if (mp_verify_run_misses(node, cells) ||
		r->used[node.index] <= position)
		return false;
	return mp_verify_run_is_within(node, cells) ||
	       r->used_by_all[node.index] > position ||
	       is_used_after(r, mp_verify_run_left(node), cells, position) ||
	       is_used_after(r, mp_verify_run_right(node), cells, position);
}

/* Ops of a stream come in its order: each is its last one yet. */
static void note_use(struct run_check *r, struct cell_node node,
	struct cells cells, uint32_t position)
{
	if (mp_verify_run_misses(node, cells))
		return;
	r->used[node.index] = position;
	if (mp_verify_run_is_within(node, cells)) {
		r->used_by_all[node.index] = position;
		return;
	}
	note_use(r, mp_verify_run_left(node), cells, position);
	note_use(r, mp_verify_run_right(node), cells, position);
}

/* ---------------------------------------------------------- streams */

/* How many ops of the stream happen before the op, or are the op. */
static uint32_t known(const struct run_check *r, uint32_t op, uint32_t stream)
{
	return r->graph->ops[op].stream == stream
		       ? r->position[op]
		       : r->clocks[(size_t)op * r->n_streams + stream];
}

static bool complain(
	const struct run_check *r, const struct use *use, uint32_t stream)
{
	const struct graph *g = r->graph;

	return mp_fail(r->error, MEMPLAN_NO,
		"%s: the run of the graph: op %u '%.80s' writes tensor "
		"'%.80s' while stream %u may use its bytes",
		g->name, use->op, mp_graph_op_label(g, use->op),
		mp_graph_tensor_label(&g->tensors[use->tensor]), stream);
}

/* Takes the writes up to this use from the list: each comes after what the
 * stream has used by then. */
static bool check_writes(const struct run_check *r, uint32_t stream,
	struct ids *writes, uint32_t use)
{
	for (; writes->n > 0 && writes->at[0] <= use;
		writes->at++, writes->n--) {
		const struct use *write = &r->uses[writes->at[0]];

		if (is_used_after(r, mp_verify_run_root(r), write->cells,
			    known(r, write->op, stream)))
			return complain(r, write, stream);
	}
	return true;
}

static bool check_stream(
	struct run_check *r, uint32_t stream, struct ids own, struct ids writes)
{
	for (uint32_t i = 0; i < own.n; i++) {
		const struct use *use = &r->uses[own.at[i]];

		if (!check_writes(r, stream, &writes, own.at[i]))
			return false;
		note_use(r, mp_verify_run_root(r), use->cells,
			r->position[use->op]);
	}
	if (!check_writes(r, stream, &writes, NONE))
		return false;
	for (uint32_t i = 0; i < own.n; i++)
		note_use(r, mp_verify_run_root(r), r->uses[own.at[i]].cells, 0);
	return true;
}

static bool list_writes(const struct run_check *r, struct ids *writes)
{
	uint32_t *at = NEW(r->scratch, uint32_t, r->n_uses);

	*writes = (struct ids){at, 0};
	for (uint32_t i = 0; at && i < r->n_uses; i++)
		if (r->uses[i].writes)
			at[writes->n++] = i;
	return at != NULL;
}

bool mp_verify_run_check_uses(struct run_check *r)
{
	struct arena_mark mark = mp_arena_mark(r->scratch);
	struct lists own;
	struct ids writes;
	bool fine =
		r->n_uses == 0 ||
		(list_writes(r, &writes) &&
			mp_lists_group(&own, r->n_streams, &r->uses[0].stream,
				sizeof(*r->uses), r->n_uses, r->scratch));

	for (uint32_t k = 0; fine && r->n_uses > 0 && k < r->n_streams; k++)
		fine = check_stream(r, k, mp_lists_at(&own, k), writes);
	mp_arena_rewind(r->scratch, mark);
	return fine;
}

/* ----------------------------------------------------------- clocks */

/* Of each op and stream, how many ops of that stream happen before it. */
static void fill_clocks(struct run_check *r)
{
	const struct graph *g = r->graph;
	uint32_t n = r->n_streams;

	for (uint32_t step = 0; step < g->n_ops; step++) {
		uint32_t op = r->order[step];
		uint32_t *clock = r->clocks + (size_t)op * n;
		struct ids before = g->ops[op].before;

		for (uint32_t i = 0; i < before.n; i++) {
			uint32_t other = before.at[i];
			const uint32_t *known = r->clocks + (size_t)other * n;

			for (uint32_t k = 0; k < n; k++)
				if (clock[k] < known[k])
					clock[k] = known[k];
			if (clock[g->ops[other].stream] < r->position[other])
				clock[g->ops[other].stream] =
					r->position[other];
		}
	}
}

bool mp_verify_run_streams(struct run_check *r)
{
	const struct graph *g = r->graph;
	uint32_t *n = NEW(r->scratch, uint32_t, g->n_streams);

	r->position = NEW(r->scratch, uint32_t, g->n_ops);
	r->clocks = NEW(r->scratch, uint32_t, (size_t)g->n_ops * r->n_streams);
	r->used = NEW(r->scratch, uint32_t, (size_t)r->leaves * 2);
	r->used_by_all = NEW(r->scratch, uint32_t, (size_t)r->leaves * 2);
	if (!n || !r->position || !r->clocks || !r->used || !r->used_by_all)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		r->position[r->order[i]] = ++n[g->ops[r->order[i]].stream];
	fill_clocks(r);
	return true;
}
