/*
 * Reads the proof of a bound on all orders, and replays it for a graph.
 *
 * SPDX-License-Identifier: MIT
 */
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

/* The paths of a member. That no tensor has more bytes in them than it has
 * shows in the check of the flow. */
struct paths {
	struct order_sides sides;
	struct certificate_arc *arcs;
	uint32_t n, room;
	uint64_t bytes;
};

static bool take_op(struct reader *r, uint32_t *op)
{
	return mp_proof_skip(&r->text, " ") &&
	       mp_proof_index(&r->text, r->graph->n_ops, op);
}

/* A path goes on from the op that it led to; it begins where something has run,
 * or at the start. */
static bool leads_from(const struct reader *r, const struct order_sides *sides,
	uint32_t last, uint32_t tensor)
{
	const struct tensor *t = &r->graph->tensors[tensor];
	bool given = mp_order_certificate_is_given(t);

	return last == NONE ? given || sides->of[t->producer] == SIDE_RAN
			    : !given && t->producer == last;
}

/* Reads a step of a path: through a tensor to a reader, or to the end, -1; or
 * with tensor -1 to an op that the last one waits for. */
static bool take_step(struct reader *r, const struct order_sides *sides,
	uint32_t last, struct certificate_arc *arc)
{
	uint32_t number;

	*arc = (struct certificate_arc){.kind = ARC_WAIT, .from = last};
	if (mp_proof_skip(&r->text, " -1"))
		return last != NONE && take_op(r, &arc->to);
	if (!mp_proof_skip(&r->text, " ") ||
		!mp_proof_index(&r->text, r->n_tensors, &number) ||
		!leads_from(r, sides, last, r->tensor[number]))
		return false;
	arc->from = r->tensor[number];
	arc->to = NONE;
	arc->kind = ARC_KEEP;
	if (mp_proof_skip(&r->text, " -1"))
		return true;
	arc->kind = ARC_READ;
	return take_op(r, &arc->to);
}

static bool add_path(struct reader *r, struct paths *paths)
{
	uint64_t bytes;
	uint32_t last = NONE;

	if (!mp_proof_number(&r->text, &bytes) ||
		!num_add(paths->bytes, bytes, &paths->bytes))
		return mp_proof_malformed(&r->text, "a path is missing");
	do {
		struct certificate_arc *arc;

		paths->arcs = mp_arena_grow(r->scratch, paths->arcs, paths->n,
			&paths->room, sizeof(*paths->arcs));
		if (!paths->arcs)
			return false;
		arc = &paths->arcs[paths->n++];
		if (!take_step(r, &paths->sides, last, arc))
			return mp_proof_malformed(
				&r->text, "a path is not whole");
		arc->bytes = bytes;
		last = arc->kind == ARC_KEEP ? NONE : arc->to;
	} while (last != NONE && !mp_proof_skip(&r->text, "\n"));
	if (last == NONE && !mp_proof_skip(&r->text, "\n"))
		return mp_proof_malformed(&r->text, "a path goes on");
	return last == NONE || paths->sides.of[last] == SIDE_LATER ||
	       mp_proof_refuse(&r->text, "a path ends too early");
}

/* A member that cannot be it is not in the proof. */
static bool check_member(struct reader *r, uint32_t i)
{
	struct order_moment moment = mp_order_moment_of(&r->claim, i);
	uint32_t op = r->claim.ops.at[i], member;
	struct paths paths = {0};
	struct certificate flow;

	if (!mp_order_moment_sides(r->graph, &moment, &paths.sides, r->scratch))
		return false;
	if (paths.sides.clash)
		return true;
	if (!mp_proof_skip(&r->text, "member") || !take_op(r, &member) ||
		member != op || !mp_proof_skip(&r->text, "\n"))
		return mp_proof_malformed(&r->text, "a member is missing");
	while (mp_proof_skip(&r->text, "path "))
		if (!add_path(r, &paths))
			return false;
	if (!num_add(paths.bytes,
		    mp_order_certificate_need(r->graph, &r->claim, op, NULL),
		    &paths.bytes) ||
		paths.bytes < r->claim.bytes)
		return mp_proof_refuse(&r->text, "a member needs less");
	flow = (struct certificate){paths.arcs, paths.n};
	return mp_order_certificate_check(
		r->graph, &moment, &flow, r->scratch, r->text.error);
}

/* Each op once. */
static bool check_flows(struct reader *r)
{
	uint32_t *ops = NEW(r->scratch, uint32_t, MOST_BOUND_OPS), n = 0;
	bool *is_listed = NEW(r->scratch, bool, r->graph->n_ops);

	if (!ops || !is_listed)
		return false;
	for (; !mp_proof_skip(&r->text, "\n"); is_listed[ops[n++]] = true)
		if (n == MOST_BOUND_OPS || !take_op(r, &ops[n]) ||
			is_listed[ops[n]])
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
		do {
			if (!take_op(r, &set.op))
				return mp_proof_malformed(
					&r->text, "no such op");
			if (!mp_order_add_set(&sets, set, r->scratch))
				return false;
			set.from = sets.n - 1;
		} while (!mp_proof_skip(&r->text, "\n"));
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

bool mp_proof_has_order(const char *text, size_t length)
{
	return find_order(text, text + length) != NULL;
}

bool mp_proof_check_order(const struct graph *graph, bool inplace,
	const char *name, const char *text, size_t length, uint64_t *bound,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct reader r = {.graph = graph,
		.claim.inplace = inplace,
		.text = {name, text, text + length, scratch->error},
		.scratch = scratch};
	bool fine;

	*bound = 0;
	if (!mp_proof_begin(&r.text))
		return false;
	/* The first line may be the only one before it. */
	r.text.at = find_order(r.text.at - 1, r.text.end);
	if (!r.text.at)
		return true;
	if (!mp_order_fold_is_exact(graph))
		return mp_proof_refuse(&r.text,
			"no bound on the orders of this graph is proved");
	fine = check(&r);
	*bound = fine ? r.claim.bytes : 0;
	mp_arena_rewind(scratch, mark);
	return fine;
}
