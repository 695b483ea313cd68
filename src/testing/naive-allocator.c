/*
 * The pools of naive-allocator.h: chunks in one list, searched from end to end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/naive-allocator.h"

#include <assert.h>
#include <string.h>

enum {
	BINS = 21,
	MOST = 4096,
};

#define WHOLE (UINT64_C(1) << 60)

const struct naive_pool mp_testing_naive_pools[] = {
	{"bfc", 256, 0, true, false},
	{"bfc-one", 256, 1, true, false},
	{"mindspore", 512, UINT64_C(1) << 30, false, true},
	{"mindspore-one", 512, 1, false, false},
	{"pool64", 64, 0, false, false},
};

const uint32_t mp_testing_n_naive_pools =
	sizeof(mp_testing_naive_pools) / sizeof(mp_testing_naive_pools[0]);

/* ----------------------------------------------------------- chunks */

/* In order of regions, and of addresses in a region. */
struct chunk {
	uint64_t address, size;
	uint32_t region, owner; /* buffer + 1; 0: free */
	bool persistent;
};

struct state {
	const struct naive_pool *pool;
	struct chunk chunks[MOST];
	uint32_t n;
	uint64_t next, highs[MOST], in_use;
	struct simulation result;
};

static uint32_t bin_of(uint64_t size)
{
	uint32_t bin = 0;

	while (bin < BINS - 1 && size >= UINT64_C(512) << bin)
		bin++;
	return bin;
}

static bool is_better(const struct state *s, uint32_t a, uint32_t best)
{
	return best == NONE || s->chunks[a].size < s->chunks[best].size;
}

static uint32_t search_chunks(
	const struct state *s, uint64_t size, uint32_t bin, bool persistent)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->chunks[i].owner == 0 && s->chunks[i].size >= size &&
			s->chunks[i].persistent == persistent &&
			(!s->pool->bins || bin_of(s->chunks[i].size) == bin) &&
			is_better(s, i, best))
			best = i;
	return best;
}

static uint32_t find_fit(const struct state *s, uint64_t size, bool persistent)
{
	uint32_t found = NONE;

	if (!s->pool->bins)
		return search_chunks(s, size, 0, persistent);
	for (uint32_t bin = bin_of(size); bin < BINS && found == NONE; bin++)
		found = search_chunks(s, size, bin, persistent);
	return found;
}

static void insert_chunk(struct state *s, uint32_t at, struct chunk chunk)
{
	assert(s->n < MOST && at <= s->n);
	memmove(&s->chunks[at + 1], &s->chunks[at],
		(s->n - at) * sizeof(chunk));
	s->chunks[at] = chunk;
	s->n++;
}

static void delete_chunk(struct state *s, uint32_t at)
{
	s->n--;
	memmove(&s->chunks[at], &s->chunks[at + 1],
		(s->n - at) * sizeof(s->chunks[0]));
}

static void add_region(struct state *s, uint64_t size, bool persistent)
{
	uint64_t bytes = WHOLE;
	bool forced = false;

	if (s->pool->unit > 1) {
		for (bytes = 0; bytes < size; bytes += s->pool->unit)
			;
	} else if (s->pool->unit == 0) {
		for (; s->next < size; s->next *= 2)
			forced = true;
		bytes = s->next;
		s->next *= forced ? 1 : 2;
	}
	insert_chunk(s, s->n,
		(struct chunk){0, bytes, s->result.regions++, 0, persistent});
	if (bytes != WHOLE)
		s->result.reserved += bytes;
}

static uint64_t largest_free(const struct state *s)
{
	uint64_t most = 0, size;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct chunk *c = &s->chunks[i];

		size = c->owner ? 0 : c->size;
		if (s->pool->unit == 1 &&
			c->address + size > s->highs[c->region])
			size = c->address < s->highs[c->region]
				       ? s->highs[c->region] - c->address
				       : 0;
		most = size > most ? size : most;
	}
	return most;
}

static void measure_chunk(struct state *s, const struct chunk *c)
{
	struct simulation *r = &s->result;
	uint64_t end = c->address + c->size;

	if (end > s->highs[c->region])
		s->highs[c->region] = end;
	r->high_water = 0;
	for (uint32_t i = 0; i < r->regions; i++)
		r->high_water += s->highs[i];
	if (s->pool->unit == 1)
		r->reserved = r->high_water;
	s->in_use += c->size;
	if (s->in_use <= r->in_use)
		return;
	r->in_use = s->in_use;
	r->free = r->reserved - r->in_use;
	r->largest_free = largest_free(s);
}

static bool is_split(const struct state *s, uint64_t have, uint64_t size)
{
	if (!s->pool->bins)
		return have - size >= 512;
	return have >= 2 * size || have - size >= UINT64_C(128) << 20;
}

static void take_chunk(
	struct state *s, uint32_t buffer, uint64_t size, bool lasting)
{
	uint32_t at = find_fit(s, size, lasting);
	struct chunk rest;

	if (at == NONE && lasting)
		at = find_fit(s, size, false);
	if (at == NONE) {
		add_region(s, size, lasting);
		at = find_fit(s, size, lasting);
	}
	rest = s->chunks[at];
	s->chunks[at].owner = buffer + 1;
	if (is_split(s, rest.size, size)) {
		rest.address += size;
		rest.size -= size;
		s->chunks[at].size = size;
		insert_chunk(s, at + 1, rest);
	}
	measure_chunk(s, &s->chunks[at]);
}

static bool is_mergeable(const struct state *s, uint32_t i)
{
	return i + 1 < s->n && s->chunks[i].owner == 0 &&
	       s->chunks[i + 1].owner == 0 &&
	       s->chunks[i].region == s->chunks[i + 1].region;
}

static void give_chunk(struct state *s, uint32_t buffer)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->chunks[i].owner == buffer + 1) {
			s->in_use -= s->chunks[i].size;
			s->chunks[i].owner = 0;
		}
	for (uint32_t i = 0; i < s->n;) {
		if (!is_mergeable(s, i)) {
			i++;
			continue;
		}
		s->chunks[i].size += s->chunks[i + 1].size;
		delete_chunk(s, i + 1);
	}
}

static struct simulation run_chunks(
	const struct naive_pool *pool, const struct requests *q)
{
	static struct state s;
	uint64_t size;

	memset(&s, 0, sizeof(s));
	s.pool = pool;
	s.next = 2 << 20;
	for (uint32_t i = 0; i < q->first[q->n_steps]; i++) {
		uint32_t buffer = q->events[i] / 2;

		size = (q->bytes[buffer] + pool->round - 1) / pool->round *
		       pool->round;
		if (q->events[i] % 2)
			give_chunk(&s, buffer);
		else
			take_chunk(&s, buffer, size,
				q->persistent[buffer] && pool->persistent);
	}
	return s.result;
}

/* ----------------------------------------------------------- pool64 */

/* Blocks are never removed from the list, only marked. */
struct half {
	uint64_t size;
	uint32_t whole, used, stamp; /* stamp 0: not in a list */
};

struct halves {
	struct half at[MOST];
	uint32_t n, stamp, of[MOST];
	uint64_t in_use;
	struct simulation result;
};

static uint32_t add_half(struct halves *h, uint64_t size, uint32_t whole)
{
	assert(h->n < MOST);
	h->at[h->n] = (struct half){size, whole, 0, 0};
	return h->n++;
}

static uint32_t newest_of_least(const struct halves *h, uint64_t size)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < h->n; i++)
		if (h->at[i].stamp > 0 && h->at[i].size >= size &&
			(best == NONE || h->at[i].size < h->at[best].size ||
				(h->at[i].size == h->at[best].size &&
					h->at[i].stamp > h->at[best].stamp)))
			best = i;
	return best;
}

static uint64_t largest_half(const struct halves *h)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < h->n; i++)
		if (h->at[i].stamp > 0 && h->at[i].size > most)
			most = h->at[i].size;
	return most;
}

static uint32_t take_half(struct halves *h, uint64_t size)
{
	uint32_t block = newest_of_least(h, size), whole = block, rest;

	if (block == NONE) {
		h->result.regions++;
		h->result.reserved += size;
		return add_half(h, size, NONE);
	}
	h->at[block].stamp = 0;
	if (h->at[block].whole != NONE)
		h->at[h->at[block].whole].used++;
	if (h->at[block].size == size)
		return block;
	h->at[whole].used++;
	block = add_half(h, size, whole);
	rest = add_half(h, h->at[whole].size - size, whole);
	h->at[rest].stamp = ++h->stamp;
	return block;
}

static void give_half(struct halves *h, uint32_t block)
{
	uint32_t whole = h->at[block].whole;

	if (whole == NONE)
		h->at[block].stamp = ++h->stamp;
	while (whole != NONE && --h->at[whole].used == 0) {
		for (uint32_t i = 0; i < h->n; i++)
			if (h->at[i].whole == whole)
				h->at[i].stamp = 0;
		h->at[whole].stamp = ++h->stamp;
		whole = h->at[whole].whole;
	}
}

static void measure_half(struct halves *h, uint64_t size)
{
	struct simulation *r = &h->result;

	h->in_use += size;
	if (h->in_use <= r->in_use)
		return;
	r->in_use = h->in_use;
	r->free = r->reserved - r->in_use;
	r->largest_free = largest_half(h);
}

static struct simulation run_halves(const struct requests *q)
{
	static struct halves h;
	uint64_t size;

	memset(&h, 0, sizeof(h));
	for (uint32_t i = 0; i < q->first[q->n_steps]; i++) {
		uint32_t buffer = q->events[i] / 2;

		size = (q->bytes[buffer] + 63) / 64 * 64;
		if (q->events[i] % 2) {
			h.in_use -= size;
			give_half(&h, h.of[buffer]);
			continue;
		}
		h.of[buffer] = take_half(&h, size);
		measure_half(&h, size);
	}
	h.result.high_water = h.result.reserved;
	return h.result;
}

struct simulation mp_testing_naive_run(
	const struct naive_pool *pool, const struct requests *requests)
{
	if (strcmp(pool->name, "pool64") == 0)
		return run_halves(requests);
	return run_chunks(pool, requests);
}
