/* SPDX-License-Identifier: MIT */
#include "subproblem.h"

#include <string.h>

#include "antichain.h"

static uint32_t count_parts(
	const struct problem *p, const uint32_t *buffers, uint32_t n)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < n; i++)
		parts += p->buffers[buffers[i]].n_parts;
	return parts;
}

/* A whole plan file's claims are none of a part of it. */
static void take_labels(
	struct problem *sub, const struct problem *p, uint64_t alignment)
{
	*sub = *p;
	sub->alignment = alignment;
	sub->n_parts = 0;
	sub->pools = NULL;
	sub->pool_lists = NULL;
	sub->pool_list = NULL;
	sub->pool_claims = NULL;
	sub->n_pools = 0;
	sub->claimed_bound = 0;
	sub->claimed_bound_kind = NULL;
}

static void add_part(struct problem *sub, const struct part *part, uint32_t i)
{
	struct part *copy = &sub->parts[sub->n_parts++];

	*copy = *part;
	copy->buffer = i;
	if (sub->buffers[i].n_parts == 1)
		copy->size = num_up(part->size, sub->alignment);
	sub->buffers[i].size =
		num_max(sub->buffers[i].size, copy->base + copy->size);
}

static void add_buffer(struct problem *sub, const struct problem *p,
	uint32_t whole, uint32_t i)
{
	const struct buffer *from = &p->buffers[whole];
	struct buffer *to = &sub->buffers[i];

	*to = *from;
	to->size = 0;
	to->align = num_max(from->align, sub->alignment);
	to->first_part = sub->n_parts;
	for (uint32_t k = 0; k < from->n_parts; k++)
		add_part(sub, &p->parts[from->first_part + k], i);
}

/* Rows of the tables of streams, in the order of the parts. */
static bool take_streams(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	size_t n = p->n_streams;
	uint32_t *stream = NEW(arena, uint32_t, sub->n_parts);
	uint32_t *born = NEW(arena, uint32_t, sub->n_parts);
	uint32_t *free = NEW(arena, uint32_t, sub->n_parts * n);
	size_t at = 0;

	if (!stream || !born || !free)
		return false;
	for (uint32_t i = 0; i < sub->n_buffers; i++) {
		const struct buffer *from = &p->buffers[buffers[i]];
		size_t first = from->first_part, count = from->n_parts;

		memcpy(stream + at, p->stream + first, count * sizeof(*stream));
		memcpy(born + at, p->born + first, count * sizeof(*born));
		memcpy(free + at * n, p->free + first * n,
			count * n * sizeof(*free));
		at += count;
	}
	sub->stream = stream;
	sub->born = born;
	sub->free = free;
	return true;
}

/* Items elsewhere take no bytes here. */
static bool take_items(struct problem *sub, const struct problem *p,
	const uint32_t *buffers, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	uint32_t *at = NEW(&scratch, uint32_t, p->n_buffers);

	sub->items = NEW(arena, struct item, p->n_items);
	if (!at || !sub->items)
		return mp_arena_free(&scratch), false;
	memset(at, 0xff, sizeof(*at) * p->n_buffers);
	for (uint32_t i = 0; i < sub->n_buffers; i++)
		at[buffers[i]] = i;
	for (uint32_t i = 0; i < p->n_items; i++) {
		sub->items[i] = p->items[i];
		if (p->items[i].buffer != NONE)
			sub->items[i].buffer = at[p->items[i].buffer];
	}
	mp_arena_free(&scratch);
	return true;
}

bool mp_subproblem(const struct problem *problem, const uint32_t *buffers,
	uint32_t n, uint64_t alignment, struct problem *sub,
	struct arena *arena, struct error *e)
{
	take_labels(sub, problem, alignment);
	sub->n_buffers = n;
	sub->buffers = NEW(arena, struct buffer, n);
	sub->parts = NEW(arena, struct part, count_parts(problem, buffers, n));
	if (!sub->buffers || !sub->parts)
		return false;
	for (uint32_t i = 0; i < n; i++)
		add_buffer(sub, problem, buffers[i], i);
	if (!take_items(sub, problem, buffers, arena) ||
		!mp_problem_measure(sub, arena, e))
		return false;
	return problem->n_streams <= 1 ||
	       (take_streams(sub, problem, buffers, arena) &&
		       mp_antichain(sub, arena, e));
}
