/*
 * From several plans to one graph that knows its answers. Graphs that run in
 * turn are behind each other in time; graphs that run at the same time are on
 * streams of their own, so that nothing orders one against another. What a
 * graph keeps between its runs lives throughout. The lifetime stage and the
 * verifier then see one graph like any other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bundle/bundle-pools.h"
#include "bundle/inside.h"

enum {
	MOST_STREAMS = 65536,
};

/* ----------------------------------------------------------- counts */

/* A graph without ops gets one for each step. */
static uint32_t count_ops(const struct schedule *s)
{
	return s->graph->n_ops ? s->graph->n_ops : s->problem.n_steps;
}

static bool index_part(struct join_work *w, struct joined *part)
{
	const struct schedule *s = part->plan->schedule;
	struct graph *graph = w->graph;

	part->first_tensor = graph->n_tensors;
	part->first_op = graph->n_ops;
	part->n_ops = count_ops(s);
	part->first_stream = w->concurrent ? w->n_streams : 0;
	part->n_streams = s->problem.n_streams;
	part->tensor = NEW(w->arena, uint32_t, s->graph->n_tensors);
	if (!part->tensor)
		return false;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		part->tensor[i] =
			s->graph->tensors[i].external
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

/* ---------------------------------------------------------- tensors */

const char *mp_bundle_join_name(
	const struct join_work *w, const struct joined *part, const char *name)
{
	return mp_arena_print(w->arena, "%s/%s", part->name, name);
}

static bool rename_tensor(const struct join_work *w, const struct joined *part,
	const char *name, const char **renamed)
{
	*renamed = name ? mp_bundle_join_name(w, part, name) : NULL;
	return !name || *renamed;
}

static uint64_t offset_of(const struct joined *part, const struct stay *stay)
{
	return stay->buffer == NONE
		       ? 0
		       : mp_bundle_joined_offset(part, stay->buffer) +
				 stay->base;
}

/* Lists are those of buffers: all tensors of one lie in one pool. */
static uint16_t list_of(const struct join_work *w, const struct joined *part,
	const struct stay *stay)
{
	if (w->graph->n_pools == 0 || stay->buffer == NONE)
		return 0;
	return (uint16_t)(part->first_list +
			  part->plan->problem->pool_list[stay->buffer]);
}

static bool add_tensor(struct join_work *w, const struct joined *part,
	uint32_t t, struct tensor *tensor)
{
	const struct tensor *from = &part->plan->schedule->graph->tensors[t];
	const struct stay *stay = &part->plan->schedule->stay[t];
	bool kept = stay->buffer != NONE && part->is_kept[stay->buffer];

	*tensor = (struct tensor){.size = from->size,
		.align = from->align,
		.kind = from->kind,
		.producer = NONE,
		.pools = list_of(w, part, stay),
		.pinned = true,
		.placed = true,
		.from_start = kept && stay->throughout,
		.to_end = kept && stay->throughout,
		.offset = offset_of(part, stay),
		.start = kept ? 0 : part->first_op + stay->start,
		.end = kept ? w->graph->n_ops : part->first_op + stay->end};
	return rename_tensor(w, part, from->id, &tensor->id) &&
	       rename_tensor(w, part, from->name, &tensor->name);
}

static bool add_tensors(struct join_work *w, const struct joined *part)
{
	uint32_t n = part->plan->schedule->graph->n_tensors;

	for (uint32_t i = 0; i < n; i++)
		if (part->tensor[i] != NONE &&
			!add_tensor(w, part, i,
				&w->graph->tensors[part->tensor[i]]))
			return false;
	return true;
}

/* ----------------------------------------------------------- claims */

/* The names of the parts' rows, each once. */
static const char *row_names(
	const struct join_work *w, const char *(*name)(const struct plan *plan))
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
	return plan->schedule->order_name;
}

/* What is kept is in every bound of its part. */
static void bound(const struct join_work *w, struct claims *claims)
{
	uint64_t kept = 0, rest = 0, own;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct plan *plan = w->parts[i].plan;

		own = plan->lower_bound -
		      num_min(plan->lower_bound, w->parts[i].kept.size);
		kept += num_min(plan->lower_bound, w->parts[i].kept.size);
		rest = w->concurrent ? rest + own : num_max(rest, own);
		if (plan->bound_kind != BOUND_LOAD)
			claims->bound_kind =
				mp_problem_bound_name(plan->bound_kind);
	}
	claims->lower_bound = kept + rest;
}

static uint64_t height(const struct join_work *w)
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

static bool claim(struct join_work *w)
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

static bool name_members(struct join_work *w)
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

/* ------------------------------------------------------------ stage */

static bool make_room(struct join_work *w)
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

bool mp_bundle_join_graph(struct joined *parts, uint32_t n, bool concurrent,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct join_work w = {.parts = parts,
		.n = n,
		.concurrent = concurrent,
		.graph = graph,
		.n_streams = concurrent ? 0 : 1,
		.arena = arena,
		.error = e};

	if (!mp_bundle_join_pools(parts, n, graph, arena, e) || !make_room(&w))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!add_tensors(&w, &parts[i]) ||
			!mp_bundle_join_ops(&w, &parts[i]))
			return false;
	if (!concurrent && w.n_streams > 1 && !mp_bundle_join_barriers(&w))
		return false;
	return mp_bundle_join_ties(&w) && claim(&w) && name_members(&w);
}
