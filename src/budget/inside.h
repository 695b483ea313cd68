/*
 * The inside of a budget: what could leave the arena between two uses, what it
 * takes, and which of it is chosen.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_INSIDE_H
#define MP_BUDGET_INSIDE_H

#include "base/lists.h"
#include "base/names.h"
#include "budget/budget.h"

/* ------------------------------------------------------------ rests */

/* A rest of a tensor between two uses, and one way to use it. As it is found,
 * its bytes are free for all steps between the two. */
struct candidate {
	struct detour detour;
	uint64_t size;		     /* in the arena */
	uint64_t write, read, again; /* nanoseconds of its parts */
	uint64_t need;		     /* bytes while ops run again */
	const uint32_t *inputs;	     /* items that these read */
	uint32_t n_inputs;
	uint32_t rest; /* of the choice's rests */
	bool chosen, tried;
};

/* All rests of a job's problem, those of one tensor in the order of steps. */
bool mp_budget_rests_find(
	const struct budget_job *job, struct candidate **rests, uint32_t *n);

/* ------------------------------------------------------------- tags */

/* What added ops and tensors call the tensors of a graph: by its name, or where
 * another one has that name too, by its id. */
struct tags {
	const char **of;    /* of a tensor */
	struct names taken; /* names and ids, of what was added too */
	struct names ops;   /* what ops of the graph are called */
};

/* room: for how many names of what is added. False: memory is out. */
bool mp_budget_tags_init(struct tags *tags, const struct graph *graph,
	uint32_t room, struct arena *arena);

/* TAG@WHAT and a number from *count on, 0 for none, that no tensor has. *count
 * is then behind it. NULL: memory is out. */
const char *mp_budget_tags_name(struct tags *tags, uint32_t tensor,
	const char *what, uint32_t *count, struct arena *arena);

/* What a copy out is called: swap-out TAG, and @ behind it until no op of the
 * graph is called that. It has no results that could tell it from one. NULL:
 * memory is out. */
const char *mp_budget_tags_copy_out(
	const struct tags *tags, uint32_t tensor, struct arena *arena);

/* ----------------------------------------------- ops that run again */

enum {
	CHAIN_INPUTS = 64, /* at most, that its ops find alive */
	CHAIN_DEPTH = 6,   /* ways to begin one farther back */
};

struct chain {
	uint32_t ops[DETOUR_OPS]; /* in the order in which they first ran */
	uint32_t n_ops;
	uint32_t inputs[CHAIN_INPUTS]; /* tensors that are alive and read */
	uint32_t n_inputs;
	uint64_t nanoseconds;
	uint64_t need; /* bytes on top of the item's own while they run */
};

/* What makes an item anew before a step. What its op reads is made anew too if
 * it is dead by then; and up to depth ops back if it is alive but rests, so
 * that it need not be. place is the step of each op. False: it cannot be made;
 * or not differently from how it is with less depth. */
bool mp_budget_recompute_find(const struct schedule *schedule,
	const uint32_t *place, const bool *tied, uint32_t tensor, uint32_t step,
	uint32_t depth, struct chain *chain);

/* ------------------------------------------------------------ times */

/*
 * When the copies of a choice run, and how long the run then takes. Copies wait
 * for each other in one queue. A write is queued behind the last use of its
 * tensor, and compute waits for it where the bytes are needed; a read is queued
 * where there is room for its bytes, and compute waits for it before the next
 * use. So the bytes are safe whatever the copies take; the times say only where
 * it is best to wait.
 */
struct pace {
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
	enum detour_mode mode;
	bool quick;	    /* only the way that was best last time */
	uint64_t target;    /* bytes that no step may exceed */
	uint64_t *extra;    /* of a step: bytes on top of its load */
	uint64_t *cost;	    /* of a step: nanoseconds of its op */
	uint64_t peak;	    /* greatest load that is left */
	uint32_t peak_step; /* first step that has it */

	/* Scratch. */
	struct lists by_last, by_next; /* of a step: candidates */
	uint32_t *leaving, *coming;    /* chosen ones that are written, read */
	uint32_t n_leaving, n_coming;
	uint64_t *load, *change, *join; /* of a step */
	uint64_t *again;		/* of a step: what runs again */
	uint64_t *done;			/* of a copy */
	uint32_t way;			/* that was best */
	uint32_t *seen, round;		/* of an item: round that wrote it */
};

/* extra is zero at first; the caller may change it. */
bool mp_budget_pace_init(struct pace *pace, const struct budget_job *job,
	struct candidate *at, uint32_t n);

/* Time of a run with what is chosen, in nanoseconds. Fills the steps of the
 * chosen detours, which of them write, and the peak. If the chosen ones can
 * meet the target at all, they do; a mode is never slower than the ones
 * before, unless quick. */
uint64_t mp_budget_pace_run(struct pace *pace);

/* What that costs, about 1 ns each. */
uint64_t mp_budget_pace_work(const struct pace *pace);

/* ----------------------------------------------------------- choice */

/* The candidates that use one rest: they stand side by side, and at most one
 * of them is chosen. */
struct rest {
	uint32_t last_use, next_use;
	uint64_t size;
	uint64_t fastest[2]; /* time of a copy, and of any of them; UINT64_MAX:
				there is none */
	uint32_t first, n;
	bool used; /* one of them is chosen */
};

/* Which rests are used, while that is being decided: what the choice does to
 * every step, and the two moves of which all choices are made. */
struct choice {
	struct budget_job *job;
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
	struct rest *rests; /* by next_use */
	uint32_t n_rests;
	uint32_t *earliest; /* of each so many rests: the least last_use */
	uint32_t *chosen;   /* candidates, in any sequence */
	uint32_t *place;    /* of a chosen candidate: its place there */
	uint32_t n_chosen;
	bool *begin; /* of a candidate: in the choice to begin from */
	struct pace pace;
	uint32_t *order; /* candidates, slowest first */
	uint64_t *load;	 /* of a step, all windows at their widest */
	uint64_t *born;	 /* of a step: bytes that begin to live at it */
	uint32_t *over;	 /* of a step: steps before it above the target */
	uint32_t n_over; /* steps above the target */
	uint64_t peak;	 /* greatest of them; where it was last looked for */
	uint32_t peak_step;
	bool again;    /* ops may run again */
	uint64_t work; /* left to spend on improving, in entries looked at */
	bool *best;    /* of a candidate: in the best choice so far */
};

/* Nothing is chosen. */
bool mp_budget_choice_init(struct choice *c, struct budget_job *job);

/* May it be chosen, by itself? */
bool mp_budget_choice_is_open(
	const struct choice *c, const struct candidate *one);

/* Chooses a candidate that is not, or the other way round. */
void mp_budget_choice_toggle(struct choice *c, uint32_t candidate);

/* Exactly these; NULL: none. */
void mp_budget_choice_set(struct choice *c, const bool *chosen);

/* May both be chosen? Not if they use the same rest, nor if one runs an op
 * again that reads what the other has sent away. */
bool mp_budget_choice_clash(
	const struct candidate *a, const struct candidate *b);

/* Adds, at the worst step, what helps most for its time and was not tried. */
void mp_budget_choice_add_until_it_fits(struct choice *c);

/* Takes back what is not needed and was not tried, slowest first. */
void mp_budget_choice_take_back(struct choice *c);

/* Keeps what is chosen as the best if it fits and is faster; or, if nothing
 * fits yet, if it leaves less. */
bool mp_budget_choice_keep_best(struct choice *c);

#endif
