/*
 * A moment: where one section of a packing ends and the next begins. Where no
 * byte is free, what is born lies exactly where something has died. So those
 * that die are in groups with those that are born: of one group both sides have
 * as many bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_MOMENT_H
#define MP_PLANNERS_PLAIN_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum {
	MOMENT_MOST = 64 /* items that die, or are born: bits of a word */
};

enum side {
	GONE, /* what dies */
	COME, /* what is born */
	SIDES
};

/* Some of the items of a moment, as bits. */
struct group {
	uint64_t of[SIDES];
};

/* Some of one side. */
struct set {
	uint64_t members;
	int64_t size;
};

struct moment {
	uint32_t item[SIDES][MOMENT_MOST], n[SIDES];
	struct group *groups; /* of which both sides have as many bytes */
	uint32_t n_groups;

	/* Scratch. */
	struct set *sets[SIDES]; /* by size */
	uint32_t n_sets[SIDES];
	struct set *unsorted;
	uint32_t *order, *spare;
	uint64_t *sums;
};

/* Makes room. False: memory is out. */
bool mp_planner_moment_init(struct moment *m, struct arena *arena);

/* Lists the groups of the items that the moment has, by the sizes of all items:
 * those with few members, or with more where an item would be in no group. Adds
 * to the looks, at sets. */
void mp_planner_moment_groups(
	struct moment *m, const int64_t *size, uint64_t *looks);

/* All items of the moment. */
struct group mp_planner_moment_all(const struct moment *m);

#endif
