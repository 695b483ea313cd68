/*
 * Parts of a graph that look alike: see alike-parts.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_ALIKE_PARTS_H
#define MP_ORDER_SEARCH_ALIKE_PARTS_H

#include "order/search/inside.h"

enum {
	FEWEST_PARTS = 4 /* that look alike */
};

struct part {
	uint32_t name; /* its op */
	uint32_t rank;
	uint32_t kind; /* the one in the middle of those that are alike; NONE:
			  they are too few */
	uint64_t sum;
};

struct parts {
	struct search *s;
	uint64_t *look;	  /* of an op: equal where ops of two parts are alike */
	uint32_t *of;	  /* of an op: its part, an op of it; NONE: it has none
			   */
	struct lists ops; /* of a part */
	uint64_t *sum;	  /* of a part: equal where parts are alike */
	uint32_t *rank;	  /* of a part: its place in the chain of those */
	struct part *all; /* those that are alike lie together, by rank */
	uint32_t n;
	uint32_t n_alike; /* ops of parts that have a kind */
	uint32_t n_kinds;
};

/* Finds the parts of the search. False: memory is out. */
bool mp_order_parts_find(struct parts *p, struct search *s);

/* The ops of a part. */
static inline struct ids mp_order_parts_ops(
	const struct parts *p, uint32_t part)
{
	return mp_lists_at(&p->ops, part);
}

#endif
