/*
 * Pools and buffers of a problem of dsa-solver's, and what becomes of them in
 * the graph: pools that some buffer may lie in, and a tensor for each buffer or
 * for several that lie at one place.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "input/document/build.h"
#include "input/dsa/dsa.h"
#include "input/rows.h"

enum {
	MOST_ALIGNMENT = 1 << 30,
	MOST_LISTS = UINT16_MAX, /* of pools, that struct tensor can index */
};

/* -------------------------------------------------------------- ids */

/* A number in the document, of which the text is the key of a map. NULL: it is
 * none, or memory is out. */
static const char *key_of(struct dsa *d, const struct json_at *at, uint64_t *id)
{
	if (!mp_json_integer(at, id))
		return NULL;
	return mp_arena_u64(d->arena, *id);
}

static bool find(const struct names *ids, const struct json_at *at,
	const char *what, uint32_t *found)
{
	char number[DECIMAL_TEXT];
	uint64_t id = 0;

	if (!mp_json_integer(at, &id))
		return false;
	*found = mp_names_find(ids, mp_input_decimal(id, number));
	return *found != NONE || mp_json_fail(at, "no %s has the id %llu", what,
					 (unsigned long long)id);
}

bool mp_input_dsa_buffer(
	struct dsa *d, const struct json_at *at, uint32_t *buffer)
{
	return find(&d->buffer_ids, at, "buffer", buffer);
}

bool mp_input_dsa_pool(struct dsa *d, const struct json_at *at, uint32_t *pool)
{
	return find(&d->pool_ids, at, "pool", pool);
}

bool mp_input_dsa_pair(struct dsa *d, const struct json_at *at,
	const struct json_at *first, const struct json_at *second,
	struct dsa_pair *pair)
{
	if (!mp_input_dsa_buffer(d, first, &pair->a) ||
		!mp_input_dsa_buffer(d, second, &pair->b))
		return false;
	return pair->a != pair->b ||
	       mp_json_fail(at, "a pair of two different buffers is wanted");
}

/* ------------------------------------------------------------ pools */

static bool read_capacity(const struct json_at *at, uint64_t *capacity)
{
	*capacity = NO_CAPACITY;
	return mp_json_is_null(at) ||
	       (mp_json_integer(at, capacity) &&
		       (*capacity > 0 ||
			       mp_json_fail(at, "a pool of 0 bytes")));
}

static bool read_banks(const struct json_at *at, struct banks *banks)
{
	static const struct json_key keys[] = {
		{"bank_size", true}, {"num_banks", true}};

	return !at->value || mp_input_banks(at, keys, banks);
}

static bool read_pool(
	struct dsa *d, const struct json_at *at, struct dsa_pool *pool)
{
	enum {
		ID,
		NAME,
		CAPACITY,
		RANGES,
		BANKS,
		N_KEYS
	};
	static const struct json_key keys[N_KEYS] = {
		{"id", true},
		{"name", true},
		{"capacity", true},
		{"reserved_ranges", true},
		{"bank_geometry", false},
	};
	struct json_at found[N_KEYS];
	const char *key;

	if (!mp_json_pick(at, keys, N_KEYS, found) ||
		!(key = key_of(d, &found[ID], &pool->id)) ||
		!mp_json_copy(&found[NAME], &pool->name, d->arena) ||
		!read_capacity(&found[CAPACITY], &pool->capacity) ||
		!mp_json_expect_list(&found[RANGES]))
		return false;
	if (*pool->name == '\0')
		pool->name = mp_arena_print(d->arena, "pool%s", key);
	if (mp_names_add(&d->pool_ids, key, at->index) != NONE)
		return mp_json_fail(&found[ID], "another pool has this id");
	return pool->name && read_banks(&found[BANKS], &pool->banks);
}

bool mp_input_dsa_pools(struct dsa *d, const struct json_at *at)
{
	d->pools = mp_json_room(at, &d->n_pools, sizeof(*d->pools), d->arena);
	if (!d->pools)
		return false;
	if (d->n_pools == 0 || d->n_pools > MOST_POOLS)
		return mp_json_fail(
			at, "must name from 1 to %u pools", MOST_POOLS);
	if (!mp_names_init(&d->pool_ids, d->n_pools, d->arena))
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_pool(d, &m, &d->pools[m.index]))
			return false;
	return true;
}

/* ---------------------------------------------------------- buffers */

static int by_start(const void *left, const void *right)
{
	const struct time_span *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Sorts spans, and joins those that overlap or touch. */
static uint32_t join_spans(struct time_span *spans, uint32_t n)
{
	uint32_t kept = 0;

	assert(n > 0);
	qsort(spans, n, sizeof(*spans), by_start);
	for (uint32_t i = 1; i < n; i++) {
		struct time_span *last = &spans[kept];

		if (spans[i].start > last->end)
			spans[++kept] = spans[i];
		else if (spans[i].end > last->end)
			last->end = spans[i].end;
	}
	return kept + 1;
}

static bool read_span(const struct json_at *at, struct time_span *span)
{
	static const struct json_key keys[] = {
		{"lower", true}, {"upper", true}};
	struct json_at found[countof(keys)];

	return mp_json_pick(at, keys, countof(keys), found) &&
	       mp_json_signed(&found[0], &span->start) &&
	       mp_json_signed(&found[1], &span->end) &&
	       (span->start < span->end ||
		       mp_json_fail(at, "must have a lower end below its upper "
					"one"));
}

static bool read_spans(
	struct dsa *d, const struct json_at *at, struct dsa_buffer *buffer)
{
	uint32_t n;
	struct time_span *spans =
		mp_json_room(at, &n, sizeof(*spans), d->arena);

	if (!spans)
		return false;
	if (n == 0)
		return mp_json_fail(at, "a buffer that is never alive");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_span(&m, &spans[m.index]))
			return false;
	buffer->n_spans = join_spans(spans, n);
	buffer->spans = spans;
	return true;
}

static bool read_allowed(
	struct dsa *d, const struct json_at *at, struct dsa_buffer *buffer)
{
	uint32_t n;
	uint32_t *pools = mp_json_room(at, &n, sizeof(*pools), d->arena);
	uint64_t seen = 0;

	if (!pools)
		return false;
	if (n == 0)
		return mp_json_fail(at, "must name at least one pool");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		uint32_t *pool = &pools[m.index];

		if (!mp_input_dsa_pool(d, &m, pool))
			return false;
		assert(*pool < MOST_POOLS);
		if (seen >> *pool & 1)
			return mp_json_fail(&m, "a pool stands here twice");
		seen |= UINT64_C(1) << *pool;
	}
	buffer->pools = pools;
	buffer->n_pools = n;
	return true;
}

static bool read_alignment(const struct json_at *at, uint64_t *align)
{
	return mp_json_integer(at, align) &&
	       ((num_is_pow2(*align) && *align <= MOST_ALIGNMENT) ||
		       mp_json_fail(at,
			       "an alignment of %llu: memplan takes powers of "
			       "two up to %d",
			       (unsigned long long)*align, MOST_ALIGNMENT));
}

static bool read_buffer(
	struct dsa *d, const struct json_at *at, struct dsa_buffer *buffer)
{
	enum {
		ID,
		NAME,
		SIZE,
		ALIGNMENT,
		INTERVALS,
		POOLS,
		N_KEYS
	};
	static const struct json_key keys[N_KEYS] = {
		{"id", true},
		{"name", true},
		{"size", true},
		{"alignment", true},
		{"live_intervals", true},
		{"allowed_pools", true},
	};
	struct json_at found[N_KEYS];
	const char *key;

	*buffer = (struct dsa_buffer){.first = at->index, .tensor = NONE};
	if (!mp_json_pick(at, keys, N_KEYS, found) ||
		!(key = key_of(d, &found[ID], &buffer->id)) ||
		!mp_json_copy(&found[NAME], &buffer->name, d->arena) ||
		!mp_json_integer(&found[SIZE], &buffer->size) ||
		!read_alignment(&found[ALIGNMENT], &buffer->align) ||
		!read_spans(d, &found[INTERVALS], buffer) ||
		!read_allowed(d, &found[POOLS], buffer))
		return false;
	if (mp_names_add(&d->buffer_ids, key, at->index) != NONE)
		return mp_json_fail(&found[ID], "another buffer has this id");
	if (*buffer->name == '\0')
		buffer->name = NULL;
	return buffer->size > 0 ||
	       mp_json_fail(&found[SIZE], "a buffer of 0 bytes");
}

bool mp_input_dsa_buffers(struct dsa *d, const struct json_at *at)
{
	d->buffers =
		mp_json_room(at, &d->n_buffers, sizeof(*d->buffers), d->arena);
	if (!d->buffers ||
		!mp_names_init(&d->buffer_ids, d->n_buffers, d->arena))
		return false;
	if (d->n_buffers == 0)
		return mp_json_fail(at, "there is no buffer");
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_buffer(d, &m, &d->buffers[m.index]))
			return false;
	return true;
}

/* ----------------------------------------------- pools of the graph */

/* Lists 0 to n are all pools, and each alone; lists of several pools follow,
 * one a buffer that has one. */
static bool add_lists(struct dsa *d)
{
	struct graph *graph = d->graph;
	uint32_t n = graph->n_pools + 1, more = 0;
	struct pool_list *lists;

	for (uint32_t i = 0; i < d->n_buffers; i++)
		more += d->buffers[i].n_pools > 1;
	if (n + more > MOST_LISTS)
		return mp_fail(d->error, MEMPLAN_EINPUT,
			"%s: more than %u buffers may lie in several pools",
			graph->place, MOST_LISTS - n);
	lists = NEW(d->arena, struct pool_list, (size_t)n + more);
	if (!lists)
		return false;
	for (uint32_t i = 0; i < n; i++)
		lists[i] = graph->pool_lists[i];
	for (uint32_t i = 0; i < d->n_buffers; i++) {
		const struct dsa_buffer *buffer = &d->buffers[i];
		uint32_t *at = NEW(d->arena, uint32_t, buffer->n_pools);

		if (!at)
			return false;
		for (uint32_t k = 0; k < buffer->n_pools; k++)
			at[k] = d->pools[buffer->pools[k]].place;
		if (buffer->n_pools > 1)
			lists[n++] = (struct pool_list){at, buffer->n_pools};
	}
	graph->pool_lists = lists;
	return true;
}

static bool set_pools(struct dsa *d)
{
	struct memory_pool *pools =
		NEW(d->arena, struct memory_pool, d->n_pools);
	struct names names;
	uint32_t n = 0;

	if (!pools || !mp_names_init(&names, d->n_pools, d->arena))
		return false;
	for (uint32_t i = 0; i < d->n_buffers; i++)
		for (uint32_t k = 0; k < d->buffers[i].n_pools; k++)
			d->pools[d->buffers[i].pools[k]].is_used = true;
	for (uint32_t i = 0; i < d->n_pools; i++) {
		struct dsa_pool *pool = &d->pools[i];

		if (!pool->is_used)
			continue;
		if (mp_names_add(&names, pool->name, i) != NONE)
			return mp_fail(d->error, MEMPLAN_EINPUT,
				"%s: two pools are called '%.60s'",
				d->graph->place, pool->name);
		if (pool->capacity != NO_CAPACITY &&
			pool->capacity % d->alignment != 0)
			return mp_fail(d->error, MEMPLAN_EINPUT,
				"%s: the capacity of pool '%.60s' is no "
				"multiple of the alignment %llu",
				d->graph->place, pool->name,
				(unsigned long long)d->alignment);
		pool->place = n;
		pools[n++] = (struct memory_pool){.name = pool->name,
			.capacity = pool->capacity,
			.alignment = d->alignment,
			.banks = pool->banks};
	}
	return mp_input_pools_set(d->graph, pools, n, d->arena) && add_lists(d);
}

/* ---------------------------------------------------------- tensors */

/* The times in which any buffer is alive. */
static struct time_span all_times(const struct dsa *d)
{
	struct time_span all = d->buffers[0].spans[0];

	for (uint32_t i = 0; i < d->n_buffers; i++) {
		const struct dsa_buffer *b = &d->buffers[i];

		if (b->spans[0].start < all.start)
			all.start = b->spans[0].start;
		if (b->spans[b->n_spans - 1].end > all.end)
			all.end = b->spans[b->n_spans - 1].end;
	}
	return all;
}

static bool add_gaps(const struct dsa *d, const struct dsa_buffer *buffer,
	uint32_t tensor, struct gap_list *gaps)
{
	for (uint32_t i = 1; i < buffer->n_spans; i++) {
		struct lifetime_gap gap = {.tensor = tensor};
		struct time_span span = {
			buffer->spans[i - 1].end, buffer->spans[i].start};

		if (!mp_input_gap_list_add(gaps, &gap, &span, d->arena))
			return false;
	}
	return true;
}

/* The buffer takes what another one needs that lies at the same place. */
static bool join_buffers(
	struct dsa *d, struct dsa_buffer *into, const struct dsa_buffer *from)
{
	uint32_t n = into->n_spans + from->n_spans, n_pools = 0;
	struct time_span *spans = NEW(d->arena, struct time_span, n);
	uint32_t *pools = NEW(d->arena, uint32_t, into->n_pools);

	if (!spans || !pools)
		return false;
	for (uint32_t i = 0; i < n; i++)
		spans[i] = i < into->n_spans ? into->spans[i]
					     : from->spans[i - into->n_spans];
	for (uint32_t i = 0; i < into->n_pools; i++)
		for (uint32_t k = 0; k < from->n_pools; k++)
			if (from->pools[k] == into->pools[i])
				pools[n_pools++] = into->pools[i];
	if (n_pools == 0)
		return mp_fail(d->error, MEMPLAN_EINPUT,
			"%s: buffers %llu and %llu have to lie at one place, "
			"and there is no pool for both",
			d->graph->place, (unsigned long long)into->id,
			(unsigned long long)from->id);
	if (into->pinned && from->pinned && into->offset != from->offset)
		return mp_fail(d->error, MEMPLAN_EINPUT,
			"%s: buffers %llu and %llu have to lie at one place, "
			"and are pinned to two",
			d->graph->place, (unsigned long long)into->id,
			(unsigned long long)from->id);
	into->n_spans = join_spans(spans, n);
	into->spans = spans;
	into->pools = pools;
	into->n_pools = n_pools;
	into->size = num_max(into->size, from->size);
	into->align = num_max(into->align, from->align);
	into->offset = into->pinned ? into->offset : from->offset;
	into->pinned |= from->pinned;
	into->alone |= from->alone;
	into->is_joined = true;
	return true;
}

static void set_tensor(struct dsa *d, const struct dsa_buffer *buffer,
	uint32_t list, struct tensor *tensor)
{
	tensor->name = buffer->name;
	tensor->id_is_number = true;
	tensor->size = buffer->size;
	tensor->align = (uint32_t)buffer->align;
	tensor->producer = NONE;
	tensor->placed = buffer->pinned;
	tensor->offset = buffer->offset;
	tensor->pools =
		(uint16_t)(buffer->n_pools > 1
				   ? list
				   : d->pools[buffer->pools[0]].place + 1);
}

static bool fill_tensors(struct dsa *d, struct tensor *tensors,
	struct time_span *spans, struct gap_list *gaps)
{
	struct time_span all = all_times(d);
	uint32_t n = 0, list = d->graph->n_pools + 1;

	for (uint32_t i = 0; i < d->n_buffers; i++) {
		struct dsa_buffer *buffer = &d->buffers[i];

		if (buffer->first == i) {
			set_tensor(d, buffer, list, &tensors[n]);
			tensors[n].id = mp_arena_u64(d->arena, buffer->id);
			spans[n] = (struct time_span){buffer->spans[0].start,
				buffer->spans[buffer->n_spans - 1].end};
			if (buffer->alone)
				spans[n] = all;
			if (!tensors[n].id ||
				(!buffer->alone &&
					!add_gaps(d, buffer, n, gaps)))
				return false;
			buffer->tensor = n++;
		}
		list += buffer->n_pools > 1;
		buffer->tensor = d->buffers[buffer->first].tensor;
		buffer->is_joined = d->buffers[buffer->first].is_joined;
	}
	d->graph->n_tensors = n;
	return true;
}

bool mp_input_dsa_tensors(struct dsa *d)
{
	struct tensor *tensors = NEW(d->arena, struct tensor, d->n_buffers);
	struct time_span *spans = NEW(d->arena, struct time_span, d->n_buffers);
	struct gap_list gaps = {0};

	if (!tensors || !spans)
		return false;
	for (uint32_t i = 0; i < d->n_buffers; i++)
		if (d->buffers[i].first != i &&
			!join_buffers(d, &d->buffers[d->buffers[i].first],
				&d->buffers[i]))
			return false;
	d->graph->tensors = tensors;
	if (!set_pools(d) || !fill_tensors(d, tensors, spans, &gaps) ||
		!mp_input_times_compress(
			d->graph, spans, d->graph->n_tensors, &gaps, d->arena))
		return false;
	d->graph->ties.gaps = gaps.at;
	d->graph->ties.n_gaps = gaps.n;
	return true;
}
