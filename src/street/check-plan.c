/*
 * Checks a plan: the street with the offsets that the plan has, and then what
 * the plan says of itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

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
		       m->graph.name, i, key, (unsigned long long)claim,
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
				m->graph.name, i,
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
			m->graph.name, (unsigned long long)claims->arena_size,
			(unsigned long long)m->plan.arena_size);
	if (claims->theoretical_min != m->plan.problem->theoretical_min)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /theoretical_min: claims %llu, the lifetimes give "
			"%llu",
			m->graph.name,
			(unsigned long long)claims->theoretical_min,
			(unsigned long long)m->plan.problem->theoretical_min);
	if (claims->lower_bound > m->plan.arena_size)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: /lower_bound: claims %llu, yet this plan takes "
			"%llu",
			m->graph.name, (unsigned long long)claims->lower_bound,
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
	const struct bundle *bundle = &m->plan.schedule->graph->bundle;
	struct extent shared, kept;

	for (uint32_t i = 0; i < bundle->n; i++) {
		const struct bundle_member *member = &bundle->members[i];

		mp_plan_regions(&m->plan, i, &shared, &kept);
		if (member->claimed && (!is_equal(&member->shared, &shared) ||
					       !is_equal(&member->kept, &kept)))
			return mp_fail(&m->error, MEMPLAN_NO,
				"%s: /graphs/%u: what it says of the bytes of "
				"'%.80s' is not where its tensors are",
				m->graph.name, i, member->name);
	}
	return true;
}

static bool walk_as_given(memplan *m)
{
	bool done;

	m->as_given = true;
	done = mp_street_walk(m);
	m->as_given = false;
	return done;
}

static bool check(memplan *m)
{
	m->unverified = false;
	return walk_as_given(m) && check_claims(m) && check_members(m);
}

enum memplan_status memplan_check(memplan *m)
{
	if (m->error.code == MEMPLAN_OK)
		check(m);
	return m->error.code;
}

enum memplan_status memplan_take(memplan *m)
{
	m->unverified = true;
	if (m->error.code == MEMPLAN_OK)
		walk_as_given(m);
	return m->error.code;
}

/* No order of this graph may do better than what is claimed of all of them. */
static bool check_order_bound(memplan *m)
{
	const struct schedule *s = m->plan.schedule;

	if (!s->order_bound_claimed ||
		s->order_bound.bytes <= s->problem.theoretical_min ||
		s->order_bound.inplace != m->options.inplace)
		return true;
	return mp_fail(&m->error, MEMPLAN_NO,
		"%s: /order/bound/bytes: claims %llu for every order, this one "
		"needs %llu",
		m->graph.name, (unsigned long long)s->order_bound.bytes,
		(unsigned long long)s->problem.theoretical_min);
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

/* The graph takes over what the plan says of it: with tensors of its own, so
 * that those that were read stay as they are. */
static bool adopt(memplan *m, const struct graph *plan)
{
	struct graph *graph = &m->graph;
	struct tensor *own = NEW(&m->arena, struct tensor, graph->n_tensors);

	if (!own)
		return false;
	if (graph->n_tensors > 0)
		memcpy(own, graph->tensors, sizeof(*own) * graph->n_tensors);
	graph->tensors = own;
	return mp_graph_adopt(graph, plan, &m->arena, &m->error);
}

/* The graph's own lifetimes, and its offsets in the arena of all. What the plan
 * says of the bundle is not about this graph alone. */
static bool check_member(memplan *graph, const struct graph *bundle)
{
	struct graph member;

	if (!mp_bundle_member(bundle, graph->graph.name, &member, &graph->arena,
		    &graph->error))
		return false;
	if (graph->graph.n_ops == 0)
		member.claims.ops.n = 0;
	return adopt(graph, &member) && check(graph) &&
	       mp_bundle_check_kept(bundle, &member, graph->plan.schedule,
		       &graph->arena, &graph->error);
}

/* The flows behind the bound of all orders are made again from the graph, and
 * checked by a part that trusts none of it. */
static bool check_whole(memplan *graph, const memplan *plan)
{
	bool confirmed = false;

	if (!adopt(graph, &plan->graph) ||
		!mp_order_certify_claim(&graph->graph,
			&graph->graph.claims.order_bound, &confirmed,
			&graph->arena, &graph->error) ||
		!check(graph) || !check_order_bound(graph))
		return false;
	graph->results.confirmed = confirmed;
	return true;
}

static bool check_against(memplan *graph, memplan *plan)
{
	struct graph read;
	bool fine;

	if (!mp_street_read(plan))
		return mp_fail(&graph->error, plan->error.code, "%s",
			plan->error.text);
	if (plan->graph.bundle.n == 0)
		take_policies(graph, plan);
	if (!mp_street_read(graph))
		return false;
	read = graph->graph;
	fine = plan->graph.bundle.n > 0 ? check_member(graph, &plan->graph)
					: check_whole(graph, plan);
	graph->graph = read;
	return fine;
}

enum memplan_status memplan_check_against(memplan *graph, memplan *plan)
{
	if (graph->error.code == MEMPLAN_OK)
		check_against(graph, plan);
	return graph->error.code;
}
