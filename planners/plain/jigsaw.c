/*
 * jigsaw: puts buffers together that fill a rectangle without a gap, and again
 * what comes of it (see compounds.h): building blocks (Eley, European Journal
 * of Operational Research 141(2), 2002), but only those without waste. A
 * problem that was cut out of one rectangle becomes one compound. What remains
 * is a problem with fewer and larger buffers, which auto plans. That plan is
 * made lower level by level: see rest.h.
 *
 * Two buffers may fit by chance. Such a compound fits nothing else, so it stays
 * live; and so does all that lacks the members that it took. Hence the repairs:
 * a live compound takes a partner that is buried in another one, or two that
 * are a partner together, or some that begin or end where others do are taken
 * out; what is left over is joined again. That is simulated annealing
 * (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983): a result stays if its joins
 * are worth as much as those before, or by chance, the less often the more
 * budget is spent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "base/sort.h"
#include "planners/plain/compounds.h"
#include "planners/plain/hang.h"
#include "planners/plain/pinwheel.h"
#include "planners/plain/rest.h"

enum {
	FEW_LOOKS = 24,	   /* at a list: there may be as many as buffers */
	MOST_LOOKS = 48,   /* likewise, where one is taken by chance */
	WORTH_IT = 3,	   /* buffers for each compound that is left */
	FEW_LEFT = 1000,   /* compounds are planned well as they are */
	FEW_OF_WHEELS = 6, /* with pinwheels this part of the buffers is few */
	AROUND = 2,	  /* after the levels of rules: pinwheels around one, */
	PINWHEELS = 3,	  /* or with it in any role */
	MOST_TAKEN = 8,	  /* out of compounds, in a repair */
	PAIR_LOOKS = 384, /* for two that are a partner together */
	PINWHEEL_ONE_IN = 32, /* repairs that try pinwheels too, */
	WHEELS_ONE_IN = 4,    /* where there are many; */
	HANG_SHARE = 8,	      /* of the budget, at most */
	KEPT_SHARE = 4,	      /* of the budget, for the rest */
	FEW_PLANNED = 256,    /* compounds at most: */
	REST_PLANS = 3,	      /* so many plans; of the share of each */
	REST_SHARE = 6,	      /* to find it, the others to make it lower */
	MANY_WHEELS = 64,     /* one for so many buffers, in the first pass */
	REPAIRS = 8,	      /* kinds, and as many again for pinwheels */
	WORTH = 256,	      /* of a join that is no chance */
	DOUBTED = 8,	      /* the more, the less a join in doubt is worth */
	HEAT = 150,	      /* worth that one of two may lose at first, */
	COLD = 50,	      /* and at last */
	DOUBLINGS = 3,	      /* of the work that shows whether it closes */
	ROUND_EACH = 20,      /* looks of a half in a round, for each buffer, */
	LEAST_ROUND = 20000,  /* but a third of a millisecond at least, */
	MOST_ROUND = 400000,  /* and so short that there are very many */
	MOST_HALVED = 50000,  /* buffers: more have too few repairs each */
	WINDOW_PARTS = 16,    /* the window moves by one at most */
	FEW_LIVE = 32,	      /* compounds */
	LEAST_AHEAD = 256,    /* compounds of a queue: fewer take less than
				 threads do */
	PATIENCE = 2000,      /* looks for each new compound of a round */
	ATTEMPT = 500,	      /* steps a buffer to search what is left, */
	ATTEMPTS = 16,	      /* twice as many after so many attempts */
	REGARDLESS = 4,	      /* of so many attempts one joins with any doubt */
	BUCKETS = 256	      /* of sizes or lifetimes: four an octave */
};

/* Matches by chance to be expected, in 256ths: joins of less doubt first. */
static const uint64_t doubts[] = {0, 1, 4, 16, 64, 256, UINT64_MAX};

/* Compounds for which rules are to be tried. Some are live no more. */
enum queue {
	NEW_ONES,
	THIS_ROUND,
	IDLE,
	QUEUES
};

struct jigsaw {
	struct job *job;
	struct compounds c;
	uint32_t *queue[QUEUES], n_queue[QUEUES];
	uint32_t *order, *spare; /* scratch: compounds */
	uint64_t *value;	 /* scratch */
	bool has_gaps;		 /* else rules for these find nothing */
	bool with_pinwheels;	 /* for this repair: they take many looks */
	bool by_chance;		 /* pass over what fits, now and then */
	bool regardless;	 /* of doubt: join as it comes */
	uint32_t n_wheels;	 /* pinwheels joined by the first pass */
	bool has_wheels;	 /* many: repairs look for more */
	/* How often a size or a lifetime of a bucket matches by chance. */
	uint64_t doubt_of_size[BUCKETS], doubt_of_life[BUCKETS];
	uint64_t doubt; /* that a join may have */
	uint64_t random;
};

static uint32_t below(struct jigsaw *j, uint32_t n)
{
	return (uint32_t)(mp_prng(&j->random) % n);
}

/* ------------------------------------------------------------ doubt */

/* Two buffers fit by chance the more often, the more of them have that size, or
 * that lifetime: small boxes have many like them. So what fits is joined by
 * ascending doubt. What is joined is larger, and in less doubt. */

static uint32_t bucket_of(uint64_t value)
{
	uint32_t octave = 63 - (uint32_t)__builtin_clzll(value | 4);

	return octave * 4 + (uint32_t)(value >> (octave - 2) & 3);
}

/* Of each bucket how many have one value, on average, times 256 over n_starts:
 * so many with that value begin at a step. The values are sorted by order. */
static void count_values(uint64_t doubt[BUCKETS], const uint32_t *order,
	const uint64_t *value, uint32_t n, uint32_t n_starts)
{
	uint32_t distinct[BUCKETS] = {0};

	memset(doubt, 0, sizeof(*doubt) * BUCKETS);
	for (uint32_t k = 0; k < n; k++) {
		uint64_t at = value[order[k]];
		uint32_t bucket = bucket_of(at);

		doubt[bucket]++;
		distinct[bucket] += k == 0 || value[order[k - 1]] != at;
	}
	for (uint32_t k = 0; k < BUCKETS; k++)
		if (distinct[k] > 0)
			doubt[k] = doubt[k] * 256 / distinct[k] / n_starts;
}

enum measure {
	STARTS,
	MIDDLES, /* twice */
	SIZES,
	LIVES
};

static uint64_t measure_of(const struct compound *x, enum measure measure)
{
	switch (measure) {
	case STARTS:
		return x->start;
	case MIDDLES:
		return (uint64_t)x->start + x->end;
	case SIZES:
		return x->size;
	case LIVES:
		break;
	}
	return x->end - x->start;
}

/* Into the order; of NULL: the first n. */
static void sort_by(struct jigsaw *j, const uint32_t *list, uint32_t n,
	enum measure measure)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = list ? list[k] : k;

		j->order[k] = i;
		j->value[i] = measure_of(&j->c.at[i], measure);
	}
	mp_sort_radix(j->order, j->spare, n, j->value);
}

static void find_doubts(struct jigsaw *j)
{
	uint32_t n = j->c.n_live, n_starts = 0;

	sort_by(j, j->c.live, n, STARTS);
	for (uint32_t k = 0; k < n; k++)
		n_starts += k == 0 ||
			    j->value[j->order[k]] != j->value[j->order[k - 1]];
	sort_by(j, j->c.live, n, SIZES);
	count_values(j->doubt_of_size, j->order, j->value, n, n_starts);
	sort_by(j, j->c.live, n, LIVES);
	count_values(j->doubt_of_life, j->order, j->value, n, n_starts);
}

static uint64_t doubt_of(
	const struct jigsaw *j, const struct compound *x, enum join how)
{
	if (how == JOIN_CHAIN)
		return j->doubt_of_size[bucket_of(x->size)];
	if (how == JOIN_STACK)
		return j->doubt_of_life[bucket_of(x->end - x->start)];
	return 0;
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

static bool fit_by(const struct jigsaw *j, uint32_t i, uint32_t other,
	const struct rule *rule)
{
	const struct compound *x = &j->c.at[i], *y = &j->c.at[other];

	return other != i &&
	       (rule->is_second ? fit(y, x, rule->how) : fit(x, y, rule->how));
}

static uint32_t join_by(
	struct jigsaw *j, uint32_t i, uint32_t other, const struct rule *rule)
{
	uint32_t pair[2] = {
		rule->is_second ? other : i, rule->is_second ? i : other};

	return mp_planner_compounds_join(&j->c, rule->how, pair);
}

/* The compound joined with one of a list; NONE: with none. Where both have
 * fixed offsets that agree, there is no doubt. */
static uint32_t try_rule(struct jigsaw *j, uint32_t i, const struct rule *rule)
{
	struct compounds *c = &j->c;
	uint32_t other = first_of(c, LIVE_ONES, &c->at[i], rule->list);
	uint32_t joined = NONE, n = 0, next;
	bool sure = doubt_of(j, &c->at[i], rule->how) <= j->doubt;

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

static bool is_idle_rule(const struct jigsaw *j, const struct rule *rule)
{
	return rule->how == JOIN_FILL && !j->has_gaps;
}

static uint32_t try_rules(struct jigsaw *j, uint32_t i, uint32_t level)
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
	const struct jigsaw *j, const uint32_t five[WHEEL_ROLES])
{
	static const enum wheel_role others[] = {
		WHEEL_UNDER, WHEEL_OVER, WHEEL_AFTER, WHEEL_BEFORE};
	uint64_t doubt = 256;

	for (uint32_t k = 0; k < countof(others); k++)
		doubt = doubt *
			doubt_of(j, &j->c.at[five[others[k]]],
				k < 2 ? JOIN_STACK : JOIN_CHAIN) /
			256;
	return doubt;
}

static bool find_pinwheel(const struct jigsaw *j, uint32_t i, int role,
	uint32_t five[WHEEL_ROLES], uint64_t *looks)
{
	return mp_planner_pinwheel_find(&j->c, LIVE_ONES, i,
		       (enum wheel_role)role, NULL, five, looks) &&
	       doubt_of_wheel(j, five) <= j->doubt;
}

/* With the compound in that role or a later one. */
static uint32_t try_pinwheels(struct jigsaw *j, uint32_t i, int role)
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
	struct jigsaw *j;
	enum queue queue;
	int role;
	uint32_t n_vain;    /* in turn */
	uint32_t from, end; /* of the queue; their looks are in the spare array,
			       NONE: a pinwheel is found */
};

static void look_ahead(void *context, uint32_t from, uint32_t to)
{
	const struct outlook *o = context;
	struct jigsaw *j = o->j;
	uint32_t five[WHEEL_ROLES];

	for (uint32_t k = from; k < to; k++) {
		uint32_t i = j->queue[o->queue][o->from + k];
		bool found = false;
		uint64_t looks = 0;

		if (j->c.at[i].live == NONE)
			continue;
		for (int role = o->role; role < WHEEL_ROLES && !found; role++)
			found = find_pinwheel(j, i, role, five, &looks);
		j->spare[k] = found ? NONE : (uint32_t)looks;
	}
}

static uint32_t try_next_pinwheels(struct outlook *o, uint32_t k)
{
	struct jigsaw *j = o->j;
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
	if (k < o->end && j->spare[k - o->from] != NONE) {
		j->c.looks += j->spare[k - o->from];
		return NONE;
	}
	o->end = 0;
	joined = try_pinwheels(j, j->queue[o->queue][k], o->role);
	if (joined != NONE)
		o->n_vain = 0;
	return joined;
}

/* ------------------------------------------------------------ joins */

static void put(struct jigsaw *j, enum queue queue, uint32_t i)
{
	j->queue[queue][j->n_queue[queue]++] = i;
}

/* Tries the rules of a level on all of a queue. What comes of it is new. Where
 * very many begin or end together, patience ends before the queue does. */
static void join_queue(struct jigsaw *j, enum queue queue, uint32_t level)
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

		if (j->c.at[i].live == NONE)
			continue;
		joined = level < AROUND ? try_rules(j, i, level)
					: try_next_pinwheels(&outlook, k);
		if (joined != NONE)
			put(j, NEW_ONES, joined);
	}
}

/* Swaps the new ones with those of another queue. */
static void swap_new(struct jigsaw *j, enum queue other)
{
	uint32_t *queue = j->queue[NEW_ONES], n = j->n_queue[NEW_ONES];

	j->queue[NEW_ONES] = j->queue[other];
	j->n_queue[NEW_ONES] = j->n_queue[other];
	j->queue[other] = queue;
	j->n_queue[other] = n;
}

/* Joins as long as a rule fits, with so much doubt. In rounds, so that what was
 * cut last is joined first; of the rules the surest first. A new compound tries
 * all that there were before, so they need not try again. The queue begins with
 * all that are live, so there each pinwheel has its middle. */
static void join_rounds(struct jigsaw *j)
{
	bool are_all = true;

	for (; j->n_queue[NEW_ONES] > 0; are_all = false) {
		swap_new(j, THIS_ROUND);
		j->n_queue[NEW_ONES] = 0;
		join_queue(j, THIS_ROUND, 0);
		join_queue(j, THIS_ROUND, 1);
		join_queue(j, THIS_ROUND, are_all ? AROUND : PINWHEELS);
		for (uint32_t k = 0; k < j->n_queue[THIS_ROUND]; k++)
			if (j->c.at[j->queue[THIS_ROUND][k]].live != NONE)
				put(j, IDLE, j->queue[THIS_ROUND][k]);
	}
}

/* Joins as long as a rule fits, at last with any doubt. */
static void join_all(struct jigsaw *j)
{
	uint32_t first = j->regardless ? countof(doubts) - 1 : 0;

	do {
		for (uint32_t k = first; k < countof(doubts); k++) {
			j->doubt = doubts[k];
			if (k > first)
				swap_new(j, IDLE);
			join_rounds(j);
		}
		join_queue(j, IDLE, AROUND);
		j->n_queue[IDLE] = 0;
	} while (j->n_queue[NEW_ONES] > 0);
}

/* ---------------------------------------------------------- repairs */

/* Makes a compound live. What is left of those that it was part of is put into
 * the queue. False: it lies too deep, or within the one that is to take it. */
static bool take_out(struct jigsaw *j, uint32_t i, uint32_t taker)
{
	struct compounds *c = &j->c;
	uint32_t path[COMPOUNDS_DEEPEST], n;

	if (!mp_planner_compounds_around(c, i, taker, path, &n))
		return false;
	while (n-- > 0) {
		const struct compound *x = &c->at[path[n]];

		mp_planner_compounds_break(c, path[n]);
		for (uint32_t k = 0; k < x->n_members; k++)
			put(j, NEW_ONES, x->member[k]);
	}
	return true;
}

/* One of those that fit, by chance, wherever they are; NONE: none does. */
static uint32_t pick_partner(
	struct jigsaw *j, uint32_t i, const struct rule *rule)
{
	const struct compounds *c = &j->c;
	uint32_t other = first_of(c, ALL_ONES, &c->at[i], rule->list);
	uint32_t fits[MOST_LOOKS], n_fits = 0, n = 0;

	for (; n < MOST_LOOKS && other != NONE; n++) {
		if (fit_by(j, i, other, rule))
			fits[n_fits++] = other;
		other = c->links[ALL_ONES][other].in[rule->list].next;
	}
	j->c.looks += n + 1;
	return n_fits > 0 ? fits[below(j, n_fits)] : NONE;
}

static void take_partner(struct jigsaw *j, uint32_t i)
{
	const struct rule *rule = &rules[below(j, countof(rules))];
	uint32_t other = NONE, joined;

	if (!is_idle_rule(j, rule))
		other = pick_partner(j, i, rule);
	if (other == NONE || !take_out(j, other, i))
		return;
	joined = join_by(j, i, other, rule);
	put(j, NEW_ONES, joined == NONE ? i : joined);
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

/* Two that are a partner together, by chance, wherever they are. */
static bool pick_pair(
	struct jigsaw *j, uint32_t i, const struct rule *rule, uint32_t pair[2])
{
	const struct compounds *c = &j->c;
	const struct compound *x = &c->at[i];
	enum compound_list list = rule->is_second ? OF_END : OF_START;
	uint32_t step =
		rule->how == JOIN_CHAIN && !rule->is_second ? x->end : x->start;
	uint32_t half = mp_planner_compounds_first(c, ALL_ONES, list, step, 0);
	uint32_t n_fits = 0, n = 0;
	struct compound want;

	for (; half != NONE && n < PAIR_LOOKS;
		half = c->links[ALL_ONES][half].in[list].next) {
		uint32_t other = NONE;

		if (other_half(x, &c->at[half], rule, &want))
			other = mp_planner_compounds_first(
				c, ALL_ONES, OF_SPAN, want.start, want.end);
		for (n++; other != NONE && n < PAIR_LOOKS; n++) {
			const struct compound *y = &c->at[other];

			if (y->start == want.start && y->end == want.end &&
				y->size == want.size &&
				!mp_planner_compound_has_gap(y) &&
				other != half && below(j, ++n_fits) == 0) {
				pair[0] = half;
				pair[1] = other;
			}
			other = c->links[ALL_ONES][other].in[OF_SPAN].next;
		}
	}
	j->c.looks += n + 1;
	return n_fits > 0;
}

/* Puts two together that are wherever they are, and takes them as a partner. */
static void take_pair(struct jigsaw *j, uint32_t i)
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
		put(j, NEW_ONES, joined);
		joined = join_by(j, i, joined, rule);
	}
	put(j, NEW_ONES, joined == NONE ? i : joined);
}

/* Takes the others of a pinwheel, wherever they are. */
static void take_wheel(struct jigsaw *j, uint32_t i)
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
	put(j, NEW_ONES, joined == NONE ? i : joined);
}

/* One of those that begin at a step, or end there, by chance; NONE: none does.
 */
static uint32_t pick_at(
	struct jigsaw *j, enum compound_list list, uint32_t step)
{
	const struct compounds *c = &j->c;
	uint32_t i = mp_planner_compounds_first(c, ALL_ONES, list, step, 0);
	uint32_t found[MOST_LOOKS], n_found = 0, n = 0;

	for (; n < MOST_LOOKS && i != NONE; n++) {
		if (step == (list == OF_START ? c->at[i].start : c->at[i].end))
			found[n_found++] = i;
		i = c->links[ALL_ONES][i].in[list].next;
	}
	j->c.looks += n;
	return n_found > 0 ? found[below(j, n_found)] : NONE;
}

/* Takes out what begins or ends where the compound does, or where a piece does
 * that is left over, a few times. */
static void take_some(struct jigsaw *j, uint32_t i)
{
	const struct compounds *c = &j->c;
	uint32_t n = 1 + below(j, MOST_TAKEN);

	put(j, NEW_ONES, i);
	while (n-- > 0) {
		uint32_t near =
			j->queue[NEW_ONES][below(j, j->n_queue[NEW_ONES])];
		uint32_t step =
			below(j, 2) ? c->at[near].start : c->at[near].end;
		uint32_t other =
			pick_at(j, below(j, 2) ? OF_START : OF_END, step);

		if (other != NONE && take_out(j, other, NONE))
			put(j, NEW_ONES, other);
	}
}

static void shuffle(struct jigsaw *j, uint32_t *list, uint32_t n)
{
	for (uint32_t k = n; k > 1; k--) {
		uint32_t at = below(j, k), i = list[at];

		list[at] = list[k - 1];
		list[k - 1] = i;
	}
}

/* Tries the rules in an order by chance, but mostly the surest first. */
static uint32_t try_any(struct jigsaw *j, uint32_t i)
{
	const struct compound *x = &j->c.at[i];
	uint32_t turn = below(j, countof(rules)), joined = NONE;
	bool stack_first =
		doubt_of(j, x, JOIN_STACK) < doubt_of(j, x, JOIN_CHAIN);

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
static void join_again(struct jigsaw *j)
{
	uint32_t *queue = j->queue[NEW_ONES], joined;

	shuffle(j, queue, j->n_queue[NEW_ONES]);
	while (j->n_queue[NEW_ONES] > 0) {
		uint32_t i = queue[--j->n_queue[NEW_ONES]];

		if (j->c.at[i].live == NONE)
			continue;
		joined = try_any(j, i);
		if (joined != NONE)
			put(j, NEW_ONES, joined);
	}
}

/* A join that often fits by chance is worth less: a repair does not give a rare
 * one away for two of these. */
static int64_t worth_of(const struct jigsaw *j, const struct compound *x)
{
	uint64_t doubt = doubt_of(j, x, x->how);

	return (int64_t)((x->n_members - 1) * (uint64_t)WORTH * WORTH /
			 (WORTH + DOUBTED * doubt));
}

/* Since the last keep. */
static int64_t worth_gained(const struct jigsaw *j)
{
	const struct compounds *c = &j->c;
	int64_t gained = 0;

	for (uint32_t k = 0; k < c->n_done; k++) {
		int64_t worth = worth_of(j, &c->at[c->done[k].compound]);

		gained += c->done[k].broken ? -worth : worth;
	}
	return gained;
}

static void repair(struct jigsaw *j, uint64_t heat)
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
	if (worth_gained(j) + mp_planner_compounds_may_lose(&j->random, heat) >=
		0)
		mp_planner_compounds_keep(c);
	else
		mp_planner_compounds_undo(c);
}

/* How many compounds a sixteenth of the budget is to leave, and how it goes. */
struct aim {
	uint64_t most;
	uint64_t spent;	    /* when it is looked at again */
	uint32_t doublings; /* of that, until it is a sixteenth */
	uint32_t live;	    /* when it was looked at last */
};

/* As often as the work doubles, about as many compounds go, or fewer. */
static bool is_out_of_reach(struct aim *aim, uint32_t live, uint64_t spent)
{
	uint64_t gone = aim->live - num_min(aim->live, live);
	uint64_t most = aim->most + gone * aim->doublings;

	if (spent <= aim->spent)
		return false;
	aim->live = live;
	if (aim->doublings > 0) {
		aim->doublings--;
		aim->spent *= 2;
	}
	return live > most;
}

/* Repairs run in rounds. In a round the live compounds are in two halves, by
 * where their middles lie in time; each half is repaired as if there were no
 * other, so both may be repaired at the same time. Where the halves meet moves
 * from round to round; a window in time that goes round at the end.
 *
 * Few compounds have too much in common for that. Then it takes luck, and there
 * is as much of it in two copies as in one that is repaired twice as often. */
struct halves {
	struct jigsaw *half[2];
	bool are_copies;
	struct compound_chain left[2];	 /* by a half, for the other, */
	struct compound_chain handed[2]; /* which has them now */
	uint32_t at;			 /* of the buffers, in order */
	uint64_t from, to; /* twice the middles of the first half; from is
			      greater: those are of the second */
	uint64_t heat, most_looks;
};

static bool is_in_half(
	const struct halves *h, const struct compound *x, uint32_t i)
{
	uint64_t middle = measure_of(x, MIDDLES);
	bool is_first = h->from <= h->to ? h->from <= middle && middle < h->to
					 : h->from <= middle || middle < h->to;

	return is_first == (i == 0);
}

/* A half in a round. What belongs to the other half in the next round is left
 * to it. */
static bool repair_half(void *context, uint32_t i)
{
	struct halves *h = context;
	struct jigsaw *j = h->half[i];
	struct compounds *c = &j->c;

	mp_planner_compounds_receive(c, &h->handed[i]);
	while (c->n_live > 1 && mp_planner_compounds_looks(c) < h->most_looks)
		repair(j, h->heat);
	for (uint32_t k = h->are_copies ? 0 : c->n_live; k-- > 0;)
		if (!is_in_half(h, &c->at[c->live[k]], i))
			mp_planner_compounds_hand(c, c->live[k], &h->left[i]);
	return false;
}

static uint32_t count_live(const struct halves *h)
{
	uint32_t n = h->half[0]->c.n_live, other = h->half[1]->c.n_live;

	return h->are_copies ? (uint32_t)num_min(n, other)
			     : n + other + h->left[0].n + h->left[1].n;
}

/* Each has the middles of half of the buffers; of very many all are in the
 * first. */
static void move_window(struct halves *h)
{
	struct jigsaw *j = h->half[0];
	uint32_t n = j->c.n_buffers, end;

	h->from = 0;
	h->to = UINT64_MAX;
	if (n > MOST_HALVED)
		return;
	h->at = (h->at + below(j, n / WINDOW_PARTS + 1)) % n;
	end = (h->at + n / 2) % n;
	h->from = measure_of(&j->c.at[j->order[h->at]], MIDDLES);
	h->to = measure_of(&j->c.at[j->order[end]], MIDDLES);
}

/* All in the first. */
static void unite(struct halves *h)
{
	struct compounds *c = &h->half[0]->c;

	mp_planner_compounds_receive(c, &h->left[0]);
	mp_planner_compounds_receive(c, &h->left[1]);
	mp_planner_compounds_unite(c, &h->half[1]->c);
}

static bool make_copies(struct halves *h, struct arena *arena)
{
	unite(h);
	h->are_copies = true;
	return mp_planner_compounds_copy(&h->half[0]->c, &h->half[1]->c, arena);
}

static void begin_round(struct halves *h)
{
	h->handed[0] = h->left[1];
	h->handed[1] = h->left[0];
	h->left[0] = h->left[1] = (struct compound_chain){.first = NONE};
	mp_planner_compounds_level(&h->half[0]->c, &h->half[1]->c);
	move_window(h);
}

/* A quarter of the budget is for the rest. Not worth it: a sixteenth of it
 * leaves more than half of the compounds, and too many to be searched, or that
 * can be seen before. With fixed offsets it goes on, as the other rows are far
 * off. False: memory is out. */
static bool repair_all(struct halves *h, struct job *job, bool *worth_it)
{
	bool is_pinned = h->half[0]->c.pins.n_leaves > 0;
	uint64_t all = job->steps, kept = all / KEPT_SHARE;
	uint64_t round = (uint64_t)ROUND_EACH * h->half[0]->c.n_buffers;
	uint32_t n_live = count_live(h);
	uint32_t n_few = h->half[0]->has_wheels
				 ? h->half[0]->c.n_buffers / FEW_OF_WHEELS
				 : 0;
	struct aim aim = {.most = num_max(num_max(n_live / 2, n_few), FEW_LEFT),
		.spent = all / 16 >> DOUBLINGS,
		.doublings = DOUBLINGS,
		.live = n_live};

	round = num_min(num_max(round, LEAST_ROUND), MOST_ROUND);
	while (n_live > 1 && *worth_it && job->steps > kept &&
		!job->cut_short) {
		uint64_t left = job->steps - kept, spent = all - job->steps;

		h->heat = COLD + (HEAT - COLD) * left / (all - kept);
		if (aim.spent >= spent)
			left = num_min(left, aim.spent - spent + 1);
		h->most_looks = num_min(left / 2 * LOOKS_A_STEP, round);
		if (!h->are_copies && n_live < FEW_LIVE &&
			!make_copies(h, job->arena))
			return false;
		if (!h->are_copies)
			begin_round(h);
		mp_threads_run(job->threads,
			h->half[1]->c.n_live + h->handed[1].n > 0 ? 2 : 1,
			repair_half, h);
		mp_planner_compounds_charge(&h->half[0]->c, job);
		mp_planner_compounds_charge(&h->half[1]->c, job);
		n_live = count_live(h);
		*worth_it = is_pinned ||
			    !is_out_of_reach(&aim, n_live, all - job->steps);
	}
	return true;
}

/* Both as one, then one again. False: memory is out. */
static bool repair_in_halves(struct jigsaw *j, bool *worth_it)
{
	struct jigsaw other;
	struct halves h = {.half = {j, &other},
		.left = {{.first = NONE}, {.first = NONE}},
		.handed = {{.first = NONE}, {.first = NONE}}};

	j->doubt = UINT64_MAX;
	other = *j;
	if (!mp_planner_compounds_part(&j->c, &other.c, j->job->arena))
		return false;
	other.queue[NEW_ONES] = j->queue[IDLE];
	other.random = mp_prng(&j->random);
	sort_by(j, NULL, j->c.n_buffers, MIDDLES);
	if (!repair_all(&h, j->job, worth_it))
		return false;
	if (!h.are_copies)
		unite(&h);
	else if (other.c.n_live < j->c.n_live)
		j->c = other.c;
	return true;
}

/* -------------------------------------------------------------- row */

static bool jigsaw_init(struct jigsaw *j, struct job *job)
{
	struct arena *arena = job->arena;
	bool fine;

	*j = (struct jigsaw){.job = job, .random = job->seed};
	fine = mp_planner_compounds_init(&j->c, job->problem, arena);
	for (int queue = 0; fine && queue < QUEUES; queue++) {
		j->queue[queue] =
			NEW(arena, uint32_t, j->c.room + MOST_TAKEN + 1);
		fine = j->queue[queue] != NULL;
	}
	j->order = NEW(arena, uint32_t, j->c.room);
	j->spare = NEW(arena, uint32_t, j->c.room);
	j->value = NEW(arena, uint64_t, j->c.room);
	return fine && j->order && j->spare && j->value;
}

/* Few are left that may lie anywhere, and some were joined. */
static bool is_worth_it(const struct jigsaw *j)
{
	const struct compounds *c = &j->c;
	uint32_t n_free = 0;

	for (uint32_t k = 0; k < c->n_live; k++)
		n_free += c->at[c->live[k]].n_bases == 0;
	return n_free <= c->n_buffers / WORTH_IT &&
	       c->n_live <= c->n_buffers / 2;
}

/* Joins what there is. By chance it goes through the buffers in another order,
 * and passes over what fits, now and then. */
static bool join_buffers(struct jigsaw *j)
{
	for (uint32_t i = 0; i < j->c.n_buffers; i++) {
		put(j, NEW_ONES, i);
		j->has_gaps |= mp_planner_compound_has_gap(&j->c.at[i]);
	}
	if (j->by_chance)
		shuffle(j, j->queue[NEW_ONES], j->n_queue[NEW_ONES]);
	if (!j->regardless)
		find_doubts(j);
	join_all(j);
	j->has_wheels = j->n_wheels > j->c.n_buffers / MANY_WHEELS;
	mp_planner_compounds_keep(&j->c);
	return mp_planner_compounds_charge(&j->c, j->job);
}

/* Not worth it: more is left than the rows after this one plan well. False:
 * memory is out. */
static bool join_and_repair(struct jigsaw *j, bool *worth_it)
{
	*worth_it = join_buffers(j) && is_worth_it(j);
	return !*worth_it || repair_in_halves(j, worth_it);
}

/* The problem without its fixed offsets. */
static bool let_go(const struct problem *problem, struct arena *arena,
	struct problem *free)
{
	struct buffer *buffers = NEW(arena, struct buffer, problem->n_buffers);

	*free = *problem;
	free->buffers = buffers;
	if (!buffers)
		return false;
	memcpy(buffers, problem->buffers,
		sizeof(*buffers) * problem->n_buffers);
	for (uint32_t i = 0; i < free->n_buffers; i++)
		buffers[i].offset = NO_OFFSET;
	return true;
}

static bool has_pins(const struct problem *problem)
{
	bool has = false;

	for (uint32_t i = 0; i < problem->n_buffers; i++)
		has |= problem->buffers[i].offset != NO_OFFSET;
	return has;
}

/* Few fixed offsets say little of a compound until it is large. So first all
 * are joined as if there were none, and what is then one whole is put in an
 * order that keeps them. It takes little, and costs nothing in vain. False:
 * memory is out. */
static bool join_and_hang(struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	struct job own = *job;
	struct problem free;
	struct jigsaw j;
	bool fine, worth_it, found = false;

	own.problem = &free;
	own.steps /= HANG_SHARE;
	if (!offsets || !let_go(job->problem, job->arena, &free) ||
		!jigsaw_init(&j, &own))
		return false;
	fine = join_and_repair(&j, &worth_it);
	if (fine && j.c.n_live == 1)
		fine = mp_planner_hang(
			&j.c, j.c.live[0], job->problem, &own, offsets, &found);
	job->spent = own.spent;
	job->cut_short |= own.cut_short;
	if (fine && found)
		fine = mp_planner_job_offer(job, offsets);
	mp_arena_rewind(job->arena, mark);
	return fine;
}

/* Is another plan worth it? */
static bool is_far(const struct job *job)
{
	return job->steps > 0 && !job->cut_short &&
	       !mp_planner_job_near(job, 64);
}

/* How low a plan gets is decided by how it begins, so there are a few, until
 * one is near. Where more is left one takes all that the budget has. Where
 * fixed offsets keep most in place no plan gets lower. False: memory is out, or
 * a row fails. */
static bool plan_rest(struct jigsaw *j, bool is_pinned)
{
	uint32_t n = j->c.n_live <= FEW_PLANNED ? REST_PLANS : 1;
	struct job *job = j->job, own = *job;

	if (is_pinned)
		return mp_planner_rest_plan(
			&j->c, job, mp_planner_auto_run, &own);
	for (uint32_t k = 0; k < n && (k == 0 || is_far(job)); k++) {
		uint64_t steps = job->steps / (n - k);

		own = *job;
		own.seed += k;
		own.steps = steps / REST_SHARE;
		if (!mp_planner_rest_plan(
			    &j->c, job, mp_planner_auto_run, &own) ||
			!mp_planner_rest_refine(&j->c, job, &own,
				steps - num_min(steps, own.spent)))
			return false;
	}
	return true;
}

enum outcome mp_planner_jigsaw_run(struct job *job, int variant)
{
	bool is_pinned = has_pins(job->problem), worth_it;
	struct jigsaw j;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return PLAN_GAVE_UP;
	if (!mp_planner_compounds_suit(job->problem))
		return mp_planner_job_decline(job,
			"takes one stream and one block a buffer, with a gap "
			"in its lifetime at most");
	if (is_pinned && !join_and_hang(job))
		return PLAN_FAILED;
	if (mp_planner_job_done(job))
		return mp_planner_job_outcome(job);
	if (!jigsaw_init(&j, job))
		return PLAN_FAILED;
	if (!join_and_repair(&j, &worth_it))
		return PLAN_FAILED;
	/* By name it plans whatever is left; auto has plans of its own. */
	if (!worth_it && job->height != UINT64_MAX)
		return PLAN_GAVE_UP;
	if (!mp_planner_rest_fit(&j.c, job))
		return PLAN_FAILED;
	if (!plan_rest(&j, is_pinned))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}

/* ------------------------------------------------------------ joins */

/* Every so many attempts without regard to doubt; the first not by chance. */
static bool join_anew(struct jigsaw *j, uint32_t attempt)
{
	j->by_chance = attempt > 0;
	j->regardless = attempt % REGARDLESS == REGARDLESS - 1;
	return join_buffers(j) && j->c.n_live <= j->c.n_buffers / 4 * 3;
}

/* Searches what the joins leave for the smallest plan; for a while only for one
 * at the bound or within the capacity. */
static bool search_rest(struct jigsaw *j, uint32_t attempt, bool for_a_while)
{
	uint64_t steps = (uint64_t)ATTEMPT * j->c.n_buffers;
	struct job own = *j->job;

	own.seed += attempt;
	if (for_a_while) {
		steps <<= num_min(attempt / ATTEMPTS, 32);
		own.steps = num_min(own.steps, steps);
		if (own.capacity == UINT64_MAX)
			own.capacity = own.lower_bound;
	}
	return mp_planner_rest_plan(&j->c, j->job, mp_planner_search_run, &own);
}

/* How long search takes has a heavy tail, and it takes little if the joins are
 * right: so there are many short attempts. The last quarter of the budget is
 * for the smallest plan that the first joins allow. */
static bool try_again(struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t kept = job->steps / 4, random = job->seed;
	bool fine = true, worth_it = true, last = false;
	struct jigsaw j;

	for (uint32_t k = 0;
		fine && worth_it && !last && mp_planner_job_step(job, 1) &&
		!mp_planner_job_done(job);
		k++) {
		last = job->steps <= kept;
		if (!jigsaw_init(&j, job))
			return false;
		j.random = random;
		worth_it = join_anew(&j, last ? 0 : k);
		fine = !worth_it || search_rest(&j, k, !last);
		random = j.random;
		mp_arena_rewind(job->arena, mark);
	}
	return fine;
}

enum outcome mp_planner_joins_run(struct job *job, int variant)
{
	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!mp_planner_compounds_suit(job->problem))
		return mp_planner_job_decline(job, TOO_MANY_TO_JOIN);
	if (job->height == UINT64_MAX &&
		mp_planner_dive_run(job, 0) == PLAN_FAILED)
		return PLAN_FAILED;
	if (!try_again(job))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
