/*
 * Loads by ranges: see loads.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/loads.h"

#include <assert.h>

enum {
	LEVELS_A_LOOK = 4 /* of the tree */
};

/* Leaves are numbered in the order of time; leaf[step] counts those before. */
static void number_leaves(struct loads *loads, const struct problem *problem)
{
	uint32_t *leaf = loads->leaf;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		leaf[problem->buffers[i].start] = 1;
		leaf[problem->buffers[i].end] = 1;
	}
	leaf[0] = 0;
	for (uint32_t s = 1; s <= problem->n_steps; s++)
		leaf[s] += leaf[s - 1];
	loads->n_leaves = leaf[problem->n_steps] + 1;
}

static void find_most(struct loads_node *nodes, uint32_t i)
{
	int64_t left = nodes[2 * i].most, right = nodes[2 * i + 1].most;

	nodes[i].most = nodes[i].more + (left > right ? left : right);
}

static void change(struct loads_node *node, int64_t bytes)
{
	node->more += bytes;
	node->most += bytes;
}

/* Leaves first have what the load rises there. */
static void fill_nodes(struct loads *loads, const struct problem *problem)
{
	struct loads_node *leaves = loads->nodes + loads->n_leaves;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		const struct buffer *b = &problem->buffers[i];

		leaves[loads->leaf[b->start]].most += (int64_t)b->size;
		leaves[loads->leaf[b->end]].most -= (int64_t)b->size;
	}
	for (uint32_t k = 1; k < loads->n_leaves; k++)
		leaves[k].most += leaves[k - 1].most;
	for (uint32_t i = loads->n_leaves; --i > 0;)
		find_most(loads->nodes, i);
}

bool mp_planner_loads_init(
	struct loads *loads, const struct problem *problem, struct arena *arena)
{
	loads->leaf = NEW(arena, uint32_t, (size_t)problem->n_steps + 1);
	if (!loads->leaf)
		return false;
	number_leaves(loads, problem);
	loads->nodes =
		NEW(arena, struct loads_node, 2 * (size_t)loads->n_leaves);
	if (!loads->nodes)
		return false;
	fill_nodes(loads, problem);
	return true;
}

/* The nodes that cover the range, each as high up as it can be; then those
 * above them, up to where nothing changes. */
void mp_planner_loads_add(struct loads *loads, uint32_t start, uint32_t end,
	int64_t bytes, uint64_t *looks)
{
	struct loads_node *nodes = loads->nodes;
	uint32_t low = loads->leaf[start] + loads->n_leaves;
	uint32_t high = loads->leaf[end] + loads->n_leaves;
	uint32_t first = low / 2, last = (high - 1) / 2, n = 0;
	uint32_t odd;
	int64_t before;

	assert(low < high);
	/* Without a branch, as which nodes cover a range cannot be foreseen. */
	for (; low < high; low /= 2, high /= 2) {
		odd = low % 2;
		change(&nodes[low], (int64_t)odd * bytes);
		low += odd;
		odd = high % 2;
		high -= odd;
		change(&nodes[high], (int64_t)odd * bytes);
	}
	for (; first != last; first /= 2, last /= 2, n++) {
		find_most(nodes, first);
		find_most(nodes, last);
	}
	find_most(nodes, first);
	for (before = bytes; before != 0 && first > 1; n++) {
		first /= 2;
		before = nodes[first].most;
		find_most(nodes, first);
		before -= nodes[first].most;
	}
	*looks += n / LEVELS_A_LOOK + 1;
}
