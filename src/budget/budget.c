/*
 * A choice is begun in three ways: from nothing, adding at the worst step what
 * helps most for its time; from everything; and from the feature maps, as a
 * simulation of swapping would have it. What is not needed is taken back, and
 * the fastest of these is improved by local search.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <assert.h>
#include <string.h>

const char *const mp_detour_modes[] = {
	[DETOUR_NONE] = "none",
	[DETOUR_SYNC] = "sync",
	[DETOUR_SEMI] = "semi",
	[DETOUR_ASYNC] = "async",
};

/* ----------------------------------------------------- local search */

/* What cannot be chosen together with it goes. */
static void drop_excluded(struct choice *c, uint32_t candidate)
{
	const struct candidate *one = &c->at[candidate];

	for (uint32_t i = c->n_chosen; c->again && i-- > 0;) {
		uint32_t other = c->chosen[i];

		if (other != candidate &&
			mp_budget_choice_clash(one, &c->at[other]))
			mp_budget_choice_toggle(c, other);
	}
}

static void change(struct choice *c, uint32_t candidate)
{
	if (!c->best[candidate])
		drop_excluded(c, candidate);
	c->at[candidate].tried = true;
	mp_budget_choice_toggle(c, candidate);
}

/* Is it better than the best? What came is not taken back: the best choice
 * would be what is left. */
static bool settle(struct choice *c)
{
	mp_budget_choice_add_until_it_fits(c);
	if (mp_budget_choice_keep_best(c))
		return true;
	mp_budget_choice_take_back(c);
	return mp_budget_choice_keep_best(c);
}

/* Tries to change one candidate, or two if `second` is another one. */
static bool try_change(struct choice *c, uint32_t first, uint32_t second)
{
	assert(first < c->n && second < c->n);
	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].tried = false;
	change(c, first);
	if (second != first && !c->at[second].tried &&
		c->at[second].chosen == c->best[second])
		change(c, second);
	if (settle(c))
		return true;
	mp_budget_choice_set(c, c->best);
	return false;
}

static bool may_change(const struct choice *c, uint32_t candidate, bool comes)
{
	return c->best[candidate] != comes &&
	       mp_budget_choice_is_open(c, &c->at[candidate]);
}

/* One after the other goes, or comes; true: some were better. */
static bool change_each(struct choice *c, bool comes)
{
	bool better = false;

	for (uint32_t i = 0; i < c->n && c->work > 0; i++)
		if (may_change(c, c->order[i], comes) &&
			try_change(c, c->order[i], c->order[i]))
			better = true;
	return better;
}

static void change_one(struct choice *c)
{
	do
		while (change_each(c, false))
			;
	while (change_each(c, true));
}

static bool change_two(struct choice *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t j = 0; j < i && c->work > 0; j++)
			if (mp_budget_choice_is_open(c, &c->at[c->order[i]]) &&
				mp_budget_choice_is_open(
					c, &c->at[c->order[j]]) &&
				try_change(c, c->order[i], c->order[j]))
				return true;
	return false;
}

static void search(struct choice *c)
{
	do
		change_one(c);
	while (change_two(c));
}

/* Changes the best choice as long as that makes it faster. One candidate, or
 * two, goes and may not come back, or comes and may not go; what then misses is
 * added as in the first choice, and what is no longer needed is taken back. The
 * first search judges by one way to set the windows; where work is left, the
 * second by all. */
static void improve(struct choice *c)
{
	mp_budget_choice_set(c, c->best);
	if (c->n_over > 0 && c->job->mode != DETOUR_NONE)
		return; /* nothing can fit */
	c->pace.quick = c->pace.mode >= DETOUR_SEMI;
	search(c);
	if (!c->pace.quick)
		return;
	c->pace.quick = false;
	mp_budget_choice_keep_best(c);
	search(c);
}

/* ------------------------------------------------------------ modes */

/* Kept as they are too: a mode may have a use for more room than it needs. */
static void start_from_copies(struct choice *c, bool maps)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct detour *d = &c->at[i].detour;

		c->begin[i] =
			!d->recompute &&
			(!maps || (d->last_use < c->job->forward_end &&
					  d->next_use >= c->job->forward_end));
	}
	mp_budget_choice_set(c, c->begin);
	mp_budget_choice_keep_best(c);
	mp_budget_choice_take_back(c);
	mp_budget_choice_keep_best(c);
}

static bool hand_over(struct choice *c)
{
	struct budget_job *job = c->job;

	mp_budget_choice_set(c, c->best);
	job->nanoseconds = mp_budget_pace_run(&c->pace);
	job->detours = NEW(job->arena, struct detour, c->n);
	if (!job->detours)
		return false;
	job->n_detours = 0;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->best[i])
			job->detours[job->n_detours++] = c->at[i].detour;
	return true;
}

/* The best choice of a mode, begun from others' too. */
static void run_phase(struct choice *c, enum detour_mode mode, uint64_t work,
	const bool *seed, const bool *other)
{
	c->pace.mode = mode;
	c->work = work;
	c->job->reached = 0;
	if (other) {
		mp_budget_choice_set(c, other);
		mp_budget_choice_keep_best(c);
	}
	mp_budget_choice_set(c, seed);
	mp_budget_choice_keep_best(c);
	mp_budget_choice_set(c, NULL);
	mp_budget_choice_add_until_it_fits(c);
	mp_budget_choice_take_back(c);
	mp_budget_choice_keep_best(c);
	start_from_copies(c, false);
	start_from_copies(c, true);
	improve(c);
}

/* Mode after mode, first with copies alone: what they choose is no slower in
 * the ones behind. Half of the work is for the last. */
static bool choose(struct choice *c)
{
	struct budget_job *job = c->job;
	bool none = job->mode == DETOUR_NONE, *copies, *all;
	enum detour_mode mode = none ? DETOUR_NONE : DETOUR_SYNC;
	uint64_t work = job->work / 2 / (2 * (uint64_t)(job->mode - mode) + 1);

	copies = NEW(job->arena, bool, c->n);
	all = NEW(job->arena, bool, c->n);
	if (!copies || !all)
		return false;
	for (; mode <= job->mode; mode++) {
		bool last = mode == job->mode;

		c->again = false;
		run_phase(c, mode,
			last && !job->recompute ? job->work / 2 : work, copies,
			NULL);
		memcpy(copies, c->best, sizeof(*copies) * c->n);
		if (!job->recompute)
			continue;
		c->again = true;
		run_phase(c, mode, last ? job->work / 2 : work, copies, all);
		memcpy(all, c->best, sizeof(*all) * c->n);
	}
	return true;
}

bool mp_budget_choose(struct budget_job *job)
{
	struct choice c;

	assert(job->mode <= DETOUR_ASYNC);
	assert(job->write_rate > 0 && job->read_rate > 0);
	if (!mp_budget_choice_init(&c, job))
		return false;
	job->before = mp_budget_pace_run(&c.pace);
	job->reached = 0;
	return choose(&c) && hand_over(&c);
}
