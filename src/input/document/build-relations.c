/*
 * Relations between tensors: pairs that never share bytes, reserved ranges, and
 * exclusive branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"

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
			"in which of the %u pools these bytes are is not said",
			graph->n_pools);
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
	uint32_t choice;
};

static bool read_member(
	struct branches *s, const struct json_at *at, uint32_t branch)
{
	const struct tensor_branch *twin;
	uint32_t t;

	if (!mp_input_refs_find(s->b, at, &t))
		return false;
	if (s->of[t]) {
		twin = &s->at[s->of[t] - 1];
		return mp_json_fail(at,
			"tensor '%.60s' is in branch %u of choice %u too",
			mp_input_build_label(s->b, t), twin->branch,
			twin->choice);
	}
	s->at[s->n++] = (struct tensor_branch){t, s->choice, branch};
	s->of[t] = s->n;
	return true;
}

static bool read_choice(struct branches *s, const struct json_at *at)
{
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n < 2)
		return mp_json_fail(at, "a choice needs two branches");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!mp_json_list(&m, &n))
			return false;
		for (struct json_at t = mp_json_first(&m); t.value;
			mp_json_next(&t))
			if (!read_member(s, &t, m.index))
				return false;
	}
	return true;
}

static int by_branch(const void *left, const void *right)
{
	const struct tensor_branch *a = left, *b = right;

	return mp_sort_compare_three(a->choice, b->choice, a->branch, b->branch,
		a->tensor, b->tensor);
}

static bool read_exclusive(struct build *b, const struct json_at *at)
{
	struct branches s = {.b = b};
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n == 0)
		return true;
	s.at = NEW(b->arena, struct tensor_branch, b->n_listed);
	s.of = NEW(b->arena, uint32_t, b->n_listed);
	if (!s.at || !s.of)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		s.choice = m.index;
		if (!read_choice(&s, &m))
			return false;
	}
	qsort(s.at, s.n, sizeof(*s.at), by_branch);
	b->graph->ties.branches = s.at;
	b->graph->ties.n_branches = s.n;
	return true;
}

bool mp_input_build_relations(struct build *b, const struct json_at *found)
{
	return read_apart(b, &found[KEY_APART]) &&
	       read_reserved(b, &found[KEY_RESERVED]) &&
	       read_exclusive(b, &found[KEY_EXCLUSIVE]);
}
