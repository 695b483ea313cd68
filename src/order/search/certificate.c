/*
 * The check of a certificate: conservation of flow, capacities of tensors,
 * bytes at the member.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/certificate.h"

#include <assert.h>

#include "base/lists.h"
#include "base/sink-text.h"

struct check {
	const struct graph *graph;
	const struct order_moment *moment;
	uint32_t member; /* op that runs; NONE: none */
	struct order_sides sides;
	uint32_t *stack;
	uint64_t *in, *out; /* of an op: bytes that flow in and out */
	uint64_t *through;  /* of a tensor: bytes that flow through it */
	uint64_t kept;	    /* bytes that flow into tensors that are kept */
	struct error *error;
};

/* ------------------------------------------------------------ sides */

/* Puts an op on a side, and on the stack if it was on none. */
static void put_op(
	struct check *c, uint32_t op, enum order_side side, uint32_t *n)
{
	c->sides.clash |=
		c->sides.of[op] != SIDE_OPEN && c->sides.of[op] != side;
	if (c->sides.of[op] != SIDE_OPEN)
		return;
	c->sides.of[op] = (uint8_t)side;
	c->stack[(*n)++] = op;
}

/* With an op that has run its predecessors have run; with one that runs later
 * its successors do. */
static void mark_side(struct check *c, uint32_t op, enum order_side side)
{
	uint32_t n = 0;

	put_op(c, op, side, &n);
	while (n > 0) {
		const struct op *at = &c->graph->ops[c->stack[--n]];
		struct ids next = side == SIDE_RAN ? at->before : at->behind;

		for (uint32_t i = 0; i < next.n; i++)
			put_op(c, next.at[i], side, &n);
	}
}

static bool find_sides(struct check *c, struct arena *arena)
{
	uint32_t n = c->graph->n_ops;
	const struct ids *ops = &c->moment->claim->ops;
	struct ids before = {0};

	c->sides.of = NEW(arena, uint8_t, n);
	c->stack = NEW(arena, uint32_t, n);
	if (!c->sides.of || !c->stack)
		return false;
	if (c->member != NONE) {
		before = c->graph->ops[c->member].before;
		mark_side(c, c->member, SIDE_LATER);
	}
	for (uint32_t i = 0; i < before.n; i++)
		mark_side(c, before.at[i], SIDE_RAN);
	for (uint32_t i = 0; i < ops->n; i++)
		if (ops->at[i] != c->member)
			mark_side(c, ops->at[i],
				c->moment->ran >> i % MOST_FEW_OPS & 1
					? SIDE_RAN
					: SIDE_LATER);
	return true;
}

static struct check begin(const struct graph *graph,
	const struct order_moment *moment, struct error *e)
{
	return (struct check){.graph = graph,
		.moment = moment,
		.member = moment->next == NONE
				  ? NONE
				  : moment->claim->ops.at[moment->next],
		.error = e};
}

bool mp_order_moment_sides(const struct graph *graph,
	const struct order_moment *moment, struct order_sides *sides,
	struct arena *arena)
{
	struct check c = begin(graph, moment, arena->error);
	bool fine = find_sides(&c, arena);

	*sides = c.sides;
	return fine;
}

/* ---------------------------------------------------------- tensors */

/* Lifetimes of pinned tensors do not depend on the order, so they do not count.
 */
uint64_t mp_order_certificate_bytes(
	const struct graph *graph, const struct tensor *t)
{
	return t->external || t->size == 0 || t->pinned
		       ? 0
		       : mp_graph_tensor_rounded(graph, t);
}

bool mp_order_certificate_is_kept(const struct tensor *t)
{
	return t->to_end || t->kind == KIND_OUTPUT || t->kind == KIND_WEIGHT ||
	       t->kind == KIND_STATE;
}

/* Alive from before the first op. */
bool mp_order_certificate_is_given(const struct tensor *t)
{
	return t->producer == NONE || t->from_start || t->kind == KIND_INPUT ||
	       t->kind == KIND_WEIGHT || t->kind == KIND_STATE;
}

/* Is the tensor alive until the op has run? */
bool mp_order_certificate_uses(
	const struct graph *graph, const struct tensor *t, uint32_t op)
{
	struct ids readers = mp_graph_readers(graph, t);
	if (readers.n == 0 && mp_order_certificate_is_given(t))
		return t->producer == op;
	return mp_lists_contain(readers, op);
}

/* ------------------------------------------------------------- flow */

static bool init_flow(struct check *c, struct arena *arena)
{
	uint32_t n = c->graph->n_ops;

	c->in = NEW(arena, uint64_t, n);
	c->out = NEW(arena, uint64_t, n);
	c->through = NEW(arena, uint64_t, c->graph->n_tensors);
	return c->in && c->out && c->through;
}

static bool fail_arc(struct check *c, uint32_t arc, const char *what)
{
	return mp_fail(c->error, MEMPLAN_NO,
		"%s: bound of the order, op %u, arc %u: %s", c->graph->place,
		c->member, arc, what);
}

static bool add(uint64_t *sum, uint64_t bytes)
{
	return num_add(*sum, bytes, sum);
}

/* Adds flow through a tensor, which leaves its producer if it has one. */
static bool flow_through(struct check *c, uint32_t tensor, uint64_t bytes)
{
	const struct tensor *t = &c->graph->tensors[tensor];

	return add(&c->through[tensor], bytes) &&
	       c->through[tensor] <= mp_order_certificate_bytes(c->graph, t) &&
	       (mp_order_certificate_is_given(t) ||
		       add(&c->out[t->producer], bytes));
}

static bool follow_arc(
	struct check *c, const struct certificate_arc *arc, uint32_t i)
{
	const struct graph *graph = c->graph;

	if (arc->kind == ARC_WAIT) {
		if (arc->from >= graph->n_ops ||
			!mp_lists_contain(
				graph->ops[arc->from].before, arc->to))
			return fail_arc(c, i, "the ops do not wait like that");
		return (add(&c->out[arc->from], arc->bytes) &&
			       add(&c->in[arc->to], arc->bytes)) ||
		       fail_arc(c, i, "too many bytes");
	}
	if (arc->from >= graph->n_tensors)
		return fail_arc(c, i, "no such tensor");
	if (!flow_through(c, arc->from, arc->bytes))
		return fail_arc(c, i, "more bytes than the tensor has");
	if (arc->kind == ARC_KEEP)
		return (mp_order_certificate_is_kept(
				&graph->tensors[arc->from]) &&
			       add(&c->kept, arc->bytes)) ||
		       fail_arc(c, i, "the tensor is not kept");
	if (arc->to >= graph->n_ops ||
		mp_order_certificate_is_kept(&graph->tensors[arc->from]) ||
		!mp_order_certificate_uses(
			graph, &graph->tensors[arc->from], arc->to))
		return fail_arc(c, i, "the op does not read the tensor");
	return add(&c->in[arc->to], arc->bytes) ||
	       fail_arc(c, i, "too many bytes");
}

/* Bytes alive before the member runs: flow into ops that run later, flow into
 * kept tensors, and tensors alive throughout. */
static bool find_alive(struct check *c, uint64_t *alive)
{
	uint64_t in = c->kept, out = 0;

	for (uint32_t op = 0; op < c->graph->n_ops; op++) {
		if (c->sides.of[op] == SIDE_OPEN && c->in[op] != c->out[op])
			return mp_fail(c->error, MEMPLAN_NO,
				"%s: bound of the order, op %u: more flows "
				"into or out of op %u",
				c->graph->place, c->member, op);
		if (c->sides.of[op] == SIDE_LATER &&
			(!add(&in, c->in[op]) || !add(&out, c->out[op])))
			return fail_arc(c, 0, "too many bytes");
	}
	for (uint32_t t = 0; t < c->graph->n_tensors; t++) {
		const struct tensor *tensor = &c->graph->tensors[t];

		if (mp_order_certificate_is_given(tensor) &&
			mp_order_certificate_is_kept(tensor) &&
			c->through[t] == 0)
			in += mp_order_certificate_bytes(c->graph, tensor);
	}
	*alive = in > out ? in - out : 0;
	return true;
}

/* Is some user of the tensor left, or is it kept? */
static bool is_wanted(
	const struct graph *graph, const struct tensor *t, const bool *ran)
{
	struct ids readers = mp_graph_readers(graph, t);

	if (mp_order_certificate_is_kept(t))
		return true;
	for (uint32_t i = 0; i < readers.n; i++)
		if (!ran[readers.at[i]])
			return true;
	return readers.n == 0 && mp_order_certificate_is_given(t) &&
	       t->producer != NONE && !ran[t->producer];
}

uint64_t mp_order_certificate_alive(const struct graph *graph, const bool *ran)
{
	uint64_t alive = 0;

	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		const struct tensor *t = &graph->tensors[i];

		if ((mp_order_certificate_is_given(t) || ran[t->producer]) &&
			is_wanted(graph, t, ran))
			alive += mp_order_certificate_bytes(graph, t);
	}
	return alive;
}

/* ------------------------------------------------------------- need */

bool mp_order_certificate_is_pair(const struct graph *graph,
	const struct order_bound *claim, uint32_t op,
	const struct inplace_pair *pair)
{
	const struct tensor *in = &graph->tensors[pair->input];
	const struct tensor *out = &graph->tensors[pair->output];

	return claim->inplace && pair->input != pair->output && !in->tied &&
	       !out->tied && mp_order_certificate_bytes(graph, in) > 0 &&
	       mp_order_certificate_bytes(graph, out) > 0 &&
	       !mp_order_certificate_is_given(out) &&
	       !mp_order_certificate_is_kept(in) && in->placed == out->placed &&
	       in->offset == out->offset && in->pools == out->pools &&
	       mp_order_certificate_uses(graph, in, op);
}

/* The most that this output can save by taking over an input's bytes. */
static uint64_t most_saved(const struct graph *graph,
	const struct order_bound *claim, uint32_t member, uint32_t output,
	const uint32_t *left)
{
	const struct op *op = &graph->ops[member];
	const struct tensor *tensors = graph->tensors;
	uint64_t most = 0;

	for (uint32_t i = 0; i < op->n_inplace; i++) {
		const struct inplace_pair *pair = &op->inplace[i];

		if (pair->output != output || (left && left[pair->input] > 1) ||
			!mp_order_certificate_is_pair(
				graph, claim, member, pair))
			continue;
		most = num_max(most, mp_order_certificate_bytes(
					     graph, &tensors[pair->input]));
	}
	return num_min(
		most, mp_order_certificate_bytes(graph, &tensors[output]));
}

static uint64_t need_of(const struct graph *graph,
	const struct order_bound *claim, uint32_t op, const struct ids *list,
	const uint32_t *left)
{
	uint64_t need = 0;

	for (uint32_t i = 0; i < list->n; i++) {
		const struct tensor *t = &graph->tensors[list->at[i]];

		if (!mp_order_certificate_is_given(t))
			need += mp_order_certificate_bytes(graph, t) -
				most_saved(graph, claim, op, list->at[i], left);
	}
	return need;
}

uint64_t mp_order_certificate_need(const struct graph *graph,
	const struct order_bound *claim, uint32_t op, const uint32_t *left)
{
	const struct op *o = &graph->ops[op];

	return need_of(graph, claim, op, &o->outputs, left) +
	       need_of(graph, claim, op, &o->temporaries, left);
}

/* ------------------------------------------------------------ check */

static bool check_member(struct check *c, const struct certificate *certificate)
{
	uint64_t alive = 0;

	for (uint32_t i = 0; i < certificate->n_arcs; i++)
		if (!follow_arc(c, &certificate->arcs[i], i))
			return false;
	if (!find_alive(c, &alive))
		return false;
	if (c->member != NONE)
		alive += mp_order_certificate_need(
			c->graph, c->moment->claim, c->member, NULL);
	if (alive < c->moment->bytes)
		return mp_fail(c->error, MEMPLAN_NO,
			"%s: bound of the order: it claims %llu byte%s, op %u "
			"can run with %llu",
			c->graph->place, (unsigned long long)c->moment->bytes,
			mp_text_plural(c->moment->bytes), c->member,
			(unsigned long long)alive);
	return true;
}

struct order_moment mp_order_moment_of(
	const struct order_bound *claim, uint32_t member)
{
	assert(member < claim->ops.n);
	return (struct order_moment){.claim = claim,
		.ran = claim->first ? 0 : UINT32_MAX,
		.next = member,
		.bytes = claim->bytes};
}

bool mp_order_certificate_check(const struct graph *graph,
	const struct order_moment *moment,
	const struct certificate *certificate, struct arena *arena,
	struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct check c = begin(graph, moment, e);
	bool fine = find_sides(&c, arena) && init_flow(&c, arena);

	fine = fine && (c.sides.clash || check_member(&c, certificate));
	mp_arena_rewind(arena, mark);
	return fine;
}
