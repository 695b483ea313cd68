/*
 * Ruin and recreate (Schrimpf et al., Journal of Computational Physics 2000)
 * for the cost of reuse, or of banks: a pair that pays and some buffers beside
 * it are removed and placed again, each where it costs least. Of equal places
 * one is taken by chance, and a result that is no worse is kept. Then the exact
 * search goes on from the best plan.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/cheapen.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "base/sort.h"
#include "planners/any/conflict.h"
#include "planners/reuse/bound-costs.h"
#include "planners/reuse/search-costs.h"

enum {
	MOST_OUT = 8, /* buffers removed at a time */
	NEAR = 16,    /* buffers that are neighbours in the sequence of births
			 are born about the same time */
	QUIET = 100,  /* rounds a buffer without a better plan, after which the
			 search ends */
	WORSE = 64,   /* a result that costs more is kept once in so many */
	RANGES_A_STEP = 64, /* ranges of bases that are looked at in 100 ns */
	MOST_AIMS = 32,	    /* of one buffer */
	SEARCH_SHARE = 4, /* the search takes such a part of the budget left at
			     most */
	REPAIR_SHARE =
		32 /* each pair that a row keeps apart gets such a part */
};

/* Bases of the buffer at hand that cost something. */
struct toll {
	uint64_t low, high;
	uint64_t cost;

	/* Banks: each base may cost something. */
	struct extent own; /* bytes from the base on */
	struct extent other;
	bool is_own; /* the other bytes count from the base too */
};

/* Bases at which bytes of the buffer at hand begin with a bank: such a bank
 * that they touch none that another tensor ends with, or begins with. */
struct aim {
	uint64_t bank;
	uint64_t shift; /* of the bytes from the base */
};

struct work {
	struct job *job;
	const struct problem *problem;
	uint64_t limit;
	struct conflicts conflicts; /* of the buffers that have a place */
	struct lists pairs;	    /* of a buffer, into the problem's costs */
	uint64_t *offsets;	    /* the plan at hand; NO_OFFSET: no place */
	uint64_t cost;		    /* of that */
	uint64_t *best;
	uint64_t least;	   /* cost of best */
	uint32_t *movable; /* as they are born */
	uint32_t *place;   /* of a buffer: where it stands there */
	uint32_t *sequence;
	uint32_t n_movable;
	struct toll *tolls;
	uint32_t n_tolls;
	struct aim aims[MOST_AIMS];
	uint32_t n_aims;
	uint64_t random;
};

uint64_t mp_planner_cost(const struct problem *p, const uint64_t *offsets)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; i < p->n_costs; i++)
		cost += mp_problem_pair_cost(p, &p->costs[i],
			offsets[p->costs[i].a], offsets[p->costs[i].b]);
	return cost;
}

static uint32_t below(struct work *w, uint32_t n)
{
	assert(n > 0);
	return (uint32_t)(mp_prng(&w->random) % n);
}

/* ---------------------------------------------------------- placing */

static struct toll range_of_toll(
	const struct costly_pair *c, bool first, uint64_t other)
{
	int64_t low = first ? c->below : c->above;
	int64_t high = first ? c->above : c->below;

	low = (int64_t)other - low + 1;
	return (struct toll){.low = low > 0 ? (uint64_t)low : 0,
		.high = (int64_t)other + high > 0
				? (uint64_t)((int64_t)other + high)
				: 0,
		.cost = c->cost};
}

static struct toll banks_of_toll(
	const struct costly_pair *c, bool first, uint64_t other)
{
	struct toll toll = {.cost = c->cost,
		.own = first ? c->of_a : c->of_b,
		.other = first ? c->of_b : c->of_a,
		.is_own = c->a == c->b};

	if (!toll.is_own)
		toll.other.base += other;
	return toll;
}

/* The bases of a buffer that cost something with those that have a place. */
static void find_tolls(struct work *w, uint32_t buffer)
{
	const struct ids pairs = mp_lists_at(&w->pairs, buffer);
	bool banks = w->problem->banks.count > 0;

	w->n_tolls = 0;
	for (uint32_t i = 0; i < pairs.n; i++) {
		const struct costly_pair *c = &w->problem->costs[pairs.at[i]];
		bool first = c->a == buffer;
		uint64_t other = w->offsets[first ? c->b : c->a];
		struct toll *toll = &w->tolls[w->n_tolls];

		if (other == NO_OFFSET && c->a != c->b)
			continue;
		*toll = banks ? banks_of_toll(c, first, other)
			      : range_of_toll(c, first, other);
		w->n_tolls += banks || toll->high > 0;
	}
}

static uint64_t banks_at(
	const struct work *w, const struct toll *toll, uint64_t base)
{
	struct extent own = toll->own, other = toll->other;

	own.base += base;
	other.base += toll->is_own ? base : 0;
	return toll->cost *
	       mp_problem_shared_banks(&w->problem->banks, own, other);
}

static uint64_t toll_at(const struct work *w, uint64_t base)
{
	bool banks = w->problem->banks.count > 0;
	uint64_t cost = 0;

	for (uint32_t i = 0; i < w->n_tolls; i++) {
		const struct toll *toll = &w->tolls[i];

		if (banks)
			cost += banks_at(w, toll, base);
		else if (toll->low <= base && base < toll->high)
			cost += toll->cost;
	}
	return cost;
}

static bool is_free(const struct work *w, uint64_t base, uint64_t size)
{
	if (size > w->limit || base > w->limit - size)
		return false;
	for (uint32_t i = 0; i < w->conflicts.n_taken; i++)
		if (w->conflicts.taken[i].low <= base &&
			base < w->conflicts.taken[i].high)
			return false;
	return true;
}

/* The place for a buffer that costs least. */
struct choice {
	uint64_t base, cost;
	uint32_t n; /* equal ones so far */
};

static void consider(
	struct work *w, uint32_t buffer, uint64_t from, struct choice *choice)
{
	const struct buffer *b = &w->problem->buffers[buffer];
	uint64_t base = num_up(from, b->align), cost;

	if (!is_free(w, base, b->size))
		return;
	cost = toll_at(w, base);
	if (choice->n > 0 && cost > choice->cost)
		return;
	if (choice->n == 0 || cost < choice->cost)
		choice->n = 0;
	if (below(w, ++choice->n) > 0)
		return;
	choice->base = base;
	choice->cost = cost;
}

/* Of more than there is room for, some by chance. */
static void add_aim(
	struct work *w, uint32_t *seen, uint64_t bank, uint64_t shift)
{
	uint32_t at = w->n_aims;

	bank %= w->problem->banks.count;
	for (uint32_t i = 0; i < w->n_aims; i++)
		if (w->aims[i].bank == bank && w->aims[i].shift == shift)
			return;
	++*seen;
	if (at < MOST_AIMS)
		w->n_aims++;
	else
		at = below(w, *seen);
	if (at < MOST_AIMS)
		w->aims[at] = (struct aim){bank, shift};
}

/* To begin right behind what another tensor touches, or to end before it. */
static void find_aims(struct work *w)
{
	const struct banks *banks = &w->problem->banks;
	uint32_t seen = 0;

	w->n_aims = 0;
	for (uint32_t i = 0; banks->count > 0 && i < w->n_tolls; i++) {
		const struct toll *t = &w->tolls[i];
		uint64_t first = t->other.base / banks->size % banks->count;
		uint64_t last = t->other.base + t->other.size - 1;
		uint64_t n = (t->own.size - 1) / banks->size + 1;

		if (t->is_own)
			continue;
		add_aim(w, &seen, last / banks->size + 1, t->own.base);
		add_aim(w, &seen, first + banks->count - n % banks->count,
			t->own.base);
	}
}

/* Considers the lowest bases from there on that an aim asks for. */
static void consider_aims(
	struct work *w, uint32_t buffer, uint64_t from, struct choice *choice)
{
	const struct banks *banks = &w->problem->banks;

	consider(w, buffer, from, choice);
	for (uint32_t i = 0; i < w->n_aims; i++) {
		const struct aim *aim = &w->aims[i];
		uint64_t at = (from + aim->shift) / banks->size;

		at += (aim->bank + banks->count - at % banks->count) %
		      banks->count;
		if (at <= w->limit / banks->size + 1 &&
			at * banks->size > from + aim->shift)
			consider(w, buffer, at * banks->size - aim->shift,
				choice);
	}
}

/* Places a buffer where it costs least: at the bottom, or where a range of
 * bases ends that are taken or cost something. False: there is no room, or
 * memory is out. */
static bool put_best(struct work *w, uint32_t buffer)
{
	struct choice choice = {0, 0, 0};
	uint64_t looks;

	if (!mp_planner_conflicts_collect(&w->conflicts, buffer))
		return false;
	find_tolls(w, buffer);
	find_aims(w);
	consider_aims(w, buffer, 0, &choice);
	for (uint32_t i = 0; i < w->conflicts.n_taken; i++)
		consider_aims(w, buffer, w->conflicts.taken[i].high, &choice);
	for (uint32_t i = 0; i < w->n_tolls; i++)
		if (w->tolls[i].high > 0)
			consider(w, buffer, w->tolls[i].high, &choice);
	looks = w->n_tolls + w->conflicts.n_taken + 1;
	looks *= looks * (w->n_aims + 1);
	mp_planner_job_step(w->job, 1 + looks / RANGES_A_STEP);
	if (choice.n == 0)
		return false;
	w->offsets[buffer] = choice.base;
	w->cost += choice.cost;
	mp_planner_conflicts_place(&w->conflicts, buffer, choice.base);
	return true;
}

static void take_out(struct work *w, uint32_t buffer)
{
	uint64_t base = w->offsets[buffer];

	w->offsets[buffer] = NO_OFFSET;
	find_tolls(w, buffer);
	w->cost -= toll_at(w, base);
	mp_planner_conflicts_remove(&w->conflicts, buffer);
}

static void put_back(struct work *w, uint32_t buffer, uint64_t base)
{
	if (w->offsets[buffer] != NO_OFFSET)
		mp_planner_conflicts_remove(&w->conflicts, buffer);
	w->offsets[buffer] = base;
	mp_planner_conflicts_place(&w->conflicts, buffer, base);
}

static void keep_better(struct work *w)
{
	if (w->cost >= w->least)
		return;
	memcpy(w->best, w->offsets, sizeof(*w->best) * w->problem->n_buffers);
	w->least = w->cost;
}

/* Begins with no buffer in place but the fixed ones. */
static void clear(struct work *w)
{
	mp_planner_conflicts_clear(&w->conflicts);
	mp_planner_conflicts_place_fixed(&w->conflicts);
	for (uint32_t i = 0; i < w->problem->n_buffers; i++)
		w->offsets[i] = w->problem->buffers[i].offset;
	w->cost = 0;
	for (uint32_t i = 0; i < w->problem->n_costs; i++) {
		const struct costly_pair *c = &w->problem->costs[i];

		if (w->offsets[c->a] != NO_OFFSET &&
			w->offsets[c->b] != NO_OFFSET)
			w->cost += mp_problem_pair_cost(w->problem, c,
				w->offsets[c->a], w->offsets[c->b]);
	}
}

static void construct(struct work *w, const uint32_t *sequence)
{
	clear(w);
	for (uint32_t i = 0; i < w->n_movable; i++)
		if (!put_best(w, sequence[i]) || w->job->cut_short)
			return;
	keep_better(w);
}

/* ----------------------------------------------------------- search */

/* Goes back to the best plan. */
static void restore(struct work *w)
{
	clear(w);
	for (uint32_t i = 0; i < w->n_movable; i++)
		put_back(w, w->movable[i], w->best[w->movable[i]]);
	w->cost = w->least;
}

static void add_once(uint32_t *out, uint32_t *n, uint32_t buffer)
{
	for (uint32_t i = 0; i < *n; i++)
		if (out[i] == buffer)
			return;
	out[(*n)++] = buffer;
}

/* A pair that pays; NULL: none does that may move. */
static const struct costly_pair *pick_pair(struct work *w)
{
	const struct problem *p = w->problem;
	uint32_t from = below(w, p->n_costs);

	for (uint32_t i = 0; i < p->n_costs; i++) {
		const struct costly_pair *c =
			&p->costs[(from + i) % p->n_costs];

		if (mp_problem_pair_cost(
			    p, c, w->offsets[c->a], w->offsets[c->b]) > 0 &&
			(p->buffers[c->a].offset == NO_OFFSET ||
				p->buffers[c->b].offset == NO_OFFSET))
			return c;
	}
	return NULL;
}

/* Buffers of the pair, and some that live about the same time; in one of four
 * rounds, any. */
static uint32_t pick_buffers(
	struct work *w, const struct costly_pair *pair, uint32_t *out)
{
	const struct buffer *buffers = w->problem->buffers;
	uint32_t wanted = 1 + below(w, MOST_OUT), n = 0, at = 0;
	uint32_t span = below(w, 4) ? NEAR : w->n_movable;

	if (buffers[pair->a].offset == NO_OFFSET)
		add_once(out, &n, pair->a);
	if (buffers[pair->b].offset == NO_OFFSET && (n == 0 || below(w, 2)))
		add_once(out, &n, pair->b);
	span = span < w->n_movable ? span : w->n_movable;
	at = w->place[out[0]] + w->n_movable - span / 2;
	for (uint32_t tries = 0; n < wanted && tries < 2 * wanted; tries++)
		add_once(out, &n,
			w->movable[(at + below(w, span)) % w->n_movable]);
	return n;
}

/* Puts them back where they were. */
static void undo(struct work *w, const uint32_t *out, const uint64_t *offsets,
	uint32_t n, uint64_t cost)
{
	for (uint32_t i = 0; i < n; i++)
		if (w->offsets[out[i]] != NO_OFFSET)
			mp_planner_conflicts_remove(&w->conflicts, out[i]);
	for (uint32_t i = 0; i < n; i++) {
		w->offsets[out[i]] = offsets[i];
		mp_planner_conflicts_place(&w->conflicts, out[i], offsets[i]);
	}
	w->cost = cost;
}

static void ruin_and_recreate(struct work *w, const struct costly_pair *pair)
{
	uint32_t out[MOST_OUT + 2] = {0}, n = pick_buffers(w, pair, out);
	uint64_t offsets[MOST_OUT + 2], before = w->cost;
	uint32_t in = 0;

	if (below(w, 2))
		mp_prng_shuffle(&w->random, out, n);
	for (uint32_t i = 0; i < n; i++) {
		offsets[i] = w->offsets[out[i]];
		take_out(w, out[i]);
	}
	while (in < n && put_best(w, out[in]))
		in++;
	if (in == n && (w->cost <= before || below(w, WORSE) == 0))
		keep_better(w);
	else
		undo(w, out, offsets, n, before);
}

/* Until no plan is better for a while. */
static void search(struct work *w)
{
	uint64_t quiet = 0, rounds = QUIET + (uint64_t)QUIET * w->n_movable;
	uint64_t until = w->job->steps - w->job->steps / SEARCH_SHARE;

	restore(w);
	while (w->least > 0 && quiet++ < rounds &&
		mp_planner_job_step(w->job, 1) && w->job->steps > until) {
		const struct costly_pair *pair = pick_pair(w);
		uint64_t least = w->least;

		if (!pair)
			return;
		ruin_and_recreate(w, pair);
		if (w->least < least)
			quiet = 0;
	}
}

/* ----------------------------------------------------------- repair */

/* The same problem with pairs of buffers apart: those that cost nothing in the
 * best plan, and more, from this pair of its costs on, up to another. */
static bool fence(struct work *w, uint32_t from, uint32_t to,
	struct problem *fenced, struct arena *scratch)
{
	const struct problem *p = w->problem;
	bool *pairs = NEW(scratch, bool, p->n_costs);

	for (uint32_t i = 0; pairs && i < p->n_costs; i++) {
		const struct costly_pair *c = &p->costs[i];

		pairs[i] = (i >= from && i < to) ||
			   !mp_problem_is_paid(c, w->best[c->a], w->best[c->b]);
	}
	return pairs &&
	       mp_problem_fence(p, pairs, fenced, w->job->arena, scratch);
}

/* Looks for a plan in which these pairs cost nothing either. */
static bool try_fence(struct work *w, uint32_t from, uint32_t to)
{
	const struct planner *row = mp_planner_find_own("auto");
	struct arena scratch = mp_arena_beside(w->job->arena);
	struct job job = *w->job;
	struct problem fenced;
	bool fine = fence(w, from, to, &fenced, &scratch);

	job.problem = &fenced;
	job.capacity = w->limit;
	job.steps = w->job->steps / REPAIR_SHARE;
	job.spent = 0;
	job.running = row->name;
	job.best = NEW(job.arena, uint64_t, w->problem->n_buffers);
	job.height = UINT64_MAX;
	fine = fine && job.best && row->run(&job, row->variant) != PLAN_FAILED;
	mp_arena_free(&scratch);
	if (!fine)
		return false;
	w->job->cut_short |= job.cut_short;
	w->job->starved |= job.starved;
	mp_planner_job_step(w->job, job.spent);
	if (job.height > w->limit ||
		mp_planner_cost(w->problem, job.best) >= w->least)
		return true;
	memcpy(w->best, job.best, sizeof(*w->best) * w->problem->n_buffers);
	w->least = mp_planner_cost(w->problem, w->best);
	return true;
}

static bool goes_on(const struct work *w, uint64_t least)
{
	return w->least > least && !w->job->cut_short;
}

/* Rows that know pairs apart may place what is hard to place: all pairs first,
 * then one after the other. */
static bool repair(struct work *w, uint64_t least)
{
	const struct problem *p = w->problem;

	if (p->banks.count > 0)
		return true;
	if (goes_on(w, least) && !try_fence(w, 0, p->n_costs))
		return false;
	for (uint32_t i = 0; i < p->n_costs && goes_on(w, least); i++) {
		const struct costly_pair *c = &p->costs[i];

		if (mp_problem_is_paid(c, w->best[c->a], w->best[c->b]) &&
			(w->job->steps < REPAIR_SHARE ||
				!try_fence(w, i, i + 1)))
			return w->job->error->code == MEMPLAN_OK;
	}
	return true;
}

/* ------------------------------------------------------------ stage */

static bool list_pairs(struct work *w)
{
	const struct problem *p = w->problem;

	if (!mp_lists_init(&w->pairs, p->n_buffers, w->job->arena))
		return false;
	for (uint32_t i = 0; i < p->n_costs; i++) {
		mp_lists_count(&w->pairs, p->costs[i].a, 1);
		mp_lists_count(&w->pairs, p->costs[i].b,
			p->costs[i].a != p->costs[i].b);
	}
	if (!mp_lists_ready(&w->pairs, p->n_buffers, w->job->arena))
		return false;
	for (uint32_t i = 0; i < p->n_costs; i++) {
		mp_lists_add(&w->pairs, p->costs[i].a, i);
		if (p->costs[i].a != p->costs[i].b)
			mp_lists_add(&w->pairs, p->costs[i].b, i);
	}
	return true;
}

/* Lists the buffers that may move as they are born, and by size. */
static bool list_movable(struct work *w)
{
	const struct problem *p = w->problem;
	struct arena *arena = w->job->arena;
	uint64_t *key = NEW(arena, uint64_t, p->n_buffers);
	uint32_t *spare = NEW(arena, uint32_t, p->n_buffers);

	if (!key || !spare)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		key[i] = p->buffers[i].start;
		if (p->buffers[i].offset == NO_OFFSET)
			w->movable[w->n_movable++] = i;
	}
	mp_sort_radix(w->movable, spare, w->n_movable, key);
	for (uint32_t i = 0; i < w->n_movable; i++)
		w->place[w->movable[i]] = i;
	memcpy(w->sequence, w->movable, sizeof(*w->movable) * w->n_movable);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		key[i] = ~p->buffers[i].size;
	mp_sort_radix(w->sequence, spare, w->n_movable, key);
	return true;
}

static bool work_init(struct work *w)
{
	const struct problem *p = w->problem;
	struct arena *arena = w->job->arena;
	uint32_t n = p->n_buffers;

	w->random = w->job->seed;
	w->offsets = NEW(arena, uint64_t, n);
	w->best = mp_arena_copy(arena, w->job->best, n, sizeof(*w->best));
	w->movable = NEW(arena, uint32_t, n);
	w->place = NEW(arena, uint32_t, n);
	w->sequence = NEW(arena, uint32_t, n);
	w->tolls = NEW(arena, struct toll, p->n_costs);
	return w->offsets && w->best && w->movable && w->place && w->sequence &&
	       w->tolls && list_pairs(w) && list_movable(w) &&
	       mp_planner_conflicts_init(&w->conflicts, p, arena);
}

static bool hand_over(struct work *w, struct cheapen *cheapen)
{
	struct job *job = w->job;

	cheapen->after = mp_planner_cost(w->problem, w->best);
	assert(cheapen->after <= cheapen->before);
	if (cheapen->after == cheapen->before)
		return true;
	if (!job->verify(w->problem, w->best, MEMPLAN_EINTERNAL, job->arena,
		    job->error))
		return false;
	memcpy(job->best, w->best, sizeof(*w->best) * w->problem->n_buffers);
	job->height = mp_plan_height(w->problem, w->best);
	return true;
}

static bool prove(struct work *w, struct cheapen *cheapen)
{
	uint64_t least;

	if (!mp_planner_search_costs(
		    w->job, w->limit, w->best, &cheapen->least))
		return false;
	w->least = mp_planner_cost(w->problem, w->best);
	if (w->least == cheapen->least || w->problem->banks.count > 0 ||
		w->job->cut_short)
		return true;
	if (!mp_planner_bound_costs(
		    w->problem, w->limit, &least, w->job->arena))
		return false;
	assert(least <= w->least);
	cheapen->least = num_max(cheapen->least, least);
	return true;
}

/* The exact search is fast where it succeeds, and the faster, the better the
 * plan that it begins with. */
static bool cheapen_plan(struct work *w, struct cheapen *cheapen)
{
	if (!work_init(w))
		return false;
	construct(w, w->sequence);
	if (w->least > 0)
		construct(w, w->movable);
	search(w);
	if (w->least > 0 && !prove(w, cheapen))
		return false;
	return w->job->error->code == MEMPLAN_OK && repair(w, cheapen->least) &&
	       hand_over(w, cheapen);
}

bool mp_planner_cheapen(struct job *job, struct cheapen *cheapen)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct work w = {
		.job = job, .problem = job->problem, .limit = cheapen->limit};
	bool fine = true;

	assert(mp_planner_job_is_sound(job));
	assert(job->height <= cheapen->limit);
	cheapen->before = cheapen->after = w.least =
		mp_planner_cost(job->problem, job->best);
	cheapen->least = 0;
	job->cut_short |= mp_planner_job_is_over(job);
	if (cheapen->before > 0 && !job->cut_short)
		fine = cheapen_plan(&w, cheapen);
	mp_arena_rewind(job->arena, mark);
	return fine;
}
