/*
 * A packing that fits can be pushed down until every item rests on another or
 * on the floor. A valley is a segment of the skyline with two higher
 * neighbours. Either some item that lies within the valley rests on its floor,
 * or no item comes to lie below the lower neighbour: by gravity nothing else is
 * possible. The search picks a section of the valley, its focus, and tries each
 * item over the focus that lies within. Then it knows that the floor of the
 * focus is higher: by the least item that could rest elsewhere in the valley,
 * or up to the neighbour. The bytes lost are taken from the room of the
 * section; where there is not that much room, some item must rest there. Of all
 * valleys the search takes one that leaves the fewest choices, else the lowest.
 *
 * A basin is a range of sections between walls that are at least as high as a
 * level. Only items that lie within the basin can lie below the level. So at
 * each of its sections these must be enough to fill it up to what may be
 * wasted: the bound of one machine with release times. Whenever a wall goes up,
 * the new basins are tested.
 *
 * Ranges that no item crosses are solved one after the other; a solution of one
 * is not undone when another fails. Every failure follows from the floors and
 * items of a range of sections, its proof; decisions outside of the proof are
 * jumped over (conflict-directed backjumping, Prosser, Computational
 * Intelligence 9(3), 1993).
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/inside.h"

#include <assert.h>

#include "base/prng.h"

enum {
	NODES_PER_REPORT = 256,
	WORTH_KEEPING = 2, /* nodes of a refutation that becomes a nogood */
	MOST_KEPT = 1024,  /* items of a state that is kept as a nogood:
			      hashing more takes longer than it saves */
};

/* A range with items left to place, of which none crosses its ends. */
struct piece {
	struct sections range;
	uint32_t next;	   /* piece to be solved after it; NONE: it is last */
	uint32_t n_frames; /* once it is solved, decisions above are final */
	uint64_t hash;	   /* of the items left, for the nogoods */
};

/* A decision: which item rests on the focus of a valley, if any? */
struct frame {
	struct sections valley;
	uint32_t focus;
	uint32_t child;	    /* item tried last; NONE: none yet */
	uint32_t n_changes; /* of the horizon, before it */
	uint32_t piece, n_pieces;
	bool must;	       /* some item has to */
	bool closed;	       /* tried last: that none does */
	struct sections proof; /* of the failures so far */
	uint64_t hash;	       /* of the items left in the piece */
	uint64_t nodes;	       /* before it */
};

bool mp_planner_plateau_new(struct plateau *p, const struct puzzle *puzzle,
	struct nogoods *nogoods, struct arena *arena)
{
	size_t n = puzzle->n_items, sections = puzzle->n_sections;
	uint64_t state = 1;

	*p = (struct plateau){.nogoods = nogoods,
		.max_frames = (uint32_t)(4 * n + 64),
		.max_pieces = (uint32_t)(6 * n + 64)};
	p->twin = NEW(arena, bool, n);
	p->key = NEW(arena, uint64_t, n);
	p->frames = NEW(arena, struct frame, p->max_frames);
	p->pieces = NEW(arena, struct piece, p->max_pieces);
	p->tally = NEW(arena, struct tally, sections + 1);
	p->blame = NEW(arena, uint32_t, sections);
	if (!p->twin || !p->key || !p->frames || !p->pieces || !p->tally ||
		!p->blame ||
		!mp_planner_horizon_new(&p->horizon, puzzle, arena))
		return false;
	for (size_t i = 0; i < n; i++) {
		p->key[i] = mp_prng(&state);
		p->twin[i] = i > 0 &&
			     puzzle->start[i] == puzzle->start[i - 1] &&
			     puzzle->end[i] == puzzle->end[i - 1] &&
			     puzzle->size[i] == puzzle->size[i - 1];
	}
	return true;
}

/* ------------------------------------------------------- components */

/* True if the state of a range is small enough to be kept as a nogood. Only
 * then it has a hash. */
static bool is_small(const struct plateau *p, struct sections range)
{
	const uint32_t *first = p->horizon.puzzle->first;

	return first[range.end] - first[range.start] <= MOST_KEPT;
}

static uint64_t hash_of(const struct plateau *p, struct sections range)
{
	const struct horizon *h = &p->horizon;
	uint32_t last = h->puzzle->first[range.end];
	uint64_t hash = 0;

	if (!is_small(p, range))
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

/* Splits the current piece if it may have come apart, and goes on to the next
 * if no item is left in it. False: all items are placed. */
static bool settle(struct plateau *p, bool apart)
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

/* ------------------------------------------------------------ moves */

static struct sections sections_of(const struct plateau *p, uint32_t item)
{
	const struct puzzle *puzzle = p->horizon.puzzle;

	return (struct sections){puzzle->start[item], puzzle->end[item]};
}

/* Places an item on the floor of a valley. False: the rest cannot be packed. */
static bool place_item(
	struct plateau *p, const struct frame *f, uint32_t item, bool *apart)
{
	struct horizon *h = &p->horizon;
	int64_t floor = h->floor[f->valley.start];
	int64_t top = floor + h->puzzle->size[item];
	struct sections part = sections_of(p, item);

	p->pieces[p->piece].hash = f->hash ^ p->key[item];
	p->looks += part.end - part.start;
	*apart = mp_planner_horizon_place(h, item, floor);
	return mp_planner_valley_raise(p, f->valley.start, part, top) &&
	       mp_planner_valley_check(p, part, top);
}

/* The sections around the focus over which no candidate is left. */
static struct sections idle_sections(
	const struct plateau *p, struct sections valley, uint32_t focus)
{
	struct sections idle = {focus, focus + 1};
	int32_t count = 0;

	for (uint32_t s = valley.start; s < valley.end; s++) {
		count += p->tally[s].count;
		p->tally[s].count = count;
	}
	while (idle.start > valley.start && p->tally[idle.start - 1].count == 0)
		idle.start--;
	while (idle.end < valley.end && p->tally[idle.end].count == 0)
		idle.end++;
	return idle;
}

/* Closes the focus of a valley after all candidates have failed: no item rests
 * there. False: the rest cannot be packed. */
static bool close_focus(struct plateau *p, struct frame *f)
{
	struct horizon *h = &p->horizon;
	const struct puzzle *puzzle = h->puzzle;
	struct valley v = mp_planner_valley_at(h, f->valley.start);
	struct sections idle;

	for (uint32_t i = mp_planner_horizon_unplaced(
		     h, puzzle->first[v.range.start]);
		i < puzzle->first[f->focus + 1];
		i = mp_planner_horizon_unplaced(h, i + 1))
		if (puzzle->end[i] > f->focus &&
			mp_planner_valley_takes(p, &v, i))
			mp_planner_horizon_lift(h, i, v.floor + 1);
	mp_planner_valley_count(p, &v);
	idle = idle_sections(p, v.range, f->focus);
	for (uint32_t s = idle.start; s < idle.end; s++)
		if (h->room[s] < v.least)
			return mp_planner_valley_fail(p, s, v.range);
	p->pieces[p->piece].hash = f->hash;
	mp_planner_horizon_waste(h, idle.start, idle.end, v.least);
	return mp_planner_valley_raise(
		p, f->valley.start, idle, v.floor + v.least);
}

/* The candidate over the focus with the first turn after that of the child. */
static uint32_t next_child(struct plateau *p, const struct frame *f)
{
	const struct horizon *h = &p->horizon;
	const struct puzzle *puzzle = h->puzzle;
	struct valley v = {
		.range = f->valley, .floor = h->floor[f->valley.start]};
	struct unplaced walk =
		mp_planner_horizon_walk(h, puzzle->first[f->valley.start]);
	uint32_t best = NONE, last = puzzle->first[f->focus + 1], i;

	for (; (i = mp_planner_horizon_next(&walk)) < last;) {
		p->looks++;
		if (puzzle->end[i] <= f->focus ||
			(best != NONE && p->turn[i] > p->turn[best]) ||
			(f->child != NONE && p->turn[i] <= p->turn[f->child]) ||
			!mp_planner_valley_takes(p, &v, i))
			continue;
		best = i;
	}
	return best;
}

/* ----------------------------------------------------------- search */

/* Pushes the next decision, unless a nogood refutes the state. */
static void open_frame(struct plateau *p)
{
	const struct horizon *h = &p->horizon;
	const struct piece *piece = &p->pieces[p->piece];
	uint32_t segment;

	if (is_small(p, piece->range) &&
		mp_planner_nogood_find(
			p->nogoods, h, piece->range, piece->hash, &p->proof))
		return;
	segment = mp_planner_horizon_best(
		h, piece->range.start, piece->range.end);
	assert(segment != NONE && p->n_frames < p->max_frames);
	p->frames[p->n_frames++] = (struct frame){
		.valley = {segment, h->next[segment]},
		.focus = h->focus[segment],
		.child = NONE,
		.n_changes = h->n_changes,
		.piece = p->piece,
		.n_pieces = p->n_pieces,
		.must = h->rank[segment + h->puzzle->n_sections] < OPEN,
		.proof = {segment > 0 ? segment - 1 : 0, h->next[segment] + 1},
		.hash = piece->hash,
		.nodes = p->nodes};
}

/* Undoes the last child of a frame, and adds its failure to the proof. False:
 * the proof does not touch the child, so that all other children fail too. */
static bool undo_child(struct plateau *p, struct frame *f)
{
	struct sections child;

	mp_planner_horizon_undo(&p->horizon, f->n_changes);
	p->piece = f->piece;
	p->n_pieces = f->n_pieces;
	if (f->child == NONE && !f->closed)
		return true;
	child = f->closed ? f->valley : sections_of(p, f->child);
	if (child.start >= p->proof.end || p->proof.start >= child.end) {
		f->proof = p->proof;
		return false;
	}
	if (p->proof.start < f->proof.start)
		f->proof.start = p->proof.start;
	if (p->proof.end > f->proof.end)
		f->proof.end = p->proof.end;
	return true;
}

/* Pops the last frame: its state is refuted. */
static void drop_frame(struct plateau *p)
{
	const struct frame *f = &p->frames[--p->n_frames];
	struct sections range = p->pieces[f->piece].range;

	p->proof = f->proof;
	if (p->nodes - f->nodes >= WORTH_KEEPING && is_small(p, range))
		mp_planner_nogood_add(
			p->nogoods, &p->horizon, range, f->hash, f->proof);
}

/* One attempt: the next child of a frame, else closing the focus. False if it
 * fails, or if the frame has no more. */
static bool try_next(struct plateau *p, struct frame *f, bool *apart)
{
	uint32_t child = NONE;

	*apart = false;
	if (!undo_child(p, f)) {
		drop_frame(p);
		return false;
	}
	if (!f->closed)
		child = next_child(p, f);
	if (child == NONE && (f->must || f->closed)) {
		drop_frame(p);
		return false;
	}
	p->nodes++;
	f->child = child;
	f->closed = child == NONE;
	if (f->closed ? close_focus(p, f) : place_item(p, f, child, apart))
		return true;
	p->failures++;
	p->blame[p->failed]++;
	return false;
}

static bool may_go_on(struct plateau *p, uint64_t max_failures)
{
	uint64_t looks = p->looks - p->reported;

	if (p->failures > max_failures || p->horizon.overflow ||
		p->n_frames == p->max_frames ||
		p->n_pieces + p->horizon.puzzle->n_sections > p->max_pieces)
		return false;
	if (!p->may_go_on || p->nodes % NODES_PER_REPORT != 0)
		return true;
	p->reported = p->looks;
	p->stopped = !p->may_go_on(p->user, looks);
	return !p->stopped;
}

static bool start(struct plateau *p)
{
	struct horizon *h = &p->horizon;
	uint32_t n = h->puzzle->n_sections;

	if (!mp_planner_horizon_reset(h))
		return false;
	p->n_frames = 0;
	p->nodes = p->failures = 0;
	p->piece = 0;
	p->n_pieces = 1;
	p->pieces[0] = (struct piece){.range = {0, n}, .next = NONE};
	for (uint32_t s = 0; s < n; s = h->next[s])
		if (!mp_planner_valley_assess(p, s))
			return false;
	return true;
}

enum plateau_answer mp_planner_plateau_run(
	struct plateau *p, const uint32_t *turn, uint64_t max_failures)
{
	bool apart = true;

	assert(p->horizon.puzzle->n_items > 0 && p->nogoods);
	p->turn = turn;
	if (!start(p))
		return PLATEAU_NO;
	while (settle(p, apart)) {
		open_frame(p);
		do {
			if (p->n_frames == 0)
				return PLATEAU_NO;
			if (!may_go_on(p, max_failures))
				return PLATEAU_SPENT;
		} while (!try_next(p, &p->frames[p->n_frames - 1], &apart));
	}
	return PLATEAU_YES;
}
