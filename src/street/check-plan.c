/*
 * Checks a plan: the street with the offsets that the plan has, and then what
 * the plan says of itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include "bundle/member.h"
#include "graph/adopt-plan.h"
#include "graph/io-policy.h"
#include "order/search/certify.h"

static bool check_pool(
	memplan *m, uint32_t i, const char *key, uint64_t claim, uint64_t have)
{
	return claim == have ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: /pools/%u/%s: claims %llu, what lies in pool "
		       "'%.60s' gives %llu",
		       m->problem.name, i, key, (unsigned long long)claim,
		       m->plan.spaces.at[i].name, (unsigned long long)have);
}

static bool check_pools(memplan *m)
{
	const struct pool_claim *claims = m->graph.claims.pools;

	for (uint32_t i = 0; claims && i < m->plan.spaces.n; i++) {
		const struct space *space = &m->plan.spaces.at[i];

		if (!check_pool(m, i, "arena_size", claims[i].arena_size,
			    space->size) ||
			!check_pool(m, i, "theoretical_min",
				claims[i].theoretical_min,
				space->theoretical_min))
			return false;
		if (claims[i].lower_bound > space->size)
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /pools/%u/lower_bound: claims %llu, yet "
				"pool '%.60s' takes %llu",
				m->problem.name, i,
				(unsigned long long)claims[i].lower_bound,
				space->name, (unsigned long long)space->size);
	}
	return true;
}

/* What a plan file says of itself must be what follows from it. */
static bool check_claims(memplan *m)
{
	const struct claims *claims = &m->graph.claims;

	if (!claims->present)
		return true;
	if (!check_pools(m))
		return false;
	if (claims->arena_size != m->plan.arena_size)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /arena_size: claims %llu, the offsets reach %llu",
			m->problem.name, (unsigned long long)claims->arena_size,
			(unsigned long long)m->plan.arena_size);
	if (claims->theoretical_min != m->problem.theoretical_min)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /theoretical_min: claims %llu, the lifetimes give "
			"%llu",
			m->problem.name,
			(unsigned long long)claims->theoretical_min,
			(unsigned long long)m->problem.theoretical_min);
	if (claims->lower_bound > m->plan.arena_size)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /lower_bound: claims %llu, yet this plan takes "
			"%llu",
			m->problem.name,
			(unsigned long long)claims->lower_bound,
			(unsigned long long)m->plan.arena_size);
	return true;
}

static bool is_equal(const struct extent *a, const struct extent *b)
{
	return a->base == b->base && a->size == b->size;
}

/* Likewise of the graphs of a bundle. */
static bool check_members(memplan *m)
{
	const struct bundle *bundle = &m->problem.bundle;
	struct extent shared, kept;

	for (uint32_t i = 0; i < bundle->n; i++) {
		const struct bundle_member *member = &bundle->members[i];

		mp_plan_regions(&m->plan, i, &shared, &kept);
		if (member->claimed && (!is_equal(&member->shared, &shared) ||
					       !is_equal(&member->kept, &kept)))
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /graphs/%u: what it says of the bytes of "
				"'%.80s' is not where its tensors are",
				m->problem.name, i, member->name);
	}
	return true;
}

static bool check(memplan *m)
{
	mp_street_options_set(&m->options, "planner", "given", &m->error);
	return mp_street_walk(m) && check_claims(m) && check_members(m);
}

enum memplan_status memplan_check(memplan *m)
{
	mp_street_begin(m);
	check(m);
	return mp_street_end(m);
}

enum memplan_status memplan_take(memplan *m)
{
	mp_street_begin(m);
	m->unverified = true;
	if (mp_street_options_set(&m->options, "planner", "given", &m->error))
		mp_street_walk(m);
	return mp_street_end(m);
}

/* No order of this graph may do better than what is claimed of all of them. */
static bool check_order_bound(memplan *m)
{
	const struct problem *p = &m->problem;

	if (!p->order_bound_claimed || p->order_bound <= p->theoretical_min ||
		p->order_bound_inplace != m->options.inplace)
		return true;
	return mp_fail(&m->error, MEMPLAN_NO,
		"%s: /order/bound/bytes: claims %llu for every order, this one "
		"needs %llu",
		p->name, (unsigned long long)p->order_bound,
		(unsigned long long)p->theoretical_min);
}

/* Where the plan says that inputs and outputs are, there they are. Of several
 * graphs it does not say so for all alike. */
static void take_policies(memplan *graph, const memplan *plan)
{
	if (!plan->graph.claims.present)
		return;
	if (graph->options.inputs == N_POLICIES)
		graph->options.inputs = plan->graph.inputs;
	if (graph->options.outputs == N_POLICIES)
		graph->options.outputs = plan->graph.outputs;
}

/* The graph's own lifetimes, and its offsets in the arena of all. What the plan
 * says of the bundle is not about this graph alone. */
static bool check_member(memplan *graph, const struct graph *bundle)
{
	struct graph member;

	if (!mp_street_read(graph) ||
		!mp_bundle_member(bundle, graph->graph.name, &member,
			&graph->arena, &graph->error))
		return false;
	if (graph->graph.n_ops == 0)
		member.claims.ops.n = 0;
	return mp_graph_adopt(
		       &graph->graph, &member, &graph->arena, &graph->error) &&
	       check(graph) &&
	       mp_bundle_check_kept(bundle, &member, &graph->problem,
		       &graph->arena, &graph->error);
}

/* The flows behind the bound of all orders are made again from the graph, and
 * checked by a part that trusts none of it. The graph's tensors are gone once
 * the plan is walked through, so this comes first. */
static bool check_against(memplan *graph, memplan *plan)
{
	bool confirmed = false;

	if (!mp_street_read(plan))
		return mp_fail(&graph->error, plan->error.code, "%s",
			plan->error.text);
	if (plan->graph.bundle.n > 0)
		return check_member(graph, &plan->graph);
	take_policies(graph, plan);
	if (!mp_street_read(graph) ||
		!mp_graph_adopt(&graph->graph, &plan->graph, &graph->arena,
			&graph->error) ||
		!mp_order_certify_claim(&graph->graph,
			&graph->graph.claims.order_bound, &confirmed,
			&graph->arena, &graph->error) ||
		!check(graph) || !check_order_bound(graph))
		return false;
	graph->problem.order_bound_confirmed = confirmed;
	return true;
}

enum memplan_status memplan_check_against(memplan *graph, memplan *plan)
{
	mp_street_begin(graph);
	mp_street_call(plan);
	check_against(graph, plan);
	return mp_street_end(graph);
}
