/*
 * For programs of the tests that write what follows from seeds into a folder.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_SEEDS_H
#define MP_TESTING_SEEDS_H

#include "base/arena.h"

/* Where the results of a seed go: FOLDER/NAME.json and so on. */
struct seed_place {
	const char *folder;
	unsigned long number; /* of the seed, from 0 */
};

/* The main function of `PROGRAM FIRST N FOLDER`: calls run() for each of N
 * seeds, with the memory of that seed alone, until one is false. */
int mp_testing_seeds(int n, char **arguments,
	bool (*run)(
		uint64_t seed, const struct seed_place *place, struct arena *));

/* Writes FOLDER/PREFIX, the seed's number, and SUFFIX. */
bool mp_testing_save(const struct seed_place *place, const char *prefix,
	const char *suffix, const char *bytes, size_t length);

#endif
