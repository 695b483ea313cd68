/*
 * print-graph FIRST N FOLDER: writes the random graphs of N seeds as
 * FOLDER/g0.json and so on, for scripts. Every third has several pools, every
 * second loops if it has ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "testing/player.h"
#include "testing/seeds.h"

static bool print_graph(
	uint64_t seed, const struct seed_place *place, struct arena *arena)
{
	static char text[PLAY_JSON];
	struct play play = {0};

	(void)arena;
	mp_testing_player_random(&play, seed);
	if (seed % 2 == 0)
		mp_testing_player_add_loops(&play, seed);
	if (seed % 3 == 0)
		mp_testing_player_add_pools(&play, seed);
	mp_testing_player_print(&play, text);
	return mp_testing_save(place, "g", ".json", text, strlen(text));
}

int main(int n, char **arguments)
{
	return mp_testing_seeds(n, arguments, print_graph);
}
