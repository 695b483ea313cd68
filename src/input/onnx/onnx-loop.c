/*
 * Loop and Scan. The body stands between two ops: `iterate` makes what is new
 * in each iteration, `next` reads all that it hands on; from the one to the
 * other it is a loop of the graph. Before it `begin` writes the states as they
 * are first, and makes room for what is collected. Behind it `end` hands out
 * the states as they are last.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/onnx/inside.h"

struct layout {
	struct onnx_build *build;
	struct onnx_scope *scope;
	const struct onnx_node *node;
	struct onnx_scope body;
	struct onnx_op *begin, *iterate;
	uint32_t loop;	       /* its number among those of the graph */
	uint32_t n_states;     /* values that are carried on */
	uint32_t first_state;  /* the first of the body's inputs */
	uint32_t first_result; /* the first of the body's outputs that is a
				  state */
	uint64_t trips;	       /* iterations; NONE: not known */
};

static bool fail_count(
	const struct layout *l, const char *what, uint32_t n, uint32_t wanted)
{
	return mp_input_onnx_fail(l->build, l->node,
		"its body has %u %s and needs %u", n, what, wanted);
}

/* An input of the body, which the op writes. */
static bool add_input(struct layout *l, struct onnx_op *op, uint32_t k,
	uint32_t type, const uint64_t *dims, uint32_t n, uint32_t *index)
{
	struct onnx_build *b = l->build;
	const struct onnx_declared *input = &l->body.graph->inputs.at[k];
	struct onnx_value *value;

	value = mp_input_onnx_make(b, &l->body,
		mp_input_onnx_symbol(b, &l->body, input->key), input->place,
		index);
	return value &&
	       mp_input_onnx_set_shape(b, value, type, dims, n, input->place) &&
	       mp_input_onnx_writes(b, l->node, op, *index);
}

/* Input k of the node, which must be there and have a shape. */
static bool outer_input(struct layout *l, uint32_t k, uint32_t *value)
{
	if (!mp_input_onnx_input(l->build, l->scope, l->node, k, value))
		return false;
	if (*value == NONE)
		return mp_input_onnx_fail(
			l->build, l->node, "input %u is missing", k);
	if (!l->build->values[*value]->shaped)
		return mp_input_onnx_fail(l->build, l->node,
			"'%.80s' is %s: memplan plans tensors of numbers",
			l->build->values[*value]->name,
			l->build->values[*value]->fault);
	return true;
}

/* One that grows from iteration to iteration has from the first one on the
 * shape that is said of output k: so no later one has more bytes than are
 * planned. */
static bool shape_state(struct layout *l, uint32_t k,
	const struct onnx_value *x, uint64_t *dims, uint32_t *n)
{
	struct onnx_build *b = l->build;
	const struct onnx_symbol *symbol;
	uint64_t said[ONNX_RANK], bytes = 1;
	uint32_t n_said, type;

	*n = x->shape.n;
	if (*n > 0)
		memcpy(dims, x->shape.at, *n * sizeof(*dims));
	if (k >= l->node->outputs.n || l->node->outputs.at[k].n == 0)
		return true;
	symbol = mp_input_onnx_symbol(b, l->scope, l->node->outputs.at[k]);
	if (!symbol)
		return false;
	if (!mp_input_onnx_said_shape(
		    b, l->scope, symbol, said, &n_said, &type))
		return true;
	for (uint32_t i = 0; i < n_said; i++)
		if (!num_mul(bytes, said[i], &bytes))
			return true;
	if (n_said == *n && bytes > x->n)
		memcpy(dims, said, n_said * sizeof(*dims));
	return true;
}

/* The states begin as inputs of the node, from `from` on, and may have their
 * bytes. */
static bool add_states(struct layout *l, uint32_t from)
{
	struct onnx_build *b = l->build;
	uint64_t dims[ONNX_RANK];
	uint32_t outer, inner, n;

	for (uint32_t i = 0; i < l->n_states; i++)
		if (!outer_input(l, from + i, &outer) ||
			!shape_state(l, i, b->values[outer], dims, &n) ||
			!add_input(l, l->begin, l->first_state + i,
				b->values[outer]->type, dims, n, &inner) ||
			!mp_input_onnx_pair(b, l->begin, inner, outer))
			return false;
	return true;
}

/* begin reads the inputs of the node. */
static bool open_loop(struct layout *l)
{
	struct onnx_build *b = l->build;
	uint32_t value;

	l->begin = mp_input_onnx_flow_op(b, l->scope, l->node, "begin");
	if (!l->begin)
		return false;
	for (uint32_t k = 0; k < l->node->inputs.n; k++)
		if (!mp_input_onnx_input(b, l->scope, l->node, k, &value) ||
			(value != NONE && !mp_input_onnx_reads(
						  b, l->node, l->begin, value)))
			return false;
	return mp_input_onnx_open_graph(b, l->scope, l->node, "body", &l->body);
}

/* The first op of the loop. */
static bool begin_iteration(struct layout *l)
{
	struct onnx_build *b = l->build;

	b->loops = mp_arena_grow(b->source.arena, b->loops, b->n_loops,
		&b->room_loops, sizeof(*b->loops));
	if (!b->loops)
		return false;
	l->loop = b->n_loops++;
	b->loops[l->loop] = (struct graph_loop){.first = b->n_ops};
	l->iterate = mp_input_onnx_flow_op(b, l->scope, l->node, "iterate");
	return l->iterate != NULL;
}

/* ---------------------------------------------------------- results */

/* An output of the node. */
static bool add_result(struct layout *l, struct onnx_op *op, uint32_t k,
	uint32_t type, const uint64_t *dims, uint32_t n, uint32_t *index)
{
	struct onnx_build *b = l->build;
	struct onnx_value *value;

	value = mp_input_onnx_make(b, l->scope,
		mp_input_onnx_symbol(b, l->scope, l->node->outputs.at[k]),
		l->node->place, index);
	return value &&
	       mp_input_onnx_set_shape(
		       b, value, type, dims, n, l->node->place) &&
	       mp_input_onnx_writes(b, l->node, op, *index);
}

/* The shape of an output that is said, not derived. */
static bool said(struct layout *l, uint32_t k, uint32_t otherwise,
	uint64_t *dims, uint32_t *n, uint32_t *type, const char *why)
{
	const struct onnx_symbol *symbol = mp_input_onnx_symbol(
		l->build, l->scope, l->node->outputs.at[k]);

	if (!symbol)
		return false;
	if (!mp_input_onnx_said_shape(
		    l->build, l->scope, symbol, dims, n, type))
		return mp_input_onnx_fail(l->build, l->node,
			"%s: give --shape %.80s%.80s=1x16x64", why,
			l->scope->prefix, symbol->name);
	if (*type == ONNX_UNDEFINED)
		*type = otherwise;
	return true;
}

static bool same_shape(const struct onnx_value *a, const struct onnx_value *b)
{
	return a->shape.n == b->shape.n &&
	       memcmp(a->shape.at, b->shape.at,
		       a->shape.n * sizeof(*a->shape.at)) == 0;
}

/* What input k of the body stands for. */
static uint32_t input_of(const struct layout *l, uint32_t k)
{
	return mp_input_onnx_find(&l->body, l->body.graph->inputs.at[k].key);
}

/* The last content of state i, which may keep its place. One that changes its
 * shape has the one that is said. */
static bool add_state_result(
	struct layout *l, struct onnx_op *end, uint32_t i, uint32_t made)
{
	const struct onnx_value *last = l->build->values[made];
	uint32_t state = input_of(l, l->first_state + i), index;
	uint32_t n = last->shape.n, type = last->type;
	uint64_t dims[ONNX_RANK];

	memcpy(dims, last->shape.at, n * sizeof(*dims));
	if (!same_shape(last, l->build->values[state]) &&
		!said(l, i, last->type, dims, &n, &type,
			"a state changes its shape in the body"))
		return false;
	return add_result(l, end, i, type, dims, n, &index) &&
	       mp_input_onnx_reads(l->build, l->node, end, state) &&
	       mp_input_onnx_pair(l->build, end, index, state);
}

/* What is collected from all iterations: begin writes it, as its bytes are
 * needed from the first one on. */
static bool add_collected(struct layout *l, uint32_t k, uint32_t made,
	int64_t wanted, struct onnx_op *next)
{
	const struct onnx_value *one = l->build->values[made];
	uint32_t axis, n = one->shape.n, type = one->type, index;
	uint64_t dims[ONNX_RANK];

	if (!one->shaped || n == ONNX_RANK)
		return mp_input_onnx_fail(l->build, l->node,
			"'%.80s' cannot be collected", one->name);
	axis = (uint32_t)(wanted < 0 ? wanted + n + 1 : wanted);
	if (axis > n)
		return mp_input_onnx_fail(l->build, l->node,
			"axis %lld of its output is none", (long long)wanted);
	for (uint32_t i = 0; i < n; i++)
		dims[i + (i >= axis)] = one->shape.at[i];
	dims[axis] = l->trips;
	n++;
	if (l->trips == NONE && !said(l, k, one->type, dims, &n, &type,
					"how often it runs is not known"))
		return false;
	return add_result(l, l->begin, k, type, dims, n, &index) &&
	       mp_input_onnx_reads(l->build, l->node, next, index);
}

/* At the end of an iteration input k of the body takes the value of output
 * `made` of it. */
static void carry(struct layout *l, uint32_t k, uint32_t made)
{
	struct graph_loop *loop = &l->build->loops[l->loop];
	uint32_t in = input_of(l, k);
	const struct onnx_value *out = l->build->values[made];

	if (made != in && out->shaped && !out->constant &&
		out->bytes == l->build->values[in]->bytes)
		loop->carried[loop->n_carried++] =
			(struct carried_pair){in, made, false};
}

/* The last op of the loop reads the outputs of the body. States come first; of
 * a Loop the condition stands before them. */
static bool end_iteration(struct layout *l, struct onnx_op **next)
{
	struct onnx_build *b = l->build;
	struct graph_loop *loop = &b->loops[l->loop];
	uint32_t n = l->first_result + l->n_states, made;

	loop->last = b->n_ops;
	loop->carried = NEW(b->source.arena, struct carried_pair, n);
	*next = mp_input_onnx_flow_op(b, l->scope, l->node, "next");
	if (!*next || !loop->carried)
		return false;
	for (uint32_t k = 0; k < l->body.graph->outputs.n; k++) {
		if (!mp_input_onnx_result(b, &l->body, k, &made) ||
			(!b->values[made]->constant &&
				!mp_input_onnx_reads(b, l->node, *next, made)))
			return false;
		if (k < n)
			carry(l, l->first_state - l->first_result + k, made);
	}
	return true;
}

static bool add_results(struct layout *l, const struct onnx_ints *axes,
	struct onnx_op *next, struct onnx_op *end)
{
	uint32_t made;

	for (uint32_t k = 0; k < l->node->outputs.n; k++) {
		uint32_t nth = k - l->n_states;

		if (l->node->outputs.at[k].n == 0)
			continue;
		if (!mp_input_onnx_result(
			    l->build, &l->body, l->first_result + k, &made))
			return false;
		if (k < l->n_states
				? !add_state_result(l, end, k, made)
				: !add_collected(l, k, made,
					  nth < axes->n ? axes->at[nth].i : 0,
					  next))
			return false;
	}
	return true;
}

/* The ops behind the body, and the outputs of the node. Scan has an axis for
 * each output that is collected. */
static bool finish(struct layout *l, const struct onnx_ints *axes)
{
	uint32_t n = l->body.graph->outputs.n - l->first_result;
	struct onnx_op *next, *end;

	if (l->node->outputs.n > n)
		return fail_count(l, "outputs", n, l->node->outputs.n);
	if (!end_iteration(l, &next))
		return false;
	end = mp_input_onnx_flow_op(l->build, l->scope, l->node, "end");
	return end && add_results(l, axes, next, end);
}

/* ------------------------------------------------------------- Loop */

/* The trip count, if its content is known. */
static bool read_trips(struct layout *l)
{
	const struct onnx_value *x;
	uint32_t value;

	if (!mp_input_onnx_input(l->build, l->scope, l->node, 0, &value))
		return false;
	x = value == NONE ? NULL : l->build->values[value];
	l->trips = NONE;
	if (!x || !x->content || x->n != 1 ||
		mp_input_onnx_class(x->type) != ONNX_INTEGER)
		return true;
	if (x->content->i > (int64_t)NONE / 2)
		return true; /* until its condition ends it */
	l->trips = x->content->i < 0 ? 0 : (uint64_t)x->content->i;
	return true;
}

static bool walk_body(struct layout *l)
{
	const struct onnx_graph *body = l->body.graph;
	uint32_t index;

	if (body->inputs.n != l->first_state + l->n_states)
		return fail_count(l, "inputs", body->inputs.n,
			l->first_state + l->n_states);
	if (body->outputs.n < l->first_result + l->n_states)
		return fail_count(l, "outputs", body->outputs.n,
			l->first_result + l->n_states);
	return add_input(l, l->begin, 1, ONNX_BOOL, NULL, 0, &index) &&
	       add_states(l, 2) && begin_iteration(l) &&
	       add_input(l, l->iterate, 0, ONNX_INT64, NULL, 0, &index) &&
	       mp_input_onnx_walk(l->build, &l->body);
}

bool mp_input_onnx_loop(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node)
{
	struct layout l = {.build = b,
		.scope = scope,
		.node = node,
		.n_states = node->inputs.n > 2 ? node->inputs.n - 2 : 0,
		.first_state = 2,
		.first_result = 1};
	struct onnx_ints axes = {NULL, 0, false};

	return read_trips(&l) && open_loop(&l) && walk_body(&l) &&
	       finish(&l, &axes);
}

/* ------------------------------------------------------------- Scan */

static bool read_axes(
	struct layout *l, const char *name, struct onnx_ints *axes)
{
	const struct onnx_attribute *a = mp_input_onnx_attribute(l->node, name);

	*axes = (struct onnx_ints){NULL, 0, false};
	return !a || mp_input_onnx_attribute_ints(&l->build->source, a, axes);
}

/* One entry of an axis of input k of the node. The body sees it without that
 * axis; the iterations are the entries. */
static bool add_entry(struct layout *l, uint32_t k, int64_t wanted)
{
	uint64_t dims[ONNX_RANK];
	const struct onnx_value *x;
	uint32_t value, axis, n = 0, index;

	if (!outer_input(l, k, &value))
		return false;
	x = l->build->values[value];
	axis = (uint32_t)(wanted < 0 ? wanted + x->shape.n : wanted);
	if (axis >= x->shape.n)
		return mp_input_onnx_fail(l->build, l->node,
			"axis %lld of input %u is none", (long long)wanted, k);
	if (l->trips != NONE && l->trips != x->shape.at[axis])
		return mp_input_onnx_fail(l->build, l->node,
			"its inputs have %llu and %llu entries",
			(unsigned long long)l->trips,
			(unsigned long long)x->shape.at[axis]);
	l->trips = x->shape.at[axis];
	for (uint32_t i = 0; i < x->shape.n; i++)
		if (i != axis)
			dims[n++] = x->shape.at[i];
	return add_input(l, l->iterate, k, x->type, dims, n, &index) &&
	       (x->constant || mp_input_onnx_reads(
				       l->build, l->node, l->iterate, value));
}

static bool scan_body(struct layout *l)
{
	struct onnx_ints axes;

	if (!read_axes(l, "scan_input_axes", &axes))
		return false;
	if (l->body.graph->inputs.n != l->node->inputs.n)
		return fail_count(l, "inputs", l->body.graph->inputs.n,
			l->node->inputs.n);
	if (l->body.graph->outputs.n < l->n_states)
		return fail_count(
			l, "outputs", l->body.graph->outputs.n, l->n_states);
	if (!add_states(l, 0) || !begin_iteration(l))
		return false;
	for (uint32_t k = l->n_states; k < l->node->inputs.n; k++) {
		uint32_t nth = k - l->n_states;

		if (!add_entry(l, k, nth < axes.n ? axes.at[nth].i : 0))
			return false;
	}
	return mp_input_onnx_walk(l->build, &l->body);
}

bool mp_input_onnx_scan(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_node *node)
{
	const struct onnx_attribute *n =
		mp_input_onnx_attribute(node, "num_scan_inputs");
	struct layout l = {
		.build = b, .scope = scope, .node = node, .trips = NONE};
	struct onnx_ints axes;

	if (scope->opset > 0 && scope->opset < 9)
		return mp_input_onnx_fail(b, node,
			"Scan of opset %u runs its body for each item "
			"of a batch: export the model with opset 9 or later",
			scope->opset);
	if (!n || n->i < 0 || n->i > node->inputs.n)
		return mp_input_onnx_fail(
			b, node, "'num_scan_inputs' is missing or wrong");
	l.n_states = node->inputs.n - (uint32_t)n->i;
	return open_loop(&l) && scan_body(&l) &&
	       read_axes(&l, "scan_output_axes", &axes) && finish(&l, &axes);
}
