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

/* What a search for some members that are to lie side by side has found of a
 * node that is above one of them. A node is full if it is above no other
 * members, else partial. */
struct seat_mark {
	uint32_t stamp;	     /* of the search that it is of */
	uint32_t n, n_ready; /* children above some of them; of so many of these
				all is known */
	uint32_t n_leaves;   /* how many of the members it is above */
	uint32_t n_full, n_partial;
	uint32_t full, next_full; /* a list of the full children */
	uint32_t partial[2];
};

/* Scratch, which several trees may share. */
struct seat_marks {
	struct seat_mark *of; /* one a node */
	uint32_t stamp;
	uint32_t *queue;
	uint64_t *hash; /* one a node */
	uint64_t looks; /* at nodes, since the caller cleared it */
};

struct seats {
	struct seat_node *at; /* leaves come first */
	struct seat_marks *marks;
	uint32_t root, n_leaves;
	uint32_t *spare, n_spare; /* nodes that are no leaves */
};

/* Makes room for trees of so many leaves. False: memory is out. */
bool mp_planner_seats_marks(
	struct seat_marks *marks, uint32_t n_leaves, struct arena *arena);

/* Makes room for members, which are numbers below n_leaves. False: memory is
 * out. */
bool mp_planner_seats_init(struct seats *o, uint32_t n_leaves,
	struct seat_marks *marks, struct arena *arena);

/* Makes a tree of these members, at least one, which may lie in any order. */
void mp_planner_seats_begin(
	struct seats *o, const uint32_t *come, uint32_t n_come);

/* Makes the tree equal to another one with as many leaves. */
void mp_planner_seats_copy(struct seats *o, const struct seats *from);

/* Returns a hash of the tree by the keys of its members: trees that differ only
 * in members of equal keys have the same one. *freedom: about the binary
 * logarithm of the number of orders, in 256ths. */
uint64_t mp_planner_seats_hash(
	const struct seats *o, const uint64_t *key, uint64_t *freedom);

/* The members that lay side by side and were replaced. */
struct seat_run {
	uint32_t *members; /* in one possible order; the caller makes room */
	uint32_t beside;   /* a member that is still there; NONE: the run may
			      be turned round */
	bool is_behind;	   /* the run, in that order, lay behind `beside`; else
			      in front of it */
};

/* Keeps the orders in which some members lie side by side, and puts others in
 * their place, in any order. False: there are none, and nothing changes. Both
 * are at least one. */
bool mp_planner_seats_replace(struct seats *o, const uint32_t *gone,
	uint32_t n_gone, const uint32_t *come, uint32_t n_come,
	struct seat_run *run);

/* Fills members with one of the orders. Returns how many there are. */
uint32_t mp_planner_seats_any(const struct seats *o, uint32_t *members);

#endif
