/*
 * What is behind the public handle, and the stages of the street. In the order
 * in which these files may call each other, callers last:
 *
 *	tables.c, options.c
 *	                  what memplan_row() lists; the options of a run
 *	pool-option.c     an option that makes pools
 *	run.c             what public calls and runs begin and end with
 *	handle.c          a handle, its options, inputs and messages
 *	apply.c           options that change a graph
 *	stages.c          order, lifetimes, what is fixed
 *	run-row.c         one row of planners on one problem in one memory
 *	plan-pools.c      one problem in several memories
 *	plan-problem.c    one problem, in one memory or in several
 *	keep-plan.c       what was found becomes the handle's plan
 *	pair-search.c     the same graph with other in-place pairs
 *	choose-pairs.c    the smallest plan of all of these
 *	price-pairs.c     the smallest plan with a pair that was not taken
 *	fits.c            whether that plan fits
 *	each-block.c      the blocks of memory of a plan, one by one
 *	near-plan.c       the same plan, nearer to an older one
 *	minimise-reuse.c  the same plan with fewer overwrites
 *	minimise-banks.c  the same plan with banks that cost less
 *	fit-budget.c      several problems, until one fits a budget
 *	join-plans.c      several plans as one graph
 *	join-batches.c    whether tensors grow from batch to batch
 *	buckets.c         one graph for several that one table serves
 *	replan-joined.c   one problem, where joined plans do not fit together
 *	plan-orders.c     the orders of a graph, and the smallest plan
 *	run-warnings.c    planners without memory, options without work
 *	walk.c            reads, then hands over to what is above
 *	own-problem.c     the graph's problem, without the plan's offsets
 *	check-claims.c    what a plan file claims
 *	same-plan.c       whether a plan file says what the graph says
 *	model-offsets.c   models that leave offsets to their runtime
 *	check-graph.c     one graph on the offsets of a plan
 *	check-buckets.c   the same of one table for several graphs
 *	check-joined.c    the same of several graphs in one arena
 *	make-plan.c, check-plan.c, survey.c, explain-peak.c, simulation.c
 *	                  runs of their own, around the walk
 *	answers.c, gate-answers.c
 *	                  the public functions that run nothing
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_STREET_H
#define MP_STREET_STREET_H

#include "memplan/report.h"

#include "base/arena.h"
#include "base/watch.h"
#include "budget/budget.h"
#include "bundle/bundle.h"
#include "emit/emit.h"
#include "graph/graph.h"
#include "input/input.h"
#include "order/order.h"
#include "planners/planner.h"
#include "pools/pools.h"
#include "problem/results.h"
#include "simulate/simulate.h"

/* The options of a run. One table, in options.c, has their names, values,
 * defaults and help: it serves the library, the command line, its help, its
 * manual and its completions. A new option is a row there, a field here, and
 * its use. */
enum {
	OPTION_TEXT = 64,
	OPTION_POOLS =
		4096, /* longest text of the option pools, with its NUL */
	OPTION_LINES = 4096, /* lines of an option that may be repeated */
	OPTION_GRAPH = 1024, /* longest name of a graph, with its NUL */
};

/* What goes together in one arena. */
enum together {
	TOGETHER_SERIAL,     /* graphs that run in turn */
	TOGETHER_CONCURRENT, /* graphs that run at the same time */
	TOGETHER_BUCKETS,    /* graphs of the same ops, with one table */
	N_TOGETHER,
};

enum {
	DEFAULT_STEPS = 6000000 /* about half a second of planning */
};

struct options {
	char planner[OPTION_TEXT]; /* a row of the planner table */
	char order[OPTION_TEXT];   /* a row of the order table */
	uint64_t capacity;	   /* bytes; UINT64_MAX: none */
	uint64_t peak; /* peak of an order that is good enough; 0: the least */
	char name[OPTION_TEXT];	  /* of the plan; "": the input's */
	uint8_t together;	  /* enum together, of joined graphs */
	uint64_t align;		  /* power of two; 0: the target's */
	uint8_t inputs, outputs;  /* enum policy; N_POLICIES: not given */
	char target[OPTION_TEXT]; /* a row of that table; "": the input's */
	bool variables_inside;	  /* variables of a model lie in the arena */
	bool inplace;		  /* honour in-place pairs */
	bool equal;		  /* only those of equal size */
	bool replan;		  /* take no offsets from the input */
	uint64_t seed;
	uint64_t steps;	     /* work, in units of about 100 ns */
	bool steps_given;    /* else planners have more for large problems */
	bool by_effort;	     /* the steps are those of an effort */
	double time_limit;   /* seconds; 0: none */
	uint32_t threads;    /* at least 1 */
	uint64_t max_memory; /* bytes; 0: none */
	uint64_t budget;     /* bytes; 0: none */
	enum detour_mode copy_mode;
	bool orders; /* a survey measures every order row, however long it takes
		      */
	bool recompute;		  /* ops may run again */
	bool tight;		  /* pools and arena as small as they get */
	bool minimise_reuse;	  /* reduce overwrites once a plan is found */
	bool minimise_banks;	  /* reduce what banks cost, likewise */
	bool cross_stream_first;  /* overwrites across streams first */
	uint64_t write_rate;	  /* bytes a second that a copy moves out */
	uint64_t read_rate;	  /* and back */
	char graph[OPTION_GRAPH]; /* of the graphs in a log or a program, the
				     one to read;
				     "": the only one */
	/* As struct input has them; "": none. */
	char dims[OPTION_LINES], values[OPTION_LINES], shapes[OPTION_LINES];
	enum views views;
	bool keeps_constants;
	char same[OPTION_LINES];  /* names; "": none */
	char pools[OPTION_POOLS]; /* see mp_street_pool_option(); "": none */
	uint32_t forward_end; /* first step of the backward pass; NONE: found */
	struct pool_settings mindspore; /* of the simulated pool */
};

/* A handle that was joined to another. It still belongs to the caller. */
struct joined_handle {
	memplan *member;
	const char *name;  /* the graph's name in the bundle */
	const char *batch; /* batch at the end of that name; NULL: none */
	bool has_plan;	   /* the caller planned it; else the walk does */
	struct joined_handle *next;
};

/* What planning found out beside the plan: why no plan fits. */
struct findings {
	uint64_t least_bound; /* least bound of the orders that were planned */
	const char *declined; /* a planner's sentence why there is no plan; or
				 NULL */
	uint64_t starved;     /* planners that memory was out for; see struct
				 job */
	unsigned idle; /* bits of options that had nothing to work on: walk.c */
	bool stays;    /* memory was out for what was to change the plan last */
	bool keeps; /* the offsets that the input gives: nothing was searched */
	enum misfit misfit; /* why the buffers of these orders did not fit their
			       pools */
	const char *misfit_why;
};

struct memplan {
	/* What the caller gave. No run changes it. */
	struct options options;
	struct input input;
	struct joined_handle
		*joined; /* joined handles, instead of an input; or NULL */
	uint32_t n_joined;
	void (*on_progress)(void *context,
		const struct memplan_progress *progress, size_t size);
	void *progress_context;
	atomic_bool stop;

	/* What was read. No run changes it. */
	struct arena arena;
	struct graph graph;
	const struct graph *near; /* of the plan to be near to; or NULL */
	const struct tensor *before_policies; /* its tensors; NULL: none was
						 changed by a policy */
	double read_seconds;
	uint32_t n_read_warnings; /* warnings of the reader */
	bool has_graph;

	/* What the last run found; the next run frees it. */
	struct arena run;
	const struct graph *planned; /* the graph that the plan is of; or NULL:
					no run has come so far */
	struct plan plan;
	struct results results;
	struct findings found;
	bool has_plan;
	bool unverified;	/* the plan was taken without a check */
	struct schedule *brief; /* the plan's, of which the problem is brief; or
				   NULL */
	const struct problem *first; /* of the orders that were looked at; NULL:
					none was so far */
	const struct problem *own;   /* of a check: the graph's own problem, and
					the plan's offsets in it; NULL: none */
	const uint64_t *own_offsets;
	struct spaces own_spaces; /* of its buffers, if there are several */
	uint64_t own_least; /* of a check: no plan of the graph in that order
			       takes less, whichever pairs share bytes; 0:
			       unknown */
	uint64_t own_pairs; /* likewise, if there is a choice of pairs; else 0
			     */

	/* What the caller is told. */
	const char *phase, *row; /* stage of the run, for progress */
	struct error error;
	struct sink sink;

	struct threads threads; /* of a run, beside its own */
};

/* What one run is to do, by value: no run changes the handle's options. */
struct run {
	const struct graph *graph; /* the graph to plan; NULL: to be loaded */
	struct layout
		*layout; /* joined graphs; NULL: the graph is not joined */
	memplan *caller; /* shows progress; its interrupt stops the run */
	const struct planner *planner;
	const struct order_row *order;
	uint64_t capacity; /* bytes; UINT64_MAX: none. A budget counts as one */
	uint64_t align;	   /* 0: the graph's own alignment */
	bool equal;	   /* in-place pairs of equal size only */
	bool keeps_offsets; /* if every offset is given, there is nothing to
			       plan */
	bool unverified;    /* keep the offsets of the input */
	bool judges; /* offsets of the input that overlap are an answer, not a
			fault of the input */
	bool looks;  /* plans nothing: a graph may leave something open */
	bool prices; /* says what pairs that are not taken would cost */
	bool brief;  /* the plan's problem may stay brief */
	bool spares; /* uses less of the first pool if all together exceed the
			capacity */
	double deadline;  /* of a plan, in seconds of mp_planner_job_now(); 0:
			     when all of the time limit has passed */
	bool once;	  /* with a capacity: looks for no plan beyond it */
	const bool *left; /* in-place pairs to leave apart, as the schedule of
			     this order lists them; NULL: none */
};

/* --------------------------------------------------------- tables.c */

/* True if value is a row of one of the tables; | separates their names. Else
 * fails with "unknown WHAT" and the nearest name. */
bool mp_street_tables_check(const char *tables, const char *what,
	const char *value, struct error *e);

/* The row nearest to a value that is none of the table; NULL: none is near. */
const char *mp_street_tables_nearest(const char *tables, const char *value);

/* -------------------------------------------------------- options.c */

/* Sets every option to its default. */
void mp_street_options_init(struct options *options);

/* Row i of the table, as programs see it; NULL beyond the last. */
const struct memplan_option *mp_street_options_row(uint32_t i);

/* Sets an option. If the name or the value is wrong, sets the error, keeps the
 * options and returns false. */
bool mp_street_options_set(struct options *options, const char *name,
	const char *value, struct error *e);

/* ---------------------------------------------------- pool-option.c */

/* --pools: reads NAME or NAME=BYTES, separated by commas. If the graph has no
 * pools, these become its pools, and any tensor may lie in any of them; fixed
 * offsets and reserved ranges are in the first. Else they are capacities of the
 * graph's pools. */
bool mp_street_pool_option(struct graph *graph, const char *text,
	struct arena *arena, struct error *e);

/* ------------------------------------------------------------ run.c */

/* Begins a public call of the handle that has the sink: clears its error and
 * the bytes in the sink. */
void mp_street_call(struct sink *sink);

/* Hands out the bytes in the sink, unless the call has failed. */
enum memplan_status mp_street_give_bytes(
	const struct sink *sink, const void **bytes, size_t *length);

/* Ends a run and returns its status. An interrupt does not reach the next run.
 */
enum memplan_status mp_street_end(memplan *m);

/* Fills a caller's struct of that size. Members that the library does not know
 * become 0. */
void mp_street_give(void *to, size_t size, const void *from, size_t own);

/* Forgets the input of a handle that joins no others. */
void mp_street_forget_input(memplan *m);

/* Forgets the results of the last run. */
void mp_street_forget_results(memplan *m);

/* Derives a run from the handle's options. */
struct run mp_street_run(memplan *m);

/* Begins a public call: clears the error, drops the results of the last run,
 * and derives the next one from the handle's options. */
struct run mp_street_begin(memplan *m);

/* Are the joined handles graphs that one table is to serve? */
bool mp_street_has_buckets(const memplan *m);

/* The graph of the results: the last run's, else the one that was read; NULL:
 * neither. */
const struct graph *mp_street_graph(const memplan *m);

/* Makes the problem of the plan whole. False only if memory is out. */
bool mp_street_unfold(memplan *m);

/* Sets the stage that progress shows, and the row if it is not NULL. Returns a
 * watch for the stage. */
struct watch mp_street_enter(memplan *m, const char *phase, const char *row);

/* Shows the progress of a planner's job; the context is the handle. */
void mp_street_tell_progress(void *context, const struct job *job);

/* ---------------------------------------------------------- apply.c */

/* A copy of the graph with its own tensors and ops, for one run to change.
 * NULL: memory is out. */
struct graph *mp_street_copy_graph(memplan *m, const struct graph *graph);

/* The graph with the run's alignment and in-place pairs: the same graph, or a
 * copy. NULL: failure. */
const struct graph *mp_street_shape(
	memplan *m, const struct graph *graph, const struct run *run);

/* Applies --inputs and --outputs to a graph that is being read. Without them
 * the policies of a plan file count. */
bool mp_street_apply_policies(memplan *m);

/* Applies other policies to a copy of the handle's graph. */
bool mp_street_change_policies(
	memplan *m, struct graph *copy, uint8_t inputs, uint8_t outputs);

/* -------------------------------------------------- model-offsets.c */

/* Before a check: another planner completes a TFLite model with some offsets. A
 * model without any has nothing to be checked, which is an error. */
bool mp_street_complete_model(memplan *m, struct run *run);

/* Before a plan with the offsets of the input: of a TFLite model that leaves
 * some to TFLM, the run becomes TFLM's, with nothing in place. Loads the graph.
 */
bool mp_street_plan_like_tflm(memplan *m, struct run *run);

/* --------------------------------------------------------- stages.c */

/* Runs a row of the order table on the run's graph. */
bool mp_street_order(memplan *m, const struct run *run,
	const struct order_row *row, struct order_job *job);

/* Keeps the alternatives in which no op uses a tensor outside of the lifetime
 * that the input fixes, and of several those in which no fixed offsets overlap.
 * False: there is none. */
bool mp_street_fit_orders(
	memplan *m, const struct run *run, struct order_job *job);

/* The schedule of the run's graph in one of the orders; NULL: failure. A run
 * that looks does not check fixed offsets. */
struct schedule *mp_street_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice);

/* As mp_street_schedule(), but the problem is brief if it can be. */
struct schedule *mp_street_brief_schedule(memplan *m, const struct run *run,
	const struct order_job *job, uint32_t choice);

/* False if the fixed offsets of the input allow no plan. Leaves a plan that was
 * read to its planner. */
bool mp_street_check_fixed(
	memplan *m, const struct run *run, const struct problem *problem);

/* -------------------------------------------------------- run-row.c */

/* The work to spend on so many buffers. The default is half a second. It grows
 * with the buffers, as planners repeat passes over all of them, up to a few
 * seconds; of very many buffers it shrinks again, down to two of the cheapest
 * passes. Nowhere does it jump. A limit of time asks for what fits into it. */
uint64_t mp_street_steps(const memplan *m, uint32_t n_buffers);

/* When planning is to end, in seconds of mp_planner_job_now(); 0: at no time.
 */
double mp_street_deadline(const memplan *m, const struct run *run);

/* A job with the whole budget of work and room for a plan; best is NULL if
 * memory is out. */
struct job mp_street_job(
	memplan *m, const struct run *run, const struct problem *problem);

/* As the fields of a job. */
struct row_limits {
	uint64_t capacity, steps;
	double deadline;
};

/* Runs the run's row; a problem that comes with its offsets keeps them, if the
 * run keeps offsets. False: it fails, or fixed offsets are wrong. */
bool mp_street_run_row(memplan *m, const struct run *run,
	const struct problem *problem, const struct row_limits *limits,
	struct job *job);

/* ----------------------------------------------------- plan-pools.c */

/* Plans a problem with pools with so much work for all buffers once. Without an
 * assignment that fits the job's height is UINT64_MAX. */
bool mp_street_plan_pools(memplan *m, const struct run *run,
	const struct problem *problem, uint64_t steps, struct job *job);

/* --------------------------------------------------- plan-problem.c */

/* Plans one problem with one part in `share` of the work. If its buffers do not
 * fit its pools, that is no failure: the misfit is noted in the handle. */
bool mp_street_plan(memplan *m, const struct run *run,
	const struct problem *problem, uint32_t share, struct job *job);

/* What every plan of the problem takes at least, as far as the job shows it. Of
 * several pools the job's bound is one of its own assignment only, unless there
 * is no other. */
uint64_t mp_street_least(const struct problem *problem, const struct job *job);

/* ------------------------------------------------------ keep-plan.c */

/* Makes the job's best offer the handle's plan, for that schedule of the run's
 * graph. */
void mp_street_keep(memplan *m, const struct run *run,
	const struct schedule *schedule, const struct job *job);

/* --------------------------------------------------- choose-pairs.c */

/* Plans other choices of in-place pairs in the order of the handle's plan, if
 * one of them may be smaller, and says of the plan what is known of them. */
bool mp_street_choose_pairs(
	memplan *m, const struct run *run, const struct order_job *order);

/* What planning one of the orders found, before other pairs were chosen. */
struct first_plan {
	uint64_t height; /* UINT64_MAX: there is none */
	uint64_t lower_bound;
};

/* Plans other choices in one of the orders, which has such a first plan. The
 * handle keeps what is smaller than its own plan. */
bool mp_street_choose_pairs_in(memplan *m, const struct run *run,
	const struct order_job *order, uint32_t choice,
	const struct first_plan *first);

/* Of a plan that is checked: plans the choice of the schedule and others, and
 * says what any choice takes at least. bound: what they take for certain. */
bool mp_street_doubt_pairs(memplan *m, const struct run *run,
	const struct order_job *order, const struct schedule *first,
	uint64_t bound);

/* ---------------------------------------------------- price-pairs.c */

/* Finds out what the pairs would cost that the handle's plan has not taken. */
bool mp_street_price_pairs(
	memplan *m, const struct run *run, const struct order_job *order);

/* ----------------------------------------------------------- fits.c */

/* True if the handle has a plan and it fits; else the error says what is known.
 */
bool mp_street_fits(memplan *m, const struct run *run);

/* ----------------------------------------------------- each-block.c */

/* One block of memory of a plan, with the buffers in it. */
struct block {
	const struct problem *problem; /* of these buffers */
	uint64_t *offsets;	       /* of them */
	uint64_t height;	       /* of the offsets */
	uint64_t limit;		       /* bytes that it may take */
	const struct space *space;     /* NULL: the block is the arena */
};

/* Changes the offsets and the height of a block. */
typedef bool mp_street_block(void *context, struct block *block);

/* Memory was out for what a plan can do without, so that is no error any more.
 * False: something else is. */
bool mp_street_goes_on(memplan *m);

/* Does that to each block of the handle's plan, which is then verified. If
 * memory is out for it, the plan stays as it was; a warning says so of that
 * option, and the findings do. */
bool mp_street_each_block(memplan *m, const struct run *run,
	mp_street_block *work, void *context, const char *option);

/* ------------------------------------------------------ near-plan.c */

/* Reads the plan that the handle's next one is to be near to. */
bool mp_street_read_near(memplan *m);

/* False if an option wants other offsets than the older plan's. */
bool mp_street_check_near(memplan *m);

/* Moves buffers of the handle's plan to where the older plan has them. */
bool mp_street_stay_near(memplan *m, const struct run *run);

/* ------------------------------------------------- minimise-reuse.c */

/* Moves buffers of the handle's plan until there are few overwrites. */
bool mp_street_spread(memplan *m, const struct run *run);

/* Adds up what reuse costs in the handle's plan. */
void mp_street_count_cost(memplan *m);

/* Counts the overwrites of the handle's plan. */
bool mp_street_count_reuse(memplan *m);

/* Counts the overwrites of a plan after buffers of it were moved. If memory is
 * out for that, a warning says so, and the plan has no count. */
bool mp_street_count_moved(memplan *m);

/* A job that begins with the places of a block's buffers, in that problem, and
 * has more steps than one that plans. */
struct job mp_street_block_job(memplan *m, const struct run *run,
	const struct block *block, const struct problem *problem,
	double deadline);

/* The problem of the block, in which what costs nothing now cannot cost
 * anything. */
bool mp_street_fence(const struct block *block, struct problem *fenced,
	struct arena *arena, struct arena *scratch);

/* ------------------------------------------------- minimise-banks.c */

/* Moves buffers of the handle's plan until banks cost little. */
bool mp_street_minimise_banks(memplan *m, const struct run *run);

/* Adds up what banks cost in the handle's plan. False: memory is out. */
bool mp_street_count_banks(memplan *m);

/* ----------------------------------------------------- fit-budget.c */

/* Plans the run's graph within the option budget. */
bool mp_street_fit_budget(memplan *m, const struct run *run);

/* ------------------------------------- join-plans.c, join-batches.c */

/* A run of one member with what the others ask of it. */
struct run mp_street_fit_member(
	memplan *m, memplan *member, enum together together);

/* Such a run, which also clears the error of the member and drops its results.
 */
struct run mp_street_member_run(
	memplan *m, memplan *member, enum together together);

/* Does each joined handle hold what it was joined for? Its owner may have
 * handed in another input since. */
bool mp_street_check_joins(memplan *m);

/* The name of all joined handles together; NULL: memory is out. */
const char *mp_street_name_joined(memplan *m);

/* Makes one graph of the joined handles, which all hold plans. Or the graph of
 * a bundle that was read, where the handles hold its members: then all stays
 * where it lies. NULL: failure. */
struct layout *mp_street_join(memplan *m, const struct graph *bundle);

/* Warns of each tensor that is smaller in a greater batch of its graph. */
bool mp_street_compare_batches(memplan *m);

/* --------------------------------------- buckets.c, check-buckets.c */

/* What its plan calls it. */
const char *mp_street_bucket_name(const struct joined_handle *h);

/* The graph of which any plan serves all joined handles, which were read.
 * NULL: failure. */
struct graph *mp_street_widen(memplan *m);

/* Is no bucket planned in another order where the buckets keep theirs? */
bool mp_street_check_bucket_orders(memplan *m);

/* Checks the plan of one table against all its graphs, which are joined. said:
 * the plan as it was read. */
bool mp_street_check_table(memplan *m, memplan *plan, const struct graph *said);

/* Each of the joined handles runs with the handle's plan, as its file has it,
 * and takes alone what the file says, or that is not disproved. */
bool mp_street_prove_buckets(memplan *m);

/* -------------------------------------------------- replan-joined.c */

/* If the members' plans do not fit together, plans all of them anew. The
 * schedule is that of the run's layout. If the layout has changed, sets moved:
 * then the schedule is a new one. */
bool mp_street_replan_joined(memplan *m, const struct run *run,
	const struct schedule *whole, bool *moved);

/* ---------------------------------------------------- plan-orders.c */

/* The part of a walk that needs no more than a graph: plans it in its orders
 * and with its in-place pairs, and fails if that does not fit. */
bool mp_street_plan_orders(memplan *m, const struct run *run);

/* --------------------------------------------------- run-warnings.c */

/* Warns of planners that memory was out for, and of options that had nothing to
 * work on. */
void mp_street_warn(memplan *m, const struct run *run);

/* ----------------------------------------------------------- walk.c */

/* Reads the input, unless it has been read, and finds the run's graph. */
bool mp_street_load(memplan *m, struct run *run);

/* Does a whole run, up to a verified plan. */
bool mp_street_walk(memplan *m, struct run *run);

/* Fails as the other handle has failed. */
bool mp_street_fail_like(memplan *m, const memplan *other);

/* ---------------------------------------------------- own-problem.c */

/* Finds the graph's own problem for the handle's plan, which was checked, and
 * verifies the plan for it. Finds none where the plan does not share the bytes
 * of in-place pairs that the options share, or has pools in blocks. bare: the
 * graph without the plan's offsets. */
bool mp_street_find_own(
	memplan *m, const struct run *run, const struct graph *bare);

/* A plan that is the smallest with its in-place pairs may not be the smallest
 * with any that the graph allows: says so, unless a search finds that no other
 * choice is smaller. */
bool mp_street_confirm_pairs(
	memplan *m, const struct run *run, const struct graph *bare);

/* --------------------------------------------------- check-claims.c */

/* Derives the bounds of the handle's plan again, or those of the graph's own
 * problem, and holds the claims of its file against them. */
bool mp_street_check_claims(memplan *m);

/* Fails unless a claim holds; `but` says of what the plan has instead what it
 * is. */
bool mp_street_check_claim(memplan *m, bool holds, const char *key,
	uint64_t claim, const char *but, uint64_t have);

/* ------------------------------------------------------ same-plan.c */

/* False if the plan file says anything of the graph that the graph does not
 * give, and names the first difference. The graph's handle has checked the
 * plan. */
bool mp_street_check_same(memplan *graph, memplan *plan);

/* ---------------------------------------------------- check-graph.c */

/* Checks the run's graph on its own offsets. bare: the graph without these;
 * NULL: there is none. */
bool mp_street_check_own(memplan *m, struct run *run, const struct graph *bare);

/* Checks the run's graph with the plan of a graph that it is a bucket of. */
bool mp_street_check_bucket(
	memplan *m, struct run *run, const struct graph *plan);

/* Checks a copy of the run's graph, with the plan's offsets, and the plan's
 * claims. */
bool mp_street_check_graph(memplan *m, struct run *run,
	const struct graph *plan, struct graph *copy);

/* Checks the run's graph with its offsets in a bundle and its own lifetimes.
 * Claims about the bundle are not claims about this graph. */
bool mp_street_check_member(memplan *m, struct run *run,
	const struct graph *bundle, const char *name);

/* What the plan file of a bundle claims of the bytes of each member. */
bool mp_street_check_members(memplan *m);

/* --------------------------------------------------- check-joined.c */

/* Checks the plan of a bundle against all its graphs, which are joined. */
bool mp_street_check_joined(memplan *m, memplan *plan);

/* --------------------------------------------------------- survey.c */

/* Computes the schedule of the run's graph in an order, without planning. */
bool mp_street_survey(memplan *m, const struct run *run,
	const struct order_row *row, struct order_result *result);

#endif
