/*
 * Which in-place pairs to take so that the arena is small. The lifetime stage
 * takes those with which every load is least. But a pair ties two tensors to
 * one offset, so where a plan ends above the load another choice may be
 * smaller. Where few pairs matter every choice is planned, or ruled out by its
 * load; else a few are changed, one at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

enum {
	MOST_FREE = 8,	 /* pairs of which all choices are tried */
	MOST_TRIES = 16, /* else: changes of one pair */
};

struct choosing {
	memplan *m;
	struct run run;
	const struct order_job *order;
	uint32_t alternative; /* of the order */
	const struct schedule *first;
	uint32_t *free; /* pairs that may be taken or not, as the schedule
			   lists them */
	uint32_t n_free;
	bool *left;	/* of a pair of the schedule: it is left apart */
	uint64_t least; /* no choice that was tried has a smaller plan */
	bool whole;	/* none that was tried was cut short */
};

static bool meet(
	const struct inplace_outcome *a, const struct inplace_outcome *b)
{
	return a->op == b->op &&
	       (a->output == b->output || a->input == b->input);
}

/* Does another pair of the op want one of its tensors? Outcomes of an op are
 * neighbours. */
static bool is_contended(const struct schedule *s, uint32_t i)
{
	const struct inplace_outcome *at = s->inplace;
	uint32_t first = i, end = i + 1;

	while (first > 0 && at[first - 1].op == at[i].op)
		first--;
	while (end < s->n_inplace && at[end].op == at[i].op)
		end++;
	for (uint32_t k = first; k < end; k++)
		if (k != i && mp_schedule_may_share(&at[k]) &&
			meet(&at[k], &at[i]))
			return true;
	return false;
}

/* Without the pair, the load of its step alone is no less than the arena. */
static bool is_settled(const struct choosing *c, uint32_t i, uint32_t step)
{
	const struct schedule *s = c->first;
	const struct tensor *tensors = s->graph->tensors;
	const struct inplace_outcome *pair = &s->inplace[i];
	uint64_t bytes = num_min(
		mp_graph_tensor_rounded(s->graph, &tensors[pair->output]),
		mp_graph_tensor_rounded(s->graph, &tensors[pair->input]));

	return !s->problem.choice && !is_contended(s, i) &&
	       s->problem.load[step] + bytes >= c->m->plan.arena_size;
}

/* Pairs stand in the order of the steps. */
static bool find_free(struct choosing *c)
{
	const struct schedule *s = c->first;
	uint32_t step = 0;

	c->free = NEW(&c->m->run, uint32_t, s->n_inplace);
	c->left = NEW(&c->m->run, bool, s->n_inplace);
	if (!c->free || !c->left)
		return false;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		while (s->order[step] != s->inplace[i].op)
			step++;
		c->left[i] = mp_schedule_may_share(&s->inplace[i]) &&
			     s->inplace[i].verdict != INPLACE_SHARED;
		if (mp_schedule_may_share(&s->inplace[i]) &&
			!is_settled(c, i, step))
			c->free[c->n_free++] = i;
	}
	return true;
}

/* Plans the choice with one part in `share` of the work, and keeps the plan if
 * it is smaller. */
static bool try_choice(struct choosing *c, uint32_t share)
{
	memplan *m = c->m;
	struct arena_mark mark = mp_arena_mark(&m->run);
	uint64_t before = m->plan.arena_size;
	struct schedule *schedule =
		mp_street_schedule(m, &c->run, c->order, c->alternative);
	struct job job;

	if (!schedule)
		return false;
	if (schedule->problem.theoretical_min < before) {
		if (!mp_street_plan(
			    m, &c->run, &schedule->problem, share, &job))
			return false;
		c->least = num_min(c->least, job.lower_bound);
		c->whole &= !job.cut_short;
		if (job.height < before)
			mp_street_keep(m, &c->run, schedule, &job);
	}
	if (m->plan.arena_size == before)
		mp_arena_rewind(&m->run, mark);
	return true;
}

static bool is_matching(const struct choosing *c, uint32_t taken)
{
	const struct inplace_outcome *at = c->first->inplace;

	for (uint32_t a = 0; a < c->n_free; a++)
		for (uint32_t b = 0; b < a; b++)
			if ((taken >> a & taken >> b & 1) &&
				meet(&at[c->free[a]], &at[c->free[b]]))
				return false;
	return true;
}

static bool try_all(struct choosing *c)
{
	uint32_t n = 1u << c->n_free;

	for (uint32_t taken = 0; taken < n && c->whole; taken++) {
		if (!is_matching(c, taken))
			continue;
		for (uint32_t i = 0; i < c->n_free; i++)
			c->left[c->free[i]] = !(taken >> i & 1);
		if (!try_choice(c, n))
			return false;
	}
	return true;
}

/* Takes the free pair i or leaves it apart. What it meets is then left. */
static void change(struct choosing *c, uint32_t i)
{
	const struct inplace_outcome *at = c->first->inplace;
	uint32_t pair = c->free[i];

	c->left[pair] = !c->left[pair];
	for (uint32_t k = 0; k < c->n_free; k++)
		if (k != i && !c->left[pair] &&
			meet(&at[c->free[k]], &at[pair]))
			c->left[c->free[k]] = true;
}

static bool try_some(struct choosing *c)
{
	uint32_t n = c->first->n_inplace;
	bool *best = mp_arena_copy(&c->m->run, c->left, n, sizeof(*best));

	for (uint32_t i = 0; best && i < num_min(c->n_free, MOST_TRIES); i++) {
		uint64_t before = c->m->plan.arena_size;

		change(c, (uint32_t)((uint64_t)i * c->n_free /
				     num_min(c->n_free, MOST_TRIES)));
		if (!c->whole)
			break;
		if (!try_choice(c, MOST_TRIES))
			return false;
		if (c->m->plan.arena_size < before)
			memcpy(best, c->left, n * sizeof(*best));
		else
			memcpy(c->left, best, n * sizeof(*best));
	}
	return best != NULL;
}

static bool try_choices(struct choosing *c)
{
	bool few = c->n_free <= MOST_FREE;

	if (c->n_free == 0)
		return true;
	if (!(few ? try_all(c) : try_some(c)))
		return false;
	/* Of what was not tried only the load is known. */
	if (!few || !c->whole)
		c->least = mp_schedule_pairs_bound(c->first);
	return true;
}

/* A plan that was read is of the choice that it has, and so are offsets that
 * the input fixes. */
static bool is_enough(const struct plan *plan, uint64_t capacity)
{
	return plan->pairs_bound == 0 || plan->cut_short ||
	       plan->schedule->graph->claims.present ||
	       mp_problem_is_given(plan->problem) ||
	       (capacity != UINT64_MAX && plan->arena_size <= capacity);
}

bool mp_street_choose_pairs(
	memplan *m, const struct run *run, const struct order_job *order)
{
	struct plan *plan = &m->plan;
	struct choosing c = {.m = m,
		.run = *run,
		.order = order,
		.first = plan->schedule,
		.least = plan->lower_bound,
		.whole = true};

	if (!m->has_plan || is_enough(plan, run->capacity))
		return true;
	while (order->alternatives[c.alternative] != c.first->order)
		c.alternative++;
	if (!find_free(&c))
		return false;
	c.run.left = c.left;
	if (!try_choices(&c))
		return false;
	plan->pairs_bound = c.least < plan->lower_bound ? c.least : 0;
	return true;
}
