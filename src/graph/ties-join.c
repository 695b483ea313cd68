/*
 * Numbers of ties: of branches; and ties of several graphs in one, where
 * tensors, steps and choices get new numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "graph/graph.h"

static int by_branch(const void *left, const void *right)
{
	const struct tensor_branch *a = left, *b = right;

	return mp_sort_compare_three(a->choice, b->choice, a->branch, b->branch,
		a->tensor, b->tensor);
}

void mp_graph_ties_sort_branches(struct tensor_branch *branches, uint32_t n)
{
	qsort(branches, n, sizeof(*branches), by_branch);
}

void mp_graph_ties_set_branches(struct ties *ties,
	struct tensor_branch *branches, const struct choice_site *sites,
	uint32_t n_choices)
{
	mp_graph_ties_sort_branches(branches, ties->n_branches);
	ties->branches = branches;
	for (uint32_t i = 0; i < n_choices && !ties->sites; i++)
		if (sites[i].choice != NONE) {
			ties->sites = sites;
			ties->n_sites = n_choices;
		}
}

static bool same_branch(
	const struct tensor_branch *a, const struct tensor_branch *b)
{
	return a->choice == b->choice && a->branch == b->branch;
}

bool mp_graph_ties_number_branches(const struct ties *ties, uint32_t n_tensors,
	uint32_t **number, struct arena *arena)
{
	const struct tensor_branch *at = ties->branches;
	uint32_t n = 0;

	*number = NULL;
	if (ties->n_branches == 0)
		return true;
	*number = NEW(arena, uint32_t, n_tensors);
	for (uint32_t i = 0; *number && i < ties->n_branches; i++) {
		n += i == 0 || !same_branch(&at[i], &at[i - 1]);
		(*number)[at[i].tensor] = n;
	}
	return *number != NULL;
}

static void add_aliases(const struct moved_ties *moved,
	struct tensor_alias *aliases, uint32_t *n)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		struct tensor_alias alias = ties->aliases[i];

		alias.tensor = moved->tensor[alias.tensor];
		alias.of = moved->tensor[alias.of];
		alias.root = moved->tensor[alias.root];
		if (alias.tensor != NONE && alias.of != NONE &&
			alias.root != NONE)
			aliases[(*n)++] = alias;
	}
}

static bool add_group(const struct moved_ties *moved,
	const struct tensor_group *group, struct tensor_group *to,
	struct arena *arena)
{
	uint32_t *list = NEW(arena, uint32_t, group->members.n), n = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < group->members.n; i++)
		if (moved->tensor[group->members.at[i]] != NONE)
			list[n++] = moved->tensor[group->members.at[i]];
	*to = *group;
	to->members = (struct ids){list, n};
	if (group->name && moved->prefix)
		to->name = mp_arena_print(
			arena, "%s/%s", moved->prefix, group->name);
	return !group->name || to->name;
}

static bool add_groups(const struct moved_ties *moved,
	struct tensor_group *groups, uint32_t *n, struct arena *arena)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_groups; i++)
		if (!add_group(moved, &ties->groups[i], &groups[(*n)++], arena))
			return false;
	return true;
}

static void add_gaps(
	const struct moved_ties *moved, struct lifetime_gap *gaps, uint32_t *n)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_gaps; i++) {
		struct lifetime_gap gap = ties->gaps[i];

		gap.tensor = moved->tensor[gap.tensor];
		gap.start += moved->first_step;
		gap.end += moved->first_step;
		if (gap.tensor != NONE)
			gaps[(*n)++] = gap;
	}
}

static void add_apart(
	const struct moved_ties *moved, struct tensor_pair *pairs, uint32_t *n)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_apart; i++) {
		uint32_t a = moved->tensor[ties->apart[i].a];
		uint32_t b = moved->tensor[ties->apart[i].b];

		if (a != NONE && b != NONE)
			pairs[(*n)++] = (struct tensor_pair){a, b};
	}
}

static void add_costs(
	const struct moved_ties *moved, struct reuse_cost *costs, uint32_t *n)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_costs; i++) {
		struct reuse_cost cost = ties->costs[i];

		cost.a = moved->tensor[cost.a];
		cost.b = moved->tensor[cost.b];
		if (cost.a != NONE && cost.b != NONE)
			costs[(*n)++] = cost;
	}
}

/* Each graph chooses for itself. */
static void add_branches(const struct moved_ties *moved, uint32_t first_choice,
	struct tensor_branch *branches, uint32_t *n)
{
	const struct ties *ties = moved->from;

	for (uint32_t i = 0; i < ties->n_branches; i++) {
		struct tensor_branch branch = ties->branches[i];

		branch.choice += first_choice;
		branch.tensor = moved->tensor[branch.tensor];
		if (branch.tensor != NONE)
			branches[(*n)++] = branch;
	}
}

static void add_sites(const struct moved_ties *moved, uint32_t first_choice,
	struct choice_site *sites)
{
	const struct ties *ties = moved->from;
	uint32_t n = mp_graph_ties_choices(ties);

	for (uint32_t i = 0; i < n; i++) {
		struct choice_site site = mp_graph_ties_site(ties, i);

		if (site.choice != NONE)
			site.choice += first_choice;
		sites[first_choice + i] = site;
	}
}

/* Room for those of all graphs, while they are counted again. */
struct tie_lists {
	struct tensor_alias *aliases;
	struct tensor_group *groups;
	struct lifetime_gap *gaps;
	struct tensor_pair *apart;
	struct reuse_cost *costs;
	struct tensor_branch *branches;
	struct choice_site *sites; /* NULL: no choice stands in another */
};

static bool make_room(const struct moved_ties *moved, uint32_t n,
	struct tie_lists *lists, struct arena *arena)
{
	size_t aliases = 0, groups = 0, gaps = 0, apart = 0, costs = 0,
	       branches = 0, choices = 0;
	bool nested = false;

	for (uint32_t i = 0; i < n; i++) {
		const struct ties *ties = moved[i].from;

		aliases += ties->n_aliases;
		groups += ties->n_groups;
		gaps += ties->n_gaps;
		apart += ties->n_apart;
		costs += ties->n_costs;
		branches += ties->n_branches;
		choices += mp_graph_ties_choices(ties);
		nested |= ties->sites != NULL;
	}
	*lists = (struct tie_lists){NEW(arena, struct tensor_alias, aliases),
		NEW(arena, struct tensor_group, groups),
		NEW(arena, struct lifetime_gap, gaps),
		NEW(arena, struct tensor_pair, apart),
		NEW(arena, struct reuse_cost, costs),
		NEW(arena, struct tensor_branch, branches),
		nested ? NEW(arena, struct choice_site, choices) : NULL};
	return lists->aliases && lists->groups && lists->gaps && lists->apart &&
	       lists->costs && lists->branches && (!nested || lists->sites);
}

bool mp_graph_ties_join(const struct moved_ties *moved, uint32_t n,
	struct ties *to, struct arena *arena)
{
	struct tie_lists lists;
	uint32_t n_choices = 0;

	assert(to->n_aliases + to->n_groups + to->n_gaps + to->n_apart +
			to->n_costs + to->n_branches ==
		0);
	if (!make_room(moved, n, &lists, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (!add_groups(&moved[i], lists.groups, &to->n_groups, arena))
			return false;
		add_aliases(&moved[i], lists.aliases, &to->n_aliases);
		add_gaps(&moved[i], lists.gaps, &to->n_gaps);
		add_apart(&moved[i], lists.apart, &to->n_apart);
		add_costs(&moved[i], lists.costs, &to->n_costs);
		add_branches(
			&moved[i], n_choices, lists.branches, &to->n_branches);
		if (lists.sites)
			add_sites(&moved[i], n_choices, lists.sites);
		n_choices += mp_graph_ties_choices(moved[i].from);
	}
	to->aliases = lists.aliases;
	to->groups = lists.groups;
	to->gaps = lists.gaps;
	to->apart = lists.apart;
	to->costs = lists.costs;
	to->branches = lists.branches;
	to->sites = lists.sites;
	to->n_sites = lists.sites ? n_choices : 0;
	return true;
}
