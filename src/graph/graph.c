/* SPDX-License-Identifier: MIT */
#include "graph/graph.h"

#include <assert.h>

#include "graph/alias-writes.h"
#include "graph/cycle.h"

const char *mp_graph_tensor_label(const struct tensor *tensor)
{
	if (tensor->name)
		return tensor->name;
	return tensor->id ? tensor->id : "?";
}

const char *mp_graph_kind_name(uint32_t kind)
{
	static const char *const kinds[] = {
		[KIND_ACTIVATION] = "activation",
		[KIND_INPUT] = "input",
		[KIND_OUTPUT] = "output",
		[KIND_WEIGHT] = "weight",
		[KIND_STATE] = "state",
		[KIND_TEMPORARY] = "temporary",
	};

	assert(kind < countof(kinds));
	return kinds[kind];
}

const char *mp_graph_op_label(const struct graph *graph, uint32_t op)
{
	return *graph->ops[op].name ? graph->ops[op].name : "(unnamed)";
}

bool mp_graph_tensor_from_start(const struct tensor *tensor)
{
	return tensor->producer == NONE || tensor->from_start ||
	       tensor->kind == KIND_INPUT || tensor->kind == KIND_WEIGHT ||
	       tensor->kind == KIND_STATE;
}

bool mp_graph_tensor_to_end(const struct tensor *tensor)
{
	return tensor->to_end || tensor->kind == KIND_OUTPUT ||
	       tensor->kind == KIND_WEIGHT || tensor->kind == KIND_STATE;
}

uint64_t mp_graph_tensor_rounded(
	const struct graph *graph, const struct tensor *tensor)
{
	if (tensor->size == 0)
		return 0;
	return num_up(tensor->size + graph->margins.padding, graph->alignment);
}

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

static bool claim(struct graph *graph, uint32_t op, const struct ids *list,
	struct error *e)
{
	struct tensor *tensor;

	for (uint32_t i = 0; i < list->n; i++) {
		tensor = &graph->tensors[list->at[i]];
		if (tensor->producer != NONE)
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: /ops/%u: tensor '%s' is produced twice, "
				"by "
				"op %u '%s' and by op %u '%s'",
				graph->place, op, mp_graph_tensor_label(tensor),
				tensor->producer,
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
			!claim(graph, op, &graph->ops[op].outputs, e) ||
			!claim(graph, op, &graph->ops[op].temporaries, e))
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
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: tensor '%s': sizes sum to more than 2^62 "
				"bytes",
				graph->place, mp_graph_tensor_label(tensor));
	}
	return true;
}

/* -------------------------------------------------------- adjacency */

/* Lists under construction: one array of links, cut by a count an owner. */
struct table {
	uint32_t *first; /* n + 1 starts */
	uint32_t *links;
	uint32_t n;
};

static bool table_init(struct table *table, uint32_t n, struct arena *arena)
{
	table->n = n;
	table->first = NEW(arena, uint32_t, (size_t)n + 2);
	return table->first != NULL;
}

/* Counts stand two places on, so that filling moves them to where they serve.
 */
static void table_count(struct table *table, uint32_t owner)
{
	table->first[owner + 2]++;
}

static bool table_ready(struct table *table, struct arena *arena)
{
	for (uint32_t i = 0; i < table->n; i++)
		table->first[i + 2] += table->first[i + 1];
	table->links = NEW(arena, uint32_t, table->first[table->n + 1]);
	return table->links != NULL;
}

static void table_add(struct table *table, uint32_t owner, uint32_t value)
{
	table->links[table->first[owner + 1]++] = value;
}

/* Values come in ascending order, so equal ones are neighbours. */
static struct ids table_list(const struct table *table, uint32_t owner)
{
	uint32_t *list = table->links + table->first[owner];
	uint32_t n = table->first[owner + 1] - table->first[owner], kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (kept == 0 || list[kept - 1] != list[i])
			list[kept++] = list[i];
	return (struct ids){list, kept};
}

static bool find_readers(struct graph *graph, struct arena *arena)
{
	struct table table;

	if (graph->n_ops == 0)
		return true;
	if (!table_init(&table, graph->n_tensors, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].inputs.n; i++)
			table_count(&table, graph->ops[op].inputs.at[i]);
	if (!table_ready(&table, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].inputs.n; i++)
			table_add(&table, graph->ops[op].inputs.at[i], op);
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		graph->tensors[t].readers = table_list(&table, t);
	return true;
}

/* Calls visit for every op that the given one waits for; possibly repeated. */
static void each_before(const struct graph *graph, uint32_t op,
	void (*visit)(struct table *, uint32_t op, uint32_t before),
	struct table *table)
{
	const struct op *o = &graph->ops[op];
	uint32_t producer;

	if (o->previous != NONE)
		visit(table, op, o->previous);
	for (uint32_t i = 0; i < o->after.n; i++)
		visit(table, op, o->after.at[i]);
	for (uint32_t i = 0; i < o->inputs.n; i++) {
		producer = graph->tensors[o->inputs.at[i]].producer;
		if (producer != NONE)
			visit(table, op, producer);
	}
}

static void count_behind(struct table *table, uint32_t op, uint32_t before)
{
	(void)op;
	table_count(table, before);
}

static void add_behind(struct table *table, uint32_t op, uint32_t before)
{
	table_add(table, before, op);
}

/* Graphs that were planned by themselves run together as each was planned: one
 * that had a single stream may run otherwise than listed. What names not every
 * op once is an error elsewhere. */
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

/* With several streams each runs its ops as the input lists them; one stream
 * leaves the order to the order stage. */
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

static bool find_behind(struct graph *graph, struct arena *arena)
{
	struct table table;

	if (!table_init(&table, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		each_before(graph, op, count_behind, &table);
	if (!table_ready(&table, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		each_before(graph, op, add_behind, &table);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		graph->ops[op].behind = table_list(&table, op);
	return true;
}

/* The transpose of behind: ascending and without duplicates by construction. */
static bool find_before(struct graph *graph, struct arena *arena)
{
	struct table table;
	const struct ids *behind;

	if (!table_init(&table, graph->n_ops, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++)
		for (uint32_t i = 0; i < graph->ops[op].behind.n; i++)
			table_count(&table, graph->ops[op].behind.at[i]);
	if (!table_ready(&table, arena))
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		behind = &graph->ops[op].behind;
		for (uint32_t i = 0; i < behind->n; i++)
			table_add(&table, behind->at[i], op);
	}
	for (uint32_t op = 0; op < graph->n_ops; op++)
		graph->ops[op].before = table_list(&table, op);
	return true;
}

bool mp_graph_link(struct graph *graph, struct arena *arena, struct error *e)
{
	return find_producers(graph, arena, e) && check_sizes(graph, e) &&
	       find_readers(graph, arena) && find_streams(graph, arena) &&
	       mp_graph_order_aliases(graph, arena, e) &&
	       find_behind(graph, arena) && find_before(graph, arena) &&
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
