/*
 * The best of the items that lie within a range of sections: a tree over the
 * items in the order of their starts. Each node knows when the items below it
 * end, and their best rank, so that a search goes down only where some item
 * lies within. Its work hardly depends on how many items are alive then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_RANGE_TREE_H
#define MP_PLANNERS_PLAIN_RANGE_TREE_H

#include "base/threads.h"
#include "planners/plain/packing.h"

enum {
	RANGE_LEVELS = 11 /* 8^11 is more than 32 bits number */
};

/* Of the items below that are not taken. */
struct range_node {
	uint32_t least_end, most_end; /* NONE and 0 if there is none */
	uint32_t best;		      /* rank, the least; NONE likewise */
};

struct range_tree {
	const struct packing *packing;
	uint32_t from, to; /* items that are in the tree */
	uint32_t *rank;	   /* of an item; NONE: it is taken */
	struct range_node *level[RANGE_LEVELS]; /* 0 is right above the items */
	uint32_t n_levels;
};

/* Makes room; the items have no ranks yet. */
bool mp_planner_range_tree_init(struct range_tree *tree,
	const struct packing *packing, struct arena *arena);

/* Gives item order[r] the rank r. None is taken. */
void mp_planner_range_tree_rank(struct range_tree *tree, const uint32_t *order,
	struct threads *threads);

/* Gives each item its value as its rank, less than NONE, which several may
 * have. None is taken. */
void mp_planner_range_tree_values(struct range_tree *tree,
	const uint32_t *value, struct threads *threads);

/* Gives an item another rank, and puts it back if it was taken. Adds to the
 * looks. */
void mp_planner_range_tree_put(
	struct range_tree *tree, uint32_t item, uint32_t rank, uint64_t *looks);

/* Makes a tree of the items from this one on. Those before it stay in the tree.
 * Both may be used at the same time. */
struct range_tree mp_planner_range_tree_part(
	struct range_tree *tree, uint32_t from);

/* Takes the items of the part back. */
void mp_planner_range_tree_join(
	struct range_tree *tree, const struct range_tree *part);

/* This and what searches add to the looks, at nodes. */
void mp_planner_range_tree_take(
	struct range_tree *tree, uint32_t item, uint64_t *looks);

/* The best rank of what lies within sections [start, end) and is not taken;
 * NONE: nothing does. */
uint32_t mp_planner_range_tree_best(const struct range_tree *tree,
	uint32_t start, uint32_t end, uint64_t *looks);

/* The item that has it, where no two have the same rank. */
uint32_t mp_planner_range_tree_item(const struct range_tree *tree,
	uint32_t start, uint32_t end, uint64_t *looks);

/* The first item from this one on that is alive in a section and not taken;
 * NONE: there is none. */
uint32_t mp_planner_range_tree_alive(const struct range_tree *tree,
	uint32_t from, uint32_t section, uint64_t *looks);

#endif
