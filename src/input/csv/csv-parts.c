/*
 * A large file in parts, of which each thread reads one. Plain rows only: from
 * the first row on that is not plain, or that is wrong, the file is read again
 * from there, row for row. So what comes out, and what an error says, is that
 * of one thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/csv/csv.h"

#include "base/threads.h"

enum {
	LEAST_PART = 1 << 20 /* bytes */
};

struct part {
	struct csv csv;
	struct arena arena;
	struct error error;
	uint32_t first, row; /* those read are [first, row) */
	bool fine;
};

/* ------------------------------------------------------------ lines */

static bool count_lines(void *context, uint32_t i)
{
	struct csv *csv = context;

	csv->lines_of[i] = mp_input_lines_count(csv->parts[i], "\n");
	return false;
}

void mp_input_csv_cut(struct csv *csv)
{
	struct text rest = csv->lines.rest;
	size_t length = (size_t)(rest.end - rest.at), at;
	uint32_t n = mp_threads_for(csv->arena->threads,
		(uint32_t)num_min(length / LEAST_PART + 1, FILE_PARTS));

	for (uint32_t i = 1; i < n; i++) {
		at = (size_t)(rest.at - csv->lines.rest.at);
		if (at > length / n * i)
			continue;
		csv->parts[csv->n_parts] = rest;
		rest.at = csv->lines.rest.at + length / n * i;
		mp_input_lines_cut(&rest, '\n');
		csv->parts[csv->n_parts++].end = rest.at;
	}
	csv->parts[csv->n_parts++] = rest;
	mp_threads_run(csv->arena->threads, csv->n_parts, count_lines, csv);
}

/* ------------------------------------------------------------- rows */

static void start_part(struct part *part, const struct csv *csv, uint32_t i)
{
	part->csv = *csv;
	part->arena = mp_arena_beside(csv->arena);
	part->arena.error = &part->error;
	part->csv.arena = &part->arena;
	part->csv.texts = part->csv.texts_end = NULL;
	part->csv.id = (struct text){NULL, NULL};
	part->csv.lines.rest = csv->parts[i];
	if (i == 0)
		part->csv.lines.rest.at = csv->lines.rest.at;
	else
		part->first = part[-1].first + csv->lines_of[i - 1] - (i == 1);
	part->row = part->first;
}

static bool read_part(void *context, uint32_t i)
{
	struct part *part = (struct part *)context + i;

	part->fine = mp_input_csv_read_plain(&part->csv, &part->row);
	return false;
}

static struct text id_of(const struct csv *csv, uint32_t row)
{
	const char *id = csv->graph->tensors[row].id;

	return (struct text){id, id + strlen(id)};
}

/* Takes the rows of a part behind those before it. */
static void take_part(struct csv *csv, struct part *part)
{
	if (part->row > part->first) {
		csv->ids_ascend &=
			part->csv.ids_ascend &&
			mp_input_csv_ascends(csv->id, id_of(csv, part->first));
		csv->id = part->csv.id;
	}
	csv->lines.rest.at = part->csv.lines.rest.at;
	csv->lines.number += part->row - part->first;
	csv->graph->n_tensors = part->row;
	mp_arena_adopt(csv->arena, &part->arena);
}

static void drop_part(struct csv *csv, struct part *part)
{
	mp_arena_free(&part->arena);
	memset(&csv->graph->tensors[part->first], 0,
		sizeof(*csv->graph->tensors) * (part->row - part->first));
}

void mp_input_csv_read_parts(struct csv *csv)
{
	struct part parts[FILE_PARTS];
	bool whole = true; /* those so far are read to their ends */

	if (csv->n_parts == 1)
		return;
	for (uint32_t i = 0; i < csv->n_parts; i++) {
		parts[i] = (struct part){.fine = false};
		start_part(&parts[i], csv, i);
	}
	mp_threads_run(csv->arena->threads, csv->n_parts, read_part, parts);
	for (uint32_t i = 0; i < csv->n_parts; i++) {
		if (whole)
			take_part(csv, &parts[i]);
		else
			drop_part(csv, &parts[i]);
		whole &= parts[i].fine &&
			 csv->lines.rest.at == csv->parts[i].end;
	}
}
