/*
 * piles: exact for small problems, best where buffers have alignments of their
 * own. Of larger problems it proves the bound of pile-bound.h only.
 *
 * Buffers are placed by ascending offsets. Each that is left has a position: no
 * offset below it is free, for what is in place and conflicts with it. With
 * gaps, streams and pairs apart buffers may meet in pairs, so a section is a
 * maximal clique: buffers of which any two never share a byte (Bron, Kerbosch,
 * Communications of the ACM 16(9), 1973). A subset of a section has a greatest
 * height at which it can still begin within the arena, again by a dynamic
 * program. What begins at some position or above has to fit from there on; and
 * some buffer of a section must be its lowest, so that the others begin above
 * its end (edge finding: Carlier, Pinson, Management Science 35(2), 1989). Of
 * those that may come next only the ones count that begin before any other can
 * end (Giffler, Thompson, Operations Research 8(4), 1960).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "planners/any/greedy.h"
#include "planners/any/pile-bound.h"
#include "planners/rows.h"

enum {
	MOST_BUFFERS = 64,	 /* a set of buffers is a word */
	MOST_SECTIONS = 64,	 /* and so is one of sections */
	MOST_PARTS = 512,	 /* of a problem: all pairs are looked at */
	MOST_ROOM = 1 << 21,	 /* subsets in the tables of all sections */
	LEAST_NOGOODS = 1 << 10, /* places of their table, a power of two; */
	MOST_NOGOODS = 1 << 17,	 /* places, at most */
	STEPS_A_NOGOOD = 64,	 /* of the budget; a node takes about a tenth */
	PAIRS_A_STEP = 16,  /* pairs of parts that are looked at in 100 ns */
	BUFFERS_A_STEP = 4, /* buffers that are narrowed in 100 ns */
	TABLES_SHARE = 8,   /* tables get such a part of the budget at most */
	ARENA_SHARE = 2	    /* an arena gets such a part of the budget left, if
			       others are left */
};

static const char NOT_TAKEN[] =
	"takes several streams or branches only of up to 64 whole buffers";

/* A maximal set of buffers of which any two never share a byte. */
struct section {
	uint64_t members; /* as bits */
	uint32_t n;
	uint64_t bytes;	   /* of all of them */
	uint64_t lost;	   /* that alignments cost between them at the most */
	uint64_t *highest; /* of a subset: where it may begin at the most, or
			      NOWHERE; NULL: that follows from its bytes */
};

/* What is known with one more buffer in place. */
struct level {
	uint64_t left;			  /* buffers, as bits */
	uint64_t positions[MOST_BUFFERS]; /* of what is left: no offset is less
					   */
	uint32_t order[MOST_BUFFERS]; /* what is left, by descending position */
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
	bool searches;
	uint64_t conflicts[MOST_BUFFERS]; /* of a buffer: those that never share
					a byte with it, as bits */
	uint64_t sections_of[MOST_BUFFERS]; /* of a buffer: its sections, as
					       bits */
	uint8_t (*places)[MOST_SECTIONS];   /* of a buffer: its bit in a section
					     */
	struct level *levels;
	uint64_t *offsets;
	uint64_t *nogoods;	/* what is left, and its positions: nothing was
				   found there or higher */
	uint64_t n_nogoods;	/* a power of two */
	uint32_t *kept, n_kept; /* places of the table that are not empty */
	uint64_t limit;		/* bytes of the arena */
	uint64_t until; /* when job->spent is this, the limit is given up */
};

static const uint64_t NOWHERE = UINT64_MAX;

/* --------------------------------------------------------- sections */

static uint32_t count(uint64_t buffers)
{
	return (uint32_t)__builtin_popcountll(buffers);
}

/* There are some, else any plan would have been the best. */
static uint64_t all_buffers(const struct piles *s)
{
	assert(s->problem->n_buffers > 0);
	return UINT64_MAX >> (MOST_BUFFERS - s->problem->n_buffers);
}

static void find_conflicts(struct piles *s)
{
	const struct problem *p = s->problem;

	mp_planner_job_step(
		s->job, p->n_parts * p->n_parts / (2 * PAIRS_A_STEP) + 1);
	for (uint32_t i = 0; i < p->n_parts; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint32_t a = p->parts[i].buffer, b = p->parts[k].buffer;

			if (a == b || !mp_problem_conflict(p, i, k))
				continue;
			s->conflicts[a] |= UINT64_C(1) << b;
			s->conflicts[b] |= UINT64_C(1) << a;
		}
}

static uint64_t bytes_of(const struct piles *s, uint64_t buffers)
{
	uint64_t bytes = 0;

	for (; buffers; buffers &= buffers - 1)
		bytes += s->problem->buffers[__builtin_ctzll(buffers)].size;
	return bytes;
}

/* Of more than MOST_SECTIONS the ones with the most bytes. */
static void keep_section(struct piles *s, uint64_t clique)
{
	struct section section = {.members = clique,
		.n = count(clique),
		.bytes = bytes_of(s, clique)};
	uint32_t at = s->n_sections;

	if (at == MOST_SECTIONS) {
		at = 0;
		for (uint32_t t = 1; t < MOST_SECTIONS; t++)
			if (s->sections[t].bytes < s->sections[at].bytes)
				at = t;
		if (s->sections[at].bytes < section.bytes)
			s->sections[at] = section;
		return;
	}
	s->sections[s->n_sections++] = section;
}

/* Of those buffers, the one that meets most of the others. */
static uint32_t find_pivot(
	const struct piles *s, uint64_t those, uint64_t others)
{
	uint32_t pivot = (uint32_t)__builtin_ctzll(those);

	for (; those; those &= those - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(those);

		if (count(s->conflicts[i] & others) >
			count(s->conflicts[pivot] & others))
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
	if ((next | done) == 0)
		keep_section(s, these);
	if (next == 0)
		return;
	apart = next & ~s->conflicts[find_pivot(s, next | done, next)];
	for (; apart && s->job->spent < s->until; apart &= apart - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(apart);
		uint64_t bit = UINT64_C(1) << i;

		keep_cliques(s, these | bit, next & s->conflicts[i],
			done & s->conflicts[i]);
		next &= ~bit;
		done |= bit;
	}
}

/* Finds the sections for the search, and what each takes at the least. False:
 * memory is out. */
static bool take_sections(struct piles *s)
{
	bool fine = true;

	find_conflicts(s);
	s->until = s->job->spent + s->job->steps / TABLES_SHARE;
	keep_cliques(s, 0, all_buffers(s), 0);
	for (uint32_t t = 0; fine && t < s->n_sections; t++) {
		uint64_t left = s->sections[t].members;
		uint32_t parts[MOST_BUFFERS], n = 0;

		for (; left; left &= left - 1)
			parts[n++] = s->problem->buffers[__builtin_ctzll(left)]
					     .first_part;
		fine = mp_planner_pile_raise(s->job, parts, n);
	}
	return fine;
}

/* ----------------------------------------------------------- tables */

/* The lowest member begins as high as the others allow. */
static void fill_section(struct piles *s, struct section *section)
{
	uint64_t *highest = section->highest;
	const struct buffer *members[PILE_MOST];
	uint32_t n = 0;

	for (uint64_t left = section->members; left; left &= left - 1)
		members[n++] = &s->problem->buffers[__builtin_ctzll(left)];
	assert(n > 0);
	highest[0] = s->limit;
	for (uint32_t set = 1; set < UINT32_C(1) << n; set++) {
		highest[set] = NOWHERE;
		for (uint32_t bits = set; bits; bits &= bits - 1) {
			uint32_t i = (uint32_t)__builtin_ctz(bits);
			const struct buffer *b = members[i];
			uint64_t top = highest[set & ~(UINT32_C(1) << i)];

			if (top == NOWHERE || top < b->size)
				continue;
			top = num_down(top - b->size, b->align);
			if (highest[set] == NOWHERE || top > highest[set])
				highest[set] = top;
		}
	}
	mp_planner_job_step(s->job, mp_planner_pile_work(n));
}

/* ------------------------------------------------------------- node */

static void sort_left(struct level *level)
{
	uint32_t n = count(level->left);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t buffer = level->order[i], k = i;

		for (; k > 0 && level->positions[level->order[k - 1]] <
					level->positions[buffer];
			k--)
			level->order[k] = level->order[k - 1];
		level->order[k] = buffer;
	}
}

/* Nothing is in place. */
static void start(struct piles *s)
{
	struct level *level = &s->levels[0];

	for (uint32_t t = 0; t < s->n_sections; t++)
		if (s->sections[t].highest)
			fill_section(s, &s->sections[t]);
	level->left = all_buffers(s);
	for (uint32_t i = 0; i < s->problem->n_buffers; i++) {
		uint64_t fixed = s->problem->buffers[i].offset;

		level->positions[i] = fixed == NO_OFFSET ? 0 : fixed;
		level->order[i] = i;
	}
	sort_left(level);
}

static uint64_t end_of(
	const struct piles *s, const struct level *level, uint32_t buffer)
{
	return level->positions[buffer] + s->problem->buffers[buffer].size;
}

/* Does that of the section end within the limit, if it begins there? */
static bool has_room(const struct piles *s, const struct section *section,
	uint64_t set, uint64_t bytes, uint64_t position)
{
	uint64_t highest;

	if (!section->highest)
		return bytes <= s->limit && position <= s->limit - bytes;
	highest = section->highest[set];
	return highest != NOWHERE && position <= highest;
}

/* What is left of each section. */
struct rests {
	uint64_t bytes[MOST_SECTIONS];
	uint64_t sets[MOST_SECTIONS];
	uint64_t tight; /* sections of which some cannot begin lowest, as bits;
			   perhaps others */
};

/* Can what is left end within the limit, as far as single sections show? What
 * begins at some position or above lies in a pile from there on. */
static bool may_fit(
	const struct piles *s, const struct level *level, struct rests *rests)
{
	uint32_t n = count(level->left);
	uint64_t top[MOST_SECTIONS], open = 0;

	memset(rests, 0, sizeof(*rests));
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = level->order[k];
		const struct buffer *b = &s->problem->buffers[i];
		uint64_t position = level->positions[i];

		if (position > b->offset || end_of(s, level, i) > s->limit)
			return false;
		for (uint64_t at = s->sections_of[i]; at; at &= at - 1) {
			uint32_t t = (uint32_t)__builtin_ctzll(at);

			if (rests->bytes[t] == 0)
				top[t] = position;
			rests->sets[t] |= UINT64_C(1) << s->places[i][t];
			rests->bytes[t] += b->size;
			if (!has_room(s, &s->sections[t], rests->sets[t],
				    rests->bytes[t], position))
				return false;
		}
		open |= s->sections_of[i];
	}
	for (; open; open &= open - 1) {
		uint32_t t = (uint32_t)__builtin_ctzll(open);

		if (top[t] + rests->bytes[t] + s->sections[t].lost > s->limit)
			rests->tight |= open & (~open + 1);
	}
	return true;
}

/* The tight sections in which the buffer may be the lowest of what is left. */
static uint64_t lowest_in(const struct piles *s, const struct level *level,
	const struct rests *rests, uint32_t buffer)
{
	uint64_t sections = 0, end = end_of(s, level, buffer);

	for (uint64_t at = s->sections_of[buffer] & rests->tight; at;
		at &= at - 1) {
		uint32_t t = (uint32_t)__builtin_ctzll(at);
		uint64_t bit = UINT64_C(1) << s->places[buffer][t];

		if (has_room(s, &s->sections[t], rests->sets[t] & ~bit,
			    rests->bytes[t] - s->problem->buffers[buffer].size,
			    end))
			sections |= at & (~at + 1);
	}
	return sections;
}

/* What cannot be the lowest of a section begins above the end of some that can
 * be. False: there is none. */
static bool raise(const struct piles *s, struct level *level,
	const struct rests *rests, bool *has_risen)
{
	uint64_t lowest[MOST_BUFFERS], ends[MOST_SECTIONS];

	assert(level->left != 0);
	for (uint64_t left = rests->tight; left; left &= left - 1)
		ends[__builtin_ctzll(left)] = UINT64_MAX;
	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		lowest[i] = lowest_in(s, level, rests, i);
		for (uint64_t at = lowest[i]; at; at &= at - 1) {
			uint64_t *end = &ends[__builtin_ctzll(at)];

			*end = num_min(*end, end_of(s, level, i));
		}
	}
	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);
		uint64_t at = s->sections_of[i] & rests->tight & ~lowest[i];
		uint64_t low = level->positions[i];

		for (; at; at &= at - 1)
			low = num_max(low, ends[__builtin_ctzll(at)]);
		if (low == UINT64_MAX)
			return false;
		if (low == level->positions[i])
			continue;
		level->positions[i] = num_up(low, s->problem->buffers[i].align);
		*has_risen = true;
	}
	return true;
}

/* Raises positions until nothing follows any more. False: there is no plan. */
static bool narrow(struct piles *s, struct level *level)
{
	struct rests rests;
	bool has_risen;

	do {
		has_risen = false;
		mp_planner_job_step(
			s->job, count(level->left) / BUFFERS_A_STEP + 1);
		if (!may_fit(s, level, &rests) ||
			!raise(s, level, &rests, &has_risen))
			return false;
		if (has_risen)
			sort_left(level);
	} while (has_risen);
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

/* Of the buffer that can end first, and of those that meet it, one begins
 * before that end, as low as it can. */
static void list_candidates(const struct piles *s, struct level *level)
{
	uint32_t first = (uint32_t)__builtin_ctzll(level->left);
	uint64_t among;

	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		if (end_of(s, level, i) < end_of(s, level, first))
			first = i;
	}
	level->n = 0;
	among = level->left & (s->conflicts[first] | UINT64_C(1) << first);
	for (; among; among &= among - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(among);

		if (level->positions[i] < end_of(s, level, first))
			add_candidate(s, level, i);
	}
}

static void place(const struct piles *s, const struct level *level,
	uint32_t buffer, struct level *next)
{
	uint64_t top = end_of(s, level, buffer), near;
	uint32_t n = count(level->left), k = 0;

	next->left = level->left & ~(UINT64_C(1) << buffer);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t other = level->order[i];

		if (other == buffer)
			continue;
		next->order[k++] = other;
		next->positions[other] = level->positions[other];
	}
	near = next->left & s->conflicts[buffer];
	for (; near; near &= near - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(near);

		if (next->positions[i] < top)
			next->positions[i] =
				num_up(top, s->problem->buffers[i].align);
	}
	sort_left(next);
}

/* May one of the two take the place of the other in all that is left? */
static bool are_alike(const struct piles *s, const struct level *level,
	uint32_t a, uint32_t b)
{
	const struct buffer *x = &s->problem->buffers[a];
	const struct buffer *y = &s->problem->buffers[b];
	uint64_t others =
		level->left & ~(UINT64_C(1) << a) & ~(UINT64_C(1) << b);

	return ((s->conflicts[a] ^ s->conflicts[b]) & others) == 0 &&
	       level->positions[a] == level->positions[b] &&
	       x->size == y->size && x->align == y->align &&
	       x->offset == y->offset;
}

/* Was a buffer tried before that is like this one in all? */
static bool is_like_another(
	const struct piles *s, const struct level *level, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (are_alike(s, level, level->candidates[i],
			    level->candidates[k]))
			return true;
	return false;
}

/* ---------------------------------------------------------- nogoods */

static uint32_t place_of(const struct piles *s, uint64_t left)
{
	uint64_t hash = left * UINT64_C(0x9E3779B97F4A7C15) >> 32;

	return (uint32_t)(hash & (s->n_nogoods - 1));
}

static uint64_t *nogood_at(const struct piles *s, uint32_t at)
{
	return s->nogoods + (size_t)at * (s->problem->n_buffers + 1);
}

/* Was nothing found from positions that are nowhere higher? */
static bool is_nogood(const struct piles *s, const struct level *level)
{
	const uint64_t *nogood = nogood_at(s, place_of(s, level->left));

	if (nogood[0] != level->left)
		return false;
	for (uint64_t left = level->left; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		if (level->positions[i] < nogood[1 + i])
			return false;
	}
	return true;
}

static void keep_nogood(struct piles *s, const struct level *level)
{
	uint32_t at = place_of(s, level->left);
	uint64_t *nogood = nogood_at(s, at);

	if (nogood[0] == 0)
		s->kept[s->n_kept++] = at;
	nogood[0] = level->left;
	memcpy(nogood + 1, level->positions,
		s->problem->n_buffers * sizeof(*level->positions));
}

/* What is not kept is not touched: the table takes up to 60 MiB. */
static void forget_nogoods(struct piles *s)
{
	while (s->n_kept > 0)
		nogood_at(s, s->kept[--s->n_kept])[0] = 0;
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
	if (!narrow(s, level) || is_nogood(s, level))
		return REFUTED;
	list_candidates(s, level);
	for (uint32_t i = 0; i < level->n; i++) {
		uint32_t buffer = level->candidates[i];
		enum found found;

		if (is_like_another(s, level, i))
			continue;
		place(s, level, buffer, level + 1);
		s->offsets[buffer] = level->positions[buffer];
		found = descend(s, level + 1);
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
	forget_nogoods(s);
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

/* Do alignments cost bytes between the members? */
static bool wants_table(const struct piles *s, const struct section *section)
{
	for (uint64_t left = section->members; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctzll(left);

		if (s->problem->buffers[i].align > s->problem->alignment)
			return section->n <= PILE_MOST;
	}
	return false;
}

/* Tables of sections of so many, as far as room and work allow. False: memory
 * is out. */
static bool make_tables_of(
	struct piles *s, uint32_t n, uint64_t *room, uint64_t *work)
{
	for (uint32_t t = 0; t < s->n_sections; t++) {
		struct section *section = &s->sections[t];
		uint64_t subsets = UINT64_C(1) << n;

		if (section->n != n || !wants_table(s, section) ||
			subsets > *room || mp_planner_pile_work(n) > *work)
			continue;
		*room -= subsets;
		*work -= mp_planner_pile_work(n);
		section->highest = NEW(s->job->arena, uint64_t, subsets);
		if (!section->highest)
			return false;
	}
	return true;
}

static void place_members(struct piles *s)
{
	for (uint32_t t = 0; t < s->n_sections; t++) {
		uint64_t left = s->sections[t].members;

		for (uint32_t place = 0; left; left &= left - 1) {
			uint32_t i = (uint32_t)__builtin_ctzll(left);

			s->sections_of[i] |= UINT64_C(1) << t;
			s->places[i][t] = (uint8_t)place++;
			s->sections[t].lost += s->problem->buffers[i].align - 1;
		}
	}
}

/* Small sections come first; filling the tables must leave most of the budget.
 * False: memory is out. */
static bool make_tables(struct piles *s)
{
	uint64_t room = MOST_ROOM, work = s->job->steps / TABLES_SHARE;

	if (!s->searches)
		return true;
	for (uint32_t n = 2; n <= PILE_MOST; n++)
		if (!make_tables_of(s, n, &room, &work))
			return false;
	place_members(s);
	s->n_nogoods = LEAST_NOGOODS;
	while (s->n_nogoods < MOST_NOGOODS &&
		s->n_nogoods < s->job->steps / STEPS_A_NOGOOD)
		s->n_nogoods *= 2;
	s->nogoods = NEW(s->job->arena, uint64_t,
		s->n_nogoods * (s->problem->n_buffers + 1));
	s->kept = NEW(s->job->arena, uint32_t, s->n_nogoods);
	return s->nogoods && s->kept;
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
	if (p->total_size >= NUM_MAX_BYTES / 2 ||
		(!s.searches && !has_steps(p)))
		return mp_planner_job_decline(job, NOT_TAKEN);
	if (job->height == UINT64_MAX &&
		mp_planner_greedy_run(job, GREEDY_SIZE) == PLAN_FAILED)
		return PLAN_FAILED;
	if (mp_planner_job_done(job) || job->lower_bound > job->capacity)
		return outcome_of(job);
	if (!make_room(&s) || (s.searches && !take_sections(&s)) ||
		(!s.searches && has_steps(p) &&
			!mp_planner_pile_raise_steps(job)) ||
		!make_tables(&s) || !search_all(&s))
		return PLAN_FAILED;
	return outcome_of(job);
}
