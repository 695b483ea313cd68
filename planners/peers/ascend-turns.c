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

/* Numbers the buffers of some tensors. Those of tensors that no op makes come
 * before the ops, at turn 0. */
static uint32_t number_turns(const struct problem *p, const uint32_t *items,
	uint32_t n, uint32_t turn, struct turn *turns)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t buffer = p->items[items[i]].buffer;

		if (buffer != NONE && turns[buffer].turn == 0)
			turns[buffer].turn = ++turn;
	}
	return turn;
}

static void order_births(
	const struct problem *p, struct turn *turns, uint32_t *births)
{
	uint32_t turn = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		turns[i] = (struct turn){p->buffers[i].start, 0, 0, i};
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];

		turn = number_turns(p, op->outputs, op->n_outputs, turn, turns);
		turn = number_turns(
			p, op->temporaries, op->n_temporaries, turn, turns);
	}
	sort_turns(turns, p->n_buffers, births);
}

/* A tensor that an op reads twice is released at the second time. */
static void release_inputs(
	const struct problem *p, uint32_t step, struct turn *turns)
{
	const struct step *op = &p->ops[p->order[step]];

	for (uint32_t i = 0; i < op->n_inputs; i++) {
		uint32_t buffer = p->items[op->inputs[i]].buffer;

		if (buffer == NONE || p->buffers[buffer].end != step + 1)
			continue;
		turns[buffer].group = READ_LAST;
		turns[buffer].turn = i;
	}
}

static void order_releases(const struct problem *p, const uint32_t *births,
	struct turn *turns, uint32_t *releases)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t buffer = births[i];
		const struct buffer *b = &p->buffers[buffer];

		assert(buffer < p->n_buffers);
		turns[buffer] = (struct turn){b->end, OTHERWISE, 0, buffer};
		if (p->n_ops > 0 && b->start + 1 == b->end) {
			turns[buffer].group = NEVER_READ;
			turns[buffer].turn = i;
		}
	}
	for (uint32_t k = 0; k < p->n_ops; k++)
		release_inputs(p, k, turns);
	sort_turns(turns, p->n_buffers, releases);
}

bool mp_planner_ascend_turns(const struct problem *problem, uint32_t *births,
	uint32_t *releases, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct turn *turns = NEW(arena, struct turn, problem->n_buffers);

	if (!turns)
		return false;
	order_births(problem, turns, births);
	order_releases(problem, births, turns, releases);
	mp_arena_rewind(arena, mark);
	return true;
}
