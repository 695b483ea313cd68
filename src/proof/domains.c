/*
 * The offsets that each buffer may have, and how they narrow: the propagation
 * that a refutation rests on. If part a lies below part b, the buffer of b
 * begins at least `above` bytes over that of a, which raises the low end of one
 * range and lowers the high end of the other; ends are multiples of the
 * alignment. A pair of which one part cannot be below is decided.
 *
 * Whatever the sequence of these rules, they end in the same ranges.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/lists.h"
#include "proof/inside.h"

enum {
	MOST_TRAIL = 1 << 22, /* 64 MB */
	MOST_PAIRS = 1 << 18,
};

/* ----------------------------------------------------------- ranges */

static int64_t round_up(int64_t value, uint64_t align)
{
	int64_t a = (int64_t)align;

	return value <= 0 ? 0 : (value + a - 1) / a * a;
}

static void init_ranges(struct domains *d, uint64_t size)
{
	const struct problem *p = d->problem;

	for (uint32_t k = 0; k < d->among.n; k++) {
		uint32_t i = d->among.at[k];
		const struct buffer *b = &p->buffers[i];
		uint64_t fixed = mp_proof_fixed(p, i);
		int64_t last = (int64_t)size - (int64_t)b->size;

		d->high[i] = last - (last > 0 ? last % (int64_t)b->align : 0);
		if (fixed != NO_OFFSET) {
			d->low[i] = (int64_t)fixed;
			d->high[i] = d->low[i] <= last ? d->low[i] : -1;
		}
		d->empty |= d->low[i] > d->high[i];
	}
}

/* ------------------------------------------------------------ pairs */

static bool add_pair(struct domains *d, uint32_t *room, uint32_t a, uint32_t b)
{
	const struct part *x = &d->problem->parts[a];
	const struct part *y = &d->problem->parts[b];

	d->pairs = mp_arena_grow(
		d->arena, d->pairs, d->n_pairs, room, sizeof(*d->pairs));
	if (!d->pairs)
		return false;
	d->pairs[d->n_pairs++] = (struct order_pair){{a, b},
		{x->buffer, y->buffer},
		{(int64_t)(x->base + x->size) - (int64_t)y->base,
			(int64_t)(y->base + y->size) - (int64_t)x->base},
		UNDECIDED};
	return true;
}

/* The parts of the buffers that count, ascending. NULL: too many. */
static uint32_t *list_parts(const struct domains *d, uint32_t *n)
{
	uint32_t *parts = NEW(d->arena, uint32_t, PROOF_MOST_PARTS);

	*n = 0;
	for (uint32_t i = 0; parts && i < d->among.n; i++) {
		const struct buffer *b = &d->problem->buffers[d->among.at[i]];

		if (b->n_parts > PROOF_MOST_PARTS - *n)
			return NULL;
		for (uint32_t k = 0; k < b->n_parts; k++)
			parts[(*n)++] = b->first_part + k;
	}
	return parts;
}

static bool list_pairs(struct domains *d)
{
	const struct problem *p = d->problem;
	uint32_t n, room = 0, *parts = list_parts(d, &n);

	for (uint32_t i = 0; parts && i < n; i++)
		for (uint32_t k = i + 1; k < n; k++) {
			uint32_t a = parts[i], b = parts[k];

			if (p->parts[a].buffer == p->parts[b].buffer ||
				!mp_problem_conflict(p, a, b))
				continue;
			if (d->n_pairs == MOST_PAIRS ||
				!add_pair(d, &room, a, b))
				return false;
		}
	return parts != NULL;
}

static bool list_pairs_of(struct domains *d)
{
	uint32_t n = d->problem->n_buffers;

	if (!mp_lists_init(&d->pairs_of, n, d->arena))
		return false;
	for (uint32_t i = 0; i < d->n_pairs; i++)
		for (uint32_t k = 0; k < 2; k++)
			mp_lists_count(&d->pairs_of, d->pairs[i].buffer[k], 1);
	if (!mp_lists_ready(&d->pairs_of, n, d->arena))
		return false;
	for (uint32_t i = 0; i < d->n_pairs; i++)
		for (uint32_t k = 0; k < 2; k++)
			mp_lists_add(&d->pairs_of, d->pairs[i].buffer[k], i);
	return true;
}

static bool list_all(struct ids *all, uint32_t n, struct arena *arena)
{
	uint32_t *at = NEW(arena, uint32_t, n);

	for (uint32_t i = 0; at && i < n; i++)
		at[i] = i;
	*all = (struct ids){at, n};
	return at != NULL;
}

bool mp_proof_domains_init(struct domains *d, const struct problem *problem,
	struct ids among, uint64_t size, struct arena *arena)
{
	uint32_t n = problem->n_buffers;

	*d = (struct domains){
		.problem = problem, .among = among, .arena = arena};
	if (!among.at && !list_all(&d->among, n, arena))
		return false;
	d->low = NEW(arena, int64_t, n);
	d->high = NEW(arena, int64_t, n);
	d->queue = NEW(arena, uint32_t, n);
	d->queued = NEW(arena, bool, n);
	if (!d->low || !d->high || !d->queue || !d->queued)
		return false;
	init_ranges(d, size);
	if (d->empty)
		return true;
	return list_pairs(d) && list_pairs_of(d);
}

/* ------------------------------------------------------------ trail */

static bool note(struct domains *d, uint32_t index, bool is_pair, int64_t was)
{
	d->trail = mp_arena_grow(
		d->arena, d->trail, d->n_trail, &d->room, sizeof(*d->trail));
	if (d->trail)
		d->trail[d->n_trail++] =
			(struct trail_entry){was, index, is_pair};
	return d->trail != NULL;
}

void mp_proof_domains_undo(struct domains *d, uint32_t length)
{
	assert(length <= d->n_trail && d->n_queue == 0);
	while (d->n_trail > length) {
		const struct trail_entry *t = &d->trail[--d->n_trail];

		if (t->is_pair)
			d->pairs[t->index].below = UNDECIDED;
		else if (t->index % 2)
			d->high[t->index / 2] = t->before;
		else
			d->low[t->index / 2] = t->before;
	}
	d->empty = false;
}

/* ----------------------------------------------------------- narrow */

static bool set_end(struct domains *d, uint32_t buffer, bool high, int64_t to)
{
	int64_t *end = high ? &d->high[buffer] : &d->low[buffer];

	if (!note(d, 2 * buffer + high, false, *end))
		return false;
	*end = to;
	d->empty |= d->low[buffer] > d->high[buffer];
	if (!d->queued[buffer]) {
		d->queued[buffer] = true;
		d->queue[d->n_queue++] = buffer;
	}
	return true;
}

/* A decided pair narrows both ranges. */
static bool push(struct domains *d, const struct order_pair *pair)
{
	uint32_t under = pair->buffer[pair->below];
	uint32_t over = pair->buffer[1 - pair->below];
	int64_t above = pair->above[pair->below];
	int64_t low = round_up(
		d->low[under] + above, d->problem->buffers[over].align);
	int64_t high = d->high[over] - above;

	if (high > 0)
		high -= high % (int64_t)d->problem->buffers[under].align;
	if (low > d->low[over] && !set_end(d, over, false, low))
		return false;
	return high >= d->high[under] || set_end(d, under, true, high);
}

static bool may_be_below(
	const struct domains *d, const struct order_pair *pair, int k)
{
	return d->low[pair->buffer[k]] + pair->above[k] <=
	       d->high[pair->buffer[1 - k]];
}

static bool look_at(struct domains *d, uint32_t i)
{
	struct order_pair *pair = &d->pairs[i];

	d->work++;
	if (pair->below == UNDECIDED) {
		bool first = may_be_below(d, pair, 0);
		bool second = may_be_below(d, pair, 1);

		if (first && second)
			return true;
		d->empty |= !first && !second;
		if (!note(d, i, true, 0))
			return false;
		pair->below = second ? 1 : 0;
	}
	return d->empty || push(d, pair);
}

static void forget_queue(struct domains *d)
{
	while (d->n_queue > 0)
		d->queued[d->queue[--d->n_queue]] = false;
}

/* Two pairs can raise each other's ends by one byte again and again, as far as
 * the memory goes. What takes too long is not narrowed to its end. */
static bool drain(struct domains *d)
{
	while (d->n_queue > 0 && !d->empty && d->n_trail < MOST_TRAIL) {
		uint32_t buffer = d->queue[--d->n_queue];
		struct ids pairs = mp_lists_at(&d->pairs_of, buffer);

		d->queued[buffer] = false;
		for (uint32_t i = 0; i < pairs.n && !d->empty; i++)
			if (!look_at(d, pairs.at[i]))
				return false;
	}
	forget_queue(d);
	return true;
}

bool mp_proof_domains_narrow(struct domains *d)
{
	for (uint32_t i = 0; i < d->n_pairs && !d->empty; i++)
		if (!look_at(d, i))
			return false;
	return drain(d);
}

bool mp_proof_domains_decide(struct domains *d, uint32_t i, uint8_t below)
{
	assert(d->pairs[i].below == UNDECIDED && below < UNDECIDED);
	if (!note(d, i, true, 0))
		return false;
	d->pairs[i].below = below;
	return push(d, &d->pairs[i]) && drain(d);
}
