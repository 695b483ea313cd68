/*
 * From the buffers of a problem to the sections and items of a packing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/packing.h"

#include <assert.h>

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

enum {
	BIRTH = 1, /* some buffer starts at this step */
	DEATH = 2, /* some buffer ends at this step */
};

/* A section ends where a buffer ends after another has started: the set alive
 * just before is then contained in no other. Fills for each step how many
 * sections have ended by then: a buffer is alive in sections
 * [closed[start], closed[end]). NULL: memory is out. */
static uint32_t *find_sections(struct packing *p, struct arena *scratch)
{
	const struct problem *problem = p->problem;
	uint32_t steps = problem->n_steps, n = 0;
	uint32_t *closed = NEW(scratch, uint32_t, (size_t)steps + 1);
	bool open = false;

	for (uint32_t i = 0; closed && i < problem->n_buffers; i++) {
		closed[problem->buffers[i].start] |= BIRTH;
		closed[problem->buffers[i].end] |= DEATH;
	}
	for (uint32_t k = 0; closed && k <= steps; k++) {
		uint32_t events = closed[k];

		n += open && (events & DEATH);
		open &= !(events & DEATH);
		open |= (events & BIRTH) != 0;
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

/* Sorts the buffers by section range, size and index. */
static bool sort_buffers(struct filling *f, struct arena *scratch)
{
	struct packing *p = f->packing;
	uint32_t n = p->n_items;
	uint32_t *spare = NEW(scratch, uint32_t, n);

	f->key = NEW(scratch, uint64_t, n);
	if (!f->key || !spare)
		return false;
	for (uint32_t i = 0; i < n; i++)
		p->buffer[i] = i;
	for (int pass = 0; pass < 2; pass++) {
		f->by_size = pass == 0;
		mp_threads_cut(scratch->threads, n, LEAST_CUT, fill_keys, f);
		mp_sort_radix_shared(
			scratch->threads, p->buffer, spare, n, f->key);
	}
	return true;
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

static void fill_sections(struct packing *p)
{
	int64_t load = 0;

	for (uint32_t i = 0; i < p->n_items; i++) {
		p->load[p->start[i]] += p->size[i];
		p->load[p->end[i]] -= p->size[i];
		p->first[p->start[i] + 1]++;
		p->ended[p->end[i]]++;
	}
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

/* The sections are read backward. Of those so far, `rising` has from `low` on
 * the ones with more load than all between them and the one that is read: where
 * an item begins, its greatest load is the last of them within it. */
static bool fill_tops(struct packing *p, struct arena *scratch)
{
	uint32_t n = p->n_sections, low = n, item = p->n_items;
	uint32_t *rising = NEW(scratch, uint32_t, n);

	for (uint32_t s = n; rising && s-- > 0;) {
		while (low < n && p->load[rising[low]] <= p->load[s])
			low++;
		rising[--low] = s;
		for (; item > p->first[s]; item--)
			p->top[item - 1] =
				rising[low - 1 +
					mp_search_u32(rising + low, n - low,
						p->end[item - 1])];
	}
	return rising != NULL;
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

	if (!sort_buffers(&f, scratch))
		return false;
	mp_threads_cut(scratch->threads, p->n_items, LEAST_CUT, fill_items, &f);
	fill_sections(p);
	return fill_tops(p, scratch);
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

void mp_planner_packing_offsets(
	const struct packing *packing, const int64_t *offset, uint64_t *bytes)
{
	for (uint32_t i = 0; i < packing->n_items; i++) {
		assert(offset[i] >= 0);
		bytes[packing->buffer[i]] = (uint64_t)offset[i] * packing->unit;
	}
}

int64_t mp_planner_packing_goal(
	const struct packing *packing, const struct job *job)
{
	uint64_t unit = packing->unit;

	if (job->capacity != UINT64_MAX && job->capacity >= job->lower_bound)
		return (int64_t)(job->capacity / unit);
	return (int64_t)((job->lower_bound + unit - 1) / unit);
}
