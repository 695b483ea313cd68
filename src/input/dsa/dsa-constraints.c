/*
 * What holds between buffers of a problem of dsa-solver's: buffers at one
 * place, pins, pairs kept apart, reserved ranges and penalties.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/dsa/dsa.h"

bool mp_input_dsa_pairs(struct dsa *d, const struct json_at *constraints,
	const char *key, const char *other, struct dsa_pair **pairs,
	uint32_t *n)
{
	const struct json_key keys[] = {
		{"first", true}, {"second", true}, {other, false}};
	struct json_at found[countof(keys)];
	struct json_at at = mp_json_find(constraints, key);

	*pairs = mp_json_room(&at, n, sizeof(**pairs), d->arena);
	if (!*pairs)
		return false;
	for (struct json_at m = mp_json_first(&at); m.value; mp_json_next(&m))
		if (!mp_json_pick(&m, keys, other ? 3 : 2, found) ||
			!mp_input_dsa_pair(d, &m, &found[0], &found[1],
				&(*pairs)[m.index]))
			return false;
	return true;
}

/* ----------------------------------------------------------- places */

static uint32_t first_of(const struct dsa *d, uint32_t buffer)
{
	while (d->buffers[buffer].first != buffer)
		buffer = d->buffers[buffer].first;
	return buffer;
}

static bool read_colocations(struct dsa *d, const struct json_at *constraints)
{
	struct dsa_pair *pairs;
	uint32_t n;

	if (!mp_input_dsa_pairs(
		    d, constraints, "colocations", NULL, &pairs, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t a = first_of(d, pairs[i].a);
		uint32_t b = first_of(d, pairs[i].b);

		/* The first of all is the lowest, and paths stay short. */
		d->buffers[a > b ? a : b].first = a < b ? a : b;
		d->buffers[pairs[i].a].first = a < b ? a : b;
		d->buffers[pairs[i].b].first = a < b ? a : b;
	}
	for (uint32_t i = 0; i < d->n_buffers; i++)
		d->buffers[i].first = first_of(d, i);
	return true;
}

static bool read_pin(struct dsa *d, const struct json_at *at)
{
	enum {
		BUFFER,
		POOL,
		OFFSET,
		ALONE,
		N_KEYS
	};
	static const struct json_key keys[N_KEYS] = {
		{"buffer", true},
		{"pool", true},
		{"offset", true},
		{"exclusive_for_all_time", true},
	};
	struct json_at found[N_KEYS];
	struct dsa_buffer *buffer;
	uint32_t pool, which;
	uint32_t *only = NEW(d->arena, uint32_t, 1);

	if (!only || !mp_json_pick(at, keys, N_KEYS, found) ||
		!mp_input_dsa_buffer(d, &found[BUFFER], &which) ||
		!mp_input_dsa_pool(d, &found[POOL], &pool))
		return false;
	buffer = &d->buffers[which];
	if (buffer->pinned)
		return mp_json_fail(at, "a buffer is pinned twice");
	if (!mp_json_integer(&found[OFFSET], &buffer->offset) ||
		!mp_json_bool(&found[ALONE], &buffer->alone))
		return false;
	if (buffer->offset % buffer->align != 0)
		return mp_json_fail(&found[OFFSET],
			"is no multiple of the alignment of its buffer");
	for (uint32_t i = 0; i < buffer->n_pools; i++)
		buffer->pinned |= buffer->pools[i] == pool;
	if (!buffer->pinned)
		return mp_json_fail(
			&found[POOL], "is none that the buffer may lie in");
	*only = pool;
	buffer->pools = only;
	buffer->n_pools = 1;
	return true;
}

bool mp_input_dsa_places(struct dsa *d, const struct json_at *constraints)
{
	struct json_at pins = mp_json_find(constraints, "pinned_allocations");

	if (!mp_json_expect_list(&pins))
		return false;
	for (struct json_at m = mp_json_first(&pins); m.value; mp_json_next(&m))
		if (!read_pin(d, &m))
			return false;
	return read_colocations(d, constraints);
}

/* ------------------------------------------------------------ apart */

bool mp_input_dsa_separations(struct dsa *d, const struct json_at *constraints)
{
	struct ties *ties = &d->graph->ties;
	struct tensor_pair *apart;
	struct dsa_pair *pairs;
	uint32_t n;

	if (!mp_input_dsa_pairs(
		    d, constraints, "separations", "reasons", &pairs, &n))
		return false;
	apart = NEW(d->arena, struct tensor_pair, n);
	if (!apart)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct dsa_buffer *a = &d->buffers[pairs[i].a];
		const struct dsa_buffer *b = &d->buffers[pairs[i].b];

		if (a->tensor == b->tensor)
			return mp_fail(d->error, MEMPLAN_EINPUT,
				"%s: buffers %llu and %llu have to lie at one "
				"place, and apart",
				d->graph->place, (unsigned long long)a->id,
				(unsigned long long)b->id);
		apart[i] = (struct tensor_pair){a->tensor, b->tensor};
	}
	ties->apart = apart;
	ties->n_apart = n;
	return true;
}

/* --------------------------------------------------------- reserved */

static bool read_range(const struct dsa *d, const struct json_at *at,
	const struct dsa_pool *pool, struct reserved_range *range)
{
	static const struct json_key keys[] = {{"begin", true}, {"end", true}};
	struct json_at found[countof(keys)];
	uint64_t end = 0;

	if (!mp_json_pick(at, keys, countof(keys), found) ||
		!mp_json_integer(&found[0], &range->offset) ||
		!mp_json_integer(&found[1], &end))
		return false;
	if (end <= range->offset || end > pool->capacity)
		return mp_json_fail(
			at, "must begin before it ends, within the capacity");
	range->size = end - range->offset;
	range->pools = (uint16_t)(d->graph->n_pools > 0 ? pool->place + 1 : 0);
	return true;
}

bool mp_input_dsa_reserved(struct dsa *d, const struct json_at *pools)
{
	struct ties *ties = &d->graph->ties;
	uint64_t n = mp_json_total(pools, "reserved_ranges");
	struct reserved_range *ranges = NEW(d->arena, struct reserved_range, n);

	if (!ranges)
		return false;
	ties->reserved = ranges;
	for (struct json_at p = mp_json_first(pools); p.value;
		mp_json_next(&p)) {
		struct json_at list = mp_json_find(&p, "reserved_ranges");
		const struct dsa_pool *pool = &d->pools[p.index];

		for (struct json_at m = mp_json_first(&list);
			m.value && pool->is_used; mp_json_next(&m))
			if (!read_range(
				    d, &m, pool, &ranges[ties->n_reserved++]))
				return false;
	}
	return true;
}

/* -------------------------------------------------------- penalties */

/* False in `counts`: the two have to lie at one place, which costs nothing. */
static bool read_penalty(struct dsa *d, const struct json_at *at,
	struct reuse_cost *cost, bool *counts)
{
	static const struct json_key keys[] = {{"first", true},
		{"second", true}, {"cost", true}, {"reason", true}};
	struct json_at found[countof(keys)];
	struct dsa_pair pair;

	if (!mp_json_pick(at, keys, countof(keys), found) ||
		!mp_input_dsa_pair(d, at, &found[0], &found[1], &pair) ||
		!mp_json_integer(&found[2], &cost->cost))
		return false;
	cost->a = d->buffers[pair.a].tensor;
	cost->b = d->buffers[pair.b].tensor;
	*counts = cost->a != cost->b;
	return true;
}

bool mp_input_dsa_penalties(struct dsa *d, const struct json_at *model)
{
	static const struct json_key keys[] = {{"reuse_penalties", true}};
	struct ties *ties = &d->graph->ties;
	struct reuse_cost *costs;
	struct json_at list;
	uint64_t sum = 0;
	bool counts;
	uint32_t n;

	if (!model->value)
		return true;
	if (!mp_json_pick(model, keys, countof(keys), &list))
		return false;
	costs = mp_json_room(&list, &n, sizeof(*costs), d->arena);
	if (!costs)
		return false;
	ties->costs = costs;
	for (struct json_at m = mp_json_first(&list); m.value;
		mp_json_next(&m)) {
		struct reuse_cost *cost = &costs[ties->n_costs];

		if (!read_penalty(d, &m, cost, &counts))
			return false;
		if (!num_add(sum, cost->cost, &sum))
			return mp_json_fail(
				&m, "the costs sum to more than 2^62");
		ties->n_costs += counts;
	}
	return true;
}
