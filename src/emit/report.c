/*
 * What reports for people have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/report.h"

#include <assert.h>
#include <inttypes.h>

/* ----------------------------------------------------------- pieces */

/* What is written there is short enough: the sink never grows. */
static struct sink sink_of(struct piece *piece)
{
	*piece = (struct piece){""};
	return (struct sink){.bytes = piece->text, .room = PIECE_ROOM};
}

struct piece mp_emit_bytes(uint64_t bytes)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);

	mp_sink_bytes(&sink, bytes);
	return piece;
}

struct piece mp_emit_unit(uint64_t bytes)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);

	mp_sink_unit(&sink, bytes);
	return piece;
}

struct piece mp_emit_percent(uint64_t a, uint64_t b)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);

	mp_sink_percent(&sink, a, b);
	return piece;
}

struct piece mp_emit_size(const struct schedule *s, uint64_t bytes)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);
	uint32_t width = mp_text_digits(s->problem.total_size);

	for (uint32_t i = mp_text_digits(bytes); i < width; i++)
		mp_sink_text(&sink, " ");
	mp_sink_bytes(&sink, bytes);
	return piece;
}

/* With a quote on either side, or without. */
static struct piece framed(const char *quote, const char *name, uint32_t most)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);

	assert(name);
	mp_sink_text(&sink, quote);
	mp_sink_plain(&sink, name, most);
	mp_sink_text(&sink, quote);
	return piece;
}

struct piece mp_emit_plain(const char *name)
{
	return framed("", name, REPORT_NAME);
}

struct piece mp_emit_quoted(const char *name)
{
	return framed("'", name, REPORT_NAME);
}

struct piece mp_emit_op(const struct schedule *s, uint32_t op)
{
	const struct op *step = &s->graph->ops[op];
	struct piece piece;
	struct sink sink = sink_of(&piece);

	assert(op < s->graph->n_ops);
	mp_sink_u64(&sink, op);
	mp_sink_text(&sink, " '");
	mp_sink_plain(&sink,
		step->name[0] || !step->type ? step->name : step->type,
		REPORT_NAME);
	mp_sink_text(&sink, "'");
	if (s->problem.n_streams > 1) {
		mp_sink_text(&sink, " of stream ");
		mp_sink_u64(&sink, step->stream);
	}
	return piece;
}

/* Both names of a label are cut already. */
static struct piece label(
	const char *quote, const struct labels *labels, uint32_t tensor)
{
	return framed(quote, labels->of_tensor[tensor],
		mp_emit_labels_several(labels, tensor) ? LABEL_MOST
						       : REPORT_NAME);
}

struct piece mp_emit_label(const struct labels *labels, uint32_t tensor)
{
	return label("", labels, tensor);
}

struct piece mp_emit_called(const struct labels *labels, uint32_t tensor)
{
	return label("'", labels, tensor);
}

struct piece mp_emit_own(const struct schedule *s, uint32_t tensor)
{
	assert(tensor < s->graph->n_tensors);
	return mp_emit_plain(mp_graph_tensor_label(&s->graph->tensors[tensor]));
}

struct piece mp_emit_tensor(const struct schedule *s, uint32_t tensor)
{
	assert(tensor < s->graph->n_tensors);
	return mp_emit_quoted(
		mp_graph_tensor_label(&s->graph->tensors[tensor]));
}

struct piece mp_emit_step(const struct schedule *s, uint32_t step)
{
	const char *op = mp_schedule_op_name(s, step);
	struct piece piece;
	struct sink sink = sink_of(&piece);

	assert(step <= s->problem.n_steps);
	mp_sink_print(&sink, "%s ", mp_problem_axis(&s->problem));
	mp_sink_i64(&sink, mp_problem_time(&s->problem, step));
	if (op) {
		mp_sink_text(&sink, " (");
		mp_sink_plain(&sink, op, REPORT_NAME);
		mp_sink_text(&sink, ")");
	}
	return piece;
}

struct piece mp_emit_steps(
	const struct schedule *s, uint32_t start, uint32_t end)
{
	struct piece piece;
	struct sink sink = sink_of(&piece);

	assert(start <= end);
	mp_sink_text(&sink, "[");
	mp_sink_i64(&sink, mp_problem_time(&s->problem, start));
	mp_sink_text(&sink, ", ");
	mp_sink_i64(&sink, mp_problem_time(&s->problem, end));
	mp_sink_text(&sink, ")");
	return piece;
}

struct piece mp_emit_life(const struct schedule *s, uint32_t tensor)
{
	return mp_emit_steps(s, s->stay[tensor].start, s->stay[tensor].end);
}

struct piece mp_emit_label_life(const struct labels *labels, uint32_t tensor)
{
	uint32_t start, end;

	mp_emit_labels_life(labels, tensor, &start, &end);
	return mp_emit_steps(labels->schedule, start, end);
}

/* ------------------------------------------------------------ lines */

void mp_emit_phrase(struct sink *sink, const char *phrase, const char *name)
{
	const char *gap = strstr(phrase, "%s");

	assert((gap != NULL) == (name != NULL));
	if (!gap) {
		mp_sink_text(sink, phrase);
		return;
	}
	mp_sink_write(sink, phrase, (size_t)(gap - phrase));
	mp_sink_text(sink, name);
	mp_sink_text(sink, gap + strlen("%s"));
}

void mp_emit_report_head(struct sink *sink, const struct schedule *s)
{
	const struct margins *margins = &s->problem.margins;
	uint32_t external = mp_graph_count_external(s->graph);

	mp_sink_print(sink, "%s\n", mp_emit_plain(s->graph->name).text);
	if (s->graph->n_ops > 0)
		mp_sink_print(sink, "  ops          %u\n", s->graph->n_ops);
	mp_sink_print(sink, "  tensors      %u", s->graph->n_tensors);
	if (external)
		mp_sink_print(sink, ", %u of them external", external);
	mp_sink_print(sink, "\n  buffers      %u, aligned to %s",
		s->problem.n_buffers, mp_emit_unit(s->problem.alignment).text);
	if (margins->padding)
		mp_sink_print(sink, " with %u of padding", margins->padding);
	if (margins->target)
		mp_sink_print(
			sink, " for %s", mp_emit_plain(margins->target).text);
	mp_sink_text(sink, "\n");
}

void mp_emit_report_rest(struct sink *sink, const struct alive *alive,
	uint32_t n, uint32_t shown)
{
	uint64_t sum = 0;

	for (uint32_t i = shown; i < n; i++)
		sum += alive[i].size;
	if (n > shown)
		mp_sink_print(sink, "  and %u more, %s\n", n - shown,
			mp_emit_bytes(sum).text);
}

void mp_emit_report_minimum(struct sink *sink, const struct schedule *s)
{
	const struct problem *p = &s->problem;

	mp_sink_print(sink, "  minimum      %s",
		mp_emit_size(s, p->theoretical_min).text);
	if (mp_problem_over_timings(p))
		mp_sink_print(sink,
			", over all timings of %u streams\n  as listed    %s",
			p->n_streams, mp_emit_size(s, p->listed_min).text);
	mp_sink_print(sink, ", at %s %" PRId64 "\n", mp_problem_axis(p),
		mp_problem_time(p, p->peak_step));
}

/* ---------------------------------------------------------- columns */

/* Names in cells have no controls: mp_sink_plain() replaces them. */
struct cell {
	const char *text;
	size_t length; /* bytes */
	uint32_t letters;
	bool last; /* of its row */
};

struct sink mp_emit_columns_begin(const struct sink *sink)
{
	assert(sink->error);
	return (struct sink){.error = sink->error};
}

static struct cell cell_at(const char *text)
{
	struct cell cell = {text, strcspn(text, "\t\n"), 0, false};

	for (const char *at = text; at < text + cell.length; cell.letters++)
		mp_text_next(&at);
	cell.last = text[cell.length] == '\n';
	return cell;
}

static void print_cell(struct sink *sink, const struct cell *cell,
	const struct column *column, uint32_t width, bool fill)
{
	uint32_t pad = cell->letters < width ? width - cell->letters : 0;

	mp_sink_print(
		sink, "%*s", (int)(column->gap + !column->left * pad), "");
	mp_sink_write(sink, cell->text, cell->length);
	mp_sink_print(sink, "%*s", (int)(column->left && fill ? pad : 0), "");
}

void mp_emit_columns_print(struct sink *sink, struct sink *cells,
	const struct column *columns, uint32_t n)
{
	uint32_t width[COLUMNS_MOST] = {0}, k = 0;
	const char *text;
	struct cell cell;

	assert(n > 0 && n <= COLUMNS_MOST);
	mp_sink_write(cells, "", 1);
	text = cells->error->code == MEMPLAN_OK ? cells->bytes : "";
	for (k = 0; k < n; k++)
		width[k] = columns[k].width;
	k = 0;
	for (const char *at = text; *at; at = cell.text + cell.length + 1) {
		cell = cell_at(at);
		assert(k < n);
		width[k] = cell.letters > width[k] ? cell.letters : width[k];
		k = cell.last ? 0 : k + 1;
	}
	for (const char *at = text; *at; at = cell.text + cell.length + 1) {
		cell = cell_at(at);
		print_cell(sink, &cell, &columns[k], width[k], !cell.last);
		if (cell.last)
			mp_sink_text(sink, "\n");
		k = cell.last ? 0 : k + 1;
	}
	mp_sink_free(cells);
}
