/*
 * Reads the proof of a bound on all orders, and replays it for a graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "order/order.h"
#include "order/search/certificate.h"
#include "order/search/every-order.h"
#include "proof/inside.h"

struct reader {
	const struct graph *graph;
	struct order_bound claim;
	struct proof_text text;
	uint32_t *number; /* of a tensor of the graph: that in the proof */
	uint32_t *tensor; /* of a number in the proof: the tensor */
	uint32_t n_tensors;
	struct arena *scratch;
};

/* ---------------------------------------------------------- problem */

static bool number_tensors(struct reader *r)
{
	uint32_t n = r->graph->n_tensors;

	r->number =
		mp_proof_number_tensors(r->graph, &r->n_tensors, r->scratch);
	r->tensor = NEW(r->scratch, uint32_t, n);
	if (!r->number || !r->tensor)
		return false;
	for (uint32_t t = 0; t < n; t++)
		if (r->number[t] != NONE)
			r->tensor[r->number[t]] = t;
	return true;
}

static bool check_problem(struct reader *r)
{
	struct sink problem = {.error = r->text.error};

	mp_proof_order_problem(
		r->graph, &r->claim, r->number, &problem, r->scratch);
	return mp_proof_same(&r->text, &problem,
		"the proof of the order is of another graph");
}

/* ------------------------------------------------------------ flows */

static bool take_op(struct reader *r, uint32_t *op)
{
	return mp_proof_skip(&r->text, " ") &&
	       mp_proof_index(&r->text, r->graph->n_ops, op);
}

/* Reads a step of a path: through a tensor to a reader, or to the end, -1; or
 * with tensor -1 to an op that the last one waits for. */
static bool take_step(
	struct reader *r, uint32_t last, struct certificate_arc *arc)
{
	uint32_t number;

	*arc = (struct certificate_arc){.kind = ARC_WAIT, .from = last};
	if (mp_proof_skip(&r->text, " -1"))
		return last != NONE && take_op(r, &arc->to);
	if (!mp_proof_skip(&r->text, " ") ||
		!mp_proof_index(&r->text, r->n_tensors, &number))
		return false;
	arc->from = r->tensor[number];
	arc->to = NONE;
	arc->kind = ARC_KEEP;
	if (mp_proof_skip(&r->text, " -1"))
		return true;
	arc->kind = ARC_READ;
	return take_op(r, &arc->to);
}

/* The arcs of all paths of a member. That bytes are conserved, and come from
 * ops that have run, shows in the check of the flow. */
struct arcs {
	struct certificate_arc *at;
	uint32_t n, room;
};

static bool add_path(struct reader *r, struct arcs *arcs)
{
	uint64_t bytes;
	uint32_t last = NONE;

	if (!mp_proof_number(&r->text, &bytes))
		return mp_proof_malformed(&r->text, "a path is missing");
	do {
		arcs->at = mp_arena_grow(r->scratch, arcs->at, arcs->n,
			&arcs->room, sizeof(*arcs->at));
		if (!arcs->at)
			return false;
		if (!take_step(r, last, &arcs->at[arcs->n]))
			return mp_proof_malformed(
				&r->text, "a path is not whole");
		arcs->at[arcs->n].bytes = bytes;
		last = arcs->at[arcs->n++].to;
	} while (last != NONE && !mp_proof_skip(&r->text, "\n"));
	return last != NONE || mp_proof_skip(&r->text, "\n") ||
	       mp_proof_malformed(&r->text, "a path goes on");
}

/* A member that cannot be it is not in the proof. */
static bool check_member(struct reader *r, uint32_t i)
{
	struct arcs arcs = {0};
	struct order_moment moment;
	struct certificate flow;
	char line[32];

	snprintf(line, sizeof(line), "member %u\n", r->claim.ops.at[i]);
	if (mp_proof_skip(&r->text, line))
		while (mp_proof_skip(&r->text, "path "))
			if (!add_path(r, &arcs))
				return false;
	flow = (struct certificate){arcs.at, arcs.n};
	moment = mp_order_moment_of(&r->claim, i);
	return mp_order_certificate_check(
		r->graph, &moment, &flow, r->scratch, r->text.error);
}

static bool check_flows(struct reader *r)
{
	uint32_t *ops = NEW(r->scratch, uint32_t, MOST_BOUND_OPS), n = 0;

	if (!ops)
		return false;
	for (; !mp_proof_skip(&r->text, "\n"); n++)
		if (n == MOST_BOUND_OPS || !take_op(r, &ops[n]))
			return mp_proof_malformed(
				&r->text, "no list of members");
	if (n == 0)
		return mp_proof_malformed(&r->text, "there is no member");
	r->claim.ops = (struct ids){ops, n};
	for (uint32_t i = 0; i < n; i++)
		if (!check_member(r, i))
			return false;
	return true;
}

/* ------------------------------------------------------------- sets */

static bool check_sets(struct reader *r)
{
	struct order_sets sets = {0};
	struct order_set set = {0};
	bool refuted = false;

	if (!mp_order_add_set(&sets, set, r->scratch))
		return false;
	while ((set.on_way = mp_proof_skip(&r->text, "group ")) ||
		mp_proof_skip(&r->text, "after ")) {
		if (!mp_proof_index(&r->text, sets.n, &set.from))
			return mp_proof_malformed(&r->text, "no such set");
		for (; !mp_proof_skip(&r->text, "\n"); set.from = sets.n - 1) {
			if (!take_op(r, &set.op))
				return mp_proof_malformed(
					&r->text, "no such op");
			if (!mp_order_add_set(&sets, set, r->scratch))
				return false;
		}
		sets.at[sets.n - 1].on_way = false;
	}
	if (!mp_order_check_sets(
		    r->graph, &r->claim, &sets, &refuted, r->scratch))
		return false;
	return refuted ||
	       mp_proof_refuse(&r->text, "an order below is not refuted");
}

/* ------------------------------------------------------------ proof */

static bool check_body(struct reader *r)
{
	if (mp_proof_skip(&r->text, "sets\n"))
		return check_sets(r);
	r->claim.first = mp_proof_skip(&r->text, "first");
	if (r->claim.first || mp_proof_skip(&r->text, "last"))
		return check_flows(r);
	return mp_proof_malformed(&r->text, "the order has no body");
}

static bool check(struct reader *r)
{
	if (!number_tensors(r) || !check_problem(r))
		return false;
	if (!mp_proof_skip(&r->text, "bound ") ||
		!mp_proof_number(&r->text, &r->claim.bytes) ||
		r->claim.bytes == 0 || !mp_proof_skip(&r->text, "\n"))
		return mp_proof_malformed(&r->text, "the order has no bound");
	return check_body(r) &&
	       ((mp_proof_skip(&r->text, "end\n") &&
			r->text.at == r->text.end) ||
		       mp_proof_malformed(&r->text, "the order does not end"));
}

/* The line that begins the proof of the order; NULL: there is none. */
static const char *find_order(const char *text, const char *end)
{
	static const char word[] = "\norder ";

	for (; (size_t)(end - text) >= strlen(word); text++) {
		text = memchr(text, '\n', (size_t)(end - text) - 6);
		if (!text)
			return NULL;
		if (memcmp(text, word, strlen(word)) == 0)
			return text + 1;
	}
	return NULL;
}

bool mp_proof_check_order(const struct graph *graph, bool inplace,
	const char *name, const char *text, size_t length, uint64_t *bound,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct reader r = {.graph = graph,
		.claim.inplace = inplace,
		.text = {name, find_order(text, text + length), text + length,
			scratch->error},
		.scratch = scratch};
	bool fine;

	*bound = 0;
	if (!r.text.at || !mp_order_fold_is_exact(graph))
		return true;
	fine = check(&r);
	*bound = fine ? r.claim.bytes : 0;
	mp_arena_rewind(scratch, mark);
	return fine;
}
