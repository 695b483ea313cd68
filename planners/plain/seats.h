/*
 * Seats: all the orders of some members in which certain ones lie side by
 * side, as a PQ-tree (Booth, Lueker, Journal of Computer and System Sciences
 * 13(3), 1976). The members are leaves; the children of a node may change
 * places, or all be turned round if the node is stiff. Members go and others
 * come where they were, so the tree is as large as what is there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_SEATS_H
#define MP_PLANNERS_PLAIN_SEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/num.h"

struct seat_node {
	uint32_t parent, previous, next; /* NONE: the root, an end */
	uint32_t first, last, n;	 /* children; a leaf has none */
	bool is_stiff;			 /* they keep their order, or turn */
};

/* Of a node above some of those that are to lie side by side. Full: it is above
 * no others. */
struct seat_mark {
	uint32_t stamp;	     /* of the last time */
	uint32_t n, n_ready; /* children above some; of these all is known */
	uint32_t n_leaves;   /* of those it is above */
	uint32_t n_full, n_partial;
	uint32_t full, next_full; /* a list of the full children */
	uint32_t partial[2];
};

/* Scratch, which several trees may share. */
struct seat_marks {
	struct seat_mark *of; /* a node */
	uint32_t stamp;
	uint32_t *queue;
	uint64_t *hash; /* of a node */
	uint64_t looks; /* at nodes, since the caller cleared it */
};

struct seats {
	struct seat_node *at; /* leaves come first */
	struct seat_marks *marks;
	uint32_t root, n_leaves;
	uint32_t *spare, n_spare; /* nodes that are no leaves */
};

bool mp_planner_seats_marks(
	struct seat_marks *marks, uint32_t n_leaves, struct arena *arena);

/* Makes room. Members are numbers below n_leaves. */
bool mp_planner_seats_init(struct seats *o, uint32_t n_leaves,
	struct seat_marks *marks, struct arena *arena);

/* Any order of these members, at least one. */
void mp_planner_seats_begin(
	struct seats *o, const uint32_t *come, uint32_t n_come);

/* The same as another one has, of as many leaves. */
void mp_planner_seats_copy(struct seats *o, const struct seats *from);

/* A number that is the same for trees that are the same but for members of one
 * key; and about the logarithm of how many orders there are, in 256ths. */
uint64_t mp_planner_seats_hash(
	const struct seats *o, const uint64_t *key, uint64_t *freedom);

/* What lay side by side. */
struct seat_run {
	uint32_t *members; /* in one order that may be; the caller has room */
	uint32_t beside;   /* it was on this side of a member that is still
			      there, else the other way round; NONE: as it
			      likes */
	bool is_behind;
};

/* Keeps the orders in which some members lie side by side, and puts others in
 * their place, in any order. False: there are none, and nothing changes. Both
 * are at least one. */
bool mp_planner_seats_replace(struct seats *o, const uint32_t *gone,
	uint32_t n_gone, const uint32_t *come, uint32_t n_come,
	struct seat_run *run);

/* One of the orders; how many members there are. */
uint32_t mp_planner_seats_any(const struct seats *o, uint32_t *members);

#endif
