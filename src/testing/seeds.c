/*
 * For programs of the tests that write what follows from seeds into a folder.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/seeds.h"

#include <stdio.h>
#include <stdlib.h>

int mp_testing_seeds(int n, char **arguments,
	bool (*run)(
		uint64_t seed, const struct seed_place *place, struct arena *))
{
	struct seed_place place = {0};
	unsigned long first, count;

	if (n != 4)
		return 2;
	first = strtoul(arguments[1], NULL, 10);
	count = strtoul(arguments[2], NULL, 10);
	place.folder = arguments[3];
	for (; place.number < count; place.number++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		bool fine = run(first + place.number, &place, &arena);

		mp_arena_free(&arena);
		if (!fine)
			return 1;
	}
	return 0;
}

bool mp_testing_save(const struct seed_place *place, const char *prefix,
	const char *suffix, const char *bytes, size_t length)
{
	char name[4096];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s%lu%s", place->folder, prefix,
		place->number, suffix);
	file = fopen(name, "w");
	if (!file)
		return false;
	fwrite(bytes, 1, length, file);
	return fclose(file) == 0;
}
