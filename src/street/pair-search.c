/*
 * Where few pairs matter every choice is planned, or ruled out by its load;
 * else a few are changed, one at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/pair-search.h"

#include <assert.h>
#include <string.h>

struct pair_search mp_street_pair_search(memplan *m, const struct run *run,
	const struct order_job *order, const struct schedule *first)
{
	struct pair_search search = {.m = m,
		.run = *run,
		.order = order,
		.first = first,
		.forced = NONE,
		.share = 1,
		.left = NEW(&m->run, bool, first->n_inplace),
		.arena = UINT64_MAX,
		.least = UINT64_MAX,
		.whole = true};

	assert(!first->problem.pools);
	while (order->alternatives[search.alternative] != first->order)
		search.alternative++;
	return search;
}

bool mp_street_pairs_meet(
	const struct inplace_outcome *a, const struct inplace_outcome *b)
{
	return a->op == b->op &&
	       (a->output == b->output || a->input == b->input);
}

/* Of each tensor, the pairs that may be taken and have it as their output, and
 * as their input. An output is made by one op, and an input that may be taken
 * over dies at one: two such pairs are of one op. */
struct wanted {
	uint32_t *as_output, *as_input;
};

static bool count_wanted(
	const struct pair_search *search, struct wanted *wanted)
{
	const struct schedule *s = search->first;
	struct arena *arena = &search->m->run;
	uint32_t n_tensors = s->graph->n_tensors;

	wanted->as_output = NEW(arena, uint32_t, n_tensors);
	wanted->as_input = NEW(arena, uint32_t, n_tensors);
	if (!wanted->as_output || !wanted->as_input)
		return false;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		bool may = mp_schedule_may_share(&s->inplace[i]);

		wanted->as_output[s->inplace[i].output] += may;
		wanted->as_input[s->inplace[i].input] += may;
	}
	return true;
}

/* Without the pair, the load of its step alone is no less than the arena. */
static bool is_settled(const struct pair_search *search,
	const struct wanted *wanted, uint32_t i, uint32_t step)
{
	const struct schedule *s = search->first;
	const struct tensor *tensors = s->graph->tensors;
	const struct inplace_outcome *pair = &s->inplace[i];
	uint64_t bytes = num_min(
		mp_graph_tensor_rounded(s->graph, &tensors[pair->output]),
		mp_graph_tensor_rounded(s->graph, &tensors[pair->input]));

	return !s->problem.choice && wanted->as_output[pair->output] == 1 &&
	       wanted->as_input[pair->input] == 1 &&
	       s->problem.load[step] + bytes >= search->arena;
}

/* The forced pair and those that it rules out. */
static bool is_forced(const struct pair_search *search, uint32_t i)
{
	const struct inplace_outcome *at = search->first->inplace;

	return search->forced != NONE &&
	       (i == search->forced ||
		       mp_street_pairs_meet(&at[i], &at[search->forced]));
}

/* Pairs stand in the order of the steps. */
static bool find_free(struct pair_search *search)
{
	const struct schedule *s = search->first;
	struct wanted wanted;
	uint32_t step = 0;

	search->free = NEW(&search->m->run, uint32_t, s->n_inplace);
	if (!search->free || !count_wanted(search, &wanted))
		return false;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		while (s->order[step] != s->inplace[i].op)
			step++;
		search->left[i] = mp_schedule_may_share(&s->inplace[i]) &&
				  s->inplace[i].verdict != INPLACE_SHARED;
		if (mp_schedule_may_share(&s->inplace[i]) &&
			!is_forced(search, i) &&
			!is_settled(search, &wanted, i, step))
			search->free[search->n_free++] = i;
	}
	return true;
}

bool mp_street_try_pairs(struct pair_search *search, uint32_t share)
{
	memplan *m = search->m;
	struct arena_mark mark = mp_arena_mark(&m->run);
	uint64_t before = search->arena;
	struct schedule *schedule;
	struct job job;

	search->run.left = search->left;
	schedule = mp_street_schedule(
		m, &search->run, search->order, search->alternative);
	if (!schedule)
		return false;
	if (schedule->problem.theoretical_min < before) {
		if (!mp_street_plan(m, &search->run, &schedule->problem,
			    search->share * share, &job))
			return false;
		search->least = num_min(search->least, job.lower_bound);
		search->whole &= !job.cut_short;
		search->arena = num_min(search->arena, job.height);
	}
	if (search->arena < before && search->keeps &&
		search->arena < m->plan.arena_size)
		mp_street_keep(m, &search->run, schedule, &job);
	else
		mp_arena_rewind(&m->run, mark);
	return true;
}

static bool is_matching(const struct pair_search *search, uint32_t taken)
{
	const struct inplace_outcome *at = search->first->inplace;
	const uint32_t *free = search->free;

	for (uint32_t a = 0; a < search->n_free; a++)
		for (uint32_t b = 0; b < a; b++)
			if ((taken >> a & taken >> b & 1) &&
				mp_street_pairs_meet(
					&at[free[a]], &at[free[b]]))
				return false;
	return true;
}

static bool try_all(struct pair_search *search, uint64_t bound)
{
	uint32_t n = 1u << search->n_free;

	for (uint32_t taken = 0;
		taken < n && search->whole && search->arena > bound; taken++) {
		if (!is_matching(search, taken))
			continue;
		for (uint32_t i = 0; i < search->n_free; i++)
			search->left[search->free[i]] = !(taken >> i & 1);
		if (!mp_street_try_pairs(search, n))
			return false;
	}
	return true;
}

/* Takes the free pair i or leaves it apart. What it meets is then left. */
static void change(struct pair_search *search, uint32_t i)
{
	const struct inplace_outcome *at = search->first->inplace;
	uint32_t pair = search->free[i];

	search->left[pair] = !search->left[pair];
	for (uint32_t k = 0; k < search->n_free; k++)
		if (k != i && !search->left[pair] &&
			mp_street_pairs_meet(&at[search->free[k]], &at[pair]))
			search->left[search->free[k]] = true;
}

static bool try_some(struct pair_search *search)
{
	uint32_t n = search->first->n_inplace;
	uint32_t tries = (uint32_t)num_min(search->n_free, search->most_tries);
	bool *best =
		mp_arena_copy(&search->m->run, search->left, n, sizeof(*best));

	for (uint32_t i = 0; best && i < tries && search->whole; i++) {
		uint64_t before = search->arena;

		change(search,
			(uint32_t)((uint64_t)i * search->n_free / tries));
		if (!mp_street_try_pairs(search, search->most_tries))
			return false;
		if (search->arena < before)
			memcpy(best, search->left, n * sizeof(*best));
		else
			memcpy(search->left, best, n * sizeof(*best));
	}
	return best != NULL;
}

bool mp_street_search_pairs(struct pair_search *search, uint64_t bound)
{
	bool few;

	if (!find_free(search))
		return false;
	few = search->n_free <= search->most_free;
	if (search->n_free == 0)
		return true;
	if (!(few ? try_all(search, bound) : try_some(search)))
		return false;
	/* Of what was not tried only the load is known. */
	if (!few || !search->whole || search->arena <= bound)
		search->least = num_min(search->least, bound);
	return true;
}
