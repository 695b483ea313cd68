/* SPDX-License-Identifier: MIT */
#include "lifetime/pool-lists.h"

/* Tensors of one buffer that name pools must name the same. */
static bool join(
	struct schedule *s, uint32_t t, uint32_t *first, struct error *e)
{
	const struct graph *graph = s->graph;
	uint32_t buffer = s->stay[t].buffer;
	uint16_t *list = &s->problem.pool_list[buffer];
	uint16_t own = graph->tensors[t].pools;

	if (first[buffer] == NONE || *list == 0) {
		*list = own;
		first[buffer] = t;
		return true;
	}
	return own == 0 || own == *list ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: tensors '%.80s' and '%.80s' are of one buffer, but "
		       "name different pools",
		       graph->place, mp_graph_tensor_label(&graph->tensors[t]),
		       mp_graph_tensor_label(&graph->tensors[first[buffer]]));
}

static bool join_all(struct schedule *s, uint32_t *first, struct error *e)
{
	for (uint32_t i = 0; i < s->problem.n_buffers; i++)
		first[i] = NONE;
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (s->stay[t].buffer != NONE && !join(s, t, first, e))
			return false;
	return true;
}

bool mp_lifetime_pool_lists_fill(
	struct schedule *schedule, struct arena *arena, struct error *e)
{
	const struct graph *graph = schedule->graph;
	struct problem *problem = &schedule->problem;
	struct arena scratch = mp_arena_beside(arena);
	uint32_t *first;
	bool fine;

	if (graph->n_pools == 0)
		return true;
	first = NEW(&scratch, uint32_t, problem->n_buffers);
	problem->pools = graph->pools;
	problem->n_pools = graph->n_pools;
	problem->pool_lists = graph->pool_lists;
	problem->pool_claims = graph->claims.pools;
	problem->pool_list = NEW(arena, uint16_t, problem->n_buffers);
	fine = first && problem->pool_list && join_all(schedule, first, e);
	for (uint32_t i = 0; fine && i < graph->ties.n_reserved; i++)
		problem->pool_list[problem->first_reserved + i] =
			graph->ties.reserved[i].pools;
	mp_arena_free(&scratch);
	return fine;
}
