/*
 * Planners: rows that turn a problem into offsets. A row is given a job, offers
 * every complete set of offsets that it finds, and says what it proved. The job
 * verifies each offer, keeps the best, and tells the row when to stop. So a row
 * can be interrupted at any time, and the best plan so far is not lost.
 *
 * There are two tables. Planners are memplan's own rows. Peers follow the rules
 * of other tools, for comparison; no planner runs a peer, so that a peer can be
 * made more faithful without a change to memplan's own plans.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLANNER_H
#define MP_PLANNERS_PLANNER_H

#include <stdatomic.h>

#include "base/threads.h"
#include "problem/plan.h"

enum outcome {
	PLAN_FOUND,   /* offered at least one plan; proved nothing more */
	PLAN_OPTIMAL, /* the best offer is the smallest plan there is, or it
			 fits the capacity and no more was asked */
	PLAN_NO_FIT,  /* proved: no plan fits the capacity */
	PLAN_GAVE_UP, /* budget spent, or not a problem for this row */
	PLAN_FAILED,  /* the error says why */
};

/* Reasons to decline. */
#define NOT_FLAT                                                               \
	"takes one lifetime and one block a buffer: no views, groups, gaps, "  \
	"fixed offsets, pairs apart, branches or alignments of their own"
#define NOT_PLAIN NOT_FLAT ", and one stream only"

/* Set once nothing that a run finds can count any more. */
struct beaten {
	atomic_bool is;
	const struct beaten *outer; /* of a run that it is part of; or NULL */
};

/* A row that leads: threads beside it help it before they go on with their own
 * work. */
struct lead {
	struct threads *threads; /* NULL: there is none */
	atomic_bool has_ended;
};

/* One run of one row (auto: of several rows, one after the other). */
struct job {
	const struct problem *problem;
	uint64_t capacity; /* a plan of at most this many bytes is enough;
			      UINT64_MAX: none given, as small as possible */
	uint64_t seed;
	uint64_t steps; /* work left, in units of about 100 ns of work */
	struct threads *threads; /* that may help; NULL: none. They never change
				    the bytes of the plan */
	const struct lead *lead; /* that it helps; or NULL */
	double deadline; /* in seconds of mp_planner_job_now(); 0: none */
	const atomic_bool *stop; /* set from outside to interrupt; or NULL */
	const struct beaten *beaten; /* or NULL */
	struct arena *arena;	     /* scratch of the run */
	/* Where a row leaves, in the arena, what it goes on from when the same
	 * problem comes again with more steps; at first NULL is there. NULL:
	 * the row begins anew and keeps nothing. */
	void **kept;
	const struct packing *packing; /* of the problem, or of one that it is a
					  part of; or NULL */
	struct dive_start *start; /* of row dive, for a row before it to make
				     ready; or NULL */
	bool wants_near; /* a plan that is neither near the bound nor fits the
			    capacity is of no use: a better row comes next */
	/* Called about once a millisecond of work, in the caller's thread
	 * only; or NULL. It changes nothing. */
	void (*progress)(void *context, const struct job *job);
	void *progress_context;
	struct error *error;

	/* The verifier, given by the caller so that planners share no code
	 * with it. */
	bool (*verify)(const struct problem *problem, const uint64_t *offsets,
		enum memplan_status code, struct arena *scratch,
		struct error *e);

	/* What came out. */
	uint64_t *best;	      /* offsets, one a buffer; valid if height is */
	uint64_t height;      /* of best; UINT64_MAX: none yet */
	uint64_t lower_bound; /* best proved so far; starts at the load */
	enum bound_kind bound_kind;
	uint64_t bound_steps; /* spent when BOUND_SEARCH was proved */
	struct ids clique;    /* BOUND_CLIQUE: the tensors */
	const char *winner;   /* row that made best */
	const char *running;  /* row that runs now */
	struct spaces spaces; /* several memories: what lies where */
	const char *declined; /* why the row takes no such problem; or NULL */
	bool cut_short;	      /* deadline or stop ended something early */
	uint64_t spent;	      /* work done, in the unit of steps */
	uint64_t starved;     /* bits of the planners that memory was out for */
};

/* What a row runs. The variant lets several rows share a function. */
typedef enum outcome mp_planner_run(struct job *job, int variant);

struct planner {
	const char *name;
	const char *summary; /* one line for people */
	mp_planner_run *run;
	int variant;
	bool in_auto; /* auto tries it on any problem that is not plain */
	uint64_t bit; /* in a set of planners: of row i bit i; of a peer 0 */
};

/* memplan's own rows. Row 0 is auto. */
extern const struct planner mp_planners[];
extern const uint32_t mp_n_planners;

/* Rules of other tools, so that what a user has today can be put beside
 * memplan's plan: planners/peers/peers.def. Where a tool's rule is one of
 * memplan's own, or that of another tool, the rows share a function. */
extern const struct planner mp_peers[];
extern const uint32_t mp_n_peers;

/* The row of that name, a planner or a peer; NULL: there is none. */
const struct planner *mp_planner_find(const char *name);

/* The planner of that name, never a peer: for a row that runs others. NULL:
 * this build has none. */
const struct planner *mp_planner_find_own(const char *name);

/* May the row be given the problem while it is brief? */
bool mp_planner_takes_brief(
	const struct planner *row, const struct problem *problem);

/* Why this build has left out the row of that name, and what brings it; NULL:
 * it has not, or there is none. */
const char *mp_planner_left_out(const char *name);

/* For assert() at the beginning of a row: the job is complete, its problem is
 * well formed, and best has the height that the job says. Linear time. */
bool mp_planner_job_is_sound(const struct job *job);

/* Runs a row. Where memory is out for a planner, but the job has a plan, that
 * is no failure: the job takes note of the row, and keeps what it has. A peer
 * is to do all that its tool does, or fails. */
enum outcome mp_planner_job_run(struct job *job, const struct planner *row);

/* Forgets that memory was out for a row, if the job has a plan, and takes note
 * of the row. False: the failure stays, as it is another one, or there is no
 * plan. */
bool mp_planner_job_survives(struct job *job, const struct planner *row);

/* Is nothing wanted any more? In any thread, and takes no note of it: for work
 * that is counted later. */
bool mp_planner_job_is_over(const struct job *job);

/* Takes note of work done. False: stop now, return what you have. */
bool mp_planner_job_step(struct job *job, uint64_t work);

/* True once nothing better is wanted: the best offer reaches the lower bound,
 * or fits the capacity. */
bool mp_planner_job_done(const struct job *job);

/* The outcome of a row that has proved nothing itself. */
enum outcome mp_planner_job_outcome(const struct job *job);

/* True once the best offer is at most such a part of the lower bound above it:
 * one in 64, or in 1,024. A row that may take long is worth less then. */
bool mp_planner_job_near(const struct job *job, uint64_t one_in);

/* Hands in a complete plan (one offset a buffer; copied). False only if the
 * verifier rejects it or memory runs out: the row then returns PLAN_FAILED. */
bool mp_planner_job_offer(struct job *job, const uint64_t *offsets);

/* Adds a buffer of one part to a problem that a row makes, and that has room
 * for it. */
void mp_planner_job_add_block(struct problem *other, struct buffer buffer);

/* Lets a row plan another problem that stands for the job's: own is a copy of
 * the job, maybe with fewer steps or a capacity, and gets the plan. What is
 * proved of the other problem holds for it only. False if the row fails. */
bool mp_planner_job_hand_on(struct job *job, const struct problem *other,
	mp_planner_run *run, struct job *own);

/* Fills in the fixed offsets of a problem. Returns where the last one ends. */
uint64_t mp_planner_take_fixed(
	const struct problem *problem, uint64_t *offsets);

/* Ends a row that is not for the problem. The reason goes on after "planner
 * 'NAME'", and stays where it is. */
enum outcome mp_planner_job_decline(struct job *job, const char *reason);

/* To verify: takes any plan. For those that are verified later. */
bool mp_planner_job_take_as_is(const struct problem *problem,
	const uint64_t *offsets, enum memplan_status code,
	struct arena *scratch, struct error *e);

/* Is there something to place, and is the problem flat, or plain? Else a row
 * for such problems ends with PLAN_GAVE_UP; the reason is given. */
bool mp_planner_job_is_flat(struct job *job);
bool mp_planner_job_is_plain(struct job *job);

/* Raises the proved lower bound. */
void mp_planner_job_prove(
	struct job *job, uint64_t bound, enum bound_kind kind);

/* Seconds of a clock, for deadlines. */
double mp_planner_job_now(void);

#endif
