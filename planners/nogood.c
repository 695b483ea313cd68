/* SPDX-License-Identifier: MIT */
#include "nogood.h"

#include <string.h>

enum {
	RING = 1 << 20,	   /* words */
	SLOTS = 1 << 15,   /* of the index */
	LONGEST = 1 << 10, /* words of an entry: greater states are left out */
	CHAIN = 8,	   /* entries of one slot that are looked at */
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

bool mp_nogood_new(struct nogoods *table, struct arena *arena)
{
	*table = (struct nogoods){0};
	table->words = NEW(arena, uint64_t, RING);
	table->index = NEW(arena, uint64_t, SLOTS);
	return table->words && table->index;
}

void mp_nogood_clear(struct nogoods *table)
{
	if (table->head == 0)
		return;
	table->head = 0;
	memset(table->index, 0, sizeof(*table->index) * SLOTS);
}

/* Bits of words [from, to) that belong to the items of a range. */
struct bits {
	uint32_t from, to;
	uint64_t first_mask, last_mask;
};

static struct bits bits_of(const struct horizon *h, struct range range)
{
	uint32_t first = h->puzzle->first[range.start];
	uint32_t last = h->puzzle->first[range.end] - 1;

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

/* No floor of the entry is above that of the state, where its proof looked. */
static bool is_above(const uint64_t *entry, const uint64_t *floors,
	const struct horizon *h, struct range range)
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

bool mp_nogood_find(const struct nogoods *table, const struct horizon *h,
	struct range range, uint64_t hash, struct range *proof)
{
	struct bits bits = bits_of(h, range);
	uint64_t at = table->index[hash % SLOTS];
	const uint64_t *entry;

	for (int i = 0; i < CHAIN && at && table->head - at < RING - LONGEST;
		i++, at = entry[BEFORE]) {
		entry = &table->words[(at - 1) % RING];
		if (entry[HASH] != hash || entry[RANGE_START] != range.start ||
			entry[RANGE_END] != range.end ||
			!same_items(entry, h, &bits) ||
			!is_above(entry, entry + HEADER + bits.to - bits.from,
				h, range))
			continue;
		*proof = (struct range){(uint32_t)entry[PROOF_START],
			(uint32_t)entry[PROOF_END]};
		return true;
	}
	return false;
}

/* Room for an entry that does not wrap around. */
static uint64_t *new_entry(struct nogoods *table, uint64_t length)
{
	if (table->head % RING + length > RING)
		table->head += RING - table->head % RING;
	return &table->words[table->head % RING];
}

void mp_nogood_add(struct nogoods *table, const struct horizon *h,
	struct range range, uint64_t hash, struct range proof)
{
	struct bits bits = bits_of(h, range);
	uint64_t length = HEADER + bits.to - bits.from;
	uint64_t *entry, *slot = &table->index[hash % SLOTS];
	uint32_t n = 0;

	for (uint32_t s = range.start; s < range.end; s = h->next[s])
		n++;
	if (length + 2 * n > LONGEST)
		return;
	entry = new_entry(table, length + 2 * n);
	entry[HASH] = hash;
	entry[BEFORE] = *slot;
	entry[RANGE_START] = range.start;
	entry[RANGE_END] = range.end;
	entry[PROOF_START] = proof.start;
	entry[PROOF_END] = proof.end;
	entry[N_SEGMENTS] = n;
	for (uint32_t w = bits.from; w < bits.to; w++)
		entry[HEADER + w - bits.from] = bits_word(h, &bits, w);
	for (uint32_t s = range.start; s < range.end; s = h->next[s]) {
		entry[length++] = s;
		entry[length++] = (uint64_t)h->floor[s];
	}
	*slot = table->head + 1;
	table->head += length;
}
