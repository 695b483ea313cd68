/*
 * A segment tree of minima, with the players as leaves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/tournament.h"

#include <assert.h>

bool mp_tournament_init(
	struct tournament *t, uint32_t n_players, struct arena *arena)
{
	for (t->n_places = 1; t->n_places < n_players;)
		t->n_places *= 2;
	t->scores = NEW(arena, struct score, n_players);
	t->best = NEW(arena, uint32_t, 2 * (size_t)t->n_places);
	if (!t->scores || !t->best)
		return false;
	for (uint32_t i = 0; i < 2 * t->n_places; i++)
		t->best[i] = NONE;
	return true;
}

static uint32_t better(const struct tournament *t, uint32_t a, uint32_t b)
{
	if (a == NONE || b == NONE)
		return a == NONE ? b : a;
	if (t->scores[a].first != t->scores[b].first)
		return t->scores[a].first < t->scores[b].first ? a : b;
	return t->scores[b].second < t->scores[a].second ? b : a;
}

/* Sets the player's leaf and plays its matches again. If the player neither was
 * nor is the winner of a match, later matches do not change. */
static void set_entry(struct tournament *t, uint32_t player, uint32_t entry)
{
	uint32_t i = t->n_places + player, winner;

	assert(player < t->n_places);
	t->best[i] = entry;
	for (i /= 2; i > 0; i /= 2) {
		winner = better(t, t->best[2 * i], t->best[2 * i + 1]);
		if (winner == t->best[i] && winner != player)
			return;
		t->best[i] = winner;
	}
}

void mp_tournament_enter(
	struct tournament *t, uint32_t player, struct score score)
{
	t->scores[player] = score;
	set_entry(t, player, player);
}

void mp_tournament_leave(struct tournament *t, uint32_t player)
{
	set_entry(t, player, NONE);
}

bool mp_tournament_has(const struct tournament *t, uint32_t player)
{
	return t->best[t->n_places + player] != NONE;
}

uint32_t mp_tournament_best(
	const struct tournament *t, uint32_t low, uint32_t high)
{
	uint32_t best = NONE;

	assert(low <= t->n_places && high <= t->n_places);
	low += t->n_places;
	high += t->n_places;
	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			best = better(t, best, t->best[low++]);
		if (high & 1)
			best = better(t, best, t->best[--high]);
	}
	return best;
}

uint32_t mp_tournament_first(const struct tournament *t)
{
	uint32_t i = 1;

	while (i < t->n_places)
		i = 2 * i + (t->best[2 * i] == NONE);
	return t->best[i];
}
