/*
 * show: of each loop the steps of its body, what is carried from one iteration
 * to the next, and what lives through all iterations.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <inttypes.h>

#include "emit/json-text.h"
#include "emit/report.h"

enum {
	LOOPS_SHOWN = 10, /* each looks at all tensors */
	PAIRS_SHOWN = 4,
};

/* Not made in the body, and alive in all its steps. */
static bool lives_through(const struct schedule *s,
	const struct graph_loop *loop, const struct body *body, uint32_t t)
{
	uint32_t producer = s->graph->tensors[t].producer;
	const struct stay *stay = &s->stay[t];

	return stay->buffer != NONE && stay->start <= body->start &&
	       body->end <= stay->end &&
	       (producer == NONE || producer < loop->first ||
		       producer > loop->last);
}

static void say_through(struct sink *sink, const struct schedule *s,
	const struct graph_loop *loop, const struct body *body)
{
	uint64_t bytes = 0;
	uint32_t n = 0;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (lives_through(s, loop, body, t)) {
			bytes += s->graph->tensors[t].size;
			n++;
		}
	mp_sink_print(sink, "; %u tensor%s, %s, %s through it\n", n,
		mp_text_plural(n), mp_emit_bytes(bytes).text,
		n == 1 ? "lives" : "live");
}

static void say_carried(struct sink *sink, const struct schedule *s,
	const struct graph_loop *loop)
{
	for (uint32_t k = 0; k < loop->n_carried && k < PAIRS_SHOWN; k++)
		mp_sink_print(sink, "    %s becomes %s\n",
			mp_emit_tensor(s, loop->carried[k].out).text,
			mp_emit_tensor(s, loop->carried[k].in).text);
	if (loop->n_carried > PAIRS_SHOWN)
		mp_sink_print(sink, "    and %u more: --json lists all\n",
			loop->n_carried - PAIRS_SHOWN);
}

void mp_emit_loops_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const struct graph *graph = s->graph;
	const struct body *bodies =
		graph->n_loops > 0 ? mp_emit_loop_bodies(s, scratch) : NULL;

	if (!bodies)
		return;
	mp_sink_print(sink, "\nloops: %u\n", graph->n_loops);
	for (uint32_t i = 0; i < graph->n_loops && i < LOOPS_SHOWN; i++) {
		const struct graph_loop *loop = &graph->loops[i];
		const struct body *body = &bodies[i];

		mp_sink_print(sink,
			"  steps [%" PRIu64 ", %" PRIu64 "), op %s to op %s",
			(uint64_t)body->start, (uint64_t)body->end,
			mp_emit_op(s, loop->first).text,
			mp_emit_op(s, loop->last).text);
		say_through(sink, s, loop, body);
		say_carried(sink, s, loop);
	}
	if (graph->n_loops > LOOPS_SHOWN)
		mp_sink_print(sink, "  and %u more: --json lists all\n",
			graph->n_loops - LOOPS_SHOWN);
}

static void carried_json(struct sink *sink, const struct graph *graph,
	const struct graph_loop *loop)
{
	mp_sink_text(sink, "[");
	for (uint32_t k = 0; k < loop->n_carried; k++) {
		mp_sink_text(sink, k > 0 ? ", [" : "[");
		mp_emit_json_id(sink, &graph->tensors[loop->carried[k].in]);
		mp_sink_text(sink, ", ");
		mp_emit_json_id(sink, &graph->tensors[loop->carried[k].out]);
		mp_sink_text(sink, "]");
	}
	mp_sink_text(sink, "]");
}

void mp_emit_loops_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const struct graph *graph = s->graph;
	const struct body *bodies =
		graph->n_loops > 0 ? mp_emit_loop_bodies(s, scratch) : NULL;

	if (!bodies)
		return;
	mp_emit_json_open(sink, JSON_LINE, "loops");
	for (uint32_t i = 0; i < graph->n_loops; i++) {
		const struct graph_loop *loop = &graph->loops[i];
		const struct body *body = &bodies[i];

		mp_emit_json_item(sink, i);
		mp_emit_json_number(sink, "{", "start", body->start);
		mp_emit_json_number(sink, ", ", "end", body->end);
		mp_emit_json_key(sink, ", ", "carried");
		carried_json(sink, graph, loop);
		mp_sink_text(sink, "}");
	}
	mp_emit_json_close(sink, graph->n_loops);
}
