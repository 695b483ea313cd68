/*
 * The order in which buffers take and release blocks in level 1 of ascend.
 * Plans depend on it: swapping the inputs of one op changes a plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/peers/ascend.h"

#include <assert.h>

#include "base/sort.h"
#include "problem/buffer-uses.h"

/* Why a buffer ends at a step; these come first. */
enum {
	READ_LAST,  /* the op of this step is the last to read it */
	OTHERWISE,  /* no op determines its end */
	NEVER_READ, /* made by the op of this step, read by none */
	GROUPS,
};

/* Tensors that no op makes come before the ops, hence turn 0. */
static void order_births(const struct problem *p,
	const struct buffer_uses *uses, uint64_t *key, uint32_t *spare,
	uint32_t *births)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		births[i] = i;
		key[i] = (uint64_t)p->buffers[i].start << 32 | uses->of[i].made;
	}
	mp_sort_radix(births, spare, p->n_buffers, key);
}

/* A tensor read twice by an op is released at the second time. */
static void order_releases(const struct problem *p,
	const struct buffer_uses *uses, const uint32_t *births, uint64_t *turn,
	uint64_t *key, uint32_t *spare, uint32_t *releases)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint32_t buffer = births[i];
		const struct buffer *b = &p->buffers[buffer];

		assert(buffer < p->n_buffers);
		releases[i] = i;
		turn[buffer] = 0;
		key[buffer] = (uint64_t)b->end * GROUPS + OTHERWISE;
		if (uses->n_ops > 0 && b->start + 1 == b->end) {
			key[buffer] = (uint64_t)b->end * GROUPS + NEVER_READ;
			turn[buffer] = i;
		}
		if (uses->of[buffer].read != NONE) {
			key[buffer] = (uint64_t)b->end * GROUPS + READ_LAST;
			turn[buffer] = uses->of[buffer].read;
		}
	}
	/* The sort is stable: the most important key comes last. */
	mp_sort_radix(releases, spare, p->n_buffers, turn);
	mp_sort_radix(releases, spare, p->n_buffers, key);
}

bool mp_planner_ascend_turns(const struct problem *problem, uint32_t *births,
	uint32_t *releases, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint64_t *key = NEW(arena, uint64_t, problem->n_buffers);
	uint64_t *turn = NEW(arena, uint64_t, problem->n_buffers);
	uint32_t *spare = NEW(arena, uint32_t, problem->n_buffers);
	struct buffer_uses uses;

	if (!key || !turn || !spare ||
		!mp_problem_buffer_uses(problem, &uses, arena))
		return false;
	order_births(problem, &uses, key, spare, births);
	order_releases(problem, &uses, births, turn, key, spare, releases);
	mp_arena_rewind(arena, mark);
	return true;
}
