/*
 * A sweep as one JSON object: docs/formats/sweep.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "batch/inside.h"
#include "emit/json-text.h"

static void settings(
	struct sink *sink, const char *name, const struct settings *settings)
{
	if (settings->n == 0)
		return;
	mp_emit_json_key(sink, ", ", name);
	for (uint32_t i = 0; i < settings->n; i++) {
		mp_sink_text(sink, i == 0 ? "{" : ", ");
		mp_sink_json(sink, settings->at[i].name);
		mp_sink_text(sink, ": ");
		mp_sink_json(sink, settings->at[i].value);
	}
	mp_sink_text(sink, "}");
}

static void task(struct sink *sink, const struct task *task)
{
	mp_emit_json_text(sink, "{", "input", task->input);
	if (task->batch)
		mp_emit_json_text(sink, ", ", "batch", task->batch);
	settings(sink, "dims", &task->dims);
	settings(sink, "options", &task->options);
	for (uint32_t i = 0; i < task->n_outputs; i++) {
		mp_sink_text(sink, i == 0 ? ", \"outputs\": [" : ", ");
		mp_sink_json(sink, task->outputs[i]);
	}
	mp_sink_text(sink, task->n_outputs > 0 ? "]}" : "}");
}

static void texts(struct sink *sink, const char *name, const char *const *texts,
	uint32_t n)
{
	mp_emit_json_open(sink, JSON_LINE, name);
	for (uint32_t i = 0; i < n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_sink_json(sink, texts[i]);
	}
	mp_sink_text(sink, "]");
}

static void row(struct sink *sink, const struct sweep_row *row)
{
	mp_emit_json_number(sink, "{", "line", row->task.line);
	mp_emit_json_key(sink, JSON_LINE, "task");
	task(sink, &row->task);
	mp_emit_json_text(sink, JSON_LINE, "key", row->answer.key);
	mp_emit_json_number(sink, JSON_LINE, "status", row->answer.status);
	mp_emit_json_text(
		sink, JSON_LINE, "verdict", mp_batch_verdict(&row->answer));
	mp_emit_json_text(sink, JSON_LINE, "message", row->answer.message);
	texts(sink, "warnings", row->answer.warnings, row->answer.n_warnings);
	mp_emit_json_key(sink, JSON_LINE, "result");
	mp_sink_text(sink, row->answer.result ? row->answer.result : "null");
	mp_sink_text(sink, "}");
}

void mp_batch_sweep_json(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch)
{
	(void)scratch;
	mp_emit_json_text(sink, "{", "format", "memplan.sweep");
	mp_emit_json_number(sink, ", ", "version", 1);
	mp_emit_json_text(sink, ", ", "memplan", sweep->version);
	mp_emit_json_open(sink, ", ", "rows");
	for (uint32_t i = 0; i < sweep->n; i++) {
		mp_sink_text(sink, i > 0 ? ",\n" : "\n");
		row(sink, &sweep->rows[i]);
	}
	mp_sink_text(sink, "\n]}\n");
}
