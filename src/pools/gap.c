/* SPDX-License-Identifier: MIT */
#include "pools/gap.h"

#include <stdlib.h>

#include "problem/subproblem.h"

/* Bases that are not free: low < base < high. */
struct taken {
	uint64_t low, high; /* both moved up by the size, to stay above 0 */
};

struct taken_list {
	struct taken *at;
	size_t n, room;
	struct arena *arena;
};

static int by_low(const void *left, const void *right)
{
	const struct taken *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static bool add_taken(struct taken_list *list, uint64_t low, uint64_t high)
{
	struct taken *grown;
	size_t room;

	if (list->n == list->room) {
		room = list->room * 2 + 64;
		grown = NEW(list->arena, struct taken, room);
		if (!grown)
			return false;
		for (size_t i = 0; i < list->n; i++)
			grown[i] = list->at[i];
		list->at = grown;
		list->room = room;
	}
	list->at[list->n++] = (struct taken){low, high};
	return true;
}

/* ------------------------------------------------------------ index */

static uint32_t bucket_of(const struct gaps *g, uint32_t step)
{
	return (uint32_t)((uint64_t)step * g->n_buckets / g->n_steps);
}

bool mp_pools_gaps_init(
	struct gaps *g, const struct filling *f, struct arena *scratch)
{
	*g = (struct gaps){.f = f,
		.arena = scratch,
		.n_steps = f->a->problem->n_steps,
		.n_buckets = GAP_BUCKETS};
	g->first = NEW(scratch, struct gap_entry *, GAP_BUCKETS);
	g->seen = NEW(scratch, uint32_t, f->n);
	if (!g->first || !g->seen)
		return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->stays[i] && !mp_pools_gaps_add(g, i))
			return false;
	return true;
}

bool mp_pools_gaps_add(struct gaps *g, uint32_t member)
{
	const struct buffer *buffer =
		&g->f->a->problem->buffers[g->f->members[member]];
	uint32_t last = bucket_of(g, buffer->end - 1);

	for (uint32_t i = bucket_of(g, buffer->start); i <= last; i++) {
		struct gap_entry *entry = NEW(g->arena, struct gap_entry, 1);

		if (!entry)
			return false;
		*entry = (struct gap_entry){g->first[i], member};
		g->first[i] = entry;
	}
	return true;
}

/* ----------------------------------------------------------- search */

/* A part at [base + x.base, + x.size) misses one that lies at [low, high) if
 * base + x.base + x.size <= low or high <= base + x.base. */
static bool add_pairs(const struct filling *f, uint32_t x, uint32_t y,
	struct taken_list *list)
{
	const struct problem *p = f->a->problem;
	const struct buffer *own = &p->buffers[f->members[x]];
	const struct buffer *other = &p->buffers[f->members[y]];

	for (uint32_t i = own->first_part; i < own->first_part + own->n_parts;
		i++)
		for (uint32_t k = other->first_part;
			k < other->first_part + other->n_parts; k++) {
			uint64_t low = f->offsets[y] + p->parts[k].base;
			uint64_t top = own->size - p->parts[i].base;
			uint64_t size =
				mp_problem_subproblem_size(p, i, f->alignment);
			uint64_t taken =
				mp_problem_subproblem_size(p, k, f->alignment);

			if (mp_problem_conflict(p, i, k) &&
				!add_taken(list,
					low + top - num_min(low + top, size),
					low + taken + top))
				return false;
		}
	return true;
}

static bool meet(const struct filling *f, uint32_t x, uint32_t y)
{
	const struct buffer *own = &f->a->problem->buffers[f->members[x]];
	const struct buffer *other = &f->a->problem->buffers[f->members[y]];

	return own->start < other->end && other->start < own->end;
}

/* Who is to be apart from the member stays clear of it at any time. */
static bool add_apart(struct gaps *g, uint32_t member, struct taken_list *list)
{
	const struct filling *f = g->f;
	const struct problem *p = f->a->problem;
	uint32_t buffer = f->members[member];

	if (!p->apart)
		return true;
	for (uint32_t i = p->first_apart[buffer];
		i < p->first_apart[buffer + 1]; i++) {
		const uint32_t *other = bsearch(&p->apart[i], f->members, f->n,
			sizeof(*f->members), by_number);

		g->f->a->work -= g->f->a->work > 0;
		if (other && f->stays[other - f->members] &&
			!add_pairs(f, member, (uint32_t)(other - f->members),
				list))
			return false;
	}
	return true;
}

/* The lowest base that no taken range has. */
static uint64_t lowest(
	const struct taken_list *list, uint64_t size, uint64_t align)
{
	uint64_t base = 0;

	for (size_t i = 0; i < list->n; i++)
		if (base + size > list->at[i].low &&
			base + size < list->at[i].high)
			base = num_up(list->at[i].high - size, align);
	return base;
}

/* Of every bucket that the member spans, who is there, once. */
static bool add_neighbours(
	struct gaps *g, uint32_t member, struct taken_list *list)
{
	const struct buffer *buffer =
		&g->f->a->problem->buffers[g->f->members[member]];
	uint32_t last = bucket_of(g, buffer->end - 1);
	uint64_t *work = &g->f->a->work;

	g->stamp++;
	for (uint32_t i = bucket_of(g, buffer->start); i <= last; i++)
		for (const struct gap_entry *e = g->first[i]; e; e = e->next) {
			*work -= *work > 0;
			if (g->seen[e->member] == g->stamp)
				continue;
			g->seen[e->member] = g->stamp;
			if (meet(g->f, member, e->member) &&
				!add_pairs(g->f, member, e->member, list))
				return false;
		}
	return true;
}

bool mp_pools_gaps_find(struct gaps *g, uint32_t member, uint64_t *offset)
{
	const struct filling *f = g->f;
	const struct buffer *buffer =
		&f->a->problem->buffers[f->members[member]];
	struct arena scratch = mp_arena_beside(g->arena);
	struct taken_list list = {.arena = &scratch};
	uint64_t align = num_max(buffer->align, f->alignment);
	bool fine =
		add_neighbours(g, member, &list) && add_apart(g, member, &list);

	if (list.n > 0)
		qsort(list.at, list.n, sizeof(*list.at), by_low);
	*offset = lowest(&list, buffer->size, align);
	if (*offset + num_up(buffer->size, f->alignment) > f->capacity)
		*offset = NO_OFFSET;
	mp_arena_free(&scratch);
	return fine;
}
