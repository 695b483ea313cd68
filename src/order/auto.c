/*
 * auto: the portfolio, the search from its best order, then moves back towards
 * the order of the input as far as the peak allows. Never worse than keep.
 *
 * There are many orders of equal peak, and their tensors pack differently well.
 * So the planners get several alternatives, the last of which is the order of
 * the input: neither peak nor arena is worse than with keep.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "order/inside.h"
#include "order/rows.h"

/* Most swaps that are tried on the way back to the order of the input: an
 * insertion sort would try a quadratic number. With these, auto takes less than
 * a second for stars, chains and bipartite graphs of 120,000 ops. */
enum {
	TRIES_AN_OP = 32,
	TRIES = 1000000,
};

/* Searches from the best order so far, and keeps orders and bound. What was
 * found may be one of many orders of equal peak: it is kept apart. */
static bool run_search(struct order_job *job)
{
	uint32_t *ops = NEW(job->arena, uint32_t, MOST_BOUND_OPS);
	uint32_t *order = NEW(job->arena, uint32_t, job->graph->n_ops);
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct order_job trial = *job;

	if (!ops || !order || !mp_order_search(&trial, 0))
		return false;
	job->searched = memcpy(order, trial.alternatives[0],
		sizeof(*order) * job->graph->n_ops);
	job->bound = trial.bound;
	job->bound.ops.at = ops;
	for (uint32_t i = 0; i < trial.bound.ops.n; i++)
		ops[i] = trial.bound.ops.at[i];
	job->steps = trial.steps;
	mp_order_alternatives_offer(job, order, trial.found, "search");
	mp_arena_rewind(job->arena, mark);
	return true;
}

/* Adds the first alternative, moved back towards the order of the input. If the
 * user asked for a peak, this order may cost that much. */
static bool offer_near(struct order_job *job, const struct order_job *found,
	const uint32_t *given)
{
	uint64_t cap = num_max(found->found, job->peak), peak;
	uint64_t tries = TRIES + TRIES_AN_OP * (uint64_t)job->graph->n_ops;
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint32_t *order = NEW(job->arena, uint32_t, job->graph->n_ops);
	struct live live;

	if (!order || !mp_order_live_init(&live, job->view, job->arena))
		return false;
	memcpy(order, found->alternatives[0],
		sizeof(*order) * job->graph->n_ops);
	if (!mp_order_stabilise(
		    job->view, given, cap, &tries, &live, order, job->arena))
		return false;
	peak = mp_order_view_profile(job->view, order, &live, NULL);
	mp_order_alternatives_offer(job, order, peak, found->winner);
	mp_arena_rewind(job->arena, mark);
	return true;
}

/* The order of the input is the last alternative: its peak may be higher and
 * its arena nevertheless smaller. */
static void add_given(struct order_job *job, const uint32_t *given)
{
	size_t bytes = sizeof(*given) * job->graph->n_ops;
	uint32_t last = job->n_alternatives < ORDER_ALTERNATIVES
				? job->n_alternatives
				: ORDER_ALTERNATIVES - 1;

	for (uint32_t i = 0; i < job->n_alternatives; i++)
		if (memcmp(job->alternatives[i], given, bytes) == 0)
			job->kept = job->alternatives[i];
	if (job->kept)
		return;
	memcpy(job->alternatives[last], given, bytes);
	job->kept = job->alternatives[last];
	job->n_alternatives = last + 1;
}

/* First the order near the input, then those that were found, which usually
 * pack better, also where its peak happens to be lower. */
static bool hand_over(struct order_job *job, const uint32_t *given)
{
	struct order_job found = *job;

	if (!mp_order_alternatives_init(job) || !offer_near(job, &found, given))
		return false;
	if (job->found <= job->peak)
		return true;
	if (found.searched)
		job->searched = mp_order_alternatives_add(job, found.searched);
	for (uint32_t i = 0; i < found.n_alternatives; i++)
		mp_order_alternatives_add(job, found.alternatives[i]);
	add_given(job, given);
	return true;
}

bool mp_order_auto(struct order_job *job, int variant)
{
	uint32_t *given;

	(void)variant;
	if (!mp_order_keep(job, 0))
		return false;
	given = job->alternatives[0];
	if (!mp_order_portfolio(job, 0))
		return false;
	if (job->found > job->bound.bytes && job->found > job->peak &&
		!run_search(job))
		return false;
	return hand_over(job, given);
}
