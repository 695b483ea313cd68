/*
 * Tensors of several graphs that begin at one offset.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/arena.h"
#include "graph/graph.h"

static uint32_t largest(const struct tensor *tensors, const struct ids *set)
{
	uint32_t found = NONE;

	for (uint32_t i = 0; i < set->n; i++)
		if (found == NONE ||
			tensors[set->at[i]].size > tensors[found].size)
			found = set->at[i];
	return found;
}

bool mp_graph_ties_set_same(struct ties *ties, const struct tensor *tensors,
	uint32_t n_tensors, const struct ids *sets, uint32_t n,
	struct arena *arena)
{
	uint32_t *same_as = NEW(arena, uint32_t, n_tensors);

	if (!same_as)
		return false;
	for (uint32_t t = 0; t < n_tensors; t++)
		same_as[t] = t;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t of = largest(tensors, &sets[i]);

		for (uint32_t k = 0; k < sets[i].n; k++)
			same_as[sets[i].at[k]] = of;
	}
	ties->same = sets;
	ties->n_same = n;
	ties->same_as = n > 0 ? same_as : NULL;
	return true;
}
