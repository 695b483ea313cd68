/*
 * Loops. What the body of a loop reads and does not make, the next iteration
 * reads again, so that it is kept to the end of the loop; so is what it carries
 * from one iteration to the next. Both follow from one rule: the last op of the
 * loop reads these tensors too. See docs/model.md.
 *
 * SPDX-License-Identifier: MIT
 */

#include "graph/inside.h"

enum {
	MOST_LOOPS_DEEP = 64, /* loops in loops: each read looks at all */
};

/* ------------------------------------------------------------- nest */

static bool has(const struct graph_loop *loop, uint32_t op)
{
	return op != NONE && loop->first <= op && op <= loop->last;
}

/* Loops that begin earlier stand before those within them; of two that begin
 * with the same op, the longer one. */
static bool check_order(const struct graph *graph, uint32_t i, struct error *e)
{
	const struct graph_loop *loop = &graph->loops[i], *before = loop - 1;

	if (loop->first > loop->last || loop->last >= graph->n_ops)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: /loops/%u: the first op stands behind the last",
			graph->place, i);
	return i == 0 || before->first < loop->first ||
	       (before->first == loop->first && before->last >= loop->last) ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: /loops/%u: begins before loop %u, or is around it: "
		       "it must stand before it",
		       graph->place, i, i - 1);
}

static bool nest(struct graph *graph, uint32_t i, struct error *e)
{
	struct graph_loop *loop = &graph->loops[i];
	uint32_t around = i - 1, depth = 0; /* NONE before the first */

	if (!check_order(graph, i, e))
		return false;
	while (around != NONE && graph->loops[around].last < loop->first)
		around = graph->loops[around].around;
	loop->around = around;
	if (around != NONE && graph->loops[around].last < loop->last)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: /loops/%u: begins in loop %u and ends behind it",
			graph->place, i, around);
	for (; around != NONE; around = graph->loops[around].around)
		depth++;
	return depth < MOST_LOOPS_DEEP ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: /loops/%u: loops are nested deeper than %d",
		       graph->place, i, MOST_LOOPS_DEEP);
}

/* ---------------------------------------------------------- carried */

/* Does the loop put a value into the tensor, by another one that is written
 * over it? by NONE: any. */
static bool is_in_place(
	const struct graph_loop *loop, uint32_t tensor, uint32_t by)
{
	for (uint32_t k = 0; k < loop->n_carried; k++)
		if (loop->carried[k].in_place &&
			loop->carried[k].in == tensor &&
			(by == NONE || loop->carried[k].out == by))
			return true;
	return false;
}

static bool fail_pair(const struct graph *graph, uint32_t i, uint32_t k,
	const char *what, struct error *e)
{
	return mp_fail(e, MEMPLAN_EINPUT, "%s: /loops/%u/carried/%u: %s",
		graph->place, i, k, what);
}

static bool check_in(
	const struct graph *graph, uint32_t i, uint32_t k, struct error *e)
{
	const struct graph_loop *loop = &graph->loops[i];
	uint32_t in = loop->carried[k].in;
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&graph->ties, in);

	if (has(loop, graph->tensors[in].producer))
		return fail_pair(graph, i, k,
			"the first is made in the loop, and must be there "
			"before",
			e);
	return !alias || alias->writes ||
	       fail_pair(graph, i, k,
		       "the first is a view: the tensor that it is a view of "
		       "would change",
		       e);
}

static bool check_out(
	const struct graph *graph, uint32_t i, uint32_t k, struct error *e)
{
	const struct graph_loop *loop = &graph->loops[i];
	uint32_t maker = graph->tensors[loop->carried[k].out].producer;

	return maker == NONE || maker <= loop->last ||
	       fail_pair(graph, i, k, "the second is made behind the loop", e);
}

static bool check_both(
	const struct graph *graph, uint32_t i, uint32_t k, struct error *e)
{
	const struct graph_loop *loop = &graph->loops[i];
	struct carried_pair *pair = &loop->carried[k];
	const struct tensor *in = &graph->tensors[pair->in];
	const struct tensor *out = &graph->tensors[pair->out];
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&graph->ties, pair->out);

	pair->in_place = alias && alias->writes && alias->of == pair->in;
	if (in->size != out->size)
		return fail_pair(graph, i, k, "the two have one size", e);
	if (pair->in_place && loop->around != NONE &&
		!has(&graph->loops[loop->around], in->producer) &&
		!is_in_place(&graph->loops[loop->around], pair->in, pair->out))
		return fail_pair(graph, i, k,
			"the loop around needs the first again, which the "
			"second overwrites",
			e);
	return !pair->in_place || has(loop, out->producer) ||
	       fail_pair(graph, i, k, "no op of the loop makes the second", e);
}

static bool check_pair(
	const struct graph *graph, uint32_t i, uint32_t k, struct error *e)
{
	struct carried_pair *pair = &graph->loops[i].carried[k];

	pair->in_place = false;
	return (pair->in == NONE || check_in(graph, i, k, e)) &&
	       (pair->out == NONE || check_out(graph, i, k, e)) &&
	       (pair->in == NONE || pair->out == NONE ||
		       check_both(graph, i, k, e));
}

bool mp_graph_find_loops(
	struct graph *graph, struct arena *arena, struct error *e)
{
	uint32_t *loop_of = NULL;

	graph->loop_of = NULL;
	if (graph->n_loops == 0)
		return true;
	loop_of = NEW(arena, uint32_t, graph->n_ops);
	if (!loop_of)
		return false;
	for (uint32_t i = 0; i < graph->n_loops; i++) {
		if (!nest(graph, i, e))
			return false;
		for (uint32_t k = 0; k < graph->loops[i].n_carried; k++)
			if (!check_pair(graph, i, k, e))
				return false;
	}
	for (uint32_t op = 0, i = NONE, next = 0; op < graph->n_ops; op++) {
		while (i != NONE && graph->loops[i].last < op)
			i = graph->loops[i].around;
		while (next < graph->n_loops && graph->loops[next].first == op)
			i = next++;
		loop_of[op] = i;
	}
	graph->loop_of = loop_of;
	return true;
}

/* ------------------------------------------------------------ again */

/* Does the loop find the tensor as it was before, and not only what an op of it
 * makes? */
static bool finds(
	const struct graph *graph, const struct graph_loop *loop, uint32_t t)
{
	const struct tensor *tensor = &graph->tensors[t];

	if (!has(loop, tensor->producer))
		return true;
	/* The first op of a loop keeps its place. */
	return tensor->pinned && !tensor->from_start
		       ? tensor->start < loop->first
		       : mp_graph_tensor_from_start(tensor);
}

/* Of a loop and those around it, the outermost that finds the tensor: its next
 * iteration finds it as this one did. NONE: there is none. */
static uint32_t loop_again(
	const struct graph *graph, uint32_t inner, uint32_t tensor)
{
	uint32_t again = NONE;

	for (uint32_t i = inner; i != NONE; i = graph->loops[i].around)
		if (finds(graph, &graph->loops[i], tensor) &&
			!is_in_place(&graph->loops[i], tensor, NONE))
			again = i;
	return again;
}

/* Is the tensor handed on at the end of a loop, of which this is the last op?
 */
static bool is_handed_on(
	const struct graph *graph, uint32_t op, uint32_t tensor)
{
	for (uint32_t i = graph->loop_of[op];
		i != NONE && graph->loops[i].last == op;
		i = graph->loops[i].around)
		for (uint32_t k = 0; k < graph->loops[i].n_carried; k++)
			if (graph->loops[i].carried[k].out == tensor)
				return true;
	return false;
}

bool mp_graph_loop_needs(
	const struct graph *graph, uint32_t op, uint32_t tensor)
{
	return graph->loop_of &&
	       (is_handed_on(graph, op, tensor) ||
		       loop_again(graph, graph->loop_of[op], tensor) != NONE);
}

bool mp_graph_loop_overwrites(
	const struct graph *graph, uint32_t op, uint32_t older, uint32_t writer)
{
	uint32_t by = graph->tensors[writer].producer;

	if (!graph->loop_of || op == NONE)
		return false;
	if (op == by && is_handed_on(graph, op, older))
		return true;
	for (uint32_t i = graph->loop_of[op]; i != NONE;
		i = graph->loops[i].around)
		if (finds(graph, &graph->loops[i], older) &&
			has(&graph->loops[i], by) &&
			!is_in_place(&graph->loops[i], older, writer))
			return true;
	return false;
}

struct again {
	const struct graph *graph;
	void (*visit)(struct lists *, uint32_t tensor, uint32_t op);
	struct lists *lists;
};

/* An op of the loop reads it, or its end. */
static void read_again(const struct again *a, uint32_t inner, uint32_t tensor)
{
	uint32_t i = loop_again(a->graph, inner, tensor);
	uint32_t last = i == NONE ? NONE : a->graph->loops[i].last;

	if (last != NONE && last != a->graph->tensors[tensor].producer)
		a->visit(a->lists, tensor, last);
}

/* The op at the end of the loop reads what comes out of an iteration, and holds
 * the place for what goes into the next. */
static void carry(const struct again *a, uint32_t i)
{
	const struct graph_loop *loop = &a->graph->loops[i];

	for (uint32_t k = 0; k < loop->n_carried; k++) {
		const struct carried_pair *pair = &loop->carried[k];

		if (pair->out != NONE) {
			if (a->graph->tensors[pair->out].producer != loop->last)
				a->visit(a->lists, pair->out, loop->last);
			read_again(a, i, pair->out);
		}
		if (pair->in != NONE)
			read_again(a, i, pair->in);
	}
}

void mp_graph_each_again(const struct graph *graph,
	void (*visit)(struct lists *, uint32_t tensor, uint32_t op),
	struct lists *lists)
{
	struct again again = {graph, visit, lists};
	const struct ties *ties = &graph->ties;

	if (!graph->loop_of)
		return;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].inputs.n; i++)
			read_again(&again, graph->loop_of[op],
				graph->ops[op].inputs.at[i]);
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].producer != NONE)
			read_again(&again,
				graph->loop_of[graph->tensors[t].producer], t);
	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		uint32_t maker =
			graph->tensors[ties->aliases[i].tensor].producer;

		if (maker != NONE && !ties->aliases[i].writes)
			read_again(&again, graph->loop_of[maker],
				ties->aliases[i].of);
	}
	for (uint32_t i = 0; i < graph->n_loops; i++)
		carry(&again, i);
}
