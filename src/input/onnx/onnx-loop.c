/*
 * Loop and Scan. One iteration is laid out between two ops, `begin` and `end`.
 * The next iteration needs all that `begin` wrote, all that the body hands on
 * and all that it reads from outside. So `end` reads all of these: no byte of
 * them is given to another tensor within the body.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "input/onnx/inside.h"

struct layout {
	struct onnx_build *build;
	struct onnx_scope *scope;
	const struct onnx_node *node;
	struct onnx_scope body;
	struct onnx_op *begin;
	struct onnx_loop loop;
	struct onnx_list written; /* by begin, besides results */
	uint32_t n_states;	  /* values that are carried on */
	uint32_t first_state;	  /* the first of the body's inputs */
	uint32_t first_result;	  /* the first of the body's outputs that is a
				     state */
	uint64_t trips;		  /* iterations; NONE: not known */
};

static bool fail_count(
	const struct layout *l, const char *what, uint32_t n, uint32_t wanted)
{
	return mp_input_onnx_fail(l->build, l->node,
		"its body has %u %s and needs %u", n, what, wanted);
}

/* An input of the body: begin writes it. */
static bool add_input(struct layout *l, uint32_t k, uint32_t type,
	const uint64_t *dims, uint32_t n)
{
	struct onnx_build *b = l->build;
	const struct onnx_declared *input = &l->body.graph->inputs.at[k];
	struct onnx_value *value;
	uint32_t index;

	value = mp_input_onnx_make(b, &l->body,
		mp_input_onnx_symbol(b, &l->body, input->key), input->place,
		&index);
	return value &&
	       mp_input_onnx_set_shape(b, value, type, dims, n, input->place) &&
	       mp_input_onnx_writes(b, l->node, l->begin, index) &&
	       mp_input_onnx_list_add(b, &l->written, index);
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

/* The states begin as inputs of the node, from `from` on. */
static bool add_states(struct layout *l, uint32_t from)
{
	for (uint32_t i = 0; i < l->n_states; i++) {
		const struct onnx_value *x;
		uint32_t value;

		if (!outer_input(l, from + i, &value))
			return false;
		x = l->build->values[value];
		if (!add_input(l, l->first_state + i, x->type, x->shape.at,
			    x->shape.n))
			return false;
	}
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
	b->n_loops++;
	l->loop.outer = b->loop;
	b->loop = &l->loop;
	return mp_input_onnx_open_graph(b, l->scope, l->node, "body", &l->body);
}

static void close_loop(struct layout *l)
{
	l->build->loop = l->loop.outer;
	l->build->n_loops--;
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

/* The last content of state i. One that grows from iteration to iteration has
 * the shape that is said. */
static bool add_state_result(
	struct layout *l, struct onnx_op *end, uint32_t i, uint32_t made)
{
	const struct onnx_value *last = l->build->values[made];
	const struct onnx_declared *input =
		&l->body.graph->inputs.at[l->first_state + i];
	uint32_t first = mp_input_onnx_find(&l->body, input->key);
	uint32_t index;
	uint32_t n = last->shape.n, type = last->type;
	uint64_t dims[ONNX_RANK];

	if (!last->shaped)
		return mp_input_onnx_fail(l->build, l->node,
			"'%.80s' is %s: memplan plans tensors of numbers",
			last->name, last->fault);
	memcpy(dims, last->shape.at, n * sizeof(*dims));
	if (!same_shape(last, l->build->values[first]) &&
		!said(l, i, last->type, dims, &n, &type,
			"a state changes its shape in the body"))
		return false;
	return add_result(l, end, i, type, dims, n, &index);
}

/* What is collected from all iterations: begin writes it, as its bytes are
 * needed from the first one on. */
static bool add_collected(struct layout *l, uint32_t k, uint32_t made,
	int64_t wanted, struct onnx_op *end)
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
	       mp_input_onnx_reads(l->build, l->node, end, index);
}

/* What the next iteration needs: what begin wrote, what the body hands on, and
 * what it reads from outside. */
static bool keep(struct layout *l, struct onnx_op *end)
{
	struct onnx_list *needed = &l->loop.reads;
	uint32_t made;

	for (uint32_t i = 0; i < l->written.n; i++)
		if (!mp_input_onnx_list_add(l->build, needed, l->written.at[i]))
			return false;
	for (uint32_t k = 0; k < l->body.graph->outputs.n; k++)
		if (!mp_input_onnx_result(l->build, &l->body, k, &made) ||
			!mp_input_onnx_list_add(l->build, needed, made))
			return false;
	needed->n = mp_sort_unique_u32(needed->at, needed->n);
	for (uint32_t i = 0; i < needed->n; i++)
		if (!l->build->values[needed->at[i]]->constant &&
			!mp_input_onnx_reads(
				l->build, l->node, end, needed->at[i]))
			return false;
	return true;
}

/* The op behind the body, and the outputs of the node. Scan has an axis for
 * each output that is collected. */
static bool finish(struct layout *l, const struct onnx_ints *axes)
{
	const struct onnx_graph *body = l->body.graph;
	uint32_t n = body->outputs.n - l->first_result, made;
	struct onnx_op *end;

	end = mp_input_onnx_flow_op(l->build, l->scope, l->node, "end");
	if (!end)
		return false;
	if (l->node->outputs.n > n)
		return fail_count(l, "outputs", n, l->node->outputs.n);
	if (!keep(l, end))
		return false;
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
					  end))
			return false;
	}
	return true;
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

	if (body->inputs.n != l->first_state + l->n_states)
		return fail_count(l, "inputs", body->inputs.n,
			l->first_state + l->n_states);
	if (body->outputs.n < l->first_result + l->n_states)
		return fail_count(l, "outputs", body->outputs.n,
			l->first_result + l->n_states);
	return add_input(l, 0, ONNX_INT64, NULL, 0) &&
	       add_input(l, 1, ONNX_BOOL, NULL, 0) && add_states(l, 2) &&
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
	bool fine = read_trips(&l) && open_loop(&l) && walk_body(&l);

	if (!fine)
		return false;
	close_loop(&l);
	return finish(&l, &axes);
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
	uint32_t value, axis, n = 0;

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
	return add_input(l, k, x->type, dims, n) &&
	       (x->constant ||
		       mp_input_onnx_list_add(l->build, &l->loop.reads, value));
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
	if (!add_states(l, 0))
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
		return mp_input_onnx_fail(
			b, node, "Scan is known from opset 9 on");
	if (!n || n->i < 0 || n->i > node->inputs.n)
		return mp_input_onnx_fail(
			b, node, "'num_scan_inputs' is missing or wrong");
	l.n_states = node->inputs.n - (uint32_t)n->i;
	if (!open_loop(&l) || !scan_body(&l))
		return false;
	close_loop(&l);
	return read_axes(&l, "scan_output_axes", &axes) && finish(&l, &axes);
}
