/*
 * Takes the places and the order of a plan from a handle.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "testing/player.h"

static bool take_tensors(struct play *play, const memplan *m)
{
	struct memplan_tensor tensor;

	for (uint32_t i = 0; i < play->n_tensors; i++) {
		struct play_tensor *t = &play->tensors[i];

		if (!memplan_tensor_at(m, i, &tensor, sizeof(tensor)) ||
			tensor.size != t->size ||
			tensor.external != t->external)
			return mp_testing_player_complain(
				play, "planned as another tensor", i, i);
		t->offset = tensor.offset;
		t->space = tensor.pool;
	}
	return true;
}

static void take_order(struct play *play, const memplan *m)
{
	struct memplan_op op;

	for (uint32_t i = 0; i < play->n_ops; i++) {
		play->order[i] = i;
		if (play->has_ops && memplan_op_at(m, i, &op, sizeof(op)))
			play->order[i] = op.index;
	}
}

/* Pools are called p0, p1 and so on; blocks of the first p0#0, p0#1. */
static bool take_spaces(struct play *play, const memplan *m)
{
	struct memplan_memory memory;
	uint32_t i = 0;

	for (; play->n_pools > 0 &&
		memplan_memory_at(m, i, &memory, sizeof(memory));
		i++) {
		if (i == PLAY_SPACES)
			return mp_testing_player_complain(
				play, "too many blocks", i, i);
		play->spaces[i].size = memory.size;
		sscanf(memory.name, "p%u", &play->spaces[i].pool);
	}
	play->n_spaces = i;
	return true;
}

bool mp_testing_player_take(struct play *play, const memplan *m)
{
	take_order(play, m);
	memplan_number(m, "arena_size", &play->arena_size);
	return take_tensors(play, m) && take_spaces(play, m);
}
