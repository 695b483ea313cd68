/*
 * explain: what would lower the peak, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>

#include "emit/report.h"

static void op_name(struct sink *sink, const struct schedule *s, uint32_t op)
{
	const struct op *step = &s->graph->ops[op];

	assert(op < s->graph->n_ops);
	if (step->name[0] || step->type)
		mp_sink_plain(sink, step->name[0] ? step->name : step->type,
			REPORT_NAME);
	else
		mp_sink_print(sink, "op %u", op);
}

static void in_place(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	mp_sink_text(sink, "in place: let ");
	op_name(sink, s, advice->op);
	mp_sink_text(sink, " write ");
	mp_emit_report_tensor(sink, s, advice->other);
	mp_sink_text(sink, " over ");
	mp_emit_report_tensor(sink, s, advice->tensor);
	mp_sink_text(sink, ", which dies there");
}

static void move(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	bool later = advice->to > advice->from;

	mp_sink_text(sink, later ? "later: run " : "earlier: run ");
	op_name(sink, s, advice->op);
	mp_sink_print(sink, ", now step %u, ", advice->from);
	if (advice->to == s->problem.n_steps)
		mp_sink_text(sink, "last");
	else {
		mp_sink_text(sink, "right before ");
		mp_emit_explain_step(sink, s, advice->to);
	}
	mp_sink_text(sink, later ? ", so that " : ", which lets go of ");
	mp_emit_report_tensor(sink, s, advice->tensor);
	if (later)
		mp_sink_text(sink, " is not yet there at the peak");
}

static void recompute(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	uint64_t cost = s->graph->ops[advice->op].cost_us;

	mp_sink_text(sink, "recompute: run ");
	op_name(sink, s, advice->op);
	mp_sink_text(sink, " again right before ");
	mp_emit_explain_step(sink, s, advice->to);
	if (cost)
		mp_sink_print(sink, " (%llu us)", (unsigned long long)cost);
	mp_sink_text(sink, " instead of keeping ");
	mp_emit_report_tensor(sink, s, advice->tensor);
}

static void swap(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	mp_sink_text(sink, "swap: move ");
	mp_emit_report_tensor(sink, s, advice->tensor);
	mp_sink_text(sink, " out behind ");
	mp_emit_explain_step(sink, s, advice->from);
	mp_sink_text(sink, " and back before ");
	mp_emit_explain_step(sink, s, advice->to);
	mp_sink_text(sink, ", ");
	mp_sink_unit(sink, s->graph->tensors[advice->tensor].size);
	mp_sink_text(sink, " each way");
}

void mp_emit_explain_what(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	assert(advice->kind < N_ADVICE);
	switch (advice->kind) {
	case ADVICE_INPLACE:
		in_place(sink, s, advice);
		break;
	case ADVICE_MOVE:
		move(sink, s, advice);
		break;
	case ADVICE_RECOMPUTE:
		recompute(sink, s, advice);
		break;
	case ADVICE_SWAP:
		swap(sink, s, advice);
		break;
	case ADVICE_BATCH:
		mp_sink_text(sink, "batch: run it in two halves; at best, if "
				   "all but weights and states halve");
		break;
	case N_ADVICE:
		break;
	}
}

void mp_emit_explain_advice(struct sink *sink, const struct results *results)
{
	const struct schedule *s = results->schedule;

	if (!results->advice || s->graph->n_ops == 0)
		return;
	if (results->n_advice == 0) {
		mp_sink_text(sink, "\nno single change of those that are "
				   "tried lowers the peak\n");
		return;
	}
	mp_sink_text(sink, "\nwhat would lower the peak, each alone\n");
	for (uint32_t i = 0; i < results->n_advice; i++) {
		mp_sink_print(sink, "  %u  ", i + 1);
		mp_emit_explain_less(sink, s->problem.theoretical_min,
			results->advice[i].peak);
		mp_sink_text(sink, "\n     ");
		mp_emit_explain_what(sink, s, &results->advice[i]);
		mp_sink_text(sink, "\n");
	}
}
