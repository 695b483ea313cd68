/*
 * Pins: the arena ends no lower than any buffer whose offset is fixed, and is
 *no smaller than any buffer.
 *
 * Alignment: of the buffers alive at a step whose offsets are multiples of a,
 * all but the highest are followed by another such offset, so each takes its
 * size rounded up to a, and the highest its size:
 *
 *	arena >= sum of rounded sizes - greatest rounding
 *
 * The greatest rounding is taken over all steps, which is less sharp but needs
 * no search for the highest; the bound is the better, the more there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/bound.h"

/* Where every offset is fixed, that is a plan, and no reason for it. */
static uint64_t end_of_pins(const struct problem *p)
{
	uint64_t end = 0;
	uint32_t pins = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (p->buffers[i].offset == NO_OFFSET)
			continue;
		pins++;
		end = num_max(end, p->buffers[i].offset + p->buffers[i].size);
	}
	return pins < p->n_buffers ? end : 0;
}

/* A stack of parts takes what it takes, however few of them live at once. */
static uint64_t largest(const struct problem *p)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		size = num_max(size, p->buffers[i].size);
	return size;
}

/* A stack of parts is aligned as a whole: those parts are that lie so many
 * bytes behind its beginning. With several streams a step of an envelope is no
 * moment that all its parts share. */
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

bool mp_problem_bound(const struct problem *problem, uint64_t *bound,
	enum bound_kind *kind, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint64_t align = next_alignment(problem, problem->alignment);
	uint64_t best = num_max(end_of_pins(problem), largest(problem));
	uint64_t *change = NULL;

	if (problem->choice) /* not all that is alive at a step is at once */
		align = 0;

	if (align)
		change = NEW(scratch, uint64_t, (size_t)problem->n_steps + 1);
	if (align && !change)
		return false;
	for (; align; align = next_alignment(problem, align))
		best = num_max(best, aligned_load(problem, align, change));
	*bound = num_max(best, problem->theoretical_min);
	*kind = best > problem->theoretical_min ? BOUND_PIN : BOUND_LOAD;
	mp_arena_rewind(scratch, mark);
	return true;
}
