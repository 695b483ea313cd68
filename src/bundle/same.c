/*
 * Tensors that are to have the same offset in every graph of a bundle: an input
 * that is written once, or a state that one graph leaves to another. What the
 * graphs keep is then one memory, of the largest of its sizes. All else has its
 * bytes only while its own graph runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/names.h"
#include "bundle/inside.h"

struct naming {
	const struct layout *layout;
	const char *name;
	size_t length;
	struct arena *arena;
	struct error *error;
};

static bool refuse(
	const struct naming *n, const struct joined *member, const char *why)
{
	return mp_fail(n->error, MEMPLAN_EUSAGE,
		"%s: tensor '%.*s' cannot have the same offset in all graphs: "
		"%s",
		member->place, (int)n->length, n->name, why);
}

static bool is_called(const char *label, const struct naming *n)
{
	return label && strlen(label) == n->length &&
	       memcmp(label, n->name, n->length) == 0;
}

/* The tensor of that name, else of that id; NONE: there is none. */
static uint32_t find(const struct naming *n, const struct joined *member)
{
	const struct graph *graph = member->plan->schedule->graph;
	uint32_t found = NONE;

	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		if (is_called(graph->tensors[t].name, n))
			return t;
		if (is_called(graph->tensors[t].id, n))
			found = t;
	}
	return found;
}

static bool is_kept(const struct joined *member, uint32_t t)
{
	return mp_schedule_is_kept(member->plan->schedule, t);
}

/* Are its bytes kept for a view of it, or for another tensor? */
static bool is_kept_for_another(const struct joined *member, uint32_t t)
{
	uint32_t buffer = member->plan->schedule->stay[t].buffer;

	return buffer != NONE && member->is_kept[buffer] && !is_kept(member, t);
}

static bool is_written(const struct graph *graph, uint32_t t)
{
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++)
		if (graph->ties.aliases[i].root == t &&
			graph->ties.aliases[i].writes)
			return true;
	return graph->tensors[t].producer != NONE;
}

/* Does anything lie before it in its buffer, or behind it in a group? */
static bool is_bound(const struct graph *graph, uint32_t t)
{
	for (uint32_t i = 0; i < graph->ties.n_groups; i++)
		if (mp_lists_has(graph->ties.groups[i].members, t))
			return true;
	return mp_graph_ties_alias(&graph->ties, t) != NULL;
}

static bool check_tensor(
	const struct naming *n, const struct joined *member, uint32_t t)
{
	const struct layout *layout = n->layout;
	const struct graph *graph = member->plan->schedule->graph;

	if (graph->tensors[t].external)
		return refuse(n, member, "it is in the caller's memory");
	if (is_bound(graph, t))
		return refuse(n, member,
			"it is a view of another one, or in a group");
	if (is_kept_for_another(member, t))
		return refuse(n, member,
			"its bytes are kept between runs, but not for it");
	if (!is_kept(member, t))
		return layout->graph.n_streams <= 1 ||
		       refuse(n, member,
			       "graphs with streams, or that run at one time, "
			       "share only what they keep");
	return !layout->concurrent || !is_written(graph, t) ||
	       refuse(n, member,
		       "an op writes it while another graph may read it");
}

static const struct pool_list *pools_of(const struct layout *l, uint32_t t)
{
	return &l->graph.pool_lists[l->graph.tensors[t].pools];
}

static bool same_pools(const struct layout *l, uint32_t a, uint32_t b)
{
	return l->graph.n_pools == 0 ||
	       mp_graph_pool_lists_equal(pools_of(l, a), pools_of(l, b));
}

static bool check_pair(const struct naming *n, const struct joined *first,
	uint32_t a, const struct joined *member, uint32_t b)
{
	const struct tensor *one = &first->plan->schedule->graph->tensors[a];
	const struct tensor *two = &member->plan->schedule->graph->tensors[b];

	if (is_kept(first, a) != is_kept(member, b))
		return refuse(n, member,
			"one graph keeps it between its runs, another not");
	if (!first->from_plan && !member->from_plan && one->placed &&
		two->placed && one->offset != two->offset)
		return refuse(n, member, "two graphs fix it elsewhere");
	return same_pools(n->layout, first->tensor[a], member->tensor[b]) ||
	       refuse(n, member, "two graphs have it in other pools");
}

/* Finds the tensors of that name; those without bytes have no offset to share.
 */
static bool find_set(const struct naming *n, struct ids *set)
{
	const struct layout *layout = n->layout;
	uint32_t *tensors = NEW(n->arena, uint32_t, layout->n), named = 0;
	const struct joined *first = NULL;
	uint32_t of_first = NONE;

	*set = (struct ids){tensors, 0};
	for (uint32_t i = 0; tensors && i < layout->n; i++) {
		const struct joined *member = &layout->members[i];
		uint32_t t = find(n, member);

		named += t != NONE;
		if (t == NONE ||
			member->plan->schedule->graph->tensors[t].size == 0)
			continue;
		if (!check_tensor(n, member, t) ||
			(first && !check_pair(n, first, of_first, member, t)))
			return false;
		if (!first) {
			first = member;
			of_first = t;
		}
		tensors[set->n++] = member->tensor[t];
	}
	return tensors &&
	       (named > 1 || mp_fail(n->error, MEMPLAN_EUSAGE,
				     "same-offsets: '%.*s' is a tensor "
				     "of %s graph",
				     (int)n->length, n->name,
				     named ? "only one" : "no"));
}

static uint32_t count_names(const char *names)
{
	uint32_t n = 1;

	for (; *names; names++)
		n += *names == ',' || *names == '\n';
	return n;
}

static bool is_there(const struct ids *sets, uint32_t n, uint32_t tensor)
{
	for (uint32_t i = 0; i < n; i++)
		if (mp_lists_has(sets[i], tensor))
			return true;
	return false;
}

bool mp_bundle_find_same(struct layout *layout, const char *names,
	struct arena *arena, struct error *e)
{
	struct ids *sets = NEW(arena, struct ids, count_names(names));
	struct naming n = {layout, names, 0, arena, e};

	if (!sets)
		return false;
	layout->same = sets;
	layout->n_same = 0;
	for (;; n.name += n.length + 1) {
		struct ids *set = &sets[layout->n_same];

		n.length = strcspn(n.name, ",\n");
		if (!find_set(&n, set))
			return false;
		/* One may have been named twice, or by its id too. */
		if (set->n > 1 && !is_there(sets, layout->n_same, set->at[0]))
			layout->n_same++;
		if (n.name[n.length] == '\0')
			return true;
	}
}

bool mp_bundle_take_same(struct layout *layout, const struct graph *plan,
	struct arena *arena, struct error *e)
{
	const struct ties *ties = &plan->ties;
	struct ids *sets = NEW(arena, struct ids, ties->n_same);
	struct names names;

	if (!sets || !mp_graph_ids(&layout->graph, &names, arena))
		return false;
	for (uint32_t i = 0; i < ties->n_same; i++) {
		uint32_t n = ties->same[i].n, *set = NEW(arena, uint32_t, n);

		sets[i] = (struct ids){set, n};
		for (uint32_t k = 0; set && k < n; k++) {
			const struct tensor *tensor =
				&plan->tensors[ties->same[i].at[k]];

			set[k] = tensor->id ? mp_names_find(&names, tensor->id)
					    : NONE;
			if (set[k] == NONE)
				return mp_fail(e, MEMPLAN_NO,
					"%s: /same_offsets/%u/%u: the graphs "
					"have no such tensor",
					plan->place, i, k);
		}
		if (!set)
			return false;
	}
	layout->same = sets;
	layout->n_same = ties->n_same;
	return true;
}
