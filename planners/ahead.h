/*
 * Passes of a row that are run ahead: see ahead.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_AHEAD_H
#define MP_PLANNERS_AHEAD_H

#include "planners/planner.h"

enum {
	AHEAD_SLOTS = 4, /* passes that run at a time: each has memory */
	AHEAD_MOST = 16	 /* of a chain */
};

enum pass_end {
	PASS_NOT_RUN,
	PASS_AS_EXPECTED, /* by those behind it */
	PASS_OTHERWISE,	  /* those behind it that have begun do not count */
	PASS_FAILED	  /* memory is out */
};

struct pass {
	uint32_t index;		   /* 0: the next for certain, */
	const struct pass *behind; /* once this one has ended so; or NULL */
	uint32_t slot;		   /* it runs in the memory of this one */
	enum pass_end end;
	struct beaten beaten;
	bool cut_short;
	uint64_t starved; /* see the job */
	uint64_t spent;
	uint64_t need; /* steps with which it is what it was; the row may raise
			  it */
};

/* What a row does. */
struct ahead_row {
	/* Makes the memory of a slot, in this arena, while the others run; or
	 * NULL. False: it is out. */
	bool (*make)(void *context, uint32_t slot, struct arena *arena);
	/* With a job of its own, to which it makes no offers. What it leaves
	 * in the memory of its slot stays there if it ends otherwise. */
	enum pass_end (*run)(void *context, struct pass *pass, struct job *job);
	/* A pass has ended otherwise: others may begin behind it, if what they
	 * need to know is kept where its slot does not change it. NULL, false:
	 * it is not. Called with the job of the pass, in its thread. */
	bool (*follow)(void *context, const struct pass *pass, struct job *job);
	/* A pass counts: called in their order. False: a plan was refused. */
	bool (*take)(void *context, const struct pass *pass);
	/* A pass takes so long that threads join that are idle later. */
	bool is_long;
};

struct ahead {
	struct job *job;
	const struct ahead_row *row;
	void *context;
	struct slot {
		struct job job;
		struct arena arena; /* the first has the job's instead */
		struct error error;
		bool is_made, failed;
	} slots[AHEAD_SLOTS];
	bool alone;    /* there is no memory for others */
	bool is_brief; /* the last pass took less than a thread */

	/* Of a chain. */
	struct pass passes[AHEAD_MOST];
	uint32_t n;
	bool at_once;
	pthread_mutex_t lock; /* of these: */
	uint32_t n_begun, n_behind;
	const struct pass *last; /* that has ended otherwise: so many begin
				    behind it; or NULL */
	atomic_ullong spent;	 /* by those that have ended */
};

/* In the arena of the job, as a job takes 9 KB. NULL: memory is out. */
struct ahead *mp_planner_ahead_open(
	struct job *job, const struct ahead_row *row, void *context);

/* Runs a chain of n passes, or fewer, and takes those that are what they would
 * have been one after the other: up to the first that has ended otherwise, or
 * on if others follow that. False: the row has failed. */
bool mp_planner_ahead_run(struct ahead *ahead, uint32_t n);

void mp_planner_ahead_close(struct ahead *ahead);

#endif
