/*
 * stacks: a bound. What is alive at a time lies in a stack, in some order from
 * the floor up. A sweep over time keeps all orders that the past allows, with
 * how far apart any two have to be for what lay between them before. Where none
 * is left, no plan is that low. Sizes differ by far often: what is small is
 * left out, and what remains takes a multiple of a greater unit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/keys.h"
#include "base/sort.h"
#include "planners/plain/packing.h"

enum {
	MOST_ALIVE = 14,    /* at a time */
	MOST_STATES = 2048, /* of a level */
	AHEAD = 8,	    /* births that each need a gap */
	MUCH_SMALLER = 4,   /* times; such sizes may be left out, */
	MOST_CUTS = 3,	    /* so many times */
	MOST_CROWDS = 3,    /* levels with too many states, then it gives up */
	LOOKS_A_STEP = 40,  /* at distances in 100 ns */
};

static const uint64_t most_limit = INT64_MAX / 4; /* of sums of four */

/* A state is a key: its hash, how many are alive, these from the floor up, and
 * of any two nodes the least difference of their bases. Node 0 is the floor,
 * the last one the ceiling. Of items that are alike the first one stands for
 * each. */
enum {
	AT_ALIVE = 1,
	AT_ITEMS = 2,
	MOST_WORDS =
		AT_ITEMS + MOST_ALIVE + (MOST_ALIVE + 2) * (MOST_ALIVE + 1) / 2
};

struct stacks {
	struct job *job;
	struct packing packing; /* of what is not left out */
	uint32_t *alike;	/* of an item: the first that has its size and
				   ends with it */
	uint32_t most_alive;
	int64_t limit; /* units */

	/* Of a window: items by birth, none of which begins before that
	 * section. */
	uint32_t *births;
	uint32_t n_births, section;

	struct keys now, next;
	uint64_t looks;
};

enum ending {
	PASSED,
	REFUTED,
	CROWDED, /* too many states */
	STOPPED	 /* the budget is spent */
};

/* ----------------------------------------------------------- states */

static uint32_t n_distances(uint32_t most_alive)
{
	return (most_alive + 2) * (most_alive + 1) / 2;
}

/* The place of the distance from node i up to node j. */
static size_t place(const struct stacks *s, uint32_t i, uint32_t j)
{
	assert(i < j && j <= s->most_alive + 1);
	return AT_ITEMS + s->most_alive + j * (j - 1) / 2 + i;
}

static int64_t distance(
	const struct stacks *s, const uint64_t *state, uint32_t i, uint32_t j)
{
	return i == j ? 0 : (int64_t)state[place(s, i, j)];
}

static uint32_t item_at(const uint64_t *state, uint32_t node)
{
	return (uint32_t)state[AT_ITEMS + node - 1];
}

/* The floor takes no room. */
static int64_t size_at(
	const struct stacks *s, const uint64_t *state, uint32_t node)
{
	return node == 0 ? 0 : s->packing.size[item_at(state, node)];
}

/* From the floor to the ceiling, with an item of that size above node p. */
static int64_t tower(
	const struct stacks *s, const uint64_t *state, uint32_t p, int64_t size)
{
	uint32_t top = (uint32_t)state[AT_ALIVE] + 1;

	return distance(s, state, 0, p) + size_at(s, state, p) + size +
	       distance(s, state, p + 1, top);
}

static const uint64_t *state_at(const struct keys *keys, uint32_t i)
{
	return keys->at + (size_t)i * keys->words;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Puts an item above node p. */
static void put(struct stacks *s, const uint64_t *from, uint32_t p,
	uint32_t item, uint64_t *to)
{
	uint32_t n = (uint32_t)from[AT_ALIVE];
	int64_t size = s->packing.size[item], under = size_at(s, from, p);

	to[AT_ALIVE] = n + 1;
	for (uint32_t i = 1; i <= n; i++)
		to[AT_ITEMS + i - (i <= p)] = from[AT_ITEMS + i - 1];
	to[AT_ITEMS + p] = s->alike[item];
	for (uint32_t j = 1; j <= n + 1; j++)
		for (uint32_t i = 0; i < j; i++) {
			int64_t least = distance(s, from, i, j);

			if (i <= p && j > p)
				least = greater(least,
					distance(s, from, i, p) + under + size +
						distance(s, from, p + 1, j));
			to[place(s, i + (i > p), j + (j > p))] =
				(uint64_t)least;
		}
	for (uint32_t i = 0; i <= p; i++)
		to[place(s, i, p + 1)] =
			(uint64_t)(distance(s, from, i, p) + under);
	for (uint32_t j = p + 1; j <= n + 1; j++)
		to[place(s, p + 1, j + 1)] =
			(uint64_t)(size + distance(s, from, p + 1, j));
	s->looks += n_distances(n);
}

/* Takes out what has died before that section. */
static void bury(struct stacks *s, uint64_t *state, uint32_t section)
{
	uint32_t node[MOST_ALIVE + 2], n = 1;
	uint32_t top = (uint32_t)state[AT_ALIVE] + 1;

	node[0] = 0;
	for (uint32_t i = 1; i < top; i++)
		if (s->packing.end[item_at(state, i)] > section) {
			state[AT_ITEMS + n - 1] = item_at(state, i);
			node[n++] = i;
		}
	node[n] = top;
	for (uint32_t j = 1; j <= n; j++)
		for (uint32_t i = 0; i < j; i++)
			state[place(s, i, j)] =
				state[place(s, node[i], node[j])];
	state[AT_ALIVE] = n - 1;
}

static bool is_turned(const uint64_t *state)
{
	const uint64_t *items = state + AT_ITEMS;
	uint64_t n = state[AT_ALIVE];

	for (uint64_t i = 0; i < n; i++)
		if (items[i] != items[n - 1 - i])
			return items[i] > items[n - 1 - i];
	return false;
}

/* Upside down a stack is as good: of the two one is kept. Tops are bases then.
 */
static void turn(const struct stacks *s, uint64_t *state)
{
	uint32_t n = (uint32_t)state[AT_ALIVE];
	uint64_t before[MOST_WORDS];

	memcpy(before, state, sizeof(*before) * s->next.words);
	for (uint32_t i = 0; i < n; i++)
		state[AT_ITEMS + i] = before[AT_ITEMS + n - 1 - i];
	for (uint32_t j = 1; j <= n + 1; j++)
		for (uint32_t i = 0; i < j; i++) {
			int64_t above = j <= n ? size_at(s, before, j) : 0;

			state[place(s, n + 1 - j, n + 1 - i)] =
				(uint64_t)(distance(s, before, i, j) + above -
					   size_at(s, before, i));
		}
}

/* What is not used is 0, as keys are compared whole. */
static void finish(struct stacks *s, uint64_t *state)
{
	uint32_t n = (uint32_t)state[AT_ALIVE];
	uint32_t words = s->next.words;
	size_t end = place(s, n, n + 1) + 1;
	uint64_t hash = n;

	memset(state + AT_ITEMS + n, 0, sizeof(*state) * (s->most_alive - n));
	memset(state + end, 0, sizeof(*state) * (words - end));
	for (size_t i = AT_ITEMS; i < end; i++) {
		hash = (hash ^ state[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	state[0] = hash;
}

/* ------------------------------------------------------------ sweep */

/* In a window that began earlier an item is born when that does. */
static uint32_t born(const struct stacks *s, uint32_t birth)
{
	uint32_t start = s->packing.start[s->births[birth]];

	return start > s->section ? start : s->section;
}

/* An item that is put into a state: what is alive then, and how far each node
 * is from the floor at least, and from the ceiling. */
struct child {
	uint32_t n, item[MOST_ALIVE + 1]; /* by node, from 1 on */
	int64_t size[MOST_ALIVE + 2], low[MOST_ALIVE + 2], high[MOST_ALIVE + 2];
};

static void look_at(struct stacks *s, const uint64_t *state, uint32_t p,
	uint32_t item, struct child *c)
{
	uint32_t n = (uint32_t)state[AT_ALIVE];
	int64_t size = s->packing.size[item];
	int64_t base = distance(s, state, 0, p) + size_at(s, state, p);
	int64_t above = size + distance(s, state, p + 1, n + 1);

	c->n = n + 1;
	for (uint32_t i = 0; i <= n + 1; i++) {
		uint32_t to = i + (i > p);

		c->low[to] = distance(s, state, 0, i);
		c->high[to] = distance(s, state, i, n + 1);
		if (i > p)
			c->low[to] = greater(c->low[to],
				base + size + distance(s, state, p + 1, i));
		else
			c->high[to] = greater(c->high[to],
				distance(s, state, i, p) +
					size_at(s, state, p) + above);
		if (i > n)
			continue;
		c->size[to] = size_at(s, state, i);
		if (i > 0)
			c->item[to] = item_at(state, i);
	}
	c->item[p + 1] = item;
	c->size[p + 1] = size;
	c->low[p + 1] = base;
	c->high[p + 1] = above;
	s->looks += n;
}

/* Is there room for an item of that size when it is born, as far as is known
 * now? */
static bool has_gap(const struct stacks *s, const struct child *c,
	uint32_t section, int64_t size)
{
	int64_t below = 0;

	for (uint32_t i = 1; i <= c->n; i++) {
		if (s->packing.end[c->item[i]] <= section)
			continue;
		if (below + size + c->high[i] <= s->limit)
			return true;
		below = c->low[i] + c->size[i];
	}
	return below + size <= s->limit;
}

static bool suits(struct stacks *s, const struct child *c, uint32_t birth)
{
	uint32_t end = (uint32_t)num_min(birth + AHEAD, s->n_births);

	for (uint32_t i = birth; i < end; i++) {
		s->looks += c->n;
		if (!has_gap(s, c, born(s, i), s->packing.size[s->births[i]]))
			return false;
	}
	return true;
}

/* All states that come of one. False: memory is out. */
static bool grow(struct stacks *s, const uint64_t *state, uint32_t birth)
{
	uint32_t item = s->births[birth];
	bool last = birth + 1 == s->n_births;

	for (uint32_t p = 0; p <= state[AT_ALIVE]; p++) {
		struct child child;
		uint64_t *next;

		s->looks++;
		if (tower(s, state, p, s->packing.size[item]) > s->limit)
			continue;
		look_at(s, state, p, item, &child);
		if (!suits(s, &child, birth + 1))
			continue;
		next = mp_keys_next(&s->next);
		if (!next)
			return false;
		put(s, state, p, item, next);
		bury(s, next, last ? NONE : born(s, birth + 1));
		if (is_turned(next))
			turn(s, next);
		finish(s, next);
		mp_keys_add(&s->next);
	}
	return true;
}

static bool begin(struct stacks *s)
{
	uint64_t *state;

	mp_keys_clear(&s->now);
	state = mp_keys_next(&s->now);
	if (!state)
		return false;
	memset(state, 0, sizeof(*state) * s->now.words);
	mp_keys_add(&s->now);
	return true;
}

/* Sweeps over the births. reach: the one at which it ended. False: memory is
 * out. */
static bool sweep(struct stacks *s, uint32_t *reach, enum ending *ending)
{
	*ending = PASSED;
	if (!begin(s))
		return false;
	for (*reach = 0; *reach < s->n_births && *ending == PASSED; ++*reach) {
		struct keys other;

		mp_keys_clear(&s->next);
		for (uint32_t i = 0; i < s->now.n && s->next.n <= MOST_STATES;
			i++)
			if (!grow(s, state_at(&s->now, i), *reach))
				return false;
		other = s->now;
		s->now = s->next;
		s->next = other;
		if (s->now.n > MOST_STATES)
			*ending = CROWDED;
		else if (s->now.n == 0)
			*ending = REFUTED;
		if (!mp_planner_job_step(s->job, 1 + s->looks / LOOKS_A_STEP))
			*ending = *ending == PASSED ? STOPPED : *ending;
		s->looks = 0;
	}
	return true;
}

/* ---------------------------------------------------------- windows */

/* What is alive where that item is born, and all that is born later. */
static void open_window(struct stacks *s, uint32_t first)
{
	const struct packing *p = &s->packing;

	s->section = p->start[first];
	s->n_births = 0;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (i >= first || p->end[i] > s->section)
			s->births[s->n_births++] = i;
	s->looks += p->n_items;
}

/* Looks for a window that refutes the limit. Where there are too many states
 * another one begins, in a later section. */
static bool refute(struct stacks *s, bool *refuted)
{
	const struct packing *p = &s->packing;
	enum ending ending = CROWDED;
	uint32_t first = 0, crowds = 0, reach;

	while (first < p->n_items && ending == CROWDED &&
		crowds < MOST_CROWDS) {
		open_window(s, first);
		if (!sweep(s, &reach, &ending))
			return false;
		crowds++;
		first = p->first[num_max(born(s, reach - 1), s->section + 1)];
	}
	*refuted = ending == REFUTED;
	return true;
}

/* Items of one size that end together are interchangeable from now on. */
static bool find_alike(struct stacks *s)
{
	const struct packing *p = &s->packing;
	uint32_t n = p->n_items, *order = NEW(s->job->arena, uint32_t, n);
	uint32_t *scratch = NEW(s->job->arena, uint32_t, n);
	uint64_t *key = NEW(s->job->arena, uint64_t, n);

	s->alike = NEW(s->job->arena, uint32_t, n);
	if (!order || !scratch || !key || !s->alike)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		key[i] = (uint64_t)p->size[i];
	}
	mp_sort_radix(order, scratch, n, key);
	for (uint32_t i = 0; i < n; i++)
		key[i] = p->end[i];
	mp_sort_radix(order, scratch, n, key);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t item = order[i], before = i > 0 ? order[i - 1] : item;
		bool is = p->end[item] == p->end[before] &&
			  p->size[item] == p->size[before];

		s->alike[item] = i > 0 && is ? s->alike[before] : item;
	}
	return true;
}

static uint32_t most_alive(const struct packing *p)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < p->n_sections; i++)
		most = (uint32_t)num_max(most, p->first[i + 1] - p->ended[i]);
	return most;
}

/* What is refuted for some buffers is refuted for all. False: memory is out. */
static bool prove(struct stacks *s)
{
	const struct packing *p = &s->packing;
	struct arena *arena = s->job->arena;
	uint32_t words;
	bool refuted;

	s->most_alive = most_alive(p);
	if (s->most_alive > MOST_ALIVE)
		return true;
	words = AT_ITEMS + s->most_alive + n_distances(s->most_alive);
	s->births = NEW(arena, uint32_t, p->n_items);
	if (!s->births || !find_alike(s) ||
		!mp_keys_init(&s->now, words, arena) ||
		!mp_keys_init(&s->next, words, arena))
		return false;
	do {
		uint64_t limit = s->job->lower_bound / p->unit;

		s->limit = (int64_t)limit;
		if (limit > most_limit || mp_planner_job_done(s->job))
			break;
		if (!refute(s, &refuted))
			return false;
		if (refuted)
			mp_planner_job_prove(
				s->job, (limit + 1) * p->unit, BOUND_SEARCH);
	} while (refuted);
	return true;
}

/* ------------------------------------------------------------- cuts */

/* Bounds the problem without the buffers that are smaller. False: memory is
 * out.
 */
static bool cut(struct job *job, uint64_t least)
{
	const struct problem *p = job->problem;
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t *buffers = NEW(job->arena, uint32_t, p->n_buffers), n = 0;
	struct stacks s = {.job = job};
	struct problem large;
	bool fine;

	if (!buffers)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->buffers[i].size >= least)
			buffers[n++] = i;
	fine = mp_problem_subproblem(p, buffers, n, p->alignment, &large,
		       job->arena, job->error) &&
	       mp_planner_packing_init(&s.packing, &large, job->arena) &&
	       prove(&s);
	mp_arena_rewind(job->arena, mark);
	return fine;
}

enum outcome mp_planner_stacks_run(struct job *job, int variant)
{
	const struct problem *p = job->problem;
	uint32_t n = p->n_buffers, cuts = 0;
	uint64_t *sizes;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	sizes = NEW(job->arena, uint64_t, n);
	if (!sizes || (job->height == UINT64_MAX &&
			      mp_planner_dive_run(job, 0) == PLAN_FAILED))
		return PLAN_FAILED;
	for (uint32_t i = 0; i < n; i++)
		sizes[i] = p->buffers[i].size;
	n = mp_sort_unique_u64(sizes, n);
	while (n-- > 0 && cuts < MOST_CUTS && mp_planner_job_step(job, 1)) {
		if (n > 0 && sizes[n] / MUCH_SMALLER < sizes[n - 1])
			continue;
		if (!cut(job, sizes[n]))
			return PLAN_FAILED;
		cuts++;
	}
	return job->lower_bound > job->capacity ? PLAN_NO_FIT
						: mp_planner_job_outcome(job);
}
