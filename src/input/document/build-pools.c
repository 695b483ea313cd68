/*
 * The pools of a graph or plan document, and the lists of pools that may hold a
 * tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/document/build.h"
#include "input/rows.h"

/* A graph has the keys up to P_BANKS, a plan those from P_NAME on. */
enum {
	P_CHUNK,
	P_NAME,
	P_CAPACITY,
	P_ALIGNMENT,
	P_BANKS,
	P_ARENA_SIZE,
	P_THEORETICAL_MIN,
	P_LOWER_BOUND,
	N_KEYS,
	MOST_LISTS = UINT16_MAX, /* pool lists that struct tensor can index */
};

static const struct json_key keys[N_KEYS] = {
	{"chunk", false},
	{"name", true},
	{"capacity", false},
	{"alignment", false},
	{"banks", false},
	{"arena_size", false},
	{"theoretical_min", false},
	{"lower_bound", false},
};

/* ------------------------------------------------------------ pools */

/* Only a plan has names like NAME#0: those of the blocks of a pool. */
static bool read_name(const struct build *b, const struct json_at *at,
	struct memory_pool *pool)
{
	if (!mp_json_copy(at, &pool->name, b->arena))
		return false;
	if (pool->name[0] == '\0')
		return mp_json_fail(at, "a pool needs a name");
	return b->is_plan || !strchr(pool->name, '#') ||
	       mp_json_fail(at,
		       "the name '%.60s' has a '#', which numbers the "
		       "blocks of a pool in a plan",
		       pool->name);
}

/* Reads a size that is a multiple of the alignment and not 0. */
static bool read_bytes(const struct json_at *at, const struct memory_pool *pool,
	uint64_t *bytes)
{
	if (!mp_json_integer(at, bytes) || !at->value)
		return !at->value;
	if (*bytes == 0)
		return mp_json_fail(
			at, "pool '%.60s' would hold nothing", pool->name);
	return *bytes % pool->alignment == 0 ||
	       mp_json_fail(at,
		       "%llu of pool '%.60s' is not a multiple of its "
		       "alignment %llu",
		       (unsigned long long)*bytes, pool->name,
		       (unsigned long long)pool->alignment);
}

static bool read_alignment(const struct build *b, const struct json_at *at,
	struct memory_pool *pool)
{
	uint64_t least = b->graph->alignment;

	pool->alignment = least;
	if (!mp_input_build_alignment(at, &pool->alignment))
		return false;
	if (at->value && pool->alignment < b->pool_alignment)
		return mp_json_fail(at,
			"%llu of pool '%.60s' is less than the alignment %llu "
			"of the document",
			(unsigned long long)pool->alignment, pool->name,
			(unsigned long long)b->pool_alignment);
	pool->alignment = num_max(pool->alignment, least);
	return true;
}

static bool read_banks(const struct json_at *at, struct banks *banks)
{
	static const struct json_key bank_keys[] = {
		{"size", true}, {"count", true}};

	return !at->value || mp_input_banks(at, bank_keys, banks);
}

static bool read_claims(const struct json_at *found, struct pool_claim *claim)
{
	return mp_json_integer(&found[P_ARENA_SIZE], &claim->arena_size) &&
	       mp_json_integer(
		       &found[P_THEORETICAL_MIN], &claim->theoretical_min) &&
	       mp_json_integer(&found[P_LOWER_BOUND], &claim->lower_bound);
}

static bool read_pool(struct build *b, const struct json_at *at,
	struct memory_pool *pool, struct pool_claim *claim)
{
	uint32_t first = b->is_plan ? P_NAME : P_CHUNK;
	uint32_t end = b->is_plan ? N_KEYS : P_ARENA_SIZE;
	struct json_at found[N_KEYS] = {0};

	*pool = (struct memory_pool){.capacity = NO_CAPACITY};
	if (!mp_json_pick(at, keys + first, end - first, found + first) ||
		!read_name(b, &found[P_NAME], pool) ||
		!read_alignment(b, &found[P_ALIGNMENT], pool) ||
		!read_bytes(&found[P_CAPACITY], pool, &pool->capacity) ||
		!read_banks(&found[P_BANKS], &pool->banks))
		return false;
	return b->is_plan ? read_claims(found, claim)
			  : read_bytes(&found[P_CHUNK], pool, &pool->chunk);
}

static bool read_pools(struct build *b, const struct json_at *at,
	struct memory_pool *pools, struct pool_claim *claims)
{
	struct graph *graph = b->graph;
	uint32_t twin;

	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!read_pool(b, &m, &pools[m.index], &claims[m.index]))
			return false;
		twin = mp_names_add(&b->pools, pools[m.index].name, m.index);
		if (twin != NONE)
			return mp_json_fail(&m,
				"pool %u has the name '%.60s' too", twin,
				pools[m.index].name);
	}
	graph->pools = pools;
	graph->claims.pools = b->is_plan ? claims : NULL;
	return true;
}

/* ------------------------------------------------------------ lists */

static bool start_lists(struct build *b, const struct json_at *at)
{
	uint64_t most = num_min(at->json->n_values, MOST_LISTS) + 1;
	uint32_t *all = NEW(b->arena, uint32_t, b->graph->n_pools);

	b->pool_lists = NEW(b->arena, struct pool_list, most);
	if (!all || !b->pool_lists ||
		!mp_names_init(&b->pool_keys, (uint32_t)most, b->arena))
		return false;
	for (uint32_t i = 0; i < b->graph->n_pools; i++)
		all[i] = i;
	b->pool_lists[0] = (struct pool_list){all, b->graph->n_pools};
	b->graph->pool_lists = b->pool_lists;
	b->n_pool_lists = 1;
	return true;
}

bool mp_input_build_pools(struct build *b, const struct json_at *at)
{
	uint64_t most =
		b->is_plan ? at->value ? at->json->n_values : 0 : MOST_POOLS;
	struct memory_pool *pools;
	struct pool_claim *claims;
	uint32_t n;

	if (!mp_json_list(at, &n) || !at->value)
		return !at->value;
	if (n == 0 || n > most)
		return mp_json_fail(
			at, "must name from 1 to %u pools", (uint32_t)most);
	pools = NEW(b->arena, struct memory_pool, n);
	claims = NEW(b->arena, struct pool_claim, n);
	b->graph->n_pools = n;
	return pools && claims && mp_names_init(&b->pools, n, b->arena) &&
	       read_pools(b, at, pools, claims) && start_lists(b, at);
}

static bool find_pool(
	const struct build *b, const struct json_at *at, uint32_t *pool)
{
	const char *text = NULL;

	if (!mp_json_text(at, &text))
		return false;
	*pool = b->graph->n_pools > 0 ? mp_names_find(&b->pools, text) : NONE;
	return *pool != NONE ||
	       mp_json_fail(at, "no pool is called '%.60s'", text);
}

/* Many tensors have the same list of pools: each list is kept once. */
static bool keep_list(struct build *b, const struct json_at *at,
	const uint32_t *pools, uint32_t n, uint16_t *list)
{
	char key[MOST_POOLS * 8 + DECIMAL_TEXT] = "", number[DECIMAL_TEXT];
	struct pool_list *next = &b->pool_lists[b->n_pool_lists];
	const uint32_t *copy;
	const char *kept;
	uint32_t found;

	assert(n > 0 && n <= MOST_POOLS);
	for (uint32_t i = 0; i < n; i++) {
		strcat(key, mp_input_decimal(pools[i], number));
		strcat(key, ",");
	}
	found = mp_names_find(&b->pool_keys, key);
	*list = (uint16_t)found;
	if (found != NONE)
		return true;
	if (b->n_pool_lists == MOST_LISTS)
		return mp_json_fail(at, "more than %d different lists of pools",
			MOST_LISTS - 1);
	copy = mp_arena_copy(b->arena, pools, n, sizeof(*pools));
	kept = mp_arena_text(b->arena, key, strlen(key));
	if (!copy || !kept)
		return false;
	*next = (struct pool_list){copy, n};
	*list = (uint16_t)b->n_pool_lists++;
	return mp_names_add(&b->pool_keys, kept, *list) == NONE;
}

bool mp_input_build_pool(
	struct build *b, const struct json_at *at, uint16_t *list)
{
	uint32_t pool;

	return !at->value ||
	       (find_pool(b, at, &pool) && keep_list(b, at, &pool, 1, list));
}

bool mp_input_build_pool_list(
	struct build *b, const struct json_at *at, uint16_t *list)
{
	uint32_t pools[MOST_POOLS], n, pool;
	uint64_t seen = 0;

	if (!mp_json_list(at, &n) || !at->value)
		return !at->value;
	if (n == 0)
		return mp_json_fail(at, "must name at least one pool");
	n = 0;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!find_pool(b, &m, &pool))
			return false;
		assert(pool < MOST_POOLS);
		if (seen >> pool & 1)
			return mp_json_fail(&m,
				"pool '%.60s' stands here twice",
				b->graph->pools[pool].name);
		seen |= UINT64_C(1) << pool;
		/* Each pool comes once, so there is room for all. */
		assert(n < MOST_POOLS);
		pools[n++] = pool;
	}
	return keep_list(b, at, pools, n, list);
}
