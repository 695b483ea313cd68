/*
 * copies: the ops that a budget put into the graph, in the order in which they
 * run, for the runtime that has to issue them. CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sink-text.h"
#include "emit/inside.h"
#include "emit/rows.h"

/* A write may begin behind the last use of its tensor, anything else behind the
 * last op that is not a copy: its bytes are its own from there. NONE: at once.
 */
static uint32_t begins_behind(const struct schedule *s, uint32_t step)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t tensor = mp_emit_ways_moved(op);

	assert(tensor != NONE);
	while (step-- > 0) {
		const struct op *other = &s->graph->ops[s->order[step]];

		if (mp_emit_ways_is_out(op) ? mp_graph_op_uses(other, tensor)
					    : mp_emit_ways_moved(other) == NONE)
			return step;
	}
	return NONE;
}

/* What it brings must be there before its first use; the bytes that a write
 * leaves are those of others from the next op on. */
static uint32_t ends_before(const struct schedule *s, uint32_t step)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t tensor = mp_emit_ways_moved(op);

	assert(tensor != NONE);
	while (++step < s->graph->n_ops) {
		const struct op *other = &s->graph->ops[s->order[step]];

		if (mp_emit_ways_is_out(op) ? mp_emit_ways_moved(other) == NONE
					    : mp_graph_op_uses(other, tensor))
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
	mp_sink_print(sink, "step,what,tensor,offset,size,behind,before%s\n",
		plan->spaces.at ? ",pool" : "");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct op *op = &s->graph->ops[s->order[k]];
		uint32_t tensor = mp_emit_ways_moved(op);

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
		mp_sink_print(sink, ",%u", ends_before(s, k));
		if (plan->spaces.at) {
			mp_sink_text(sink, ",");
			mp_sink_cell(sink,
				plan->spaces.at[mp_plan_space(plan, tensor)]
					.name);
		}
		mp_sink_text(sink, "\n");
	}
}
