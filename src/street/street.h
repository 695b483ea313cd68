/*
 * What is behind the public handle. Seen by the street (walk.c), by those
 * who walk it (check-plan.c, explain-peak.c, survey.c), by what it asks of a
 * handle (apply.c, tell-progress.c) and by the answers (answers.c), and by
 * nothing else.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_STREET_H
#define MP_STREET_STREET_H

#include "memplan/memplan.h"

#include "base/arena.h"
#include "base/watch.h"
#include "emit/emit.h"
#include "graph/graph.h"
#include "input/input.h"
#include "order/order.h"
#include "planners/planner.h"
#include "pools/pools.h"
#include "problem/results.h"
#include "street/options.h"

struct memplan {
	struct options options;
	struct input input;
	struct arena arena;
	struct error error;
	struct graph graph; /* as it was read; stays for further runs */
	struct plan plan;   /* of the last run; see has_plan */
	struct results results;
	struct sink sink;
	atomic_bool stop;
	void (*on_progress)(
		void *context, const struct memplan_progress *progress);
	void *progress_context;
	const char *phase, *row;      /* where the run is, for progress */
	uint64_t least_bound;	      /* of any order that was planned */
	const char *declined;	      /* by the planner, and why; or NULL */
	struct joined_handle *joined; /* a bundle's; see join-plans.c */
	uint32_t n_joined;
	double joined_seconds; /* that planning its parts took */
	enum misfit misfit;    /* of the orders whose buffers fit no pools; */
	const char *misfit_why;
	bool has_graph, has_plan;
	bool as_given;	 /* this run takes the offsets that the input has */
	bool unverified; /* the plan was taken as it was */
};

/* Says where the run is now; what comes back keeps saying it. The row may be
 * NULL. */
struct watch mp_street_enter(memplan *m, const char *phase, const char *row);

/* The same of a planner's job; the context is the handle. */
void mp_street_tell_progress(void *context, const struct job *job);

/* Options that may still be set when the input has been read. */
bool mp_street_apply_options(memplan *m);

/* Options on inputs and outputs. What a plan file says of them counts where
 * nothing else is asked for. */
bool mp_street_apply_policies(memplan *m);

/* The row of the planner table that was asked for. */
static inline const char *mp_street_planner(const memplan *m)
{
	return m->as_given ? "given" : m->options.planner;
}

/* The stages as the street strings them together; each false on failure, with
 * the handle's error set. */
bool mp_street_read(memplan *m);
bool mp_street_order(
	memplan *m, const struct order_row *row, struct order_job *job);
struct schedule *mp_street_schedule(
	memplan *m, const struct order_job *job, uint32_t choice);

/* Forgets what a run found out; the graph stays. */
void mp_street_forget_run(memplan *m);

/* What an order gives for the input's graph, without planning. */
bool mp_street_survey(
	memplan *m, const struct order_row *row, struct order_result *result);

/* One problem, planned with that part of the budget: one in share. */
bool mp_street_plan(memplan *m, const struct problem *problem, uint32_t share,
	struct job *job);

/* A job of the whole budget, with room for a plan; best is NULL if memory is
 * out. */
struct job mp_street_job(memplan *m, const struct problem *problem);

/* The handle's plan with few overwrites: see minimise-reuse.c. */
bool mp_street_spread(memplan *m);

/* Counts the overwrites of the handle's plan. */
bool mp_street_count_reuse(memplan *m);
/* One problem that knows no pools, in one block of memory, with so much work.
 * The deadline is as in struct job; 0: that of the options. */
bool mp_street_block(memplan *m, const struct problem *problem,
	uint64_t capacity, uint64_t steps, double deadline, struct job *job);

/* One problem that does: see plan-pools.c. No plan is no failure here, but
 * noted as the handle's misfit. */
bool mp_street_pools(memplan *m, const struct problem *problem, uint64_t steps,
	struct job *job);

/* Whether what the input fixes leaves room for a plan; a plan that was read is
 * left to its planner. */
bool mp_street_check_fixed(memplan *m, const struct problem *problem);

/* Whether the handle's plan is there and fits; if not, the error says what is
 * known. */
bool mp_street_fits(memplan *m);

/* Makes the job's best offer for that schedule the handle's plan. */
void mp_street_keep(
	memplan *m, const struct schedule *schedule, const struct job *job);

/* The joined handles' plans become the graph. */
bool mp_street_join(memplan *m);

/* All of it where the option budget is given: see fit-budget.c. */
bool mp_street_budget(memplan *m);

/* All of it, to a verified plan. */
bool mp_street_walk(memplan *m);

#endif
