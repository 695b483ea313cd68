/*
 * Lines and cells of CSV, and copies of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/csv/csv.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

enum {
	TEXTS_AT_FIRST = 64 * 1024,
	TEXTS_AT_ONCE = 2 << 20 /* a large page */
};

bool mp_input_csv_fail_cell(const struct csv *csv, const char *column,
	struct text cell, const char *wanted)
{
	return mp_input_lines_fail(&csv->lines, "%s '%.*s' must be %s", column,
		mp_input_lines_shown(cell), cell.at, wanted);
}

/* ------------------------------------------------------------ lines */

static void trim(struct text *cell)
{
	while (cell->at < cell->end && (*cell->at == ' ' || *cell->at == '\t'))
		cell->at++;
	while (cell->at < cell->end &&
		(cell->end[-1] == ' ' || cell->end[-1] == '\t'))
		cell->end--;
}

static bool add_cell(struct csv *csv, const char *start, const char *end)
{
	if (csv->n_cells == MOST_CELLS)
		return mp_input_lines_fail(&csv->lines, "more than 64 cells");
	csv->cells[csv->n_cells] = (struct text){start, end};
	trim(&csv->cells[csv->n_cells++]);
	return true;
}

/* Checks a character that is not printable ASCII, and moves *at behind it. */
static bool check_special(
	const struct csv *csv, const char **at, const char *end)
{
	size_t n = utf8_length(*at, (size_t)(end - *at));

	if (**at == '"')
		return mp_input_lines_fail(&csv->lines,
			"quoted cells are not supported: write them "
			"without \"");
	if (**at == '\0')
		return mp_input_lines_fail(
			&csv->lines, "the line contains a NUL");
	if ((unsigned char)**at < 0x20 && **at != '\t')
		return mp_input_lines_fail(
			&csv->lines, "the line contains a control character");
	if (n == 0)
		return mp_input_lines_fail(&csv->lines, "not valid UTF-8");
	*at += n;
	return true;
}

bool mp_input_csv_split(struct csv *csv, struct text line)
{
	const char *start = line.at, *at = line.at, *end = line.end;

	csv->n_cells = 0;
	while (at < end) {
		unsigned char c = (unsigned char)*at;

		if (c == ',') {
			if (!add_cell(csv, start, at))
				return false;
			start = ++at;
		} else if (c >= 0x20 && c != '"' && c < 0x80) {
			at++;
		} else if (!check_special(csv, &at, end)) {
			return false;
		}
	}
	return add_cell(csv, start, end);
}

/* ------------------------------------------------------------ texts */

/* The texts that are still to be copied are no longer than what is still to be
 * read. */
static char *reserve_text(struct csv *csv, size_t room)
{
	size_t rest = (size_t)(csv->lines.rest.end - csv->lines.rest.at);
	size_t chunk = num_max(
		room, num_max(TEXTS_AT_FIRST, num_min(rest, TEXTS_AT_ONCE)));

	if ((size_t)(csv->texts_end - csv->texts) < room) {
		csv->texts = NEW(csv->arena, char, chunk);
		csv->texts_end = csv->texts ? csv->texts + chunk : NULL;
	}
	return csv->texts;
}

const char *mp_input_csv_copy_cell(struct csv *csv, struct text cell)
{
	size_t length = (size_t)(cell.end - cell.at);
	char *text = reserve_text(csv, length + 1);

	if (!text)
		return NULL;
	memcpy(text, cell.at, length);
	text[length] = '\0';
	assert((size_t)(csv->texts_end - csv->texts) > length);
	csv->texts += length + 1;
	return text;
}

void mp_input_csv_drop_copy(struct csv *csv, const char *copy)
{
	csv->texts -= strlen(copy) + 1;
	assert(csv->texts == copy);
}

const char *mp_input_csv_copy_line(struct csv *csv, struct text line)
{
	uint32_t offset = csv->place[COLUMN_OFFSET];
	uint32_t pool = csv->place[COLUMN_POOL], cell = 0;
	bool started = offset != 0 && pool != 0;
	size_t n = 0;
	char *text;

	if (offset == NONE && pool == NONE)
		return mp_input_csv_copy_cell(csv, line);
	text = reserve_text(csv, (size_t)(line.end - line.at) + 1);
	if (!text)
		return NULL;
	for (const char *c = line.at; c < line.end; c++) {
		bool comma = *c == ',';

		cell += comma;
		if (cell == offset || cell == pool)
			continue;
		if (comma && !started)
			started = true;
		else
			text[n++] = *c;
	}
	text[n] = '\0';
	assert((size_t)(csv->texts_end - csv->texts) > n);
	csv->texts += n + 1;
	return text;
}
