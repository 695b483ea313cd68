/*
 * A tournament tree (segment tree of minima): an array of players, some of
 * which take part. The best player of any interval of the array is found in
 * O(log n).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_TOURNAMENT_H
#define MP_BASE_TOURNAMENT_H

#include "base/arena.h"
#include "base/num.h"

/* Smaller is better; `second` decides if `first` is equal. */
struct score {
	int64_t first;
	uint64_t second;
};

struct tournament {
	struct score *scores; /* of a player */
	uint32_t *best;	      /* of a match: player, or NONE; 1 is the final,
				 match i is between the winners of 2i, 2i + 1 */
	uint32_t n_places;    /* a power of two; at least the players */
};

bool mp_tournament_init(
	struct tournament *t, uint32_t n_players, struct arena *arena);

/* The player takes part with this score from now on. */
void mp_tournament_enter(
	struct tournament *t, uint32_t player, struct score score);

void mp_tournament_leave(struct tournament *t, uint32_t player);

bool mp_tournament_has(const struct tournament *t, uint32_t player);

/* The best of the players in [low, high); or NONE. */
uint32_t mp_tournament_best(
	const struct tournament *t, uint32_t low, uint32_t high);

/* The first player that takes part; or NONE. */
uint32_t mp_tournament_first(const struct tournament *t);

#endif
