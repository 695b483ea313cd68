/*
 * Checks the plan of a bundle against all of its graphs: each graph runs on its
 * places, then they are joined where they lie, and the plan must say what the
 * joined graphs say.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "base/sink-text.h"
#include "bundle/bundle.h"

static const struct bundle_member *find_member(
	const struct graph *bundle, const char *name)
{
	for (uint32_t i = 0; i < bundle->bundle.n; i++)
		if (strcmp(bundle->bundle.members[i].name, name) == 0)
			return &bundle->bundle.members[i];
	return NULL;
}

/* Each graph of the plan is joined once, and nothing else is. */
static bool check_names(memplan *m, const struct graph *bundle)
{
	const struct joined_handle *h = m->joined;

	if (bundle->bundle.n == 0)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: is a plan of one graph, to be checked with %u",
			bundle->place, m->n_joined);
	while (h && find_member(bundle, h->name))
		h = h->next;
	if (h)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: none of its graphs is called '%.80s'",
			bundle->place, h->name);
	return m->n_joined == bundle->bundle.n ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: has %u graph%s, to be checked with %u",
		       bundle->place, bundle->bundle.n,
		       mp_text_plural(bundle->bundle.n), m->n_joined);
}

/* Where inputs and outputs are is each graph's to say. */
static bool check_policies(memplan *m, const struct graph *bundle)
{
	return (bundle->inputs == POLICY_INSIDE &&
		       bundle->outputs == POLICY_INSIDE) ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: /%s: says '%s', which is not of a plan of several "
		       "graphs",
		       bundle->place,
		       bundle->inputs == POLICY_INSIDE ? "outputs" : "inputs",
		       mp_graph_policy_name(bundle->inputs == POLICY_INSIDE
						    ? bundle->outputs
						    : bundle->inputs));
}

/* An error of a member is the error of the bundle. */
static bool check_member(
	memplan *m, const struct joined_handle *h, const struct graph *bundle)
{
	memplan *member = h->member;
	struct run run;

	if (h->has_plan)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"only what was read can be checked");
	run = mp_street_member_run(m, member,
		bundle->bundle.concurrent ? TOGETHER_CONCURRENT
					  : TOGETHER_SERIAL);
	if (mp_street_load(member, &run) &&
		mp_street_check_member(member, &run, bundle, h->name))
		return true;
	mp_street_end(member);
	return mp_street_fail_like(m, member);
}

/* The joined graph has the claims of the plan, but an order of its own. */
static void take_claims(struct graph *joined, const struct claims *plan)
{
	const struct claims own = joined->claims;

	joined->claims = *plan;
	joined->claims.planner = own.planner;
	joined->claims.order = own.order;
	joined->claims.ops = own.ops;
	joined->claims.order_bound = own.order_bound;
	joined->claims.cut_short = own.cut_short;
}

static bool check_whole(memplan *m, const struct graph *bundle)
{
	struct run run = mp_street_run(m);
	struct layout *layout = mp_street_join(m, bundle);
	struct bundle_member *members;

	if (!layout)
		return false;
	members = mp_arena_copy(&m->run, bundle->bundle.members,
		bundle->bundle.n, sizeof(*members));
	if (!members)
		return false;
	for (uint32_t i = 0; i < bundle->bundle.n; i++) {
		members[i].n_ops = layout->graph.bundle.members[i].n_ops;
		members[i].n_tensors =
			layout->graph.bundle.members[i].n_tensors;
	}
	layout->graph.bundle.members = members;
	take_claims(&layout->graph, &bundle->claims);
	run.order = mp_order_find("keep");
	run.planner = mp_planner_find("given");
	run.judges = true;
	run.graph = &layout->graph;
	return mp_street_walk(m, &run) && mp_street_check_claims(m) &&
	       mp_street_check_members(m);
}

/* ------------------------------------------------------------ stage */

bool mp_street_check_joined(memplan *m, memplan *plan)
{
	struct run given = mp_street_run(plan);

	if (!mp_street_check_joins(m))
		return false;
	if (!mp_street_load(plan, &given))
		return mp_street_fail_like(m, plan);
	if (given.graph->n_buckets > 0)
		return mp_street_check_table(m, plan, given.graph);
	if (!check_names(m, given.graph) || !check_policies(m, given.graph))
		return false;
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		if (!check_member(m, h, given.graph))
			return false;
	return check_whole(m, given.graph) && mp_street_check_same(m, plan);
}
