/*
 * Fixed offsets: the arena ends no lower than any buffer with a fixed offset,
 * and is no smaller than any buffer.
 *
 * Alignment: take the buffers alive at a step with offsets that are multiples
 * of a. Above each but the highest lies another one, so each takes its size
 * rounded up to a, and the highest takes its size:
 *
 *	arena >= sum of rounded sizes - greatest rounding
 *
 * The greatest rounding of all steps is used: that is less sharp, but needs no
 * search for the highest buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/bound.h"

/* No plan ends lower: a buffer takes its whole size, however few of its parts
 * live at once. Where every offset is fixed these do not count: then the input
 * is a plan, and not a reason for one. */
static uint64_t end_of_pins(const struct problem *p)
{
	bool is_plan = mp_problem_is_plan(p);
	uint64_t end = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];

		end = num_max(end, b->size);
		if (!is_plan && b->offset != NO_OFFSET)
			end = num_max(end, b->offset + b->size);
	}
	return end;
}

/* Is the part at a multiple of that alignment? Its buffer is aligned as a
 * whole. With several streams parts that share a step of their envelopes need
 * not be alive together. */
static bool counts(
	const struct problem *p, const struct part *part, uint64_t align)
{
	return p->n_streams <= 1 && part->base % align == 0 &&
	       p->buffers[part->buffer].align >= align;
}

static uint64_t aligned_load(
	const struct problem *p, uint64_t align, uint64_t *change)
{
	uint64_t greatest = 0, load = 0, rounding = 0, rounded;

	for (uint32_t k = 0; k <= p->n_steps; k++)
		change[k] = 0;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (!counts(p, part, align) ||
			!num_align(part->size, align, &rounded))
			continue;
		rounding = num_max(rounding, rounded - part->size);
		change[part->start] += rounded;
		change[part->end] -= rounded;
	}
	for (uint32_t k = 0; k < p->n_steps; k++) {
		load += change[k];
		greatest = num_max(greatest, load);
	}
	return greatest - num_min(greatest, rounding);
}

/* The next greater alignment that any buffer has; 0: none. */
static uint64_t next_alignment(const struct problem *p, uint64_t align)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint64_t a = p->buffers[i].align;

		if (a > align && (next == 0 || a < next))
			next = a;
	}
	return next;
}

/* What alignment adds to the load, at the least. */
static bool raise_to_aligned_load(
	const struct problem *p, uint64_t *best, struct arena *scratch)
{
	uint64_t align = next_alignment(p, p->alignment);
	uint64_t *change;

	if (p->choice || align == 0) /* parts at a step may be exclusive */
		return true;
	change = NEW(scratch, uint64_t, (size_t)p->n_steps + 1);
	for (; change && align; align = next_alignment(p, align))
		*best = num_max(*best, aligned_load(p, align, change));
	return change != NULL;
}

static bool is_of_bundle(const struct problem *p)
{
	return p->schedule && p->schedule->graph->bundle.n > 0;
}

static bool has_gaps(const struct problem *p)
{
	for (uint32_t i = 0; p->parts && i < p->n_buffers; i++)
		if (mp_problem_has_gap(p, i))
			return true;
	return false;
}

/* Buffers that are apart add to the load, and buffers that meet in pairs. The
 * bound of a bundle is that of its members. */
static bool find_clique(const struct problem *p, struct clique *clique,
	struct arena *arena, struct arena *scratch)
{
	if (is_of_bundle(p) || (!p->apart && !has_gaps(p)))
		return true;
	for (uint64_t align = p->alignment; align;
		align = next_alignment(p, align))
		if (!mp_problem_clique(p, align, clique, arena, scratch))
			return false;
	return true;
}

bool mp_problem_bound(const struct problem *problem, struct lower_bound *bound,
	struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	uint64_t load = problem->theoretical_min;
	uint64_t pins = end_of_pins(problem);
	bool fine = raise_to_aligned_load(problem, &pins, &scratch);
	struct clique clique = {.bytes = num_max(load, pins)};

	fine = fine && find_clique(problem, &clique, arena, &scratch);
	*bound = (struct lower_bound){.bytes = clique.bytes,
		.kind = pins > load ? BOUND_PIN : BOUND_LOAD,
		.clique = clique};
	if (clique.bytes > num_max(load, pins))
		bound->kind = BOUND_CLIQUE;
	mp_arena_free(&scratch);
	return fine;
}
