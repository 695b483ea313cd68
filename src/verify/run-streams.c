/*
 * What ops of several streams have used each cell: of each stream the last one,
 * in a segment tree of greatest positions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/run.h"

#include <string.h>

/* Numbers of the trees of all streams, and of the clocks. */
static const size_t most_room = (size_t)1 << 26;

/* ---------------------------------------------------------- streams */

/* The trees of a stream: of a node the last op that used a cell there, and that
 * used all of them. */
struct uses {
	uint32_t *some, *all;
};

static uint32_t most_used(
	struct uses uses, struct cell_node node, struct cells cells)
{
	uint32_t a, b;

	if (mp_verify_run_misses(node, cells))
		return 0;
	if (mp_verify_run_is_within(node, cells))
		return uses.some[node.index];
	a = most_used(uses, mp_verify_run_left(node), cells);
	b = most_used(uses, mp_verify_run_right(node), cells);
	a = a > b ? a : b;
	return a > uses.all[node.index] ? a : uses.all[node.index];
}

static void note_use(struct uses uses, struct cell_node node,
	struct cells cells, uint32_t position)
{
	if (mp_verify_run_misses(node, cells))
		return;
	if (uses.some[node.index] < position)
		uses.some[node.index] = position;
	if (mp_verify_run_is_within(node, cells)) {
		if (uses.all[node.index] < position)
			uses.all[node.index] = position;
		return;
	}
	note_use(uses, mp_verify_run_left(node), cells, position);
	note_use(uses, mp_verify_run_right(node), cells, position);
}

/* Nodes of the trees of so many streams. */
static size_t nodes_of(const struct run_check *r, uint32_t n_streams)
{
	return (size_t)n_streams * 2 * r->leaves;
}

static struct uses uses_of(const struct run_check *r, uint32_t stream)
{
	return (struct uses){r->used + nodes_of(r, stream),
		r->used_by_all + nodes_of(r, stream)};
}

void mp_verify_run_use(
	struct run_check *r, uint32_t op, uint32_t low, uint32_t high)
{
	if (r->n_streams <= 1 || op == NONE)
		return;
	note_use(uses_of(r, r->graph->ops[op].stream), mp_verify_run_root(r),
		(struct cells){low, high}, r->position[op]);
}

/* All ops that used the bytes happen before the one that writes them. */
bool mp_verify_run_is_after(const struct run_check *r, uint32_t op, uint32_t t)
{
	struct cells cells = {r->low[t], r->high[t]};

	for (uint32_t k = 0; r->n_streams > 1 && op != NONE && k < r->n_streams;
		k++) {
		uint32_t last =
			most_used(uses_of(r, k), mp_verify_run_root(r), cells);
		uint32_t known = r->clocks[(size_t)op * r->n_streams + k];

		if (k == r->graph->ops[op].stream)
			known = r->position[op];
		if (last > known)
			return false;
	}
	return true;
}

void mp_verify_run_forget_uses(struct run_check *r)
{
	size_t n = nodes_of(r, r->n_streams);

	if (r->n_streams <= 1)
		return;
	memset(r->used, 0, sizeof(*r->used) * n);
	memset(r->used_by_all, 0, sizeof(*r->used_by_all) * n);
}

bool mp_verify_run_is_too_large(const struct run_check *r)
{
	size_t n = r->n_streams;

	return n > 1 && (nodes_of(r, r->n_streams) > most_room ||
				n * r->graph->n_ops > most_room);
}

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
	r->used = NEW(r->scratch, uint32_t, nodes_of(r, r->n_streams));
	r->used_by_all = NEW(r->scratch, uint32_t, nodes_of(r, r->n_streams));
	if (!n || !r->position || !r->clocks || !r->used || !r->used_by_all)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		r->position[r->order[i]] = ++n[g->ops[r->order[i]].stream];
	fill_clocks(r);
	return true;
}
