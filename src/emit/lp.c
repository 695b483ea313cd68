/*
 * lp and mps: the problem as an integer linear program
 * (src/problem/linear-program.h) for any solver. Column h is the height. o7_512
 * counts units of 512 bytes of an offset: of the buffer that has tensor 7 as
 * its first. r0_512 counts those of a reserved range, y3 is the order of a
 * pair.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <inttypes.h>

#include "base/sink-text.h"
#include "emit/rows.h"
#include "problem/linear-program.h"

/* The first tensor of every buffer. */
static uint32_t *first_tensors(const struct schedule *s, struct arena *arena)
{
	uint32_t *first = NEW(arena, uint32_t, s->problem.n_buffers);

	for (uint32_t t = s->graph->n_tensors; first && t-- > 0;)
		if (s->stay[t].buffer != NONE)
			first[s->stay[t].buffer] = t;
	return first;
}

struct writer {
	struct model model;
	const char **names; /* of columns */
	struct sink *sink;
};

static bool name_columns(
	struct writer *w, const struct schedule *s, struct arena *arena)
{
	const struct problem *p = &s->problem;
	const uint32_t *first = first_tensors(s, arena);

	w->names = NEW(arena, const char *, w->model.n_columns);
	if (!first || !w->names)
		return false;
	w->names[0] = "h";
	for (uint32_t i = 0; i + 1 < w->model.n_columns; i++)
		if (i >= p->n_buffers)
			w->names[i + 1] = mp_arena_print(
				arena, "y%" PRIu32, i - p->n_buffers);
		else if (mp_problem_is_reserved(p, i))
			w->names[i + 1] = mp_arena_print(arena,
				"r%" PRIu32 "_%" PRIu64, i - p->first_reserved,
				p->buffers[i].align);
		else
			w->names[i + 1] =
				mp_arena_print(arena, "o%" PRIu32 "_%" PRIu64,
					first[i], p->buffers[i].align);
	return arena->error->code == MEMPLAN_OK;
}

static bool open_writer(struct writer *w, const struct results *results,
	struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = results->schedule;
	uint64_t height = results->plan ? results->plan->arena_size
					: s->problem.total_size;

	w->sink = sink;
	return mp_problem_lp_init(&w->model, &s->problem, height, scratch,
		       scratch->error) &&
	       name_columns(w, s, scratch);
}

/* --------------------------------------------------------- CPLEX LP */

static void write_lp_row(const struct writer *w, uint32_t i)
{
	const struct model_row *row = &w->model.rows[i];

	assert(i < w->model.n_rows);
	mp_sink_print(w->sink, " c%" PRIu32 ":", i);
	for (uint32_t k = 0; k < row->n_terms; k++) {
		const struct model_term *term =
			&w->model.terms[row->first_term + k];

		mp_sink_print(w->sink, " %c %" PRId64 " %s",
			term->factor < 0 ? '-' : '+',
			term->factor < 0 ? -term->factor : term->factor,
			w->names[term->column]);
	}
	mp_sink_print(w->sink, " <= %" PRId64 "\n", row->limit);
}

void mp_emit_lp(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct writer w;
	uint32_t n_whole;

	if (!open_writer(&w, results, sink, scratch))
		return;
	n_whole = w.model.n_columns - w.model.n_pairs;
	mp_sink_text(sink, "Minimize\n obj: h\nSubject To\n");
	for (uint32_t i = 0; i < w.model.n_rows; i++)
		write_lp_row(&w, i);
	mp_sink_text(sink, "Bounds\n");
	for (uint32_t i = 0; i < n_whole; i++)
		mp_sink_print(sink, " %" PRId64 " <= %s <= %" PRId64 "\n",
			w.model.columns[i].lower, w.names[i],
			w.model.columns[i].upper);
	mp_sink_text(sink, "General\n");
	for (uint32_t i = 1; i < n_whole; i++)
		mp_sink_print(sink, " %s\n", w.names[i]);
	mp_sink_text(sink, "Binary\n");
	for (uint32_t i = 0; i < w.model.n_pairs; i++)
		mp_sink_print(sink, " y%" PRIu32 "\n", i);
	mp_sink_text(sink, "End\n");
}

/* --------------------------------------------------------- free MPS */

/* MPS lists a program by columns, so the rows' terms are turned round. */
struct entry {
	uint32_t row, next; /* next entry of the column; NONE: last */
	int64_t factor;
};

static uint32_t *by_column(
	const struct model *model, struct entry *entries, struct arena *arena)
{
	uint32_t *head = NEW(arena, uint32_t, model->n_columns);
	uint32_t n = 0;

	for (uint32_t c = 0; head && c < model->n_columns; c++)
		head[c] = NONE;
	for (uint32_t i = model->n_rows; head && i-- > 0;)
		for (uint32_t k = 0; k < model->rows[i].n_terms; k++) {
			const struct model_term *term =
				&model->terms[model->rows[i].first_term + k];

			entries[n] = (struct entry){
				i, head[term->column], term->factor};
			head[term->column] = n++;
		}
	return head;
}

static void write_mps_columns(const struct writer *w, const uint32_t *head,
	const struct entry *entries)
{
	mp_sink_text(w->sink, "COLUMNS\n h obj 1\n");
	for (uint32_t c = 0; c < w->model.n_columns; c++) {
		if (c == 1)
			mp_sink_text(w->sink, " whole 'MARKER' 'INTORG'\n");
		for (uint32_t k = head[c]; k != NONE; k = entries[k].next)
			mp_sink_print(w->sink, " %s c%" PRIu32 " %" PRId64 "\n",
				w->names[c], entries[k].row, entries[k].factor);
	}
	if (w->model.n_columns > 1)
		mp_sink_text(w->sink, " whole 'MARKER' 'INTEND'\n");
}

void mp_emit_mps(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct entry *entries;
	uint32_t *head;
	struct writer w;

	if (!open_writer(&w, results, sink, scratch))
		return;
	entries = NEW(scratch, struct entry, w.model.n_terms);
	head = entries ? by_column(&w.model, entries, scratch) : NULL;
	if (!head)
		return;
	mp_sink_text(sink, "NAME memplan FREE\nROWS\n N obj\n");
	for (uint32_t i = 0; i < w.model.n_rows; i++)
		mp_sink_print(sink, " L c%" PRIu32 "\n", i);
	write_mps_columns(&w, head, entries);
	mp_sink_text(sink, "RHS\n");
	for (uint32_t i = 0; i < w.model.n_rows; i++)
		mp_sink_print(sink, " r c%" PRIu32 " %" PRId64 "\n", i,
			w.model.rows[i].limit);
	mp_sink_text(sink, "BOUNDS\n");
	for (uint32_t c = 0; c < w.model.n_columns; c++)
		mp_sink_print(sink,
			" LO b %s %" PRId64 "\n UP b %s %" PRId64 "\n",
			w.names[c], w.model.columns[c].lower, w.names[c],
			w.model.columns[c].upper);
	mp_sink_text(sink, "ENDATA\n");
}
