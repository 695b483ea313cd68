/*
 * The ways through a graph: which branches are taken, and which loops run at
 * all. A choice is made anew in each iteration of a loop that makes all its
 * tensors, and so is whether a loop in it runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-ways.h"

#include <assert.h>
#include <stdlib.h>

static bool is_idle(const struct play_way *way, uint32_t loop)
{
	return way->idle >> loop & 1;
}

/* Bit i: the loop has loop i, or is it. */
static uint32_t loops_in(const struct play *play, uint32_t loop)
{
	uint32_t in = 0;

	for (uint32_t i = 0; i < play->n_loops; i++) {
		uint32_t at = i;

		while (at != NONE && at != loop)
			at = play->loops[at].around;
		in |= (uint32_t)(at == loop) << i;
	}
	return in;
}

/* ------------------------------------------------------------ alive */

static bool is_kept(const struct play_tensor *t)
{
	return t->kind == KIND_STATE || t->kind == KIND_WEIGHT;
}

/* What is kept between runs is there in all branches. */
static bool is_of_branches(const struct play *play, const struct play_tensor *t,
	const struct play_way *way)
{
	uint32_t choice = t->choice, branch = t->branch;

	if (is_kept(t))
		return true;
	while (choice != NONE && way->taken[choice] == branch) {
		branch = play->sites[choice][1];
		choice = play->sites[choice][0];
	}
	return choice == NONE;
}

static bool runs(
	const struct play *play, const struct play_way *way, uint32_t op)
{
	uint32_t loop = mp_testing_player_loop(play, op);

	return loop == NONE || !is_idle(way, loop);
}

static bool was_there(const struct play_tensor *t)
{
	return t->from_start && t->of == NONE;
}

/* A view is there if what it is a view of is. */
static bool is_made(
	const struct play *play, const struct play_way *way, uint32_t i)
{
	for (; i != NONE; i = play->tensors[i].of) {
		if (!was_there(&play->tensors[i]) &&
			!runs(play, way, mp_testing_player_maker(play, i)))
			return false;
		if (play->tensors[i].writes)
			return true;
	}
	return true;
}

static void find_alive(const struct play *play, struct play_way *way)
{
	for (uint32_t i = 0; i < play->n_tensors; i++) {
		const struct play_tensor *t = &play->tensors[i];

		way->alive[i] = mp_testing_player_takes_bytes(t) &&
				is_of_branches(play, t, way) &&
				is_made(play, way, i);
	}
}

/* ------------------------------------------------------------- ways */

static uint32_t power(uint32_t base, uint32_t n)
{
	return n == 0 ? 1 : base * power(base, n - 1);
}

bool mp_testing_player_list_ways(struct player *p)
{
	const struct play *play = p->play;
	uint32_t n_taken = power(PLAY_BRANCHES, play->n_choices);

	p->ways = calloc((size_t)n_taken << play->n_loops, sizeof(*p->ways));
	for (uint32_t i = 0; p->ways && i < n_taken << play->n_loops; i++) {
		struct play_way *way = &p->ways[p->n_ways];
		uint32_t idle = i / n_taken;

		way->idle = 0;
		for (uint32_t loop = 0; loop < play->n_loops; loop++)
			if (idle >> loop & 1)
				way->idle |= loops_in(play, loop);
		if (way->idle != idle)
			continue;
		for (uint32_t c = 0, left = i; c < PLAY_CHOICES; c++) {
			way->taken[c] = left % PLAY_BRANCHES;
			left /= PLAY_BRANCHES;
		}
		find_alive(play, way);
		p->n_ways++;
	}
	return p->ways != NULL;
}

bool mp_testing_player_runs(const struct player *p, uint32_t op)
{
	return runs(p->play, &p->ways[p->way], op);
}

/* ------------------------------------------------------- iterations */

static bool stands_in(const struct play *play, uint32_t choice, uint32_t in)
{
	while (choice != NONE && choice != in)
		choice = play->sites[choice][0];
	return choice == in;
}

/* Does the loop make all tensors of the choice, and of those in it? */
static bool makes_all(
	const struct play *play, const struct play_loop *loop, uint32_t choice)
{
	for (uint32_t i = 0; i < play->n_tensors; i++) {
		const struct play_tensor *t = &play->tensors[i];

		if (t->choice != NONE && !is_kept(t) &&
			stands_in(play, t->choice, choice) &&
			(was_there(t) ||
				!mp_testing_player_has(loop,
					mp_testing_player_maker(play, i))))
			return false;
	}
	return true;
}

bool mp_testing_player_may_follow(
	const struct player *p, uint32_t loop, uint32_t other)
{
	const struct play *play = p->play;
	const struct play_way *way = &p->ways[p->way];
	const struct play_way *next = &p->ways[other];
	uint32_t inside;

	assert(loop < play->n_loops);
	inside = loops_in(play, loop) & ~(1u << loop);
	if (p->way == other || !p->mixed)
		return p->way == other;
	if ((way->idle ^ next->idle) & ~inside)
		return false;
	for (uint32_t c = 0; c < PLAY_CHOICES; c++)
		if (way->taken[c] != next->taken[c] &&
			!makes_all(play, &play->loops[loop], c))
			return false;
	return true;
}

/* In place, what was written over a tensor is that tensor in the next
 * iteration, even if an earlier iteration of a loop inside wrote it; behind the
 * loop it keeps its own name. */
bool mp_testing_player_hand_on(struct player *p, uint64_t *cells,
	const struct play_loop *loop, bool again)
{
	for (uint32_t k = 0; k < loop->n_carried; k++) {
		const uint32_t *pair = loop->carried[k];
		bool in_place = mp_testing_player_in_place(p->play, pair);

		if (!mp_testing_player_need(p, cells, pair[1], 0) ||
			!mp_testing_player_need(p, cells, pair[0],
				in_place ? PLAY_BIT(pair[1]) : 0))
			return false;
	}
	for (uint32_t k = 0; k < loop->n_carried; k++) {
		const uint32_t *pair = loop->carried[k];

		if (p->alive[pair[0]] &&
			(mp_testing_player_in_place(p->play, pair)
					? again
					: p->alive[pair[1]]))
			mp_testing_player_write(p, cells, pair[0]);
	}
	return true;
}
