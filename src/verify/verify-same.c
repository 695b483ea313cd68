/*
 * Tensors of several graphs that a plan says lie at the same offset. They may
 * be alive at once only if their graphs keep them: then they are one memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

struct same_check {
	const struct plan *plan;
	const struct graph *graph;
	const uint32_t *member; /* of a tensor */
	const bool *written;	/* of a tensor */
	uint32_t set;
	enum memplan_status code;
	struct error *error;
};

static bool complain(const struct same_check *c, uint32_t t, const char *what)
{
	return mp_fail(c->error, c->code,
		"%s: /same_offsets/%u: tensor '%.80s' %s", c->graph->name,
		c->set, mp_graph_tensor_label(&c->graph->tensors[t]), what);
}

/* Of each tensor, the graph of the bundle that has it; NONE: none has. */
static const uint32_t *list_members(
	const struct graph *graph, struct arena *arena)
{
	uint32_t *member = NEW(arena, uint32_t, graph->n_tensors), t = 0;

	for (uint32_t i = 0; member && i < graph->bundle.n; i++)
		for (uint32_t k = 0; k < graph->bundle.members[i].n_tensors;
			k++)
			member[t++] = i;
	while (member && t < graph->n_tensors)
		member[t++] = NONE;
	return member;
}

/* Of each tensor: does an op write any of its bytes? */
static const bool *list_written(const struct graph *graph, struct arena *arena)
{
	bool *written = NEW(arena, bool, graph->n_tensors);
	const struct tensor_alias *alias = graph->ties.aliases;

	for (uint32_t t = 0; written && t < graph->n_tensors; t++)
		written[t] = graph->tensors[t].producer != NONE;
	for (uint32_t i = 0; written && i < graph->ties.n_aliases; i++)
		written[alias[i].root] |= alias[i].writes;
	return written;
}

static bool is_kept(const struct same_check *c, const struct tensor *tensor)
{
	return mp_graph_tensor_from_start(tensor) &&
	       mp_graph_tensor_to_end(tensor) && tensor->start == 0 &&
	       tensor->end == c->plan->problem->n_steps;
}

/* Graphs run in turn: what is over before the next one begins is over for all
 * that follow. On several streams steps do not say what is over. */
static bool check_pair(const struct same_check *c, uint32_t a, uint32_t b)
{
	const struct tensor *one = &c->graph->tensors[a];
	const struct tensor *two = &c->graph->tensors[b];

	if (mp_plan_offset(c->plan, a) != mp_plan_offset(c->plan, b) ||
		mp_plan_space(c->plan, a) != mp_plan_space(c->plan, b))
		return complain(c, b, "lies elsewhere than the one before");
	if (!one->pinned || !two->pinned)
		return complain(c, b, "has no lifetime");
	if (is_kept(c, one) && is_kept(c, two))
		return true;
	return (c->graph->n_streams <= 1 && one->end <= two->start) ||
	       complain(c, b, "is alive at once with another of them");
}

static bool check_set(struct same_check *c, const struct ids *set)
{
	uint32_t before = NONE;

	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t t = set->at[i], member = c->member[t];

		if (c->plan->schedule->stay[t].buffer == NONE)
			return complain(c, t, "takes no bytes");
		if (member == NONE || (before != NONE && member <= before))
			return complain(c, t, "is not of a graph further on");
		if (c->graph->bundle.concurrent && c->written[t])
			return complain(c, t,
				"is written while another graph may read it");
		before = member;
		if (i > 0 && !check_pair(c, set->at[i - 1], t))
			return false;
	}
	return true;
}

bool mp_verify_same(const struct plan *plan, enum memplan_status code,
	struct arena *scratch, struct error *e)
{
	const struct graph *graph = plan->schedule->graph;
	struct arena_mark mark = mp_arena_mark(scratch);
	struct same_check c = {
		.plan = plan, .graph = graph, .code = code, .error = e};
	bool holds;

	if (graph->ties.n_same == 0)
		return true;
	c.member = list_members(graph, scratch);
	c.written = list_written(graph, scratch);
	holds = c.member && c.written;
	for (; holds && c.set < graph->ties.n_same; c.set++)
		holds = check_set(&c, &graph->ties.same[c.set]);
	mp_arena_rewind(scratch, mark);
	return holds;
}
