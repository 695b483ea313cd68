/* SPDX-License-Identifier: MIT */
#include "budget/stops.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
	const struct stop *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->detour < y->detour ? -1 : 1;
}

static void add(struct stops *stops, const struct detour *d, uint32_t detour,
	uint64_t rank)
{
	stops->ins[stops->n_ins++] =
		(struct stop){(uint64_t)d->in_step << 32 | rank, detour};
	if (d->written)
		stops->outs[stops->n_outs++] =
			(struct stop){(uint64_t)d->out_step << 32, detour};
}

bool mp_budget_stops_sort(const struct graph *graph, const uint32_t *order,
	const struct detour *detours, uint32_t n, struct stops *stops,
	struct arena *arena)
{
	uint32_t *place = NEW(arena, uint32_t, graph->n_ops);

	*stops = (struct stops){.outs = NEW(arena, struct stop, n),
		.ins = NEW(arena, struct stop, n)};
	if (!place || !stops->outs || !stops->ins)
		return false;
	for (uint32_t k = 0; k < graph->n_ops; k++)
		place[order[k]] = k;
	for (uint32_t i = 0; i < n; i++) {
		const struct detour *d = &detours[i];
		uint64_t rank = 0;

		if (d->recompute)
			rank = place[graph->tensors[d->tensor].producer] + 1u;
		add(stops, d, i, rank);
	}
	qsort(stops->outs, stops->n_outs, sizeof(*stops->outs), by_key);
	qsort(stops->ins, stops->n_ins, sizeof(*stops->ins), by_key);
	return true;
}
