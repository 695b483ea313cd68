/*
 * A text table: measures the cells, then prints them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/columns.h"

#include <assert.h>

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
