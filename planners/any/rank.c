/*
 * Keys of buffers, and sorting by them: see rank.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/rank.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

/* A tree over values for the greatest in a range of them. */
struct peaks {
	uint64_t *greatest; /* value i at n + i */
	uint32_t n;
};

struct ranking {
	const struct problem *problem;
	uint32_t *born;	    /* buffers that start before a step */
	uint32_t *dead;	    /* buffers that end at a step or before */
	struct peaks peaks; /* of the loads of steps */
	uint32_t *at_peak;  /* parts that are alive at the greatest load */
	uint32_t n_at_peak;
};

/* ------------------------------------------------------------ peaks */

static bool peaks_init(struct peaks *peaks, const uint64_t *values, uint32_t n,
	struct arena *arena)
{
	peaks->n = n;
	peaks->greatest = NEW(arena, uint64_t, 2 * (size_t)n);
	if (!peaks->greatest)
		return false;
	if (n > 0)
		memcpy(peaks->greatest + n, values, sizeof(*values) * n);
	for (size_t k = n; k-- > 1;)
		peaks->greatest[k] = num_max(
			peaks->greatest[2 * k], peaks->greatest[2 * k + 1]);
	return true;
}

static uint64_t peak_of(const struct peaks *peaks, uint32_t start, uint32_t end)
{
	size_t a = (size_t)start + peaks->n, b = (size_t)end + peaks->n;
	uint64_t peak = 0;

	assert(start < end && end <= peaks->n);
	for (; a < b; a /= 2, b /= 2) {
		if (a % 2 == 1)
			peak = num_max(peak, peaks->greatest[a++]);
		if (b % 2 == 1)
			peak = num_max(peak, peaks->greatest[--b]);
	}
	return peak;
}

/* ------------------------------------------------------------- keys */

static uint64_t lifetime(
	const struct problem *problem, uint32_t start, uint32_t end)
{
	return (uint64_t)mp_problem_time(problem, end) -
	       (uint64_t)mp_problem_time(problem, start);
}

static uint64_t area(const struct problem *problem, const struct buffer *b)
{
	uint64_t sum = 0, product;

	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++) {
		const struct part *part = &problem->parts[i];

		if (!num_mul(part->size,
			    lifetime(problem, part->start, part->end),
			    &product) ||
			!num_add(sum, product, &sum))
			return NUM_MAX_BYTES;
	}
	return sum;
}

static uint64_t shareable_at_peak(
	const struct ranking *r, const struct buffer *b)
{
	const struct problem *p = r->problem;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < r->n_at_peak; i++) {
		const struct part *part = &p->parts[r->at_peak[i]];

		if (&p->buffers[part->buffer] != b &&
			!mp_problem_conflict(p, b->first_part, r->at_peak[i]))
			bytes += part->size;
	}
	return bytes;
}

static uint64_t value_of(
	const struct ranking *r, uint32_t buffer, enum rank_key key)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	/* The buffer itself is born before its end and not dead at its start.
	 */
	uint32_t conflicts = r->born[b->end] - r->dead[b->start] - 1;

	switch (key) {
	case RANK_SIZE:
		return ~b->size;
	case RANK_AREA:
		return ~area(r->problem, b);
	case RANK_LIFETIME:
		return ~lifetime(r->problem, b->start, b->end);
	case RANK_CONFLICTS:
		return ~(uint64_t)conflicts;
	case RANK_PRESSURE:
		return ~peak_of(&r->peaks, b->start, b->end);
	case RANK_START:
		return b->start;
	case RANK_LAST:
		return ~(uint64_t)buffer;
	case RANK_WHOLE:
		return b->start > 0 || b->end < r->problem->n_steps;
	case RANK_PEAK:
		return shareable_at_peak(r, b);
	case RANK_NONE:
	case RANK_SECTIONS:
		break;
	}
	return 0;
}

/* ---------------------------------------------------------- ranking */

static bool ranking_init(struct ranking *r, struct arena *arena)
{
	const struct problem *p = r->problem;

	r->born = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	r->dead = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	if (!r->born || !r->dead ||
		!peaks_init(&r->peaks, p->load, p->n_steps, arena))
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		r->born[p->buffers[i].start + 1]++;
		r->dead[p->buffers[i].end]++;
	}
	for (uint32_t k = 0; k < p->n_steps; k++) {
		r->born[k + 1] += r->born[k];
		r->dead[k + 1] += r->dead[k];
	}
	return true;
}

static bool needs(const enum rank_key keys[RANK_KEYS], enum rank_key key)
{
	for (uint32_t k = 0; k < RANK_KEYS; k++)
		if (keys[k] == key)
			return true;
	return false;
}

/* Finds the parts alive at the first step of the greatest load. */
static bool gather_peak(struct ranking *r, struct arena *arena)
{
	const struct problem *p = r->problem;
	uint32_t peak = p->peak_step;

	r->at_peak = NEW(arena, uint32_t, p->n_parts);
	for (uint32_t i = 0; r->at_peak && i < p->n_parts; i++)
		if (p->parts[i].start <= peak && peak < p->parts[i].end)
			r->at_peak[r->n_at_peak++] = i;
	return r->at_peak != NULL;
}

bool mp_planner_rank_buffers(const struct problem *problem,
	const enum rank_key keys[RANK_KEYS], uint32_t *order,
	struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct ranking r = {.problem = problem};
	uint32_t n = problem->n_buffers;
	uint64_t *value = NEW(arena, uint64_t, n);
	uint32_t *spare = NEW(arena, uint32_t, n);

	assert(!needs(keys, RANK_SECTIONS));
	if (!value || !spare || !ranking_init(&r, arena) ||
		(needs(keys, RANK_PEAK) && !gather_peak(&r, arena)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	/* The sort is stable: the most important key comes last. */
	for (uint32_t k = RANK_KEYS; k-- > 0;) {
		if (keys[k] == RANK_NONE)
			continue;
		for (uint32_t i = 0; i < n; i++)
			value[i] = value_of(&r, i, keys[k]);
		mp_sort_radix(order, spare, n, value);
	}
	mp_arena_rewind(arena, mark);
	return true;
}
