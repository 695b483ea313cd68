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
#include "order/rows.h"

/* Nodes are the ops, then the tensors. */
struct walk {
	const struct graph *graph;
	int variant;
	uint32_t *waiting; /* of an op: incoming edges not yet seen */
	uint32_t *reads;   /* of an op: the op of which it was last seen to
			      read a tensor */
	uint32_t *sources; /* nodes to start from, first one first */
	uint32_t n_sources, next_source;
	uint32_t *ready; /* from head to tail; a stack pops the tail */
	uint32_t head, tail;
	struct heap heap; /* with memory priority */
	uint32_t *order;
	uint32_t n_order;
};

static struct ids readers_of(const struct walk *w, uint32_t tensor)
{
	return mp_graph_readers(w->graph, &w->graph->tensors[tensor]);
}

/* Calls visit for each edge from the op to another one: for each tensor and
 * reader, then for each op that waits for it but reads no tensor that it lists,
 * as with an alias. */
static void each_edge(struct walk *w, uint32_t op,
	void (*visit)(struct walk *w, uint32_t behind))
{
	const struct op *o = &w->graph->ops[op];
	const struct ids lists[] = {o->outputs, o->temporaries};
	struct ids readers;

	for (uint32_t k = 0; k < countof(lists); k++)
		for (uint32_t i = 0; i < lists[k].n; i++) {
			readers = readers_of(w, lists[k].at[i]);
			for (uint32_t r = 0; r < readers.n; r++) {
				w->reads[readers.at[r]] = op;
				visit(w, readers.at[r]);
			}
		}
	for (uint32_t i = 0; i < o->behind.n; i++)
		if (w->reads[o->behind.at[i]] != op)
			visit(w, o->behind.at[i]);
}

static void count_edge(struct walk *w, uint32_t behind)
{
	w->waiting[behind]++;
}

static void count_edges(struct walk *w)
{
	const struct graph *graph = w->graph;

	memset(w->reads, 0xff, sizeof(*w->reads) * graph->n_ops);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		each_edge(w, op, count_edge);
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		struct ids readers = readers_of(w, t);

		if (graph->tensors[t].producer != NONE)
			continue;
		for (uint32_t i = 0; i < readers.n; i++)
			count_edge(w, readers.at[i]);
	}
}

static void find_sources(struct walk *w)
{
	const struct graph *graph = w->graph;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].producer == NONE &&
			readers_of(w, t).n > 0)
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
		entry.first = readers_of(w, node - graph->n_ops).n;
		entry.second = graph->tensors[node - graph->n_ops].size;
		return entry;
	}
	outputs = &graph->ops[node].outputs;
	for (uint32_t i = 0; i < outputs->n; i++) {
		entry.first += readers_of(w, outputs->at[i]).n;
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

static void see_edge(struct walk *w, uint32_t behind)
{
	assert(w->waiting[behind] > 0);
	if (--w->waiting[behind] == 0)
		make_ready(w, behind);
}

/* With memory priority, depth first, all sources are in the queue from the
 * start. */
static void visit_all(struct walk *w)
{
	struct ids readers;
	uint32_t node;

	if ((w->variant & ORDER_MEMORY) && (w->variant & ORDER_DEPTH))
		while (w->next_source < w->n_sources)
			make_ready(w, w->sources[w->next_source++]);
	while ((node = take_node(w)) != NONE) {
		if (node < w->graph->n_ops) {
			w->order[w->n_order++] = node;
			each_edge(w, node, see_edge);
			continue;
		}
		readers = readers_of(w, node - w->graph->n_ops);
		for (uint32_t i = 0; i < readers.n; i++)
			see_edge(w, readers.at[i]);
	}
}

static bool init_walk(struct walk *w, struct arena *arena)
{
	uint32_t n = w->graph->n_ops;
	uint32_t nodes = n + w->graph->n_tensors;

	w->waiting = NEW(arena, uint32_t, n);
	w->reads = NEW(arena, uint32_t, n);
	w->sources = NEW(arena, uint32_t, nodes);
	w->ready = NEW(arena, uint32_t, nodes);
	return w->waiting && w->reads && w->sources && w->ready &&
	       mp_heap_init(&w->heap, nodes, arena);
}

bool mp_order_forward(struct order_job *job, int variant)
{
	struct walk w = {.graph = job->graph, .variant = variant};
	struct arena_mark mark;

	w.order = NEW(job->arena, uint32_t, job->graph->n_ops);
	mark = mp_arena_mark(job->arena);
	if (!w.order || !init_walk(&w, job->arena))
		return false;
	count_edges(&w);
	find_sources(&w);
	visit_all(&w);
	assert(w.n_order == job->graph->n_ops);
	mp_arena_rewind(job->arena, mark);
	job->alternatives[0] = w.order;
	job->n_alternatives = 1;
	return !(variant & ORDER_DELAY) ||
	       mp_order_delay_ascend(job->graph, w.order, job->arena);
}
