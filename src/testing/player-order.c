/*
 * What a graph means by its aliases: which write is the content of a tensor,
 * and which ops must come before it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player.h"

uint32_t mp_testing_player_root(const struct play *play, uint32_t tensor)
{
	while (play->tensors[tensor].of != NONE)
		tensor = play->tensors[tensor].of;
	return tensor;
}

uint32_t mp_testing_player_writer(const struct play *play, uint32_t tensor)
{
	while (play->tensors[tensor].of != NONE &&
		!play->tensors[tensor].writes)
		tensor = play->tensors[tensor].of;
	return tensor;
}

/* The producer of the base tensor, for an alias that no op makes. */
uint32_t mp_testing_player_maker(const struct play *play, uint32_t tensor)
{
	while (play->tensors[tensor].producer == NONE &&
		play->tensors[tensor].of != NONE)
		tensor = play->tensors[tensor].of;
	return play->tensors[tensor].producer;
}

bool mp_testing_player_is_below(
	const struct play *play, uint32_t tensor, uint32_t above)
{
	while (tensor != NONE && tensor != above)
		tensor = play->tensors[tensor].of;
	return tensor == above;
}

uint64_t mp_testing_player_base(const struct play *play, uint32_t tensor)
{
	uint64_t base = 0;

	for (; play->tensors[tensor].of != NONE;
		tensor = play->tensors[tensor].of)
		base += play->tensors[tensor].at;
	return base;
}

bool mp_testing_player_overlap(const struct play *play, uint32_t a, uint32_t b)
{
	uint64_t x = mp_testing_player_base(play, a),
		 y = mp_testing_player_base(play, b);

	return mp_testing_player_root(play, a) ==
		       mp_testing_player_root(play, b) &&
	       x < y + play->tensors[b].size && y < x + play->tensors[a].size;
}

static void add_edge(uint32_t *before, uint32_t from, uint32_t to)
{
	if (from != NONE && from != to)
		before[to] |= 1u << from;
}

/* The readers of the old content run before the op that overwrites it. */
static void order_writer(const struct play *play, uint32_t w, uint32_t *before)
{
	uint32_t op = play->tensors[w].producer;
	uint32_t old = mp_testing_player_writer(play, play->tensors[w].of);

	for (uint32_t t = 0; t < play->n_tensors; t++) {
		if (mp_testing_player_writer(play, t) != old ||
			mp_testing_player_is_below(play, t, w) ||
			!mp_testing_player_overlap(play, t, w))
			continue;
		add_edge(before, mp_testing_player_maker(play, t), op);
		for (uint32_t k = 0; k < play->n_ops; k++)
			if (play->ops[k].inputs & PLAY_BIT(t))
				add_edge(before, k, op);
	}
}

uint32_t mp_testing_player_loop(const struct play *play, uint32_t op)
{
	uint32_t found = NONE;

	for (uint32_t i = 0; i < play->n_loops; i++)
		if (mp_testing_player_has(&play->loops[i], op))
			found = i;
	return found;
}

/* What is listed before the first op of a loop is over when that begins, and so
 * on: an iteration begins and ends with one op that runs alone. */
static void order_around(const struct play *play, uint32_t op, uint32_t *before)
{
	for (uint32_t k = 0; k < play->n_ops; k++)
		add_edge(before, k < op ? k : op, k < op ? op : k);
}

void mp_testing_player_order(const struct play *play, uint32_t *before)
{
	for (uint32_t k = 0; k < play->n_ops; k++) {
		before[k] |= play->ops[k].after;
		for (uint32_t t = 0; t < play->n_tensors; t++)
			if (play->ops[k].inputs & PLAY_BIT(t))
				add_edge(before,
					mp_testing_player_maker(play, t), k);
	}
	for (uint32_t t = 0; t < play->n_tensors; t++)
		if (play->tensors[t].writes)
			order_writer(play, t, before);
	for (uint32_t i = 0; i < play->n_loops; i++) {
		order_around(play, play->loops[i].first, before);
		order_around(play, play->loops[i].last, before);
	}
}
