/*
 * A sweep over the bytes: between two edges of pieces nothing changes, so the
 * steps needed there are the union of those of the pieces that span it. Bands
 * that need the same steps as the one below are one with it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rectangle.h"

#include <stdlib.h>
#include <string.h>

#include "num.h"

struct steps {
	uint32_t start, end;
};

struct sweep {
	struct rectangle *pieces; /* ascending by low, then start */
	uint64_t *edges;	  /* ascending, each once */
	uint32_t n_pieces, n_edges;

	/* Of the band at hand. */
	uint32_t *open; /* pieces that span it, ascending */
	struct steps *steps;
	uint32_t n_open, next, n_steps;

	/* Of the result. */
	struct rectangle *cuts;
	uint32_t n_cuts, room, band; /* the last band's begin there */
	bool whole;
	struct arena *scratch;
};

static int by_place(const void *left, const void *right)
{
	const struct rectangle *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->high != b->high)
		return a->high < b->high ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static int by_start(const void *left, const void *right)
{
	const struct steps *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static bool prepare(struct sweep *s, const struct rectangle *pieces, uint32_t n)
{
	uint32_t kept = 0;

	s->n_pieces = n;
	s->pieces = NEW(s->scratch, struct rectangle, n);
	s->edges = NEW(s->scratch, uint64_t, (size_t)n * 2);
	s->open = NEW(s->scratch, uint32_t, n);
	s->steps = NEW(s->scratch, struct steps, n);
	if (!s->pieces || !s->edges || !s->open || !s->steps)
		return false;
	memcpy(s->pieces, pieces, sizeof(*pieces) * n);
	qsort(s->pieces, n, sizeof(*s->pieces), by_place);
	for (uint32_t i = 0; i < n; i++) {
		s->edges[2 * i] = pieces[i].low;
		s->edges[2 * i + 1] = pieces[i].high;
	}
	qsort(s->edges, (size_t)n * 2, sizeof(*s->edges), by_value);
	for (uint32_t i = 0; i < n * 2; i++)
		if (kept == 0 || s->edges[kept - 1] != s->edges[i])
			s->edges[kept++] = s->edges[i];
	s->n_edges = kept;
	return true;
}

/* The pieces that span the band above the edge. */
static void open_pieces(struct sweep *s, uint64_t edge)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_open; i++)
		if (s->pieces[s->open[i]].high > edge)
			s->open[kept++] = s->open[i];
	while (s->next < s->n_pieces && s->pieces[s->next].low == edge)
		s->open[kept++] = s->next++;
	s->n_open = kept;
}

/* The steps that they need, those that touch or overlap as one. */
static void join_steps(struct sweep *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_open; i++)
		s->steps[i] = (struct steps){
			s->pieces[s->open[i]].start, s->pieces[s->open[i]].end};
	if (s->n_open > 1)
		qsort(s->steps, s->n_open, sizeof(*s->steps), by_start);
	for (uint32_t i = 0; i < s->n_open; i++) {
		struct steps *last = kept > 0 ? &s->steps[kept - 1] : NULL;

		if (last && (s->whole || s->steps[i].start <= last->end))
			last->end = s->steps[i].end > last->end
					    ? s->steps[i].end
					    : last->end;
		else
			s->steps[kept++] = s->steps[i];
	}
	s->n_steps = kept;
}

static bool continues(const struct sweep *s, uint64_t low)
{
	const struct rectangle *last = s->cuts + s->band;

	if (s->n_steps == 0 || s->n_cuts - s->band != s->n_steps ||
		last->high != low)
		return false;
	for (uint32_t i = 0; i < s->n_steps; i++)
		if (last[i].start != s->steps[i].start ||
			last[i].end != s->steps[i].end)
			return false;
	return true;
}

static bool make_room(struct sweep *s)
{
	uint32_t room = (s->n_cuts + s->n_steps) * 2;
	struct rectangle *cuts;

	if (s->n_cuts + s->n_steps <= s->room)
		return true;
	cuts = NEW(s->scratch, struct rectangle, room);
	if (!cuts)
		return false;
	if (s->n_cuts > 0)
		memcpy(cuts, s->cuts, sizeof(*cuts) * s->n_cuts);
	s->cuts = cuts;
	s->room = room;
	return true;
}

static bool add_band(struct sweep *s, uint64_t low, uint64_t high)
{
	if (continues(s, low)) {
		for (uint32_t i = s->band; i < s->n_cuts; i++)
			s->cuts[i].high = high;
		return true;
	}
	if (!make_room(s))
		return false;
	s->band = s->n_cuts;
	for (uint32_t i = 0; i < s->n_steps; i++)
		s->cuts[s->n_cuts++] = (struct rectangle){
			low, high, s->steps[i].start, s->steps[i].end};
	return true;
}

static bool sweep(struct sweep *s, const struct rectangle *pieces, uint32_t n)
{
	if (!prepare(s, pieces, n))
		return false;
	for (uint32_t i = 0; i + 1 < s->n_edges; i++) {
		open_pieces(s, s->edges[i]);
		join_steps(s);
		if (!add_band(s, s->edges[i], s->edges[i + 1]))
			return false;
	}
	return true;
}

bool mp_rectangles_cut(const struct rectangle *pieces, uint32_t n, bool whole,
	struct rectangles *result, struct arena *arena, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct sweep s = {.whole = whole, .scratch = scratch};
	bool fine = sweep(&s, pieces, n);

	result->at = NULL;
	if (fine)
		result->at = NEW(arena, struct rectangle, s.n_cuts);
	result->n = s.n_cuts;
	if (result->at && s.n_cuts > 0)
		memcpy(result->at, s.cuts, sizeof(*s.cuts) * s.n_cuts);
	mp_arena_rewind(scratch, mark);
	return result->at != NULL;
}
