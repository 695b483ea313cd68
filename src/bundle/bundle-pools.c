/*
 * Several memories: pools of one name are one pool, whichever graph names it.
 * Every graph keeps the lists of pools that its tensors may lie in.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "bundle/inside.h"

enum {
	MOST_LISTS = UINT16_MAX, /* what struct tensor can number */
};

struct joining {
	struct join_work *work;
	struct memory_pool *pools;
	const char **place; /* of a pool: the file that named it first */
	uint32_t n_pools;
	struct pool_list *lists;
	uint32_t n_lists;
};

/* ------------------------------------------------------------ pools */

static bool check_same(struct joining *j, const struct joined *member,
	const struct memory_pool *pool, uint32_t i)
{
	const struct memory_pool *known = &j->pools[i];
	bool none = pool->capacity == NO_CAPACITY;
	const struct {
		const char *what;
		uint64_t here, there;
	} numbers[] = {
		{"a capacity of", pool->capacity, known->capacity},
		{"an alignment of", pool->alignment, known->alignment},
		{"chunks of", pool->chunk, known->chunk},
		{"banks of", pool->banks.size, known->banks.size},
		{"banks, so many:", pool->banks.count, known->banks.count},
	};

	if (none != (known->capacity == NO_CAPACITY))
		return mp_fail(j->work->error, MEMPLAN_EINPUT,
			"%s: pool '%.60s' has %s capacity, in %s it has %s",
			member->place, pool->name, none ? "no" : "a",
			j->place[i], none ? "one" : "none");
	for (uint32_t k = 0; k < countof(numbers); k++)
		if (numbers[k].here != numbers[k].there)
			return mp_fail(j->work->error, MEMPLAN_EINPUT,
				"%s: pool '%.60s' has %s %llu, in %s %llu",
				member->place, pool->name, numbers[k].what,
				(unsigned long long)numbers[k].here,
				j->place[i],
				(unsigned long long)numbers[k].there);
	return true;
}

static bool add_pool(struct joining *j, const struct joined *member,
	const struct memory_pool *pool, uint32_t *number)
{
	for (uint32_t i = 0; i < j->n_pools; i++)
		if (strcmp(j->pools[i].name, pool->name) == 0) {
			*number = i;
			return check_same(j, member, pool, i);
		}
	assert(j->place && j->pools);
	*number = j->n_pools;
	j->place[j->n_pools] = member->place;
	j->pools[j->n_pools] = *pool;
	j->pools[j->n_pools++].name =
		mp_arena_text(j->work->arena, pool->name, strlen(pool->name));
	return j->pools[*number].name != NULL;
}

/* ------------------------------------------------------------ lists */

static uint32_t count_lists(const struct problem *p)
{
	uint32_t n = 1;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		n = p->pool_list[i] >= n ? p->pool_list[i] + 1u : n;
	return n;
}

static bool add_list(struct joining *j, const struct pool_list *list,
	const uint32_t *numbers)
{
	uint32_t *at = NEW(j->work->arena, uint32_t, list->n);

	assert(j->lists);
	for (uint32_t i = 0; at && i < list->n; i++)
		at[i] = numbers[list->at[i]];
	j->lists[j->n_lists++] = (struct pool_list){at, list->n};
	return at != NULL;
}

static bool add_member(struct joining *j, struct joined *member)
{
	const struct problem *p = member->plan->problem;
	uint32_t *numbers = NEW(j->work->arena, uint32_t, p->n_pools);
	uint32_t n = count_lists(p);

	if (!numbers)
		return false;
	for (uint32_t i = 0; i < p->n_pools; i++)
		if (!add_pool(j, member, &p->pools[i], &numbers[i]))
			return false;
	member->first_list = j->n_lists;
	for (uint32_t i = 0; i < n; i++)
		if (!add_list(j, &p->pool_lists[i], numbers))
			return false;
	return true;
}

/* Adds list 0, which has all pools. */
static bool add_all(struct joining *j)
{
	uint32_t *all = NEW(j->work->arena, uint32_t, j->n_pools);

	for (uint32_t i = 0; all && i < j->n_pools; i++)
		all[i] = i;
	j->lists[0] = (struct pool_list){all, j->n_pools};
	return all != NULL;
}

/* ------------------------------------------------------------ stage */

static bool check_all(const struct join_work *w)
{
	const struct joined *members = w->members;
	bool some = members[0].plan->problem->pools != NULL;

	for (uint32_t i = 1; i < w->n; i++)
		if ((members[i].plan->problem->pools != NULL) != some)
			return mp_fail(w->error, MEMPLAN_EINPUT,
				"%s: has pools, %s has none: all graphs of an "
				"arena have them, or none has",
				members[some ? 0 : i].place,
				members[some ? i : 0].place);
	return true;
}

static bool make_room(struct joining *j)
{
	size_t lists = 1, pools = 0;

	for (uint32_t i = 0; i < j->work->n; i++) {
		const struct problem *p = j->work->members[i].plan->problem;

		lists += count_lists(p);
		pools += p->n_pools;
	}
	if (lists > MOST_LISTS)
		return mp_fail(j->work->error, MEMPLAN_EINPUT,
			"%s: more than %d lists of pools together",
			j->work->members[0].place, MOST_LISTS);
	j->lists = NEW(j->work->arena, struct pool_list, lists);
	j->pools = NEW(j->work->arena, struct memory_pool, pools);
	j->place = NEW(j->work->arena, const char *, pools);
	j->n_lists = 1;
	return j->lists && j->pools && j->place;
}

bool mp_bundle_join_pools(struct join_work *w)
{
	struct joining j = {.work = w};

	if (!check_all(w))
		return false;
	if (!w->members[0].plan->problem->pools)
		return true;
	if (!make_room(&j))
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (!add_member(&j, &w->members[i]))
			return false;
	if (j.n_pools > MOST_POOLS)
		return mp_fail(w->error, MEMPLAN_EINPUT,
			"%s: more than %d pools together", w->members[0].place,
			MOST_POOLS);
	w->graph->pools = j.pools;
	w->graph->n_pools = j.n_pools;
	w->graph->pool_lists = j.lists;
	return add_all(&j);
}

/* ----------------------------------------------------------- settle */

/* List 0 has all of them, list k + 1 the one pool k; each as a plan file would
 * say. */
static bool settle_lists(
	const struct spaces *spaces, struct graph *graph, struct arena *arena)
{
	struct memory_pool *pools = NEW(arena, struct memory_pool, spaces->n);
	struct pool_list *lists =
		NEW(arena, struct pool_list, (size_t)spaces->n + 1);
	uint32_t *each = NEW(arena, uint32_t, spaces->n);

	if (!pools || !lists || !each)
		return false;
	lists[0] = (struct pool_list){each, spaces->n};
	for (uint32_t k = 0; k < spaces->n; k++) {
		const struct space *space = &spaces->at[k];

		each[k] = k;
		lists[k + 1] = (struct pool_list){&each[k], 1};
		pools[k] = graph->pools[space->pool];
		pools[k].name = space->name;
		pools[k].capacity = mp_graph_pool_room(&pools[k]);
		pools[k].chunk = 0;
	}
	graph->pools = pools;
	graph->n_pools = spaces->n;
	graph->pool_lists = lists;
	return true;
}

bool mp_bundle_pools_settle(const struct replan *replan,
	const struct spaces *spaces, struct graph *graph, struct arena *arena)
{
	const struct schedule *whole = replan->whole;
	struct ties *ties = &graph->ties;
	struct reserved_range *ranges =
		NEW(arena, struct reserved_range, ties->n_reserved);

	assert(spaces->at && graph->n_pools > 0);
	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		uint32_t buffer = whole->stay[i].buffer, space;

		space = buffer == NONE ? NONE
				       : spaces->of[replan->buffer[buffer]];
		graph->tensors[i].pools = (uint16_t)(space + 1);
	}
	for (uint32_t i = 0; ranges && i < ties->n_reserved; i++) {
		uint32_t from = whole->problem.first_reserved + i;

		ranges[i] = ties->reserved[i];
		ranges[i].pools =
			(uint16_t)(spaces->of[replan->buffer[from]] + 1);
	}
	ties->reserved = ranges;
	return ranges && settle_lists(spaces, graph, arena);
}
