/*
 * Certificates: proofs of lower bounds that can be checked without trusting the
 * search. The claim names a set of ops. In every order one of them, the member,
 * runs after all others of the set (or before all others). For each possible
 * member a flow through the graph shows how many bytes are alive when it runs:
 * flow from ops that have run to ops that have not must pass through tensors
 * that are alive. The simplest claim is a set of one op. For claims of a few
 * ops, of which others have run, there are flows too: see certify-few.c.
 *
 * The check is linear in the graph and shares no code with bounds and search.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_CERTIFICATE_H
#define MP_ORDER_SEARCH_CERTIFICATE_H

#include "graph/graph.h"

enum certificate_arc_kind {
	ARC_READ, /* from the producer of a tensor to one of its readers */
	ARC_KEEP, /* from the producer of a tensor that is alive to the end */
	ARC_WAIT, /* from an op to one that it waits for; needs no tensor */
};

struct certificate_arc {
	uint64_t bytes;
	uint32_t from; /* tensor; ARC_WAIT: the op */
	uint32_t to;   /* reader; ARC_WAIT: the op that it waits for */
	enum certificate_arc_kind kind;
};

/* The flow at one moment. */
struct certificate {
	const struct certificate_arc *arcs;
	uint32_t n_arcs;
};

/* Some of a claim's ops have run, and the others have not. */
struct order_moment {
	const struct order_bound *claim;
	uint32_t ran;  /* bits of the ops that have run; of more than 32, all or
			  none */
	uint32_t next; /* the one of the others that runs now; NONE: none */
	uint64_t bytes; /* that are alive, with what that one brings */
};

/* That of the member at this place of a claim, as it runs last (or first). */
struct order_moment mp_order_moment_of(
	const struct order_bound *claim, uint32_t member);

/* What is known of an op at a moment. */
enum order_side {
	SIDE_OPEN,
	SIDE_RAN,   /* has run before the member */
	SIDE_LATER, /* the member, and ops that run after it */
};

struct order_sides {
	uint8_t *of; /* of an op: enum order_side */
	bool clash;  /* an op is on both: the moment cannot be */
};

/* False: memory is out. */
bool mp_order_moment_sides(const struct graph *graph,
	const struct order_moment *moment, struct order_sides *sides,
	struct arena *arena);

/* Checks the bytes of the moment. True if it cannot be, or if the certificate
 * is a flow that shows the bytes. Else false, with MEMPLAN_NO and what is
 * wrong. */
bool mp_order_certificate_check(const struct graph *graph,
	const struct order_moment *moment,
	const struct certificate *certificate, struct arena *arena,
	struct error *e);

/* ------------------------------------------------------------ facts */

/* Bytes of a tensor, as far as they depend on the order. */
uint64_t mp_order_certificate_bytes(
	const struct graph *graph, const struct tensor *tensor);

/* Alive to the end; alive from before the first op; alive until the op has run.
 */
bool mp_order_certificate_is_kept(const struct tensor *tensor);
bool mp_order_certificate_is_given(const struct tensor *tensor);
bool mp_order_certificate_uses(
	const struct graph *graph, const struct tensor *tensor, uint32_t op);

/* May the output of this pair of the op save bytes, in some order? */
bool mp_order_certificate_is_pair(const struct graph *graph,
	const struct order_bound *claim, uint32_t op,
	const struct inplace_pair *pair);

/* Bytes alive once these ops have run, of tensors that the order moves. */
uint64_t mp_order_certificate_alive(const struct graph *graph, const bool *ran);

/* Bytes that an op brings, less the most that in-place pairs can save; with
 * left, how many users of each tensor have not run, those of inputs that die
 * there. */
uint64_t mp_order_certificate_need(const struct graph *graph,
	const struct order_bound *claim, uint32_t op, const uint32_t *left);

#endif
