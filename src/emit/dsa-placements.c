/*
 * dsa-solution: the plan of a problem of dsa-solver as its tools read it, with
 * the fingerprint of the problem; docs/formats/dsa.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sink-text.h"
#include "emit/rows.h"
#include "graph/dsa-problem.h"

/* Where the bytes of a tensor lie, with the pool of the graph. */
struct range {
	uint64_t from, to;
	uint32_t pool;
};

static struct range range_of(const struct plan *plan, uint32_t tensor)
{
	uint64_t offset = mp_plan_offset(plan, tensor);
	uint32_t space = mp_plan_space(plan, tensor);

	assert(!plan->spaces.at || space < plan->spaces.n);
	return (struct range){offset,
		offset + plan->schedule->graph->tensors[tensor].size,
		plan->spaces.at ? plan->spaces.at[space].pool : 0};
}

static void write_placements(const struct plan *plan, struct sink *sink)
{
	const struct dsa_problem *problem = plan->schedule->graph->dsa;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct dsa_buffer_id *buffer = &problem->buffers[i];
		struct range range = range_of(plan, buffer->tensor);

		mp_sink_text(sink, i ? ",\n    {" : "\n    {");
		mp_sink_text(sink, "\"buffer\": ");
		mp_sink_u64(sink, buffer->id);
		mp_sink_text(sink, ", \"pool\": ");
		mp_sink_u64(sink, problem->pool_ids[range.pool]);
		mp_sink_text(sink, ", \"offset\": ");
		mp_sink_u64(sink, range.from);
		mp_sink_text(sink, "}");
	}
}

void mp_emit_dsa_solution(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct dsa_problem *problem = plan->schedule->graph->dsa;

	(void)scratch;
	mp_sink_text(sink, "{\n  \"schema_version\": 1,\n  \"profile\": ");
	mp_sink_json(sink, problem->profile);
	mp_sink_text(sink, ",\n  \"instance\": ");
	mp_sink_json(sink, problem->instance);
	mp_sink_text(sink, ",\n  \"problem_fingerprint\": ");
	mp_sink_json(sink, problem->fingerprint);
	mp_sink_text(sink, ",\n  \"metadata\": {},\n  \"placements\": [");
	write_placements(plan, sink);
	mp_sink_text(sink, "\n  ]\n}\n");
}
