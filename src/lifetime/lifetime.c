/*
 * The stage as a whole: when tensors live, which of them share bytes, what that
 * makes of buffers and parts, and what people want to know besides.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/lifetime.h"

#include "graph/io-policy.h"
#include "lifetime/inside.h"
#include "lifetime/pool-lists.h"
#include "problem/antichain.h"

/* ----------------------------------------------------------- labels */

/* A plan that was read has the policy, and the lifetime that came of it. */
static bool is_throughout(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];
	uint8_t policy = POLICY_INSIDE;

	if (tensor->kind == KIND_INPUT)
		policy = s->graph->inputs;
	else if (tensor->kind == KIND_OUTPUT)
		policy = s->graph->outputs;
	return (tensor->from_start && tensor->to_end) ||
	       (policy == POLICY_THROUGHOUT && s->span[t].start == 0 &&
		       s->span[t].end == s->n_steps);
}

static struct item item_of(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];
	struct item item = {0};

	item.id = tensor->id;
	item.name = tensor->name;
	item.row = tensor->row;
	item.size = tensor->size;
	item.align = tensor->align;
	item.buffer = NONE;
	item.start = s->span[t].start;
	item.end = s->span[t].end;
	item.producer = tensor->producer;
	item.kind = tensor->kind; /* the two enums agree, see below */
	item.id_is_number = tensor->id_is_number;
	item.external = tensor->external;
	item.throughout = is_throughout(s, t);
	return item;
}

_Static_assert((int)KIND_ACTIVATION == (int)ITEM_ACTIVATION &&
		       (int)KIND_INPUT == (int)ITEM_INPUT &&
		       (int)KIND_OUTPUT == (int)ITEM_OUTPUT &&
		       (int)KIND_WEIGHT == (int)ITEM_WEIGHT &&
		       (int)KIND_STATE == (int)ITEM_STATE &&
		       (int)KIND_TEMPORARY == (int)ITEM_TEMPORARY,
	"kinds of tensors and items agree");

static bool fill_items(struct sharing *s)
{
	struct problem *p = s->problem;

	p->n_items = s->graph->n_tensors;
	p->items = NEW(s->arena, struct item, p->n_items);
	if (!p->items)
		return false;
	for (uint32_t t = 0; t < p->n_items; t++)
		p->items[t] = item_of(s, t);
	return true;
}

static struct step step_of(const struct op *op)
{
	struct step step = {0};

	step.name = op->name;
	step.type = op->type;
	step.inputs = op->inputs.at;
	step.n_inputs = op->inputs.n;
	step.outputs = op->outputs.at;
	step.n_outputs = op->outputs.n;
	step.temporaries = op->temporaries.at;
	step.n_temporaries = op->temporaries.n;
	step.release = op->release.at;
	step.n_release = op->release.n;
	step.after = op->before.at;
	step.n_after = op->before.n;
	step.stream = op->stream;
	step.cost_us = op->cost_us;
	return step;
}

static bool fill_steps(struct sharing *s)
{
	struct problem *p = s->problem;

	p->n_ops = s->graph->n_ops;
	p->ops = NEW(s->arena, struct step, p->n_ops);
	if (!p->ops)
		return false;
	for (uint32_t op = 0; op < p->n_ops; op++)
		p->ops[op] = step_of(&s->graph->ops[op]);
	p->order = s->order;
	for (uint32_t i = 0; i < p->n_ops; i++)
		p->reordered |= s->order[i] != i;
	return true;
}

static const char *policy_name(uint8_t policy)
{
	return policy == POLICY_INSIDE ? NULL : mp_graph_policy_name(policy);
}

static void fill_labels(struct sharing *s)
{
	const struct graph *graph = s->graph;
	struct problem *p = s->problem;

	p->name = graph->name;
	p->alignment = graph->alignment;
	p->margins = graph->margins;
	p->n_steps = s->n_steps;
	p->n_streams = 1;
	p->times = graph->times;
	p->bundle = graph->bundle;
	p->ties = graph->ties;
	p->waits = graph->waits;
	p->n_waits = graph->n_waits;
	p->inputs = policy_name(graph->inputs);
	p->outputs = policy_name(graph->outputs);
	p->csv_header = graph->csv_header;
	p->claimed_planner = graph->claims.planner;
	p->claimed_bound = graph->claims.lower_bound;
	p->claimed_bound_kind = graph->claims.bound_kind;
}

/* ------------------------------------------------------------ stage */

static bool prepare(struct sharing *s)
{
	uint32_t n = s->graph->n_tensors;

	s->n_steps = s->graph->n_ops ? s->graph->n_ops : s->graph->n_steps;
	if (s->n_steps == 0 && n > 0)
		s->n_steps = 1;
	s->position = NEW(s->scratch, uint32_t, s->graph->n_ops);
	s->span = NEW(s->scratch, struct span, n);
	s->heir = NEW(s->scratch, uint32_t, n);
	s->follows = NEW(s->scratch, bool, n);
	if (!s->position || !s->span || !s->heir || !s->follows)
		return false;
	for (uint32_t t = 0; t < n; t++)
		s->heir[t] = NONE;
	return !mp_lifetime_has_streams(s) ||
	       mp_lifetime_streams_init(
		       &s->streams, s->graph, s->order, s->scratch);
}

/* Loads are those of the listed order; the least arena is that of any timing.
 * Where only one branch of a choice runs, that is no antichain's weight, and
 * the listed order has to do. */
static bool spread_streams(struct sharing *s)
{
	return mp_lifetime_streams_fill(
		       &s->streams, &s->holders, s->problem, s->arena) &&
	       (s->problem->choice ||
		       mp_problem_antichain(s->problem, s->arena, s->error));
}

static bool fill_problem(struct sharing *s, bool inplace)
{
	if (!prepare(s) || !mp_lifetime_spans_find(s) ||
		!mp_lifetime_unite(s) ||
		!mp_lifetime_share_in_place(s, inplace))
		return false;
	fill_labels(s);
	return fill_items(s) && mp_lifetime_parts_fill(s) &&
	       mp_lifetime_relations_fill(s) && fill_steps(s) &&
	       mp_lifetime_pool_lists_fill(
		       s->graph, s->problem, s->arena, s->error) &&
	       mp_problem_measure(s->problem, s->arena, s->error) &&
	       (!mp_lifetime_has_streams(s) || spread_streams(s));
}

bool mp_lifetime(const struct graph *graph, const uint32_t *order,
	const struct lifetime_options *options, struct problem *problem,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct sharing s = {.graph = graph,
		.order = order,
		.problem = problem,
		.arena = arena,
		.scratch = &scratch,
		.error = e};
	bool filled;

	*problem = (struct problem){0};
	filled = fill_problem(&s, options->inplace);
	mp_arena_free(&scratch);
	return filled;
}
