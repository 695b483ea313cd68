/*
 * The ways through a graph that the player tries.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLAYER_WAYS_H
#define MP_TESTING_PLAYER_WAYS_H

#include "testing/player-cells.h"

/* Lists the ways. False: no memory. */
bool mp_testing_player_list_ways(struct player *player);

/* The op runs in the way that is played. */
bool mp_testing_player_runs(const struct player *player, uint32_t op);

/* An iteration of the loop may go the way that is played, and the next one the
 * other way. */
bool mp_testing_player_may_follow(
	const struct player *player, uint32_t loop, uint32_t way);

/* An iteration ends: what the loop carries is there. If another one follows,
 * that finds it under its new name. */
bool mp_testing_player_hand_on(struct player *player, uint64_t *cells,
	const struct play_loop *loop, bool again);

#endif
