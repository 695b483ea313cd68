/*
 * Which in-place pairs to take so that the arena is small. The lifetime stage
 * takes those with which every load is least. But a pair ties two tensors to
 * one offset, so where a plan ends above the load another choice may be
 * smaller.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/pair-search.h"

#include <assert.h>

enum {
	MOST_FREE = 8,	 /* pairs of which all choices are tried */
	MOST_TRIES = 16, /* else: changes of one pair */
};

/* A plan that was read is of the choice that it has, and so are offsets that
 * the input fixes. */
static bool is_enough(const struct plan *plan, uint64_t capacity)
{
	return plan->pairs_bound == 0 || plan->cut_short ||
	       plan->schedule->graph->claims.present ||
	       mp_problem_is_given(plan->problem) ||
	       (capacity != UINT64_MAX && plan->arena_size <= capacity);
}

static struct pair_search begin(memplan *m, const struct run *run,
	const struct order_job *order, const struct schedule *first)
{
	struct pair_search search = mp_street_pair_search(m, run, order, first);

	search.arena = m->plan.arena_size;
	search.least = m->plan.lower_bound;
	search.most_free = MOST_FREE;
	search.most_tries = MOST_TRIES;
	return search;
}

/* Sets what any choice takes at least. */
static void note_least(memplan *m, const struct pair_search *search)
{
	m->plan.pairs_bound =
		search->least < m->plan.lower_bound ? search->least : 0;
}

static bool search_all(memplan *m, struct pair_search *search, uint64_t bound)
{
	if (!mp_street_search_pairs(search, bound))
		return false;
	note_least(m, search);
	return true;
}

bool mp_street_choose_pairs(
	memplan *m, const struct run *run, const struct order_job *order)
{
	struct pair_search search;

	if (!m->has_plan || is_enough(&m->plan, run->capacity))
		return true;
	search = begin(m, run, order, m->plan.schedule);
	search.keeps = true;
	return search.left && search_all(m, &search, m->plan.pairs_bound);
}

bool mp_street_choose_pairs_in(memplan *m, const struct run *run,
	const struct order_job *order, uint32_t choice,
	const struct first_plan *first)
{
	uint64_t before = m->plan.arena_size, bound;
	struct pair_search search;
	const struct schedule *schedule;

	assert(m->has_plan);
	if (m->plan.cut_short ||
		(run->capacity != UINT64_MAX && before <= run->capacity))
		return true;
	schedule = mp_street_schedule(m, run, order, choice);
	if (!schedule)
		return false;
	bound = mp_schedule_pairs_bound(schedule);
	if (bound == 0 || bound >= before ||
		mp_problem_is_given(&schedule->problem))
		return true;
	search = begin(m, run, order, schedule);
	search.arena = first->height;
	search.least = first->lower_bound;
	search.keeps = true;
	if (!search.left || !mp_street_search_pairs(&search, bound))
		return false;
	if (m->plan.arena_size < before)
		note_least(m, &search);
	return true;
}

bool mp_street_doubt_pairs(memplan *m, const struct run *run,
	const struct order_job *order, const struct schedule *first,
	uint64_t bound)
{
	struct pair_search search = begin(m, run, order, first);

	return search.left && mp_street_try_pairs(&search, 1) &&
	       search_all(m, &search, bound);
}
