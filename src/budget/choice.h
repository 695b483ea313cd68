/*
 * Which rests are used, while that is being decided: what the choice does to
 * every step, and the two moves of which all choices are made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_CHOICE_H
#define MP_BUDGET_CHOICE_H

#include "budget/inside.h"

struct choice {
	struct budget_job *job;
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
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

/* Changes the best choice as long as that makes it faster: one candidate goes
 * or comes, and others make up for it. */
void mp_budget_choice_improve(struct choice *c);

#endif
