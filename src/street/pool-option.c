/*
 * Reads --pools, and adds or changes pools of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

struct reading {
	struct graph *graph;
	struct memory_pool *pools; /* the graph's, to be changed */
	uint32_t n;
	bool defines; /* the graph has no pools of its own */
	struct arena *arena;
	struct error *error;
};

static bool fail(
	struct reading *r, const char *text, size_t length, const char *why)
{
	return mp_fail(r->error, MEMPLAN_EUSAGE, "%s: pools: '%.*s' %s",
		r->graph->place, (int)(length < 80 ? length : 80), text, why);
}

/* The pool of that name; a new one if the option defines the pools. */
static struct memory_pool *pool_of(
	struct reading *r, const char *text, size_t length)
{
	char *name = mp_arena_text(r->arena, text, length);
	uint32_t i = 0;

	if (!name)
		return NULL;
	while (i < r->n && strcmp(r->pools[i].name, name) != 0)
		i++;
	if (r->defines ? length == 0 || i < r->n || strchr(name, '#')
		       : i == r->n)
		return fail(r, text, length,
			       r->defines ? "is no name, or given twice"
					  : "is no pool of the graph"),
		       NULL;
	if (!r->defines)
		return &r->pools[i];
	if (r->n == MOST_POOLS)
		return fail(r, text, length, "is one pool too many"), NULL;
	r->pools[r->n] = (struct memory_pool){.name = name,
		.capacity = NO_CAPACITY,
		.alignment = r->graph->alignment};
	return &r->pools[r->n++];
}

static bool read_capacity(struct reading *r, struct memory_pool *pool,
	const char *text, size_t length)
{
	char *value = mp_arena_text(r->arena, text, length);

	if (!value)
		return false;
	if (!mp_bytes_parse(value, &pool->capacity) || pool->capacity == 0)
		return fail(r, text, length,
			"is not a size in bytes above 0, like 256KiB");
	return pool->capacity % pool->alignment == 0 ||
	       mp_fail(r->error, MEMPLAN_EUSAGE,
		       "%s: pools: the capacity %.40s of pool '%.60s' is not a "
		       "multiple of its alignment %llu",
		       r->graph->place, value, pool->name,
		       (unsigned long long)pool->alignment);
}

static bool read_all(struct reading *r, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ","), name = strcspn(text, "=,");
		struct memory_pool *pool = pool_of(r, text, name);

		if (!pool || (name < length &&
				     !read_capacity(r, pool, text + name + 1,
					     length - name - 1)))
			return false;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

enum {
	LIST_ALL,
	LIST_FIRST,
	N_LISTS
};

/* The arena that the graph speaks of is the first pool: what has a place there
 * keeps it. */
static bool keep_places(struct reading *r)
{
	struct graph *graph = r->graph;
	struct ties *ties = &graph->ties;
	struct reserved_range *ranges = mp_arena_copy(
		r->arena, ties->reserved, ties->n_reserved, sizeof(*ranges));

	if (!ranges)
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].placed)
			graph->tensors[t].pools = LIST_FIRST;
	for (uint32_t i = 0; i < ties->n_reserved; i++)
		ranges[i].pools = LIST_FIRST;
	ties->reserved = ranges;
	return true;
}

static bool define(struct reading *r)
{
	struct pool_list *lists = NEW(r->arena, struct pool_list, N_LISTS);
	uint32_t *all = NEW(r->arena, uint32_t, r->n);

	if (!lists || !all)
		return false;
	for (uint32_t i = 0; i < r->n; i++)
		all[i] = i;
	lists[LIST_ALL] = (struct pool_list){all, r->n};
	lists[LIST_FIRST] = (struct pool_list){all, 1};
	r->graph->pool_lists = lists;
	return r->n == 1 || keep_places(r);
}

bool mp_street_pool_option(struct graph *graph, const char *text,
	struct arena *arena, struct error *e)
{
	struct reading r = {.graph = graph,
		.n = graph->n_pools,
		.defines = graph->n_pools == 0,
		.arena = arena,
		.error = e};

	assert(*text);
	if (graph->claims.present)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: a plan has the pools that it has; --replan lets "
			"them change",
			graph->place);
	r.pools = NEW(
		arena, struct memory_pool, r.n > MOST_POOLS ? r.n : MOST_POOLS);
	if (!r.pools)
		return false;
	if (r.n > 0)
		memcpy(r.pools, graph->pools, sizeof(*r.pools) * r.n);
	if (!read_all(&r, text) || (r.defines && !define(&r)))
		return false;
	graph->pools = r.pools;
	graph->n_pools = r.n;
	return true;
}
