/*
 * A sweep as CSV, with a column for each dimension and option, and as a table
 * of Markdown.
 *
 * SPDX-License-Identifier: MIT
 */
#include "batch/inside.h"

enum {
	NAME = 80, /* characters of a name in Markdown */
	SENTENCE = 200,
	SHOWN = 1000, /* rows of Markdown */
};

/* -------------------------------------------------------------- CSV */

struct columns {
	const char **dims, **options;
	uint32_t n_dims, n_options;
};

static void titles(
	struct sink *sink, const struct columns *columns, struct arena *scratch)
{
	mp_sink_text(sink, "line,input,batch");
	for (uint32_t i = 0; i < columns->n_dims + columns->n_options; i++) {
		bool is_dim = i < columns->n_dims;
		const char *title = mp_arena_print(scratch,
			is_dim ? "dims.%s" : "options.%s",
			is_dim ? columns->dims[i]
			       : columns->options[i - columns->n_dims]);

		mp_sink_text(sink, ",");
		mp_sink_cell(sink, title ? title : "");
	}
	mp_sink_text(sink,
		",status,verdict,name,ops,tensors,buffers,alignment,order,"
		"planner,arena_size,theoretical_min,lower_bound,"
		"lower_bound_order,ratio,optimal,total_size,message,key\n");
}

static void cell(struct sink *sink, const char *text)
{
	mp_sink_text(sink, ",");
	if (text)
		mp_sink_cell(sink, text);
}

/* A switch that is on has the value "on". */
static void setting_cell(
	struct sink *sink, const struct settings *settings, const char *name)
{
	const char *value = mp_batch_find(settings, name);

	cell(sink, value && !*value ? "on" : value);
}

static void number_cell(struct sink *sink, uint64_t value)
{
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, value);
}

static void result_cells(struct sink *sink, const struct answer *answer)
{
	if (!answer->result) {
		mp_sink_text(sink, ",,,,,,,,,,,,,");
		return;
	}
	cell(sink, answer->name);
	number_cell(sink, answer->ops);
	number_cell(sink, answer->tensors);
	number_cell(sink, answer->buffers);
	number_cell(sink, answer->alignment);
	cell(sink, answer->order);
	cell(sink, answer->planner);
	number_cell(sink, answer->arena_size);
	number_cell(sink, answer->theoretical_min);
	number_cell(sink, answer->lower_bound);
	number_cell(sink, answer->lower_bound_order);
	mp_sink_text(sink, ",");
	mp_sink_ratio(sink, answer->arena_size, answer->theoretical_min, 6);
	number_cell(sink, answer->optimal);
	number_cell(sink, answer->total_size);
}

static void row(struct sink *sink, const struct columns *columns,
	const struct sweep_row *from)
{
	mp_sink_u64(sink, from->task.line);
	cell(sink, from->task.input);
	cell(sink, from->task.batch);
	for (uint32_t i = 0; i < columns->n_dims; i++)
		setting_cell(sink, &from->task.dims, columns->dims[i]);
	for (uint32_t i = 0; i < columns->n_options; i++)
		setting_cell(sink, &from->task.options, columns->options[i]);
	number_cell(sink, from->answer.status);
	cell(sink, mp_batch_verdict(&from->answer));
	result_cells(sink, &from->answer);
	cell(sink, from->answer.message);
	cell(sink, from->answer.key);
	mp_sink_text(sink, "\n");
}

void mp_batch_sweep_csv(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch)
{
	struct columns columns;

	if (!mp_batch_names(
		    sweep, true, &columns.dims, &columns.n_dims, scratch) ||
		!mp_batch_names(sweep, false, &columns.options,
			&columns.n_options, scratch))
		return;
	titles(sink, &columns, scratch);
	for (uint32_t i = 0; i < sweep->n; i++)
		row(sink, &columns, &sweep->rows[i]);
}

/* --------------------------------------------------------- Markdown */

static void markdown_row(
	struct sink *sink, const struct sweep_row *from, struct arena *scratch)
{
	const struct answer *answer = &from->answer;
	const char *title = mp_batch_title(&from->task, scratch);

	mp_sink_text(sink, "| ");
	mp_sink_code(sink, title ? title : "", NAME);
	mp_sink_print(sink, " | %s | ", mp_batch_verdict(answer));
	if (answer->result) {
		mp_sink_u64(sink, answer->arena_size);
		mp_sink_text(sink, " | ");
		mp_sink_u64(sink, answer->theoretical_min);
		mp_sink_text(sink, " | ");
		mp_sink_ratio(
			sink, answer->arena_size, answer->theoretical_min, 3);
		mp_sink_text(sink, " | ");
	} else {
		mp_sink_text(sink, "| | | ");
	}
	if (answer->message)
		mp_sink_code(sink, answer->message, SENTENCE);
	mp_sink_text(sink, " |\n");
}

void mp_batch_sweep_markdown(
	const struct sweep *sweep, struct sink *sink, struct arena *scratch)
{
	uint32_t n = sweep->n < SHOWN ? sweep->n : SHOWN;

	mp_sink_text(sink, "| task | | arena | minimum | ratio | |\n"
			   "|---|---|---:|---:|---:|---|\n");
	for (uint32_t i = 0; i < n; i++) {
		struct arena_mark mark = mp_arena_mark(scratch);

		markdown_row(sink, &sweep->rows[i], scratch);
		mp_arena_rewind(scratch, mark);
	}
	if (n < sweep->n)
		mp_sink_print(sink, "\nand %u more\n", sweep->n - n);
}
