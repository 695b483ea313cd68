/*
 * Makes a graph with GE's plan: no ops, pinned lifetimes, fixed offsets; a pool
 * for each memory type, an exclusive branch for each batch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge-log/ge-log.h"

#include <assert.h>

#include "input/rows.h"
#include "input/times.h"

/* -------------------------------------------------------- lifetimes */

/* The first id after all ids in the log. */
static uint64_t horizon(const struct ge_log *log)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *t = &log->tensors[i];

		if (t->timeless)
			continue;
		end = num_max(end, t->begin + 1);
		if (t->last < GE_NEVER)
			end = num_max(end, t->last + 1);
	}
	return num_max(end, 1);
}

static struct time_span span_of(const struct ge_tensor *t, uint64_t end)
{
	struct time_span span = {0, (int64_t)end};

	if (t->timeless || t->lone)
		return span;
	span.start = (int64_t)t->begin;
	if (t->last < GE_NEVER)
		span.end = (int64_t)t->last + 1;
	return span;
}

/* ---------------------------------------------------------- offsets */

/* The largest power of two up to GE's that divides all offsets. */
static uint64_t grain_of(const struct ge_log *log)
{
	uint64_t bits = GE_GRAIN;

	for (uint32_t i = 0; i < log->n; i++)
		if (log->tensors[i].size > 0)
			bits |= log->tensors[i].offset;
	assert(bits != 0);
	return bits & (~bits + 1);
}

/* map: tensors of the log to those of the graph. */
static void fill_tensors(struct ge_log *log, uint64_t alignment,
	const uint32_t *map, struct graph *graph)
{
	uint64_t grain = grain_of(log);

	graph->alignment = alignment ? alignment : grain;
	for (uint32_t i = 0; i < log->n; i++) {
		const struct ge_tensor *from = &log->tensors[i];
		struct tensor *to = &graph->tensors[map[i]];

		if (from->gone)
			continue;
		assert(map[i] < graph->n_tensors);
		to->id = to->name = from->id;
		to->size = from->size;
		to->offset = from->offset;
		to->placed = true;
		to->producer = NONE;
		if (!alignment && grain < GE_GRAIN &&
			from->offset % GE_GRAIN == 0)
			to->align = GE_GRAIN;
		if (log->memories.n > 1)
			to->pools = (uint16_t)(from->memory + 1);
	}
}

/* ------------------------------------------------------------ pools */

/* The names that the runtime of CANN uses. */
static const struct {
	const char *number, *name;
} memory_names[] = {
	{"0", "default"},
	{"2", "hbm"},
	{"3", "rdma_hbm"},
	{"4", "ddr"},
	{"16", "p2p_hbm"},
	{"17", "p2p_ddr"},
	{"129", "host"},
	{"144", "host_svm"},
	{"32768", "ub"},
	{"65536", "l1"},
	{"131072", "l2"},
	{"4294967298", "session_hbm"},
};

static const char *memory_name(const struct ge_log *log, struct text number)
{
	const char *text;

	for (size_t i = 0; i < countof(memory_names); i++)
		if (mp_input_lines_is(number, memory_names[i].number))
			return memory_names[i].name;
	text = mp_input_lines_copy(
		&log->lines, "memory type", number, log->arena);
	return text ? mp_arena_print(log->arena, "memtype_%s", text) : NULL;
}

/* A pool for each memory type: tensors stay in the memory where GE placed them.
 */
static bool fill_pools(const struct ge_log *log, struct graph *graph)
{
	uint32_t n = log->memories.n;
	struct memory_pool *pools = NEW(log->arena, struct memory_pool, n);

	if (!pools || n < 2)
		return pools != NULL;
	for (uint32_t i = 0; i < n; i++) {
		pools[i] = (struct memory_pool){
			.name = memory_name(log, log->memories.at[i]),
			.capacity = NO_CAPACITY,
			.alignment = graph->alignment};
		if (!pools[i].name)
			return false;
	}
	return mp_input_pools_set(graph, pools, n, log->arena);
}

/* --------------------------------------------------------- branches */

/* Only one of the batches runs. */
static bool fill_branches(
	const struct ge_log *log, const uint32_t *map, struct graph *graph)
{
	struct tensor_branch *branches =
		NEW(log->arena, struct tensor_branch, graph->n_tensors);
	uint32_t n = 0;

	if (!branches || log->labels.n < 2)
		return branches != NULL;
	for (uint32_t label = 0; label < log->labels.n; label++)
		for (uint32_t i = 0; i < log->n; i++)
			if (log->tensors[i].label == label &&
				!log->tensors[i].gone)
				branches[n++] = (struct tensor_branch){
					map[i], 0, label};
	graph->ties.branches = branches;
	graph->ties.n_branches = n;
	return true;
}

/* ------------------------------------------------------------ graph */

/* The index of each tensor in the graph. */
static uint32_t *number_tensors(const struct ge_log *log, struct graph *graph)
{
	uint32_t *map = NEW(log->arena, uint32_t, log->n);

	graph->n_tensors = 0;
	for (uint32_t i = 0; map && i < log->n; i++) {
		map[i] = graph->n_tensors;
		graph->n_tensors += !log->tensors[i].gone;
	}
	return map;
}

static bool fill_times(
	struct ge_log *log, const uint32_t *map, struct graph *graph)
{
	const struct gap_list none = {0};
	struct arena scratch = mp_arena_beside(log->arena);
	struct time_span *spans =
		NEW(&scratch, struct time_span, graph->n_tensors);
	uint64_t end = horizon(log);
	bool fine = spans != NULL;

	for (uint32_t i = 0; fine && i < log->n; i++)
		if (!log->tensors[i].gone)
			spans[map[i]] = span_of(&log->tensors[i], end);
	fine = fine && mp_input_times_compress(graph, spans, graph->n_tensors,
			       &none, log->arena);
	mp_arena_free(&scratch);
	return fine;
}

bool mp_input_ge_log_graph(
	struct ge_log *log, uint64_t alignment, struct graph *graph)
{
	uint32_t *map;

	mp_input_ge_merge_references(log);
	mp_input_ge_time_runs(log);
	if (!mp_input_ge_settle(log))
		return false;
	map = number_tensors(log, graph);
	graph->name = mp_input_lines_copy(
		&log->lines, "name of the graph", log->graph, log->arena);
	graph->tensors = NEW(log->arena, struct tensor, graph->n_tensors);
	if (!map || !graph->name || !graph->tensors)
		return false;
	fill_tensors(log, alignment, map, graph);
	if (!fill_times(log, map, graph) || !fill_pools(log, graph) ||
		!fill_branches(log, map, graph) ||
		!mp_input_ge_group_runs(log, map, graph))
		return false;
	mp_input_ge_warn(log);
	return true;
}
