/*
 * Linking a graph: references are checked, then readers, streams and the edges
 * between ops follow from them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sort.h"
#include "graph/inside.h"

/* ------------------------------------------------------- references */

static bool check_list(const struct graph *graph, uint32_t op,
	const struct ids *list, uint32_t limit, const char *what,
	struct error *e)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i] >= limit)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: /ops/%u/%s/%u: no such %s", graph->place,
				op, what, i,
				limit == graph->n_ops ? "op" : "tensor");
	return true;
}

static bool check_pairs(const struct graph *graph, uint32_t op, struct error *e)
{
	const struct op *o = &graph->ops[op];

	for (uint32_t i = 0; i < o->n_inplace + o->n_unequal; i++)
		if (o->inplace[i].output >= graph->n_tensors ||
			o->inplace[i].input >= graph->n_tensors)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: /ops/%u/inplace/%u: no such tensor",
				graph->place, op, i);
	return true;
}

static bool check_op(const struct graph *graph, uint32_t op, struct error *e)
{
	const struct op *o = &graph->ops[op];
	uint32_t n = graph->n_tensors;

	return check_list(graph, op, &o->inputs, n, "inputs", e) &&
	       check_list(graph, op, &o->outputs, n, "outputs", e) &&
	       check_list(graph, op, &o->temporaries, n, "temporaries", e) &&
	       check_list(graph, op, &o->after, graph->n_ops, "after", e) &&
	       check_pairs(graph, op, e);
}

static bool claim_outputs(struct graph *graph, uint32_t op,
	const struct ids *list, struct error *e)
{
	struct tensor *tensor;

	for (uint32_t i = 0; i < list->n; i++) {
		tensor = &graph->tensors[list->at[i]];
		if (tensor->producer != NONE)
			return mp_graph_fail(graph, THING_OP, op, e,
				MEMPLAN_EINPUT,
				"tensor '%s' is produced twice, by op %u '%s' "
				"and by op %u '%s'",
				mp_graph_tensor_label(tensor), tensor->producer,
				mp_graph_op_label(graph, tensor->producer), op,
				mp_graph_op_label(graph, op));
		tensor->producer = op;
	}
	return true;
}

static bool find_producers(
	struct graph *graph, struct arena *arena, struct error *e)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		graph->tensors[t].producer = NONE;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		if (!check_op(graph, op, e) ||
			!claim_outputs(graph, op, &graph->ops[op].outputs, e) ||
			!claim_outputs(
				graph, op, &graph->ops[op].temporaries, e))
			return false;
	return mp_graph_name_aliases(graph, arena);
}

/* The sum of all rounded sizes bounds every load, arena and offset, so checking
 * it once makes later additions safe. */
static bool check_sizes(const struct graph *graph, struct error *e)
{
	uint64_t total = 0, size, align;

	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		align = num_max(graph->alignment, tensor->align);
		if (!num_add(tensor->size, graph->margins.padding, &size) ||
			!num_align(size, align, &size) ||
			!num_add(total, size, &total))
			return mp_graph_fail(graph, THING_TENSOR, t, e,
				MEMPLAN_EINPUT,
				"tensor '%s': sizes sum to more than 2^62 "
				"bytes",
				mp_graph_tensor_label(tensor));
	}
	return true;
}

/* -------------------------------------------------------- adjacency */

static void count_reader(struct lists *readers, uint32_t tensor, uint32_t op)
{
	(void)op;
	mp_lists_count(readers, tensor, 1);
}

/* What the next iteration of a loop needs, the last op of the loop reads. */
static bool find_readers(struct graph *graph, struct arena *arena)
{
	struct lists readers;

	graph->readers = NULL;
	if (graph->n_ops == 0)
		return true;
	graph->readers = NEW(arena, struct ids, graph->n_tensors);
	if (!graph->readers ||
		!mp_lists_init(&readers, graph->n_tensors, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].inputs.n; i++)
			mp_lists_count(
				&readers, graph->ops[op].inputs.at[i], 1);
	mp_graph_each_again(graph, count_reader, &readers);
	if (!mp_lists_ready(&readers, graph->n_tensors, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].inputs.n; i++)
			mp_lists_add(&readers, graph->ops[op].inputs.at[i], op);
	mp_graph_each_again(graph, mp_lists_add, &readers);
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		if (graph->loop_of)
			mp_sort_u32(readers.links + readers.first[t],
				mp_lists_at(&readers, t).n);
		graph->readers[t] = mp_lists_unique(&readers, t);
	}
	return true;
}

/* Calls visit for every op that the given one waits for; possibly repeated. */
static void each_before(const struct graph *graph, uint32_t op,
	void (*visit)(struct lists *, uint32_t op, uint32_t before),
	struct lists *lists)
{
	const struct op *o = &graph->ops[op];
	uint32_t producer;

	if (o->previous != NONE)
		visit(lists, op, o->previous);
	for (uint32_t i = 0; i < o->after.n; i++)
		visit(lists, op, o->after.at[i]);
	for (uint32_t i = 0; i < o->inputs.n; i++) {
		producer = graph->tensors[o->inputs.at[i]].producer;
		if (producer != NONE)
			visit(lists, op, producer);
	}
}

static void count_behind(struct lists *behind, uint32_t op, uint32_t before)
{
	(void)op;
	mp_lists_count(behind, before, 1);
}

static void add_behind(struct lists *behind, uint32_t op, uint32_t before)
{
	mp_lists_add(behind, before, op);
}

/* In a bundle, each member runs in the order of its own plan, which for a
 * member with a single stream may differ from the list of ops. A claim that
 * does not name every op once is reported elsewhere. */
static bool follow_plan(const struct graph *graph, uint32_t *sequence)
{
	const struct ids *ops = &graph->claims.ops;

	for (uint32_t op = 0; op < graph->n_ops; op++)
		sequence[op] = NONE;
	if (graph->bundle.n == 0 || ops->n != graph->n_ops)
		return false;
	for (uint32_t i = 0; i < ops->n; i++) {
		if (ops->at[i] >= ops->n || sequence[ops->at[i]] != NONE)
			return false;
		sequence[ops->at[i]] = i;
	}
	for (uint32_t i = 0; i < ops->n; i++)
		sequence[i] = ops->at[i];
	return true;
}

/* With several streams, each stream runs its ops as the input lists them; with
 * one stream, the order stage decides. */
static bool find_streams(struct graph *graph, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *last, *sequence = NEW(arena, uint32_t, graph->n_ops);
	bool several = false;

	graph->n_streams = 1;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		graph->ops[op].previous = NONE;
		several |= graph->ops[op].stream != graph->ops[0].stream;
		if (graph->ops[op].stream >= graph->n_streams)
			graph->n_streams = graph->ops[op].stream + 1;
	}
	last = NEW(arena, uint32_t, graph->n_streams);
	if (!last || !sequence)
		return false;
	if (!follow_plan(graph, sequence))
		for (uint32_t op = 0; op < graph->n_ops; op++)
			sequence[op] = op;
	for (uint32_t i = 0; several && i < graph->n_ops; i++) {
		uint32_t op = sequence[i];
		uint32_t *before = &last[graph->ops[op].stream];

		graph->ops[op].previous = *before - 1; /* NONE at first */
		*before = op + 1;
	}
	graph->n_streams = several ? graph->n_streams : 1;
	mp_arena_rewind(arena, mark);
	return true;
}

/* Clocks are a table of ops and streams, and each two streams are looked at. */
static bool check_streams(const struct graph *graph, struct error *e)
{
	enum {
		MOST_CLOCKS = 1 << 24
	};
	uint64_t n = graph->n_streams;

	return n == 1 || n * num_max(n, graph->n_ops) <= MOST_CLOCKS ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: too many streams: %u. Their number times that of "
		       "the ops, %u, and times itself may be at most %d",
		       graph->place, graph->n_streams, graph->n_ops,
		       MOST_CLOCKS);
}

/* Both directions of the edges. */
static bool find_edges(struct graph *graph, struct arena *arena)
{
	struct lists behind, before;
	uint32_t n = graph->n_ops;

	if (!mp_lists_init(&behind, n, arena))
		return false;
	for (uint32_t op = 0; op < n; op++)
		each_before(graph, op, count_behind, &behind);
	if (!mp_lists_ready(&behind, n, arena))
		return false;
	for (uint32_t op = 0; op < n; op++)
		each_before(graph, op, add_behind, &behind);
	if (!mp_lists_transpose(&behind, n, &before, n, arena))
		return false;
	for (uint32_t op = 0; op < n; op++) {
		graph->ops[op].behind = mp_lists_unique(&behind, op);
		graph->ops[op].before = mp_lists_unique(&before, op);
	}
	return true;
}

bool mp_graph_align(struct graph *graph, uint64_t alignment,
	struct arena *arena, struct error *e)
{
	struct memory_pool *pools = mp_arena_copy(
		arena, graph->pools, graph->n_pools, sizeof(*graph->pools));

	assert(num_is_pow2(alignment));
	for (uint32_t i = 0; pools && i < graph->n_pools; i++) {
		pools[i].alignment = num_max(pools[i].alignment, alignment);
		if ((pools[i].capacity != NO_CAPACITY &&
			    pools[i].capacity % alignment != 0) ||
			pools[i].chunk % alignment != 0)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: the size of pool '%.60s' is not a "
				"multiple of the alignment %llu",
				graph->place, pools[i].name,
				(unsigned long long)alignment);
	}
	graph->alignment = alignment;
	graph->pools = graph->n_pools ? pools : NULL;
	return pools != NULL;
}

static void find_tied(struct graph *graph)
{
	const struct ties *ties = &graph->ties;
	struct tensor *tensors = graph->tensors;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		tensors[t].tied = false;
	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		tensors[ties->aliases[i].tensor].tied = true;
		tensors[ties->aliases[i].root].tied = true;
	}
	for (uint32_t i = 0; i < ties->n_groups; i++)
		for (uint32_t k = 0; k < ties->groups[i].members.n; k++)
			tensors[ties->groups[i].members.at[k]].tied = true;
	for (uint32_t i = 0; i < ties->n_apart; i++) {
		tensors[ties->apart[i].a].tied = true;
		tensors[ties->apart[i].b].tied = true;
	}
}

bool mp_graph_link(struct graph *graph, struct arena *arena, struct error *e)
{
	assert(num_is_pow2(graph->alignment));
	assert(graph->name && graph->place);
	find_tied(graph);
	return find_producers(graph, arena, e) && check_sizes(graph, e) &&
	       mp_graph_find_loops(graph, arena, e) &&
	       find_readers(graph, arena) && find_streams(graph, arena) &&
	       check_streams(graph, e) &&
	       mp_graph_order_aliases(graph, arena, e) &&
	       find_edges(graph, arena) &&
	       (mp_graph_check_acyclic(graph, arena, e) ||
		       mp_graph_blame_write(graph, arena, e));
}

bool mp_graph_is_order(
	const struct graph *graph, const uint32_t *ops, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *place = NEW(arena, uint32_t, graph->n_ops);
	bool fine = place != NULL;

	for (uint32_t i = 0; fine && i < graph->n_ops; i++) {
		fine = ops[i] < graph->n_ops && place[ops[i]] == 0;
		if (fine)
			place[ops[i]] = i + 1;
	}
	for (uint32_t op = 0; fine && op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].before.n; i++)
			fine &= place[graph->ops[op].before.at[i]] < place[op];
	mp_arena_rewind(arena, mark);
	return fine;
}
