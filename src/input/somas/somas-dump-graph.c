/*
 * Makes a graph of SOMAS's nodes and tensors: nodes become ops in the order of
 * their ids, tensors with the same bytes become one, streams are numbered from
 * 0.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "input/somas/somas-dump.h"

/* The graph under construction. Ops are nodes in order. */
struct draft {
	struct somas *s;
	struct graph *graph;
	uint32_t *op_of;     /* of a node */
	uint32_t *tensor_of; /* of a tensor of the dump: one of the graph */
	uint32_t *maker;     /* of a tensor of the dump: the first op that
				writes its bytes, or NONE; set for the first
				tensor with these bytes */
	uint64_t *streams;   /* ids of streams, ascending */
	uint32_t n_streams;
	uint32_t n_merged, merged; /* tensors with the bytes of another one,
				      and the first of these */
};

/* An element of an op's list. */
struct entry {
	uint32_t op, value;
};

/* -------------------------------------------------------------- ops */

static int by_id(const void *left, const void *right)
{
	const struct somas_node *a = *(const struct somas_node *const *)left;
	const struct somas_node *b = *(const struct somas_node *const *)right;

	return mp_sort_compare(a->id, b->id);
}

/* The place of a value in an ascending list, or NONE. */
static uint32_t place_in(const uint64_t *values, uint32_t n, uint64_t value)
{
	uint32_t i = mp_search_u64(values, n, value);

	return i < n && values[i] == value ? i : NONE;
}

/* The distinct streams, ascending; returns their number. */
static uint32_t list_streams(const struct somas *s, uint64_t *streams)
{
	for (uint32_t i = 0; i < s->n_nodes; i++)
		streams[i] = s->nodes[i].stream;
	return mp_sort_unique_u64(streams, s->n_nodes);
}

static bool make_op(struct draft *d, uint32_t i, const struct somas_node *node)
{
	struct op *op = &d->graph->ops[i];

	d->op_of[node - d->s->nodes] = i;
	op->stream = place_in(d->streams, d->n_streams, node->stream);
	assert(op->stream != NONE);
	op->name = node->name;
	if (!op->name)
		op->name = mp_arena_print(
			d->s->arena, "n%llu", (unsigned long long)node->id);
	return op->name;
}

static bool make_ops(struct draft *d)
{
	struct somas *s = d->s;
	struct somas_node **sorted =
		NEW(s->scratch, struct somas_node *, s->n_nodes);

	d->graph->ops = NEW(s->arena, struct op, s->n_nodes);
	d->graph->n_ops = s->n_nodes;
	d->op_of = NEW(s->scratch, uint32_t, s->n_nodes);
	d->streams = NEW(s->scratch, uint64_t, s->n_nodes);
	if (!sorted || !d->streams || !d->graph->ops || !d->op_of)
		return false;
	for (uint32_t i = 0; i < s->n_nodes; i++)
		sorted[i] = &s->nodes[i];
	if (s->n_nodes > 0)
		qsort(sorted, s->n_nodes, sizeof(struct somas_node *), by_id);
	d->n_streams = list_streams(s, d->streams);
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (!make_op(d, i, sorted[i]))
			return false;
	return true;
}

/* ---------------------------------------------------------- tensors */

static void find_makers(struct draft *d)
{
	struct somas *s = d->s;

	for (uint32_t i = 0; i < s->n_tensors; i++)
		d->maker[i] = NONE;
	for (uint32_t i = 0; i < s->n_uses; i++) {
		uint32_t t = mp_input_somas_root(s, s->uses[i].tensor);
		uint32_t op = d->op_of[s->uses[i].node];

		if (s->uses[i].writes && op < d->maker[t])
			d->maker[t] = op;
	}
}

/* Merges a tensor into the first one with the same bytes. */
static void merge_tensor(struct draft *d, uint32_t index)
{
	struct somas_tensor *all = d->s->tensors;
	struct somas_tensor *to = &all[mp_input_somas_root(d->s, index)];
	struct somas_tensor *from = &all[index];

	d->merged = d->n_merged++ ? d->merged : index;
	to->size = num_max(to->size, from->size);
	if (from->lifelong == LIFELONG_NONE || to->lifelong == from->lifelong)
		return;
	to->lifelong =
		to->lifelong == LIFELONG_NONE ? from->lifelong : LIFELONG_ALL;
}

static void fill_tensor(const struct draft *d, uint32_t index)
{
	const struct somas_tensor *from = &d->s->tensors[index];
	struct tensor *to = &d->graph->tensors[d->tensor_of[index]];

	to->id = to->name = from->text;
	to->id_is_number = true;
	to->size = from->size;
	to->offset = from->offset;
	to->placed = from->placed && from->size > 0;
	to->producer = d->maker[index];
	to->from_start = from->lifelong == LIFELONG_ALL ||
			 from->lifelong == LIFELONG_START ||
			 d->maker[index] == NONE;
	to->to_end = from->lifelong == LIFELONG_ALL ||
		     from->lifelong == LIFELONG_END;
}

static bool make_tensors(struct draft *d)
{
	struct somas *s = d->s;
	uint32_t n = 0;

	d->tensor_of = NEW(s->scratch, uint32_t, s->n_tensors);
	d->maker = NEW(s->scratch, uint32_t, s->n_tensors);
	if (!d->tensor_of || !d->maker)
		return false;
	find_makers(d);
	for (uint32_t i = 0; i < s->n_tensors; i++) {
		if (mp_input_somas_root(s, i) == i)
			d->tensor_of[i] = n++;
		else
			merge_tensor(d, i);
	}
	d->graph->tensors = NEW(s->arena, struct tensor, n);
	d->graph->n_tensors = n;
	if (!d->graph->tensors)
		return false;
	for (uint32_t i = 0; i < s->n_tensors; i++) {
		if (mp_input_somas_root(s, i) == i)
			fill_tensor(d, i);
		else
			d->tensor_of[i] =
				d->tensor_of[mp_input_somas_root(s, i)];
	}
	return true;
}

/* ------------------------------------------------------------ lists */

/* One list an op from entries in any order of ops. */
static struct ids *make_lists(
	struct draft *d, const struct entry *entries, uint32_t n)
{
	uint32_t n_ops = d->graph->n_ops;
	struct ids *ids = NEW(d->s->scratch, struct ids, n_ops);
	struct lists lists;

	if (!ids || !mp_lists_group(&lists, n_ops, &entries->op,
			    sizeof(*entries), n, d->s->arena))
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		lists.links[i] = entries[lists.links[i]].value;
	for (uint32_t op = 0; op < n_ops; op++)
		ids[op] = mp_lists_at(&lists, op);
	return ids;
}

/* No op may use a tensor before the first op that writes it. */
static bool check_use(const struct draft *d, const struct somas_use *use)
{
	struct somas *s = d->s;
	uint32_t maker = d->maker[mp_input_somas_root(s, use->tensor)];

	if (maker == NONE || maker <= d->op_of[use->node])
		return true;
	return mp_fail(s->error, MEMPLAN_EINPUT,
		"%s:%u: node %llu uses tensor %s, which node '%.60s' makes "
		"later",
		s->lines.file, use->line,
		(unsigned long long)s->nodes[use->node].id,
		s->tensors[use->tensor].text, d->graph->ops[maker].name);
}

static bool fill_uses(struct draft *d)
{
	struct somas *s = d->s;
	struct entry *made = NEW(s->scratch, struct entry, s->n_tensors);
	struct entry *used = NEW(s->scratch, struct entry, s->n_uses);
	struct ids *outputs, *inputs;
	uint32_t n_made = 0, n_used = 0;

	if (!made || !used)
		return false;
	for (uint32_t i = 0; i < s->n_tensors; i++)
		if (mp_input_somas_root(s, i) == i && d->maker[i] != NONE)
			made[n_made++] =
				(struct entry){d->maker[i], d->tensor_of[i]};
	for (uint32_t i = 0; i < s->n_uses; i++) {
		const struct somas_use *use = &s->uses[i];
		uint32_t op = d->op_of[use->node];

		if (!check_use(d, use))
			return false;
		if (op != d->maker[mp_input_somas_root(s, use->tensor)])
			used[n_used++] =
				(struct entry){op, d->tensor_of[use->tensor]};
	}
	outputs = make_lists(d, made, n_made);
	inputs = make_lists(d, used, n_used);
	for (uint32_t op = 0; outputs && inputs && op < s->n_nodes; op++) {
		d->graph->ops[op].outputs = outputs[op];
		d->graph->ops[op].inputs = inputs[op];
	}
	return outputs && inputs;
}

/* ------------------------------------------------------------ edges */

/* The first op of a stream waits for the last op of the stream before it, if it
 * is listed after that op. */
static bool chain_streams(struct draft *d, struct entry *entries, uint32_t *n)
{
	struct somas *s = d->s;
	uint32_t *first = NEW(s->scratch, uint32_t, d->n_streams);
	uint32_t *last = NEW(s->scratch, uint32_t, d->n_streams);

	if (!first || !last)
		return false;
	for (uint32_t op = 0; op < s->n_nodes; op++)
		last[d->graph->ops[op].stream] = op;
	for (uint32_t op = s->n_nodes; op-- > 0;)
		first[d->graph->ops[op].stream] = op;
	for (uint32_t i = 0; i < s->n_groups; i++) {
		uint32_t before =
			place_in(d->streams, d->n_streams, s->groups[i].first);
		uint32_t then =
			place_in(d->streams, d->n_streams, s->groups[i].then);

		if (before != NONE && then != NONE &&
			last[before] < first[then])
			entries[(*n)++] =
				(struct entry){first[then], last[before]};
	}
	return true;
}

static bool fill_after(struct draft *d)
{
	struct somas *s = d->s;
	struct entry *entries =
		NEW(s->scratch, struct entry, (size_t)s->n_waits + s->n_groups);
	struct ids *lists;
	uint32_t n = 0;

	if (!entries)
		return false;
	for (uint32_t i = 0; i < s->n_waits; i++)
		entries[n++] = (struct entry){d->op_of[s->waits[i].then],
			d->op_of[s->waits[i].first]};
	if (!chain_streams(d, entries, &n))
		return false;
	lists = make_lists(d, entries, n);
	for (uint32_t op = 0; lists && op < s->n_nodes; op++)
		d->graph->ops[op].after = lists[op];
	return lists != NULL;
}

/* ----------------------------------------------------------- groups */

/* The group of a list; without members if one of them is in a group already. */
static bool make_group(struct draft *d, const struct somas_member *members,
	uint32_t n, bool *grouped, struct tensor_group *group)
{
	uint32_t *at = NEW(d->s->arena, uint32_t, n), taken = 0;

	assert(n > 0);
	if (!at)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		at[i] = d->tensor_of[members[i].tensor];
		taken += grouped[at[i]];
		grouped[at[i]] = true;
	}
	group->members = (struct ids){at, taken == 0 ? n : 0};
	group->before = d->s->tensors[members[0].tensor].before;
	group->after = d->s->tensors[members[n - 1].tensor].after;
	if (taken > 0 && taken < n)
		mp_warn(d->s->error,
			"%s: contiguous list %u shares tensors with another "
			"one: it is not kept together",
			d->s->lines.file, members->list);
	group->name = mp_arena_print(
		d->s->arena, "contiguous list %u", members->list);
	return group->name != NULL;
}

static bool make_groups(struct draft *d)
{
	struct somas *s = d->s;
	struct tensor_group *groups =
		NEW(s->arena, struct tensor_group, s->n_lists);
	bool *grouped = NEW(s->scratch, bool, d->graph->n_tensors);
	uint32_t from = 0, to;

	if (!groups || !grouped)
		return false;
	for (; from < s->n_members; from = to) {
		struct tensor_group *group = &groups[d->graph->ties.n_groups];

		for (to = from + 1; to < s->n_members; to++)
			if (s->members[to].list != s->members[from].list)
				break;
		if (!make_group(
			    d, &s->members[from], to - from, grouped, group))
			return false;
		d->graph->ties.n_groups += group->members.n > 0;
	}
	d->graph->ties.groups = groups;
	return true;
}

/* ---------------------------------------------------------- streams */

/* Without an execution order, as on processors, SOMAS puts each node on its own
 * stream. Vector clocks take memory for each node and stream, so nodes that
 * wait for each other anyway are put on one stream, which adds no dependence.
 */
struct chains {
	struct graph *graph;
	uint32_t *last; /* op of a stream */
	uint32_t n;
};

/* Puts op after `before`, if that is the last op of its stream. */
static bool append_to(struct chains *c, uint32_t op, uint32_t before)
{
	uint32_t stream;

	if (before == NONE || before >= op)
		return false;
	stream = c->graph->ops[before].stream;
	assert(stream < c->n);
	if (c->last[stream] != before)
		return false;
	c->graph->ops[op].stream = stream;
	c->last[stream] = op;
	return true;
}

static bool append_to_any(struct chains *c, uint32_t op)
{
	const struct op *at = &c->graph->ops[op];

	for (uint32_t i = 0; i < at->inputs.n; i++)
		if (append_to(c, op,
			    c->graph->tensors[at->inputs.at[i]].producer))
			return true;
	for (uint32_t i = 0; i < at->after.n; i++)
		if (append_to(c, op, at->after.at[i]))
			return true;
	return false;
}

static bool merge_streams(struct graph *graph, struct arena *scratch)
{
	struct chains c = {.graph = graph};

	c.last = NEW(scratch, uint32_t, graph->n_ops);
	if (!c.last)
		return false;
	for (uint32_t op = 0; op < graph->n_ops; op++) {
		if (append_to_any(&c, op))
			continue;
		graph->ops[op].stream = c.n;
		c.last[c.n++] = op;
	}
	return true;
}

/* ------------------------------------------------------------ graph */

bool mp_input_somas_graph(
	struct somas *s, uint64_t alignment, struct graph *graph)
{
	struct draft d = {.s = s, .graph = graph};

	graph->alignment = alignment ? alignment : SOMAS_GRAIN;
	if (!make_ops(&d) || !make_tensors(&d) || !fill_uses(&d) ||
		!fill_after(&d) || !make_groups(&d))
		return false;
	if (d.n_streams > 1 && d.n_streams == s->n_nodes &&
		!merge_streams(graph, s->scratch))
		return false;
	if (d.n_merged > 0)
		mp_warn(s->error,
			"%s: tensors that SOMAS gives the same bytes are read "
			"as one (%u in all): the first is %s, which is one "
			"with %s",
			s->lines.file, d.n_merged, s->tensors[d.merged].text,
			s->tensors[mp_input_somas_root(s, d.merged)].text);
	return true;
}
