/*
 * What the parts say of several tensors at once: aliases, groups, gaps, pairs
 * to be apart, branches, reserved bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/inside.h"

static void add_aliases(
	const struct joined *part, struct tensor_alias *aliases, uint32_t *n)
{
	const struct ties *ties = &part->plan->schedule->graph->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		struct tensor_alias alias = ties->aliases[i];

		alias.tensor = part->tensor[alias.tensor];
		alias.of = part->tensor[alias.of];
		alias.root = part->tensor[alias.root];
		if (alias.tensor != NONE && alias.of != NONE &&
			alias.root != NONE)
			aliases[(*n)++] = alias;
	}
}

static bool add_group(const struct join_work *w, const struct joined *part,
	const struct tensor_group *group, struct tensor_group *joined)
{
	uint32_t *members = NEW(w->arena, uint32_t, group->members.n), n = 0;

	if (!members)
		return false;
	for (uint32_t i = 0; i < group->members.n; i++)
		if (part->tensor[group->members.at[i]] != NONE)
			members[n++] = part->tensor[group->members.at[i]];
	*joined = *group;
	joined->members = (struct ids){members, n};
	if (group->name)
		joined->name = mp_bundle_join_name(w, part, group->name);
	return !group->name || joined->name;
}

static bool add_groups(const struct join_work *w, const struct joined *part,
	struct tensor_group *groups, uint32_t *n)
{
	const struct ties *ties = &part->plan->schedule->graph->ties;

	for (uint32_t i = 0; i < ties->n_groups; i++)
		if (!add_group(w, part, &ties->groups[i], &groups[(*n)++]))
			return false;
	return true;
}

static void add_gaps(
	const struct joined *part, struct lifetime_gap *gaps, uint32_t *n)
{
	const struct ties *ties = &part->plan->schedule->graph->ties;

	for (uint32_t i = 0; i < ties->n_gaps; i++) {
		struct lifetime_gap gap = ties->gaps[i];

		gap.tensor = part->tensor[gap.tensor];
		gap.start += part->first_op;
		gap.end += part->first_op;
		if (gap.tensor != NONE)
			gaps[(*n)++] = gap;
	}
}

static void add_apart(
	const struct joined *part, struct tensor_pair *pairs, uint32_t *n)
{
	const struct ties *ties = &part->plan->schedule->graph->ties;

	for (uint32_t i = 0; i < ties->n_apart; i++) {
		uint32_t a = part->tensor[ties->apart[i].a];
		uint32_t b = part->tensor[ties->apart[i].b];

		if (a != NONE && b != NONE)
			pairs[(*n)++] = (struct tensor_pair){a, b};
	}
}

/* Each graph chooses for itself. */
static void add_branches(const struct joined *part,
	struct tensor_branch *branches, uint32_t *n, uint32_t *n_choices)
{
	const struct ties *ties = &part->plan->schedule->graph->ties;
	uint32_t first = *n_choices;

	for (uint32_t i = 0; i < ties->n_branches; i++) {
		struct tensor_branch branch = ties->branches[i];

		branch.choice += first;
		branch.tensor = part->tensor[branch.tensor];
		*n_choices = branch.choice + 1;
		if (branch.tensor != NONE)
			branches[(*n)++] = branch;
	}
}

/* Room for those of all parts, while they are counted again. */
struct tie_lists {
	struct tensor_alias *aliases;
	struct tensor_group *groups;
	struct lifetime_gap *gaps;
	struct tensor_pair *apart;
	struct tensor_branch *branches;
};

static bool make_room(const struct join_work *w, struct tie_lists *lists)
{
	size_t aliases = 0, groups = 0, gaps = 0, apart = 0, branches = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct ties *ties =
			&w->parts[i].plan->schedule->graph->ties;

		aliases += ties->n_aliases;
		groups += ties->n_groups;
		gaps += ties->n_gaps;
		apart += ties->n_apart;
		branches += ties->n_branches;
	}
	*lists = (struct tie_lists){NEW(w->arena, struct tensor_alias, aliases),
		NEW(w->arena, struct tensor_group, groups),
		NEW(w->arena, struct lifetime_gap, gaps),
		NEW(w->arena, struct tensor_pair, apart),
		NEW(w->arena, struct tensor_branch, branches)};
	return lists->aliases && lists->groups && lists->gaps && lists->apart &&
	       lists->branches;
}

bool mp_bundle_join_ties(struct join_work *w)
{
	struct ties *all = &w->graph->ties;
	struct tie_lists lists;
	uint32_t n_choices = 0;

	if (!make_room(w, &lists))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct joined *part = &w->parts[i];

		if (!add_groups(w, part, lists.groups, &all->n_groups))
			return false;
		add_aliases(part, lists.aliases, &all->n_aliases);
		add_gaps(part, lists.gaps, &all->n_gaps);
		add_apart(part, lists.apart, &all->n_apart);
		add_branches(
			part, lists.branches, &all->n_branches, &n_choices);
	}
	all->aliases = lists.aliases;
	all->groups = lists.groups;
	all->gaps = lists.gaps;
	all->apart = lists.apart;
	all->branches = lists.branches;
	return mp_bundle_join_reserve(
		w->parts, w->n, w->graph, w->arena, w->error);
}
