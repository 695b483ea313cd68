/*
 * copies: the ops that a budget put into the graph, in the order in which they
 * run, for the runtime that has to issue them. CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/rows.h"
#include "emit/text.h"

/* The tensor that is copied out, or comes back; NONE: not such an op. */
static uint32_t moved_item(const struct step *op)
{
	if (!op->type)
		return NONE;
	if (strcmp(op->type, "swap-out") == 0 && op->n_inputs == 1)
		return op->inputs[0];
	if ((strcmp(op->type, "swap-in") == 0 ||
		    strcmp(op->type, "recompute") == 0) &&
		op->n_outputs == 1)
		return op->outputs[0];
	return NONE;
}

bool mp_emit_copies(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	(void)scratch;
	mp_sink_text(sink, "step,what,tensor,offset,size\n");
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];
		uint32_t item = moved_item(op);

		if (item == NONE)
			continue;
		mp_sink_print(sink, "%u,%s,", k, op->type);
		mp_sink_cell(sink, mp_item_label(&p->items[item]));
		mp_sink_print(sink, ",%llu,%llu\n",
			(unsigned long long)mp_plan_offset(
				plan, &p->items[item]),
			(unsigned long long)p->items[item].size);
	}
	return e->code == MEMPLAN_OK;
}
