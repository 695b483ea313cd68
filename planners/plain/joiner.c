/*
 * Rules, rounds of joins, and repairs: see joiner.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/joiner.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "planners/plain/anneal.h"
#include "planners/plain/pinwheel.h"

enum {
	FEW_LOOKS = 24, /* at a list for what fits: it may be of all buffers */
	AROUND = 2,	/* the level behind those of rules: pinwheels that have
			   the compound in the middle */
	PINWHEELS = 3,	/* likewise: in any role */
	MANY_WHEELS = 64,  /* many pinwheels: one for so many buffers */
	LEAST_AHEAD = 256, /* compounds of a queue that threads look at: fewer
			      take less than threads do */
	POLL_EVERY = 128,  /* compounds of a queue: less than 5 ms */
	PATIENCE = 2000	   /* looks for each new compound of a round */
};

/* Joins of so much doubt at most come one after the other. */
static const uint64_t doubts[] = {0, DOUBT_ONE / 256, DOUBT_ONE / 64,
	DOUBT_ONE / 16, DOUBT_ONE / 4, DOUBT_ONE, UINT64_MAX};

static uint32_t below(struct joiner *j, uint32_t n)
{
	return (uint32_t)(mp_prng(&j->random) % n);
}

/* ------------------------------------------------------------ rules */

/* How a compound and one of a list may be joined. */
static const struct rule {
	uint8_t level;
	enum join how;
	enum compound_list list;
	bool is_second;	 /* the compound; the one of the list is the first */
	uint32_t one_in; /* that fit is passed over by chance */
} rules[] = {
	{0, JOIN_CHAIN, OF_START_SIZE, false, 16},
	{0, JOIN_CHAIN, OF_END_SIZE, true, 16},
	{0, JOIN_FILL, OF_SPAN, false, 16},
	{0, JOIN_FILL, OF_SPAN, true, 16},
	{1, JOIN_STACK, OF_SPAN, false, 4},
};

static bool fit(
	const struct compound *a, const struct compound *b, enum join how)
{
	if (mp_planner_compound_has_gap(b) ||
		mp_planner_compound_has_gap(a) != (how == JOIN_FILL))
		return false;
	switch (how) {
	case JOIN_CHAIN:
		return a->end == b->start && a->size == b->size;
	case JOIN_STACK:
		return a->start == b->start && a->end == b->end;
	case JOIN_FILL:
		return a->gap == b->start && a->gap_end == b->end &&
		       a->size == b->size;
	case JOIN_PINWHEEL:
	case JOIN_NONE:
		break;
	}
	return false;
}

/* The first of the list of those that may fit. */
static uint32_t first_of(const struct compounds *c, enum compound_kin kin,
	const struct compound *x, enum compound_list list)
{
	uint32_t step = x->start;
	uint64_t with = x->size;

	switch (list) {
	case OF_START_SIZE:
		step = x->end;
		break;
	case OF_END_SIZE:
		break;
	case OF_SPAN:
	case OF_START:
	case OF_END:
	case COMPOUND_LISTS:
		step = mp_planner_compound_has_gap(x) ? x->gap : x->start;
		with = mp_planner_compound_has_gap(x) ? x->gap_end : x->end;
	}
	return mp_planner_compounds_first(c, kin, list, step, with);
}

static bool fit_by(const struct joiner *j, uint32_t i, uint32_t other,
	const struct rule *rule)
{
	const struct compound *x = &j->c.at[i], *y = &j->c.at[other];

	return other != i &&
	       (rule->is_second ? fit(y, x, rule->how) : fit(x, y, rule->how));
}

static uint32_t join_by(
	struct joiner *j, uint32_t i, uint32_t other, const struct rule *rule)
{
	uint32_t pair[2] = {
		rule->is_second ? other : i, rule->is_second ? i : other};

	return mp_planner_compounds_join(&j->c, rule->how, pair);
}

/* The compound joined with one of a list; NONE: with none. Where both have
 * fixed offsets that agree, there is no doubt. */
static uint32_t try_rule(struct joiner *j, uint32_t i, const struct rule *rule)
{
	struct compounds *c = &j->c;
	uint32_t other = first_of(c, LIVE_ONES, &c->at[i], rule->list);
	uint32_t joined = NONE, n = 0, next;
	bool sure = mp_planner_doubt_of(&j->doubts, &c->at[i], rule->how) <=
		    j->doubt;

	if (!sure && c->at[i].n_bases == 0)
		return NONE;
	for (; n < FEW_LOOKS && other != NONE && joined == NONE; n++) {
		next = c->links[LIVE_ONES][other].in[rule->list].next;
		if ((sure || c->at[other].n_bases > 0) &&
			fit_by(j, i, other, rule) &&
			!(j->by_chance && below(j, rule->one_in) == 0))
			joined = join_by(j, i, other, rule);
		other = next;
	}
	j->c.looks += n + 1;
	return joined;
}

static bool is_idle_rule(const struct joiner *j, const struct rule *rule)
{
	return rule->how == JOIN_FILL && !j->has_gaps;
}

static uint32_t try_rules(struct joiner *j, uint32_t i, uint32_t level)
{
	uint32_t joined = NONE;

	for (uint32_t k = 0; k < countof(rules) && joined == NONE; k++)
		if (rules[k].level == level && !is_idle_rule(j, &rules[k]))
			joined = try_rule(j, i, &rules[k]);
	return joined;
}

/* -------------------------------------------------------- pinwheels */

/* Four of its members fit by chance where the middle is: that many times, one
 * after the other. */
static uint64_t doubt_of_wheel(
	const struct joiner *j, const uint32_t five[WHEEL_ROLES])
{
	static const enum wheel_role others[] = {
		WHEEL_UNDER, WHEEL_OVER, WHEEL_AFTER, WHEEL_BEFORE};
	uint64_t doubt = DOUBT_ONE;

	for (uint32_t k = 0; k < countof(others); k++)
		doubt = doubt *
			mp_planner_doubt_of(&j->doubts,
				&j->c.at[five[others[k]]],
				k < 2 ? JOIN_STACK : JOIN_CHAIN) /
			DOUBT_ONE;
	return doubt;
}

static bool find_pinwheel(const struct joiner *j, uint32_t i, int role,
	uint32_t five[WHEEL_ROLES], uint64_t *looks)
{
	return mp_planner_pinwheel_find(&j->c, LIVE_ONES, i,
		       (enum wheel_role)role, NULL, five, looks) &&
	       doubt_of_wheel(j, five) <= j->doubt;
}

/* With the compound in that role or a later one. */
static uint32_t try_pinwheels(struct joiner *j, uint32_t i, int role)
{
	uint32_t five[WHEEL_ROLES], joined = NONE;

	for (; role < WHEEL_ROLES && joined == NONE; role++)
		if (find_pinwheel(j, i, role, five, &j->c.looks))
			joined = mp_planner_compounds_join(
				&j->c, JOIN_PINWHEEL, five);
	j->n_wheels += joined != NONE;
	return joined;
}

/* Most compounds are in no pinwheel. So threads look ahead in a queue, as far
 * as it was in vain before. What was in vain is so until something is joined.
 */
struct outlook {
	struct joiner *j;
	enum join_queue queue;
	int role;
	uint32_t n_vain;    /* in turn */
	uint32_t from, end; /* of the queue; their looks are in joiner.ahead,
			       NONE: a pinwheel is found */
};

static void look_ahead(void *context, uint32_t from, uint32_t to)
{
	const struct outlook *o = context;
	struct joiner *j = o->j;
	uint32_t five[WHEEL_ROLES];
	bool is_over = false;

	for (uint32_t k = from; k < to; k++) {
		uint32_t i = j->queue[o->queue][o->from + k];
		bool found = false;
		uint64_t looks = 0;

		j->ahead[k] = 0;
		is_over |=
			k % POLL_EVERY == 0 && mp_planner_job_is_over(j->job);
		if (is_over || j->c.at[i].live == NONE)
			continue;
		for (int role = o->role; role < WHEEL_ROLES && !found; role++)
			found = find_pinwheel(j, i, role, five, &looks);
		j->ahead[k] = found ? NONE : (uint32_t)looks;
	}
}

static uint32_t try_next_pinwheels(struct outlook *o, uint32_t k)
{
	struct joiner *j = o->j;
	uint32_t n = (uint32_t)num_min(o->n_vain, j->n_queue[o->queue] - k);
	uint32_t joined;

	if (k >= o->end && n >= LEAST_AHEAD &&
		mp_threads_for(j->job->threads, 2) > 1) {
		o->from = k;
		o->end = k + n;
		mp_threads_cut(
			j->job->threads, n, LEAST_AHEAD / 2, look_ahead, o);
	}
	o->n_vain++;
	if (k < o->end && j->ahead[k - o->from] != NONE) {
		j->c.looks += j->ahead[k - o->from];
		return NONE;
	}
	o->end = 0;
	joined = try_pinwheels(j, j->queue[o->queue][k], o->role);
	if (joined != NONE)
		o->n_vain = 0;
	return joined;
}

/* ------------------------------------------------------------ joins */

static void put(struct joiner *j, enum join_queue queue, uint32_t i)
{
	j->queue[queue][j->n_queue[queue]++] = i;
}

/* Tries the rules of a level on all of a queue. What comes of it is new. Where
 * very many begin or end together, patience ends before the queue does. So it
 * does where the job is over: looks are charged only once all are joined. */
static void join_queue(struct joiner *j, enum join_queue queue, uint32_t level)
{
	uint64_t most = mp_planner_compounds_looks(&j->c) +
			(uint64_t)PATIENCE * j->n_queue[queue];
	struct outlook outlook = {.j = j,
		.queue = queue,
		.role = level == AROUND ? WHEEL_MIDDLE : WHEEL_UNDER};
	uint32_t joined;

	for (uint32_t k = 0; k < j->n_queue[queue] &&
			     mp_planner_compounds_looks(&j->c) < most;
		k++) {
		uint32_t i = j->queue[queue][k];

		if (k % POLL_EVERY == 0 && mp_planner_job_is_over(j->job))
			return;
		if (j->c.at[i].live == NONE)
			continue;
		joined = level < AROUND ? try_rules(j, i, level)
					: try_next_pinwheels(&outlook, k);
		if (joined != NONE)
			put(j, QUEUE_NEW, joined);
	}
}

/* Swaps the new ones with those of another queue. */
static void swap_new(struct joiner *j, enum join_queue other)
{
	uint32_t *queue = j->queue[QUEUE_NEW], n = j->n_queue[QUEUE_NEW];

	j->queue[QUEUE_NEW] = j->queue[other];
	j->n_queue[QUEUE_NEW] = j->n_queue[other];
	j->queue[other] = queue;
	j->n_queue[other] = n;
}

/* Joins as long as a rule fits, with so much doubt. In rounds, so that what was
 * cut last is joined first; of the rules the surest first. A new compound tries
 * all that there were before, so they need not try again. The queue begins with
 * all that are live, so there each pinwheel has its middle. */
static void join_rounds(struct joiner *j)
{
	bool are_all = true;

	for (; j->n_queue[QUEUE_NEW] > 0; are_all = false) {
		swap_new(j, QUEUE_ROUND);
		j->n_queue[QUEUE_NEW] = 0;
		join_queue(j, QUEUE_ROUND, 0);
		join_queue(j, QUEUE_ROUND, 1);
		join_queue(j, QUEUE_ROUND, are_all ? AROUND : PINWHEELS);
		for (uint32_t k = 0; k < j->n_queue[QUEUE_ROUND]; k++)
			if (j->c.at[j->queue[QUEUE_ROUND][k]].live != NONE)
				put(j, QUEUE_IDLE, j->queue[QUEUE_ROUND][k]);
	}
}

/* Joins as long as a rule fits, at last with any doubt. */
static void join_all(struct joiner *j)
{
	uint32_t first = j->regardless ? countof(doubts) - 1 : 0;

	do {
		for (uint32_t k = first; k < countof(doubts); k++) {
			j->doubt = doubts[k];
			if (k > first)
				swap_new(j, QUEUE_IDLE);
			join_rounds(j);
		}
		join_queue(j, QUEUE_IDLE, AROUND);
		j->n_queue[QUEUE_IDLE] = 0;
	} while (j->n_queue[QUEUE_NEW] > 0);
}

void mp_planner_joiner_join(struct joiner *j)
{
	for (uint32_t i = 0; i < j->c.n_buffers; i++) {
		put(j, QUEUE_NEW, i);
		j->has_gaps |= mp_planner_compound_has_gap(&j->c.at[i]);
	}
	if (j->by_chance)
		mp_prng_shuffle(
			&j->random, j->queue[QUEUE_NEW], j->n_queue[QUEUE_NEW]);
	if (!j->regardless)
		mp_planner_doubts_find(&j->doubts, &j->c);
	join_all(j);
	j->job->cut_short |= mp_planner_job_is_over(j->job);
	j->has_wheels = j->n_wheels > j->c.n_buffers / MANY_WHEELS;
	mp_planner_compounds_keep(&j->c);
}

bool mp_planner_joiner_part(
	struct joiner *j, struct joiner *other, struct arena *arena)
{
	j->doubt = UINT64_MAX;
	*other = *j;
	if (!mp_planner_compounds_part(&j->c, &other->c, arena))
		return false;
	other->queue[QUEUE_NEW] = j->queue[QUEUE_IDLE];
	other->random = mp_prng(&j->random);
	return true;
}

/* ---------------------------------------------------------- repairs */

enum {
	MOST_LOOKS = 48,      /* at a list of which one is taken by chance */
	PAIR_LOOKS = 384,     /* for two that are a partner together */
	PARTNER_DRAWS = 7,    /* from what fits, */
	TAKE_DRAWS = 3,	      /* and from what is taken out without that */
	MOST_TAKEN = 8,	      /* compounds that one repair takes out */
	WHEELS_ONE_IN = 4,    /* of so many repairs one tries pinwheels too, */
	PINWHEEL_ONE_IN = 32, /* or of so many, where there are few */
	REPAIRS = 8,	      /* to choose from, and as many pinwheels again
				 where there are many */
	WORTH = 256,	      /* of a join in no doubt; see worth_of() */
	DOUBTED = 8	      /* the more, the less a join in doubt is worth */
};

/* Makes a compound live. What is left of those that it was part of is put into
 * the queue. False: it lies too deep, or within the one that is to take it. */
static bool take_out(struct joiner *j, uint32_t i, uint32_t taker)
{
	struct compounds *c = &j->c;
	uint32_t path[COMPOUNDS_DEEPEST], n;

	if (!mp_planner_compounds_around(c, i, taker, path, &n))
		return false;
	mp_planner_compounds_break_path(c, path, n);
	while (n-- > 0) {
		const struct compound *x = &c->at[path[n]];

		for (uint32_t k = 0; k < x->n_members; k++)
			put(j, QUEUE_NEW, x->member[k]);
	}
	return true;
}

/* What may be taken out: compounds by themselves, or pairs. */
struct fits {
	uint32_t n, at[MOST_LOOKS][2]; /* the second of a pair; NONE */
};

static void add_fit(struct fits *fits, uint32_t first, uint32_t second)
{
	fits->at[fits->n][0] = first;
	fits->at[fits->n++][1] = second;
}

/* How many compounds are broken to take one out. */
static uint32_t depth_of(struct joiner *j, uint32_t i)
{
	uint32_t path[COMPOUNDS_DEEPEST], n = 0;

	if (i != NONE)
		mp_planner_compounds_around(&j->c, i, NONE, path, &n);
	return n;
}

/* Of a few by chance that for which the fewest are broken: more are mostly too
 * many. There is one at least. */
static const uint32_t *pick_fit(
	struct joiner *j, const struct fits *fits, uint32_t most_draws)
{
	uint32_t draws = fits->n > 1 ? 1 + below(j, most_draws) : 1;
	uint32_t least = UINT32_MAX;
	const uint32_t *best = NULL;

	assert(fits->n > 0);
	for (; draws > 0; draws--) {
		const uint32_t *fit = fits->at[below(j, fits->n)];
		uint32_t depth = depth_of(j, fit[0]) + depth_of(j, fit[1]);

		if (depth < least) {
			best = fit;
			least = depth;
		}
	}
	return best;
}

/* One of those that fit, wherever they are; NONE: none does. */
static uint32_t pick_partner(
	struct joiner *j, uint32_t i, const struct rule *rule)
{
	const struct compounds *c = &j->c;
	uint32_t other = first_of(c, ALL_ONES, &c->at[i], rule->list), n = 0;
	struct fits fits;

	fits.n = 0;
	for (; n < MOST_LOOKS && other != NONE; n++) {
		if (fit_by(j, i, other, rule))
			add_fit(&fits, other, NONE);
		other = c->links[ALL_ONES][other].in[rule->list].next;
	}
	j->c.looks += n + 1;
	return fits.n > 0 ? pick_fit(j, &fits, PARTNER_DRAWS)[0] : NONE;
}

static void take_partner(struct joiner *j, uint32_t i)
{
	const struct rule *rule = &rules[below(j, countof(rules))];
	uint32_t other = NONE, joined;

	if (!is_idle_rule(j, rule))
		other = pick_partner(j, i, rule);
	if (other == NONE || !take_out(j, other, i))
		return;
	joined = join_by(j, i, other, rule);
	put(j, QUEUE_NEW, joined == NONE ? i : joined);
}

/* What a first half needs beside it to be a partner by this rule: another of
 * one lifetime or of one size. False: the first is no half. */
static bool other_half(const struct compound *x, const struct compound *half,
	const struct rule *rule, struct compound *other)
{
	if (rule->how == JOIN_STACK) {
		*other = (struct compound){
			.start = half->end, .end = x->end, .size = half->size};
		return half->start == x->start && half->end < x->end;
	}
	*other = (struct compound){.start = half->start,
		.end = half->end,
		.size = x->size - half->size};
	return half->size < x->size &&
	       (rule->is_second ? half->end == x->start
				: half->start == x->end);
}

/* Two that are a partner together, wherever they are. */
static bool pick_pair(
	struct joiner *j, uint32_t i, const struct rule *rule, uint32_t pair[2])
{
	const struct compounds *c = &j->c;
	const struct compound *x = &c->at[i];
	enum compound_list list = rule->is_second ? OF_END : OF_START;
	uint32_t step =
		rule->how == JOIN_CHAIN && !rule->is_second ? x->end : x->start;
	uint32_t half = mp_planner_compounds_first(c, ALL_ONES, list, step, 0);
	struct fits fits;
	struct compound want;
	uint32_t n = 0;

	fits.n = 0;
	for (; half != NONE && n < PAIR_LOOKS && fits.n < MOST_LOOKS;
		half = c->links[ALL_ONES][half].in[list].next) {
		uint32_t other = NONE;

		if (other_half(x, &c->at[half], rule, &want) &&
			mp_planner_compounds_may_have(
				c, want.start, want.end, want.size))
			other = mp_planner_compounds_first(
				c, ALL_ONES, OF_SPAN, want.start, want.end);
		for (n++;
			other != NONE && n < PAIR_LOOKS && fits.n < MOST_LOOKS;
			n++) {
			const struct compound *y = &c->at[other];

			if (y->start == want.start && y->end == want.end &&
				y->size == want.size &&
				!mp_planner_compound_has_gap(y) &&
				other != half)
				add_fit(&fits, half, other);
			other = c->links[ALL_ONES][other].in[OF_SPAN].next;
		}
	}
	j->c.looks += n + 1;
	if (fits.n == 0)
		return false;
	memcpy(pair, pick_fit(j, &fits, PARTNER_DRAWS), sizeof(fits.at[0]));
	return true;
}

/* Puts two together that are wherever they are, and takes them as a partner. */
static void take_pair(struct joiner *j, uint32_t i)
{
	const struct rule *rule = &rules[below(j, countof(rules))];
	const struct compound *at = j->c.at;
	uint32_t pair[2], joined = NONE;

	if (rule->how == JOIN_FILL || mp_planner_compound_has_gap(&at[i]) ||
		!pick_pair(j, i, rule, pair))
		return;
	if (take_out(j, pair[0], i) && take_out(j, pair[1], i) &&
		at[pair[0]].live != NONE && at[pair[1]].live != NONE)
		joined = mp_planner_compounds_join(&j->c,
			rule->how == JOIN_STACK ? JOIN_CHAIN : JOIN_STACK,
			pair);
	if (joined != NONE) {
		put(j, QUEUE_NEW, joined);
		joined = join_by(j, i, joined, rule);
	}
	put(j, QUEUE_NEW, joined == NONE ? i : joined);
}

/* Takes the others of a pinwheel, wherever they are. */
static void take_wheel(struct joiner *j, uint32_t i)
{
	enum wheel_role role = (enum wheel_role)below(j, WHEEL_ROLES);
	const struct compound *at = j->c.at;
	uint32_t five[WHEEL_ROLES], joined = NONE;
	bool fine = true;

	if (!mp_planner_pinwheel_find(
		    &j->c, ALL_ONES, i, role, &j->random, five, &j->c.looks))
		return;
	for (int k = 0; k < WHEEL_ROLES && fine; k++)
		fine = five[k] == i || take_out(j, five[k], i);
	for (int k = 0; k < WHEEL_ROLES && fine; k++)
		fine = at[five[k]].live != NONE;
	if (fine)
		joined = mp_planner_compounds_join(&j->c, JOIN_PINWHEEL, five);
	put(j, QUEUE_NEW, joined == NONE ? i : joined);
}

/* One of those that begin at a step, or end there, by chance; NONE: none does.
 */
static uint32_t pick_at(
	struct joiner *j, enum compound_list list, uint32_t step)
{
	const struct compounds *c = &j->c;
	uint32_t i = mp_planner_compounds_first(c, ALL_ONES, list, step, 0);
	struct fits found;
	uint32_t n = 0;

	found.n = 0;
	for (; n < MOST_LOOKS && i != NONE; n++) {
		if (step == (list == OF_START ? c->at[i].start : c->at[i].end))
			add_fit(&found, i, NONE);
		i = c->links[ALL_ONES][i].in[list].next;
	}
	j->c.looks += n;
	return found.n > 0 ? pick_fit(j, &found, TAKE_DRAWS)[0] : NONE;
}

/* Takes out what begins or ends where the compound does, or where a piece does
 * that is left over, a few times. */
static void take_some(struct joiner *j, uint32_t i)
{
	const struct compounds *c = &j->c;
	uint32_t n = 1 + below(j, MOST_TAKEN);

	put(j, QUEUE_NEW, i);
	while (n-- > 0) {
		uint32_t near =
			j->queue[QUEUE_NEW][below(j, j->n_queue[QUEUE_NEW])];
		uint32_t step =
			below(j, 2) ? c->at[near].start : c->at[near].end;
		uint32_t other =
			pick_at(j, below(j, 2) ? OF_START : OF_END, step);

		if (other != NONE && take_out(j, other, NONE))
			put(j, QUEUE_NEW, other);
	}
}

/* Tries the rules in an order by chance, but mostly the surest first. */
static uint32_t try_any(struct joiner *j, uint32_t i)
{
	const struct compound *x = &j->c.at[i];
	uint32_t turn = below(j, countof(rules)), joined = NONE;
	bool stack_first = mp_planner_doubt_of(&j->doubts, x, JOIN_STACK) <
			   mp_planner_doubt_of(&j->doubts, x, JOIN_CHAIN);

	if (below(j, 4) == 0)
		stack_first = below(j, 2) == 0;
	for (uint32_t level = 0; level < AROUND; level++)
		for (uint32_t k = 0; k < countof(rules) && joined == NONE;
			k++) {
			const struct rule *rule =
				&rules[(k + turn) % countof(rules)];

			if (rule->level == (level ^ stack_first) &&
				!is_idle_rule(j, rule))
				joined = try_rule(j, i, rule);
		}
	if (joined == NONE && j->with_pinwheels)
		joined = try_pinwheels(j, i, WHEEL_UNDER);
	return joined;
}

/* Joins what is in the queue as long as a rule fits. */
static void join_again(struct joiner *j)
{
	uint32_t *queue = j->queue[QUEUE_NEW], joined;

	mp_prng_shuffle(&j->random, queue, j->n_queue[QUEUE_NEW]);
	while (j->n_queue[QUEUE_NEW] > 0) {
		uint32_t i = queue[--j->n_queue[QUEUE_NEW]];

		if (j->c.at[i].live == NONE)
			continue;
		joined = try_any(j, i);
		if (joined != NONE)
			put(j, QUEUE_NEW, joined);
	}
}

/* A join that often fits by chance is worth less: a repair does not give a rare
 * one away for two of these. */
static int64_t worth_of(const struct joiner *j, const struct compound *x)
{
	uint64_t doubt = mp_planner_doubt_of(&j->doubts, x, x->how);

	return (int64_t)((x->n_members - 1) * (uint64_t)WORTH * WORTH /
			 (WORTH + DOUBTED * doubt));
}

/* Since the last keep. */
static int64_t worth_gained(const struct joiner *j)
{
	const struct compounds *c = &j->c;
	int64_t gained = 0;

	for (uint32_t k = 0; k < c->n_done; k++) {
		int64_t worth = worth_of(j, &c->at[c->done[k].compound]);

		gained += c->done[k].broken ? -worth : worth;
	}
	return gained;
}

void mp_planner_joiner_repair(struct joiner *j, uint64_t heat)
{
	struct compounds *c = &j->c;
	uint32_t i = c->live[below(j, c->n_live)];

	j->with_pinwheels =
		below(j, j->has_wheels ? WHEELS_ONE_IN : PINWHEEL_ONE_IN) == 0;
	switch (below(j, j->has_wheels ? 2 * REPAIRS : REPAIRS)) {
	case 0:
		take_some(j, i);
		break;
	case 1:
	case 2:
	case 3:
		take_pair(j, i);
		break;
	case 4:
	case 5:
	case 6:
	case 7:
		take_partner(j, i);
		break;
	default:
		take_wheel(j, i);
	}
	join_again(j);
	if (worth_gained(j) + mp_planner_anneal_may_lose(&j->random, heat) >= 0)
		mp_planner_compounds_keep(c);
	else
		mp_planner_compounds_undo(c);
}

/* ------------------------------------------------------------- init */

bool mp_planner_joiner_init(struct joiner *j, const struct problem *problem,
	uint64_t seed, struct arena *arena)
{
	bool fine;

	*j = (struct joiner){.random = seed};
	fine = mp_planner_compounds_init(&j->c, problem, arena) &&
	       mp_planner_doubts_init(&j->doubts, j->c.n_buffers, arena);
	for (int queue = 0; fine && queue < JOIN_QUEUES; queue++) {
		j->queue[queue] =
			NEW(arena, uint32_t, j->c.room + MOST_TAKEN + 1);
		fine = j->queue[queue] != NULL;
	}
	j->ahead = fine ? NEW(arena, uint32_t, j->c.room) : NULL;
	return j->ahead != NULL;
}
