/*
 * Some best base of a buffer puts an edge of one of its parts on the edge of a
 * piece (see refit.h): in between, moving the buffer changes nothing or meets
 * more holders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/refit.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/prng.h"
#include "base/search.h"
#include "problem/overwrites.h"

/* ----------------------------------------------------------- layout */

/* A layout of no parts. */
static bool layout_init(struct layout *layout, const struct problem *problem,
	uint64_t limit, struct arena *arena)
{
	size_t n = problem->n_parts;

	*layout = (struct layout){
		.problem = problem, .limit = limit, .crossing = 1};
	layout->order = NEW(arena, uint32_t, n);
	layout->place = NEW(arena, uint32_t, n);
	layout->start = NEW(arena, uint32_t, n);
	layout->end = NEW(arena, uint32_t, n);
	layout->low = NEW(arena, uint64_t, n);
	layout->high = NEW(arena, uint64_t, n);
	layout->seen = NEW(arena, uint32_t, n);
	layout->pieces = NEW(arena, struct layout_piece, 2 * n + 2);
	layout->held = NEW(arena, uint64_t, 2 * n + 2);
	layout->taken = NEW(arena, uint64_t, 2 * n + 2);
	layout->met = NEW(arena, uint32_t, 2 * n + 2);
	layout->chain = NEW(arena, uint32_t, 2 * n + 2);
	layout->head = NEW(arena, uint32_t, n);
	layout->headed = NEW(arena, uint32_t, n);
	if (!layout->order || !layout->place || !layout->start ||
		!layout->end || !layout->low || !layout->high ||
		!layout->seen || !layout->pieces || !layout->held ||
		!layout->taken || !layout->met || !layout->chain ||
		!layout->head || !layout->headed ||
		!mp_problem_overwrites_sequence(problem, layout->order, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		layout->place[layout->order[i]] = i;
		layout->start[i] = problem->parts[layout->order[i]].start;
		layout->end[i] = problem->parts[layout->order[i]].end;
	}
	return true;
}

static void put_part(struct layout *layout, uint32_t part, uint64_t low)
{
	uint32_t at = layout->place[part];

	assert(part < layout->problem->n_parts);
	layout->low[at] = low;
	layout->high[at] = low + layout->problem->parts[part].size;
}

static void take_part(struct layout *layout, uint32_t part)
{
	uint32_t at = layout->place[part];

	layout->low[at] = layout->high[at] = 0;
}

/* ----------------------------------------------------------- pieces */

/* The first piece that reaches beyond an address. */
static uint32_t first_beyond(const struct layout *l, uint64_t address)
{
	return mp_search_key_u64(l->pieces, sizeof(*l->pieces),
		offsetof(struct layout_piece, high), l->n_pieces, address + 1);
}

/* Splits a piece in two, of which the second begins at that address. */
static void split_piece(struct layout *l, uint32_t piece, uint64_t address)
{
	assert(l->pieces[piece].low < address &&
		address < l->pieces[piece].high);
	memmove(&l->pieces[piece + 1], &l->pieces[piece],
		sizeof(*l->pieces) * (l->n_pieces - piece));
	l->n_pieces++;
	l->pieces[piece].high = l->pieces[piece + 1].low = address;
}

/* Removes the bytes of a place from all pieces. */
static void block_bytes(struct layout *l, uint32_t at)
{
	uint64_t low = l->low[at], high = l->high[at];
	uint32_t from = first_beyond(l, low), to;

	if (from < l->n_pieces && l->pieces[from].low < low)
		split_piece(l, from++, low);
	for (to = from; to < l->n_pieces && l->pieces[to].high <= high; to++)
		;
	if (to < l->n_pieces && l->pieces[to].low < high)
		l->pieces[to].low = high;
	memmove(&l->pieces[from], &l->pieces[to],
		sizeof(*l->pieces) * (l->n_pieces - to));
	l->n_pieces -= to - from;
}

static uint32_t *side_of(struct layout_piece *piece, bool before)
{
	return before ? &piece->before : &piece->after;
}

/* Sets the holder of all bytes of a place that have none yet. False: there were
 * no such bytes. */
static bool set_holder(struct layout *l, uint32_t at, bool before)
{
	uint64_t low = l->low[at], high = l->high[at];
	bool named = false;
	uint32_t i = first_beyond(l, low);

	for (; i < l->n_pieces && l->pieces[i].low < high; i++) {
		if (*side_of(&l->pieces[i], before) != NONE)
			continue;
		if (l->pieces[i].low < low)
			split_piece(l, i++, low);
		if (l->pieces[i].high > high)
			split_piece(l, i, high);
		*side_of(&l->pieces[i], before) = at;
		named = true;
	}
	return named;
}

static bool is_there(const struct layout *l, uint32_t at)
{
	return l->high[at] > l->low[at];
}

/* Marks the placed parts in conflict with the part, and removes their bytes. */
static void block_conflicts(struct layout *l, uint32_t part)
{
	uint32_t own = l->place[part];
	bool several = l->problem->n_streams > 1;
	uint32_t i;

	for (i = 0; i < l->problem->n_parts && l->start[i] < l->end[own]; i++) {
		if (l->end[i] <= l->start[own] || i == own || !is_there(l, i) ||
			(several && !mp_problem_conflict(
					    l->problem, part, l->order[i])))
			continue;
		l->seen[i] = l->mark;
		block_bytes(l, i);
		l->work += l->n_pieces / 64;
	}
	l->work += i / 64;
}

/* The same of parts of buffers that are to be apart from its own, whenever they
 * live. */
static void block_apart(struct layout *l, uint32_t part)
{
	const struct problem *p = l->problem;
	uint32_t buffer = p->parts[part].buffer;

	if (!p->apart)
		return;
	for (uint32_t i = p->first_apart[buffer];
		i < p->first_apart[buffer + 1]; i++) {
		const struct buffer *other = &p->buffers[p->apart[i]];

		for (uint32_t k = 0; k < other->n_parts; k++) {
			uint32_t at = l->place[other->first_part + k];

			if (!is_there(l, at) || l->seen[at] == l->mark)
				continue;
			l->seen[at] = l->mark;
			block_bytes(l, at);
		}
		l->work += 1 + l->n_pieces / 64;
	}
}

/* The range from the first byte without a holder to the last. */
static struct layout_piece find_open(struct layout *l, bool before)
{
	struct layout_piece open = {UINT64_MAX, 0, NONE, NONE, NONE};

	for (uint32_t i = 0; i < l->n_pieces; i++) {
		if (*side_of(&l->pieces[i], before) != NONE)
			continue;
		open.low = num_min(open.low, l->pieces[i].low);
		open.high = l->pieces[i].high;
	}
	l->work += l->n_pieces / 64;
	return open;
}

/* Sets the holders before the part, or after it. The holder next to the part in
 * time counts: so parts before it are looked at latest first, parts after it
 * earliest first. */
static void set_holders(struct layout *l, uint32_t own, bool before)
{
	struct layout_piece open = find_open(l, before);
	uint32_t i = own, n = l->problem->n_parts, steps = 0, near = 0;

	while (open.low < open.high && (before ? i > 0 : i + 1 < n)) {
		i = before ? i - 1 : i + 1;
		steps++;
		if (l->high[i] <= open.low || l->low[i] >= open.high ||
			l->seen[i] == l->mark)
			continue;
		near++;
		if (set_holder(l, i, before))
			open = find_open(l, before);
	}
	l->work += steps / 32 + near / 2;
}

/* The first piece with the same before and after, from the list of the pieces
 * with that before. */
static uint32_t find_pair(struct layout *l, uint32_t piece)
{
	const struct layout_piece *wanted = &l->pieces[piece];
	uint32_t *head = &l->head[wanted->before], k;

	if (l->headed[wanted->before] != l->mark)
		*head = NONE;
	l->headed[wanted->before] = l->mark;
	for (k = *head; k != NONE; k = l->chain[k])
		if (l->pieces[k].after == wanted->after)
			return k;
	l->chain[piece] = *head;
	*head = piece;
	return piece;
}

static void pair_up(struct layout *l)
{
	for (uint32_t i = 0; i < l->n_pieces; i++) {
		struct layout_piece *piece = &l->pieces[i];

		piece->pair = NONE;
		l->held[i] = 0;
		if (piece->before == NONE || piece->after == NONE)
			continue;
		piece->pair = find_pair(l, i);
		l->held[piece->pair] += piece->high - piece->low;
	}
}

/* Cuts the arena into the pieces for a part that is not placed. */
static void cut_pieces(struct layout *layout, uint32_t part)
{
	assert(!is_there(layout, layout->place[part]));
	layout->mark++;
	layout->pieces[0] =
		(struct layout_piece){0, layout->limit, NONE, NONE, NONE};
	layout->n_pieces = layout->limit > 0;
	block_conflicts(layout, part);
	block_apart(layout, part);
	set_holders(layout, layout->place[part], true);
	set_holders(layout, layout->place[part], false);
	pair_up(layout);
	layout->work += 1 + layout->n_pieces / 16;
}

/* ------------------------------------------------------------ gains */

/* The weight of an overwrite; both parts by their places. */
static int64_t weight_of(const struct layout *l, uint32_t old, uint32_t next)
{
	const struct problem *p = l->problem;
	uint32_t a = l->order[old], b = l->order[next];

	if (p->parts[a].buffer == p->parts[b].buffer)
		return 0;
	if (l->crosses && l->crosses[(size_t)a * p->n_streams + p->stream[b]])
		return (int64_t)l->crossing;
	return 1;
}

static bool is_new(struct layout *l, uint32_t at)
{
	if (at == NONE || l->seen[at] == l->mark)
		return false;
	l->seen[at] = l->mark;
	return true;
}

/* Counts the bytes of a pair in the window. Returns the weight of its overwrite
 * once the window has all its bytes: then the overwrite is gone. */
static int64_t take_from_pair(
	struct layout *l, const struct layout_piece *piece, uint64_t bytes)
{
	if (piece->pair == NONE)
		return 0;
	if (l->met[piece->pair] != l->mark)
		l->taken[piece->pair] = 0;
	l->met[piece->pair] = l->mark;
	l->taken[piece->pair] += bytes;
	if (l->taken[piece->pair] < l->held[piece->pair])
		return 0;
	return weight_of(l, piece->before, piece->after);
}

/* The change of the weight of all overwrites if the part, for which the pieces
 * were cut, is placed at an address. False: other parts are in its way. */
static bool gain_at(
	struct layout *layout, uint32_t part, uint64_t low, int64_t *weight)
{
	uint64_t high = low + layout->problem->parts[part].size;
	uint32_t own = layout->place[part], i = first_beyond(layout, low);

	layout->mark++;
	*weight = 0;
	for (uint64_t at = low; at < high; i++) {
		const struct layout_piece *piece = &layout->pieces[i];
		uint64_t to;

		if (i == layout->n_pieces || piece->low > at)
			return false;
		to = num_min(high, piece->high);
		if (is_new(layout, piece->before))
			*weight += weight_of(layout, piece->before, own);
		if (is_new(layout, piece->after))
			*weight += weight_of(layout, own, piece->after);
		*weight -= take_from_pair(layout, piece, to - at);
		at = to;
	}
	return true;
}

/* ------------------------------------------------------------ refit */

bool mp_planner_refit_init(struct refit *r, const struct problem *problem,
	uint64_t limit, uint64_t seed, struct arena *arena)
{
	*r = (struct refit){.problem = problem, .random = seed, .cut = NONE};
	r->room = 8 * (problem->n_parts + 1);
	r->offsets = NEW(arena, uint64_t, problem->n_buffers);
	r->candidates = NEW(arena, struct refit_candidate, r->room);
	return r->offsets && r->candidates &&
	       layout_init(&r->layout, problem, limit, arena);
}

uint32_t mp_planner_refit_random(struct refit *r, uint32_t n)
{
	assert(n > 0);
	return (uint32_t)(mp_prng(&r->random) % n);
}

/* Cuts the layout for a part, unless it is cut so and has not changed since. */
static void cut_for(struct refit *r, uint32_t part)
{
	if (r->cut != part)
		cut_pieces(&r->layout, part);
	r->cut = part;
}

/* Part by part, so that the weight is exact even if one part of the buffer
 * overwrites another. */
void mp_planner_refit_take(struct refit *r, uint32_t buffer)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	int64_t gain = 0;

	for (uint32_t i = b->first_part + b->n_parts; i-- > b->first_part;) {
		take_part(&r->layout, i);
		r->cut = NONE;
		cut_for(r, i);
		gain_at(&r->layout, i,
			r->offsets[buffer] + r->problem->parts[i].base, &gain);
		r->weight -= gain;
	}
}

void mp_planner_refit_put(struct refit *r, uint32_t buffer, uint64_t base)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	int64_t gain = 0;

	r->offsets[buffer] = base;
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++) {
		uint64_t low = base + r->problem->parts[i].base;

		cut_for(r, i);
		gain_at(&r->layout, i, low, &gain);
		assert(low + r->problem->parts[i].size <= r->layout.limit);
		put_part(&r->layout, i, low);
		r->cut = NONE;
		r->weight += gain;
	}
}

static void add_candidate(struct refit *r, uint64_t base)
{
	if (r->n_candidates < r->room)
		r->candidates[r->n_candidates++] =
			(struct refit_candidate){base, 0};
}

/* Adds the bases that put an edge of the part on an edge of a piece. */
static void add_candidates(struct refit *r, uint32_t part, uint64_t align)
{
	const struct part *it = &r->problem->parts[part];
	uint64_t reach = it->base + it->size;

	for (uint32_t i = 0; i < r->layout.n_pieces; i++) {
		const struct layout_piece *piece = &r->layout.pieces[i];

		if (piece->low >= it->base)
			add_candidate(r, num_up(piece->low - it->base, align));
		if (piece->high >= reach)
			add_candidate(r, num_down(piece->high - reach, align));
	}
}

/* Adds the gain of each candidate for a part; drops candidates without room. */
static void try_candidates(struct refit *r, uint32_t part)
{
	uint32_t kept = 0;
	int64_t gain;

	for (uint32_t i = 0; i < r->n_candidates; i++) {
		struct refit_candidate c = r->candidates[i];

		if (!gain_at(&r->layout, part,
			    c.base + r->problem->parts[part].base, &gain))
			continue;
		c.gain += gain;
		r->candidates[kept++] = c;
	}
	r->layout.work += r->n_candidates / 4;
	r->n_candidates = kept;
}

bool mp_planner_refit_choose(struct refit *r, uint32_t buffer, uint64_t *base)
{
	const struct buffer *b = &r->problem->buffers[buffer];
	uint32_t end = b->first_part + b->n_parts, n = 0;
	int64_t least = INT64_MAX;

	r->n_candidates = 0;
	for (uint32_t i = b->first_part; i < end; i++) {
		cut_for(r, i);
		add_candidates(r, i, b->align);
	}
	for (uint32_t i = b->first_part; i < end; i++) {
		cut_for(r, i);
		try_candidates(r, i);
	}
	for (uint32_t i = 0; i < r->n_candidates; i++) {
		if (r->candidates[i].gain > least)
			continue;
		n = r->candidates[i].gain < least ? 1 : n + 1;
		least = r->candidates[i].gain;
		if (mp_planner_refit_random(r, n) == 0)
			*base = r->candidates[i].base;
	}
	return n > 0;
}

void mp_planner_refit_clear(struct refit *r)
{
	const struct problem *p = r->problem;

	for (uint32_t i = 0; i < p->n_parts; i++)
		take_part(&r->layout, i);
	r->cut = NONE;
	r->weight = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].offset != NO_OFFSET)
			mp_planner_refit_undo(r, i, p->buffers[i].offset);
}

void mp_planner_refit_undo(struct refit *r, uint32_t buffer, uint64_t base)
{
	const struct buffer *b = &r->problem->buffers[buffer];

	r->offsets[buffer] = base;
	r->cut = NONE;
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++)
		put_part(&r->layout, i, base + r->problem->parts[i].base);
}

void mp_planner_refit_restore(
	struct refit *r, const uint64_t *offsets, int64_t weight)
{
	for (uint32_t i = 0; i < r->problem->n_buffers; i++)
		mp_planner_refit_undo(r, i, offsets[i]);
	r->weight = weight;
}
