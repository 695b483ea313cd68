/*
 * One stream: a sweep in order of birth over which part had which bytes last.
 * The parts of a valid plan that are alive at one time have no byte in common,
 * so what is remembered is a set of ranges of bytes that do not overlap, each
 * with the death of its part. A part is valid if what it overlaps there is
 * dead. Then that is forgotten. The set is hardly larger than what is alive, so
 * it stays in the cache, however many parts there are.
 *
 * The set is a treap by address (Seidel, Aragon, Algorithmica 16, 1996): ranks
 * are random, and no range has a range of higher rank beneath it. Ranks are the
 * same in each run, so a plan can be made for which the treap is a list: then
 * the sweep gives up, as with an overlap, before it takes quadratic time.
 *
 * Where the sweep is cut, the next piece begins with what is alive there. So
 * each part is still held against all that are born before it and alive, and
 * pieces need not wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/inside.h"

#include <assert.h>

#include "base/lists.h"
#include "base/prng.h"
#include "base/threads.h"

enum {
	AHEAD = 32,	  /* parts that are on their way from memory */
	MOST_LOOKS = 100, /* at ranges, for each part on average */
	MOST_PIECES = 4,  /* each goes over the parts before it */
	LEAST_PIECE = 10000
};

struct held {
	uint64_t low, high;   /* bytes [low, high) */
	uint32_t end;	      /* step at which the part is dead */
	uint32_t rank;	      /* random */
	uint32_t left, right; /* ranges at lower and higher addresses; NONE */
};

struct holders {
	struct held *held;
	uint32_t n, room; /* of held */
	uint32_t free;	  /* a chain of free ones, by left; NONE: none */
	uint32_t root;
	uint64_t random, looks;
};

/* ------------------------------------------------------------ treap */

/* All ranges of one and, at higher addresses, of another. */
static void join(struct holders *s, uint32_t *link, uint32_t low, uint32_t high)
{
	while (low != NONE && high != NONE)
		if (s->held[low].rank > s->held[high].rank) {
			*link = low;
			link = &s->held[low].right;
			low = *link;
		} else {
			*link = high;
			link = &s->held[high].left;
			high = *link;
		}
	*link = low != NONE ? low : high;
}

/* Parts ranges into those below an address, of which none reaches, and others.
 */
static void split(struct holders *s, uint32_t node, uint64_t address,
	uint32_t *low, uint32_t *high)
{
	while (node != NONE)
		if (s->held[node].low < address) {
			*low = node;
			low = &s->held[node].right;
			node = *low;
		} else {
			*high = node;
			high = &s->held[node].left;
			node = *high;
		}
	*low = *high = NONE;
}

static uint32_t *find(
	struct holders *s, uint32_t *link, const struct placed *part)
{
	while (*link != NONE) {
		struct held *at = &s->held[*link];

		s->looks++;
		if (at->high <= part->low)
			link = &at->right;
		else if (part->high <= at->low)
			link = &at->left;
		else
			break;
	}
	return link;
}

static void forget(struct holders *s, uint32_t *link)
{
	uint32_t node = *link;

	join(s, link, s->held[node].left, s->held[node].right);
	s->held[node].left = s->free;
	s->free = node;
}

/* NONE: memory is out. */
static uint32_t take(struct holders *s, struct arena *scratch)
{
	uint32_t node = s->free;

	if (node != NONE) {
		s->free = s->held[node].left;
		return node;
	}
	s->held = mp_arena_grow(
		scratch, s->held, s->n, &s->room, sizeof(*s->held));
	return s->held ? s->n++ : NONE;
}

/* Adds a range that overlaps none. */
static bool add(struct holders *s, const struct placed *part, uint32_t end,
	struct arena *scratch)
{
	uint32_t node = take(s, scratch);
	uint32_t rank = (uint32_t)mp_prng(&s->random);
	uint32_t *link = &s->root;
	struct held *at;

	if (node == NONE)
		return false;
	while (*link != NONE && s->held[*link].rank >= rank) {
		at = &s->held[*link];
		link = at->low < part->low ? &at->right : &at->left;
	}
	at = &s->held[node];
	*at = (struct held){part->low, part->high, end, rank, NONE, NONE};
	split(s, *link, part->low, &at->left, &at->right);
	*link = node;
	return true;
}

/* ------------------------------------------------------------ sweep */

/* Forgets what the part overlaps. False: some of it is alive. */
static bool clear(struct holders *s, uint32_t *link, const struct placed *part,
	uint32_t start)
{
	for (;;) {
		link = find(s, link, part);
		if (*link == NONE)
			return true;
		if (s->held[*link].end > start)
			return false;
		forget(s, link);
	}
}

/* Most parts have the bytes of one that is dead, and take its place in the set.
 */
static bool hold(struct holders *s, const struct placed *part,
	const struct part *life, bool *apart, struct arena *scratch)
{
	uint32_t *link = find(s, &s->root, part);
	struct held *at;

	assert(part->low < part->high); /* else the order by address is none */
	if (*link == NONE)
		return add(s, part, life->end, scratch);
	at = &s->held[*link];
	*apart = at->end <= life->start &&
		 clear(s, &at->left, part, life->start) &&
		 clear(s, &at->right, part, life->start);
	at->low = part->low;
	at->high = part->high;
	at->end = life->end;
	return true;
}

static bool ascends(const struct problem *p)
{
	for (uint32_t i = 1; i < p->n_parts; i++)
		if (mp_problem_part(p, i - 1).start >
			mp_problem_part(p, i).start)
			return false;
	return true;
}

/* The parts in order of birth; NULL: memory is out. */
static const uint32_t *sort_by_birth(
	const struct problem *p, struct arena *scratch)
{
	struct lists born;
	bool fine =
		p->parts ? mp_lists_group(&born, p->n_steps, &p->parts->start,
				   sizeof(*p->parts), p->n_parts, scratch)
			 : mp_lists_group(&born, p->n_steps, &p->buffers->start,
				   sizeof(*p->buffers), p->n_parts, scratch);

	return fine ? born.links : NULL;
}

/* The part at a place in the order. Those behind it are fetched: they lie
 * anywhere, many on two lines of the cache. A call that does nothing else would
 * be left out by the compiler. */
static uint32_t next_part(
	const struct check *c, const uint32_t *order, uint32_t k)
{
	const struct problem *p = c->problem;
	uint32_t far, near;

	if (k + AHEAD >= p->n_parts)
		return order[k];
	far = order[k + AHEAD];
	near = mp_problem_part(p, order[k + AHEAD / 2]).buffer;
	if (p->parts) {
		__builtin_prefetch(&p->parts[far]);
		__builtin_prefetch(&p->parts[far].buffer);
	} else {
		__builtin_prefetch(&p->buffers[far]);
		__builtin_prefetch(&p->buffers[far].end);
	}
	__builtin_prefetch(&c->offsets[near]);
	return order[k];
}

/* Holds the parts at [from, to) of the order that die after a step. */
static bool sweep_range(struct holders *s, const struct check *c,
	const uint32_t *order, uint32_t from, uint32_t to, uint32_t after,
	bool *apart, struct arena *scratch)
{
	uint64_t most = (uint64_t)MOST_LOOKS * c->problem->n_parts;
	bool fine = true;

	for (uint32_t k = from; fine && *apart && k < to; k++) {
		uint32_t i = order ? next_part(c, order, k) : k;
		struct part life = mp_problem_part(c->problem, i);
		struct placed part;

		if (life.end <= after || c->offsets[life.buffer] == NO_OFFSET)
			continue;
		part = mp_verify_placed(c, i);
		fine = hold(s, &part, &life, apart, scratch);
		*apart = *apart && s->looks <= most;
	}
	return fine;
}

/* Begins with those before that are alive when the first is born: they are
 * alive together, so they must be apart too. */
static bool sweep(const struct check *c, const uint32_t *order, uint32_t from,
	uint32_t to, bool *apart, struct arena *scratch)
{
	struct holders s = {.free = NONE, .root = NONE, .random = 1};
	uint32_t begin = 0;

	*apart = true;
	if (from > 0) {
		begin = mp_problem_part(c->problem, order ? order[from] : from)
				.start;
		if (!sweep_range(&s, c, order, 0, from, begin, apart, scratch))
			return false;
	}
	return sweep_range(&s, c, order, from, to, begin, apart, scratch);
}

/* ----------------------------------------------------------- pieces */

struct piece {
	struct arena scratch;
	struct error error;
	bool fine, apart;
};

/* A sweep cut at births: pieces may run at the same time. */
struct pieces {
	const struct check *check;
	const uint32_t *order;
	uint32_t n;
	struct piece at[MOST_PIECES];
};

static bool sweep_piece(void *context, uint32_t i)
{
	struct pieces *all = context;
	struct piece *piece = &all->at[i];
	uint64_t n = all->check->problem->n_parts;

	piece->fine = sweep(all->check, all->order, (uint32_t)(n * i / all->n),
		(uint32_t)(n * (i + 1) / all->n), &piece->apart,
		&piece->scratch);
	mp_arena_free(&piece->scratch);
	return false;
}

/* False: memory is out, or there are no threads for it. */
static bool sweep_pieces(const struct check *c, const uint32_t *order,
	bool *apart, struct arena *scratch)
{
	uint32_t n_parts = c->problem->n_parts;
	struct pieces all = {.check = c, .order = order};
	bool fine = true;

	all.n = mp_threads_for(scratch->threads,
		(uint32_t)num_min(n_parts / LEAST_PIECE + 1, MOST_PIECES));
	if (all.n == 1)
		return false;
	for (uint32_t i = 0; i < all.n; i++) {
		all.at[i].scratch = mp_arena_beside(scratch);
		all.at[i].scratch.error = &all.at[i].error;
	}
	mp_threads_run(scratch->threads, all.n, sweep_piece, &all);
	*apart = true;
	for (uint32_t i = 0; i < all.n; i++) {
		fine &= all.at[i].fine;
		*apart &= all.at[i].apart;
	}
	return fine;
}

bool mp_verify_holders(
	const struct check *c, bool *apart, struct arena *scratch)
{
	const struct problem *p = c->problem;
	struct arena_mark mark = mp_arena_mark(scratch);
	bool sorted = ascends(p), fine;
	const uint32_t *order = sorted ? NULL : sort_by_birth(p, scratch);

	assert(p->n_streams <= 1 && !p->choice);
	fine = (sorted || order) &&
	       (sweep_pieces(c, order, apart, scratch) ||
		       sweep(c, order, 0, p->n_parts, apart, scratch));
	mp_arena_rewind(scratch, mark);
	return fine;
}
