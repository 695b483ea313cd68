/*
 * Ties make tensors one buffer: an alias is bytes of another tensor, the
 * members of a group lie next to each other. Bytes of such a buffer may be
 * needed at different times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include "base/sort.h"

/* Bytes that a tensor takes of its buffer, with the guards of its group. */
struct reach {
	uint64_t low, high;
};

struct tie {
	struct sharing *s;
	struct reach *reach; /* of a tensor */
	uint64_t *align;     /* of a tensor, or of an alias of its bytes */
};

static const struct tensor *tensor_at(const struct tie *tie, uint32_t t)
{
	return &tie->s->graph->tensors[t];
}

/* ----------------------------------------------------------- unions */

static uint32_t union_for(struct tie *tie, uint32_t t)
{
	struct sharing *s = tie->s;

	if (s->union_of[t] == NONE) {
		s->union_of[t] = s->n_unions++;
		tie->reach[t].high =
			mp_graph_tensor_rounded(s->graph, tensor_at(tie, t));
	}
	return s->union_of[t];
}

/* Bytes within the root are rounded outwards, so that parts stay aligned. */
static void join_alias(struct tie *tie, const struct tensor_alias *alias)
{
	struct sharing *s = tie->s;
	uint64_t align = s->graph->alignment, base;
	uint64_t end = alias->base + tensor_at(tie, alias->tensor)->size +
		       s->graph->margins.padding;

	if (!mp_lifetime_takes_bytes(tensor_at(tie, alias->tensor)) ||
		!mp_lifetime_takes_bytes(tensor_at(tie, alias->root)))
		return;
	s->union_of[alias->tensor] = union_for(tie, alias->root);
	base = s->base[alias->root];
	s->base[alias->tensor] = base + alias->base;
	tie->reach[alias->tensor] = (struct reach){
		base + num_down(alias->base, align), base + num_up(end, align)};
}

static bool too_large(const struct tie *tie, const struct tensor_group *group)
{
	const struct graph *graph = tie->s->graph;

	return mp_graph_fail(graph, THING_GROUP,
		(uint32_t)(group - graph->ties.groups), tie->s->error,
		MEMPLAN_EINPUT, "group '%.80s' takes more than 2^62 bytes",
		group->name ? group->name : "?");
}

/* Offsets of members are multiples of the least alignment, or of their own, and
 * of those of their aliases, which begin at multiples within them. */
static bool join_group(
	struct tie *tie, const struct tensor_group *group, uint64_t least)
{
	struct sharing *s = tie->s;
	uint64_t at = group->before, align;
	uint32_t last = NONE, number = s->n_unions;

	for (uint32_t i = 0; i < group->members.n; i++) {
		uint32_t t = group->members.at[i];
		const struct tensor *tensor = tensor_at(tie, t);

		if (!mp_lifetime_takes_bytes(tensor))
			continue;
		align = num_max(least, tie->align[t]);
		if (!num_align(at, align, &s->base[t]) ||
			!num_add(s->base[t],
				mp_graph_tensor_rounded(s->graph, tensor), &at))
			return too_large(tie, group);
		tie->reach[t].low = s->base[t];
		if (last == NONE)
			tie->reach[t].low -=
				num_up(group->before, s->graph->alignment);
		tie->reach[t].high = at;
		s->union_of[t] = number;
		last = t;
	}
	if (last == NONE)
		return true;
	s->n_unions++;
	return num_add(at, group->after, &at) &&
			       num_align(at, s->graph->alignment,
				       &tie->reach[last].high)
		       ? true
		       : too_large(tie, group);
}

static bool persists(const struct tensor *tensor)
{
	return tensor->kind == KIND_STATE && mp_lifetime_takes_bytes(tensor) &&
	       !tensor->pinned && !tensor->placed;
}

/* A plan that is read back has no region of states, and each state is aligned
 * to its pool. So states are aligned to all pools that may hold them. */
static uint64_t align_states(const struct graph *graph, uint16_t pools)
{
	uint64_t align = graph->alignment;
	const struct pool_list *list;

	if (graph->n_pools == 0)
		return align;
	list = &graph->pool_lists[pools];
	for (uint32_t i = 0; i < list->n; i++)
		align = num_max(align, graph->pools[list->at[i]].alignment);
	return align;
}

/* States are one region, so that a caller can keep or save them as a whole;
 * states with another list of pools are another region. Those with a fixed
 * offset or lifetime are in none. */
static bool join_states(struct tie *tie)
{
	struct sharing *s = tie->s;
	uint32_t n = 0, n_tensors = s->graph->n_tensors, end;
	uint32_t *states = NEW(s->scratch, uint32_t, n_tensors);
	uint32_t *spare = NEW(s->scratch, uint32_t, n_tensors);
	uint64_t *pools = NEW(s->scratch, uint64_t, n_tensors);

	if (!states || !spare || !pools)
		return false;
	for (uint32_t t = 0; t < n_tensors; t++) {
		pools[t] = tensor_at(tie, t)->pools;
		if (persists(tensor_at(tie, t)) && s->union_of[t] == NONE &&
			!mp_graph_ties_alias(&s->graph->ties, t))
			states[n++] = t;
	}
	mp_sort_radix(states, spare, n, pools);
	for (uint32_t i = 0; i < n; i = end) {
		uint16_t list = tensor_at(tie, states[i])->pools;
		struct tensor_group region = {.name = "states"};

		for (end = i; end < n && pools[states[end]] == list; end++)
			;
		region.members = (struct ids){states + i, end - i};
		if (end - i > 1 &&
			!join_group(tie, &region, align_states(s->graph, list)))
			return false;
	}
	return true;
}

/* Tensors at one offset are one buffer: while two are alive at once, they are
 * the same bytes. */
static void join_same(struct tie *tie, const struct ids *set)
{
	struct sharing *s = tie->s;
	uint32_t number = NONE;

	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t t = set->at[i];

		if (!mp_lifetime_takes_bytes(tensor_at(tie, t)))
			continue;
		if (number == NONE)
			number = union_for(tie, t);
		s->union_of[t] = number;
		tie->reach[t].high =
			mp_graph_tensor_rounded(s->graph, tensor_at(tie, t));
	}
}

static bool join_all(struct tie *tie)
{
	const struct graph *graph = tie->s->graph;

	for (uint32_t i = 0; i < graph->ties.n_groups; i++)
		if (!join_group(tie, &graph->ties.groups[i], graph->alignment))
			return false;
	if (!join_states(tie))
		return false;
	for (uint32_t i = 0; i < graph->ties.n_same; i++)
		join_same(tie, &graph->ties.same[i]);
	for (uint32_t i = 0; i < graph->ties.n_aliases; i++)
		join_alias(tie, &graph->ties.aliases[i]);
	for (uint32_t i = 0; i < graph->ties.n_gaps; i++)
		if (mp_lifetime_takes_bytes(
			    tensor_at(tie, graph->ties.gaps[i].tensor)))
			union_for(tie, graph->ties.gaps[i].tensor);
	return true;
}

/* ---------------------------------------------------------- members */

static bool list_members(struct sharing *s)
{
	struct lists members;

	s->unions = NEW(s->scratch, struct tensor_union, s->n_unions);
	if (!s->unions ||
		!mp_lists_group(&members, s->n_unions, s->union_of,
			sizeof(*s->union_of), s->graph->n_tensors, s->scratch))
		return false;
	for (uint32_t i = 0; i < s->n_unions; i++) {
		struct ids ids = s->unions[i].members =
			mp_lists_at(&members, i);

		for (uint32_t k = 1; k < ids.n; k++)
			s->follows[ids.at[k]] = true;
	}
	return true;
}

/* ------------------------------------------------------------ needs */

/* The gaps of a tensor: how many, and the first; NULL: none. */
static const struct lifetime_gap *gaps_of(
	const struct tie *tie, uint32_t t, uint32_t *n)
{
	const struct ties *ties = &tie->s->graph->ties;
	size_t size = sizeof(*ties->gaps);
	size_t key = offsetof(struct lifetime_gap, tensor);
	uint32_t i = mp_search_key_u32(ties->gaps, size, key, ties->n_gaps, t);

	*n = mp_search_key_u32(ties->gaps, size, key, ties->n_gaps, t + 1) - i;
	return *n > 0 ? ties->gaps + i : NULL;
}

/* The bytes of a view are needed from the birth of its root on. */
static uint32_t needed_from(const struct tie *tie, uint32_t t)
{
	const struct stay *stay = tie->s->stay;
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&tie->s->graph->ties, t);

	return alias && stay[alias->root].start < stay[t].start
		       ? stay[alias->root].start
		       : stay[t].start;
}

static void add_need(
	struct tensor_union *all, uint32_t t, struct rectangle need)
{
	if (need.low == need.high || need.start == need.end)
		return;
	all->needed_by[all->n_needs] = t;
	all->needs[all->n_needs++] = need;
}

/* The bytes that are needed within a gap. */
static struct rectangle window(
	const struct tie *tie, uint32_t t, const struct lifetime_gap *gap)
{
	uint64_t align = tie->s->graph->alignment, base = tie->s->base[t];
	struct rectangle kept = {0, 0, gap->start, gap->end};

	if (gap->low == gap->high)
		return kept;
	kept.low = base + num_down(gap->low, align);
	kept.high = base + num_up(gap->high, align);
	return kept;
}

static void add_needs(
	const struct tie *tie, struct tensor_union *all, uint32_t t)
{
	struct rectangle whole = {tie->reach[t].low, tie->reach[t].high,
		needed_from(tie, t), tie->s->stay[t].end};
	struct rectangle part = whole;
	uint32_t n;
	const struct lifetime_gap *gap = gaps_of(tie, t, &n);

	for (; n-- > 0; gap++) {
		part.end = gap->start;
		add_need(all, t, part);
		add_need(all, t, window(tie, t, gap));
		part.start = gap->end;
	}
	part.end = whole.end;
	add_need(all, t, part);
}

static uint32_t count_needs(const struct tie *tie, uint32_t number)
{
	const struct tensor_union *all = &tie->s->unions[number];
	uint32_t sum = 0, n;

	for (uint32_t i = 0; i < all->members.n; i++) {
		gaps_of(tie, all->members.at[i], &n);
		sum += 2 * n + 1;
	}
	return sum;
}

/* With several streams gaps are not used: their steps say nothing of other
 * streams. */
static bool cut_union(struct tie *tie, uint32_t number)
{
	struct sharing *s = tie->s;
	struct tensor_union *all = &s->unions[number];
	uint32_t n = count_needs(tie, number);

	all->needs = NEW(s->scratch, struct rectangle, n);
	all->needed_by = NEW(s->scratch, uint32_t, n);
	if (!all->needs || !all->needed_by)
		return false;
	for (uint32_t i = 0; i < all->members.n; i++) {
		if (!mp_lifetime_has_step(s, all->members.at[i]))
			return false;
		add_needs(tie, all, all->members.at[i]);
	}
	return mp_lifetime_rectangles_cut(all->needs, all->n_needs,
		mp_lifetime_has_streams(s), &all->parts, s->arena, s->scratch);
}

/* ------------------------------------------------------------ stage */

static void find_alignments(struct tie *tie)
{
	const struct ties *ties = &tie->s->graph->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		uint64_t *align = &tie->align[ties->aliases[i].root];

		*align = num_max(
			*align, tensor_at(tie, ties->aliases[i].tensor)->align);
	}
}

static bool prepare(struct tie *tie)
{
	struct sharing *s = tie->s;
	uint32_t n = s->graph->n_tensors;

	s->union_of = NEW(s->scratch, uint32_t, n);
	s->base = NEW(s->scratch, uint64_t, n);
	tie->reach = NEW(s->scratch, struct reach, n);
	tie->align = NEW(s->scratch, uint64_t, n);
	if (!s->union_of || !s->base || !tie->reach || !tie->align)
		return false;
	for (uint32_t t = 0; t < n; t++) {
		s->union_of[t] = NONE;
		tie->align[t] = tensor_at(tie, t)->align;
	}
	find_alignments(tie);
	return true;
}

static bool has_states(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (persists(&graph->tensors[t]))
			return true;
	return false;
}

bool mp_lifetime_unite(struct sharing *s)
{
	const struct graph *graph = s->graph;
	struct tie tie = {.s = s};

	if (graph->ties.n_aliases == 0 && graph->ties.n_groups == 0 &&
		graph->ties.n_gaps == 0 && graph->ties.n_same == 0 &&
		!has_states(graph))
		return true;
	if (!prepare(&tie) || !join_all(&tie) || !list_members(s))
		return false;
	for (uint32_t i = 0; i < s->n_unions; i++)
		if (!cut_union(&tie, i))
			return false;
	return true;
}
