/*
 * The whole stage: lifetimes, tensors that share bytes, then buffers and parts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/lifetime.h"

#include <assert.h>

#include "lifetime/inside.h"

/* ------------------------------------------------------------ facts */

/* A plan that is read back has the policy and the lifetime that followed. */
static bool is_throughout(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];
	uint8_t policy = POLICY_INSIDE;

	if (tensor->kind == KIND_INPUT)
		policy = s->graph->inputs;
	else if (tensor->kind == KIND_OUTPUT)
		policy = s->graph->outputs;
	return (tensor->from_start && tensor->to_end) ||
	       (policy == POLICY_THROUGHOUT && s->stay[t].start == 0 &&
		       s->stay[t].end == s->n_steps);
}

static void fill_facts(struct sharing *s)
{
	const struct graph *graph = s->graph;
	struct problem *p = s->problem;

	for (uint32_t t = 0; s->stay && t < graph->n_tensors; t++)
		s->stay[t].throughout = is_throughout(s, t);
	for (uint32_t i = 0; i < graph->n_ops; i++)
		s->schedule->reordered |= s->order[i] != i;
	p->name = graph->name;
	p->alignment = graph->alignment;
	p->margins = graph->margins;
	p->n_steps = s->n_steps;
	p->n_streams = 1;
	p->times = graph->times;
	p->claimed_planner = graph->claims.planner;
}

/* ------------------------------------------------------------ stage */

static bool may_be_brief(const struct graph *graph)
{
	const struct ties *ties = &graph->ties;

	return graph->n_ops == 0 && graph->n_pools == 0 &&
	       ties->n_aliases == 0 && ties->n_groups == 0 &&
	       ties->n_gaps == 0 && ties->n_apart == 0 && ties->n_costs == 0 &&
	       ties->n_reserved == 0 && ties->n_branches == 0;
}

static bool is_alone(const struct graph *graph, const struct tensor *tensor)
{
	return mp_lifetime_takes_bytes(tensor) && tensor->pinned &&
	       tensor->start < tensor->end && tensor->end <= graph->n_steps &&
	       !(tensor->from_start && tensor->to_end);
}

/* Of a graph that may be brief: does a buffer say all of its tensor's stay? */
static bool are_alone(const struct graph *graph)
{
	bool alone = graph->inputs != POLICY_THROUGHOUT &&
		     graph->outputs != POLICY_THROUGHOUT &&
		     graph->ties.n_same == 0 && graph->n_streams <= 1;

	for (uint32_t t = 0; alone && t < graph->n_tensors; t++)
		alone = is_alone(graph, &graph->tensors[t]);
	return alone;
}

static uint32_t count_steps(const struct graph *graph)
{
	uint32_t n = graph->n_ops ? graph->n_ops : graph->n_steps;
	bool empty = graph->n_tensors == 0 && graph->ties.n_reserved == 0;

	return n == 0 && !empty ? 1 : n;
}

static bool prepare(struct sharing *s)
{
	uint32_t n = s->graph->n_tensors;

	s->position = NEW(s->scratch, uint32_t, s->graph->n_ops);
	s->stay = NEW(s->arena, struct stay, n);
	s->taken_by = NEW(s->scratch, uint32_t, n);
	s->follows = NEW(s->scratch, bool, n);
	if (!s->position || !s->stay || !s->taken_by || !s->follows)
		return false;
	for (uint32_t t = 0; t < n; t++) {
		s->taken_by[t] = NONE;
		s->stay[t].buffer = NONE;
	}
	s->schedule->stay = s->stay;
	return !mp_lifetime_has_streams(s) ||
	       mp_lifetime_streams_init(
		       &s->streams, s->schedule, s->like, s->arena, s->scratch);
}

/* Loads are those of the listed order, the theoretical minimum is that of all
 * timings where it can be. Its network is large, and needs nothing of what is
 * scratch before. */
static bool bound_timings(struct sharing *s)
{
	return !mp_problem_over_timings(s->problem) ||
	       (s->like && mp_problem_share_antichain(s->problem, s->like)) ||
	       mp_problem_antichain(s->problem, s->arena);
}

static bool fill_schedule(struct sharing *s, bool inplace)
{
	if (!s->alone && (!prepare(s) || !mp_lifetime_spans_find(s) ||
				 !mp_lifetime_unite(s) ||
				 !mp_lifetime_share_in_place(s, inplace)))
		return false;
	fill_facts(s);
	return mp_lifetime_parts_fill(s) && mp_lifetime_relations_fill(s) &&
	       mp_problem_measure(s->problem, s->arena, s->error) &&
	       (!mp_lifetime_has_streams(s) ||
		       mp_lifetime_streams_fill(
			       &s->streams, &s->holders, s->problem, s->arena));
}

struct schedule *mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct arena *arena,
	struct error *e)
{
	struct schedule *schedule = NEW(arena, struct schedule, 1);
	struct arena scratch = mp_arena_beside(arena);
	struct sharing s = {.graph = graph,
		.order = order,
		.left = options->left,
		.like = options->like,
		.brief = options->brief && may_be_brief(graph),
		.schedule = schedule,
		.arena = arena,
		.scratch = &scratch,
		.error = e};
	bool filled = false;

	assert(order || graph->n_ops == 0);
	s.alone = s.brief && are_alone(graph);
	s.n_steps = count_steps(graph);
	if (schedule) {
		schedule->graph = graph;
		schedule->order = order;
		schedule->problem.schedule = schedule;
		s.problem = &schedule->problem;
		filled = fill_schedule(&s, options->inplace);
	}
	mp_arena_free(&scratch);
	if (!filled || (mp_lifetime_has_streams(&s) && !bound_timings(&s)))
		return NULL;
	mp_schedule_assert(schedule);
	return schedule;
}
