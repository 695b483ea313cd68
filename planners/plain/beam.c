/*
 * beam: buffers are placed in the order of birth, and many arrangements of what
 * is alive go on side by side. What counts is how they fall to pieces: the free
 * ranges that they will have in each later section, as their buffers die. Fewer
 * are better, above all where the load is high, and where a sweep before found
 * no room. There it is wider for a while. The width grows until the budget is
 * spent; time runs forward and backward in turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "base/sort.h"
#include "planners/plain/dive.h"
#include "planners/plain/packing.h"

enum {
	LEAST_WIDTH = 50,	/* states of a level in the first round */
	WIDER = 4,		/* times as many in the next round */
	MOST_WIDTH = 16384,	/* a choice has 16 bits for its parent, */
	MOST_ALIVE = 1000,	/* and for a place */
	MOST_CHOICES = 5 << 20, /* of a sweep, remembered to retrace it */
	PER_ALIVE = 40, /* choices that take as much as an item of a state */
	DENSE = 32,	/* a section weighs as the square of its load, in such
			   parts of the greatest load */
	TIGHT = 10,	/* a section is tight if it has such a part of the
			   limit free at most */
	AHEAD = 6,	/* tight sections that a level looks ahead to, */
	MOST_BIRTHS = 200,   /* no farther than so many items are born */
	MOST_FAILURES = 100, /* of a section that count */
	PER_FAILURE = 100,   /* each adds such a part of all weights to it */
	CHANCE_BITS = 7,     /* up to a 128th is added to a score by chance */
	SLOTS = 4,	     /* of the table of hashes, for a state */
	SEEDS = 1 << 16,     /* of one sweep */
	SWEEPS = 4,	     /* of the least width that the budget must have */
	KEPT = 4,	     /* levels to which a sweep can return */
	TRIES = 3,  /* returns from one place, each twice as wide as the one
		       before, until the limit is raised */
	DEAR = 16,  /* none but the first takes such a part of the budget */
	RAISES = 8, /* of the limit until it is that of the best plan, */
	MOST_RISE = 128,  /* none by more than such a part of the goal */
	LOOKS_A_STEP = 35 /* looks at items of states in 100 ns */
};

/* Where the sweeps of a round aim at first: eighths of what is between the goal
 * and the best plan. */
static const uint32_t aims[] = {0, 0, 2};

/* How a state came out of one of the level before. */
struct choice {
	uint16_t parent;
	uint16_t place; /* twice the free range, and 1 for its upper end */
};

/* What is alive, by address; most_alive each. */
struct states {
	uint32_t *n;
	uint32_t *item;
	int64_t *offset;
};

/* A free range that is large enough. */
struct room {
	int64_t low, high;
	uint64_t below, above; /* when its neighbours die */
};

struct span {
	int64_t low, high;
};

/* A section to come in which room is scarce. */
struct ahead {
	uint32_t section;
	int64_t slack;
	int64_t least, most; /* sizes of what has no place there yet */
	uint32_t rejected;   /* children */

	/* Of the state that is looked at. */
	int64_t waste;	       /* in free ranges that are too small */
	int64_t first, second; /* the largest ones */
	struct span *around;   /* the free range then, of one now */
};

/* A state that may come next. */
struct child {
	uint64_t hash;
	int64_t low; /* of the item */
	uint32_t parent, place;
};

/* A state that gets the next item. */
struct parent {
	uint32_t state, item;
	uint64_t now, sum, hash; /* of weights; see list_rooms() */
};

struct beam {
	struct job *job;
	struct packing packing;
	uint32_t most_alive;

	/* In one of the directions of time. */
	uint32_t *order;       /* items by birth, the largest first */
	uint32_t *born, *dies; /* sections */
	int64_t *load;
	uint8_t *failures;  /* of a section */
	uint64_t *past;	    /* weight of the sections before this one */
	uint64_t *until;    /* of an item: what is past when it dies */
	uint64_t wall;	    /* dies last */
	uint8_t *learnt[2]; /* failures forward and backward */

	/* Of a sweep. */
	int64_t limit, rise; /* units */
	uint64_t seed;
	uint32_t n_sweeps, level;
	uint32_t front, tries; /* where it failed, and returns from there */
	uint32_t narrow;       /* width where nothing fails, */
	uint32_t widest;       /* and the most where it does */
	uint32_t width, n_states;
	struct states now, next;
	struct choice *choices;
	uint32_t most_choices;
	uint32_t *first_choice; /* of a level, */
	int64_t *limits;	/* and what the limit was then */
	struct child *children;
	uint64_t *score;
	uint32_t n_children, *by_score, *scratch;
	uint64_t *slot;	    /* hashes that are taken */
	uint32_t failed_in; /* section */
	uint32_t furthest;  /* level, of all sweeps */
	uint64_t looks;
	uint64_t n_narrow, narrow_looks; /* at levels that are narrow */
	uint64_t cost_of_plan; /* steps of a level, as the last one was found */

	/* States before each level that is a multiple of most_alive: the last
	 * ones, from this multiple on. */
	struct states kept[KEPT];
	uint32_t n_kept[KEPT], oldest;

	struct room *rooms; /* of the state that is looked at */
	uint32_t n_rooms;
	struct ahead ahead[AHEAD];
	uint32_t n_ahead;
};

/* -------------------------------------------------------- direction */

/* Weights, which are what time is measured in. */
static void weigh(struct beam *b)
{
	const struct packing *p = &b->packing;
	uint64_t part = (uint64_t)(p->max_load / DENSE) + 1, total;

	b->past[0] = 0;
	for (uint32_t s = 0; s < p->n_sections; s++) {
		uint64_t dense = (uint64_t)b->load[s] / part;

		b->past[s + 1] = b->past[s] + 1 + dense * dense;
	}
	total = b->past[p->n_sections] - p->n_sections;
	for (uint32_t s = 0, failures = 0; s < p->n_sections; s++) {
		failures += b->failures[s];
		b->past[s + 1] += total / PER_FAILURE * failures;
	}
	b->wall = b->past[p->n_sections] + 1;
	for (uint32_t i = 0; i < p->n_items; i++)
		b->until[i] = b->past[b->dies[i]];
}

static void sort_by_birth(struct beam *b, uint64_t *key, uint32_t *scratch)
{
	const struct packing *p = &b->packing;

	for (uint32_t i = 0; i < p->n_items; i++) {
		b->order[i] = i;
		key[i] = UINT64_MAX - (uint64_t)p->size[i];
	}
	mp_sort_radix(b->order, scratch, p->n_items, key);
	for (uint32_t i = 0; i < p->n_items; i++)
		key[i] = b->born[i];
	mp_sort_radix(b->order, scratch, p->n_items, key);
}

static bool turn(struct beam *b, bool backward)
{
	const struct packing *p = &b->packing;
	uint32_t n = p->n_sections;
	uint32_t *scratch = NEW(b->job->arena, uint32_t, p->n_items);

	if (!scratch)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++) {
		b->born[i] = backward ? n - p->end[i] : p->start[i];
		b->dies[i] = backward ? n - p->start[i] : p->end[i];
	}
	for (uint32_t s = 0; s < n; s++)
		b->load[s] = p->load[backward ? n - 1 - s : s];
	b->failures = b->learnt[backward];
	sort_by_birth(b, b->until, scratch);
	weigh(b);
	return true;
}

static void learn(struct beam *b)
{
	if (b->failures[b->failed_in] < MOST_FAILURES)
		b->failures[b->failed_in]++;
	weigh(b);
	b->looks += b->packing.n_items;
}

/* ------------------------------------------------------------ ahead */

/* Notes what is born later and alive there. False: that is too far. */
static bool note_unplaced(struct beam *b, struct ahead *a, uint32_t level)
{
	const struct packing *p = &b->packing;
	uint32_t k = level + 1;

	a->least = INT64_MAX;
	a->most = 0;
	for (; k < p->n_items && b->born[b->order[k]] <= a->section; k++) {
		int64_t size = p->size[b->order[k]];

		if (k - level > MOST_BIRTHS)
			return false;
		if (b->dies[b->order[k]] <= a->section)
			continue;
		a->least = size < a->least ? size : a->least;
		a->most = size > a->most ? size : a->most;
	}
	b->looks += k - level;
	return true;
}

/* Of the level's lifetime, as that is where it takes room. */
static void look_ahead(struct beam *b, uint32_t level)
{
	uint32_t item = b->order[level], s = b->born[item];

	for (b->n_ahead = 0; s < b->dies[item] && b->n_ahead < AHEAD; s++) {
		struct ahead *a = &b->ahead[b->n_ahead];

		a->section = s;
		a->slack = b->limit - b->load[s];
		a->rejected = 0;
		if (a->slack > b->limit / TIGHT && b->failures[s] == 0)
			continue;
		if (!note_unplaced(b, a, level))
			break;
		b->n_ahead += a->most > 0;
	}
}

/* What none of those without a place can fill. */
static int64_t wasted(const struct ahead *a, int64_t free)
{
	return free < a->least ? free : 0;
}

static void add_range(struct ahead *a, int64_t free)
{
	a->waste += wasted(a, free);
	if (free > a->first) {
		a->second = a->first;
		a->first = free;
	} else if (free > a->second) {
		a->second = free;
	}
}

/* What will be free there, of the state with the ranges that are listed. */
static void view(struct beam *b, struct ahead *a, uint32_t state)
{
	size_t at = (size_t)state * b->most_alive;
	uint32_t n = b->now.n[state], room = 0;
	int64_t low = 0;

	a->waste = a->first = a->second = 0;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t item = i < n ? b->now.item[at + i] : NONE;
		int64_t high = i < n ? b->now.offset[at + i] : b->limit;

		if (i < n && b->dies[item] <= a->section)
			continue;
		if (high > low)
			add_range(a, high - low);
		for (; room < b->n_rooms && b->rooms[room].low < high; room++)
			a->around[room] = (struct span){low, high};
		low = i < n ? high + b->packing.size[item] : high;
	}
	b->looks += n;
}

/* Will the others have room there, with this taken out of a range? */
static bool suits(const struct ahead *a, uint32_t room, struct span taken)
{
	struct span all = a->around[room];
	int64_t whole = all.high - all.low;
	int64_t lower = taken.low - all.low, upper = all.high - taken.high;
	int64_t other = whole == a->first ? a->second : a->first;

	return a->waste - wasted(a, whole) + wasted(a, lower) +
			       wasted(a, upper) <=
		       a->slack &&
	       (other >= a->most || lower >= a->most || upper >= a->most);
}

static bool suits_all(struct beam *b, uint32_t room, struct span taken)
{
	for (uint32_t i = 0; i < b->n_ahead; i++)
		if (!suits(&b->ahead[i], room, taken)) {
			b->ahead[i].rejected++;
			return false;
		}
	return true;
}

/* The section that has ruled out most children; else there is no room now. */
static uint32_t find_culprit(const struct beam *b, uint32_t level)
{
	uint32_t culprit = b->born[b->order[level]], most = 0;

	for (uint32_t i = 0; i < b->n_ahead; i++)
		if (b->ahead[i].rejected > most) {
			most = b->ahead[i].rejected;
			culprit = b->ahead[i].section;
		}
	return culprit;
}

/* ----------------------------------------------------------- states */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Of what begins there: until it dies; 0: a free range. */
static uint64_t hash_of(int64_t low, uint64_t until)
{
	uint64_t state = (uint64_t)low * UINT64_C(0x9e3779b97f4a7c15) + until;

	return mp_prng(&state);
}

static void bury(struct beam *b, uint32_t state, uint32_t section)
{
	uint32_t *item = b->now.item + (size_t)state * b->most_alive;
	int64_t *offset = b->now.offset + (size_t)state * b->most_alive;
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->now.n[state]; i++)
		if (b->dies[item[i]] > section) {
			item[n] = item[i];
			offset[n++] = offset[i];
		}
	b->now.n[state] = n;
}

/*
 * Lists the free ranges of at least that size. Returns how much later or
 * earlier each neighbour dies than the one below it, added up, where a free
 * range is dead now. That is twice the number of free ranges in each section to
 * come, added up by weight. The hash is that of the places where this changes:
 * states that fall to pieces alike are alike.
 */
static uint64_t list_rooms(struct beam *b, uint32_t state, uint64_t now,
	int64_t size, uint64_t *hash)
{
	size_t at = (size_t)state * b->most_alive;
	uint32_t n = b->now.n[state];
	uint64_t below = b->wall, sum = 0;
	int64_t low = 0;

	b->n_rooms = 0;
	*hash = 0;
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t item = i < n ? b->now.item[at + i] : NONE;
		int64_t high = i < n ? b->now.offset[at + i] : b->limit;
		uint64_t above = i < n ? b->until[item] : b->wall;

		if (high - low >= size)
			b->rooms[b->n_rooms++] =
				(struct room){low, high, below, above};
		if (high > low) {
			sum += (below - now) + (above - now);
			*hash ^= hash_of(low, 0) ^ hash_of(high, above);
		} else if (above != below) {
			sum += distance(above, below);
			*hash ^= hash_of(high, above);
		}
		below = above;
		low = i < n ? high + b->packing.size[item] : high;
	}
	b->looks += n;
	return sum;
}

/* --------------------------------------------------------- children */

static struct span span_at(const struct beam *b, uint32_t item, uint32_t place)
{
	const struct room *h = &b->rooms[place / 2];
	int64_t size = b->packing.size[item];
	int64_t low = place % 2 ? h->high - size : h->low;

	return (struct span){low, low + size};
}

static uint64_t blur(uint64_t sum, uint64_t hash, uint64_t seed)
{
	uint64_t state = hash ^ seed;

	return sum + (sum >> CHANCE_BITS) * (mp_prng(&state) >> 56) / 256;
}

static void add_child(struct beam *b, const struct parent *p, uint32_t place)
{
	const struct room *h = &b->rooms[place / 2];
	struct span taken = span_at(b, p->item, place);
	uint64_t until = b->until[p->item], now = p->now;
	uint64_t below = h->below - now, above = h->above - now;
	uint64_t sum = p->sum - below - above;
	uint64_t hash = p->hash ^ hash_of(h->low, 0);

	b->looks += 4 + b->n_ahead;
	if (!suits_all(b, place / 2, taken))
		return;
	if (taken.low > h->low) {
		sum += below + (until - now);
		hash ^= hash_of(h->low, 0) ^ hash_of(taken.low, until);
	} else if (h->below != until) {
		sum += distance(h->below, until);
		hash ^= hash_of(taken.low, until);
	}
	if (taken.high < h->high) {
		sum += above + (until - now);
		hash ^= hash_of(taken.high, 0);
	} else if (h->above != until) {
		sum += distance(h->above, until);
	} else {
		hash ^= hash_of(taken.high, until);
	}
	b->score[b->n_children] = blur(sum, hash, b->seed);
	b->by_score[b->n_children] = b->n_children;
	b->children[b->n_children++] =
		(struct child){hash, taken.low, p->state, place};
}

static void add_children(struct beam *b, uint32_t state, uint32_t level)
{
	struct parent p = {.state = state, .item = b->order[level]};
	int64_t size = b->packing.size[p.item];

	p.now = b->past[b->born[p.item]];
	bury(b, state, b->born[p.item]);
	p.sum = list_rooms(b, state, p.now, size, &p.hash);
	for (uint32_t i = 0; b->n_rooms > 0 && i < b->n_ahead; i++)
		view(b, &b->ahead[i], state);
	/* Where nothing is alive, one end is as good as the other: what comes
	 * of both is the same, upside down. */
	for (uint32_t i = 0; i < b->n_rooms; i++) {
		add_child(b, &p, 2 * i);
		if (b->now.n[state] > 0 &&
			b->rooms[i].high - b->rooms[i].low > size)
			add_child(b, &p, 2 * i + 1);
	}
}

/* ------------------------------------------------------------ level */

static bool is_taken(struct beam *b, uint64_t hash)
{
	uint32_t n = SLOTS * b->width, i = (uint32_t)(hash % n);

	hash |= 1; /* 0 is free */
	while (b->slot[i] && b->slot[i] != hash)
		i = i + 1 < n ? i + 1 : 0;
	if (b->slot[i])
		return true;
	b->slot[i] = hash;
	return false;
}

/* Puts the item into a copy of the state, which may be the state itself. */
static void insert(const struct beam *b, uint32_t state,
	const struct states *to, uint32_t at, uint32_t item, int64_t low)
{
	size_t from = (size_t)state * b->most_alive;
	const uint32_t *old_item = b->now.item + from;
	const int64_t *old = b->now.offset + from;
	uint32_t *new_item = to->item + (size_t)at * b->most_alive;
	int64_t *new = to->offset + (size_t)at * b->most_alive;
	uint32_t n = b->now.n[state], k = 0;

	assert(n < b->most_alive);
	while (k < n && old[k] < low)
		k++;
	memmove(new + k + 1, old + k, sizeof(*new) * (n - k));
	memmove(new_item + k + 1, old_item + k, sizeof(*new_item) * (n - k));
	memmove(new, old, sizeof(*new) * k);
	memmove(new_item, old_item, sizeof(*new_item) * k);
	new_item[k] = item;
	new[k] = low;
	to->n[at] = n + 1;
}

static void keep_best(struct beam *b, uint32_t level)
{
	struct choice *choices = b->choices + b->first_choice[level];

	mp_sort_radix(b->by_score, b->scratch, b->n_children, b->score);
	memset(b->slot, 0, sizeof(*b->slot) * SLOTS * b->width);
	b->n_states = 0;
	for (uint32_t i = 0; i < b->n_children && b->n_states < b->width; i++) {
		struct child c = b->children[b->by_score[i]];

		if (is_taken(b, c.hash))
			continue;
		insert(b, c.parent, &b->next, b->n_states, b->order[level],
			c.low);
		choices[b->n_states++] =
			(struct choice){(uint16_t)c.parent, (uint16_t)c.place};
	}
	b->first_choice[level + 1] = b->first_choice[level] + b->n_states;
}

/* False: no state has room for the item. */
static bool place_next(struct beam *b, uint32_t level)
{
	struct states now = b->now;

	look_ahead(b, level);
	b->n_children = 0;
	for (uint32_t i = 0; i < b->n_states; i++)
		add_children(b, i, level);
	keep_best(b, level);
	b->now = b->next;
	b->next = now;
	if (b->n_states > 0)
		return true;
	b->failed_in = find_culprit(b, level);
	return false;
}

/* ------------------------------------------------------------ sweep */

/* Goes the way of the first state again. */
static void retrace(struct beam *b, uint32_t *place, int64_t *offset)
{
	const struct packing *p = &b->packing;

	for (uint32_t k = p->n_items, at = 0; k-- > 0;) {
		struct choice c = b->choices[b->first_choice[k] + at];

		place[k] = c.place;
		at = c.parent;
	}
	b->now.n[0] = 0;
	for (uint32_t k = 0; k < p->n_items; k++) {
		uint32_t item = b->order[k], born = b->born[item];
		uint64_t hash;

		b->limit = b->limits[k];
		bury(b, 0, born);
		list_rooms(b, 0, b->past[born], p->size[item], &hash);
		offset[item] = span_at(b, item, place[k]).low;
		insert(b, 0, &b->now, 0, item, offset[item]);
	}
}

static bool offer(struct beam *b)
{
	struct job *job = b->job;
	uint32_t *place = NEW(job->arena, uint32_t, b->packing.n_items);
	int64_t *offset = NEW(job->arena, int64_t, b->packing.n_items);

	if (!place || !offset)
		return false;
	retrace(b, place, offset);
	return mp_planner_packing_offer(&b->packing, offset, job);
}

static void copy_states(const struct beam *b, const struct states *from,
	const struct states *to, uint32_t n)
{
	size_t all = (size_t)n * b->most_alive;

	memcpy(to->n, from->n, sizeof(*to->n) * n);
	memcpy(to->item, from->item, sizeof(*to->item) * all);
	memcpy(to->offset, from->offset, sizeof(*to->offset) * all);
}

static void begin(struct beam *b)
{
	b->seed = b->job->seed + b->n_sweeps++ * SEEDS;
	b->level = b->front = b->tries = b->oldest = 0;
	b->width = b->narrow;
	b->n_narrow = b->narrow_looks = 0;
	b->n_states = 1;
	b->now.n[0] = 0;
	b->first_choice[0] = 0;
}

static void keep_states(struct beam *b)
{
	uint32_t k = b->level / b->most_alive;

	if (b->level % b->most_alive > 0)
		return;
	copy_states(b, &b->now, &b->kept[k % KEPT], b->n_states);
	b->n_kept[k % KEPT] = b->n_states;
	if (k >= b->oldest + KEPT)
		b->oldest = k - KEPT + 1;
}

/* The more often a place fails, the further back: what fits there is decided
 * when what is alive then was placed. */
static void go_back(struct beam *b)
{
	uint32_t k = b->level / b->most_alive;

	k -= (uint32_t)num_min(k - b->oldest, (1U << b->tries) - 1);
	b->level = k * b->most_alive;
	b->n_states = b->n_kept[k % KEPT];
	copy_states(b, &b->kept[k % KEPT], &b->now, b->n_states);
}

/* Steps of a level that is narrow. */
static uint64_t cost_of_level(const struct beam *b)
{
	return b->narrow_looks / num_max(b->n_narrow, 1) / LOOKS_A_STEP + 1;
}

/* Steps that are left for each level. */
static uint64_t left_each(const struct beam *b)
{
	return b->job->steps / (b->packing.n_items - b->level);
}

/* The budget will end before the sweep does. */
static bool is_late(const struct beam *b)
{
	return left_each(b) < cost_of_level(b);
}

static bool is_dear(const struct beam *b)
{
	uint64_t back = (uint64_t)b->most_alive * ((1U << b->tries) - 1);
	uint64_t levels = num_min(back, b->level);

	return (levels * cost_of_level(b) << b->tries) > b->job->steps / DEAR;
}

static bool tries_again(const struct beam *b)
{
	if (b->tries <= 1)
		return true;
	return b->tries <= TRIES && !is_late(b) && !is_dear(b);
}

/* Fewer sections are tight below a higher limit, so levels cost less. */
static void raise_limit(struct beam *b)
{
	if (is_late(b))
		b->n_narrow = b->narrow_looks = 0;
	b->tries = 0;
	b->limit += b->rise;
}

/* False: no plan that is lower will come of this. */
static bool try_again(struct beam *b)
{
	learn(b);
	b->seed++;
	b->front = (uint32_t)num_max(b->front, b->level);
	b->tries++;
	if (!tries_again(b)) {
		raise_limit(b);
		if (b->limit >= (int64_t)(b->job->height / b->packing.unit))
			return false;
	}
	go_back(b);
	b->width =
		(uint32_t)num_min((uint64_t)b->narrow << b->tries, b->widest);
	return true;
}

/* Where nothing fails. A sweep that does not end is worth nothing. */
static uint32_t easy_width(const struct beam *b)
{
	if (!is_late(b))
		return b->narrow;
	return (uint32_t)num_max(
		b->narrow * left_each(b) / cost_of_level(b), 1);
}

/* What was hard is behind it, or its choices would be too many to remember:
 * there is always room for those of narrow levels to the end. */
static void set_width(struct beam *b)
{
	uint32_t left = b->packing.n_items - b->level;

	if (b->level > b->front + b->most_alive) {
		b->tries = 0;
		b->width = easy_width(b);
	}
	if (b->first_choice[b->level] + b->width + b->narrow * left >
		b->most_choices)
		b->width = (uint32_t)num_min(b->width, b->narrow);
}

static void count_looks(struct beam *b, uint64_t looks)
{
	if (b->width != b->narrow)
		return;
	b->n_narrow++;
	b->narrow_looks += looks;
}

/* A lower limit takes no less, nor does a wider round. */
static bool can_end(const struct beam *b)
{
	return b->job->steps / b->packing.n_items >= b->cost_of_plan;
}

/* False: memory is out. */
static bool sweep(struct beam *b)
{
	begin(b);
	for (bool goes_on = true; goes_on;) {
		uint64_t looks = b->looks;
		bool fits;

		set_width(b);
		keep_states(b);
		b->limits[b->level] = b->limit;
		b->furthest = (uint32_t)num_max(b->furthest, b->level);
		fits = place_next(b, b->level);
		count_looks(b, b->looks - looks);
		if (!fits)
			goes_on = try_again(b);
		else if (++b->level == b->packing.n_items)
			break;
		goes_on &= mp_planner_job_step(
			b->job, (b->looks - looks) / LOOKS_A_STEP + 1);
	}
	if (b->level < b->packing.n_items)
		return true;
	b->cost_of_plan = cost_of_level(b);
	return offer(b);
}

/* ------------------------------------------------------------ width */

static bool goes_on(const struct job *job)
{
	return !mp_planner_job_done(job) && job->steps > 0 && !job->cut_short;
}

static bool states_init(struct states *s, const struct beam *b)
{
	struct arena *arena = b->job->arena;
	size_t n = (size_t)b->widest * b->most_alive;

	s->n = NEW(arena, uint32_t, b->widest);
	s->item = NEW(arena, uint32_t, n);
	s->offset = NEW(arena, int64_t, n);
	return s->n && s->item && s->offset;
}

static uint32_t least(uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)num_min(a, num_min(b, c));
}

static bool widen(struct beam *b, uint32_t width)
{
	struct arena *arena = b->job->arena;
	uint64_t alive = num_max(b->most_alive, 1),
		 n_items = b->packing.n_items;
	size_t n;

	b->narrow = width;
	b->widest = least((uint64_t)width << TRIES, MOST_WIDTH,
		MOST_CHOICES / (PER_ALIVE * alive));
	b->most_choices = (uint32_t)num_min(
		MOST_CHOICES, 2 * width * (n_items + b->widest));
	n = 2 * (size_t)b->widest * (b->most_alive + 1);
	if (!states_init(&b->now, b) || !states_init(&b->next, b))
		return false;
	for (uint32_t i = 0; i < KEPT; i++)
		if (!states_init(&b->kept[i], b))
			return false;
	b->choices = NEW(arena, struct choice, b->most_choices);
	b->first_choice = NEW(arena, uint32_t, n_items + 1);
	b->limits = NEW(arena, int64_t, n_items);
	b->children = NEW(arena, struct child, n);
	b->score = NEW(arena, uint64_t, n);
	b->by_score = NEW(arena, uint32_t, n);
	b->scratch = NEW(arena, uint32_t, n);
	b->slot = NEW(arena, uint64_t, SLOTS * (size_t)b->widest);
	return b->choices && b->first_choice && b->limits && b->children &&
	       b->score && b->by_score && b->scratch && b->slot;
}

static bool sweep_often(struct beam *b)
{
	struct job *job = b->job;
	int64_t goal = mp_planner_packing_goal(&b->packing, job);

	for (size_t i = 0; i < countof(aims) && goes_on(job) && can_end(b);
		i++) {
		int64_t best = (int64_t)(job->height / b->packing.unit);

		b->limit = goal + (best - goal) / 8 * aims[i] +
			   (best - goal) % 8 * aims[i] / 8;
		b->rise = (int64_t)num_min((uint64_t)(best - b->limit) / RAISES,
				  (uint64_t)goal / MOST_RISE) +
			  1;
		if (b->limit < best && !sweep(b))
			return false;
	}
	return true;
}

static bool sweep_both_ways(struct beam *b, uint32_t width)
{
	struct arena_mark mark = mp_arena_mark(b->job->arena);
	bool fine = widen(b, width);

	for (int backward = 0; fine && backward < 2; backward++)
		fine = !goes_on(b->job) ||
		       (turn(b, backward) && sweep_often(b));
	mp_arena_rewind(b->job->arena, mark);
	return fine;
}

/* -------------------------------------------------------------- row */

static bool beam_init(struct beam *b, struct job *job)
{
	struct arena *arena = job->arena;
	const struct packing *p = &b->packing;
	bool has_room = true;

	*b = (struct beam){.job = job};
	if (!mp_planner_packing_of(&b->packing, job, arena))
		return false;
	for (uint32_t s = 0; s < p->n_sections; s++)
		b->most_alive = (uint32_t)num_max(
			b->most_alive, p->first[s + 1] - p->ended[s]);
	b->order = NEW(arena, uint32_t, p->n_items);
	b->born = NEW(arena, uint32_t, p->n_items);
	b->dies = NEW(arena, uint32_t, p->n_items);
	b->until = NEW(arena, uint64_t, p->n_items);
	b->load = NEW(arena, int64_t, p->n_sections);
	b->past = NEW(arena, uint64_t, p->n_sections + 1);
	b->learnt[0] = NEW(arena, uint8_t, p->n_sections);
	b->learnt[1] = NEW(arena, uint8_t, p->n_sections);
	b->rooms = NEW(arena, struct room, b->most_alive + 1);
	for (uint32_t i = 0; i < AHEAD; i++) {
		b->ahead[i].around = NEW(arena, struct span, b->most_alive + 1);
		has_room &= b->ahead[i].around != NULL;
	}
	return has_room && b->order && b->born && b->dies && b->until &&
	       b->load && b->past && b->learnt[0] && b->learnt[1] && b->rooms;
}

static uint32_t most_width(const struct beam *b)
{
	uint64_t n = b->packing.n_items, alive = b->most_alive;
	uint64_t looks = LEAST_WIDTH * n * alive;

	if (alive > MOST_ALIVE || looks / LOOKS_A_STEP > b->job->steps / SWEEPS)
		return 0;
	return (uint32_t)num_min(
		MOST_WIDTH, MOST_CHOICES / num_max(n, PER_ALIVE * alive));
}

/* Gives up where it finds nothing, and wider sweeps get no further. */
static bool run(struct job *job)
{
	uint64_t before = job->height;
	bool gets_on = true;
	struct beam b;
	uint32_t most;

	if (!beam_init(&b, job))
		return false;
	most = most_width(&b);
	for (uint32_t width = LEAST_WIDTH;
		width <= most && gets_on && goes_on(job); width *= WIDER) {
		uint32_t furthest = b.furthest;

		if (!sweep_both_ways(&b, width))
			return false;
		gets_on = job->height < before || b.furthest > furthest;
	}
	return true;
}

enum outcome mp_planner_beam_run(struct job *job, int variant)
{
	enum outcome outcome;
	struct arena_mark mark;
	bool fine;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_dive_first(job, &outcome))
		return outcome;
	mark = mp_arena_mark(job->arena);
	fine = run(job);
	mp_arena_rewind(job->arena, mark);
	return fine ? mp_planner_job_outcome(job) : PLAN_FAILED;
}
