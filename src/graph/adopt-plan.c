/*
 * Takes offsets and order from a plan: matches its pools, reserved ranges and
 * tensors with those of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "base/sink-text.h"

/* A pool of a plan is a pool of the graph or one of its blocks. */
struct pool_match {
	uint32_t *pool; /* pool of the graph, for each pool of the plan */
	const struct pool_list *before; /* pool lists of the graph */
};

/* The graph's pool of that name; for "NAME#0" the pool NAME, which has blocks.
 */
static uint32_t find_pool(const struct graph *graph, const char *name)
{
	const char *mark = strrchr(name, '#');
	size_t length = mark ? (size_t)(mark - name) : strlen(name);

	for (uint32_t i = 0; i < graph->n_pools; i++) {
		const struct memory_pool *pool = &graph->pools[i];

		if ((mark != NULL) == (pool->chunk != 0) &&
			strlen(pool->name) == length &&
			memcmp(pool->name, name, length) == 0)
			return i;
	}
	return NONE;
}

/* Of the plan's pool only the name is used: the plan is not trusted. */
static struct memory_pool pool_of(
	const struct memory_pool *pool, const char *name)
{
	return (struct memory_pool){.name = name,
		.capacity = mp_graph_pool_room(pool),
		.alignment = pool->alignment,
		.banks = pool->banks};
}

/* Blocks share the capacity of their pool. */
static bool check_sums(const struct graph *graph, const struct graph *plan,
	const struct pool_match *match, struct error *e)
{
	for (uint32_t i = 0; i < graph->n_pools; i++) {
		uint64_t sum = 0;

		for (uint32_t k = 0; k < plan->n_pools; k++)
			if (match->pool[k] == i && plan->claims.pools &&
				!num_add(sum, plan->claims.pools[k].arena_size,
					&sum))
				sum = NO_CAPACITY - 1;
		if (sum > graph->pools[i].capacity)
			return mp_fail(e, MEMPLAN_NO,
				"%s: the blocks of pool '%.60s' take more than "
				"its %llu byte%s",
				plan->place, graph->pools[i].name,
				(unsigned long long)graph->pools[i].capacity,
				mp_text_plural(graph->pools[i].capacity));
	}
	return true;
}

/* If the plan is one member's part of a bundle, it claims nothing, and a pool
 * may belong to another member. */
static bool match_pool(const struct graph *graph, const struct graph *plan,
	uint32_t k, struct pool_match *match, struct memory_pool *pool,
	struct error *e)
{
	uint32_t found = find_pool(graph, plan->pools[k].name);

	match->pool[k] = found;
	*pool = found == NONE
			? plan->pools[k]
			: pool_of(&graph->pools[found], plan->pools[k].name);
	return found != NONE || !plan->claims.present ||
	       mp_fail(e, MEMPLAN_NO, "%s: the graph has no pool '%.60s'",
		       plan->place, plan->pools[k].name);
}

/* Makes pool lists: list 0 has all pools, list k + 1 only pool k. */
static bool adopt_pools(struct graph *graph, const struct graph *plan,
	struct pool_match *match, struct arena *arena, struct error *e)
{
	uint32_t n = plan->n_pools;
	struct memory_pool *pools = NEW(arena, struct memory_pool, n);
	struct pool_list *lists = NEW(arena, struct pool_list, (size_t)n + 1);
	uint32_t *each = NEW(arena, uint32_t, n);

	match->pool = NEW(arena, uint32_t, n);
	match->before = graph->pool_lists;
	if (!pools || !lists || !each || !match->pool)
		return false;
	if ((n == 0) != (graph->n_pools == 0))
		return mp_fail(e, MEMPLAN_NO,
			"%s: the %s has pools, the %s not", plan->place,
			n ? "plan" : "graph", n ? "graph" : "plan");
	lists[0] = (struct pool_list){each, n};
	for (uint32_t k = 0; k < n; k++) {
		if (!match_pool(graph, plan, k, match, &pools[k], e))
			return false;
		each[k] = k;
		lists[k + 1] = (struct pool_list){&each[k], 1};
	}
	if (!check_sums(graph, plan, match, e))
		return false;
	graph->pools = n ? pools : NULL;
	graph->n_pools = n;
	graph->pool_lists = lists;
	return true;
}

/* Reserved ranges of the graph become ranges of the plan's pools. */
static bool adopt_ranges(struct graph *graph, const struct graph *plan,
	const struct pool_match *match, struct arena *arena, struct error *e)
{
	uint32_t n = graph->ties.n_reserved;
	struct reserved_range *ranges = NEW(arena, struct reserved_range, n);

	for (uint32_t i = 0; ranges && i < n; i++) {
		uint32_t pool, k = 0;

		ranges[i] = graph->ties.reserved[i];
		pool = mp_graph_ties_pool(match->before, &ranges[i]);
		while (k < plan->n_pools && match->pool[k] != pool)
			k++;
		if (k == plan->n_pools)
			return mp_fail(e, MEMPLAN_NO,
				"%s: bytes of a pool are reserved that the "
				"plan does not have",
				plan->place);
		ranges[i].pools = (uint16_t)(k + 1);
	}
	graph->ties.reserved = ranges;
	return ranges != NULL;
}

static bool adopt_pool(struct tensor *tensor, const struct tensor *placed,
	const struct graph *plan, const struct pool_match *match,
	struct error *e)
{
	const struct pool_list *allowed;
	uint32_t pool;

	if (plan->n_pools == 0 || placed->size == 0)
		return true;
	pool = plan->pool_lists[placed->pools].at[0];
	allowed = &match->before[tensor->pools];
	for (uint32_t i = 0; i < allowed->n; i++)
		if (allowed->at[i] == match->pool[pool])
			return tensor->pools = (uint16_t)(pool + 1), true;
	return mp_fail(e, MEMPLAN_NO,
		"%s: tensor '%.80s' lies in pool '%.60s', which may not hold "
		"it",
		plan->place, mp_graph_tensor_label(tensor),
		plan->pools[pool].name);
}

/* One of several graphs that the plan serves. */
static bool is_bucket(const struct graph *graph, const struct graph *plan)
{
	return plan->n_buckets > 0 && graph->n_buckets == 0;
}

static bool adopt_size(const struct tensor *tensor, const struct tensor *placed,
	const struct graph *plan, bool may_grow, struct error *e)
{
	const char *name = mp_graph_tensor_label(placed);

	if (placed->size == tensor->size ||
		(may_grow && placed->size > tensor->size))
		return true;
	if (strcmp(name, mp_graph_tensor_label(tensor)) != 0)
		return mp_fail(e, MEMPLAN_NO,
			"%s: tensor '%.80s' has %llu byte%s; that id of the "
			"graph is '%.80s' with %llu: is it another graph?",
			plan->place, name, (unsigned long long)placed->size,
			mp_text_plural(placed->size),
			mp_graph_tensor_label(tensor),
			(unsigned long long)tensor->size);
	return mp_fail(e, MEMPLAN_NO,
		"%s: tensor '%.80s' has %llu byte%s, in the graph %llu",
		plan->place, name, (unsigned long long)placed->size,
		mp_text_plural(placed->size), (unsigned long long)tensor->size);
}

static bool adopt_tensor(struct tensor *tensor, const struct graph *plan,
	uint32_t match, const struct pool_match *pools, bool may_grow,
	struct error *e)
{
	const struct tensor *placed;

	if (match == NONE)
		return mp_fail(e, MEMPLAN_NO,
			"%s: no offset for tensor '%.80s' of the graph",
			plan->place, mp_graph_tensor_label(tensor));
	assert(match < plan->n_tensors);
	placed = &plan->tensors[match];
	if (!adopt_size(tensor, placed, plan, may_grow, e))
		return false;
	if (!placed->placed)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: not a whole plan: tensor '%.80s' has no offset; "
			"memplan plan makes one",
			plan->place, mp_graph_tensor_label(tensor));
	if (tensor->placed && tensor->size > 0 &&
		tensor->offset != placed->offset)
		return mp_fail(e, MEMPLAN_NO,
			"%s: tensor '%.80s' is at offset %llu, the graph fixes "
			"it at %llu",
			plan->place, mp_graph_tensor_label(tensor),
			(unsigned long long)placed->offset,
			(unsigned long long)tensor->offset);
	tensor->placed = true;
	tensor->offset = placed->offset;
	return adopt_pool(tensor, placed, plan, pools, e);
}

/* at: of a tensor of the plan, that of the graph. */
static bool adopt_tensors(struct graph *graph, const struct graph *plan,
	const struct names *names, const struct pool_match *pools, uint32_t *at,
	struct error *e)
{
	bool bucket = is_bucket(graph, plan);

	for (uint32_t t = 0; t < plan->n_tensors; t++)
		at[t] = NONE;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		struct tensor *tensor = &graph->tensors[t];
		uint32_t match = NONE;

		if (tensor->id)
			match = mp_names_find(names, tensor->id);
		if (tensor->external && match == NONE)
			continue;
		if (!adopt_tensor(tensor, plan, match, pools, bucket, e))
			return false;
		at[match] = t;
	}
	for (uint32_t t = 0; t < plan->n_tensors && !bucket; t++)
		if (at[t] == NONE)
			return mp_fail(e, MEMPLAN_NO,
				"%s: tensor '%.80s' is not in the graph",
				plan->place,
				mp_graph_tensor_label(&plan->tensors[t]));
	return true;
}

/* The claims are of the plan's tensors. */
static bool adopt_claims(struct graph *graph, const struct graph *plan,
	const uint32_t *at, struct arena *arena)
{
	struct ids *clique = &graph->claims.clique;
	uint32_t *tensors = NEW(arena, uint32_t, plan->claims.clique.n);

	if (is_bucket(graph, plan)) {
		graph->claims = (struct claims){
			.order = plan->claims.order, .ops = plan->claims.ops};
		return true;
	}
	graph->claims = plan->claims;
	for (uint32_t i = 0; tensors && i < clique->n; i++)
		tensors[i] = at[plan->claims.clique.at[i]];
	clique->at = tensors;
	return tensors != NULL;
}

static bool adopt_order(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e)
{
	const struct ids *ops = &plan->claims.ops;

	if (ops->n != graph->n_ops)
		return mp_fail(e, MEMPLAN_NO,
			"%s: /order/ops has %u op%s, the graph %u", plan->place,
			ops->n, mp_text_plural(ops->n), graph->n_ops);
	if (ops->n > 0 && !mp_graph_is_order(graph, ops->at, arena))
		return mp_fail(e, MEMPLAN_NO,
			"%s: /order/ops breaks a dependence of the graph",
			plan->place);
	return true;
}

/* What the arena's base is aligned to. */
static uint64_t base_of(const struct graph *graph)
{
	return num_max(graph->margins.base, graph->alignment);
}

/* A plan that names a target has its numbers. */
static bool check_target(const struct graph *plan, struct error *e)
{
	const char *name = plan->margins.target;
	const struct target *target = name ? mp_graph_target_find(name) : NULL;

	return !target ||
	       (target->margins.padding == plan->margins.padding &&
		       target->margins.base <= base_of(plan)) ||
	       mp_fail(e, MEMPLAN_NO,
		       "%s: /target: '%.40s' pads by %u and aligns the base to "
		       "%u, the plan by %u and to %llu",
		       plan->place, name, target->margins.padding,
		       target->margins.base, plan->margins.padding,
		       (unsigned long long)base_of(plan));
}

static bool compare_bases(
	const struct graph *graph, const struct graph *plan, struct error *e)
{
	return graph->margins.base <= base_of(plan) ||
	       mp_fail(e, MEMPLAN_NO,
		       "%s: /base_alignment: the plan aligns its base to %llu, "
		       "the graph to %u",
		       plan->place, (unsigned long long)base_of(plan),
		       graph->margins.base);
}

/* With other padding every size would differ, and no message could explain
 * that. */
static bool compare_margins(
	const struct graph *graph, const struct graph *plan, struct error *e)
{
	uint32_t wanted = graph->margins.padding, got = plan->margins.padding;
	const char *target = plan->margins.target;

	if (wanted == got)
		return true;
	return mp_fail(e, MEMPLAN_NO,
		"%s: /padding: the plan has %u byte%s behind every tensor, the "
		"graph %u; '--target %.40s' says what both are for",
		plan->place, got, mp_text_plural(got), wanted,
		target ? target : "NAME");
}

bool mp_graph_adopt(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e)
{
	struct names names;
	struct pool_match pools;
	uint32_t *at = NEW(arena, uint32_t, plan->n_tensors);

	/* The plan rounds members of a group to the plan's alignment, which in
	 * a bundle is the greatest of all members. */
	assert(num_is_pow2(graph->alignment) && num_is_pow2(plan->alignment));
	return at &&
	       mp_graph_align(graph, num_max(graph->alignment, plan->alignment),
		       arena, e) &&
	       compare_margins(graph, plan, e) && check_target(plan, e) &&
	       compare_bases(graph, plan, e) &&
	       mp_graph_ids(plan, &names, arena) &&
	       adopt_pools(graph, plan, &pools, arena, e) &&
	       (plan->n_pools == 0 ||
		       adopt_ranges(graph, plan, &pools, arena, e)) &&
	       adopt_tensors(graph, plan, &names, &pools, at, e) &&
	       adopt_claims(graph, plan, at, arena) &&
	       adopt_order(graph, plan, arena, e);
}
