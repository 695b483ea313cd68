/*
 * ruin: a dive that lays courses, as row courses does, and takes down again
 * what made a gap. Where nothing fits a range between two walls, its bytes are
 * lost as far as the lower wall. Before that is done, what stands beside the
 * range is ruined with all that rests on it, and recreated in other ways
 * (Schrimpf, Schneider, Stamm-Wilbrandt, Dueck, Journal of Computational
 * Physics 159(2), 2000): by other weights of chance, or with an item that
 * covers the range. The way that loses least stays.
 *
 * A byte that is lost costs the more, the more its section has lost: the height
 * in the end is that of the worst section. The lowest plateau of all comes
 * next, so that little rests on what is taken down.
 *
 * A section that has lost more than the target allows is no reason to begin
 * anew: the wall about it is taken down, deeper and wider the next time, and
 * laid again by weights of chance. Where that fails again and again the target
 * is raised.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/prng.h"
#include "planners/plain/chain.h"
#include "planners/plain/dive.h"

enum {
	ONE = CHAIN_ONE, /* of weights and costs */
	PRICES = 512,	 /* parts of the bound; each has a price, */
	STEEP = 5,	 /* a fifth more than the one below */
	MOST_PRICES = 112,
	EDGE_COST = ONE / 3,  /* of a change of height that is left */
	MARGIN = 40,	      /* sections on either side where these count */
	LEAST_COST = 6 * ONE, /* of a range: less is not worth a try */
	HIGH_COST = 20 * ONE, /* of the best try: more is worth many, */
	HIGH_HALVES = 3,      /* and more than these of a section */
	TRIES = 9,	      /* the first loses the range */
	SOME_TRIES = 50,
	MANY_TRIES = 400,
	FORCED = 5,	      /* the first try with an item over the range, */
	EVERY = 2,	      /* beyond TRIES every second one */
	DRAWS = 24,	      /* to find such items; of the first */
	CANDIDATES = 3,	      /* the one that lives shortest is taken */
	REACH = 30,	      /* sections before the range where it begins */
	WIDE = 12,	      /* sections beside the range that are ruined */
	EMPTY = 20,	      /* gaps: what it costs to leave the range empty
			       */
	MOST_RUINED = 20,     /* bricks, in a try, */
	MOST_RAZED = 512,     /* and about a section that is over */
	MOST_LAID = 1024,     /* bricks, in a try */
	DEEP = 24,	      /* parts of the bound that are razed, */
	DEEPER = 12,	      /* so many more the next time, */
	WIDER = 16,	      /* and so many sections on either side */
	MOST_TIMES = 2,	      /* in a block, before the target is raised */
	MOST_LIVES = 1 << 21, /* sections that items live, added up */
	LOST_A_SECTION = 16,  /* bricks of lost bytes, beyond one an item */
	BLOCK = 64,	      /* sections of which the lowest is known */
	SECTIONS_PER_LOOK = 8,
	LOOKS_PER_STEP = 5,  /* in a step of 100 ns */
	STEPS_AT_ONCE = 128, /* fewest that the job is charged with */
	MOST_FREE = 16,	     /* such a part of all, on average */
	AIM = 25,	     /* above the load, such a part of it, */
	LOWER = 128,	     /* or below the best plan: the first target */
	FINISH = 100,	     /* steps an item that waits, and a section, that it
				takes to lay what waits without other ways */
	VAIN = 6,	     /* dives in a row that are not complete */
	WIDTHS = 32	     /* logarithms of sections */
};

/* More than all else costs: of a section that is above the target. */
static const int64_t OVER_COST = INT64_C(1) << 40;

/* What is laid: an item, or bytes that are lost. */
struct brick {
	uint32_t item; /* NONE: they are lost */
	uint32_t start, end;
	int64_t floor, top;
};

struct bricks {
	struct brick *at;
	uint32_t n;
};

struct wall {
	struct job *job;
	const struct packing *packing;
	struct chain chain;
	uint64_t random, looks;
	uint64_t hurry; /* steps left: half of those when the dive began */
	int64_t target, most_target;
	uint32_t n_waiting;
	uint32_t fewest; /* that waited when the wall was razed */

	/* One a section. */
	int64_t *height, *lost;
	int64_t *price; /* of what is lost */
	uint32_t *last; /* its highest brick; NONE: none */

	/* Those of items, then those of lost bytes. */
	struct brick *bricks;
	uint32_t n_bricks, most_bricks;
	/* What is below a brick, section by section, from its place on: places
	 * of items are next to each other, then come those of lost bytes. */
	uint32_t *below, *place;
	uint32_t n_lives, n_below, most_below; /* of items; with these */
	/* Of lost bytes that are no longer laid, by the logarithm of how wide
	 * the place is: the next is at the place; NONE: none. */
	uint32_t free_brick[WIDTHS];

	int64_t prices[MOST_PRICES + 1]; /* of all parts up to this one */
	int64_t part;
	int64_t cost;	 /* of what is lost */
	uint32_t n_over; /* sections that have lost more than the target
			    allows */

	/* Of blocks of sections: the lowest section; NONE: not known. How
	 * often one was razed for this target. */
	uint32_t *lowest, *times;

	/* Of a try. */
	bool is_try, failed;
	struct bricks laid, ruined, best, best_ruined;
	int64_t best_cost, old_cost; /* that of what was lost before */
	uint32_t *laid_as;	     /* bricks, in turn */
	uint32_t start, end;	     /* sections that it changes */
};

/* ----------------------------------------------------------- bricks */

/* What is lost in a section costs, with some bytes more. */
static int64_t price_of(const struct wall *w, uint32_t section, int64_t more)
{
	int64_t over = w->lost[section] + more + w->packing->load[section] -
		       w->packing->max_load;
	int64_t part = over / w->part;

	return over <= 0 ? 0
			 : w->prices[part < MOST_PRICES ? part : MOST_PRICES];
}

static bool is_over(const struct wall *w, uint32_t section)
{
	return w->lost[section] + w->packing->load[section] > w->target;
}

/* Bytes that are lost in each section of a brick, or no longer. */
static void lose(struct wall *w, const struct brick *b, int64_t bytes)
{
	int64_t cost = w->cost;
	uint32_t n_over = w->n_over;

	for (uint32_t s = b->start; s < b->end; s++) {
		n_over -= is_over(w, s);
		w->lost[s] += bytes;
		n_over += is_over(w, s);
		cost -= w->price[s];
		w->price[s] = price_of(w, s, 0);
		cost += w->price[s];
	}
	w->cost = cost;
	w->n_over = n_over;
}

static void note_change(struct wall *w, const struct brick *b)
{
	for (uint32_t k = b->start / BLOCK; k <= (b->end - 1) / BLOCK; k++)
		w->lowest[k] = NONE;
	w->looks += (b->end - b->start) / SECTIONS_PER_LOOK + 1;
	w->start = b->start < w->start ? b->start : w->start;
	w->end = b->end > w->end ? b->end : w->end;
}

/* The place of lost bytes is as wide as the next power of two. */
static uint32_t width_of(uint32_t start, uint32_t end)
{
	uint32_t width = 0;

	while ((UINT32_C(1) << width) < end - start)
		width++;
	return width;
}

static bool has_room(const struct wall *w, uint32_t width)
{
	return w->free_brick[width] != NONE ||
	       (w->n_bricks < w->most_bricks &&
		       w->most_below - w->n_below >= UINT32_C(1) << width);
}

static uint32_t new_brick(struct wall *w, uint32_t width)
{
	uint32_t id = w->free_brick[width];

	assert(has_room(w, width));
	if (id != NONE) {
		w->free_brick[width] = w->below[w->place[id]];
		return id;
	}
	id = w->n_bricks++;
	w->place[id] = w->n_below;
	w->n_below += UINT32_C(1) << width;
	return id;
}

static void free_brick(struct wall *w, uint32_t id, uint32_t width)
{
	w->below[w->place[id]] = w->free_brick[width];
	w->free_brick[width] = id;
}

/* A brick with this number is the highest of its sections; the arrays have one
 * entry for each of them. */
static void put(const struct brick *b, uint32_t id, uint32_t *restrict below,
	uint32_t *restrict last, int64_t *restrict height)
{
	for (uint32_t k = 0; k < b->end - b->start; k++) {
		assert(height[k] == b->floor);
		below[k] = last[k];
		last[k] = id;
		height[k] = b->top;
	}
}

/* It no longer is. */
static void lift(const struct brick *b, uint32_t id,
	const uint32_t *restrict below, uint32_t *restrict last,
	int64_t *restrict height)
{
	(void)id;
	for (uint32_t k = 0; k < b->end - b->start; k++) {
		assert(last[k] == id);
		last[k] = below[k];
		height[k] = b->floor;
	}
}

/* A try that lays too many fails. */
static void lay(struct wall *w, struct brick b)
{
	uint32_t id = b.item;

	assert(b.floor < b.top);
	w->failed |= w->is_try && w->laid.n == MOST_LAID;
	if (w->failed)
		return;
	if (b.item == NONE) {
		id = new_brick(w, width_of(b.start, b.end));
	} else {
		mp_planner_chain_take(&w->chain, b.item);
		w->n_waiting--;
	}
	w->bricks[id] = b;
	put(&b, id, &w->below[w->place[id]], &w->last[b.start],
		&w->height[b.start]);
	if (b.item == NONE)
		lose(w, &b, b.top - b.floor);
	note_change(w, &b);
	if (w->is_try)
		w->laid_as[w->laid.n++] = id;
}

/* Takes down a brick on which nothing rests. */
static struct brick take_down(struct wall *w, uint32_t id)
{
	struct brick b = w->bricks[id];

	lift(&b, id, &w->below[w->place[id]], &w->last[b.start],
		&w->height[b.start]);
	if (b.item == NONE)
		lose(w, &b, b.floor - b.top);
	note_change(w, &b);
	if (b.item == NONE) {
		free_brick(w, id, width_of(b.start, b.end));
	} else {
		mp_planner_chain_put(&w->chain, b.item);
		w->n_waiting++;
	}
	return b;
}

/* Lays bytes that are lost. */
static void lay_lost(struct wall *w, uint32_t start, uint32_t end, int64_t top)
{
	struct brick b = {NONE, start, end, w->height[start], top};

	if (has_room(w, width_of(start, end)))
		lay(w, b);
	else
		w->failed = true;
}

static void lay_item(struct wall *w, uint32_t item, int64_t floor)
{
	const struct packing *p = w->packing;

	lay(w, (struct brick){item, p->start[item], p->end[item], floor,
		       floor + p->size[item]});
}

/* --------------------------------------------------------- plateaus */

static int64_t before(const struct wall *w, uint32_t section)
{
	return section == 0 ? INT64_MAX : w->height[section - 1];
}

static int64_t behind(const struct wall *w, uint32_t section)
{
	return section == w->packing->n_sections ? INT64_MAX
						 : w->height[section];
}

static int64_t lower_wall(const struct wall *w, uint32_t start, uint32_t end)
{
	return before(w, start) < behind(w, end) ? before(w, start)
						 : behind(w, end);
}

/* Fills a plateau by a chain. False: nothing lies within. */
static bool lay_course(struct wall *w, uint32_t start, uint32_t end)
{
	struct chain *chain = &w->chain;
	const struct packing *p = w->packing;
	int64_t floor = w->height[start];
	uint32_t best = NONE;

	if (!mp_planner_chain_find(chain, start, end, before(w, start) - floor,
		    behind(w, end) - floor))
		return false;
	for (uint32_t k = 0; k < chain->n_found; k++)
		lay_item(w, chain->found[k], floor);
	if (chain->n_found > 0)
		return true;
	for (uint32_t i = p->first[start]; i < p->first[end]; i++)
		if (mp_planner_chain_waits(chain, i) && p->end[i] <= end &&
			(best == NONE || chain->worth[i] > chain->worth[best]))
			best = i;
	lay_item(w, best, floor);
	return true;
}

static void find_plateau(
	const struct wall *w, uint32_t section, uint32_t *start, uint32_t *end)
{
	*start = section;
	*end = section + 1;
	while (before(w, *start) == w->height[section])
		--*start;
	while (behind(w, *end) == w->height[section])
		++*end;
}

/* The lowest section of some, below a height; NONE: none is. */
static uint32_t lowest_of(
	struct wall *w, uint32_t start, uint32_t end, int64_t below)
{
	uint32_t lowest = NONE;

	for (uint32_t s = start; s < end; s++)
		if (w->height[s] < below) {
			lowest = s;
			below = w->height[s];
		}
	w->looks += (end - start) / SECTIONS_PER_LOOK;
	return lowest;
}

static uint32_t lowest_of_all(struct wall *w)
{
	uint32_t n = w->packing->n_sections, lowest = NONE;

	for (uint32_t k = 0; k * BLOCK < n; k++) {
		uint32_t end = (uint32_t)num_min((k + 1) * BLOCK, n);

		if (w->lowest[k] == NONE)
			w->lowest[k] = lowest_of(w, k * BLOCK, end, INT64_MAX);
		if (lowest == NONE ||
			w->height[w->lowest[k]] < w->height[lowest])
			lowest = w->lowest[k];
	}
	w->looks += n / BLOCK / SECTIONS_PER_LOOK;
	return lowest;
}

/* ------------------------------------------------------------ tries */

/* False: the budget is spent. */
static bool charge(struct wall *w)
{
	uint64_t steps = (w->looks + w->chain.looks) / LOOKS_PER_STEP;

	if (steps >= STEPS_AT_ONCE) {
		w->looks = w->chain.looks = 0;
		mp_planner_job_step(w->job, steps);
	}
	return w->job->steps > 0 && !w->job->cut_short;
}

/* Takes down a brick and all that rests on it, so many at most. False: that is
 * too much. */
static bool ruin_brick(struct wall *w, uint32_t id, uint32_t most)
{
	uint32_t start = w->bricks[id].start, end = w->bricks[id].end;

	w->looks += (end - start) / SECTIONS_PER_LOOK;
	if (w->ruined.n >= most)
		return false;
	for (uint32_t s = start; s < end; s++)
		while (w->last[s] != id)
			if (!ruin_brick(w, w->last[s], most - 1))
				return false;
	w->ruined.at[w->ruined.n++] = take_down(w, id);
	return true;
}

/* Takes down what ends above a height. False: that is more than so many. */
static bool ruin_above(struct wall *w, uint32_t start, uint32_t end,
	int64_t height, uint32_t most)
{
	w->looks += (end - start) / SECTIONS_PER_LOOK;
	for (uint32_t s = start; s < end; s++)
		while (w->height[s] > height)
			if (!ruin_brick(w, w->last[s], most))
				return false;
	return true;
}

/* What the try has lost costs. */
static int64_t cost_of_try(const struct wall *w)
{
	return w->cost - w->old_cost + w->n_over * OVER_COST;
}

/* No less than the best: to lay more only adds to it. */
static bool is_dear(const struct wall *w)
{
	return cost_of_try(w) >= w->best_cost;
}

/* Fills what the try has changed, up to a height, unless it is dear before. */
static void recreate(struct wall *w, int64_t height)
{
	uint32_t from = w->start, to = w->end, start, end, section;

	while (!is_dear(w) && !w->failed && charge(w) &&
		(section = lowest_of(w, from, to, height)) != NONE) {
		find_plateau(w, section, &start, &end);
		if (lower_wall(w, start, end) < w->height[section])
			return;
		if (lay_course(w, start, end))
			continue;
		if (lower_wall(w, start, end) == INT64_MAX)
			return;
		lay_lost(w, start, end, lower_wall(w, start, end));
	}
}

/* A waiting item that covers the range; NONE: none was found. */
static uint32_t item_over(struct wall *w, uint32_t start, uint32_t end)
{
	const struct packing *p = w->packing;
	uint32_t from = p->first[start < REACH ? 0 : start - REACH];
	uint32_t n = p->first[start + 1] - from, best = NONE;
	uint32_t candidates = 0;

	for (uint32_t k = 0; n > 0 && k < DRAWS && candidates < CANDIDATES;
		k++) {
		uint32_t i = from + (uint32_t)(mp_prng(&w->random) % n);

		if (!mp_planner_chain_waits(&w->chain, i) || p->end[i] < end)
			continue;
		candidates++;
		if (best == NONE ||
			p->end[i] - p->start[i] < p->end[best] - p->start[best])
			best = i;
	}
	return best;
}

/* Lays an item on the highest of what is below it. */
static void lay_on_top(struct wall *w, uint32_t item)
{
	uint32_t start = w->packing->start[item], end = w->packing->end[item];
	uint32_t next;
	int64_t floor = 0;

	for (uint32_t s = start; s < end; s++)
		floor = w->height[s] > floor ? w->height[s] : floor;
	for (uint32_t s = start; s < end && !w->failed; s = next) {
		for (next = s + 1;
			next < end && w->height[next] == w->height[s];)
			next++;
		if (w->height[s] < floor)
			lay_lost(w, s, next, floor);
	}
	if (!w->failed)
		lay_item(w, item, floor);
}

static uint32_t by_chance(struct wall *w, uint32_t most)
{
	return (uint32_t)(mp_prng(&w->random) % (most + (uint64_t)1));
}

/* Takes down what is beside the range, the farther the later the try. */
static bool ruin_beside(
	struct wall *w, uint32_t start, uint32_t end, uint32_t tried)
{
	uint32_t n = w->packing->n_sections;
	uint32_t most = tried < WIDE ? tried : WIDE;
	uint32_t wide = tried == 1 ? 1 : 1 + by_chance(w, most);
	uint32_t deep = tried <= 2 ? 0 : by_chance(w, 2 * most);
	uint32_t sides = tried <= 2 ? 2 : by_chance(w, 2);
	uint32_t from = start < wide ? 0 : start - wide;
	uint32_t to = n - end < wide ? n : end + wide;
	int64_t height = w->height[start] - deep * w->part;

	return ruin_above(w, sides == 1 ? start : from, sides == 0 ? end : to,
		height > 0 ? height : 0, MOST_RUINED);
}

/* An item that is to wait until the try is over: what is worth most would come
 * back to where it was, however deep it was ruined. NONE: lost bytes. */
static uint32_t one_of_ruined(struct wall *w)
{
	return w->ruined.at[by_chance(w, w->ruined.n - 1)].item;
}

/* One way to fill a range and what is beside it up to the lower wall; the first
 * leaves it empty. False: there is no such way. */
static bool fill_range(struct wall *w, uint32_t start, uint32_t end,
	int64_t height, uint32_t tried)
{
	const struct packing *p = w->packing;
	bool forced = tried >= FORCED && (tried < TRIES || tried % EVERY == 1);
	uint32_t item = forced ? item_over(w, start, end) : NONE, late = NONE;

	w->chain.start = start;
	w->chain.end = end;
	w->chain.empty = tried == 0 ? 0 : EMPTY * w->chain.gap;
	w->chain.random = tried <= 1 ? NULL : &w->random;
	if (item != NONE) {
		if (!ruin_above(w, p->start[item], p->end[item],
			    w->height[start], MOST_RUINED))
			return false;
	} else if (tried > 0 &&
		   (!ruin_beside(w, start, end, tried) || w->ruined.n == 0)) {
		return false;
	}
	w->is_try = true;
	if (tried == 0)
		lay_lost(w, start, end, height);
	else if (item != NONE)
		lay_on_top(w, item);
	else if (tried > 1)
		late = one_of_ruined(w);
	if (late != NONE)
		mp_planner_chain_take(&w->chain, late);
	recreate(w, height);
	if (late != NONE)
		mp_planner_chain_put(&w->chain, late);
	return !w->failed && !is_dear(w);
}

static uint32_t edges(struct wall *w, uint32_t start, uint32_t end)
{
	uint32_t n = w->packing->n_sections, count = 0;

	start = start < MARGIN ? 0 : start - MARGIN;
	end = n - end < MARGIN ? n : end + MARGIN;
	for (uint32_t s = start + 1; s < end; s++)
		count += w->height[s] != w->height[s - 1];
	w->looks += (end - start) / SECTIONS_PER_LOOK;
	return count;
}

static void copy_bricks(struct bricks *to, const struct bricks *from)
{
	to->n = from->n;
	for (uint32_t k = 0; k < from->n; k++)
		to->at[k] = from->at[k];
}

/* Takes back what a try has done; what it has laid is known then. */
static void take_back(struct wall *w)
{
	w->is_try = w->failed = false;
	for (uint32_t k = w->laid.n; k-- > 0;)
		w->laid.at[k] = take_down(w, w->laid_as[k]);
	for (uint32_t k = w->ruined.n; k-- > 0;)
		lay(w, w->ruined.at[k]);
}

static void try_range(struct wall *w, uint32_t start, uint32_t end,
	int64_t height, uint32_t tried)
{
	int64_t cost = INT64_MAX;

	w->laid.n = w->ruined.n = 0;
	w->old_cost = w->cost;
	w->start = start;
	w->end = end;
	if (fill_range(w, start, end, height, tried))
		cost = cost_of_try(w) +
		       (int64_t)EDGE_COST * edges(w, start, end);
	take_back(w);
	if (cost >= w->best_cost)
		return;
	w->best_cost = cost;
	copy_bricks(&w->best, &w->laid);
	copy_bricks(&w->best_ruined, &w->ruined);
}

/* What is high for the best try: the more, the more a section has lost. */
static int64_t high_cost(const struct wall *w)
{
	int64_t high = w->cost / w->packing->n_sections * HIGH_HALVES / 2;

	return high > HIGH_COST ? high : HIGH_COST;
}

/* Are there steps for more than to lay what waits as it comes? A wall that is
 * nearly done is a plan, mostly a lower one than the best. */
static bool has_time(const struct wall *w)
{
	return w->job->steps / FINISH >=
	       (uint64_t)w->n_waiting + w->packing->n_sections;
}

/* How many tries there are, by what the best of them costs. A dive that has
 * spent half of the budget is to end with what is left. */
static uint32_t most_tries(const struct wall *w, int64_t high)
{
	if (!has_time(w))
		return 0;
	if (w->best_cost < high)
		return TRIES;
	return w->job->steps < w->hurry ? SOME_TRIES : MANY_TRIES;
}

/* Nothing lies within this range: it is lost, or another way is found. */
static void lose_range(struct wall *w, uint32_t start, uint32_t end)
{
	int64_t height = lower_wall(w, start, end), cost = 0;
	int64_t high = high_cost(w);

	for (uint32_t s = start; s < end; s++)
		cost += price_of(w, s, height - w->height[s]) - w->price[s];
	w->best_cost = INT64_MAX;
	for (uint32_t tried = 0;
		cost >= LEAST_COST && tried < most_tries(w, high) && charge(w);
		tried++)
		try_range(w, start, end, height, tried);
	w->chain.start = w->chain.end = 0;
	w->chain.random = NULL;
	if (w->best_cost == INT64_MAX) {
		lay_lost(w, start, end, height);
		return;
	}
	for (uint32_t k = 0; k < w->best_ruined.n; k++)
		take_down(w, w->last[w->best_ruined.at[k].start]);
	for (uint32_t k = 0; k < w->best.n; k++)
		lay(w, w->best.at[k]);
}

/* ------------------------------------------------------------- over */

static void move_target(struct wall *w, int64_t target)
{
	uint32_t n = w->packing->n_sections;

	w->target = target;
	w->n_over = 0;
	for (uint32_t s = 0; s < n; s++)
		w->n_over += is_over(w, s);
	w->looks += n / SECTIONS_PER_LOOK;
}

/* Takes the wall down about a section that is over; if too much of it, as far
 * as that goes. */
static void raze(struct wall *w, uint32_t section, uint32_t times)
{
	uint32_t n = w->packing->n_sections, wide = WIDER * times;
	uint32_t from = section < wide ? 0 : section - wide;
	uint32_t to = n - section < wide ? n : section + wide;
	int64_t height =
		w->height[section] - (DEEP + DEEPER * (times - 1)) * w->part;

	height = height > 0 ? height : 0;
	w->fewest = w->n_waiting < w->fewest ? w->n_waiting : w->fewest;
	w->ruined.n = 0;
	if (ruin_above(w, section, section + 1, height, MOST_RAZED))
		ruin_above(w, from, to, height, MOST_RAZED);
}

/* Until no section is over. False: the target is as high as it may be, or the
 * budget is spent. */
static bool mend_over(struct wall *w)
{
	uint32_t section, *times;

	while (w->n_over > 0) {
		if (!charge(w))
			return false;
		for (section = 0; !is_over(w, section);)
			section++;
		w->looks += section / SECTIONS_PER_LOOK;
		times = &w->times[section / BLOCK];
		if (*times < MOST_TIMES && has_time(w)) {
			raze(w, section, ++*times);
			continue;
		}
		if (w->target + w->part > w->most_target)
			return false;
		move_target(w, w->target + w->part);
		*times = 0;
	}
	return true;
}

/* ------------------------------------------------------------- dive */

static void reset(struct wall *w)
{
	const struct packing *p = w->packing;
	uint32_t n = p->n_items;

	mp_planner_chain_reset(&w->chain);
	w->hurry = w->job->steps / 2;
	w->n_waiting = w->fewest = n;
	w->n_over = 0;
	w->cost = 0;
	w->failed = false;
	for (uint32_t s = 0; s < p->n_sections; s++) {
		w->height[s] = w->lost[s] = w->price[s] = 0;
		w->last[s] = NONE;
		w->lowest[s / BLOCK] = NONE;
		w->times[s / BLOCK] = 0;
		w->n_over += is_over(w, s);
	}
	w->n_bricks = n;
	w->n_below = w->n_lives;
	for (uint32_t k = 0; k < WIDTHS; k++)
		w->free_brick[k] = NONE;
	w->looks += (n + (uint64_t)w->most_below) / SECTIONS_PER_LOOK;
}

/* Lays all items that wait, no higher than the target; by chance where it was
 * razed. */
static bool lay_all(struct wall *w)
{
	uint32_t start, end;

	while (mend_over(w) && w->n_waiting > 0 && !w->failed) {
		if (!charge(w))
			return false;
		w->chain.random = w->n_waiting > w->fewest ? &w->random : NULL;
		find_plateau(w, lowest_of_all(w), &start, &end);
		if (!lay_course(w, start, end))
			lose_range(w, start, end);
	}
	return charge(w) && w->n_over == 0 && !w->failed;
}

static bool offer(const struct wall *w)
{
	struct arena_mark mark = mp_arena_mark(w->job->arena);
	uint32_t n = w->packing->n_items;
	int64_t *offset = NEW(w->job->arena, int64_t, n);
	bool taken = false;

	if (offset) {
		for (uint32_t i = 0; i < n; i++)
			offset[i] = w->bricks[i].floor;
		taken = mp_planner_packing_offer(w->packing, offset, w->job);
	}
	mp_arena_rewind(w->job->arena, mark);
	return taken;
}

/* ------------------------------------------------------------- room */

static bool bricks_init(struct bricks *b, uint32_t room, struct arena *arena)
{
	b->at = NEW(arena, struct brick, room);
	return b->at;
}

static int64_t part_of(const struct packing *p)
{
	return p->max_load < PRICES ? 1 : p->max_load / PRICES;
}

static void set_prices(struct wall *w)
{
	int64_t price = ONE;

	w->part = part_of(w->packing);
	for (uint32_t k = 1; k <= MOST_PRICES; k++) {
		w->prices[k] = w->prices[k - 1] + price;
		price += price / STEEP;
	}
	/* Then those of 2^21 sections are a number. */
	assert(w->prices[MOST_PRICES] <= OVER_COST);
}

/* Items have the first places. */
static bool set_places(struct wall *w)
{
	const struct packing *p = w->packing;
	uint32_t next = 0;

	if (!w->place)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++) {
		w->place[i] = next;
		next += p->end[i] - p->start[i];
	}
	return true;
}

static bool wall_init(struct wall *w, const struct packing *p, uint64_t lives,
	struct arena *arena)
{
	uint32_t n = p->n_items, sections = p->n_sections;

	w->packing = p;
	w->n_lives = (uint32_t)lives;
	w->most_below = w->n_lives + w->n_lives + sections * LOST_A_SECTION;
	w->most_bricks = n + n + sections * LOST_A_SECTION;
	w->height = NEW(arena, int64_t, sections);
	w->lost = NEW(arena, int64_t, sections);
	w->price = NEW(arena, int64_t, sections);
	w->last = NEW(arena, uint32_t, sections);
	w->lowest = NEW(arena, uint32_t, sections / BLOCK + 1);
	w->times = NEW(arena, uint32_t, sections / BLOCK + 1);
	w->bricks = NEW(arena, struct brick, w->most_bricks);
	w->place = NEW(arena, uint32_t, w->most_bricks);
	w->below = NEW(arena, uint32_t, w->most_below);
	w->laid_as = NEW(arena, uint32_t, MOST_LAID);
	set_prices(w);
	return w->height && w->lost && w->price && w->last && w->lowest &&
	       w->times && w->bricks && w->below && w->laid_as &&
	       bricks_init(&w->laid, MOST_LAID, arena) &&
	       bricks_init(&w->best, MOST_LAID, arena) &&
	       bricks_init(&w->ruined, MOST_RAZED, arena) &&
	       bricks_init(&w->best_ruined, MOST_RUINED, arena) &&
	       set_places(w) && mp_planner_chain_init(&w->chain, p, arena);
}

/* -------------------------------------------------------------- row */

/* Sections that items live, added up. */
static uint64_t lives_of(const struct packing *p)
{
	uint64_t lives = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		lives += p->end[i] - p->start[i];
	return lives;
}

/* Is little free between the load of a section and the greatest one? */
static bool is_tight(const struct packing *p)
{
	int64_t part = part_of(p);
	uint64_t all = (uint64_t)(p->max_load / part) * p->n_sections;
	uint64_t free = 0;

	for (uint32_t s = 0; s < p->n_sections; s++)
		free += (uint64_t)((p->max_load - p->load[s]) / part);
	return free <= all / MOST_FREE;
}

/* Other weights, by chance. */
static struct chain_weights change(struct wall *w, struct chain_weights of)
{
	of.size += (int64_t)by_chance(w, ONE) - ONE / 2;
	of.edge += (int64_t)by_chance(w, 2 * ONE) - ONE;
	of.gap += (int64_t)by_chance(w, 2 * ONE) - ONE;
	return mp_planner_chain_bounded(of);
}

/* Below the best plan. */
static void set_target(struct wall *w, uint64_t height)
{
	int64_t load = w->packing->max_load;
	int64_t most = (int64_t)(height / w->packing->unit) - 1;
	int64_t aim = load + load / AIM, lower = most - load / LOWER;

	aim = aim < lower ? aim : lower;
	w->most_target = most;
	w->target = aim > load ? aim : load;
}

/* Goes on from a wall with all items to one that is lower. */
static void ask_for_less(struct wall *w)
{
	uint32_t n = w->packing->n_sections;
	int64_t top = 0;

	for (uint32_t s = 0; s < n; s++) {
		top = w->height[s] > top ? w->height[s] : top;
		w->times[s / BLOCK] = 0;
	}
	w->most_target = top - 1;
	move_target(w, top - 1);
}

/* Dives until some in a row find no lower plan. Weights that find one stay. */
static bool dives(struct wall *w)
{
	const struct job *job = w->job;
	struct chain_weights best = {CHAIN_SIZE, CHAIN_EDGE, CHAIN_GAP};
	struct chain_weights weights = best;
	uint32_t left = VAIN;

	while (left > 0 && job->steps > 0 && !job->cut_short &&
		!mp_planner_job_done(job)) {
		set_target(w, job->height);
		mp_planner_chain_weigh(&w->chain, weights);
		reset(w);
		left--;
		while (lay_all(w)) {
			if (!offer(w))
				return false;
			best = weights;
			left = VAIN;
			if (mp_planner_job_done(job))
				return true;
			ask_for_less(w);
		}
		weights = change(w, best);
	}
	return true;
}

enum outcome mp_planner_ruin_run(struct job *job, int variant)
{
	struct packing packing;
	struct wall w = {.job = job, .random = job->seed};
	enum outcome outcome;
	uint64_t lives;

	(void)variant;
	if (!mp_planner_job_is_flat(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_dive_first(job, &outcome))
		return outcome;
	if (!mp_planner_packing_of(&packing, job, job->arena))
		return PLAN_FAILED;
	lives = lives_of(&packing);
	if (lives > MOST_LIVES || !is_tight(&packing))
		return mp_planner_job_outcome(job);
	if (!wall_init(&w, &packing, lives, job->arena) || !dives(&w))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
