/*
 * Do the graphs of a bundle run as it says? Those in turn must be behind each
 * other whatever the timing; those that run at the same time must not be
 * ordered at all, or two tensors that may be alive together would look as if
 * they were not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "bundle/bundle.h"

struct walk {
	const struct graph *graph;
	uint32_t *member; /* of an op */
	uint32_t *first;  /* op of a member; one more than members */
	struct arena *scratch;
	struct error *error;
};

static const char *name_of(const struct walk *w, uint32_t op)
{
	return w->graph->bundle.members[w->member[op]].name;
}

/* The op waits for the other one, or does not, against what the bundle says. */
static bool contradict(const struct walk *w, uint32_t op, uint32_t other)
{
	bool concurrent = w->graph->bundle.concurrent;

	assert(w->member[op] != w->member[other]);
	return mp_fail(w->error, MEMPLAN_EINPUT,
		concurrent ? "%s: /graphs: '%.60s' and '%.60s' are concurrent, "
			     "but op %u '%.60s' of the one waits for op %u "
			     "'%.60s' of the other"
			   : "%s: /graphs: '%.60s' runs before '%.60s', but op "
			     "%u '%.60s' does not wait for op %u '%.60s'",
		w->graph->place, name_of(w, concurrent ? op : other),
		name_of(w, concurrent ? other : op), op,
		mp_graph_op_label(w->graph, op), other,
		mp_graph_op_label(w->graph, other));
}

static bool index_ops(struct walk *w)
{
	const struct bundle *bundle = &w->graph->bundle;
	uint32_t op = 0;

	w->member = NEW(w->scratch, uint32_t, w->graph->n_ops);
	w->first = NEW(w->scratch, uint32_t, (size_t)bundle->n + 1);
	if (!w->member || !w->first)
		return false;
	for (uint32_t i = 0; i < bundle->n; i++) {
		w->first[i] = op;
		for (uint32_t k = 0; k < bundle->members[i].n_ops; k++)
			w->member[op++] = i;
	}
	assert(op == w->graph->n_ops);
	w->first[bundle->n] = op;
	return true;
}

/* ------------------------------------------------------- concurrent */

/* Ops of one stream wait for each other, and so do all where there is but one.
 */
static bool check_free(const struct walk *w)
{
	const struct graph *graph = w->graph;

	for (uint32_t op = 0; op < graph->n_ops; op++) {
		if (graph->n_streams <= 1 && w->member[op] != w->member[0])
			return contradict(w, op, 0);
		for (uint32_t i = 0; i < graph->ops[op].before.n; i++) {
			uint32_t other = graph->ops[op].before.at[i];

			if (w->member[op] != w->member[other])
				return contradict(w, op, other);
		}
	}
	return true;
}

/* ----------------------------------------------------------- serial */

/* Has an op of its own graph that it waits for, or one that waits for it. */
static bool is_inner(const struct walk *w, uint32_t op, const struct ids *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (w->member[list->at[i]] == w->member[op])
			return true;
	return false;
}

/* Ops that start a graph wait for those that end the one before. */
static bool check_barrier(const struct walk *w, uint32_t before, uint32_t after)
{
	const struct op *ops = w->graph->ops;

	for (uint32_t op = w->first[after]; op < w->first[after + 1]; op++) {
		if (is_inner(w, op, &ops[op].before))
			continue;
		for (uint32_t end = w->first[before];
			end < w->first[before + 1]; end++)
			if (!is_inner(w, end, &ops[end].behind) &&
				!mp_lists_contain(ops[op].before, end))
				return contradict(w, op, end);
	}
	return true;
}

static bool check_turns(const struct walk *w)
{
	const struct bundle *bundle = &w->graph->bundle;
	uint32_t before = NONE;

	for (uint32_t i = 0; i < bundle->n; i++) {
		if (w->first[i] == w->first[i + 1])
			continue;
		if (before != NONE && !check_barrier(w, before, i))
			return false;
		before = i;
	}
	return true;
}

/* On one stream the order says which graph runs first. */
static bool check_order(const struct walk *w)
{
	const struct ids *ops = &w->graph->claims.ops;

	for (uint32_t i = 0; i + 1 < ops->n; i++)
		if (ops->at[i] < w->graph->n_ops &&
			ops->at[i + 1] < w->graph->n_ops &&
			w->member[ops->at[i]] > w->member[ops->at[i + 1]])
			return contradict(w, ops->at[i], ops->at[i + 1]);
	return true;
}

/* ------------------------------------------------------------ check */

static bool check(struct walk *w)
{
	if (!index_ops(w))
		return false;
	if (w->graph->bundle.concurrent)
		return check_free(w);
	return w->graph->n_streams > 1 ? check_turns(w) : check_order(w);
}

bool mp_bundle_check_order(
	const struct graph *graph, struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct walk walk = {.graph = graph, .scratch = &scratch, .error = e};
	bool fine = graph->bundle.n == 0 || check(&walk);

	mp_arena_free(&scratch);
	return fine;
}
