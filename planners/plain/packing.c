/*
 * From the buffers of a problem to the sections and items of a packing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/packing.h"

#include <assert.h>
#include <stdatomic.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/threads.h"

enum {
	LEAST_CUT = 20000 /* items of a loop that is for several threads */
};

/* ------------------------------------------------------------- unit */

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t find_unit(const struct problem *problem)
{
	uint64_t unit = 0;

	for (uint32_t i = 0; i < problem->n_buffers && unit != 1; i++)
		unit = greatest_common_divisor(problem->buffers[i].size, unit);
	return unit ? unit : 1;
}

/* --------------------------------------------------------- sections */

/* What there is at a step. Bytes, so that threads may mark them at one time.
 */
struct events {
	const struct problem *problem;
	atomic_uchar *births, *deaths;
};

static void mark_events(void *context, uint32_t from, uint32_t to)
{
	const struct events *e = context;

	for (uint32_t i = from; i < to; i++) {
		const struct buffer *b = &e->problem->buffers[i];

		atomic_store_explicit(
			&e->births[b->start], 1, memory_order_relaxed);
		atomic_store_explicit(
			&e->deaths[b->end], 1, memory_order_relaxed);
	}
}

static bool is_marked(const atomic_uchar *mark)
{
	return atomic_load_explicit(mark, memory_order_relaxed) != 0;
}

/* A section ends where a buffer ends after another has started: the set alive
 * just before is then contained in no other. Fills for each step how many
 * sections have ended by then: a buffer is alive in sections
 * [closed[start], closed[end]). NULL: memory is out. */
static uint32_t *find_sections(struct packing *p, struct arena *scratch)
{
	const struct problem *problem = p->problem;
	uint32_t steps = problem->n_steps, n = 0;
	uint32_t *closed = NEW(scratch, uint32_t, (size_t)steps + 1);
	struct events e = {problem,
		NEW(scratch, atomic_uchar, (size_t)steps + 1),
		NEW(scratch, atomic_uchar, (size_t)steps + 1)};
	bool open = false;

	if (!closed || !e.births || !e.deaths)
		return NULL;
	mp_threads_cut(scratch->threads, problem->n_buffers, LEAST_CUT,
		mark_events, &e);
	for (uint32_t k = 0; k <= steps; k++) {
		bool ends = is_marked(&e.deaths[k]);

		n += open && ends;
		open &= !ends;
		open |= is_marked(&e.births[k]);
		closed[k] = n;
	}
	p->n_sections = n;
	return closed;
}

/* ------------------------------------------------------------ items */

/* What loops over the items share. */
struct filling {
	struct packing *packing;
	const uint32_t *closed; /* of a step */
	uint64_t *key;		/* of a buffer */
	bool by_size;		/* else by sections */
};

static void fill_keys(void *context, uint32_t from, uint32_t to)
{
	const struct filling *f = context;
	const struct packing *p = f->packing;

	for (uint32_t i = from; i < to; i++) {
		const struct buffer *b = &p->problem->buffers[i];

		f->key[i] = f->by_size ? b->size / p->unit
				       : (uint64_t)f->closed[b->start] << 32 |
						 f->closed[b->end];
	}
}

/* Sorts the buffers by section range, size and index. Works in what is filled
 * later: sizes and tops. */
static void sort_buffers(struct filling *f, struct threads *threads)
{
	struct packing *p = f->packing;
	uint32_t n = p->n_items;

	f->key = (uint64_t *)p->size;
	for (uint32_t i = 0; i < n; i++)
		p->buffer[i] = i;
	for (int pass = 0; pass < 2; pass++) {
		f->by_size = pass == 0;
		mp_threads_cut(threads, n, LEAST_CUT, fill_keys, f);
		mp_sort_radix_shared(threads, p->buffer, p->top, n, f->key);
	}
}

static void fill_items(void *context, uint32_t from, uint32_t to)
{
	const struct filling *f = context;
	struct packing *p = f->packing;

	for (uint32_t i = from; i < to; i++) {
		const struct buffer *b = &p->problem->buffers[p->buffer[i]];

		p->start[i] = f->closed[b->start];
		p->end[i] = f->closed[b->end];
		p->size[i] = (int64_t)(b->size / p->unit);
	}
}

/* What an item adds to a section is added by the half of the items that are
 * born there. Those of the first that end in the second, across the cut, are
 * added behind both. */
struct section_halves {
	struct packing *packing;
	uint32_t n_first; /* items of the first half; 0: there is one only */
	uint32_t cut;	  /* where the second begins */
	uint32_t *rising; /* see find_tops() */
	uint32_t low;	  /* the first of the second half */
};

static void add_end(struct packing *p, uint32_t item)
{
	p->load[p->end[item]] -= p->size[item];
	p->ended[p->end[item]]++;
}

static bool count_items(void *context, uint32_t half)
{
	const struct section_halves *h = context;
	struct packing *p = h->packing;
	uint32_t from = half == 0 ? h->n_first : 0;
	uint32_t to = half == 0 ? p->n_items : h->n_first;
	uint32_t before = half == 0 ? NONE : h->cut;

	for (uint32_t i = from; i < to; i++) {
		p->load[p->start[i]] += p->size[i];
		p->first[p->start[i] + 1]++;
		if (p->end[i] < before)
			add_end(p, i);
	}
	return false;
}

static void fill_sections(struct section_halves *h, struct threads *threads)
{
	struct packing *p = h->packing;
	int64_t load = 0;

	mp_threads_run(threads, h->n_first > 0 ? 2 : 1, count_items, h);
	for (uint32_t i = 0; i < h->n_first; i++)
		if (p->end[i] >= h->cut)
			add_end(p, i);
	for (uint32_t s = 0; s <= p->n_sections; s++) {
		load = p->load[s] += load;
		if (load > p->max_load) {
			p->max_load = load;
			p->peak = s;
		}
		if (s == 0)
			continue;
		p->first[s] += p->first[s - 1];
		p->ended[s] += p->ended[s - 1];
	}
}

/* Of the n sections of such a list the last before the end of an item. */
static uint32_t last_within(
	const uint32_t *rising, uint32_t n, const struct packing *p, uint32_t i)
{
	return rising[mp_search_u32(rising, n, p->end[i]) - 1];
}

/* The sections are read backward. Of those so far, `rising` has from `low` on
 * the ones with more load than all between them and the one that is read: where
 * an item begins, its greatest load is the last of them within it. */
static bool find_tops(void *context, uint32_t half)
{
	struct section_halves *h = context;
	struct packing *p = h->packing;
	uint32_t from = half == 0 ? h->cut : 0, *rising = h->rising;
	uint32_t n = half == 0 ? p->n_sections : h->cut, low = n;
	uint32_t item = half == 0 ? p->n_items : h->n_first;

	for (uint32_t s = n; s-- > from;) {
		while (low < n && p->load[rising[low]] <= p->load[s])
			low++;
		rising[--low] = s;
		for (; item > p->first[s]; item--)
			p->top[item - 1] =
				last_within(rising + low, n - low, p, item - 1);
	}
	if (half == 0)
		h->low = low;
	return false;
}

static bool fill_tops(struct section_halves *h, struct arena *scratch)
{
	struct packing *p = h->packing;
	uint32_t top;

	h->rising = NEW(scratch, uint32_t, p->n_sections);
	if (!h->rising)
		return false;
	mp_threads_run(scratch->threads, h->n_first > 0 ? 2 : 1, find_tops, h);
	for (uint32_t i = 0; i < h->n_first; i++) {
		if (p->end[i] <= h->cut)
			continue;
		top = last_within(
			h->rising + h->low, p->n_sections - h->low, p, i);
		if (p->load[top] > p->load[p->top[i]])
			p->top[i] = top;
	}
	return true;
}

/* Two halves if two threads may work on them. */
static struct section_halves cut_sections(
	struct packing *p, const struct threads *threads)
{
	struct section_halves h = {.packing = p};

	if (p->n_items < LEAST_CUT || mp_threads_for(threads, 2) < 2)
		return h;
	h.cut = p->start[p->n_items / 2];
	h.n_first = mp_search_u32(p->start, p->n_items, h.cut);
	h.cut = h.n_first > 0 ? h.cut : 0;
	return h;
}

/* As many as there are: this is the last that takes memory. */
static bool fill_components(struct packing *p, struct arena *arena)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s <= p->n_sections; s++)
		n += p->first[s] == p->ended[s];
	assert(n > 0 && p->load[p->n_sections] == 0);
	p->component = NEW(arena, uint32_t, n);
	p->n_components = n - 1;
	for (uint32_t s = p->n_sections + 1; p->component && s-- > 0;)
		if (p->first[s] == p->ended[s])
			p->component[--n] = s;
	return p->component != NULL;
}

static bool make_room(struct packing *p, struct arena *arena)
{
	size_t n = p->n_items, sections = (size_t)p->n_sections + 2;

	p->start = NEW(arena, uint32_t, n);
	p->end = NEW(arena, uint32_t, n);
	p->size = NEW(arena, int64_t, n);
	p->buffer = NEW(arena, uint32_t, n);
	p->top = NEW(arena, uint32_t, n);
	p->load = NEW(arena, int64_t, sections);
	p->first = NEW(arena, uint32_t, sections);
	p->ended = NEW(arena, uint32_t, sections);
	return p->start && p->end && p->size && p->buffer && p->top &&
	       p->load && p->first && p->ended;
}

static bool fill_rest(
	struct packing *p, const uint32_t *closed, struct arena *scratch)
{
	struct filling f = {.packing = p, .closed = closed};
	struct section_halves h;

	sort_buffers(&f, scratch->threads);
	mp_threads_cut(scratch->threads, p->n_items, LEAST_CUT, fill_items, &f);
	h = cut_sections(p, scratch->threads);
	fill_sections(&h, scratch->threads);
	return fill_tops(&h, scratch);
}

static bool fill(struct packing *p, struct arena *arena, struct arena *scratch)
{
	const uint32_t *closed = find_sections(p, scratch);
	struct arena_mark mark;
	bool filled;

	if (!closed || !make_room(p, arena))
		return false;
	mark = mp_arena_mark(arena);
	filled = fill_rest(p, closed, arena);
	mp_arena_rewind(arena, mark);
	return filled;
}

bool mp_planner_packing_init(struct packing *packing,
	const struct problem *problem, struct arena *arena)
{
	struct arena scratch = mp_arena_within(arena, arena->error);
	bool filled;

	assert(mp_problem_is_flat(problem));
	*packing = (struct packing){.problem = problem,
		.unit = find_unit(problem),
		.n_items = problem->n_buffers};
	filled = fill(packing, arena, &scratch);
	mp_arena_free(&scratch);
	return filled && fill_components(packing, arena);
}

bool mp_planner_packing_of(
	struct packing *packing, const struct job *job, struct arena *arena)
{
	if (!job->packing || job->packing->problem != job->problem)
		return mp_planner_packing_init(packing, job->problem, arena);
	*packing = *job->packing;
	return true;
}

void mp_planner_packing_offsets(
	const struct packing *packing, const int64_t *offset, uint64_t *bytes)
{
	for (uint32_t i = 0; i < packing->n_items; i++) {
		assert(offset[i] >= 0);
		bytes[packing->buffer[i]] = (uint64_t)offset[i] * packing->unit;
	}
}

bool mp_planner_packing_offer(
	const struct packing *packing, const int64_t *offset, struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t *bytes = NEW(job->arena, uint64_t, packing->n_items);
	bool taken = false;

	if (bytes) {
		mp_planner_packing_offsets(packing, offset, bytes);
		taken = mp_planner_job_offer(job, bytes);
	}
	mp_arena_rewind(job->arena, mark);
	return taken;
}

int64_t mp_planner_packing_goal(
	const struct packing *packing, const struct job *job)
{
	uint64_t unit = packing->unit;

	if (job->capacity != UINT64_MAX && job->capacity >= job->lower_bound)
		return (int64_t)(job->capacity / unit);
	return (int64_t)((job->lower_bound + unit - 1) / unit);
}
