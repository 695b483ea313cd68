/*
 * lp and mps: the problem as an integer linear program
 * (src/problem/linear-program.h) for any solver. Column h is the height. o7_512
 * counts units of 512 bytes of an offset: of the buffer that has tensor 7 as
 * its first. r0_512 counts those of a reserved range, y3 is the order of a
 * pair.
 *
 * Several memories are one program, of what lies in which as the plan has it:
 * h0, h1 and so on are their heights, and their sum is to be small.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <inttypes.h>

#include "base/sink-text.h"
#include "emit/rows.h"
#include "problem/linear-program.h"

/* The program of one memory. */
struct block {
	struct problem sub;
	const uint32_t *buffers; /* of the schedule's problem; NULL: all */
	struct model model;
	const char **names;  /* of columns but those of pairs */
	uint32_t first_row;  /* rows of the blocks before */
	uint32_t first_pair; /* pairs of the blocks before */
	uint64_t height;
};

struct writer {
	const struct schedule *schedule;
	const uint32_t *first; /* tensor of each buffer */
	struct block *blocks;
	uint32_t n;
	struct sink *sink;
};

/* The first tensor of every buffer. */
static uint32_t *first_tensors(const struct schedule *s, struct arena *arena)
{
	uint32_t *first = NEW(arena, uint32_t, s->problem.n_buffers);

	for (uint32_t t = s->graph->n_tensors; first && t-- > 0;)
		if (s->stay[t].buffer != NONE)
			first[s->stay[t].buffer] = t;
	return first;
}

static const char *name_buffer(const struct writer *w, const struct block *b,
	uint32_t i, struct arena *arena)
{
	const struct problem *p = &w->schedule->problem;
	uint32_t buffer = b->buffers ? b->buffers[i] : i;
	uint64_t align = b->sub.buffers[i].align;

	return mp_problem_is_reserved(p, buffer)
		       ? mp_arena_print(arena, "r%" PRIu32 "_%" PRIu64,
				 buffer - p->first_reserved, align)
		       : mp_arena_print(arena, "o%" PRIu32 "_%" PRIu64,
				 w->first[buffer], align);
}

static uint32_t n_whole(const struct block *b)
{
	return b->model.n_columns - b->model.n_pairs;
}

static bool name_columns(
	const struct writer *w, struct block *b, struct arena *arena)
{
	b->names = NEW(arena, const char *, n_whole(b));
	if (!b->names)
		return false;
	b->names[0] = b->buffers ? mp_arena_print(arena, "h%" PRIu32,
					   (uint32_t)(b - w->blocks))
				 : "h";
	for (uint32_t i = 0; i < b->sub.n_buffers; i++)
		b->names[i + 1] = name_buffer(w, b, i, arena);
	return arena->error->code == MEMPLAN_OK;
}

/* A pair has no name in memory: there may be millions. */
static void write_column(
	const struct writer *w, const struct block *b, uint32_t c)
{
	if (c < n_whole(b)) {
		mp_sink_text(w->sink, b->names[c]);
		return;
	}
	mp_sink_text(w->sink, "y");
	mp_sink_u64(w->sink, b->first_pair + c - n_whole(b));
}

static void write_row(const struct writer *w, const struct block *b, uint32_t i)
{
	mp_sink_text(w->sink, "c");
	mp_sink_u64(w->sink, b->first_row + i);
}

/* What lies in that memory, as a problem of its own. */
static bool take_space(const struct writer *w, const struct spaces *spaces,
	uint32_t i, struct arena *arena)
{
	const struct problem *p = &w->schedule->problem;
	struct block *b = &w->blocks[i];
	uint32_t *buffers = NEW(arena, uint32_t, p->n_buffers), n = 0;

	for (uint32_t k = 0; buffers && k < p->n_buffers; k++)
		if (spaces->of[k] == i)
			buffers[n++] = k;
	b->buffers = buffers;
	b->height = spaces->at[i].size;
	return buffers &&
	       mp_problem_subproblem(p, buffers, n, spaces->at[i].alignment,
		       &b->sub, arena, arena->error);
}

static bool take_blocks(
	struct writer *w, const struct plan *plan, struct arena *arena)
{
	const struct problem *p = &w->schedule->problem;

	if (p->pools && !plan)
		return mp_fail(arena->error, MEMPLAN_EUSAGE,
			"%s: a linear program of several pools is of what lies "
			"in which, and no plan says it",
			p->name);
	w->n = p->pools ? plan->spaces.n : 1;
	w->blocks = NEW(arena, struct block, w->n);
	if (!w->blocks)
		return false;
	for (uint32_t i = 0; p->pools && i < w->n; i++)
		if (!take_space(w, &plan->spaces, i, arena))
			return false;
	if (p->pools)
		return true;
	w->blocks[0].sub = *p;
	w->blocks[0].height = plan ? plan->arena_size : p->total_size;
	return true;
}

static bool open_writer(struct writer *w, const struct results *results,
	struct sink *sink, struct arena *scratch)
{
	*w = (struct writer){.schedule = results->schedule, .sink = sink};
	w->first = first_tensors(w->schedule, scratch);
	if (!w->first || !take_blocks(w, results->plan, scratch))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		struct block *b = &w->blocks[i];

		if (i > 0) {
			b->first_row = b[-1].first_row + b[-1].model.n_rows;
			b->first_pair = b[-1].first_pair + b[-1].model.n_pairs;
		}
		if (!mp_problem_lp_init(&b->model, &b->sub, b->height, scratch,
			    scratch->error) ||
			!name_columns(w, b, scratch))
			return false;
	}
	return true;
}

/* --------------------------------------------------------- CPLEX LP */

static void write_lp_term(const struct writer *w, const struct block *b,
	const struct model_term *term)
{
	int64_t factor = term->factor;

	mp_sink_text(w->sink, factor < 0 ? " - " : " + ");
	mp_sink_i64(w->sink, factor < 0 ? -factor : factor);
	mp_sink_text(w->sink, " ");
	write_column(w, b, term->column);
}

static void write_lp_row(
	const struct writer *w, const struct block *b, uint32_t i)
{
	const struct model_row *row = &b->model.rows[i];

	assert(i < b->model.n_rows);
	mp_sink_text(w->sink, " ");
	write_row(w, b, i);
	mp_sink_text(w->sink, ":");
	for (uint32_t k = 0; k < row->n_terms; k++)
		write_lp_term(w, b, &b->model.terms[row->first_term + k]);
	mp_sink_text(w->sink, " <= ");
	mp_sink_i64(w->sink, row->limit);
	mp_sink_text(w->sink, "\n");
}

/* Line after line of one section, for all blocks. */
static void write_lp_bounds(const struct writer *w, const struct block *b)
{
	for (uint32_t i = 0; i < n_whole(b); i++) {
		mp_sink_text(w->sink, " ");
		mp_sink_i64(w->sink, b->model.columns[i].lower);
		mp_sink_text(w->sink, " <= ");
		write_column(w, b, i);
		mp_sink_text(w->sink, " <= ");
		mp_sink_i64(w->sink, b->model.columns[i].upper);
		mp_sink_text(w->sink, "\n");
	}
}

static void write_lp_rows(const struct writer *w, const struct block *b)
{
	for (uint32_t i = 0; i < b->model.n_rows; i++)
		write_lp_row(w, b, i);
}

static void write_lp_names(const struct writer *w, const struct block *b,
	uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		mp_sink_text(w->sink, " ");
		write_column(w, b, i);
		mp_sink_text(w->sink, "\n");
	}
}

static void write_lp_whole(const struct writer *w, const struct block *b)
{
	write_lp_names(w, b, 1, n_whole(b));
}

static void write_lp_binary(const struct writer *w, const struct block *b)
{
	write_lp_names(w, b, n_whole(b), b->model.n_columns);
}

static void write_each(const struct writer *w, const char *title,
	void (*write)(const struct writer *w, const struct block *b))
{
	mp_sink_text(w->sink, title);
	for (uint32_t i = 0; i < w->n; i++)
		write(w, &w->blocks[i]);
}

void mp_emit_lp(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct writer w;

	if (!open_writer(&w, results, sink, scratch))
		return;
	mp_sink_text(sink, "Minimize\n obj:");
	for (uint32_t i = 0; i < w.n; i++)
		mp_sink_print(
			sink, "%s %s", i ? " +" : "", w.blocks[i].names[0]);
	write_each(&w, "\nSubject To\n", write_lp_rows);
	write_each(&w, "Bounds\n", write_lp_bounds);
	write_each(&w, "General\n", write_lp_whole);
	write_each(&w, "Binary\n", write_lp_binary);
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

static void write_mps_columns(const struct writer *w, const struct block *b,
	const uint32_t *head, const struct entry *entries)
{
	mp_sink_print(w->sink, " %s obj 1\n", b->names[0]);
	for (uint32_t c = 0; c < b->model.n_columns; c++) {
		if (c == 1)
			mp_sink_text(w->sink, " whole 'MARKER' 'INTORG'\n");
		for (uint32_t k = head[c]; k != NONE; k = entries[k].next) {
			mp_sink_text(w->sink, " ");
			write_column(w, b, c);
			mp_sink_text(w->sink, " ");
			write_row(w, b, entries[k].row);
			mp_sink_text(w->sink, " ");
			mp_sink_i64(w->sink, entries[k].factor);
			mp_sink_text(w->sink, "\n");
		}
	}
	if (b->model.n_columns > 1)
		mp_sink_text(w->sink, " whole 'MARKER' 'INTEND'\n");
}

static void write_mps_names(const struct writer *w, const struct block *b)
{
	for (uint32_t i = 0; i < b->model.n_rows; i++) {
		mp_sink_text(w->sink, " L ");
		write_row(w, b, i);
		mp_sink_text(w->sink, "\n");
	}
}

static void write_mps_limits(const struct writer *w, const struct block *b)
{
	for (uint32_t i = 0; i < b->model.n_rows; i++) {
		mp_sink_text(w->sink, " r ");
		write_row(w, b, i);
		mp_sink_text(w->sink, " ");
		mp_sink_i64(w->sink, b->model.rows[i].limit);
		mp_sink_text(w->sink, "\n");
	}
}

static void write_mps_bound(const struct writer *w, const struct block *b,
	const char *kind, uint32_t c, int64_t bound)
{
	mp_sink_text(w->sink, kind);
	write_column(w, b, c);
	mp_sink_text(w->sink, " ");
	mp_sink_i64(w->sink, bound);
	mp_sink_text(w->sink, "\n");
}

static void write_mps_bounds(const struct writer *w, const struct block *b)
{
	for (uint32_t c = 0; c < b->model.n_columns; c++) {
		write_mps_bound(w, b, " LO b ", c, b->model.columns[c].lower);
		write_mps_bound(w, b, " UP b ", c, b->model.columns[c].upper);
	}
}

void mp_emit_mps(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	struct writer w;

	if (!open_writer(&w, results, sink, scratch))
		return;
	write_each(&w, "NAME memplan FREE\nROWS\n N obj\n", write_mps_names);
	mp_sink_text(sink, "COLUMNS\n");
	for (uint32_t i = 0; i < w.n; i++) {
		const struct block *b = &w.blocks[i];
		struct entry *entries =
			NEW(scratch, struct entry, b->model.n_terms);
		uint32_t *head =
			entries ? by_column(&b->model, entries, scratch) : NULL;

		if (!head)
			return;
		write_mps_columns(&w, b, head, entries);
	}
	write_each(&w, "RHS\n", write_mps_limits);
	write_each(&w, "BOUNDS\n", write_mps_bounds);
	mp_sink_text(sink, "ENDATA\n");
}
