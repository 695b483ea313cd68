/*
 * From the graphs of several buckets, which run the same ops on tensors of
 * other sizes, to one graph that a plan of serves all: each tensor has its
 * largest size, lives whenever it does in any of them, and shares the bytes of
 * an input only where it may in all. So what any bucket puts at the offsets of
 * such a plan lies inside the plan's bytes and steps.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/sort.h"
#include "bundle/bundle.h"

struct widening {
	const struct bucket_graph *bucket; /* that is being added */
	const struct graph *first,
		*graph; /* of the first bucket, of this one */
	const char *first_place;
	const uint32_t *to; /* of a tensor of this one: the widest graph's */
	struct graph *widest;
	struct names names; /* of the widest graph's tensors */
	uint32_t *mark;	    /* of an id: the last list that it was put in */
	uint32_t stamp;	    /* of that list */
	struct arena *arena;
	struct error *error;
};

/* Of a labelled thing `what` is one word. */
static bool differ(struct widening *w, const char *what, const char *label)
{
	return mp_fail(w->error, MEMPLAN_EINPUT,
		"%s: %s%s%.80s%s not as in %s: one table serves graphs of the "
		"same ops and tensors",
		w->bucket->place, what, label ? " '" : "", label ? label : "",
		label ? "' is" : " are", w->first_place);
}

/* ---------------------------------------------------------- tensors */

static bool is_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* All but the size and the lifetime that the input gives. */
static bool is_alike(const struct tensor *a, const struct tensor *b)
{
	return is_text(a->name, b->name) && a->kind == b->kind &&
	       a->align == b->align && a->external == b->external &&
	       a->pinned == b->pinned && a->placed == b->placed &&
	       (!a->placed || a->offset == b->offset);
}

static bool widen_tensor(
	struct widening *w, struct tensor *tensor, const struct tensor *other)
{
	if (!is_alike(tensor, other))
		return differ(w, "tensor", mp_graph_tensor_label(other));
	tensor->size = num_max(tensor->size, other->size);
	tensor->to_end |= other->to_end;
	tensor->from_start |= other->from_start;
	if (tensor->pinned) {
		tensor->start = (uint32_t)num_min(tensor->start, other->start);
		tensor->end = (uint32_t)num_max(tensor->end, other->end);
	}
	return true;
}

/* Of a tensor without an id only its place in the list tells which it is. */
static uint32_t find_tensor(const struct widening *w, uint32_t t)
{
	const struct tensor *tensor = &w->graph->tensors[t];

	if (tensor->id)
		return mp_names_find(&w->names, tensor->id);
	return t < w->first->n_tensors && !w->first->tensors[t].id ? t : NONE;
}

/* A kernel may need other temporaries for other sizes. */
static bool add_tensor(struct widening *w, uint32_t t, uint32_t *to)
{
	const struct tensor *tensor = &w->graph->tensors[t];
	struct graph *widest = w->widest;

	if (tensor->kind != KIND_TEMPORARY || !tensor->id)
		return differ(w, "tensor", mp_graph_tensor_label(tensor));
	*to = widest->n_tensors++;
	widest->tensors[*to] = *tensor;
	mp_names_add(&w->names, tensor->id, *to);
	return true;
}

static uint32_t count_named(const struct graph *graph)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		n += graph->tensors[t].kind != KIND_TEMPORARY;
	return n;
}

static bool widen_tensors(struct widening *w)
{
	uint32_t n = w->graph->n_tensors, *to = NEW(w->arena, uint32_t, n);

	w->to = to;
	if (count_named(w->graph) != count_named(w->first))
		return differ(w, "its tensors", NULL);
	for (uint32_t t = 0; to && t < n; t++) {
		to[t] = find_tensor(w, t);
		if (!(to[t] == NONE ? add_tensor(w, t, &to[t])
				    : widen_tensor(w,
					      &w->widest->tensors[to[t]],
					      &w->graph->tensors[t])))
			return false;
	}
	return to != NULL;
}

/* -------------------------------------------------------------- ops */

/* Adds what is not in the list yet. to: NULL if it lists ops. */
static bool add_ids(struct widening *w, struct ids *list, struct ids other,
	const uint32_t *to)
{
	uint32_t *all = NEW(w->arena, uint32_t, (size_t)list->n + other.n);
	uint32_t n = list->n;

	if (!all)
		return false;
	w->stamp++;
	for (uint32_t i = 0; i < n; i++) {
		all[i] = list->at[i];
		w->mark[all[i]] = w->stamp;
	}
	for (uint32_t i = 0; i < other.n; i++) {
		uint32_t id = to ? to[other.at[i]] : other.at[i];

		if (w->mark[id] == w->stamp)
			continue;
		w->mark[id] = w->stamp;
		all[n++] = id;
	}
	*list = (struct ids){all, n};
	return true;
}

static int by_output(const void *left, const void *right)
{
	const struct inplace_pair *a = left, *b = right;

	return mp_sort_compare_two(a->output, b->output, a->input, b->input);
}

/* Keeps the pairs that the other op has too. */
static bool cut_pairs(struct widening *w, struct op *op, const struct op *other)
{
	uint32_t n = other->n_inplace, kept = 0;
	struct inplace_pair *pairs =
		NEW(w->arena, struct inplace_pair, op->n_inplace);
	struct inplace_pair *others = NEW(w->arena, struct inplace_pair, n);

	if (!pairs || !others)
		return false;
	for (uint32_t i = 0; i < n; i++)
		others[i] =
			(struct inplace_pair){w->to[other->inplace[i].output],
				w->to[other->inplace[i].input]};
	if (n > 1)
		qsort(others, n, sizeof(*others), by_output);
	for (uint32_t i = 0; n > 0 && i < op->n_inplace; i++)
		if (bsearch(&op->inplace[i], others, n, sizeof(*others),
			    by_output))
			pairs[kept++] = op->inplace[i];
	op->inplace = pairs;
	op->n_inplace = kept;
	return true;
}

static bool same_list(
	const struct widening *w, struct ids list, struct ids other)
{
	for (uint32_t i = 0; list.n == other.n && i < list.n; i++)
		if (list.at[i] != w->to[other.at[i]])
			return false;
	return list.n == other.n;
}

/* A temporary that a later op frees is an input of that op. */
static bool widen_op(struct widening *w, uint32_t i)
{
	struct op *op = &w->widest->ops[i];
	const struct op *other = &w->graph->ops[i];

	if (strcmp(op->name, other->name) != 0 ||
		!is_text(op->type, other->type) ||
		op->stream != other->stream ||
		!same_list(w, op->outputs, other->outputs))
		return differ(w, "op", mp_graph_op_label(w->graph, i));
	op->cost_us = num_max(op->cost_us, other->cost_us);
	return add_ids(w, &op->inputs, other->inputs, w->to) &&
	       add_ids(w, &op->temporaries, other->temporaries, w->to) &&
	       add_ids(w, &op->after, other->after, NULL) &&
	       cut_pairs(w, op, other);
}

static bool widen_ops(struct widening *w)
{
	size_t n = num_max(w->widest->n_tensors, w->widest->n_ops);

	w->mark = NEW(w->arena, uint32_t, n);
	w->stamp = 0;
	if (!w->mark)
		return false;
	if (w->graph->n_ops != w->first->n_ops)
		return differ(w, "its ops", NULL);
	for (uint32_t i = 0; i < w->graph->n_ops; i++)
		if (!widen_op(w, i))
			return false;
	return true;
}

/* ------------------------------------------------------------- ties */

static bool same_aliases(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;

	for (uint32_t i = 0; a->n_aliases == b->n_aliases && i < a->n_aliases;
		i++) {
		const struct tensor_alias *other =
			mp_graph_ties_alias(a, w->to[b->aliases[i].tensor]);

		if (!other || other->of != w->to[b->aliases[i].of] ||
			other->offset != b->aliases[i].offset)
			return false;
	}
	return a->n_aliases == b->n_aliases;
}

/* Behind a member that is smaller bytes would be left free. */
static bool same_group(const struct widening *w, const struct tensor_group *a,
	const struct tensor_group *b)
{
	if (!same_list(w, a->members, b->members) || a->before != b->before ||
		a->after != b->after)
		return false;
	for (uint32_t i = 0; i + 1 < a->members.n; i++)
		if (w->first->tensors[a->members.at[i]].size !=
			w->graph->tensors[b->members.at[i]].size)
			return false;
	return true;
}

static bool same_groups(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;

	for (uint32_t i = 0; a->n_groups == b->n_groups && i < a->n_groups; i++)
		if (!same_group(w, &a->groups[i], &b->groups[i]))
			return false;
	return a->n_groups == b->n_groups;
}

/* A gap is in the lifetime that the input gives. */
static bool same_gaps(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;

	for (uint32_t i = 0; a->n_gaps == b->n_gaps && i < a->n_gaps; i++) {
		const struct lifetime_gap *x = &a->gaps[i], *y = &b->gaps[i];
		const struct tensor *one = &w->first->tensors[x->tensor];
		const struct tensor *two = &w->graph->tensors[y->tensor];

		if (x->tensor != w->to[y->tensor] || x->start != y->start ||
			x->end != y->end || x->low != y->low ||
			x->high != y->high || one->start != two->start ||
			one->end != two->end)
			return false;
	}
	return a->n_gaps == b->n_gaps;
}

static bool same_pairs(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;
	bool same = a->n_apart == b->n_apart && a->n_costs == b->n_costs;

	for (uint32_t i = 0; same && i < a->n_apart; i++)
		same = a->apart[i].a == w->to[b->apart[i].a] &&
		       a->apart[i].b == w->to[b->apart[i].b];
	for (uint32_t i = 0; same && i < a->n_costs; i++)
		same = a->costs[i].a == w->to[b->costs[i].a] &&
		       a->costs[i].b == w->to[b->costs[i].b] &&
		       a->costs[i].cost == b->costs[i].cost;
	return same;
}

static bool same_reserved(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;
	bool same = a->n_reserved == b->n_reserved;

	for (uint32_t i = 0; same && i < a->n_reserved; i++)
		same = a->reserved[i].offset == b->reserved[i].offset &&
		       a->reserved[i].size == b->reserved[i].size &&
		       a->reserved[i].pools == b->reserved[i].pools;
	return same;
}

static bool same_branches(const struct widening *w)
{
	const struct ties *a = &w->first->ties, *b = &w->graph->ties;
	bool same = a->n_branches == b->n_branches && a->n_sites == b->n_sites;

	for (uint32_t i = 0; same && i < a->n_branches; i++)
		same = a->branches[i].tensor == w->to[b->branches[i].tensor] &&
		       a->branches[i].choice == b->branches[i].choice &&
		       a->branches[i].branch == b->branches[i].branch;
	for (uint32_t i = 0; same && i < a->n_sites; i++)
		same = a->sites[i].choice == b->sites[i].choice &&
		       a->sites[i].branch == b->sites[i].branch;
	return same;
}

static bool same_pools(const struct widening *w)
{
	const struct graph *a = w->first, *b = w->graph;
	bool same = a->n_pools == b->n_pools;

	for (uint32_t i = 0; same && i < a->n_pools; i++)
		same = strcmp(a->pools[i].name, b->pools[i].name) == 0 &&
		       a->pools[i].capacity == b->pools[i].capacity &&
		       a->pools[i].alignment == b->pools[i].alignment &&
		       a->pools[i].chunk == b->pools[i].chunk &&
		       a->pools[i].banks.size == b->pools[i].banks.size &&
		       a->pools[i].banks.count == b->pools[i].banks.count;
	for (uint32_t t = 0; same && a->n_pools > 0 && t < b->n_tensors; t++)
		same = mp_graph_pool_lists_equal(
			&a->pool_lists[w->widest->tensors[w->to[t]].pools],
			&b->pool_lists[b->tensors[t].pools]);
	return same;
}

/* What ties tensors together must be the same in bytes. */
static bool check_ties(struct widening *w)
{
	static const struct {
		const char *what;
		bool (*same)(const struct widening *w);
	} ties[] = {
		{"its pools", same_pools},
		{"its aliases, or their offsets,", same_aliases},
		{"its groups, or the sizes in them,", same_groups},
		{"its gaps in lifetimes", same_gaps},
		{"its pairs that are apart, or their costs,", same_pairs},
		{"its reserved ranges", same_reserved},
		{"its exclusive branches", same_branches},
	};

	for (size_t i = 0; i < countof(ties); i++)
		if (!ties[i].same(w))
			return differ(w, ties[i].what, NULL);
	return true;
}

/* ------------------------------------------------------------ stage */

/* A plan is read with lifetimes that are shortened where tensors share bytes,
 * and a bundle is several graphs. */
static bool check_graph(struct widening *w)
{
	const struct graph *a = w->first, *b = w->graph;

	if (b->claims.present || b->was_plan || b->bundle.n > 0)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: a plan cannot be a bucket: give its graph",
			w->bucket->place);
	if (a->alignment != b->alignment ||
		a->margins.padding != b->margins.padding ||
		a->n_steps != b->n_steps)
		return differ(w,
			a->n_steps != b->n_steps ? "its steps"
						 : "its alignment and padding",
			NULL);
	w->widest->margins.base =
		(uint32_t)num_max(w->widest->margins.base, b->margins.base);
	w->widest->batch = num_max(w->widest->batch, b->batch);
	return true;
}

/* What only the file of the first says is not of all. */
static bool begin(
	struct widening *w, const struct bucket_graph *buckets, uint32_t n)
{
	struct graph *widest = w->widest;
	struct tensor *tensors;
	uint64_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most += buckets[i].graph->n_tensors;
	if (most >= NONE)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: too large to go with the others",
			buckets[n - 1].place);
	*widest = *w->first;
	tensors = NEW(w->arena, struct tensor, most);
	widest->ops = mp_arena_copy(
		w->arena, w->first->ops, widest->n_ops, sizeof(*widest->ops));
	if (!tensors || !widest->ops ||
		!mp_names_init(&w->names, (uint32_t)most, w->arena))
		return false;
	memcpy(tensors, w->first->tensors,
		widest->n_tensors * sizeof(*tensors));
	widest->tensors = tensors;
	for (uint32_t t = 0; t < widest->n_tensors; t++)
		if (tensors[t].id)
			mp_names_add(&w->names, tensors[t].id, t);
	for (uint32_t i = 0; i < widest->n_ops; i++) {
		widest->ops[i].n_unequal = 0;
		widest->ops[i].release = (struct ids){NULL, 0};
	}
	widest->csv_header = NULL;
	widest->csv_rows = NULL;
	widest->solution = NULL;
	widest->tflite = NULL;
	widest->dsa = NULL;
	return true;
}

bool mp_bundle_widest(const struct bucket_graph *buckets, uint32_t n,
	struct graph *widest, struct arena *arena, struct error *e)
{
	struct widening w = {.first = buckets[0].graph,
		.first_place = buckets[0].place,
		.widest = widest,
		.arena = arena,
		.error = e};

	assert(n > 0);
	if (!begin(&w, buckets, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		w.bucket = &buckets[i];
		w.graph = buckets[i].graph;
		if (!check_graph(&w) || !widen_tensors(&w) || !widen_ops(&w) ||
			!check_ties(&w))
			return false;
	}
	return mp_graph_link(widest, arena, e);
}
