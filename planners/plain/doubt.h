/*
 * Doubt: how often two compounds fit by chance. They do so the more often, the
 * more of all have that size, or that lifetime: small boxes have many like
 * them. What is joined is larger, and in less doubt.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_PLANNERS_PLAIN_DOUBT_H
#define MP_PLANNERS_PLAIN_DOUBT_H

#include "planners/plain/compounds.h"

enum {
	DOUBT_BUCKETS = 256, /* of sizes or lifetimes: four an octave */
	DOUBT_ONE = 256	     /* a doubt: one match by chance */
};

/* By bucket: matches by chance that a compound of that size, or of that
 * lifetime, can expect. Zero: what fits is in no doubt. */
struct doubts {
	uint64_t of_size[DOUBT_BUCKETS], of_life[DOUBT_BUCKETS];
	/* Scratch, one a buffer. */
	uint32_t *order, *spare;
	uint64_t *value;
};

/* Makes room for the problem of so many buffers. False: memory is out. */
bool mp_planner_doubts_init(
	struct doubts *doubts, uint32_t n_buffers, struct arena *arena);

/* Finds them for compounds of which none is joined yet. */
void mp_planner_doubts_find(struct doubts *doubts, const struct compounds *c);

/* The doubt that the compound is in as a member of such a join. */
uint64_t mp_planner_doubt_of(
	const struct doubts *doubts, const struct compound *x, enum join how);

#endif
