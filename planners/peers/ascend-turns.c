/*
 * The order in which buffers take and release blocks in level 1 of ascend.
 * Plans depend on it: swapping the inputs of one op changes a plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "problem/buffer-uses.h"

enum {
	READ_LAST,  /* the op of this step is the last to read it */
	OTHERWISE,  /* no op determines its end */
	NEVER_READ, /* made by the op of this step, read by none */
};

struct turn {
	uint32_t step, group, turn, buffer;
};

static int by_turn(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->step != b->step)
		return mp_sort_compare(a->step, b->step);
	return mp_sort_compare_three(
		a->group, b->group, a->turn, b->turn, a->buffer, b->buffer);
}

static void sort_turns(struct turn *turns, uint32_t n, uint32_t *order)
{
	qsort(turns, n, sizeof(*turns), by_turn);
	for (uint32_t i = 0; i < n; i++)
		order[i] = turns[i].buffer;
}

/* Tensors that no op makes come before the ops, hence turn 0. */
static void order_births(const struct problem *p,
	const struct buffer_uses *uses, struct turn *turns, uint32_t *births)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		turns[i] = (struct turn){
			p->buffers[i].start, 0, uses->of[i].made, i};
	sort_turns(turns, p->n_buffers, births);
}

/* A tensor read twice by an op is released at the second time. */
static void order_releases(const struct problem *p,
	const struct buffer_uses *uses, const uint32_t *births,
	struct turn *turns, uint32_t *releases)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t buffer = births[i];
		const struct buffer *b = &p->buffers[buffer];

		assert(buffer < p->n_buffers);
		turns[buffer] = (struct turn){b->end, OTHERWISE, 0, buffer};
		if (uses->n_ops > 0 && b->start + 1 == b->end) {
			turns[buffer].group = NEVER_READ;
			turns[buffer].turn = i;
		}
		if (uses->of[buffer].read != NONE) {
			turns[buffer].group = READ_LAST;
			turns[buffer].turn = uses->of[buffer].read;
		}
	}
	sort_turns(turns, p->n_buffers, releases);
}

bool mp_planner_ascend_turns(const struct problem *problem, uint32_t *births,
	uint32_t *releases, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct turn *turns = NEW(arena, struct turn, problem->n_buffers);
	struct buffer_uses uses;

	if (!turns || !mp_problem_buffer_uses(problem, &uses, arena))
		return false;
	order_births(problem, &uses, turns, births);
	order_releases(problem, &uses, births, turns, releases);
	mp_arena_rewind(arena, mark);
	return true;
}
