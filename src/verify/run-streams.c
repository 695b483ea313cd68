/*
 * What ops of several streams have used each cell: of each stream the last one,
 * in a segment tree of greatest positions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/run.h"

#include <string.h>

static const size_t most_room = (size_t)1
				<< 26; /* numbers of the trees of all
					  streams, and of the clocks */

/* ---------------------------------------------------------- streams */

static uint32_t most_used(const uint32_t *used, const uint32_t *by_all,
	uint32_t node, uint32_t first, uint32_t n, uint32_t low, uint32_t high)
{
	uint32_t a, b;

	if (high <= first || first + n <= low)
		return 0;
	if (low <= first && first + n <= high)
		return used[node];
	a = most_used(used, by_all, 2 * node, first, n / 2, low, high);
	b = most_used(
		used, by_all, 2 * node + 1, first + n / 2, n / 2, low, high);
	a = a > b ? a : b;
	return a > by_all[node] ? a : by_all[node];
}

static void note_use(uint32_t *used, uint32_t *by_all, uint32_t node,
	uint32_t first, uint32_t n, uint32_t low, uint32_t high, uint32_t at)
{
	if (high <= first || first + n <= low)
		return;
	if (used[node] < at)
		used[node] = at;
	if (low <= first && first + n <= high) {
		if (by_all[node] < at)
			by_all[node] = at;
		return;
	}
	note_use(used, by_all, 2 * node, first, n / 2, low, high, at);
	note_use(used, by_all, 2 * node + 1, first + n / 2, n / 2, low, high,
		at);
}

/* Nodes of the trees of a stream. */
static size_t trees_of(const struct run_check *r, uint32_t stream)
{
	return (size_t)stream * 2 * r->leaves;
}

void mp_verify_run_use(
	struct run_check *r, uint32_t op, uint32_t low, uint32_t high)
{
	uint32_t stream;

	if (r->n_streams <= 1 || op == NONE)
		return;
	stream = r->graph->ops[op].stream;
	note_use(r->used + trees_of(r, stream),
		r->used_by_all + trees_of(r, stream), 1, 0, r->leaves, low,
		high, r->position[op]);
}

/* All ops that used the bytes happen before the one that writes them. */
bool mp_verify_run_is_after(const struct run_check *r, uint32_t op, uint32_t t)
{
	for (uint32_t k = 0; r->n_streams > 1 && op != NONE && k < r->n_streams;
		k++) {
		uint32_t last = most_used(r->used + trees_of(r, k),
			r->used_by_all + trees_of(r, k), 1, 0, r->leaves,
			r->low[t], r->high[t]);
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
	size_t n = trees_of(r, r->n_streams);

	if (r->n_streams <= 1)
		return;
	memset(r->used, 0, sizeof(*r->used) * n);
	memset(r->used_by_all, 0, sizeof(*r->used_by_all) * n);
}

bool mp_verify_run_is_too_large(const struct run_check *r)
{
	size_t n = r->n_streams;

	return n > 1 && (trees_of(r, r->n_streams) > most_room ||
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
	r->used = NEW(r->scratch, uint32_t, trees_of(r, r->n_streams));
	r->used_by_all = NEW(r->scratch, uint32_t, trees_of(r, r->n_streams));
	if (!n || !r->position || !r->clocks || !r->used || !r->used_by_all)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		r->position[r->order[i]] = ++n[g->ops[r->order[i]].stream];
	fill_clocks(r);
	return true;
}
