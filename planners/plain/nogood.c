/*
 * A ring of entries with an index by hash: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>
#include <string.h>

enum {
	LONGEST = 1 << 10,   /* words of an entry: larger states are not kept */
	RING = 1 << 20,	     /* words at most: 8 MiB */
	FIRST = 4 * LONGEST, /* words at first: a large page takes longer than
				most patches of mend */
	GROWTH = 16,	     /* times as many words when the ring is full */
	SLOT_WORDS = 32,     /* words of the ring for each slot of the index */
	SLOTS = RING / SLOT_WORDS, /* of the index at its greatest */
	CHAIN = 8,		   /* entries of one slot that are looked at */
};

/* An entry: these words, then the bits of the items left, then the first
 * section and the floor of each segment. */
enum {
	HASH,
	BEFORE, /* the entry of the same slot before this one, plus 1 */
	RANGE_START,
	RANGE_END,
	PROOF_START,
	PROOF_END,
	N_SEGMENTS,
	HEADER,
};

static bool begin(struct nogoods *table, uint64_t room, struct arena *arena,
	struct error *error)
{
	table->memory = mp_arena_within(arena, error);
	/* Index first: with the words that are used first it is on one page. */
	table->index = NEW(&table->memory, uint64_t, room / SLOT_WORDS);
	table->words = NEW(&table->memory, uint64_t, room);
	table->room = room;
	if (table->words && table->index)
		return true;
	mp_arena_free(&table->memory);
	return false;
}

/* Half of what a limit leaves is for the search itself. */
static uint64_t most_words(struct arena *arena)
{
	uint64_t left = mp_arena_beside(arena).limit, most = RING;

	while (left > 0 && most > FIRST && most * sizeof(uint64_t) > left / 2)
		most /= GROWTH;
	return num_max(most, FIRST);
}

bool mp_planner_nogood_new(struct nogoods *table, struct arena *arena)
{
	*table = (struct nogoods){.size = FIRST, .most = most_words(arena)};
	return begin(table, FIRST, arena, arena->error);
}

void mp_planner_nogood_free(struct nogoods *table)
{
	mp_arena_free(&table->memory);
}

void mp_planner_nogood_clear(struct nogoods *table)
{
	if (table->head == 0)
		return;
	table->head = 0;
	table->size = FIRST;
	memset(table->index, 0, sizeof(*table->index) * (FIRST / SLOT_WORDS));
}

static uint64_t *entry_at(const struct nogoods *table, uint64_t at)
{
	return &table->words[(at - 1) & (table->size - 1)];
}

static uint64_t *slot_of(const struct nogoods *table, uint64_t hash)
{
	return &table->index[hash & (table->size / SLOT_WORDS - 1)];
}

/* ----------------------------------------------------------- growth */

/* Splits the list of a slot in an index of n slots into two lists of an index
 * of 2 n, the newest entry first as before. */
static void split_slot(struct nogoods *table, uint64_t slot, uint64_t n)
{
	uint64_t *end[2] = {&table->index[slot], &table->index[slot + n]};
	uint64_t at = *end[0];

	while (at) {
		uint64_t *entry = entry_at(table, at);
		uint64_t before = entry[BEFORE];
		bool upper = entry[HASH] & n;

		*end[upper] = at;
		end[upper] = &entry[BEFORE];
		at = before;
	}
	*end[0] = 0;
	*end[1] = 0;
}

/* For the greatest size, of which what is not written takes no memory. Where
 * memory is out, the ring stays as it is. */
static bool make_room(struct nogoods *table)
{
	struct nogoods larger = *table;

	if (!begin(&larger, table->most, table->memory.parent, &table->error)) {
		table->most = table->size;
		return false;
	}
	memcpy(larger.words, table->words, sizeof(uint64_t) * table->head);
	memcpy(larger.index, table->index,
		sizeof(uint64_t) * (table->size / SLOT_WORDS));
	mp_arena_free(&table->memory);
	*table = larger;
	return true;
}

/* Makes a larger ring of one that has never wrapped around yet. A table that
 * was large before has the room. */
static void grow_ring(struct nogoods *table)
{
	uint64_t size = num_min(table->most, table->size * GROWTH);
	uint64_t n = table->size / SLOT_WORDS;

	assert(table->head <= table->size && size > table->size);
	if (size > table->room && !make_room(table))
		return;
	table->size = size;
	for (; n < size / SLOT_WORDS; n *= 2)
		for (uint64_t slot = 0; slot < n; slot++)
			split_slot(table, slot, n);
}

/* ---------------------------------------------------------- entries */

/* Bits of words [from, to) that belong to the items of a range. */
struct bits {
	uint32_t from, to;
	uint64_t first_mask, last_mask;
};

static struct bits bits_of(const struct horizon *h, struct sections range)
{
	uint32_t first = h->puzzle->first[range.start];
	uint32_t last = h->puzzle->first[range.end] - 1;

	assert(range.start < range.end && first <= last);
	return (struct bits){first / 64, last / 64 + 1,
		UINT64_MAX << first % 64, UINT64_MAX >> (63 - last % 64)};
}

static uint64_t bits_word(
	const struct horizon *h, const struct bits *bits, uint32_t word)
{
	uint64_t value = h->is_unplaced[word];

	if (word == bits->from)
		value &= bits->first_mask;
	if (word == bits->to - 1)
		value &= bits->last_mask;
	return value;
}

static bool same_items(
	const uint64_t *entry, const struct horizon *h, const struct bits *bits)
{
	for (uint32_t w = bits->from; w < bits->to; w++)
		if (entry[HEADER + w - bits->from] != bits_word(h, bits, w))
			return false;
	return true;
}

/* True if no floor of the entry is above that of the state, within the proof of
 * the entry. */
static bool is_above(const uint64_t *entry, const uint64_t *floors,
	const struct horizon *h, struct sections range)
{
	uint64_t n = entry[N_SEGMENTS], i = 0;
	uint32_t segment = range.start, end, stop;

	for (uint32_t s = range.start; s < range.end; s = stop) {
		end = i + 1 < n ? (uint32_t)floors[2 * i + 2] : range.end;
		stop = h->next[segment] < end ? h->next[segment] : end;
		if (h->floor[segment] < (int64_t)floors[2 * i + 1] &&
			s < entry[PROOF_END] && stop > entry[PROOF_START])
			return false;
		if (stop == h->next[segment])
			segment = stop;
		if (stop == end)
			i++;
	}
	return true;
}

bool mp_planner_nogood_find(const struct nogoods *table,
	const struct horizon *h, struct sections range, uint64_t hash,
	struct sections *proof)
{
	struct bits bits = bits_of(h, range);
	uint64_t at = *slot_of(table, hash);
	const uint64_t *entry;
	int looked = 0;

	for (; looked < CHAIN && at && table->head - at < table->size - LONGEST;
		at = entry[BEFORE]) {
		entry = entry_at(table, at);
		/* Only entries that share a slot of the greatest index count:
		 * what is found does not depend on the size. */
		looked += (entry[HASH] ^ hash) % SLOTS == 0;
		if (entry[HASH] != hash || entry[RANGE_START] != range.start ||
			entry[RANGE_END] != range.end ||
			!same_items(entry, h, &bits) ||
			!is_above(entry, entry + HEADER + bits.to - bits.from,
				h, range))
			continue;
		*proof = (struct sections){(uint32_t)entry[PROOF_START],
			(uint32_t)entry[PROOF_END]};
		return true;
	}
	return false;
}

/* Room for an entry that does not wrap around. The ring forgets nothing before
 * it has reached its greatest size. */
static uint64_t *new_entry(struct nogoods *table, uint64_t length)
{
	uint64_t at;

	assert(length <= LONGEST && num_is_pow2(table->size));
	while (table->size < table->most &&
		table->head + length > table->size - LONGEST)
		grow_ring(table);
	at = table->head & (table->size - 1);
	if (at + length > table->size)
		table->head += table->size - at;
	return entry_at(table, table->head + 1);
}

/* The first section and the floor of each segment, as far as there is room.
 * Returns how many words there are. One walk: each segment says only where the
 * next one is, so that a walk waits for memory at each. */
static uint64_t list_floors(const struct horizon *h, struct sections range,
	uint64_t *floors, uint64_t room)
{
	uint64_t n = 0;

	for (uint32_t s = range.start; s < range.end && n < room;
		s = h->next[s]) {
		floors[n++] = s;
		floors[n++] = (uint64_t)h->floor[s];
	}
	return n;
}

void mp_planner_nogood_add(struct nogoods *table, const struct horizon *h,
	struct sections range, uint64_t hash, struct sections proof)
{
	struct bits bits = bits_of(h, range);
	uint64_t n_words = HEADER + bits.to - bits.from, n_floors;
	uint64_t floors[LONGEST], *entry, *slot;

	n_floors = list_floors(h, range, floors, LONGEST);
	if (n_words + n_floors > LONGEST)
		return;
	entry = new_entry(table, n_words + n_floors);
	slot = slot_of(table, hash);
	entry[HASH] = hash;
	entry[BEFORE] = *slot;
	entry[RANGE_START] = range.start;
	entry[RANGE_END] = range.end;
	entry[PROOF_START] = proof.start;
	entry[PROOF_END] = proof.end;
	entry[N_SEGMENTS] = n_floors / 2;
	for (uint32_t w = bits.from; w < bits.to; w++)
		entry[HEADER + w - bits.from] = bits_word(h, &bits, w);
	memcpy(entry + n_words, floors, sizeof(*floors) * n_floors);
	*slot = table->head + 1;
	table->head += n_words + n_floors;
}
