/* SPDX-License-Identifier: MIT */
#include "problem/linear-program.h"

#include <stdlib.h>

#include "base/sort.h"

enum {
	MOST_PAIRS = 1 << 23, /* of a program */
};

/* ------------------------------------------------------------- rows */

static void add_row(struct model *model, int64_t limit)
{
	model->rows[model->n_rows++] =
		(struct model_row){limit, model->n_terms, 0};
}

static void add_term(struct model *model, uint32_t column, int64_t factor)
{
	model->terms[model->n_terms++] = (struct model_term){column, factor};
	model->rows[model->n_rows - 1].n_terms++;
}

static uint32_t column_of(uint32_t buffer)
{
	return buffer + 1;
}

static int64_t align_of(const struct problem *p, uint32_t buffer)
{
	return (int64_t)p->buffers[buffer].align;
}

/* top of low - bottom of high + big y <= big, or the same with 1 - y for y. */
static void add_order(struct model *model, const struct problem *p,
	uint32_t low, uint32_t high, int64_t big, bool when_set)
{
	const struct part *a = &p->parts[low], *b = &p->parts[high];
	int64_t apart = (int64_t)b->base - (int64_t)(a->base + a->size);

	add_row(model, apart + (when_set ? big : 0));
	add_term(model, column_of(a->buffer), align_of(p, a->buffer));
	add_term(model, column_of(b->buffer), -align_of(p, b->buffer));
	add_term(model, model->n_columns, when_set ? big : -big);
}

static void add_pair(struct model *model, const struct problem *p, uint32_t a,
	uint32_t b, int64_t height)
{
	add_order(model, p, a, b, height - (int64_t)p->parts[b].base, true);
	add_order(model, p, b, a, height - (int64_t)p->parts[a].base, false);
	model->columns[model->n_columns++] = (struct model_column){0, 1};
	model->n_pairs++;
}

/* ------------------------------------------------------------ pairs */

/* A part that is to be apart from others is never over. */
static bool is_over(const struct problem *p, uint32_t part, uint32_t step)
{
	uint32_t buffer = p->parts[part].buffer;

	return p->parts[part].end <= step &&
	       !(p->apart &&
		       p->first_apart[buffer] < p->first_apart[buffer + 1]);
}

/* Meets every pair of parts that conflict once: a sweep over the starts keeps
 * the parts that are still alive. Counts pairs until they are more than most,
 * and adds them to the model, if there is one. False: memory is out. */
static bool meet_pairs(const struct problem *p, uint64_t most,
	struct model *model, uint64_t height, uint64_t *pairs,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t *alive = NEW(scratch, uint32_t, p->n_parts), n_alive = 0;
	struct lists starts; /* of a step: parts */

	*pairs = 0;
	if (!alive || !mp_lists_group(&starts, p->n_steps, &p->parts->start,
			      sizeof(*p->parts), p->n_parts, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_parts && *pairs <= most; i++) {
		uint32_t part = starts.links[i], kept = 0;

		for (uint32_t k = 0; k < n_alive; k++) {
			uint32_t other = alive[k];

			if (is_over(p, other, p->parts[part].start))
				continue;
			alive[kept++] = other;
			if (p->parts[other].buffer == p->parts[part].buffer ||
				!mp_problem_conflict(p, other, part))
				continue;
			++*pairs;
			if (model)
				add_pair(
					model, p, other, part, (int64_t)height);
		}
		alive[kept] = part;
		n_alive = kept + 1;
	}
	mp_arena_rewind(scratch, mark);
	return true;
}

uint64_t mp_problem_lp_pairs(
	const struct problem *problem, uint64_t most, struct arena *scratch)
{
	uint64_t pairs;

	return meet_pairs(problem, most, NULL, 0, &pairs, scratch) ? pairs
								   : UINT64_MAX;
}

/* ------------------------------------------------------------- tops */

static void add_tops(struct model *model, const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		add_row(model, -(int64_t)p->buffers[i].size);
		add_term(model, column_of(i), align_of(p, i));
		add_term(model, 0, -1);
	}
}

/* --------------------------------------------------------- symmetry */

static int same_first(const void *left, const void *right)
{
	const struct buffer *a = *(const struct buffer *const *)left;
	const struct buffer *b = *(const struct buffer *const *)right;

	return mp_sort_compare_three((uint64_t)a->start << 32 | a->end,
		(uint64_t)b->start << 32 | b->end, a->size, b->size,
		a->first_part, b->first_part);
}

static bool are_twins(const struct buffer *a, const struct buffer *b)
{
	return a->start == b->start && a->end == b->end && a->size == b->size;
}

static bool add_twins(
	struct model *model, const struct problem *p, struct arena *arena)
{
	const struct buffer **sorted =
		NEW(arena, const struct buffer *, p->n_buffers);

	if (!sorted)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		sorted[i] = &p->buffers[i];
	qsort(sorted, p->n_buffers, sizeof(const struct buffer *), same_first);
	for (uint32_t i = 1; i < p->n_buffers; i++) {
		if (!are_twins(sorted[i - 1], sorted[i]))
			continue;
		add_row(model, 0);
		add_term(model,
			column_of((uint32_t)(sorted[i - 1] - p->buffers)), 1);
		add_term(model, column_of((uint32_t)(sorted[i] - p->buffers)),
			-1);
	}
	return true;
}

/* 2 offset + size <= h for the largest buffer. */
static void add_half(struct model *model, const struct problem *p)
{
	uint32_t largest = 0;

	for (uint32_t i = 1; i < p->n_buffers; i++)
		if (p->buffers[i].size > p->buffers[largest].size)
			largest = i;
	add_row(model, -(int64_t)p->buffers[largest].size);
	add_term(model, column_of(largest), 2 * align_of(p, largest));
	add_term(model, 0, -1);
}

/* ------------------------------------------------------------ model */

static void bound_columns(
	struct model *model, const struct problem *p, uint64_t height)
{
	model->columns[0] = (struct model_column){
		(int64_t)p->theoretical_min, (int64_t)height};
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];
		struct model_column *c = &model->columns[column_of(i)];

		c->upper = (int64_t)((height - b->size) / b->align);
		if (b->offset == NO_OFFSET)
			continue;
		c->lower = c->upper = (int64_t)(b->offset / b->align);
	}
	model->n_columns = p->n_buffers + 1;
}

/* Six terms and two rows a pair; two terms and a row a buffer, and as many for
 * its twin; two terms and a row for the half. */
static bool make_room(struct model *model, const struct problem *p,
	struct arena *arena, struct error *e)
{
	uint64_t pairs = mp_problem_lp_pairs(p, MOST_PAIRS, arena);
	uint64_t buffers = p->n_buffers;

	if (pairs == UINT64_MAX)
		return false;
	if (pairs > MOST_PAIRS)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: more than %d pairs conflict, which is too large "
			"for a linear program",
			p->name, MOST_PAIRS);
	model->columns = NEW(arena, struct model_column, 1 + buffers + pairs);
	model->rows = NEW(arena, struct model_row, 1 + 2 * buffers + 2 * pairs);
	model->terms =
		NEW(arena, struct model_term, 2 + 4 * buffers + 6 * pairs);
	return model->columns && model->rows && model->terms;
}

bool mp_problem_lp_init(struct model *model, const struct problem *problem,
	uint64_t height, struct arena *arena, struct error *e)
{
	uint64_t pairs;

	*model = (struct model){0};
	if (!make_room(model, problem, arena, e))
		return false;
	bound_columns(model, problem, height);
	add_tops(model, problem);
	if (!meet_pairs(problem, UINT64_MAX, model, height, &pairs, arena))
		return false;
	if (problem->n_buffers == 0 || !mp_problem_is_plain(problem))
		return true;
	add_half(model, problem);
	return add_twins(model, problem, arena);
}
