/*
 * Relations of tensors become relations of buffers: which two are to be apart,
 * what it costs if two share bytes, which are of exclusive branches, and which
 * pools may hold them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

/* ------------------------------------------------------------ apart */

static bool contradicts(const struct sharing *s, const struct tensor_pair *p)
{
	return mp_graph_fail(s->graph, THING_TENSOR, p->a, s->error,
		MEMPLAN_EINPUT,
		"tensors '%.80s' and '%.80s' are to be apart, but are bytes of "
		"one buffer",
		mp_graph_tensor_label(&s->graph->tensors[p->a]),
		mp_graph_tensor_label(&s->graph->tensors[p->b]));
}

/* Do two tensors of one buffer share a byte? Members of a group do not, nor do
 * neighbouring slices. */
static bool share_bytes(const struct sharing *s, uint32_t a, uint32_t b)
{
	const struct tensor *tensors = s->graph->tensors;
	uint64_t low = s->stay[a].base, other = s->stay[b].base;

	return low < other + tensors[b].size && other < low + tensors[a].size;
}

/* An output never takes over from a tensor that it is to be apart from, so two
 * tensors of one buffer are tied by the input. */
static bool list_pairs(
	const struct sharing *s, struct tensor_pair *pairs, uint32_t *n)
{
	const struct ties *ties = &s->graph->ties;

	*n = 0;
	for (uint32_t i = 0; i < ties->n_apart; i++) {
		const struct tensor_pair *pair = &ties->apart[i];
		uint32_t a = s->stay[pair->a].buffer;
		uint32_t b = s->stay[pair->b].buffer;

		if (a == b && a != NONE && share_bytes(s, pair->a, pair->b))
			return contradicts(s, pair);
		if (a == NONE || b == NONE || a == b)
			continue;
		pairs[(*n)++] = (struct tensor_pair){a, b};
	}
	return true;
}

static bool fill_apart(struct sharing *s)
{
	uint32_t n = s->graph->ties.n_apart;
	struct tensor_pair *pairs = NEW(s->scratch, struct tensor_pair, n);

	return pairs && list_pairs(s, pairs, &n) &&
	       mp_problem_keep_apart(
		       s->problem, pairs, n, s->arena, s->scratch);
}

/* ------------------------------------------------------------ costs */

/* Of tensors of one buffer it is decided whether they share bytes. */
static bool fill_costs(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;
	const struct tensor *tensors = s->graph->tensors;
	struct costly_pair *pairs =
		NEW(s->arena, struct costly_pair, ties->n_costs);

	s->problem->costs = pairs;
	for (uint32_t i = 0; pairs && i < ties->n_costs; i++) {
		const struct reuse_cost *c = &ties->costs[i];
		bool turned = s->stay[c->a].buffer > s->stay[c->b].buffer;
		uint32_t first = turned ? c->b : c->a;
		uint32_t second = turned ? c->a : c->b;
		const struct stay *a = &s->stay[first], *b = &s->stay[second];
		int64_t base = (int64_t)b->base - (int64_t)a->base;

		/* The highest number is that of no buffer. */
		if (b->buffer == NONE || a->buffer == b->buffer || c->cost == 0)
			continue;
		pairs[s->problem->n_costs++] =
			(struct costly_pair){.a = a->buffer,
				.b = b->buffer,
				.below = (int64_t)tensors[first].size - base,
				.above = (int64_t)tensors[second].size + base,
				.cost = c->cost};
	}
	return pairs != NULL;
}

/* --------------------------------------------------------- branches */

/* of has the branch of each tensor, 1 + its index, or 0. */
static struct choice_site site_of(
	const struct sharing *s, const uint32_t *of, uint32_t tensor)
{
	const struct tensor_branch *branch;

	if (of[tensor] == 0)
		return (struct choice_site){NONE, 0};
	branch = &s->graph->ties.branches[of[tensor] - 1];
	return (struct choice_site){branch->choice, branch->branch};
}

/* A buffer is of a branch if all of its tensors are. */
static void choose(struct sharing *s, const uint32_t *of, uint32_t *choice,
	uint32_t *branch)
{
	struct problem *p = s->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		choice[i] = branch[i] = NONE;
	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		struct choice_site site = site_of(s, of, t);
		uint32_t buffer = s->stay[t].buffer;

		if (buffer == NONE || s->follows[t])
			continue;
		choice[buffer] = site.choice;
		branch[buffer] = site.branch;
	}
	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		struct choice_site site = site_of(s, of, t);
		uint32_t buffer = s->stay[t].buffer;

		if (buffer == NONE)
			continue;
		site = mp_problem_common(p, site,
			(struct choice_site){choice[buffer], branch[buffer]});
		choice[buffer] = site.choice;
		branch[buffer] = site.branch;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (choice[i] != NONE) {
			p->choice = choice;
			p->branch = branch;
			p->n_choices =
				(uint32_t)num_max(p->n_choices, choice[i] + 1);
		}
}

static bool fill_branches(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;
	uint32_t *choice = NEW(s->arena, uint32_t, s->problem->n_buffers);
	uint32_t *branch = NEW(s->arena, uint32_t, s->problem->n_buffers);
	uint32_t *of = NEW(s->scratch, uint32_t, s->graph->n_tensors);

	if (!choice || !branch || !of)
		return false;
	for (uint32_t i = 0; i < ties->n_branches; i++)
		if (!mp_schedule_outlives(
			    s->schedule, ties->branches[i].tensor))
			of[ties->branches[i].tensor] = i + 1;
	s->problem->sites = ties->sites;
	choose(s, of, choice, branch);
	return true;
}

/* ------------------------------------------------------------ pools */

/* Tensors of one buffer that name pools must name the same. */
static bool join_pools(struct sharing *s, uint32_t t, uint32_t *first)
{
	const struct graph *graph = s->graph;
	uint32_t buffer = s->stay[t].buffer;
	uint16_t *list = &s->problem->pool_list[buffer];
	uint16_t own = graph->tensors[t].pools;

	if (*list == 0) {
		*list = own;
		first[buffer] = t;
	}
	return own == 0 || own == *list ||
	       mp_graph_fail(graph, THING_TENSOR, t, s->error, MEMPLAN_EINPUT,
		       "tensors '%.80s' and '%.80s' are of one buffer, but "
		       "name different pools",
		       mp_graph_tensor_label(&graph->tensors[t]),
		       mp_graph_tensor_label(&graph->tensors[first[buffer]]));
}

/* The pools that may hold a buffer are those of its tensors. */
static bool fill_pools(struct sharing *s)
{
	const struct graph *graph = s->graph;
	struct problem *p = s->problem;
	uint32_t *first = NEW(s->scratch, uint32_t, p->n_buffers);

	p->pools = graph->pools;
	p->n_pools = graph->n_pools;
	p->pool_lists = graph->pool_lists;
	p->pool_list = NEW(s->arena, uint16_t, p->n_buffers);
	if (!first || !p->pool_list)
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (s->stay[t].buffer != NONE && !join_pools(s, t, first))
			return false;
	for (uint32_t i = 0; i < graph->ties.n_reserved; i++)
		p->pool_list[p->first_reserved + i] =
			graph->ties.reserved[i].pools;
	return true;
}

bool mp_lifetime_relations_fill(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	return (ties->n_apart == 0 || fill_apart(s)) &&
	       (ties->n_costs == 0 || fill_costs(s)) &&
	       (ties->n_branches == 0 || fill_branches(s)) &&
	       (s->graph->n_pools == 0 || fill_pools(s)) &&
	       mp_lifetime_bank_costs_fill(s);
}
