/*
 * load: bytes over the steps as CSV, beside what they are measured against. The
 * steps are those of the planned order; the file ends in .timeline.csv.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/rows.h"
#include "emit/text.h"

static const char *op_name(const struct problem *p, uint32_t step)
{
	return step < p->n_ops ? p->ops[p->order[step]].name : "";
}

bool mp_emit_load(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	(void)scratch;
	mp_sink_text(sink, "step,op,live,arena,theoretical_min\n");
	for (uint32_t k = 0; k < p->n_steps; k++) {
		mp_sink_i64(sink, mp_problem_time(p, k));
		mp_sink_text(sink, ",");
		mp_sink_cell(sink, op_name(p, k));
		mp_sink_text(sink, ",");
		mp_sink_u64(sink, p->load[k]);
		mp_sink_text(sink, ",");
		mp_sink_u64(sink, plan->arena_size);
		mp_sink_text(sink, ",");
		mp_sink_u64(sink, p->theoretical_min);
		mp_sink_text(sink, "\n");
	}
	return e->code == MEMPLAN_OK;
}
