/*
 * From several plans to one graph that knows its answers. Graphs that run in
 * turn are behind each other in time; graphs that run at the same time are on
 * streams of their own, so that nothing orders one against another. What a
 * graph keeps between its runs lives throughout. The lifetime stage and the
 * verifier then see one graph like any other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "bundle/inside.h"

enum {
	MOST_STREAMS = 65536,
};

/* ----------------------------------------------------------- counts */

static bool index_member(struct join_work *w, struct joined *member)
{
	const struct schedule *s = member->plan->schedule;
	struct graph *graph = w->graph;

	member->first_tensor = graph->n_tensors;
	member->first_op = graph->n_ops;
	/* A graph without ops gets one for each step. */
	member->n_ops = s->graph->n_ops ? s->graph->n_ops : s->problem.n_steps;
	member->first_stream = w->concurrent ? w->n_streams : 0;
	member->n_streams = s->problem.n_streams;
	member->tensor = NEW(w->arena, uint32_t, s->graph->n_tensors);
	if (!member->tensor)
		return false;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		member->tensor[i] =
			s->graph->tensors[i].external
				? NONE
				: member->first_tensor + member->n_tensors++;
	if (NONE - graph->n_tensors <= member->n_tensors ||
		NONE - graph->n_ops <= member->n_ops)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: too large to go with the others", member->place);
	graph->n_tensors += member->n_tensors;
	graph->n_ops += member->n_ops;
	if (member->first_stream + member->n_streams > w->n_streams)
		w->n_streams = member->first_stream + member->n_streams;
	return w->n_streams <= MOST_STREAMS ||
	       mp_fail(w->error, MEMPLAN_EINPUT,
		       "%s: more than %d streams together", member->place,
		       MOST_STREAMS);
}

/* ---------------------------------------------------------- tensors */

const char *mp_bundle_join_name(const struct join_work *w,
	const struct joined *member, const char *name)
{
	return mp_arena_print(w->arena, "%s/%s", member->name, name);
}

static bool add_tensor(
	struct join_work *w, const struct joined *member, uint32_t t)
{
	const struct tensor *from = &member->plan->schedule->graph->tensors[t];
	const struct stay *stay = &member->plan->schedule->stay[t];
	bool kept = stay->buffer != NONE && member->is_kept[stay->buffer];
	struct tensor *tensor;

	if (member->tensor[t] == NONE)
		return true;
	tensor = &w->graph->tensors[member->tensor[t]];
	*tensor = (struct tensor){.size = from->size,
		.align = from->align,
		.kind = from->kind,
		.producer = NONE,
		.pinned = true,
		.placed = true,
		.from_start = kept && stay->throughout,
		.to_end = kept && stay->throughout,
		.start = kept ? 0 : member->first_op + stay->start,
		.end = kept ? w->graph->n_ops : member->first_op + stay->end};
	if (stay->buffer != NONE)
		tensor->offset = mp_bundle_joined_offset(member, stay->buffer) +
				 stay->base;
	/* Lists are those of buffers: all tensors of one lie in one pool. */
	if (stay->buffer != NONE && w->graph->n_pools > 0)
		tensor->pools = (uint16_t)(member->first_list +
					   member->plan->problem
						   ->pool_list[stay->buffer]);
	if (from->id)
		tensor->id = mp_bundle_join_name(w, member, from->id);
	if (from->name)
		tensor->name = mp_bundle_join_name(w, member, from->name);
	return !from->id == !tensor->id && !from->name == !tensor->name;
}

/* ----------------------------------------------------------- claims */

/* The names of the members' rows, each once. */
static const char *row_names(
	const struct join_work *w, const char *(*name)(const struct plan *plan))
{
	const char *text = name(w->members[0].plan);

	for (uint32_t i = 1; text && i < w->n; i++) {
		const char *other = name(w->members[i].plan);
		bool known = false;

		for (uint32_t k = 0; k < i; k++)
			known |= strcmp(name(w->members[k].plan), other) == 0;
		if (!known)
			text = mp_arena_print(w->arena, "%s, %s", text, other);
	}
	return text ? mp_arena_text(w->arena, text, strlen(text)) : NULL;
}

static const char *order_of(const struct plan *plan)
{
	return plan->schedule->order_name;
}

/* What is kept is in every bound of its member. */
static void measure(const struct join_work *w, struct claims *claims)
{
	uint64_t all_kept = 0, rest = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct plan *plan = w->members[i].plan;
		const struct extent *shared = &w->members[i].shared;
		const struct extent *kept = &w->members[i].kept;
		uint64_t own_kept = num_min(plan->lower_bound, kept->size);
		uint64_t own = plan->lower_bound - own_kept;

		claims->arena_size = num_max(
			claims->arena_size, shared->base + shared->size);
		claims->arena_size =
			num_max(claims->arena_size, kept->base + kept->size);
		all_kept += own_kept;
		rest = w->concurrent ? rest + own : num_max(rest, own);
		if (plan->bound_kind != BOUND_LOAD)
			claims->bound_kind =
				mp_problem_bound_name(plan->bound_kind);
	}
	claims->lower_bound = all_kept + rest;
}

static bool claim(struct join_work *w)
{
	struct claims *claims = &w->graph->claims;

	*claims = (struct claims){.present = true,
		.planner = row_names(w, mp_plan_planner),
		.order = row_names(w, order_of),
		.ops = {w->ops, w->graph->n_ops}};
	measure(w, claims);
	return claims->planner && claims->order;
}

static bool join_ties(struct join_work *w)
{
	struct moved_ties *moved = NEW(w->arena, struct moved_ties, w->n);

	if (!moved)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct joined *member = &w->members[i];

		moved[i] = (struct moved_ties){
			&member->plan->schedule->graph->ties, member->tensor,
			member->first_op, member->name};
	}
	return mp_graph_ties_join(moved, w->n, &w->graph->ties, w->arena) &&
	       mp_bundle_join_reserve(w);
}

static bool name_members(struct join_work *w)
{
	struct bundle_member *named = NEW(w->arena, struct bundle_member, w->n);

	if (!named)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		named[i] = (struct bundle_member){w->members[i].name,
			w->members[i].n_ops, w->members[i].n_tensors, {0, 0},
			{0, 0}, false};
	w->graph->bundle = (struct bundle){named, w->n, w->concurrent};
	return true;
}

/* ------------------------------------------------------------ stage */

static bool make_room(struct join_work *w)
{
	struct graph *graph = w->graph;

	for (uint32_t i = 0; i < w->n; i++)
		if (!index_member(w, &w->members[i]))
			return false;
	graph->tensors = NEW(w->arena, struct tensor, graph->n_tensors);
	graph->ops = NEW(w->arena, struct op, graph->n_ops);
	w->ops = NEW(w->arena, uint32_t, graph->n_ops);
	return graph->tensors && graph->ops && w->ops;
}

static bool fill(struct join_work *w)
{
	if (!mp_bundle_join_place(w) || !mp_bundle_join_pools(w) ||
		!make_room(w))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct joined *member = &w->members[i];
		uint32_t n = member->plan->schedule->graph->n_tensors;

		for (uint32_t t = 0; t < n; t++)
			if (!add_tensor(w, member, t))
				return false;
		if (!mp_bundle_join_ops(w, member))
			return false;
	}
	if (!w->concurrent && w->n_streams > 1 && !mp_bundle_join_barriers(w))
		return false;
	return join_ties(w) && claim(w) && name_members(w);
}

bool mp_bundle_join(struct layout *layout, struct arena *arena, struct error *e)
{
	struct graph *graph = &layout->graph;
	struct join_work w = {.members = layout->members,
		.n = layout->n,
		.concurrent = layout->concurrent,
		.stays = layout->stays,
		.graph = graph,
		.n_streams = layout->concurrent ? 0 : 1,
		.arena = arena,
		.error = e};

	assert(w.n > 0 && graph->n_tensors == 0 && graph->n_ops == 0);
	return fill(&w) && mp_graph_link(graph, arena, e) &&
	       mp_bundle_check_order(graph, arena, e);
}
