/*
 * copies: the ops that a budget put into the graph, in the order in which they
 * run, for the runtime that has to issue them. CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "emit/rows.h"

/* The tensor that is copied out, or comes back; NONE: not such an op. */
static uint32_t moved_tensor(const struct op *op)
{
	if (!op->type)
		return NONE;
	if (strcmp(op->type, "swap-out") == 0 && op->inputs.n == 1)
		return op->inputs.at[0];
	if ((strcmp(op->type, "swap-in") == 0 ||
		    strcmp(op->type, "recompute") == 0) &&
		op->outputs.n == 1)
		return op->outputs.at[0];
	return NONE;
}

static bool uses(const struct op *op, uint32_t tensor)
{
	for (uint32_t i = 0; i < op->inputs.n; i++)
		if (op->inputs.at[i] == tensor)
			return true;
	for (uint32_t i = 0; i < op->outputs.n; i++)
		if (op->outputs.at[i] == tensor)
			return true;
	return false;
}

static bool is_out(const struct op *op)
{
	return strcmp(op->type, "swap-out") == 0;
}

/* A write may begin behind the last use of its tensor, anything else behind the
 * last op that is not a copy: its bytes are its own from there. NONE: at once.
 */
static uint32_t begins_behind(const struct schedule *s, uint32_t step)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t tensor = moved_tensor(op);

	assert(tensor != NONE);
	while (step-- > 0) {
		const struct op *other = &s->graph->ops[s->order[step]];

		if (is_out(op) ? uses(other, tensor)
			       : moved_tensor(other) == NONE)
			return step;
	}
	return NONE;
}

/* What it brings must be there before its first use; the bytes that a write
 * leaves are those of others from the next op on. */
static uint32_t ends_before(const struct schedule *s, uint32_t step)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t tensor = moved_tensor(op);

	assert(tensor != NONE);
	while (++step < s->graph->n_ops) {
		const struct op *other = &s->graph->ops[s->order[step]];

		if (is_out(op) ? moved_tensor(other) == NONE
			       : uses(other, tensor))
			break;
	}
	return step;
}

void mp_emit_copies(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;

	(void)scratch;
	mp_sink_text(sink, "step,what,tensor,offset,size,behind,before\n");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct op *op = &s->graph->ops[s->order[k]];
		uint32_t tensor = moved_tensor(op);

		if (tensor == NONE)
			continue;
		mp_sink_print(sink, "%u,%s,", k, op->type);
		mp_sink_cell(sink,
			mp_graph_tensor_label(&s->graph->tensors[tensor]));
		mp_sink_print(sink, ",%llu,%llu,",
			(unsigned long long)mp_plan_offset(plan, tensor),
			(unsigned long long)s->graph->tensors[tensor].size);
		if (begins_behind(s, k) != NONE)
			mp_sink_print(sink, "%u", begins_behind(s, k));
		mp_sink_print(sink, ",%u\n", ends_before(s, k));
	}
}
