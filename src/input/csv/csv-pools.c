/*
 * The column of pools: each row names the pool of its buffer. Every distinct
 * name is a pool without a capacity; option --pools gives capacities.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/csv/csv.h"
#include "input/rows.h"

enum {
	MOST_NAMED =
		UINT16_MAX - 1, /* pool lists that struct tensor can index */
};

static bool make_room(struct csv *csv)
{
	uint32_t most = (uint32_t)num_min(csv->n_lines, MOST_NAMED);

	csv->pools = NEW(csv->arena, struct memory_pool, most);
	return csv->pools && mp_names_init(&csv->pool_names, most, csv->arena);
}

static bool add_pool(struct csv *csv, const char *name)
{
	struct graph *graph = csv->graph;

	if (graph->n_pools == MOST_NAMED)
		return mp_input_lines_fail(
			&csv->lines, "more than 65534 pools");
	csv->last_pool = graph->n_pools;
	csv->pools[graph->n_pools++] = (struct memory_pool){.name = name,
		.capacity = NO_CAPACITY,
		.alignment = graph->alignment};
	return mp_names_add(&csv->pool_names, name, csv->last_pool) == NONE;
}

/* Rows of one pool are often neighbours, so the last pool is compared first. */
static bool find_pool(struct csv *csv, struct text cell)
{
	const char *name;

	if (!csv->pools && !make_room(csv))
		return false;
	if (csv->graph->n_pools > 0 &&
		mp_input_lines_is(cell, csv->pools[csv->last_pool].name))
		return true;
	name = mp_input_csv_copy_cell(csv, cell);
	if (!name)
		return false;
	csv->last_pool = mp_names_find(&csv->pool_names, name);
	return csv->last_pool != NONE || add_pool(csv, name);
}

bool mp_input_csv_pool(struct csv *csv, struct text cell, struct tensor *tensor)
{
	if (cell.at < cell.end) {
		if (!find_pool(csv, cell))
			return false;
		assert(csv->last_pool < csv->graph->n_pools);
		tensor->pools = (uint16_t)(csv->last_pool + 1);
		return true;
	}
	if (csv->any_line == 0)
		csv->any_line = csv->lines.number;
	if (csv->fixed_line == 0 && tensor->placed && tensor->size > 0)
		csv->fixed_line = csv->lines.number;
	return true;
}

static bool check_rows(struct csv *csv)
{
	uint32_t n = csv->graph->n_pools;

	if (n > 1 && csv->fixed_line > 0) {
		csv->lines.number = csv->fixed_line;
		return mp_input_lines_fail(&csv->lines,
			"an offset, but in column 'pool' not which of several "
			"memories it counts from");
	}
	if (n > MOST_POOLS && csv->any_line > 0) {
		csv->lines.number = csv->any_line;
		return mp_input_lines_fail(&csv->lines,
			"column 'pool' is empty, and of more than 64 memories "
			"none is chosen");
	}
	return true;
}

bool mp_input_csv_end_pools(struct csv *csv)
{
	struct graph *graph = csv->graph;

	return graph->n_pools == 0 ||
	       (check_rows(csv) && mp_input_pools_set(graph, csv->pools,
					   graph->n_pools, csv->arena));
}
