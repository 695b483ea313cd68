/*
 * auto: the portfolio, the search from its best order, and then back towards
 * the order of the input as far as the peak allows. Never worse than keep.
 *
 * Orders of equal peak are plenty, and how well their tensors pack differs: up
 * to four go on to the planners.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "order/choices.h"
#include "order/polish.h"
#include "order/rows.h"

/* Swaps that are tried for each op, and at least. On large graphs that are far
 * from their order of input, going back all the way would take longer than
 * finding the order did. */
enum {
	TRIES_AN_OP = 32,
	TRIES = 1000000,
};

/* The search from the best order so far; what it proves is taken over. */
static bool search(struct order_job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct order_job trial = *job;

	if (!mp_order_search(&trial, 0))
		return false;
	job->lower_bound = trial.lower_bound;
	job->bound_kind = trial.bound_kind;
	memcpy(job->bound_ops, trial.bound_ops, sizeof(job->bound_ops));
	job->n_bound_ops = trial.n_bound_ops;
	job->bound_first = trial.bound_first;
	job->steps = trial.steps;
	for (uint32_t i = 0; i < trial.n_choices; i++)
		mp_choices_offer(job, trial.choices[i], trial.found, "search");
	mp_arena_rewind(job->arena, mark);
	return true;
}

/* The choices again, each moved back towards the order of the input. The first
 * of them gets most of the effort. Where a peak was asked for, as few ops move
 * as it allows, and there is one choice. */
static bool stabilise(struct order_job *job, const uint32_t *given)
{
	struct order_job found = *job;
	uint64_t cap = num_max(job->found, job->peak);
	uint64_t tries = TRIES + TRIES_AN_OP * (uint64_t)job->graph->n_ops;
	struct view view;
	struct live live;

	if (!mp_view_init(&view, job->graph, job->inplace, job->arena) ||
		!mp_live_init(&live, &view, job->arena) ||
		!mp_choices_init(job))
		return false;
	if (job->found <= job->peak)
		found.n_choices = 1;
	for (uint32_t i = 0; i < found.n_choices; i++) {
		if (!mp_stabilise(&view, given, cap, &tries, &live,
			    found.choices[i], job->arena))
			return false;
		mp_choices_offer(job, found.choices[i],
			mp_view_profile(&view, found.choices[i], &live, NULL),
			found.winner);
	}
	return true;
}

static bool is_proved(const struct order_job *job)
{
	return job->found <= job->lower_bound || job->found <= job->peak;
}

bool mp_order_auto(struct order_job *job, int variant)
{
	uint32_t *given;

	(void)variant;
	if (!mp_order_keep(job, 0))
		return false;
	given = job->choices[0];
	if (!mp_order_portfolio(job, 0))
		return false;
	if (!is_proved(job) && !search(job))
		return false;
	return stabilise(job, given);
}
