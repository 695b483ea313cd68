/*
 * What the in-place pairs would cost that a plan has not taken. Each of them is
 * forced: a plan is made in which it is taken, with the other pairs chosen
 * anew.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/pair-search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"

enum {
	MOST_PRICED = 16,  /* pairs */
	MOST_FREE = 8,	   /* pairs of which all choices are tried, */
	MOST_PARTS = 4096, /* if these have so many parts together; */
	MOST_TRIES = 8,	   /* else: changes of one pair */
};

/* A pair that is permitted and not taken. */
struct untaken {
	uint64_t load;	/* of its step, if it were */
	uint64_t bytes; /* that the two tensors would share */
	uint32_t pair;
};

struct pricing {
	memplan *m;
	struct run run;
	const struct order_job *order;
	const struct schedule *schedule; /* of the plan */
	struct untaken *untaken;	 /* most promising first */
	uint32_t n_untaken, n_priced;
	uint64_t bound; /* no plan is smaller, whichever pairs it takes */
};

/* --------------------------------------------------- most promising */

static uint64_t bytes_of(const struct schedule *s, uint32_t i)
{
	const struct tensor *tensors = s->graph->tensors;

	return num_min(mp_graph_tensor_rounded(
			       s->graph, &tensors[s->inplace[i].output]),
		mp_graph_tensor_rounded(
			s->graph, &tensors[s->inplace[i].input]));
}

static bool is_untaken(const struct inplace_outcome *pair)
{
	return mp_schedule_may_share(pair) && pair->verdict != INPLACE_SHARED;
}

/* Of each tensor, the pair that is taken and has it as its output, and as its
 * input; NONE if there is none. */
struct takers {
	uint32_t *of_output, *of_input;
};

static bool find_takers(const struct pricing *p, struct takers *takers)
{
	const struct schedule *s = p->schedule;
	uint32_t n = s->graph->n_tensors;

	takers->of_output = NEW(&p->m->run, uint32_t, n);
	takers->of_input = NEW(&p->m->run, uint32_t, n);
	if (!takers->of_output || !takers->of_input)
		return false;
	for (uint32_t t = 0; t < n; t++)
		takers->of_output[t] = takers->of_input[t] = NONE;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		if (s->inplace[i].verdict != INPLACE_SHARED)
			continue;
		takers->of_output[s->inplace[i].output] = i;
		takers->of_input[s->inplace[i].input] = i;
	}
	return true;
}

/* The load of the pair's step if it took the place of those that it rules
 * out. */
static uint64_t load_with(const struct schedule *s, const struct takers *takers,
	uint32_t i, uint32_t step)
{
	uint32_t one = takers->of_output[s->inplace[i].output];
	uint32_t other = takers->of_input[s->inplace[i].input];
	uint64_t load = s->problem.load[step];

	load += one != NONE ? bytes_of(s, one) : 0;
	load += other != NONE && other != one ? bytes_of(s, other) : 0;
	return load - num_min(load, bytes_of(s, i));
}

static int by_promise(const void *one, const void *other)
{
	const struct untaken *a = one, *b = other;

	return mp_sort_compare_three(
		a->load, b->load, b->bytes, a->bytes, a->pair, b->pair);
}

static bool list_untaken(struct pricing *p)
{
	const struct schedule *s = p->schedule;
	struct takers takers;
	uint32_t step = 0;

	p->untaken = NEW(&p->m->run, struct untaken, s->n_inplace);
	if (!p->untaken || !find_takers(p, &takers))
		return false;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		while (s->order[step] != s->inplace[i].op)
			step++;
		if (is_untaken(&s->inplace[i]))
			p->untaken[p->n_untaken++] =
				(struct untaken){load_with(s, &takers, i, step),
					bytes_of(s, i), i};
	}
	qsort(p->untaken, p->n_untaken, sizeof(*p->untaken), by_promise);
	p->n_priced = (uint32_t)num_min(p->n_untaken, MOST_PRICED);
	return true;
}

/* ----------------------------------------------------------- prices */

/* The pair is taken if what it meets is left apart: then nothing else wants its
 * tensors, for an input dies at one op, and an output is made by one. */
static void force(const struct pricing *p, uint32_t pair, bool *left)
{
	const struct inplace_outcome *at = p->schedule->inplace;

	for (uint32_t i = 0; i < p->schedule->n_inplace; i++)
		left[i] = i != pair && mp_schedule_may_share(&at[i]) &&
			  mp_street_pairs_meet(&at[i], &at[pair]);
}

/* The plan's own choice but for the pair, then others. */
static bool look_around(
	const struct pricing *p, struct pair_search *search, uint64_t bound)
{
	const struct inplace_outcome *at = p->schedule->inplace;

	if (search->arena <= bound)
		return true;
	for (uint32_t i = 0; i < p->schedule->n_inplace; i++)
		search->left[i] |=
			at[i].verdict == INPLACE_LEFT && i != search->forced;
	return mp_street_try_pairs(search, 1) &&
	       (search->arena <= bound ||
		       mp_street_search_pairs(search, bound));
}

static uint32_t most_free(const struct problem *problem)
{
	uint32_t n = MOST_FREE;

	while (n > 0 && (uint64_t)problem->n_parts << n > MOST_PARTS)
		n--;
	return n;
}

/* Plans with the pair. A price of UINT64_MAX: no plan was found. */
static bool price(struct pricing *p, uint32_t pair, struct pair_price *price,
	bool *cut_short)
{
	struct pair_search search =
		mp_street_pair_search(p->m, &p->run, p->order, p->schedule);
	const struct schedule *forced;
	struct job job;
	uint64_t bound;

	if (!search.left)
		return false;
	force(p, pair, search.left);
	search.run.left = search.left;
	forced = mp_street_schedule(
		p->m, &search.run, p->order, search.alternative);
	if (!forced || !mp_street_plan(p->m, &search.run, &forced->problem,
			       p->n_priced, &job))
		return false;
	assert(forced->inplace[pair].verdict == INPLACE_SHARED);
	search.first = forced;
	search.forced = pair;
	search.share = p->n_priced;
	search.most_free = most_free(&forced->problem);
	search.most_tries = MOST_TRIES;
	search.arena = job.height;
	search.least = job.lower_bound;
	search.whole = !job.cut_short;
	bound = num_max(p->bound, mp_schedule_pairs_bound(forced));
	if (!look_around(p, &search, bound))
		return false;
	*price = (struct pair_price){
		pair, num_max(bound, search.least), search.arena};
	*cut_short = !search.whole;
	return true;
}

static bool price_all(struct pricing *p, struct pair_prices *prices)
{
	struct pair_price *at = NEW(&p->m->run, struct pair_price, p->n_priced);
	bool cut_short = false;

	prices->at = at;
	for (uint32_t i = 0; at && i < p->n_priced && !cut_short; i++) {
		struct arena_mark mark = mp_arena_mark(&p->m->run);

		if (!price(p, p->untaken[i].pair, &at[prices->n], &cut_short))
			return false;
		mp_arena_rewind(&p->m->run, mark);
		prices->n += at[prices->n].arena != UINT64_MAX;
	}
	prices->n_unpriced = p->n_untaken - prices->n;
	return at != NULL;
}

/* A plan that was read has its pairs, and so have offsets that the input fixes.
 * Of several memories a plan is of one choice. */
static bool has_choice(const memplan *m)
{
	const struct schedule *s = m->plan.schedule;

	return m->has_plan && !s->graph->claims.present && !s->problem.pools &&
	       !mp_problem_is_given(&s->problem);
}

bool mp_street_price_pairs(
	memplan *m, const struct run *run, const struct order_job *order)
{
	const struct plan *plan = &m->plan;
	struct pricing p = {m, *run, order, plan->schedule, NULL, 0, 0,
		plan->pairs_bound > 0 ? plan->pairs_bound : plan->lower_bound};
	struct pair_prices *prices;

	if (!has_choice(m))
		return true;
	p.run.capacity = UINT64_MAX;
	prices = NEW(&m->run, struct pair_prices, 1);
	if (!prices || !list_untaken(&p))
		return false;
	prices->schedule = plan->schedule;
	prices->arena = plan->arena_size;
	m->results.prices = prices;
	return price_all(&p, prices);
}
