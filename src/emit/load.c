/*
 * load: bytes over the steps as CSV, beside what they are measured against, of
 * several memories also what is alive in each. The steps are those of the
 * planned order; the file ends in .timeline.csv.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sink-text.h"
#include "emit/inside.h"
#include "emit/rows.h"

enum {
	LANES = 64 /* memories with a column of their own */
};

struct lanes {
	struct lane at[LANES];
	uint32_t n;
};

static bool titles(
	struct sink *sink, const struct lanes *lanes, struct arena *scratch)
{
	mp_sink_text(sink, "step,op,live,arena,theoretical_min");
	for (uint32_t i = 0; i < lanes->n; i++) {
		const char *title = mp_arena_print(
			scratch, "live in %s", lanes->at[i].space.name);

		if (!title)
			return false;
		mp_sink_text(sink, ",");
		mp_sink_cell(sink, title);
	}
	mp_sink_text(sink, "\n");
	return true;
}

static void row(struct sink *sink, const struct plan *plan,
	const struct lanes *lanes, uint32_t k)
{
	const struct problem *p = plan->problem;
	const struct op *op = mp_schedule_op(plan->schedule, k);

	assert(k < p->n_steps);
	mp_sink_i64(sink, mp_problem_time(p, k));
	mp_sink_text(sink, ",");
	mp_sink_cell(sink, op ? op->name : "");
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, p->load[k]);
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, plan->arena_size);
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, p->theoretical_min);
	for (uint32_t i = 0; i < lanes->n; i++) {
		mp_sink_text(sink, ",");
		mp_sink_u64(sink, lanes->at[i].load[k]);
	}
	mp_sink_text(sink, "\n");
}

void mp_emit_load(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	struct lanes *lanes = NEW(scratch, struct lanes, 1);

	if (!lanes)
		return;
	lanes->n = plan->spaces.n < LANES ? plan->spaces.n : LANES;
	for (uint32_t i = 0; i < lanes->n; i++)
		if (!mp_emit_lane(plan, i, &lanes->at[i], scratch))
			return;
	if (!titles(sink, lanes, scratch))
		return;
	for (uint32_t k = 0; k < plan->problem->n_steps; k++)
		row(sink, plan, lanes, k);
}
