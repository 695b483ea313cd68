/*
 * piles: what is alive at one step lies in a pile, one above the other, in some
 * order. With alignments of their own the order matters: bytes are lost between
 * two of them. How many bytes a pile takes at the least is a dynamic program
 * over its subsets, which is exact, and so a lower bound.
 *
 * Small problems, without ties or fixed offsets, are then searched by ascending
 * offsets. With gaps, streams and pairs apart buffers may meet in pairs, so a
 * section is a maximal clique: buffers of which any two never share a byte
 * (Bron, Kerbosch, Communications of the ACM 16(9), 1973). Each buffer goes on
 * the skyline. A subset of a section has a greatest height at which it can
 * still begin within the arena, again by a dynamic program. Where the skyline
 * is above that of what is left, nothing is to be found. Of those that may come
 * next only the ones count that begin before any other can end (Giffler,
 * Thompson, Operations Research 8(4), 1960).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "planners/any/greedy.h"
#include "planners/rows.h"

enum {
	MOST_BUFFERS = 64, /* bits of a word, */
	MOST_SECTIONS = 64,
	MOST_PARTS = 512,	 /* of which all pairs are looked at */
	MOST_PILE = 20,		 /* parts of which all subsets are looked at */
	MOST_ROOM = 1 << 21,	 /* subsets of all sections */
	LEAST_NOGOODS = 1 << 10, /* powers of two */
	MOST_NOGOODS = 1 << 19,
	STEPS_A_NOGOOD = 32,   /* a node takes about a tenth of them */
	PAIRS_A_STEP = 16,     /* of parts, and */
	SUBSETS_A_STEP = 32,   /* in about 100 ns, each with one more part */
	CANDIDATES_A_STEP = 8, /* positions found and sections looked at */
	TABLES_SHARE = 8,      /* one part in so many at most goes to tables, */
	ARENA_SHARE = 2 /* one part in so many of the budget left goes to an
			   arena, if others are left */
};

static const char NOT_TAKEN[] =
	"takes no fixed offsets, and several streams or branches only of up "
	"to 64 whole buffers";

/* A maximal set of buffers of which any two never share a byte. */
struct section {
	uint32_t members[MOST_PILE], n;
	uint64_t *highest; /* of a subset: where it may begin at the most, or
			      NOWHERE */
};

/* What is known of one more buffer on the skyline. */
struct level {
	uint64_t heights[MOST_SECTIONS]; /* the skyline */
	uint32_t rests[MOST_SECTIONS];	 /* what is left of a section */
	uint64_t left;			 /* buffers */
	uint64_t positions[MOST_BUFFERS];
	uint32_t candidates[MOST_BUFFERS], n;
};

enum found {
	FOUND,
	REFUTED,
	OPEN
};

struct piles {
	struct job *job;
	const struct problem *problem;
	struct section *sections;
	uint32_t n_sections;
	bool searches;		      /* the sections are all there */
	uint64_t near[MOST_BUFFERS];  /* of a buffer: those that never share a
					 byte with it, as bits */
	uint64_t alive[MOST_BUFFERS]; /* of a buffer: its sections, as bits */
	uint8_t (*places)[MOST_SECTIONS]; /* of a buffer: its bit in a section
					   */
	struct level *levels;
	uint64_t *offsets;
	uint64_t *nogoods;  /* what is left, and the heights then: nothing was
			       found above them */
	uint64_t n_nogoods; /* a power of two */
	uint64_t limit;	    /* bytes of the arena */
	uint64_t until;	    /* when job->spent is this, the limit is given up */
};

static const uint64_t NOWHERE = UINT64_MAX;

/* ------------------------------------------------------------ bound */

/* Where a part ends that lies as low as it can above that height. */
static uint64_t end_above(
	const struct problem *p, uint32_t part, uint64_t height)
{
	const struct part *at = &p->parts[part];
	uint64_t low = height - num_min(height, at->base);

	return num_up(low, p->buffers[at->buffer].align) + at->base + at->size;
}

/* A pile, each time of the part that ends with the fewest bytes lost. */
static uint64_t some_pile(
	const struct problem *p, const uint32_t *parts, uint32_t n)
{
	uint32_t left = (UINT32_C(1) << n) - 1;
	uint64_t height = 0;

	while (left) {
		uint64_t least = UINT64_MAX;
		uint32_t best = 0;

		for (uint32_t i = 0; i < n; i++) {
			uint64_t lost;

			if (!(left >> i & 1))
				continue;
			lost = end_above(p, parts[i], height) - height -
			       p->parts[parts[i]].size;
			if (lost < least)
				best = i;
			least = num_min(least, lost);
		}
		height = end_above(p, parts[best], height);
		left &= ~(UINT32_C(1) << best);
	}
	return height;
}

/* The least bytes of a pile. */
static uint64_t least_pile(const struct problem *p, const uint32_t *parts,
	uint32_t n, uint64_t *ends)
{
	uint32_t all = (UINT32_C(1) << n) - 1;

	ends[0] = 0;
	for (uint32_t set = 1; set <= all; set++) {
		ends[set] = UINT64_MAX;
		for (uint32_t bits = set; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(bits);
			uint64_t below = ends[set & ~(UINT32_C(1) << i)];

			ends[set] = num_min(
				ends[set], end_above(p, parts[i], below));
		}
	}
	return ends[all];
}

/* Steps that it takes to look at all subsets. */
static uint64_t work_of(uint32_t n)
{
	return ((uint64_t)n << n) / SUBSETS_A_STEP + 1;
}

/* Raises the bound if the parts take more. False: memory is out. */
static bool raise_to_pile(struct piles *s, const uint32_t *parts, uint32_t n)
{
	struct arena_mark mark = mp_arena_mark(s->job->arena);
	uint64_t bytes, *ends;

	mp_planner_job_step(
		s->job, n > MOST_PILE ? n : n * n / PAIRS_A_STEP + 1);
	if (n > MOST_PILE || work_of(n) > s->job->steps ||
		some_pile(s->problem, parts, n) <= s->job->lower_bound)
		return true;
	ends = NEW(s->job->arena, uint64_t, UINT64_C(1) << n);
	if (!ends)
		return false;
	bytes = least_pile(s->problem, parts, n, ends);
	mp_planner_job_step(s->job, work_of(n));
	mp_planner_job_prove(s->job, bytes, BOUND_SEARCH);
	mp_arena_rewind(s->job->arena, mark);
	return true;
}

/* --------------------------------------------------------- sections */

static uint32_t count(uint64_t buffers)
{
	return (uint32_t)__builtin_popcountll(buffers);
}

static void find_near(struct piles *s)
{
	const struct problem *p = s->problem;

	mp_planner_job_step(
		s->job, p->n_parts * p->n_parts / (2 * PAIRS_A_STEP) + 1);
	for (uint32_t i = 0; i < p->n_parts; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint32_t a = p->parts[i].buffer, b = p->parts[k].buffer;

			if (a == b || !mp_problem_conflict(p, i, k))
				continue;
			s->near[a] |= UINT64_C(1) << b;
			s->near[b] |= UINT64_C(1) << a;
		}
}

static void keep_section(struct piles *s, uint64_t clique)
{
	struct section *section = &s->sections[s->n_sections];

	s->searches &=
		count(clique) <= MOST_PILE && s->n_sections < MOST_SECTIONS;
	for (; s->searches && clique; clique &= clique - 1) {
		uint32_t buffer = (uint32_t)__builtin_ctzll(clique);

		s->alive[buffer] |= UINT64_C(1) << s->n_sections;
		s->places[buffer][s->n_sections] = (uint8_t)section->n;
		section->members[section->n++] = buffer;
	}
	s->n_sections += s->searches;
}

/* Of those buffers, the one that meets most of the others. */
static uint32_t find_pivot(
	const struct piles *s, uint64_t those, uint64_t others)
{
	uint32_t pivot = (uint32_t)__builtin_ctzll(those);

	for (; those; those &= those - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(those);

		if (count(s->near[i] & others) > count(s->near[pivot] & others))
			pivot = i;
	}
	return pivot;
}

/* Keeps the maximal cliques of these buffers and some of the next ones, without
 * any of those that are done: all that meet these are next or done. Each call
 * takes one more, so the depth is at most MOST_BUFFERS. */
static void keep_cliques(
	struct piles *s, uint64_t these, uint64_t next, uint64_t done)
{
	uint64_t apart;

	mp_planner_job_step(s->job, 1);
	s->searches &= s->job->steps > 0;
	if ((next | done) == 0)
		keep_section(s, these);
	if (next == 0)
		return;
	apart = next & ~s->near[find_pivot(s, next | done, next)];
	for (; apart && s->searches; apart &= apart - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(apart);
		uint64_t bit = UINT64_C(1) << i;

		keep_cliques(
			s, these | bit, next & s->near[i], done & s->near[i]);
		next &= ~bit;
		done |= bit;
	}
}

/* Finds the sections for the search, and what each takes at the least. False:
 * memory is out. */
static bool take_sections(struct piles *s)
{
	bool fine = true;

	find_near(s);
	keep_cliques(
		s, 0, UINT64_MAX >> (MOST_BUFFERS - s->problem->n_buffers), 0);
	for (uint32_t t = 0; fine && s->searches && t < s->n_sections; t++) {
		const struct section *section = &s->sections[t];
		uint32_t parts[MOST_PILE];

		for (uint32_t i = 0; i < section->n; i++)
			parts[i] = s->problem->buffers[section->members[i]]
					   .first_part;
		fine = raise_to_pile(s, parts, section->n);
	}
	return fine;
}

/* Drops what ends at the step. */
static uint32_t drop_ended(
	const struct problem *p, uint32_t *alive, uint32_t n, uint32_t step)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < n; i++)
		if (p->parts[alive[i]].end > step)
			alive[left++] = alive[i];
	return left;
}

/* What is alive at a step takes at the least: before a part ends, if some has
 * begun since the last one. False: memory is out. */
static bool take_steps(struct piles *s)
{
	const struct problem *p = s->problem;
	uint32_t *order = NEW(s->job->arena, uint32_t, p->n_parts);
	uint32_t *alive = NEW(s->job->arena, uint32_t, p->n_parts);
	uint64_t *key = NEW(s->job->arena, uint64_t, p->n_parts);
	uint32_t n = 0, at = 0;
	bool fine = order && alive && key;

	for (uint32_t i = 0; fine && i < p->n_parts; i++) {
		order[i] = i;
		key[i] = p->parts[i].start;
	}
	if (fine)
		mp_sort_radix(order, alive, p->n_parts, key);
	while (fine && at < p->n_parts && s->job->steps > 0) {
		uint32_t next = UINT32_MAX;

		n = drop_ended(p, alive, n, p->parts[order[at]].start);
		for (uint32_t i = 0; i < n; i++)
			if (p->parts[alive[i]].end < next)
				next = p->parts[alive[i]].end;
		while (at < p->n_parts && p->parts[order[at]].start < next) {
			if (p->parts[order[at]].end < next)
				next = p->parts[order[at]].end;
			alive[n++] = order[at++];
		}
		fine = raise_to_pile(s, alive, n);
	}
	return fine;
}

/* ----------------------------------------------------------- tables */

/* The lowest member begins as high as the others allow. */
static void fill_section(struct piles *s, struct section *section)
{
	uint64_t *highest = section->highest;

	highest[0] = s->limit;
	for (uint32_t set = 1; set < UINT32_C(1) << section->n; set++) {
		highest[set] = NOWHERE;
		for (uint32_t bits = set; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(bits);
			const struct buffer *b =
				&s->problem->buffers[section->members[i]];
			uint64_t top = highest[set & ~(UINT32_C(1) << i)];

			if (top == NOWHERE || top < b->size)
				continue;
			top = num_down(top - b->size, b->align);
			if (highest[set] == NOWHERE || top > highest[set])
				highest[set] = top;
		}
	}
	mp_planner_job_step(s->job, work_of(section->n));
}

/* Nothing is on the skyline. */
static void start(struct piles *s)
{
	struct level *level = &s->levels[0];

	for (uint32_t t = 0; t < s->n_sections; t++) {
		fill_section(s, &s->sections[t]);
		level->heights[t] = 0;
		level->rests[t] = (UINT32_C(1) << s->sections[t].n) - 1;
	}
	level->left = UINT64_MAX >> (MOST_BUFFERS - s->problem->n_buffers);
}

/* ------------------------------------------------------------- node */

/* Can what is left lie above the skyline, as far as single sections show? */
static bool may_fit(const struct piles *s, const struct level *level)
{
	for (uint32_t t = 0; t < s->n_sections; t++) {
		uint64_t most = s->sections[t].highest[level->rests[t]];

		if (most == NOWHERE || level->heights[t] > most)
			return false;
	}
	return true;
}

/* By ascending position; of equal ones the larger buffer first. */
static bool comes_before(const struct piles *s, const struct level *level,
	uint32_t a, uint32_t b)
{
	const struct buffer *x = &s->problem->buffers[a];
	const struct buffer *y = &s->problem->buffers[b];

	if (level->positions[a] != level->positions[b])
		return level->positions[a] < level->positions[b];
	return x->size != y->size ? x->size > y->size : a < b;
}

static void add_candidate(
	const struct piles *s, struct level *level, uint32_t buffer)
{
	uint32_t i = level->n++;

	for (; i > 0 &&
		comes_before(s, level, buffer, level->candidates[i - 1]);
		i--)
		level->candidates[i] = level->candidates[i - 1];
	level->candidates[i] = buffer;
}

static void find_positions(const struct piles *s, struct level *level)
{
	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		uint64_t top = 0;

		for (uint64_t at = s->alive[i]; at; at &= at - 1)
			top = num_max(top, level->heights[__builtin_ctzll(at)]);
		level->positions[i] = num_up(top, s->problem->buffers[i].align);
	}
}

static uint64_t end_of(
	const struct piles *s, const struct level *level, uint32_t buffer)
{
	return level->positions[buffer] + s->problem->buffers[buffer].size;
}

/* Of the buffer that can end first, and of those that meet it, one begins
 * before that end, as low as it can. Returns the lowest position of all. */
static uint64_t list_candidates(const struct piles *s, struct level *level)
{
	uint32_t first = (uint32_t)__builtin_ctzll(level->left);
	uint64_t low = UINT64_MAX, among;

	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		low = num_min(low, level->positions[i]);
		if (end_of(s, level, i) < end_of(s, level, first))
			first = i;
	}
	level->n = 0;
	among = level->left & (s->near[first] | UINT64_C(1) << first);
	for (; among; among &= among - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(among);

		if (level->positions[i] < end_of(s, level, first))
			add_candidate(s, level, i);
	}
	return low;
}

/* What lies below the next offset is lost; above what is done all heights are
 * the same. */
static void settle(const struct piles *s, struct level *level, uint64_t low)
{
	for (uint32_t t = 0; t < s->n_sections; t++)
		level->heights[t] = level->rests[t] == 0
					    ? 0
					    : num_max(level->heights[t], low);
}

static void place(const struct piles *s, const struct level *level,
	uint32_t buffer, struct level *next)
{
	uint64_t top = end_of(s, level, buffer);

	memcpy(next->heights, level->heights,
		s->n_sections * sizeof(*next->heights));
	memcpy(next->rests, level->rests, s->n_sections * sizeof(*next->rests));
	for (uint64_t at = s->alive[buffer]; at; at &= at - 1) {
		uint32_t t = (uint32_t)__builtin_ctzll(at);

		next->heights[t] = top;
		next->rests[t] &= ~(UINT32_C(1) << s->places[buffer][t]);
	}
	next->left = level->left & ~(UINT64_C(1) << buffer);
}

/* Was a buffer tried before that is like this one in all? */
static bool is_like_another(
	const struct piles *s, const struct level *level, uint32_t i)
{
	uint32_t a = level->candidates[i];

	for (uint32_t k = 0; k < i; k++) {
		uint32_t b = level->candidates[k];

		if (s->alive[a] == s->alive[b] &&
			s->problem->buffers[a].size ==
				s->problem->buffers[b].size &&
			s->problem->buffers[a].align ==
				s->problem->buffers[b].align)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------- nogoods */

static uint64_t *nogood_of(const struct piles *s, uint64_t left)
{
	uint64_t hash = left * UINT64_C(0x9E3779B97F4A7C15) >> 32;

	return s->nogoods + (hash & (s->n_nogoods - 1)) * (s->n_sections + 1);
}

/* Was nothing found from there with a skyline that is nowhere higher? */
static bool is_nogood(const struct piles *s, const struct level *level)
{
	const uint64_t *nogood = nogood_of(s, level->left);

	if (nogood[0] != level->left)
		return false;
	for (uint32_t t = 0; t < s->n_sections; t++)
		if (level->heights[t] < nogood[1 + t])
			return false;
	return true;
}

static void keep_nogood(const struct piles *s, const struct level *level)
{
	uint64_t *nogood = nogood_of(s, level->left);

	nogood[0] = level->left;
	memcpy(nogood + 1, level->heights,
		s->n_sections * sizeof(*level->heights));
}

/* ----------------------------------------------------------- search */

static bool goes_on(const struct piles *s)
{
	const struct job *job = s->job;

	return job->steps > 0 && !job->cut_short && job->spent < s->until;
}

/* Each call places one buffer, so the depth is at most MOST_BUFFERS. */
static enum found descend(struct piles *s, struct level *level)
{
	if (level->left == 0)
		return FOUND;
	find_positions(s, level);
	settle(s, level, list_candidates(s, level));
	mp_planner_job_step(s->job, count(level->left) / CANDIDATES_A_STEP +
					    s->n_sections / CANDIDATES_A_STEP +
					    1);
	if (!may_fit(s, level) || is_nogood(s, level))
		return REFUTED;
	for (uint32_t i = 0; i < level->n; i++) {
		uint32_t buffer = level->candidates[i];
		enum found found;

		if (is_like_another(s, level, i))
			continue;
		place(s, level, buffer, level + 1);
		s->offsets[buffer] = level->positions[buffer];
		found = may_fit(s, level + 1) ? descend(s, level + 1) : REFUTED;
		if (found != REFUTED)
			return found;
		if (!goes_on(s))
			return OPEN;
	}
	keep_nogood(s, level);
	return REFUTED;
}

/* Finds ever smaller plans within the limit, or refutes it. False: the verifier
 * refused one, or memory is out. */
static bool search_within(struct piles *s, uint64_t limit, uint64_t steps)
{
	enum found found = FOUND;

	s->limit = limit;
	s->until = s->job->spent + steps;
	memset(s->nogoods, 0,
		sizeof(*s->nogoods) * s->n_nogoods * (s->n_sections + 1));
	while (found == FOUND && !mp_planner_job_done(s->job) && goes_on(s)) {
		start(s);
		found = descend(s, &s->levels[0]);
		if (found == FOUND && !mp_planner_job_offer(s->job, s->offsets))
			return false;
		if (found == REFUTED)
			mp_planner_job_prove(
				s->job, s->limit + 1, BOUND_SEARCH);
		s->limit = s->job->height - 1;
	}
	return true;
}

/* Tries arenas between the bound and the best plan, from the middle; after one
 * that was given up, lower ones. */
static bool search_middle(struct piles *s)
{
	struct job *job = s->job;
	uint64_t most = job->height - 1, limit;

	while (job->steps > 0 && !mp_planner_job_done(job) && !job->cut_short &&
		job->lower_bound <= most) {
		limit = job->lower_bound + (most - job->lower_bound + 1) / 2;
		if (!search_within(s, limit,
			    job->lower_bound < most ? job->steps / ARENA_SHARE
						    : job->steps))
			return false;
		most = num_min(most, job->height - 1);
		if (job->lower_bound <= limit && limit <= most)
			most = limit - 1;
	}
	return true;
}

/* The least arena is often the bound. A capacity is tried by itself. */
static bool search_all(struct piles *s)
{
	struct job *job = s->job;

	if (!s->searches || job->lower_bound > job->capacity)
		return true;
	if (job->capacity < job->height)
		return search_within(s, job->capacity, job->steps);
	return search_within(s, job->lower_bound, job->steps / ARENA_SHARE) &&
	       search_middle(s);
}

/* -------------------------------------------------------------- row */

/* Do parts that are alive at one step lie in a pile? */
static bool has_steps(const struct problem *p)
{
	return p->n_streams <= 1 && !p->choice;
}

/* Are all bytes of the buffer in use whenever some are? */
static bool is_searched(const struct problem *p)
{
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (p->parts[i].size != p->buffers[p->parts[i].buffer].size)
			return false;
	return p->n_buffers <= MOST_BUFFERS && p->n_parts <= MOST_PARTS;
}

static bool make_room(struct piles *s)
{
	uint32_t n = s->problem->n_buffers;
	struct arena *arena = s->job->arena;

	if (!s->searches)
		return true;
	s->sections = NEW(arena, struct section, MOST_SECTIONS);
	s->places = mp_arena_alloc(arena, n, sizeof(*s->places));
	s->levels = NEW(arena, struct level, (size_t)n + 1);
	s->offsets = NEW(arena, uint64_t, n);
	return s->sections && s->places && s->levels && s->offsets;
}

/* Filling the tables must leave most of the budget. False: memory is out. */
static bool make_tables(struct piles *s)
{
	struct arena *arena = s->job->arena;
	uint64_t room = 0, work = 0;

	if (!s->searches)
		return true;
	for (uint32_t t = 0; t < s->n_sections; t++) {
		room += UINT64_C(1) << s->sections[t].n;
		work += work_of(s->sections[t].n);
	}
	s->searches = room <= MOST_ROOM && work <= s->job->steps / TABLES_SHARE;
	if (!s->searches)
		return true;
	for (uint32_t t = 0; t < s->n_sections; t++) {
		struct section *section = &s->sections[t];

		section->highest =
			NEW(arena, uint64_t, UINT64_C(1) << section->n);
		if (!section->highest)
			return false;
	}
	s->n_nogoods = LEAST_NOGOODS;
	while (s->n_nogoods < MOST_NOGOODS &&
		s->n_nogoods < s->job->steps / STEPS_A_NOGOOD)
		s->n_nogoods *= 2;
	s->nogoods = NEW(arena, uint64_t, s->n_nogoods * (s->n_sections + 1));
	return s->nogoods != NULL;
}

static enum outcome outcome_of(const struct job *job)
{
	return job->lower_bound > job->capacity ? PLAN_NO_FIT
						: mp_planner_job_outcome(job);
}

enum outcome mp_planner_piles_run(struct job *job, int variant)
{
	const struct problem *p = job->problem;
	struct piles s = {.job = job, .problem = p, .searches = is_searched(p)};

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (mp_problem_has_fixed(p) || p->total_size >= NUM_MAX_BYTES / 2 ||
		(!s.searches && !has_steps(p)))
		return mp_planner_job_decline(job, NOT_TAKEN);
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (mp_planner_job_done(job) || job->lower_bound > job->capacity)
		return outcome_of(job);
	if (!make_room(&s) || (s.searches && !take_sections(&s)) ||
		(!s.searches && has_steps(p) && !take_steps(&s)) ||
		!make_tables(&s) || !search_all(&s))
		return PLAN_FAILED;
	return outcome_of(job);
}
