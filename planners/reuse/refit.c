/*
 * Some best base of a buffer puts an edge of one of its parts on the edge of a
 * piece (see layout.h): in between, moving the buffer changes nothing or meets
 * more holders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/refit.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"

bool mp_planner_refit_init(struct refit *r, const struct problem *problem,
	uint64_t limit, uint64_t seed, struct arena *arena)
{
	*r = (struct refit){.problem = problem, .random = seed, .cut = NONE};
	r->room = 8 * (problem->n_parts + 1);
	r->offsets = NEW(arena, uint64_t, problem->n_buffers);
	r->candidates = NEW(arena, struct refit_candidate, r->room);
	return r->offsets && r->candidates &&
	       mp_planner_layout_init(&r->layout, problem, limit, arena);
}

uint32_t mp_planner_refit_random(struct refit *r, uint32_t n)
{
	assert(n > 0);
	return (uint32_t)(mp_prng(&r->random) % n);
}

/* Cuts the layout for a part, unless it is cut so and has not changed since. */
static void cut_for(struct refit *r, uint32_t part)
{
	if (r->cut != part)
		mp_planner_layout_cut(&r->layout, part);
	r->cut = part;
}

/* Part by part, so that the weight is exact even if one part of the buffer
 * overwrites another. */
void mp_planner_refit_take(struct refit *r, uint32_t buffer)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	int64_t gain = 0;

	for (uint32_t i = b->first_part + b->n_parts; i-- > b->first_part;) {
		mp_planner_layout_take(&r->layout, i);
		r->cut = NONE;
		cut_for(r, i);
		mp_planner_layout_gain(&r->layout, i,
			r->offsets[buffer] + r->problem->parts[i].base, &gain);
		r->weight -= gain;
	}
}

void mp_planner_refit_put(struct refit *r, uint32_t buffer, uint64_t base)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	int64_t gain = 0;

	r->offsets[buffer] = base;
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++) {
		uint64_t low = base + r->problem->parts[i].base;

		cut_for(r, i);
		mp_planner_layout_gain(&r->layout, i, low, &gain);
		assert(low + r->problem->parts[i].size <= r->layout.limit);
		mp_planner_layout_put(&r->layout, i, low);
		r->cut = NONE;
		r->weight += gain;
	}
}

static void add_candidate(struct refit *r, uint64_t base)
{
	if (r->n_candidates < r->room)
		r->candidates[r->n_candidates++] =
			(struct refit_candidate){base, 0};
}

/* Adds the bases that put an edge of the part on an edge of a piece. */
static void add_candidates(struct refit *r, uint32_t part, uint64_t align)
{
	const struct part *it = &r->problem->parts[part];
	uint64_t reach = it->base + it->size;

	for (uint32_t i = 0; i < r->layout.n_pieces; i++) {
		const struct layout_piece *piece = &r->layout.pieces[i];

		if (piece->low >= it->base)
			add_candidate(r, num_up(piece->low - it->base, align));
		if (piece->high >= reach)
			add_candidate(r, (piece->high - reach) & ~(align - 1));
	}
}

/* Adds the gain of each candidate for a part; drops candidates without room. */
static void try_candidates(struct refit *r, uint32_t part)
{
	uint32_t kept = 0;
	int64_t gain;

	for (uint32_t i = 0; i < r->n_candidates; i++) {
		struct refit_candidate c = r->candidates[i];

		if (!mp_planner_layout_gain(&r->layout, part,
			    c.base + r->problem->parts[part].base, &gain))
			continue;
		c.gain += gain;
		r->candidates[kept++] = c;
	}
	r->layout.work += r->n_candidates / 4;
	r->n_candidates = kept;
}

bool mp_planner_refit_choose(struct refit *r, uint32_t buffer, uint64_t *base)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	uint32_t end = b->first_part + b->n_parts, n = 0;
	int64_t least = INT64_MAX;

	r->n_candidates = 0;
	for (uint32_t i = b->first_part; i < end; i++) {
		cut_for(r, i);
		add_candidates(r, i, b->align);
	}
	for (uint32_t i = b->first_part; i < end; i++) {
		cut_for(r, i);
		try_candidates(r, i);
	}
	for (uint32_t i = 0; i < r->n_candidates; i++) {
		if (r->candidates[i].gain > least)
			continue;
		n = r->candidates[i].gain < least ? 1 : n + 1;
		least = r->candidates[i].gain;
		if (mp_planner_refit_random(r, n) == 0)
			*base = r->candidates[i].base;
	}
	return n > 0;
}

void mp_planner_refit_clear(struct refit *r)
{
	const struct problem *p = r->problem;

	for (uint32_t i = 0; i < p->n_parts; i++)
		mp_planner_layout_take(&r->layout, i);
	r->cut = NONE;
	r->weight = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].offset != NO_OFFSET)
			mp_planner_refit_put(r, i, p->buffers[i].offset);
}

void mp_planner_refit_undo(struct refit *r, uint32_t buffer, uint64_t base)
{
	const struct buffer *b = &r->problem->buffers[buffer];

	r->offsets[buffer] = base;
	r->cut = NONE;
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++)
		mp_planner_layout_put(
			&r->layout, i, base + r->problem->parts[i].base);
}

void mp_planner_refit_restore(
	struct refit *r, const uint64_t *offsets, int64_t weight)
{
	for (uint32_t i = 0; i < r->problem->n_buffers; i++)
		mp_planner_refit_undo(r, i, offsets[i]);
	r->weight = weight;
}
