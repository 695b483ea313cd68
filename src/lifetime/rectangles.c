/*
 * A sweep over the bytes, in ascending order. At each byte some rectangles are
 * open; the steps that they cover form runs. At an edge, where a rectangle
 * opens or closes, runs that do not change go on, others end, and new ones
 * begin. So the work is that of the runs that change.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"

enum {
	PARTS_A_PIECE = 8, /* most results for each rectangle, */
	FEW_PARTS = 4096,  /* and so many more for all */
};

/* A rectangle opens or closes. */
struct edge {
	uint64_t at;
	uint32_t start, end; /* places of the rectangle */
	bool opens;
};

/* A maximal range of covered places. */
struct run {
	uint32_t start, end;
};

struct runs {
	struct run *at;
	uint32_t n;
};

struct sweep {
	const struct rectangle *pieces;
	uint32_t n_pieces;
	struct edge *edges; /* ascending */
	uint32_t *steps;    /* place i is steps[i] up to steps[i + 1] */
	uint32_t n_steps;
	struct covered covered;
	struct runs before, after; /* that touch the places that change */
	uint64_t *low; /* of a run, by its first place: its first byte */

	struct rectangle *cuts;
	uint32_t n_cuts, room, most;
	bool whole, too_many;
	struct arena *scratch;
};

static int by_edge(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	return mp_sort_compare_three(
		a->at, b->at, a->start, b->start, a->end, b->end);
}

/* Two results never begin at the same byte and step. */
static int by_place(const void *left, const void *right)
{
	const struct rectangle *a = left, *b = right;

	return mp_sort_compare_two(a->low, b->low, a->start, b->start);
}

/* ---------------------------------------------------------- prepare */

static void list_steps(struct sweep *s)
{
	for (uint32_t i = 0; i < s->n_pieces; i++) {
		s->steps[2 * i] = s->pieces[i].start;
		s->steps[2 * i + 1] = s->pieces[i].end;
	}
	s->n_steps = mp_sort_unique_u32(s->steps, s->n_pieces * 2);
}

static uint32_t place_of(const struct sweep *s, uint32_t step)
{
	return mp_search_u32(s->steps, s->n_steps, step);
}

static void list_edges(struct sweep *s)
{
	for (uint32_t i = 0; i < s->n_pieces; i++) {
		const struct rectangle *piece = &s->pieces[i];
		struct edge edge = {piece->low, place_of(s, piece->start),
			place_of(s, piece->end), true};

		s->edges[2 * i] = edge;
		edge.at = piece->high;
		edge.opens = false;
		s->edges[2 * i + 1] = edge;
	}
	qsort(s->edges, (size_t)s->n_pieces * 2, sizeof(*s->edges), by_edge);
}

static bool prepare(struct sweep *s)
{
	size_t n = s->n_pieces;

	s->edges = NEW(s->scratch, struct edge, 2 * n);
	s->steps = NEW(s->scratch, uint32_t, 2 * n);
	s->before.at = NEW(s->scratch, struct run, 2 * n);
	s->after.at = NEW(s->scratch, struct run, 2 * n);
	s->low = NEW(s->scratch, uint64_t, 2 * n);
	if (!s->edges || !s->steps || !s->before.at || !s->after.at || !s->low)
		return false;
	list_steps(s);
	list_edges(s);
	return mp_lifetime_covered_init(
		&s->covered, s->n_steps - 1, s->scratch);
}

/* ------------------------------------------------------------- runs */

/* From the first covered place to the last. */
static void find_hull(const struct sweep *s, struct runs *runs)
{
	uint32_t n = s->covered.n;
	struct run hull = {mp_lifetime_covered_next(&s->covered, 0, true),
		mp_lifetime_covered_last(&s->covered, n, true)};

	if (hull.start < hull.end)
		runs->at[runs->n++] = hull;
}

/* Lists the runs that touch the places of an edge, if not listed yet. */
static void find_around(
	const struct sweep *s, const struct edge *edge, struct runs *runs)
{
	uint32_t at = mp_lifetime_covered_last(&s->covered, edge->start, false);
	uint32_t n = s->covered.n;

	if (runs->n > 0 && runs->at[runs->n - 1].end > at)
		at = runs->at[runs->n - 1].end;
	while ((at = mp_lifetime_covered_next(&s->covered, at, true)) < n &&
		at <= edge->end) {
		struct run run = {
			at, mp_lifetime_covered_next(&s->covered, at, false)};

		runs->at[runs->n++] = run;
		at = run.end;
	}
}

/* Lists the runs that n edges, which ascend, touch. */
static void find_runs(const struct sweep *s, const struct edge *edges,
	uint32_t n, struct runs *runs)
{
	runs->n = 0;
	if (s->whole)
		find_hull(s, runs);
	for (uint32_t i = 0; !s->whole && i < n; i++)
		find_around(s, &edges[i], runs);
}

/* ------------------------------------------------------------- cuts */

static bool add_cut(struct sweep *s, struct run run, uint64_t high)
{
	struct rectangle *cuts = mp_arena_grow(
		s->scratch, s->cuts, s->n_cuts, &s->room, sizeof(*cuts));

	if (!cuts)
		return false;
	s->cuts = cuts;
	s->cuts[s->n_cuts++] = (struct rectangle){s->low[run.start], high,
		s->steps[run.start], s->steps[run.end]};
	s->too_many = s->n_cuts > s->most;
	return true;
}

/* Runs that are in both lists, which ascend, go on. */
static bool end_runs(struct sweep *s, uint64_t at)
{
	const struct runs *after = &s->after;
	uint32_t k = 0;

	for (uint32_t i = 0; i < s->before.n; i++) {
		struct run run = s->before.at[i];

		while (k < after->n && after->at[k].start < run.start)
			k++;
		if (k < after->n && after->at[k].start == run.start &&
			after->at[k].end == run.end)
			continue;
		if (!add_cut(s, run, at))
			return false;
		s->low[run.start] = at; /* a run may begin there */
	}
	return true;
}

static void begin_runs(struct sweep *s, uint64_t at)
{
	const struct runs *before = &s->before;
	uint32_t k = 0;

	for (uint32_t i = 0; i < s->after.n; i++) {
		uint32_t start = s->after.at[i].start;

		while (k < before->n && before->at[k].start < start)
			k++;
		if (k == before->n || before->at[k].start != start)
			s->low[start] = at;
	}
}

/* Passes n edges at the same byte. */
static bool pass(struct sweep *s, const struct edge *edges, uint32_t n)
{
	find_runs(s, edges, n, &s->before);
	for (uint32_t i = 0; i < n; i++)
		mp_lifetime_covered_change(&s->covered, edges[i].start,
			edges[i].end, edges[i].opens);
	find_runs(s, edges, n, &s->after);
	if (!end_runs(s, edges->at))
		return false;
	begin_runs(s, edges->at);
	return true;
}

static bool sweep(struct sweep *s)
{
	uint32_t n = s->n_pieces * 2, next;

	if (!prepare(s))
		return false;
	for (uint32_t i = 0; i < n && !s->too_many; i = next) {
		for (next = i; next < n && s->edges[next].at == s->edges[i].at;)
			next++;
		if (!pass(s, s->edges + i, next - i))
			return false;
	}
	if (s->n_cuts > 1)
		qsort(s->cuts, s->n_cuts, sizeof(*s->cuts), by_place);
	return true;
}

/* Rectangles that cross like a grid leave as many gaps as there are crossings.
 * If these are too many, no gap is left free. */
static bool sweep_either(struct sweep *s)
{
	struct arena_mark mark = mp_arena_mark(s->scratch);
	struct sweep begun = *s;

	begun.most = s->most = UINT32_MAX;
	if (!s->whole)
		s->most = PARTS_A_PIECE * s->n_pieces + FEW_PARTS;
	if (!sweep(s))
		return false;
	if (!s->too_many)
		return true;
	mp_arena_rewind(s->scratch, mark);
	*s = begun;
	s->whole = true;
	return sweep(s);
}

bool mp_lifetime_rectangles_cut(const struct rectangle *pieces, uint32_t n,
	bool whole, struct rectangles *result, struct arena *arena,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct sweep s = {.pieces = pieces,
		.n_pieces = n,
		.whole = whole,
		.scratch = scratch};
	bool fine = n == 0 || sweep_either(&s);

	result->at = NULL;
	if (fine)
		result->at =
			mp_arena_copy(arena, s.cuts, s.n_cuts, sizeof(*s.cuts));
	result->n = s.n_cuts;
	mp_arena_rewind(scratch, mark);
	return result->at != NULL;
}
