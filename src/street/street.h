/*
 * What is behind the public handle, and the stages of the street. In the order
 * in which these files may call each other, callers last:
 *
 *	call.c            errors, structs and input of public calls
 *	tell-progress.c   says where a run is
 *	run.c             what a run is to do; forgets the run before
 *	apply.c           options that change a graph
 *	stages.c          order, lifetimes, what is fixed
 *	plan-block.c      one problem in one block of memory
 *	plan-pools.c      one problem in several memories
 *	plan-problem.c    one problem, whichever it is; keeps its plan
 *	fits.c            whether that plan fits
 *	minimise-reuse.c  the same plan with fewer overwrites
 *	fit-budget.c      several problems, until one fits a budget
 *	join-plans.c      several plans as one graph
 *	join-batches.c    whether tensors grow from batch to batch
 *	replan-joined.c   one problem, where joined plans do not fit together
 *	walk.c            reads, then hands over to what is above
 *	check-plan.c, survey.c, explain-peak.c, simulation.c
 *	                  runs of their own, around the walk
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_STREET_H
#define MP_STREET_STREET_H

#include "memplan/report.h"

#include "base/arena.h"
#include "base/watch.h"
#include "bundle/join.h"
#include "emit/emit.h"
#include "graph/graph.h"
#include "input/input.h"
#include "order/order.h"
#include "planners/planner.h"
#include "pools/pools.h"
#include "problem/results.h"
#include "street/options.h"

/* A handle that was joined to another. It stays the caller's. */
struct joined_handle {
	memplan *part;
	const char *name;  /* of the graph among the others */
	const char *batch; /* that its name ends with; NULL: none */
	bool has_plan;	   /* of the caller's making; else the walk makes it */
	struct joined_handle *next;
};

/* What planning found out beside the plan: why none fits. */
struct findings {
	uint64_t least_bound; /* of any order that was planned */
	const char *declined; /* by the planner, and why; or NULL */
	enum misfit misfit;   /* of the orders that did not fit their pools */
	const char *misfit_why;
};

struct memplan {
	/* What the caller gave. No run changes it. */
	struct options options;
	struct input input;
	struct joined_handle *joined; /* instead of an input; or NULL */
	uint32_t n_joined;
	void (*on_progress)(void *context,
		const struct memplan_progress *progress, size_t size);
	void *progress_context;
	atomic_bool stop;

	/* What was read. No run changes it. */
	struct arena arena;
	struct graph graph;
	const struct tensor *before_policies; /* its tensors; NULL: none was
						 changed by a policy */
	double read_seconds;
	uint32_t n_read_warnings; /* that reading it gave */
	bool has_graph;

	/* What the last run found; the next one frees it. */
	struct arena run;
	const struct graph *planned; /* the graph that the plan is of; or NULL:
					no run has come so far */
	struct plan plan;
	struct results results;
	struct findings found;
	bool has_plan;
	bool unverified; /* the plan was taken as it was */

	/* What is told, and written. */
	const char *phase, *row; /* where the run is, for progress */
	struct error error;
	struct sink sink;
};

/* The graphs of joined handles as one graph, for one run. */
struct layout {
	struct joined *parts;
	uint32_t n;
	struct graph graph; /* offsets and lifetimes are fixed */
	double seconds;	    /* that planning the parts and joining them took */
};

/* What one run is to do, by value: no run changes the handle's options. */
struct run {
	const struct graph *graph; /* what is planned; NULL: to be loaded */
	struct layout *layout;	   /* the graph's; NULL: it is not of several */
	memplan *caller; /* told of progress; its interrupt stops the run */
	const struct planner *planner;
	const struct order_row *order;
	uint64_t capacity;  /* bytes; UINT64_MAX: none. A budget is one too */
	uint64_t align;	    /* 0: what the graph has */
	bool equal;	    /* in-place pairs of equal size only */
	bool keeps_offsets; /* where all are given, there is nothing to plan */
	bool unverified;    /* offsets are taken as they are */
};

/* ----------------------------------------------------------- call.c */

/* Begins a public call: there is no error. */
void mp_street_call(memplan *m);

/* Ends a run: its status. An interrupt is not for the next run. */
enum memplan_status mp_street_end(memplan *m);

/* Fills a caller's struct of that size with what the library has; members that
 * the library does not know are 0. */
void mp_street_give(void *to, size_t size, const void *from, size_t own);

/* As if there had been no input, for a handle that joins no others. */
void mp_street_forget_input(memplan *m);

/* ------------------------------------------------------------ run.c */

/* As if there had been no run. */
void mp_street_forget_results(memplan *m);

/* What the handle's options ask for. */
struct run mp_street_run(memplan *m);

/* The same at the beginning of a public call: without an error, and without
 * what the run before found. */
struct run mp_street_begin(memplan *m);

/* The graph that results are about: of the last run, else the one that was
 * read; NULL: there is none. */
const struct graph *mp_street_graph(const memplan *m);

/* -------------------------------------------------- tell-progress.c */

/* Says where the run is now; what comes back keeps saying it. The row may be
 * NULL. */
struct watch mp_street_enter(memplan *m, const char *phase, const char *row);

/* The same of a planner's job; the context is the handle. */
void mp_street_tell_progress(void *context, const struct job *job);

/* ---------------------------------------------------------- apply.c */

/* The graph with tensors and ops of its own, for one run to change. NULL: no
 * memory. */
struct graph *mp_street_copy_graph(memplan *m, const struct graph *graph);

/* The graph as the run wants it aligned and its in-place pairs kept: the same
 * one, or a copy. NULL: failure. */
const struct graph *mp_street_shape(
	memplan *m, const struct graph *graph, const struct run *run);

/* Options on inputs and outputs, for a graph that is being read. What a plan
 * file says of them counts where nothing else is asked for. */
bool mp_street_apply_policies(memplan *m);

/* Other policies, for a copy of the handle's graph. */
bool mp_street_change_policies(
	memplan *m, struct graph *copy, uint8_t inputs, uint8_t outputs);

/* --------------------------------------------------------- stages.c */

/* Runs a row of the order table on the run's graph. */
bool mp_street_order(memplan *m, const struct run *run,
	const struct order_row *row, struct order_job *job);

/* The schedule of the run's graph in one of the orders; NULL: failure. */
struct schedule *mp_street_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice);

/* Whether what the input fixes leaves room for a plan; a plan that was read is
 * left to its planner. */
bool mp_street_check_fixed(memplan *m, const struct problem *problem);

/* ----------------------------------------------------- plan-block.c */

/* How much work a problem of so many buffers is worth. */
uint64_t mp_street_steps(const memplan *m, uint32_t n_buffers);

/* A job of the whole budget of work, with room for a plan; best is NULL if
 * memory is out. */
struct job mp_street_job(
	memplan *m, const struct run *run, const struct problem *problem);

/* One problem that knows no pools, in one block of memory, with so much work.
 * The deadline is as in struct job; 0: that of the options. */
bool mp_street_block(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t capacity, uint64_t steps,
	double deadline, struct job *job);

/* ----------------------------------------------------- plan-pools.c */

/* One problem that knows pools. No plan is no failure here, but noted as the
 * handle's misfit. */
bool mp_street_pools(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job);

/* --------------------------------------------------- plan-problem.c */

/* One problem, planned with that part of the work: one in share. */
bool mp_street_plan(memplan *m, const struct run *run,
	const struct problem *problem, uint32_t share, struct job *job);

/* Makes the job's best offer for that schedule of the run's graph the handle's
 * plan. */
void mp_street_keep(memplan *m, const struct run *run,
	const struct schedule *schedule, const struct job *job);

/* ----------------------------------------------------------- fits.c */

/* Whether the handle's plan is there and fits; if not, the error says what is
 * known. */
bool mp_street_fits(memplan *m, const struct run *run);

/* ------------------------------------------------- minimise-reuse.c */

/* The handle's plan with few overwrites. */
bool mp_street_spread(memplan *m, const struct run *run);

/* Counts the overwrites of the handle's plan. */
bool mp_street_count_reuse(memplan *m);

/* ----------------------------------------------------- fit-budget.c */

/* Plans the run's graph within the option budget. */
bool mp_street_fit_budget(memplan *m, const struct run *run);

/* ------------------------------------- join-plans.c, join-batches.c */

/* What planning a part by itself is to do, so that it goes with the others. */
struct run mp_street_part_run(memplan *m, memplan *part);

/* The joined handles, all of which hold plans now, as one graph. NULL: failure.
 */
struct layout *mp_street_join(memplan *m);

/* Warns of tensors that a greater batch of a graph has smaller. */
bool mp_street_compare_batches(memplan *m);

/* -------------------------------------------------- replan-joined.c */

/* Where the parts' plans do not go together as they are: places all anew. The
 * schedule is that of the run's layout; if the layout has changed, moved says
 * that the schedule is another one now. */
bool mp_street_settle(memplan *m, const struct run *run,
	const struct schedule *whole, bool *moved);

/* ----------------------------------------------------------- walk.c */

/* Reads the input, unless that has been done, and finds the run's graph. */
bool mp_street_load(memplan *m, struct run *run);

/* All of a run, to a verified plan. */
bool mp_street_walk(memplan *m, struct run *run);

/* --------------------------------------------------------- survey.c */

/* What an order gives for the run's graph, without planning. */
bool mp_street_survey(memplan *m, const struct run *run,
	const struct order_row *row, struct order_result *result);

#endif
