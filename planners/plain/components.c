/*
 * Splitting ranges of the plateau search: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>

enum {
	MOST_KEPT = 1024 /* items of a state that is kept as a nogood: with more
			    of them, hashing takes longer than it saves */
};

bool mp_planner_component_is_small(
	const struct plateau *p, struct sections range)
{
	const uint32_t *first = p->horizon.puzzle->first;

	return first[range.end] - first[range.start] <= MOST_KEPT;
}

static uint64_t hash_of(const struct plateau *p, struct sections range)
{
	const struct horizon *h = &p->horizon;
	uint32_t last = h->puzzle->first[range.end];
	uint64_t hash = 0;

	if (!mp_planner_component_is_small(p, range))
		return 0;
	for (uint32_t i = mp_planner_horizon_unplaced(
		     h, h->puzzle->first[range.start]);
		i < last; i = mp_planner_horizon_unplaced(h, i + 1))
		hash ^= p->key[i];
	return hash;
}

/* Small ranges come first: if one cannot be solved, that shows early. */
static void add_piece(struct plateau *p, uint32_t first, struct sections range)
{
	uint32_t i = p->n_pieces++;

	assert(i < p->max_pieces);
	for (; i > first; i--) {
		struct sections other = p->pieces[i - 1].range;

		if (other.end - other.start <= range.end - range.start)
			break;
		p->pieces[i] = p->pieces[i - 1];
	}
	p->pieces[i].range = range;
	p->pieces[i].hash = hash_of(p, range);
}

/* Adds the pieces of a range: the maximal ones that no boundary cuts. */
static void split_range(struct plateau *p, struct sections range)
{
	const struct horizon *h = &p->horizon;
	uint32_t first = p->n_pieces, s = range.start, end;

	for (; s < range.end; s = end) {
		end = s + 1;
		if (h->unplaced[s] == 0)
			continue;
		while (end < range.end && h->crossing[end])
			end++;
		add_piece(p, first, (struct sections){s, end});
	}
}

/* Replaces the current piece by those that it has come apart into; when the
 * last of them is solved, so is the piece. False: no item is left in it. */
static bool split_piece(struct plateau *p)
{
	struct piece whole = p->pieces[p->piece];
	uint32_t first = p->n_pieces;

	p->looks += whole.range.end - whole.range.start;
	split_range(p, whole.range);
	if (first == p->n_pieces)
		return false;
	for (uint32_t i = first; i < p->n_pieces; i++) {
		p->pieces[i].next = i + 1;
		p->pieces[i].n_frames = p->n_frames;
	}
	p->pieces[p->n_pieces - 1].next = whole.next;
	p->pieces[p->n_pieces - 1].n_frames = whole.n_frames;
	p->piece = first;
	return true;
}

bool mp_planner_component_settle(struct plateau *p, bool apart)
{
	while (apart && !split_piece(p)) {
		struct piece *piece = &p->pieces[p->piece];

		p->n_frames = piece->n_frames;
		if (piece->next == NONE)
			return false;
		p->piece = piece->next;
		apart = false;
	}
	return true;
}
