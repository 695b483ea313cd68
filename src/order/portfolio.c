/*
 * portfolio: runs every cheap row, polishes each order, and keeps the best. The
 * order of the input comes first and is replaced only by a better one. No
 * single rule suffices: each row is several times the optimum on some graphs
 * and the best on others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "order/inside.h"
#include "order/rows.h"

struct portfolio {
	struct order_job *job;
	struct live live;
	uint32_t *order; /* the order that is tried */
};

static bool is_done(const struct order_job *job)
{
	return job->n_alternatives > 0 &&
	       (job->found <= job->peak || job->found <= job->bound.bytes ||
		       (job->stop && atomic_load_explicit(
					     job->stop, memory_order_relaxed)));
}

/* Runs a row and polishes what comes out. */
static bool try_row(struct portfolio *p, const struct order_row *row)
{
	struct order_job *job = p->job, trial = *job;
	struct arena_mark mark = mp_arena_mark(job->arena);
	uint64_t peak;

	mp_watch_tell(&job->watch, 0);
	trial.n_alternatives = 0;
	if (!row->run(&trial, row->variant))
		return false;
	assert(trial.n_alternatives > 0);
	memcpy(p->order, trial.alternatives[0],
		sizeof(*p->order) * job->graph->n_ops);
	peak = mp_order_view_profile(job->view, p->order, &p->live, NULL);
	mp_order_alternatives_offer(job, p->order, peak, row->name);
	if (!is_done(job) && !mp_order_polish(job->view, &p->live, p->order,
				     &peak, job->arena))
		return false;
	mp_order_alternatives_offer(job, p->order, peak, row->name);
	mp_arena_rewind(job->arena, mark);
	return true;
}

bool mp_order_portfolio(struct order_job *job, int variant)
{
	struct portfolio p = {.job = job};

	(void)variant;
	p.order = NEW(job->arena, uint32_t, job->graph->n_ops);
	if (!p.order || !mp_order_alternatives_init(job) ||
		!mp_order_view(job) ||
		!mp_order_live_init(&p.live, job->view, job->arena))
		return false;
	for (uint32_t i = 0; i < mp_n_orders && !is_done(job); i++)
		if (mp_orders[i].in_portfolio && !try_row(&p, &mp_orders[i]))
			return false;
	return true;
}
