/*
 * Contiguous groups of tensors, and gaps in lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"

#include <assert.h>

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
 * later. A member that names no pools may go where the others may. */
static void align_members(const struct build *b, const struct ids *members)
{
	const struct pool_list *list;
	uint64_t least = 0;
	uint16_t pools = 0;

	for (uint32_t i = 0; i < members->n && pools == 0; i++)
		pools = b->graph->tensors[members->at[i]].pools;
	assert(pools == 0 || pools < b->n_pool_lists);
	list = &b->pool_lists[pools];
	for (uint32_t k = 0; b->graph->n_pools > 0 && k < list->n; k++)
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
	uint32_t *group_of, n = 0;

	if (!mp_json_list(at, &n) || n == 0)
		return b->error->code == MEMPLAN_OK;
	groups = NEW(b->arena, struct tensor_group, n);
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
