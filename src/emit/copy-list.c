/*
 * copies: the ops that a budget put into the graph, in the order in which they
 * run, for the runtime that has to issue them. CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/text.h"
#include "emit/rows.h"

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

static bool lists(const uint32_t *items, uint32_t n, uint32_t item)
{
	for (uint32_t i = 0; i < n; i++)
		if (items[i] == item)
			return true;
	return false;
}

static bool uses(const struct step *op, uint32_t item)
{
	return lists(op->inputs, op->n_inputs, item) ||
	       lists(op->outputs, op->n_outputs, item);
}

static bool is_out(const struct step *op)
{
	return strcmp(op->type, "swap-out") == 0;
}

/* A write may begin behind the last use of its tensor, anything else behind the
 * last op that is not a copy: its bytes are its own from there. NONE: at once.
 */
static uint32_t begins_behind(const struct problem *p, uint32_t step)
{
	const struct step *op = &p->ops[p->order[step]];
	uint32_t item = moved_item(op);

	while (step-- > 0) {
		const struct step *other = &p->ops[p->order[step]];

		if (is_out(op) ? uses(other, item) : moved_item(other) == NONE)
			return step;
	}
	return NONE;
}

/* What it brings must be there before its first use; the bytes that a write
 * leaves are those of others from the next op on. */
static uint32_t ends_before(const struct problem *p, uint32_t step)
{
	const struct step *op = &p->ops[p->order[step]];
	uint32_t item = moved_item(op);

	while (++step < p->n_ops) {
		const struct step *other = &p->ops[p->order[step]];

		if (is_out(op) ? moved_item(other) == NONE : uses(other, item))
			break;
	}
	return step;
}

bool mp_emit_copies(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	(void)scratch;
	mp_sink_text(sink, "step,what,tensor,offset,size,behind,before\n");
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];
		uint32_t item = moved_item(op);

		if (item == NONE)
			continue;
		mp_sink_print(sink, "%u,%s,", k, op->type);
		mp_sink_cell(sink, mp_problem_item_label(&p->items[item]));
		mp_sink_print(sink, ",%llu,%llu,",
			(unsigned long long)mp_plan_offset(
				plan, &p->items[item]),
			(unsigned long long)p->items[item].size);
		if (begins_behind(p, k) != NONE)
			mp_sink_print(sink, "%u", begins_behind(p, k));
		mp_sink_print(sink, ",%u\n", ends_before(p, k));
	}
	return e->code == MEMPLAN_OK;
}
