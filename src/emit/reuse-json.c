/*
 * reuse: which tensor overwrites which, as JSON, for the runtime that must keep
 * that order. One overwrite a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "emit/json-text.h"
#include "emit/rows.h"
#include "problem/reuse-edges.h"

static void ops(
	struct sink *sink, const struct schedule *s, const struct reuse *reuse)
{
	mp_emit_json_open(sink, ", ", "last");
	for (uint32_t i = 0; i < reuse->n_last; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_sink_u64(sink, s->order[reuse->last[i]]);
	}
	mp_sink_text(sink, "]");
	mp_emit_json_key(sink, ", ", "first");
	if (reuse->first == NONE)
		mp_sink_text(sink, "null");
	else
		mp_sink_u64(sink, s->order[reuse->first]);
}

static void edge(
	struct sink *sink, const struct plan *plan, const struct reuse *reuse)
{
	const struct schedule *s = plan->schedule;
	const struct tensor *old = &s->graph->tensors[reuse->old];
	const struct tensor *next = &s->graph->tensors[reuse->next];

	assert(reuse->bytes > 0 && reuse->old != reuse->next);
	mp_sink_text(sink, "{\"old\": ");
	mp_emit_json_id(sink, old);
	mp_emit_json_key(sink, ", ", "new");
	mp_emit_json_id(sink, next);
	if (plan->spaces.at)
		mp_emit_json_text(
			sink, ", ", "pool", plan->spaces.at[reuse->space].name);
	JSON_NUMBERS(
		sink, ", ", {"offset", reuse->low}, {"bytes", reuse->bytes});
	mp_emit_json_step(sink, ", ", "end", s, reuse->end);
	mp_emit_json_step(sink, ", ", "start", s, reuse->start);
	ops(sink, s, reuse);
	mp_emit_json_bool(sink, ", ", "cross_stream", reuse->crosses);
	mp_emit_json_text(sink, ", ", "implied_by",
		mp_problem_reuse_order_name(reuse->order));
	mp_sink_text(sink, "}");
}

void mp_emit_reuse(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct reuses reuses;

	if (!mp_problem_reuse_find(plan, &reuses, scratch) ||
		!mp_problem_reuse_search(&reuses, scratch))
		return;
	mp_sink_text(sink, "{\n  \"format\": \"memplan.reuse\"");
	mp_emit_json_number(sink, JSON_LINE, "version", 1);
	mp_emit_json_text(sink, JSON_LINE, "name", s->graph->name);
	JSON_NUMBERS(sink, JSON_LINE, {"arena_size", plan->arena_size},
		{"streams", s->problem.n_streams}, {"edges", reuses.n},
		{"cross_stream", reuses.n_crossing},
		{"hazards", reuses.n_hazards}, {"bytes", reuses.bytes});
	mp_emit_json_bool(sink, JSON_LINE, "searched", reuses.searched);
	mp_sink_text(sink, ",\n  \"reuse\": [");
	for (uint32_t i = 0; i < reuses.n; i++) {
		mp_emit_json_item(sink, i);
		edge(sink, plan, &reuses.at[i]);
	}
	mp_sink_text(sink, reuses.n > 0 ? "\n  ]\n}\n" : "]\n}\n");
}
