/*
 * Ascend's breadth-first and depth-first orders. Tensors without producer
 * (data, constants, variables) are nodes of their own in Ascend's graphs. They
 * are taken one at a time, in the order of their declaration, and only when no
 * op is ready; ops without inputs follow in the same way. With memory priority
 * the ready nodes are a priority queue: fewest consumers first, then smallest
 * output. Ascend breaks the last tie by name, memplan by index.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/heap.h"
#include "base/lists.h"
#include "order/rows.h"

/* Nodes are the ops, then the tensors. */
struct walk {
	const struct graph *graph;
	int variant;
	uint32_t *waiting;     /* of an op: incoming edges not yet seen */
	bool *unlisted;	       /* of a tensor: its producer does not list it as
				  an output, as with an alias */
	struct lists controls; /* of an op: ops that wait for it, but read no
				  tensor of it */
	uint32_t *sources;     /* nodes to start from, first one first */
	uint32_t n_sources, next_source;
	uint32_t *ready; /* from head to tail; a stack pops the tail */
	uint32_t head, tail;
	struct heap heap; /* with memory priority */
	uint32_t *order;
	uint32_t n_order;
};

/* Calls visit for each control edge: op waits for `before`, but reads no tensor
 * of it. seen is scratch: of an op, the last op that reads one of its tensors.
 */
static void each_control(struct walk *w, uint32_t *seen,
	void (*visit)(struct walk *w, uint32_t before, uint32_t op))
{
	const struct graph *graph = w->graph;
	const struct ids *inputs, *before;
	uint32_t producer;

	memset(seen, 0xff, sizeof(*seen) * graph->n_ops);
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		inputs = &graph->ops[op].inputs;
		before = &graph->ops[op].before;
		for (uint32_t i = 0; i < inputs->n; i++) {
			producer = graph->tensors[inputs->at[i]].producer;
			if (producer != NONE && !w->unlisted[inputs->at[i]])
				seen[producer] = op;
		}
		for (uint32_t i = 0; i < before->n; i++)
			if (seen[before->at[i]] != op)
				visit(w, before->at[i], op);
	}
}

static void count_control(struct walk *w, uint32_t before, uint32_t op)
{
	mp_lists_count(&w->controls, before, 1);
	w->waiting[op]++;
}

static void add_control(struct walk *w, uint32_t before, uint32_t op)
{
	mp_lists_add(&w->controls, before, op);
}

static void mark_listed(struct walk *w, struct ids tensors)
{
	for (uint32_t i = 0; i < tensors.n; i++)
		w->unlisted[tensors.at[i]] = false;
}

static bool find_unlisted(struct walk *w, struct arena *arena)
{
	const struct graph *graph = w->graph;

	w->unlisted = NEW(arena, bool, graph->n_tensors);
	if (!w->unlisted)
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		w->unlisted[t] = graph->tensors[t].producer != NONE;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		mark_listed(w, graph->ops[op].outputs);
		mark_listed(w, graph->ops[op].temporaries);
	}
	return true;
}

/* Counts one edge for each tensor and reader, and one for each control edge,
 * which an unlisted alias makes too. */
static bool find_edges(struct walk *w, struct arena *arena)
{
	const struct graph *graph = w->graph;
	uint32_t n = graph->n_ops;
	uint32_t *seen = NEW(arena, uint32_t, n);

	if (!seen || !find_unlisted(w, arena) ||
		!mp_lists_init(&w->controls, n, arena))
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		for (uint32_t i = 0;
			!w->unlisted[t] && i < graph->tensors[t].readers.n; i++)
			w->waiting[graph->tensors[t].readers.at[i]]++;
	each_control(w, seen, count_control);
	if (!mp_lists_ready(&w->controls, n, arena))
		return false;
	each_control(w, seen, add_control);
	return true;
}

static void find_sources(struct walk *w)
{
	const struct graph *graph = w->graph;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].producer == NONE &&
			graph->tensors[t].readers.n > 0)
			w->sources[w->n_sources++] = graph->n_ops + t;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (w->waiting[op] == 0)
			w->sources[w->n_sources++] = op;
}

static struct keyed priority(const struct walk *w, uint32_t node)
{
	const struct graph *graph = w->graph;
	struct keyed entry = {0, 0, node};
	const struct ids *outputs;

	if (node >= graph->n_ops) {
		entry.first = graph->tensors[node - graph->n_ops].readers.n;
		entry.second = graph->tensors[node - graph->n_ops].size;
		return entry;
	}
	outputs = &graph->ops[node].outputs;
	for (uint32_t i = 0; i < outputs->n; i++) {
		entry.first += graph->tensors[outputs->at[i]].readers.n;
		entry.second += graph->tensors[outputs->at[i]].size;
	}
	return entry;
}

static void make_ready(struct walk *w, uint32_t node)
{
	if (w->variant & ORDER_MEMORY)
		mp_heap_push(&w->heap, priority(w, node));
	else
		w->ready[w->tail++] = node;
}

/* The next node, or NONE. */
static uint32_t take_node(struct walk *w)
{
	if (w->heap.n > 0)
		return mp_heap_pop(&w->heap).op;
	if (w->head < w->tail)
		return w->variant & ORDER_DEPTH ? w->ready[--w->tail]
						: w->ready[w->head++];
	return w->next_source < w->n_sources ? w->sources[w->next_source++]
					     : NONE;
}

static void see_edges(struct walk *w, struct ids ops)
{
	for (uint32_t i = 0; i < ops.n; i++) {
		assert(w->waiting[ops.at[i]] > 0);
		if (--w->waiting[ops.at[i]] == 0)
			make_ready(w, ops.at[i]);
	}
}

static void run_op(struct walk *w, uint32_t op)
{
	const struct graph *graph = w->graph;
	const struct op *o = &graph->ops[op];

	w->order[w->n_order++] = op;
	for (uint32_t i = 0; i < o->outputs.n; i++)
		see_edges(w, graph->tensors[o->outputs.at[i]].readers);
	for (uint32_t i = 0; i < o->temporaries.n; i++)
		see_edges(w, graph->tensors[o->temporaries.at[i]].readers);
	see_edges(w, mp_lists_at(&w->controls, op));
}

/* With memory priority, depth first, all sources are in the queue from the
 * start. */
static void visit_all(struct walk *w)
{
	uint32_t node;

	if ((w->variant & ORDER_MEMORY) && (w->variant & ORDER_DEPTH))
		while (w->next_source < w->n_sources)
			make_ready(w, w->sources[w->next_source++]);
	while ((node = take_node(w)) != NONE) {
		if (node < w->graph->n_ops)
			run_op(w, node);
		else
			see_edges(w, w->graph->tensors[node - w->graph->n_ops]
					     .readers);
	}
}

static bool init_walk(struct walk *w, struct arena *arena)
{
	uint32_t n = w->graph->n_ops;
	uint32_t nodes = n + w->graph->n_tensors;

	w->waiting = NEW(arena, uint32_t, n);
	w->sources = NEW(arena, uint32_t, nodes);
	w->ready = NEW(arena, uint32_t, nodes);
	return w->waiting && w->sources && w->ready &&
	       mp_heap_init(&w->heap, nodes, arena);
}

bool mp_order_forward(struct order_job *job, int variant)
{
	struct walk w = {.graph = job->graph, .variant = variant};
	struct arena_mark mark;

	w.order = NEW(job->arena, uint32_t, job->graph->n_ops);
	mark = mp_arena_mark(job->arena);
	if (!w.order || !init_walk(&w, job->arena) ||
		!find_edges(&w, job->arena))
		return false;
	find_sources(&w);
	visit_all(&w);
	assert(w.n_order == job->graph->n_ops);
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = w.order;
	job->n_alternatives = 1;
	return !(variant & ORDER_DELAY) ||
	       mp_order_delay_ascend(job->graph, w.order, job->arena);
}
