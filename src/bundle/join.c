/*
 * From several plans to one graph that knows its answers. Graphs that run in
 * turn are behind each other in time; graphs that run at the same time are on
 * streams of their own, so that nothing orders one against another. What a
 * graph keeps between its runs lives throughout. The lifetime stage and the
 * verifier then see one graph like any other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/join.h"

#include <string.h>

#include "names.h"

enum {
	MOST_STREAMS = 65536,
};

struct work {
	struct joined *parts;
	uint32_t n;
	bool concurrent;
	struct graph *graph;
	uint32_t *ops;	    /* in the order that they run */
	uint32_t n_streams; /* of all */
	struct arena *arena;
	struct error *error;
};

/* -------------------------------------------------------------------- counts
 */

/* A problem without ops gets one for each step. */
static uint32_t count_ops(const struct problem *p)
{
	return p->n_ops ? p->n_ops : p->n_steps;
}

static bool check_ties(const struct work *w, const struct joined *part)
{
	const struct ties *ties = &part->plan->problem->ties;

	return (ties->n_aliases == 0 && ties->n_groups == 0 &&
		       ties->n_gaps == 0) ||
	       mp_fail(w->error, MEMPLAN_EUSAGE,
		       "%s: a graph with aliases, groups or gaps does not go "
		       "with others yet",
		       part->place);
}

static bool index_part(struct work *w, struct joined *part)
{
	const struct problem *p = part->plan->problem;
	struct graph *graph = w->graph;

	if (!check_ties(w, part))
		return false;

	part->first_tensor = graph->n_tensors;
	part->first_op = graph->n_ops;
	part->n_ops = count_ops(p);
	part->first_stream = w->concurrent ? w->n_streams : 0;
	part->n_streams = p->n_streams;
	part->tensor = NEW(w->arena, uint32_t, p->n_items);
	if (!part->tensor)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		part->tensor[i] =
			p->items[i].external
				? NONE
				: part->first_tensor + part->n_tensors++;
	if (NONE - graph->n_tensors <= part->n_tensors ||
		NONE - graph->n_ops <= part->n_ops)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: too large to go with the others", part->place);
	graph->n_tensors += part->n_tensors;
	graph->n_ops += part->n_ops;
	if (part->first_stream + part->n_streams > w->n_streams)
		w->n_streams = part->first_stream + part->n_streams;
	return w->n_streams <= MOST_STREAMS ||
	       mp_fail(w->error, MEMPLAN_EINPUT,
		       "%s: more than %d streams together", part->place,
		       MOST_STREAMS);
}

/* ------------------------------------------------------------------- tensors
 */

static bool rename_item(const struct work *w, const struct joined *part,
	const char *name, const char **renamed)
{
	if (!name)
		return true;
	*renamed = mp_arena_print(w->arena, "%s/%s", part->name, name);
	return *renamed != NULL;
}

static uint64_t offset_of(const struct joined *part, const struct item *item)
{
	const struct extent *region;

	if (item->buffer == NONE)
		return 0;
	region = part->is_kept[item->buffer] ? &part->kept : &part->shared;
	return region->base + part->offsets[item->buffer] + item->base;
}

static bool add_tensor(struct work *w, const struct joined *part,
	const struct item *item, struct tensor *tensor)
{
	bool kept = item->buffer != NONE && part->is_kept[item->buffer];

	*tensor = (struct tensor){.size = item->size,
		.align = item->align,
		.kind = item->kind,
		.producer = NONE,
		.pinned = true,
		.placed = true,
		.offset = offset_of(part, item),
		.start = kept ? 0 : part->first_op + item->start,
		.end = kept ? w->graph->n_ops : part->first_op + item->end};
	return rename_item(w, part, item->id, &tensor->id) &&
	       rename_item(w, part, item->name, &tensor->name);
}

static bool add_tensors(struct work *w, const struct joined *part)
{
	const struct problem *p = part->plan->problem;

	for (uint32_t i = 0; i < p->n_items; i++)
		if (part->tensor[i] != NONE &&
			!add_tensor(w, part, &p->items[i],
				&w->graph->tensors[part->tensor[i]]))
			return false;
	return true;
}

/* ----------------------------------------------------------------------- ops
 */

/* The items of the list that are in the arena. */
static bool map_items(const struct work *w, const struct joined *part,
	const uint32_t *items, uint32_t n, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, n), kept = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (part->tensor[items[i]] != NONE)
			list[kept++] = part->tensor[items[i]];
	*ids = (struct ids){list, kept};
	return true;
}

static bool map_ops(const struct work *w, const struct joined *part,
	const uint32_t *ops, uint32_t n, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, n);

	if (!list)
		return false;
	for (uint32_t i = 0; i < n; i++)
		list[i] = part->first_op + ops[i];
	*ids = (struct ids){list, n};
	return true;
}

static bool check_equal(const struct work *w, const struct joined *part,
	const struct item *output, const struct item *input)
{
	const struct problem *p = part->plan->problem;

	return mp_item_rounded(p, output) == mp_item_rounded(p, input) ||
	       mp_fail(w->error, MEMPLAN_EUSAGE,
		       "%s: tensor '%.80s' takes over the bytes of '%.80s', "
		       "which has another size: not among streams; plan with "
		       "the option inplace set to equal",
		       part->place, mp_item_label(output),
		       mp_item_label(input));
}

/* Where streams run beside each other, disjoint steps do not say that two
 * tensors are one buffer. */
static bool add_pair(const struct work *w, const struct joined *part,
	uint32_t output, uint32_t input, struct inplace_pair *pairs,
	struct op *op)
{
	const struct item *items = part->plan->problem->items;

	if (!mp_item_takes_over(&items[output], &items[input]))
		return true;
	pairs[op->n_inplace++] = (struct inplace_pair){
		part->tensor[output], part->tensor[input]};
	return check_equal(w, part, &items[output], &items[input]);
}

static bool add_pairs(const struct work *w, const struct joined *part,
	const struct step *step, struct op *op)
{
	struct inplace_pair *pairs;

	if (w->n_streams <= 1)
		return true;
	pairs = NEW(w->arena, struct inplace_pair,
		(size_t)step->n_outputs * step->n_inputs);
	if (!pairs)
		return false;
	op->inplace = pairs;
	for (uint32_t o = 0; o < step->n_outputs; o++)
		for (uint32_t i = 0; i < step->n_inputs; i++)
			if (!add_pair(w, part, step->outputs[o],
				    step->inputs[i], pairs, op))
				return false;
	return true;
}

static bool add_op(struct work *w, const struct joined *part,
	const struct step *step, struct op *op)
{
	/* Where all run on one stream, its number says nothing. */
	op->stream = part->first_stream;
	if (part->n_streams > 1)
		op->stream += step->stream;
	op->cost_us = step->cost_us;
	if (step->type) {
		op->type =
			mp_arena_text(w->arena, step->type, strlen(step->type));
		if (!op->type)
			return false;
	}
	return rename_item(w, part, step->name, &op->name) &&
	       map_items(w, part, step->inputs, step->n_inputs, &op->inputs) &&
	       map_items(
		       w, part, step->outputs, step->n_outputs, &op->outputs) &&
	       map_items(w, part, step->temporaries, step->n_temporaries,
		       &op->temporaries) &&
	       map_ops(w, part, step->after, step->n_after, &op->after) &&
	       add_pairs(w, part, step, op);
}

/* A step of a problem without ops. */
static bool add_step(struct work *w, const struct joined *part, uint32_t step)
{
	struct op *op = &w->graph->ops[part->first_op + step];

	op->stream = part->first_stream;
	op->name = mp_arena_print(w->arena, "%s/%lld", part->name,
		(long long)mp_problem_time(part->plan->problem, step));
	w->ops[part->first_op + step] = part->first_op + step;
	return op->name != NULL;
}

static bool add_ops(struct work *w, const struct joined *part)
{
	const struct problem *p = part->plan->problem;

	for (uint32_t i = 0; i < part->n_ops; i++) {
		if (p->n_ops == 0) {
			if (!add_step(w, part, i))
				return false;
			continue;
		}
		w->ops[part->first_op + i] = part->first_op + p->order[i];
		if (!add_op(w, part, &p->ops[i],
			    &w->graph->ops[part->first_op + i]))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ barriers
 */

/* The first or the last op of each stream of a part; NONE: none. */
static void ends_of(const struct work *w, const struct joined *part, bool last,
	uint32_t *ends)
{
	for (uint32_t k = 0; k < w->n_streams; k++)
		ends[k] = NONE;
	for (uint32_t i = 0; i < part->n_ops; i++) {
		uint32_t op = part->first_op + i;
		uint32_t *end = &ends[w->graph->ops[op].stream];

		if (last || *end == NONE)
			*end = op;
	}
}

static bool wait_for(const struct work *w, struct op *op, const uint32_t *last)
{
	uint32_t *list =
		NEW(w->arena, uint32_t, (size_t)op->after.n + w->n_streams);
	uint32_t n = op->after.n;

	if (!list)
		return false;
	if (n > 0)
		memcpy(list, op->after.at, n * sizeof(*list));
	for (uint32_t k = 0; k < w->n_streams; k++)
		if (last[k] != NONE)
			list[n++] = last[k];
	op->after = (struct ids){list, n};
	return true;
}

/* Where parts in turn have several streams, the first op of each stream waits
 * for the last ops of the part before. */
static bool add_barriers(struct work *w)
{
	uint32_t *first = NEW(w->arena, uint32_t, w->n_streams);
	uint32_t *last = NEW(w->arena, uint32_t, w->n_streams);
	const struct joined *before = NULL;

	if (!first || !last)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->parts[i].n_ops == 0)
			continue;
		if (before) {
			ends_of(w, before, true, last);
			ends_of(w, &w->parts[i], false, first);
		}
		for (uint32_t k = 0; before && k < w->n_streams; k++)
			if (first[k] != NONE &&
				!wait_for(w, &w->graph->ops[first[k]], last))
				return false;
		before = &w->parts[i];
	}
	return true;
}

/* -------------------------------------------------------------------- claims
 */

/* The names of the parts' rows, each once. */
static const char *row_names(
	const struct work *w, const char *(*name)(const struct plan *plan))
{
	const char *text = name(w->parts[0].plan);

	for (uint32_t i = 1; text && i < w->n; i++) {
		const char *other = name(w->parts[i].plan);
		bool known = false;

		for (uint32_t k = 0; k < i; k++)
			known |= strcmp(name(w->parts[k].plan), other) == 0;
		if (!known)
			text = mp_arena_print(w->arena, "%s, %s", text, other);
	}
	return text ? mp_arena_text(w->arena, text, strlen(text)) : NULL;
}

static const char *order_of(const struct plan *plan)
{
	return plan->problem->order_name;
}

/* What is kept is in every bound of its part. */
static void bound(const struct work *w, struct claims *claims)
{
	uint64_t kept = 0, rest = 0, own;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct plan *plan = w->parts[i].plan;

		own = plan->lower_bound -
		      num_min(plan->lower_bound, w->parts[i].kept.size);
		kept += num_min(plan->lower_bound, w->parts[i].kept.size);
		rest = w->concurrent ? rest + own : num_max(rest, own);
		if (plan->bound_kind != BOUND_LOAD)
			claims->bound_kind = mp_bound_name(plan->bound_kind);
	}
	claims->lower_bound = kept + rest;
}

static uint64_t height(const struct work *w)
{
	uint64_t top = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct extent *shared = &w->parts[i].shared;
		const struct extent *kept = &w->parts[i].kept;

		top = num_max(top, shared->base + shared->size);
		top = num_max(top, kept->base + kept->size);
	}
	return top;
}

static bool claim(struct work *w)
{
	struct claims *claims = &w->graph->claims;

	*claims = (struct claims){.present = true,
		.planner = row_names(w, mp_plan_planner),
		.order = row_names(w, order_of),
		.ops = {w->ops, w->graph->n_ops},
		.arena_size = height(w)};
	bound(w, claims);
	return claims->planner && claims->order;
}

static bool name_members(struct work *w)
{
	struct bundle_member *members =
		NEW(w->arena, struct bundle_member, w->n);

	if (!members)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		members[i] = (struct bundle_member){w->parts[i].name,
			w->parts[i].n_ops, w->parts[i].n_tensors, {0, 0},
			{0, 0}, false};
	w->graph->bundle = (struct bundle){members, w->n, w->concurrent};
	return true;
}

/* --------------------------------------------------------------------- stage
 */

static bool make_room(struct work *w)
{
	struct graph *graph = w->graph;

	for (uint32_t i = 0; i < w->n; i++)
		if (!index_part(w, &w->parts[i]))
			return false;
	graph->tensors = NEW(w->arena, struct tensor, graph->n_tensors);
	graph->ops = NEW(w->arena, struct op, graph->n_ops);
	w->ops = NEW(w->arena, uint32_t, graph->n_ops);
	return graph->tensors && graph->ops && w->ops;
}

bool mp_join_graph(struct joined *parts, uint32_t n, bool concurrent,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct work w = {.parts = parts,
		.n = n,
		.concurrent = concurrent,
		.graph = graph,
		.n_streams = concurrent ? 0 : 1,
		.arena = arena,
		.error = e};

	if (!make_room(&w))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!add_tensors(&w, &parts[i]) || !add_ops(&w, &parts[i]))
			return false;
	if (!concurrent && w.n_streams > 1 && !add_barriers(&w))
		return false;
	return claim(&w) && name_members(&w);
}
