/*
 * What the banks of pools cost in a plan, byte by byte.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "testing/player.h"

/* The branch around a tensor, or around the choice of a branch. */
struct site {
	uint32_t choice, branch;
};

static struct site around(const struct play *play, struct site site)
{
	return (struct site){
		play->sites[site.choice][0], play->sites[site.choice][1]};
}

/* It is there whichever branch runs. */
static bool is_kept(const struct play *play, const struct play_tensor *t)
{
	return t->kind == KIND_STATE ||
	       (t->lifelong && strcmp(t->lifelong, "all") == 0) ||
	       (t->kind == KIND_INPUT && play->inputs == POLICY_THROUGHOUT) ||
	       (t->kind == KIND_OUTPUT && play->outputs == POLICY_THROUGHOUT);
}

static bool are_exclusive(const struct play *play, uint32_t a, uint32_t b)
{
	const struct play_tensor *x = &play->tensors[a], *y = &play->tensors[b];

	if (is_kept(play, x) || is_kept(play, y))
		return false;
	for (struct site i = {x->choice, x->branch}; i.choice != NONE;
		i = around(play, i))
		for (struct site k = {y->choice, y->branch}; k.choice != NONE;
			k = around(play, k))
			if (i.choice == k.choice && i.branch != k.branch)
				return true;
	return false;
}

static bool touches(const struct play_pool *pool, const struct play_tensor *t,
	uint64_t bank)
{
	for (uint64_t i = t->offset; i < t->offset + t->size; i++)
		if (i / pool->bank_size % pool->n_banks == bank)
			return true;
	return false;
}

static uint64_t cost_of(const struct play *play, uint32_t a, uint32_t b)
{
	const struct play_tensor *x = &play->tensors[a], *y = &play->tensors[b];
	const struct play_pool *pool =
		&play->pools[play->spaces[x->space].pool];
	uint64_t cost = 0;

	if (!mp_testing_player_takes_bytes(x) ||
		!mp_testing_player_takes_bytes(y) || x->space != y->space ||
		are_exclusive(play, a, b))
		return 0;
	for (uint64_t i = 0; i < pool->n_banks; i++)
		cost += touches(pool, x, i) && touches(pool, y, i);
	return cost;
}

uint64_t mp_testing_player_bank_cost(const struct play *play)
{
	uint64_t cost = 0;

	for (uint32_t op = 0; op < play->n_ops && play->n_pools > 0; op++) {
		const struct play_op *o = &play->ops[op];
		uint64_t used = o->inputs | o->outputs | o->temporaries;

		for (uint32_t a = 0; a < play->n_tensors; a++)
			for (uint32_t b = a + 1; b < play->n_tensors; b++)
				if (used & PLAY_BIT(a) && used & PLAY_BIT(b))
					cost += cost_of(play, a, b);
	}
	return cost;
}
