/*
 * explain: what would lower the peak, in words.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static struct piece op_name(const struct schedule *s, uint32_t op)
{
	const struct op *step = &s->graph->ops[op];
	struct piece piece;

	assert(op < s->graph->n_ops);
	if (step->name[0] || step->type)
		return mp_emit_plain(step->name[0] ? step->name : step->type);
	snprintf(piece.text, sizeof(piece.text), "op %u", op);
	return piece;
}

static void move(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	bool later = advice->to > advice->from;
	bool last = advice->to == s->problem.n_steps;

	mp_sink_print(sink, "%s: run %s, now step %u, %s%s",
		later ? "later" : "earlier", op_name(s, advice->op).text,
		advice->from, last ? "last" : "right before ",
		last ? "" : mp_emit_step(s, advice->to).text);
	mp_sink_print(sink,
		later ? ", so that %s is not yet there at the peak"
		      : ", which lets go of %s",
		mp_emit_tensor(s, advice->tensor).text);
}

static void recompute(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	uint64_t cost = s->graph->ops[advice->op].cost_us;

	mp_sink_print(sink, "recompute: run %s again right before %s",
		op_name(s, advice->op).text, mp_emit_step(s, advice->to).text);
	if (cost)
		mp_sink_print(sink, " (%" PRIu64 " us)", cost);
	mp_sink_print(sink, " instead of keeping %s",
		mp_emit_tensor(s, advice->tensor).text);
}

/* One suggestion as a sentence without its end; to be read by a machine too.
 */
static void suggestion(struct sink *sink, const struct schedule *s,
	const struct advice *advice)
{
	assert(advice->kind < N_ADVICE);
	switch (advice->kind) {
	case ADVICE_INPLACE:
		mp_sink_print(sink,
			"in place: let %s write %s over %s, which dies there",
			op_name(s, advice->op).text,
			mp_emit_tensor(s, advice->other).text,
			mp_emit_tensor(s, advice->tensor).text);
		break;
	case ADVICE_MOVE:
		move(sink, s, advice);
		break;
	case ADVICE_RECOMPUTE:
		recompute(sink, s, advice);
		break;
	case ADVICE_SWAP:
		mp_sink_print(sink,
			"swap: move %s out behind %s and back before %s, %s "
			"each way",
			mp_emit_tensor(s, advice->tensor).text,
			mp_emit_step(s, advice->from).text,
			mp_emit_step(s, advice->to).text,
			mp_emit_unit(s->graph->tensors[advice->tensor].size)
				.text);
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
		suggestion(sink, s, &results->advice[i]);
		mp_sink_text(sink, "\n");
	}
}
