/*
 * In which steps loops run, and how pictures stack them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"

/* The ops of a body stay together in every order. A loop stands in at most 64
 * others, so the work for all is short. */
static struct body body_of(
	const struct graph *graph, uint32_t i, const uint32_t *step_of)
{
	const struct graph_loop *loop = &graph->loops[i];
	struct body body = {i, UINT32_MAX, 0, 0};

	for (uint32_t op = loop->first; op <= loop->last; op++) {
		if (body.start > step_of[op])
			body.start = step_of[op];
		if (body.end <= step_of[op])
			body.end = step_of[op] + 1;
	}
	assert(body.end - body.start == loop->last - loop->first + 1);
	return body;
}

struct body *mp_emit_loop_bodies(const struct schedule *s, struct arena *arena)
{
	const struct graph *graph = s->graph;
	struct body *bodies = NEW(arena, struct body, graph->n_loops);
	uint32_t *step_of = NEW(arena, uint32_t, graph->n_ops);

	if (!bodies || !step_of)
		return NULL;
	for (uint32_t k = 0; k < graph->n_ops; k++)
		step_of[s->order[k]] = k;
	for (uint32_t i = 0; i < graph->n_loops; i++)
		bodies[i] = body_of(graph, i, step_of);
	return bodies;
}

/* ------------------------------------------------------------- rows */

/* A body before those in it. */
static int by_start(const void *a, const void *b)
{
	const struct body *x = a, *y = b;

	return mp_sort_compare_three(
		x->start, y->start, y->end, x->end, x->loop, y->loop);
}

/* The first row that is free from the body's first step on; LOOP_ROWS: none. As
 * the loops around it came before, that is the number of these. */
static uint32_t row_of(const struct body *body, uint32_t *busy_to)
{
	uint32_t row = 0;

	while (row < LOOP_ROWS && busy_to[row] > body->start)
		row++;
	if (row < LOOP_ROWS)
		busy_to[row] = body->end;
	return row;
}

bool mp_emit_loop_rows(
	struct loop_rows *loops, const struct schedule *s, struct arena *arena)
{
	uint32_t busy_to[LOOP_ROWS] = {0}, n = s->graph->n_loops;

	*loops = (struct loop_rows){NULL, 0, 0, 0};
	if (n == 0)
		return true;
	loops->at = mp_emit_loop_bodies(s, arena);
	if (!loops->at)
		return false;
	qsort(loops->at, n, sizeof(*loops->at), by_start);
	for (uint32_t i = 0; i < n; i++) {
		struct body body = loops->at[i];

		body.row = row_of(&body, busy_to);
		if (body.row == LOOP_ROWS) {
			loops->n_deeper++;
			continue;
		}
		loops->at[loops->n++] = body;
		if (loops->rows <= body.row)
			loops->rows = body.row + 1;
	}
	return true;
}
