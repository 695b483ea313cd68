/* SPDX-License-Identifier: MIT */
#include "budget/rewrite-ties.h"

struct move {
	const struct ties *from;
	struct ties *to;
	uint32_t n_named, shift;
	struct arena *arena;
};

static uint32_t moved(const struct move *m, uint32_t tensor)
{
	return tensor < m->n_named ? tensor : tensor + m->shift;
}

static bool move_aliases(struct move *m)
{
	uint32_t n = m->from->n_aliases;
	struct tensor_alias *aliases = NEW(m->arena, struct tensor_alias, n);

	for (uint32_t i = 0; aliases && i < n; i++) {
		aliases[i] = m->from->aliases[i];
		aliases[i].tensor = moved(m, aliases[i].tensor);
		aliases[i].of = moved(m, aliases[i].of);
		aliases[i].root = moved(m, aliases[i].root);
	}
	m->to->aliases = aliases;
	m->to->n_aliases = n;
	return aliases != NULL;
}

static bool move_members(struct move *m, struct ids *members)
{
	uint32_t *at = NEW(m->arena, uint32_t, members->n);

	for (uint32_t i = 0; at && i < members->n; i++)
		at[i] = moved(m, members->at[i]);
	members->at = at;
	return at != NULL;
}

static bool move_groups(struct move *m)
{
	uint32_t n = m->from->n_groups;
	struct tensor_group *groups = NEW(m->arena, struct tensor_group, n);

	for (uint32_t i = 0; groups && i < n; i++) {
		groups[i] = m->from->groups[i];
		if (!move_members(m, &groups[i].members))
			return false;
	}
	m->to->groups = groups;
	m->to->n_groups = n;
	return groups != NULL;
}

static bool move_apart(struct move *m)
{
	uint32_t n = m->from->n_apart;
	struct tensor_pair *pairs = NEW(m->arena, struct tensor_pair, n);

	for (uint32_t i = 0; pairs && i < n; i++)
		pairs[i] = (struct tensor_pair){moved(m, m->from->apart[i].a),
			moved(m, m->from->apart[i].b)};
	m->to->apart = pairs;
	m->to->n_apart = n;
	return pairs != NULL;
}

static bool move_branches(struct move *m)
{
	uint32_t n = m->from->n_branches;
	struct tensor_branch *branches = NEW(m->arena, struct tensor_branch, n);

	for (uint32_t i = 0; branches && i < n; i++) {
		branches[i] = m->from->branches[i];
		branches[i].tensor = moved(m, branches[i].tensor);
	}
	m->to->branches = branches;
	m->to->n_branches = n;
	return branches != NULL;
}

bool mp_budget_rewrite_ties(const struct graph *graph, uint32_t n_named,
	uint32_t shift, struct graph *result, struct arena *arena)
{
	struct move m = {&graph->ties, &result->ties, n_named, shift, arena};

	result->ties.reserved = graph->ties.reserved;
	result->ties.n_reserved = graph->ties.n_reserved;
	return move_aliases(&m) && move_groups(&m) && move_apart(&m) &&
	       move_branches(&m);
}
