/*
 * A map says which part held each address last: ranges of addresses, each with
 * one part. Parts are put into the map in the order of their births. A part
 * makes at most two cuts and removes those within it, so that parts meet fewer
 * than three ranges each on average.
 *
 * Cuts are at bottoms and tops of parts only. These addresses are numbered.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/overwrites.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/search.h"
#include "base/sort.h"
#include "problem/branches.h"

/* --------------------------------------------------------- sequence */

struct birth {
	uint32_t start, rank, end, part;
};

/* Of the parts that are alive from the start, those without uses come first. */
static uint32_t rank_of(const struct problem *p, uint32_t part)
{
	if (p->n_streams <= 1)
		return 0;
	if (p->born[part] > 0)
		return 2;
	for (uint32_t k = 0; k < p->n_streams; k++)
		if (p->free[(size_t)part * p->n_streams + k] > 0)
			return 1;
	return 0;
}

static int born_before(const void *left, const void *right)
{
	const struct birth *a = left, *b = right;

	return mp_sort_compare_three(a->start, b->start, a->rank, b->rank,
		(uint64_t)a->end << 32 | a->part,
		(uint64_t)b->end << 32 | b->part);
}

bool mp_problem_overwrites_sequence(
	const struct problem *p, uint32_t *order, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct birth *births = NEW(scratch, struct birth, p->n_parts);

	if (!births)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		births[i] = (struct birth){
			p->parts[i].start, rank_of(p, i), p->parts[i].end, i};
	qsort(births, p->n_parts, sizeof(*births), born_before);
	for (uint32_t i = 0; i < p->n_parts; i++)
		order[i] = births[i].part;
	mp_arena_rewind(scratch, mark);
	return true;
}

/* -------------------------------------------------------- addresses */

static uint64_t bottom(
	const struct problem *p, const uint64_t *offsets, uint32_t part)
{
	return offsets[p->parts[part].buffer] + p->parts[part].base;
}

/* All bottoms and tops, ascending, each once. */
static uint32_t list_addresses(
	const struct problem *p, const uint64_t *offsets, uint64_t *addresses)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint64_t low = bottom(p, offsets, i);

		addresses[n++] = low;
		addresses[n++] = low + p->parts[i].size;
	}
	return mp_sort_unique_u64(addresses, n);
}

/* -------------------------------------------------------------- map */

struct map {
	const struct problem *problem;
	uint32_t *order; /* parts as they are born */
	uint64_t *addresses;
	uint32_t n_addresses;
	uint32_t *low, *high; /* of a part: numbers of bottom and top */
	struct bits cuts;
	uint32_t *held; /* of the range from this cut on: the part that held it
			   last; NONE: none did */
	uint32_t *seen; /* of a part: 1 + the part that overwrote it last; 0:
			   none did */
	uint32_t *slot; /* of a part: that overwrite */
	struct overwrites *found;
	struct branch_sets sets;
};

static bool map_init(struct map *map, const struct problem *p,
	const uint64_t *offsets, struct arena *arena)
{
	size_t n = p->n_parts;

	map->problem = p;
	map->order = NEW(arena, uint32_t, n);
	map->addresses = NEW(arena, uint64_t, 2 * n);
	map->low = NEW(arena, uint32_t, n);
	map->high = NEW(arena, uint32_t, n);
	map->seen = NEW(arena, uint32_t, n);
	map->slot = NEW(arena, uint32_t, n);
	if (!map->order || !map->addresses || !map->low || !map->high ||
		!map->seen || !map->slot ||
		!mp_problem_branch_sets_init(&map->sets, p, arena) ||
		!mp_problem_overwrites_sequence(p, map->order, arena))
		return false;
	map->n_addresses = list_addresses(p, offsets, map->addresses);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint64_t low = bottom(p, offsets, i);

		map->low[i] =
			mp_search_u64(map->addresses, map->n_addresses, low);
		map->high[i] = mp_search_u64(map->addresses, map->n_addresses,
			low + p->parts[i].size);
	}
	map->held = NEW(arena, uint32_t, map->n_addresses);
	return map->held && bits_init(&map->cuts, map->n_addresses, arena);
}

/* One range from the first address to the last, which no part held. */
static void map_clear(struct map *map)
{
	for (uint32_t i = 0; i < map->n_addresses; i++)
		if (bits_has(&map->cuts, i))
			bits_remove(&map->cuts, i);
	memset(map->seen, 0, sizeof(*map->seen) * map->problem->n_parts);
	bits_add(&map->cuts, 0);
	bits_add(&map->cuts, map->n_addresses - 1);
	map->held[0] = NONE;
}

static void cut(struct map *map, uint32_t at)
{
	if (bits_has(&map->cuts, at))
		return;
	map->held[at] = map->held[bits_below(&map->cuts, at)];
	bits_add(&map->cuts, at);
}

/* Notes what the part overwrites of a range. */
static void meet(struct map *map, uint32_t part, uint32_t from, uint32_t to)
{
	const struct part *parts = map->problem->parts;
	struct overwrites *found = map->found;
	uint32_t old = map->held[from];

	if (old == NONE || parts[old].buffer == parts[part].buffer)
		return;
	if (map->seen[old] != part + 1) {
		map->seen[old] = part + 1;
		map->slot[old] = found->n++;
		if (found->at)
			found->at[map->slot[old]] = (struct overwrite){
				old, part, map->addresses[from], 0};
	}
	if (found->at)
		found->at[map->slot[old]].bytes +=
			map->addresses[to] - map->addresses[from];
}

static void lay(struct map *map, uint32_t part)
{
	uint32_t low = map->low[part], high = map->high[part], to;

	cut(map, low);
	cut(map, high);
	for (uint32_t from = low; from < high; from = to) {
		to = bits_above(&map->cuts, from);
		meet(map, part, from, to);
		if (from != low)
			bits_remove(&map->cuts, from);
	}
	map->held[low] = part;
}

/* Each branch combination has a map of its own: parts of exclusive branches do
 * not overwrite each other. */
static void lay_all(struct map *map, struct overwrites *found)
{
	found->n = 0;
	map->found = found;
	for (uint32_t set = 0; set < map->sets.n; set++) {
		map_clear(map);
		for (uint32_t i = 0; i < map->problem->n_parts; i++)
			if (mp_problem_branch_sets_take(
				    &map->sets, set, map->order[i]))
				lay(map, map->order[i]);
	}
}

/* Overwrites of several branch combinations are merged in the order of births,
 * in which old and next are ranks. */
static int by_birth(const void *left, const void *right)
{
	const struct overwrite *a = left, *b = right;

	return mp_sort_compare_three(
		a->next, b->next, a->old, b->old, a->low, b->low);
}

static void merge(struct overwrites *found)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < found->n; i++) {
		struct overwrite *last = &found->at[kept ? kept - 1 : 0];

		if (kept == 0 || last->next != found->at[i].next ||
			last->old != found->at[i].old)
			found->at[kept++] = found->at[i];
		else
			last->bytes = num_max(last->bytes, found->at[i].bytes);
	}
	found->n = kept;
}

static void rename_parts(struct overwrites *found, const uint32_t *name)
{
	for (uint32_t i = 0; i < found->n; i++) {
		found->at[i].old = name[found->at[i].old];
		found->at[i].next = name[found->at[i].next];
	}
}

static void unite_sets(struct map *map, struct overwrites *found)
{
	uint32_t *rank = map->slot; /* done with */

	if (map->sets.n == 1)
		return;
	for (uint32_t i = 0; i < map->problem->n_parts; i++)
		rank[map->order[i]] = i;
	rename_parts(found, rank);
	qsort(found->at, found->n, sizeof(*found->at), by_birth);
	merge(found);
	rename_parts(found, map->order);
}

bool mp_problem_overwrites_find(const struct problem *problem,
	const uint64_t *offsets, struct overwrites *overwrites,
	struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	struct map map = {0};
	bool fine = true;

	*overwrites = (struct overwrites){0};
	if (problem->n_parts > 0 &&
		(fine = map_init(&map, problem, offsets, &scratch))) {
		lay_all(&map, overwrites);
		overwrites->at = NEW(arena, struct overwrite, overwrites->n);
		fine = overwrites->at != NULL;
		if (fine)
			lay_all(&map, overwrites);
		if (fine)
			unite_sets(&map, overwrites);
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_problem_overwrites_count(const struct problem *problem,
	const uint64_t *offsets, uint32_t *count, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct overwrites found = {0};
	struct map map = {0};
	bool fine = problem->n_parts == 0 ||
		    map_init(&map, problem, offsets, scratch);

	/* With one branch combination there is nothing to merge and no list to
	 * make. */
	if (fine && map.sets.n == 1)
		lay_all(&map, &found);
	else if (fine && map.sets.n > 1)
		fine = mp_problem_overwrites_find(
			problem, offsets, &found, scratch);
	*count = found.n;
	mp_arena_rewind(scratch, mark);
	return fine;
}
