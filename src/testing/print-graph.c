/*
 * print-graph FIRST N FOLDER: writes the random graphs of N seeds as
 * FOLDER/g0.json and so on, for scripts. Every third has several pools.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/player.h"

static int print_graph(const char *folder, unsigned long number, uint64_t seed)
{
	static char text[PLAY_JSON], name[4096];
	struct play play = {0};
	FILE *file;

	mp_testing_player_random(&play, seed);
	if (seed % 3 == 0)
		mp_testing_player_add_pools(&play, seed);
	mp_testing_player_print(&play, text);
	snprintf(name, sizeof(name), "%s/g%lu.json", folder, number);
	file = fopen(name, "w");
	if (!file)
		return 1;
	fputs(text, file);
	return fclose(file) != 0;
}

int main(int n, char **arguments)
{
	unsigned long first, count;

	if (n != 4)
		return 2;
	first = strtoul(arguments[1], NULL, 10);
	count = strtoul(arguments[2], NULL, 10);
	for (unsigned long i = 0; i < count; i++)
		if (print_graph(arguments[3], i, first + i))
			return 1;
	return 0;
}
