/*
 * Merges streams. Without an execution order, as on processors, SOMAS puts each
 * node on its own stream. Vector clocks take memory for each node and stream,
 * so nodes that wait for each other anyway are put on one stream, which adds no
 * dependence.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/somas/somas-dump.h"

#include <assert.h>

struct chains {
	struct graph *graph;
	uint32_t *producer; /* of a tensor, or NONE */
	uint32_t *last;	    /* op of a stream */
	uint32_t n;
};

/* Puts op after `before`, if that is the last op of its stream. */
static bool append_to(struct chains *c, uint32_t op, uint32_t before)
{
	uint32_t stream;

	if (before == NONE || before >= op)
		return false;
	stream = c->graph->ops[before].stream;
	assert(stream < c->n);
	if (c->last[stream] != before)
		return false;
	c->graph->ops[op].stream = stream;
	c->last[stream] = op;
	return true;
}

static bool append_to_any(struct chains *c, uint32_t op)
{
	const struct op *at = &c->graph->ops[op];

	for (uint32_t i = 0; i < at->inputs.n; i++)
		if (append_to(c, op, c->producer[at->inputs.at[i]]))
			return true;
	for (uint32_t i = 0; i < at->after.n; i++)
		if (append_to(c, op, at->after.at[i]))
			return true;
	return false;
}

static void find_producers(struct chains *c)
{
	const struct graph *graph = c->graph;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		c->producer[t] = NONE;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].outputs.n; i++)
			c->producer[graph->ops[op].outputs.at[i]] = op;
}

bool mp_input_somas_chain(struct graph *graph, struct arena *scratch)
{
	struct chains c = {.graph = graph};

	c.producer = NEW(scratch, uint32_t, graph->n_tensors);
	c.last = NEW(scratch, uint32_t, graph->n_ops);
	if (!c.producer || !c.last)
		return false;
	find_producers(&c);
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		if (append_to_any(&c, op))
			continue;
		graph->ops[op].stream = c.n;
		c.last[c.n++] = op;
	}
	return true;
}
