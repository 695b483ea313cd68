/*
 * All parts are ranked by start once. A part alive in [start, end) can only
 * conflict with parts ranked before the first that starts at end or later.
 * Among these, a tree of greatest ends skips the buckets in which no placed
 * part lives past start: a search tree for intervals, laid out by rank. It also
 * skips buckets of parts that are all of other branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/conflict.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/radix.h"
#include "base/search.h"

enum {
	BUCKET = 8,   /* ranks a leaf: half a cache line of ends */
	FEW = 32,     /* ranges that there is room for at first */
	MANY = 65536, /* ranges, 1 MiB, from which on a union is tried before
			 there is more room */
	SMALL = 20,   /* ranges that insertion sorts faster than counting does
		       */
	MOST_SPREAD = 1024, /* fewer ranges may be spread as far as they go, */
	CLOSE = 4,	    /* unless so many are before each in its place */
	BITS = 6	    /* of a digit: of 100 ranges, longer ones take
			       longer */
};

/* ------------------------------------------------------------ index */

static void rank_parts(struct conflicts *c)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < p->n_parts; i++)
		c->before[p->parts[i].start + 1]++;
	for (uint32_t k = 0; k < p->n_steps; k++)
		c->before[k + 1] += c->before[k];
	/* A counting sort. It moves before[k] up to where the parts of step k
	 * end, which is where those of step k + 1 began. */
	for (uint32_t i = 0; i < p->n_parts; i++) {
		c->rank[i] = c->before[p->parts[i].start]++;
		c->part[c->rank[i]] = i;
	}
	memmove(c->before + 1, c->before, sizeof(*c->before) * p->n_steps);
	c->before[0] = 0;
}

static void unite_branches(struct conflicts *c)
{
	const struct problem *p = c->problem;

	for (uint32_t rank = 0; rank < p->n_parts; rank++) {
		struct branch_range *bucket =
			&c->branches[c->leaves + rank / BUCKET];
		struct branch_range own = mp_problem_branches_range(
			p, p->parts[c->part[rank]].buffer);

		*bucket = rank % BUCKET == 0
				  ? own
				  : mp_problem_branches_unite(p, *bucket, own);
	}
	/* Empty buckets make ranges wider: then less is skipped. */
	for (uint32_t i = c->leaves - 1; i > 0; i--)
		c->branches[i] = mp_problem_branches_unite(
			p, c->branches[2 * i], c->branches[2 * i + 1]);
}

bool mp_planner_conflicts_init(
	struct conflicts *c, const struct problem *problem, struct arena *arena)
{
	uint32_t n = problem->n_parts;

	*c = (struct conflicts){.problem = problem, .arena = arena};
	for (c->leaves = 1; (uint64_t)c->leaves * BUCKET < n; c->leaves *= 2)
		;
	c->rank = NEW(arena, uint32_t, n);
	c->part = NEW(arena, uint32_t, n);
	c->before = NEW(arena, uint32_t, (size_t)problem->n_steps + 2);
	c->end = NEW(arena, uint32_t, (size_t)c->leaves * BUCKET);
	c->place = NEW(arena, struct range, n);
	c->latest = NEW(arena, uint32_t, (size_t)c->leaves * 2);
	c->taken = NEW(arena, struct range, FEW);
	c->spare = NEW(arena, struct range, FEW);
	c->room = FEW;
	if (!c->rank || !c->part || !c->before || !c->end || !c->place ||
		!c->latest || !c->taken || !c->spare)
		return false;
	rank_parts(c);
	if (!problem->choice)
		return true;
	c->branches = NEW(arena, struct branch_range, (size_t)c->leaves * 2);
	if (c->branches)
		unite_branches(c);
	return c->branches != NULL;
}

void mp_planner_conflicts_clear(struct conflicts *c)
{
	memset(c->end, 0, sizeof(*c->end) * c->leaves * BUCKET);
	memset(c->latest, 0, sizeof(*c->latest) * c->leaves * 2);
}

void mp_planner_conflicts_place(
	struct conflicts *c, uint32_t buffer, uint64_t offset)
{
	const struct buffer *b = &c->problem->buffers[buffer];

	assert(buffer < c->problem->n_buffers && offset < 2 * NUM_MAX_BYTES);
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++) {
		const struct part *part = &c->problem->parts[i];
		uint32_t rank = c->rank[i];
		uint32_t node = rank / BUCKET + c->leaves;

		c->end[rank] = part->end;
		c->place[rank].low = offset + part->base;
		c->place[rank].high = offset + part->base + part->size;
		for (; node && c->latest[node] < part->end; node /= 2)
			c->latest[node] = part->end;
	}
}

static bool is_placed(const struct conflicts *c, uint32_t buffer)
{
	uint32_t part = c->problem->buffers[buffer].first_part;

	return c->end[c->rank[part]] > 0;
}

/* The tree keeps the ends of removed parts: it then skips fewer buckets. */
void mp_planner_conflicts_remove(struct conflicts *c, uint32_t buffer)
{
	const struct buffer *b = &c->problem->buffers[buffer];

	assert(is_placed(c, buffer));
	for (uint32_t i = b->first_part; i < b->first_part + b->n_parts; i++)
		c->end[c->rank[i]] = 0;
}

void mp_planner_conflicts_place_fixed(struct conflicts *c)
{
	const struct buffer *buffers = c->problem->buffers;

	for (uint32_t i = 0; i < c->problem->n_buffers; i++)
		if (buffers[i].offset != NO_OFFSET)
			mp_planner_conflicts_place(c, i, buffers[i].offset);
}

/* ------------------------------------------------------------ union */

/* The places may be those that the ranges come from. */
static void insertion_sort(
	const struct range *from, struct range *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct range range = from[i];
		uint32_t k = i;

		for (; k > 0 && to[k - 1].low > range.low; k--)
			to[k] = to[k - 1];
		to[k] = range;
	}
}

/* Puts the ranges to where the first bits in which lows differ say, two to four
 * places a range. False: too many are close together. */
static bool spread(
	const struct range *from, struct range *to, uint32_t n, uint64_t differ)
{
	uint32_t bits = 33 - (uint32_t)__builtin_clz(n);
	uint32_t top = 64 - (uint32_t)__builtin_clzll(differ | 1);
	uint32_t shift = top > bits ? top - bits : 0;
	uint32_t place[2 * MOST_SPREAD], sum = 0, moves = 0;

	memset(place, 0, sizeof(*place) << bits);
	for (uint32_t i = 0; i < n; i++)
		moves += place[radix_digit(from[i].low, shift, bits)]++;
	if (moves / CLOSE > n)
		return false;
	for (uint32_t digit = 0; digit < 1u << bits; digit++) {
		sum += place[digit];
		place[digit] = sum - place[digit];
	}
	for (uint32_t i = 0; i < n; i++)
		to[place[radix_digit(from[i].low, shift, bits)]++] = from[i];
	return true;
}

/* A pass of counting sort. */
static void sort_digit(const struct range *from, struct range *into, uint32_t n,
	uint32_t shift)
{
	uint32_t place[1 << BITS] = {0}, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		place[radix_digit(from[i].low, shift, BITS)]++;
	for (uint32_t digit = 0; digit < countof(place); digit++) {
		sum += place[digit];
		place[digit] = sum - place[digit];
	}
	for (uint32_t i = 0; i < n; i++)
		into[place[radix_digit(from[i].low, shift, BITS)]++] = from[i];
}

/* Nearly all calls sort fewer than 300 ranges: merging these would take five
 * times as long, in branches that cannot be foreseen. */
void mp_planner_ranges_sort(
	struct range *ranges, uint32_t n, struct range *scratch)
{
	struct range *from = ranges, *into = scratch, *swap;
	uint64_t differ = 0;
	uint32_t shift;

	if (n < SMALL) {
		insertion_sort(ranges, ranges, n);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		differ |= ranges[i].low ^ ranges[0].low;
	if (n < MOST_SPREAD && spread(ranges, scratch, n, differ)) {
		insertion_sort(scratch, ranges, n);
		return;
	}
	for (shift = radix_next(differ, 0); shift < 64;
		shift = radix_next(differ, shift + BITS)) {
		sort_digit(from, into, n, shift);
		swap = from;
		from = into;
		into = swap;
	}
	if (from != ranges)
		memcpy(ranges, from, sizeof(*ranges) * n);
}

/* Makes a union of the ranges in place: ascending, with a gap between each two.
 * Ranges that touch are joined too: no base lies between them. */
static void join_taken(struct conflicts *c)
{
	struct range *ranges = c->taken;
	uint32_t n = c->n_taken, joined = 0;

	mp_planner_ranges_sort(ranges, n, c->spare);
	for (uint32_t i = 0; i < n; i++) {
		if (joined > 0 && ranges[i].low <= ranges[joined - 1].high)
			ranges[joined - 1].high = num_max(
				ranges[joined - 1].high, ranges[i].high);
		else
			ranges[joined++] = ranges[i];
	}
	c->n_taken = joined;
}

/* ---------------------------------------------------------- collect */

/* Makes room for one more range. Stacks of many parts forbid the same bases
 * again and again: from MANY on, a union comes first. */
static bool make_room(struct conflicts *c)
{
	if (c->n_taken < c->room)
		return true;
	if (c->room >= MANY)
		join_taken(c);
	if (c->n_taken <= c->room / 2)
		return true;
	c->taken = mp_arena_double(
		c->arena, c->taken, &c->room, sizeof(*c->taken));
	c->spare = NEW(c->arena, struct range, c->room);
	return c->taken && c->spare;
}

/* The next node behind a subtree; 0: none. */
static uint32_t skip_subtree(uint32_t node)
{
	while (node % 2 == 1)
		node /= 2;
	return node ? node + 1 : 0;
}

/* Bases at which `part` overlaps the placed part of a rank. Empty: none. */
static struct range bases_on(
	const struct conflicts *c, uint32_t rank, const struct part *part)
{
	uint64_t low = c->place[rank].low, high = c->place[rank].high;
	uint64_t reach = part->base + part->size;

	if (high <= part->base)
		return (struct range){0, 0};
	return (struct range){
		low < reach ? 0 : low - reach + 1, high - part->base};
}

/* A walk over the placed parts that conflict with one. */
struct walk {
	uint32_t index; /* of the part */
	uint32_t start; /* of the part */
	uint32_t limit; /* parts from this rank on start too late */
	uint32_t node;	/* of the tree, to be looked at next; 0: none */
	uint32_t rank;	/* first of the bucket at hand */
	uint32_t alive; /* bits: its parts that are still to come */
};

/* Bits of the ranks of a bucket: which parts live past a step? Without a branch
 * for each, as these cannot be foreseen. */
static uint32_t alive_past(const uint32_t *end, uint32_t step)
{
	uint32_t alive = 0;

	for (uint32_t k = 0; k < BUCKET; k++)
		alive |= (uint32_t)(end[k] > step) << k;
	return alive;
}

/* Is no part of the subtree ever alive with this one? */
static bool are_excluded(
	const struct conflicts *c, uint32_t node, uint32_t index)
{
	return c->branches &&
	       mp_problem_branches_exclude(c->problem, c->branches[node],
		       c->problem->parts[index].buffer);
}

/* Moves on to the next bucket in which a placed part lives past the start. */
static bool next_bucket(const struct conflicts *c, struct walk *walk)
{
	while (walk->node) {
		if (c->latest[walk->node] <= walk->start ||
			are_excluded(c, walk->node, walk->index)) {
			walk->node = skip_subtree(walk->node);
			continue;
		}
		if (walk->node < c->leaves) {
			walk->node *= 2;
			continue;
		}
		walk->rank = (walk->node - c->leaves) * BUCKET;
		if (walk->rank >= walk->limit)
			return false;
		walk->alive = alive_past(c->end + walk->rank, walk->start);
		if (walk->limit - walk->rank < BUCKET)
			walk->alive &= (1u << (walk->limit - walk->rank)) - 1;
		walk->node = skip_subtree(walk->node);
		return true;
	}
	return false;
}

/* The rank of the next part in conflict, or NONE. */
static uint32_t next_rank(
	const struct conflicts *c, struct walk *walk, bool exact)
{
	do {
		while (walk->alive) {
			uint32_t rank = walk->rank +
					(uint32_t)__builtin_ctz(walk->alive);

			walk->alive &= walk->alive - 1;
			if (!exact || mp_problem_conflict(c->problem,
					      c->part[rank], walk->index))
				return rank;
		}
	} while (next_bucket(c, walk));
	return NONE;
}

typedef bool meeting(void *context, uint32_t rank, const struct part *part);

/* The placed parts of buffers that are kept apart from this one. */
static bool each_apart(const struct conflicts *c, uint32_t buffer,
	meeting *meet, void *context)
{
	const struct problem *p = c->problem;
	const struct buffer *b = &p->buffers[buffer], *other;
	const struct part *parts = &p->parts[b->first_part];

	for (uint32_t a = p->first_apart[buffer];
		a < p->first_apart[buffer + 1]; a++) {
		other = &p->buffers[p->apart[a]];
		if (!is_placed(c, p->apart[a]))
			continue;
		for (uint32_t k = 0; k < other->n_parts; k++)
			for (uint32_t i = 0; i < b->n_parts; i++)
				if (!meet(context,
					    c->rank[other->first_part + k],
					    &parts[i]))
					return false;
	}
	return true;
}

/* Calls meet for each part of the buffer and each placed part that must not
 * overlap it: parts in conflict, then those of buffers that are kept apart from
 * this one, whenever they live. False: meet said so. */
static inline bool each_meeting(const struct conflicts *c, uint32_t buffer,
	meeting *meet, void *context)
{
	const struct problem *p = c->problem;
	const struct buffer *b = &p->buffers[buffer];
	const struct part *parts = &p->parts[b->first_part];
	bool exact = p->n_streams > 1 || p->choice;
	uint32_t rank;

	for (uint32_t i = 0; i < b->n_parts; i++) {
		struct walk walk = {.index = b->first_part + i,
			.start = parts[i].start,
			.limit = c->before[parts[i].end],
			.node = 1};

		while ((rank = next_rank(c, &walk, exact)) != NONE)
			if (!meet(context, rank, &parts[i]))
				return false;
	}
	return !p->apart || each_apart(c, buffer, meet, context);
}

/* Forbids the bases at which the part overlaps the placed one. False: memory is
 * out. */
static inline bool forbid(void *context, uint32_t rank, const struct part *part)
{
	struct conflicts *c = context;
	struct range bases = bases_on(c, rank, part);

	if (!make_room(c))
		return false;
	if (bases.high == 0)
		return true;
	c->n_met++;
	c->taken[c->n_taken++] = bases;
	return true;
}

bool mp_planner_conflicts_collect(struct conflicts *c, uint32_t buffer)
{
	c->n_taken = c->n_met = 0;
	if (!each_meeting(c, buffer, forbid, c))
		return false;
	join_taken(c);
	return true;
}

/* A caller's visit to the placed buffers that a buffer meets. */
struct visit {
	const struct conflicts *conflicts;
	mp_planner_conflicts_hit *hit;
	void *context;
};

static inline bool visit_hit(
	void *context, uint32_t rank, const struct part *part)
{
	const struct visit *v = context;
	const struct conflicts *c = v->conflicts;
	uint32_t met = c->problem->parts[c->part[rank]].buffer;

	if (met != part->buffer)
		v->hit(v->context, met, bases_on(c, rank, part));
	return true;
}

void mp_planner_conflicts_visit(const struct conflicts *c, uint32_t buffer,
	mp_planner_conflicts_hit *hit, void *context)
{
	struct visit visit = {c, hit, context};

	each_meeting(c, buffer, visit_hit, &visit);
}

/* ------------------------------------------------------------- gaps */

static bool find_top(const struct conflicts *c, struct range bases,
	uint64_t align, uint64_t *base)
{
	uint64_t free = bases.low;

	if (c->n_taken > 0)
		free = num_max(free, c->taken[c->n_taken - 1].high);
	*base = num_up(free, align);
	return *base < bases.high;
}

/* For one buffer, a gap of bytes is larger than another by as much as its range
 * of bases is longer: the smallest gap is the shortest range. */
bool mp_planner_conflicts_find(const struct conflicts *c, struct range bases,
	uint64_t align, enum fit fit, uint64_t *base)
{
	uint64_t free = bases.low, shortest = UINT64_MAX;

	assert(num_is_pow2(align) && bases.low <= bases.high);
	if (fit == FIT_TOP)
		return find_top(c, bases, align, base);
	for (uint32_t i = mp_search_key_u64(c->taken, sizeof(*c->taken),
		     offsetof(struct range, high), c->n_taken, free + 1);
		free < bases.high; i++) {
		uint64_t end = bases.high;

		if (i < c->n_taken)
			end = num_min(end, c->taken[i].low);
		if (num_up(free, align) < end && end - free < shortest) {
			shortest = end - free;
			*base = num_up(free, align);
			if (fit == FIT_LOWEST)
				return true;
		}
		free = i < c->n_taken ? c->taken[i].high : bases.high;
	}
	return shortest != UINT64_MAX;
}

bool mp_planner_conflicts_fit(
	struct conflicts *c, uint32_t buffer, enum fit fit, uint64_t *offset)
{
	struct range all = {0, 2 * NUM_MAX_BYTES};

	return mp_planner_conflicts_collect(c, buffer) &&
	       mp_planner_conflicts_find(
		       c, all, c->problem->buffers[buffer].align, fit, offset);
}
