/*
 * The smallest plan over choices of in-place pairs, in one order of the ops:
 * what choose-pairs.c and price-pairs.c ask.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_PAIR_SEARCH_H
#define MP_STREET_PAIR_SEARCH_H

#include "street/street.h"

struct pair_search {
	memplan *m;
	struct run run; /* its left is this search's */
	const struct order_job *order;
	uint32_t alternative;	      /* of the order */
	const struct schedule *first; /* the choice that the others change */
	uint32_t forced;    /* a pair of it that all choices take; NONE: none */
	uint32_t share;	    /* parts of the work, of which the search has one */
	uint32_t most_free; /* pairs of which all choices are tried */
	uint32_t most_tries; /* else: changes of one pair */
	bool keeps; /* the handle keeps what is smaller than its plan */

	bool *left;	/* one a pair, as the schedule lists them: left apart */
	uint64_t arena; /* of the smallest plan so far */
	uint64_t least; /* no choice that was tried has a smaller plan */
	bool whole;	/* no plan was cut short */

	uint32_t *free; /* pairs that may be taken or not */
	uint32_t n_free;
};

/* A search from that schedule of one of the orders, which forces no pair, has
 * all of the work, leaves nothing apart and has no plan yet. The schedule has
 * one memory: what does not fit several is said in words that live as long as
 * the schedules, and these are given back. Left is NULL if memory is out. */
struct pair_search mp_street_pair_search(memplan *m, const struct run *run,
	const struct order_job *order, const struct schedule *first);

/* Does one op want to give two inputs to an output, or an input to two? */
bool mp_street_pairs_meet(
	const struct inplace_outcome *a, const struct inplace_outcome *b);

/* Plans the choice that `left` says with one part in `share` of the search's
 * work. Skips it if its load alone is no less than the arena. If the handle
 * keeps no plans, the schedule is gone afterwards. */
bool mp_street_try_pairs(struct pair_search *search, uint32_t share);

/* Plans other choices. Arena and least are those of the first choice before,
 * and afterwards of all choices, of which `bound` is a lower bound too. */
bool mp_street_search_pairs(struct pair_search *search, uint64_t bound);

#endif
