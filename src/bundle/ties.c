/*
 * What the parts say of several tensors at once: aliases, groups, gaps.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/work.h"

static void add_aliases(
	const struct joined *part, struct tensor_alias *aliases, uint32_t *n)
{
	const struct ties *ties = &part->plan->problem->ties;

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
		joined->name = mp_join_name(w, part, group->name);
	return !group->name || joined->name;
}

static bool add_groups(const struct join_work *w, const struct joined *part,
	struct tensor_group *groups, uint32_t *n)
{
	const struct ties *ties = &part->plan->problem->ties;

	for (uint32_t i = 0; i < ties->n_groups; i++)
		if (!add_group(w, part, &ties->groups[i], &groups[(*n)++]))
			return false;
	return true;
}

static void add_gaps(
	const struct joined *part, struct lifetime_gap *gaps, uint32_t *n)
{
	const struct ties *ties = &part->plan->problem->ties;

	for (uint32_t i = 0; i < ties->n_gaps; i++) {
		struct lifetime_gap gap = ties->gaps[i];

		gap.tensor = part->tensor[gap.tensor];
		gap.start += part->first_op;
		gap.end += part->first_op;
		if (gap.tensor != NONE)
			gaps[(*n)++] = gap;
	}
}

/* Among streams nobody can count on the steps of a gap, but the plan of a graph
 * on one stream has. */
static bool check_gaps(const struct join_work *w, const struct joined *part)
{
	const struct problem *p = part->plan->problem;

	return w->n_streams <= 1 || p->n_streams > 1 || p->ties.n_gaps == 0 ||
	       mp_fail(w->error, MEMPLAN_EINPUT,
		       "%s: lifetimes with gaps go with graphs in turn on one "
		       "stream only",
		       part->place);
}

static bool check_relations(
	const struct join_work *w, const struct joined *part)
{
	const struct ties *ties = &part->plan->problem->ties;

	return ties->n_apart + ties->n_reserved + ties->n_branches == 0 ||
	       mp_fail(w->error, MEMPLAN_EINPUT,
		       "%s: a graph with reserved bytes, branches or pairs "
		       "kept apart does not go with others yet",
		       part->place);
}

bool mp_join_ties(struct join_work *w)
{
	struct ties *all = &w->graph->ties;
	struct tensor_alias *aliases;
	struct tensor_group *groups;
	struct lifetime_gap *gaps;
	size_t n_aliases = 0, n_groups = 0, n_gaps = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct ties *ties = &w->parts[i].plan->problem->ties;

		if (!check_relations(w, &w->parts[i]) ||
			!check_gaps(w, &w->parts[i]))
			return false;
		n_aliases += ties->n_aliases;
		n_groups += ties->n_groups;
		n_gaps += ties->n_gaps;
	}
	aliases = NEW(w->arena, struct tensor_alias, n_aliases);
	groups = NEW(w->arena, struct tensor_group, n_groups);
	gaps = NEW(w->arena, struct lifetime_gap, n_gaps);
	if (!aliases || !groups || !gaps)
		return false;
	all->aliases = aliases;
	all->groups = groups;
	all->gaps = gaps;
	for (uint32_t i = 0; i < w->n; i++) {
		add_aliases(&w->parts[i], aliases, &all->n_aliases);
		if (!add_groups(w, &w->parts[i], groups, &all->n_groups))
			return false;
		add_gaps(&w->parts[i], gaps, &all->n_gaps);
	}
	return true;
}
