/*
 * Gaps in lifetimes, and relations between tensors: contiguous groups, pairs
 * that never share bytes, costs of reuse, reserved ranges, and exclusive
 * branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"

#include <assert.h>

#include "base/sink-text.h"

/* ------------------------------------------------------------- gaps */

static bool read_gap(struct build *b, const struct json_at *at, uint32_t tensor)
{
	struct lifetime_gap gap = {.tensor = tensor};
	struct time_span span = {0, 0};
	struct json_at value[4];
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n != 2 && n != 4)
		return mp_json_fail(at,
			"must be [start, end), or [start, end, low, high] "
			"where bytes [low, high) are needed in between");
	value[0] = mp_json_first(at);
	for (uint32_t i = 1; i < n; i++) {
		value[i] = value[i - 1];
		mp_json_next(&value[i]);
	}
	if (!mp_json_signed(&value[0], &span.start) ||
		!mp_json_signed(&value[1], &span.end))
		return false;
	if (n == 4 && (!mp_json_integer(&value[2], &gap.low) ||
			      !mp_json_integer(&value[3], &gap.high)))
		return false;
	return mp_input_gap_list_add(&b->gaps, &gap, &span, b->arena);
}

bool mp_input_build_gaps(
	struct build *b, const struct json_at *at, uint32_t tensor)
{
	const struct tensor *t = &b->graph->tensors[tensor];
	uint32_t from = b->gaps.n, n;
	const char *fault;

	if (!at->value)
		return true;
	if (!t->pinned)
		return mp_json_fail(
			at, "only a lifetime that is given has gaps");
	if (t->kind == KIND_STATE && !b->is_plan)
		return mp_json_fail(at,
			"a state is kept between runs: its lifetime has no "
			"gaps");
	if (!mp_json_list(at, &n))
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_gap(b, &m, tensor))
			return false;
	fault = mp_input_gap_list_fault(
		&b->gaps, from, &b->span[tensor], t->size);
	return !fault || mp_json_fail(at, "%s", fault);
}

/* ----------------------------------------------------------- groups */

static const struct json_key group_keys[] = {
	{"members", true},
	{"name", false},
	{"before", false},
	{"after", false},
};

/* Aligns members for every pool that may hold the group, as the pool is chosen
 * later. A member that names no pools may go where the others may; one without
 * bytes lies in no pool. */
static void align_members(const struct build *b, const struct ids *members)
{
	const struct pool_list *list = NULL;
	uint64_t least = 0;
	uint16_t pools = 0;

	for (uint32_t i = 0; i < members->n && pools == 0; i++)
		if (b->graph->tensors[members->at[i]].size > 0)
			pools = b->graph->tensors[members->at[i]].pools;
	assert(pools == 0 || pools < b->n_pool_lists);
	if (b->graph->n_pools > 0)
		list = &b->pool_lists[pools];
	for (uint32_t k = 0; list && k < list->n; k++)
		least = num_max(least, b->graph->pools[list->at[k]].alignment);
	for (uint32_t i = 0; i < members->n; i++) {
		struct tensor *tensor = &b->graph->tensors[members->at[i]];

		if (tensor->size > 0)
			tensor->align = (uint32_t)num_max(tensor->align, least);
	}
}

static bool read_member(struct build *b, const struct json_at *at,
	uint32_t *group_of, uint32_t group)
{
	const struct tensor *tensor;
	uint32_t t;

	if (!mp_input_refs_find(b, at, &t))
		return false;
	tensor = &b->graph->tensors[t];
	if (tensor->external)
		return mp_json_fail(at,
			"tensor '%.60s' is external: it has no place in a "
			"group",
			mp_graph_tensor_label(tensor));
	if (mp_input_build_is_alias(b, t))
		return mp_json_fail(at,
			"tensor '%.60s' is an alias or has one: it has no "
			"place in a group",
			mp_graph_tensor_label(tensor));
	if (group_of[t] == group + 1)
		return mp_json_fail(at, "tensor '%.60s' is listed twice",
			mp_graph_tensor_label(tensor));
	if (group_of[t])
		return mp_json_fail(at, "tensor '%.60s' is in group %u too",
			mp_graph_tensor_label(tensor), group_of[t] - 1);
	assert(group_of[t] == 0);
	group_of[t] = group + 1;
	b->list[at->index] = t;
	return true;
}

static bool read_group(struct build *b, const struct json_at *at,
	uint32_t *group_of, struct tensor_group *group)
{
	struct json_at found[countof(group_keys)];
	uint32_t n;

	if (!mp_json_pick(at, group_keys, countof(group_keys), found) ||
		!mp_json_list(&found[0], &n) ||
		!mp_json_copy(&found[1], &group->name, b->arena) ||
		!mp_json_integer(&found[2], &group->before) ||
		!mp_json_integer(&found[3], &group->after))
		return false;
	if (n == 0)
		return mp_json_fail(&found[0], "a group needs a member");
	for (struct json_at m = mp_json_first(&found[0]); m.value;
		mp_json_next(&m))
		if (!read_member(b, &m, group_of, at->index))
			return false;
	if (!mp_lists_copy(&group->members, b->list, n, b->arena))
		return false;
	align_members(b, &group->members);
	return true;
}

bool mp_input_build_groups(struct build *b, const struct json_at *at)
{
	struct ties *ties = &b->graph->ties;
	struct tensor_group *groups;
	uint32_t *group_of, n;

	if (!at->value)
		return true;
	groups = mp_json_room(at, &n, sizeof(*groups), b->arena);
	group_of = NEW(b->arena, uint32_t, b->n_listed);
	if (!groups || !group_of)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_group(b, &m, group_of, &groups[m.index]))
			return false;
	ties->groups = groups;
	ties->n_groups = n;
	return true;
}

/* ------------------------------------------------------------ apart */

static bool read_pair(
	struct build *b, const struct json_at *at, struct tensor_pair *pair)
{
	struct json_at first, second;

	if (!mp_json_pair(at, "a pair of tensors", &first, &second) ||
		!mp_input_refs_find(b, &first, &pair->a) ||
		!mp_input_refs_find(b, &second, &pair->b))
		return false;
	return pair->a != pair->b ||
	       mp_json_fail(at, "tensor '%.60s' cannot be apart from itself",
		       mp_input_build_label(b, pair->a));
}

static bool read_apart(struct build *b, const struct json_at *at)
{
	uint32_t n;
	struct tensor_pair *pairs =
		mp_json_room(at, &n, sizeof(*pairs), b->arena);

	if (!pairs)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_pair(b, &m, &pairs[m.index]))
			return false;
	b->graph->ties.apart = pairs;
	b->graph->ties.n_apart = n;
	return true;
}

/* ----------------------------------------------------- same offsets */

/* A tensor is in one set, and in no group and no view. */
static bool read_set(
	struct build *b, const struct json_at *at, struct ids *set, bool *taken)
{
	uint32_t n, *tensors = mp_json_room(at, &n, sizeof(*tensors), b->arena);

	if (!tensors)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		uint32_t *t = &tensors[m.index];

		if (!mp_input_refs_find(b, &m, t))
			return false;
		if (taken[*t] || mp_graph_ties_alias(&b->graph->ties, *t))
			return mp_json_fail(&m,
				"tensor '%.60s' is in another set, in a group "
				"or a view",
				mp_input_build_label(b, *t));
		taken[*t] = true;
	}
	*set = (struct ids){tensors, n};
	return true;
}

bool mp_input_build_same(struct build *b, const struct json_at *at)
{
	uint32_t n;
	struct ids *sets = mp_json_room(at, &n, sizeof(*sets), b->arena);
	bool *taken = NEW(b->arena, bool, b->n_tensors);

	if (!sets || !taken)
		return false;
	mp_graph_ties_mark_groups(&b->graph->ties, taken);
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_set(b, &m, &sets[m.index], taken))
			return false;
	return mp_graph_ties_set_same(&b->graph->ties, b->graph->tensors,
		b->graph->n_tensors, sets, n, b->arena);
}

/* ------------------------------------------------------------ costs */

static bool read_cost(struct build *b, const struct json_at *at,
	struct reuse_cost *cost, uint64_t *sum)
{
	struct json_at first, second, third;
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n != 3)
		return mp_json_fail(at, "must be [tensor, tensor, cost]");
	first = second = mp_json_first(at);
	mp_json_next(&second);
	third = second;
	mp_json_next(&third);
	if (!mp_input_refs_find(b, &first, &cost->a) ||
		!mp_input_refs_find(b, &second, &cost->b) ||
		!mp_json_integer(&third, &cost->cost))
		return false;
	if (cost->a == cost->b)
		return mp_json_fail(at,
			"tensor '%.60s' always shares its own bytes",
			mp_input_build_label(b, cost->a));
	return num_add(*sum, cost->cost, sum) ||
	       mp_json_fail(at, "the costs sum to more than 2^62");
}

static bool read_costs(struct build *b, const struct json_at *at)
{
	uint64_t sum = 0;
	uint32_t n;
	struct reuse_cost *costs =
		mp_json_room(at, &n, sizeof(*costs), b->arena);

	if (!costs)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_cost(b, &m, &costs[m.index], &sum))
			return false;
	b->graph->ties.costs = costs;
	b->graph->ties.n_costs = n;
	return true;
}

/* --------------------------------------------------------- reserved */

/* An offset is relative to the base of a block, so the range must have a single
 * pool of a single block. */
static bool read_pool_of_range(struct build *b, const struct json_at *range,
	const struct json_at *at, uint16_t *list)
{
	const struct graph *graph = b->graph;
	const struct memory_pool *pool;

	if (!mp_input_build_pool(b, at, list))
		return false;
	if (graph->n_pools == 0)
		return true;
	if (!at->value && graph->n_pools > 1)
		return mp_json_fail(range,
			"in which of the %u pool%s these bytes are is not said",
			graph->n_pools, mp_text_plural(graph->n_pools));
	assert(graph->pool_lists[*list].n > 0);
	pool = &graph->pools[graph->pool_lists[*list].at[0]];
	return pool->chunk == 0 ||
	       mp_json_fail(at->value ? at : range,
		       "pool '%.60s' is several blocks: an offset in it is not "
		       "one place",
		       pool->name);
}

static bool read_range(
	struct build *b, const struct json_at *at, struct reserved_range *range)
{
	static const struct json_key range_keys[] = {
		{"offset", true},
		{"size", true},
		{"name", false},
		{"pool", false},
	};
	struct json_at found[countof(range_keys)];

	if (!mp_json_pick(at, range_keys, countof(range_keys), found) ||
		!mp_json_integer(&found[0], &range->offset) ||
		!mp_json_integer(&found[1], &range->size) ||
		!mp_json_copy(&found[2], &range->name, b->arena) ||
		!read_pool_of_range(b, at, &found[3], &range->pools))
		return false;
	return range->size > 0 || mp_json_fail(&found[1], "must be 1 or more");
}

static bool ranges_overlap(const struct graph *graph,
	const struct reserved_range *a, const struct reserved_range *b)
{
	return mp_graph_ties_pool(graph->pool_lists, a) ==
		       mp_graph_ties_pool(graph->pool_lists, b) &&
	       a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

/* All pairs of ranges are compared. */
enum {
	MOST_RANGES = 1000
};

static bool read_reserved(struct build *b, const struct json_at *at)
{
	uint32_t n;
	struct reserved_range *ranges =
		mp_json_room(at, &n, sizeof(*ranges), b->arena);

	if (!ranges)
		return false;
	if (n > MOST_RANGES)
		return mp_json_fail(at, "at most %d ranges", MOST_RANGES);
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!read_range(b, &m, &ranges[m.index]))
			return false;
		for (uint32_t i = 0; i < m.index; i++)
			if (ranges_overlap(
				    b->graph, &ranges[i], &ranges[m.index]))
				return mp_json_fail(&m, "overlaps range %u", i);
	}
	b->graph->ties.reserved = ranges;
	b->graph->ties.n_reserved = n;
	return true;
}

/* -------------------------------------------------------- exclusive */

struct branches {
	struct build *b;
	struct tensor_branch *at;
	uint32_t n;
	uint32_t *of; /* of a tensor: its place in `at` plus 1; 0: none */
	struct choice_site *sites; /* of a choice */
	uint32_t *counts;	   /* of a choice: its branches */
	uint32_t *depths;	   /* of a choice: those that it stands in */
	uint32_t n_choices;	   /* that are read */
	bool nested;		   /* some choice stands in a branch */
};

static bool add_to_branch(struct branches *s, const struct json_at *at,
	uint32_t tensor, struct choice_site site)
{
	const struct tensor_branch *twin;

	if (s->of[tensor]) {
		twin = &s->at[s->of[tensor] - 1];
		return mp_json_fail(at,
			"tensor '%.60s' is in branch %u of choice %u too",
			mp_input_build_label(s->b, tensor), twin->branch,
			twin->choice);
	}
	s->at[s->n++] =
		(struct tensor_branch){tensor, site.choice, site.branch};
	s->of[tensor] = s->n;
	return true;
}

static bool read_exclusive_tensor(
	struct branches *s, const struct json_at *at, struct choice_site site)
{
	uint32_t t;

	return mp_input_refs_find(s->b, at, &t) &&
	       add_to_branch(s, at, t, site);
}

/* A branch of a choice that has been read. */
static bool read_site(
	struct branches *s, const struct json_at *at, struct choice_site *site)
{
	struct json_at choice, branch;

	if (!mp_json_pair(at, "[choice, branch]", &choice, &branch) ||
		!mp_json_index(&choice, UINT32_MAX - 1, &site->choice) ||
		!mp_json_index(&branch, UINT32_MAX - 1, &site->branch))
		return false;
	if (site->choice >= s->n_choices)
		return mp_json_fail(&choice, "no choice before has number %u",
			site->choice);
	return site->branch < s->counts[site->choice] ||
	       mp_json_fail(&branch, "choice %u has no branch %u", site->choice,
		       site->branch);
}

static bool read_branches(struct branches *s, const struct json_at *at)
{
	struct choice_site site = {s->n_choices, 0};
	uint32_t n;

	if (!mp_json_list(at, &s->counts[site.choice]))
		return false;
	if (s->counts[site.choice] < 2)
		return mp_json_fail(at, "a choice needs two branches");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		site.branch = m.index;
		if (!mp_json_list(&m, &n))
			return false;
		for (struct json_at t = mp_json_first(&m); t.value;
			mp_json_next(&t))
			if (!read_exclusive_tensor(s, &t, site))
				return false;
	}
	return true;
}

/* Where a choice stands. */
static bool read_place(struct branches *s, const struct json_at *at)
{
	enum {
		MOST_NESTED = 64 /* each pair of tensors goes up all of them */
	};
	struct choice_site *site = &s->sites[s->n_choices];
	uint32_t *depth = &s->depths[s->n_choices];

	s->nested = true;
	if (!read_site(s, at, site))
		return false;
	*depth = s->depths[site->choice] + 1;
	return *depth < MOST_NESTED ||
	       mp_json_fail(
		       at, "choices are nested deeper than %d", MOST_NESTED);
}

/* A list of branches, or an object that says where the choice stands. */
static bool read_choice(struct branches *s, const struct json_at *at)
{
	static const struct json_key choice_keys[] = {
		{"branches", true},
		{"in", true},
	};
	struct json_at found[countof(choice_keys)];

	s->sites[s->n_choices] = (struct choice_site){NONE, 0};
	if (!mp_json_is_object(at))
		return read_branches(s, at);
	return mp_json_pick(at, choice_keys, countof(choice_keys), found) &&
	       read_place(s, &found[1]) && read_branches(s, &found[0]);
}

/* What an op of a branch makes is of that branch. */
static bool read_op_branch(
	struct branches *s, const struct json_at *at, const struct op *op)
{
	struct choice_site site;

	if (!at->value)
		return true;
	if (!read_site(s, at, &site))
		return false;
	for (uint32_t i = 0; i < op->outputs.n; i++)
		if (!add_to_branch(s, at, op->outputs.at[i], site))
			return false;
	for (uint32_t i = 0; i < op->temporaries.n; i++)
		if (!add_to_branch(s, at, op->temporaries.at[i], site))
			return false;
	return true;
}

static bool read_op_branches(struct branches *s)
{
	const struct json_at *ops = &s->b->op_refs.at;

	for (struct json_at m = mp_json_first(ops); m.value; mp_json_next(&m)) {
		struct json_at at = mp_json_find(&m, "branch");

		if (!read_op_branch(s, &at, &s->b->graph->ops[m.index]))
			return false;
	}
	return true;
}

static bool make_branch_room(struct branches *s, uint32_t n_choices)
{
	struct arena *arena = s->b->arena;
	uint32_t n = s->b->graph->n_tensors;

	s->at = NEW(arena, struct tensor_branch, n);
	s->of = NEW(arena, uint32_t, n);
	s->sites = NEW(arena, struct choice_site, n_choices);
	s->counts = NEW(arena, uint32_t, n_choices);
	s->depths = NEW(arena, uint32_t, n_choices);
	return s->at && s->of && s->sites && s->counts && s->depths;
}

static bool read_exclusive(struct build *b, const struct json_at *at)
{
	struct branches s = {.b = b};
	struct ties *ties = &b->graph->ties;
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n == 0 && !b->has_op_branches)
		return true;
	if (!make_branch_room(&s, n))
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!read_choice(&s, &m))
			return false;
		s.n_choices++;
	}
	if (b->has_op_branches && !read_op_branches(&s))
		return false;
	mp_graph_ties_sort_branches(s.at, s.n);
	ties->branches = s.at;
	ties->n_branches = s.n;
	ties->sites = s.nested ? s.sites : NULL;
	ties->n_sites = s.nested ? n : 0;
	return true;
}

bool mp_input_build_relations(struct build *b, const struct json_at *found)
{
	return read_apart(b, &found[KEY_APART]) &&
	       read_costs(b, &found[KEY_REUSE_COST]) &&
	       read_reserved(b, &found[KEY_RESERVED]) &&
	       read_exclusive(b, &found[KEY_EXCLUSIVE]);
}
