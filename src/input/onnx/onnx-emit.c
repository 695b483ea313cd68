/*
 * Ops of the graph to be, and which outputs may have bytes of inputs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/onnx/inside.h"

struct onnx_op *mp_input_onnx_op_add(
	struct onnx_build *b, const char *name, const char *type)
{
	struct onnx_op *op = NEW(b->source.arena, struct onnx_op, 1);

	b->ops = mp_arena_grow(b->source.arena, b->ops, b->n_ops, &b->room_ops,
		sizeof(*b->ops));
	if (!op || !b->ops || !name)
		return NULL;
	*op = (struct onnx_op){.name = name, .type = type};
	b->ops[b->n_ops++] = op;
	return op;
}

static bool add_to_list(
	struct onnx_build *b, struct onnx_list *list, uint32_t value)
{
	list->at = mp_arena_grow(b->source.arena, list->at, list->n,
		&list->room, sizeof(*list->at));
	if (!list->at)
		return false;
	list->at[list->n++] = value;
	return true;
}

static bool check_bytes(struct onnx_build *b, const struct onnx_node *node,
	const struct onnx_value *value)
{
	if (!value->fault || b->any_type)
		return true;
	b->hopeless = true;
	return mp_input_onnx_fail(b, node,
		"'%.80s' is %s: memplan plans tensors of numbers", value->name,
		value->fault);
}

bool mp_input_onnx_reads(struct onnx_build *b, const struct onnx_node *node,
	struct onnx_op *op, uint32_t value)
{
	assert(value < b->n_values);
	b->values[value]->tensor = 0;
	return check_bytes(b, node, b->values[value]) &&
	       add_to_list(b, &op->inputs, value);
}

bool mp_input_onnx_writes(struct onnx_build *b, const struct onnx_node *node,
	struct onnx_op *op, uint32_t value)
{
	assert(value < b->n_values && !b->values[value]->made);
	b->values[value]->made = true;
	b->values[value]->tensor = 0;
	return check_bytes(b, node, b->values[value]) &&
	       add_to_list(b, &op->outputs, value);
}

/* ------------------------------------------------------------ views */

/* Is the value in the arena, and not empty? */
static bool is_planned(const struct onnx_value *value)
{
	return !value->constant && !value->fault && value->bytes > 0;
}

/* Has output 0 the elements of input 0, in their order and of their type? A
 * mask makes Dropout a computation. */
static bool is_view(const struct onnx_call *call, const struct onnx_value *in,
	const struct onnx_value *out)
{
	bool has_mask = strcmp(call->node->type, "Dropout") == 0 &&
			call->node->outputs.n > 1 &&
			call->node->outputs.at[1].n > 0;

	return in->type == out->type && in->bytes == out->bytes && !has_mask;
}

/* Are entries [first, first + count) of the axis neighbours in memory? */
static bool is_range(
	const struct onnx_shape *shape, uint32_t axis, uint32_t type)
{
	for (uint32_t i = 0; i < axis; i++)
		if (shape->at[i] != 1)
			return false;
	return mp_input_onnx_bits(type) % 8 == 0;
}

static uint64_t bytes_before(
	const struct onnx_value *x, uint32_t axis, uint64_t first)
{
	return first * mp_input_onnx_stride(&x->shape, axis) *
	       (mp_input_onnx_bits(x->type) / 8);
}

static void set_alias(
	struct onnx_build *b, uint32_t value, uint32_t of, uint64_t offset)
{
	b->values[value]->alias_of = of;
	b->values[value]->root = b->values[of]->root;
	b->values[value]->alias_offset = offset;
}

static void alias_parts(struct onnx_build *b, struct onnx_call *call,
	uint32_t of, const uint32_t *out)
{
	const struct onnx_value *x = b->values[of];
	uint64_t first = 0;
	uint32_t axis;

	if (!mp_input_onnx_axis(call, mp_input_onnx_int(call, "axis", 0),
		    x->shape.n, &axis) ||
		!is_range(&x->shape, axis, x->type))
		return;
	for (uint32_t k = 0; k < call->node->outputs.n; k++) {
		if (out[k] == NONE)
			return; /* how long it is was not kept */
		set_alias(b, out[k], of, bytes_before(x, axis, first));
		first += b->values[out[k]]->shape.at[axis];
	}
}

static void alias_slice(
	struct onnx_build *b, struct onnx_call *call, uint32_t of, uint32_t out)
{
	const struct onnx_value *x = b->values[of];
	int64_t first[ONNX_RANK], step[ONNX_RANK];
	uint64_t count[ONNX_RANK];
	uint32_t axis = 0;

	if (!mp_input_onnx_slice(
		    call, x->shape.n, x->shape.at, first, step, count))
		return;
	while (axis + 1 < x->shape.n && x->shape.at[axis] == 1)
		axis++;
	for (uint32_t i = 0; i < x->shape.n; i++)
		if ((i != axis && count[i] != x->shape.at[i]) ||
			(step[i] != 1 && count[i] > 1) ||
			!is_range(&x->shape, axis, x->type))
			return;
	set_alias(b, out, of, bytes_before(x, axis, (uint64_t)first[axis]));
}

bool mp_input_onnx_pair(
	struct onnx_build *b, struct onnx_op *op, uint32_t out, uint32_t in)
{
	struct onnx_pairs *pairs = &op->pairs;

	if (!is_planned(b->values[in]) || !is_planned(b->values[out]) ||
		b->values[in]->bytes != b->values[out]->bytes ||
		b->values[in]->n != b->values[out]->n)
		return true;
	if (b->values[in]->paired == b->n_ops)
		return true; /* an input that is read twice */
	b->values[in]->paired = b->n_ops;
	pairs->at = mp_arena_grow(b->source.arena, pairs->at, pairs->n,
		&pairs->room, sizeof(*pairs->at));
	if (!pairs->at)
		return false;
	pairs->at[pairs->n++] = (struct inplace_pair){out, in};
	return true;
}

/* Does the op read bytes of input 0 in another role too, as a Scatter with
 * its data as updates? */
static bool reads_again(const struct onnx_build *b,
	const struct onnx_call *call, const uint32_t *in)
{
	for (uint32_t k = 1; k < call->n_in; k++)
		if (in[k] != NONE &&
			b->values[in[k]]->root == b->values[in[0]]->root)
			return true;
	return false;
}

/* Output 0 and, for some ops, the parts of an input. */
static bool share(struct onnx_build *b, struct onnx_op *op,
	struct onnx_call *call, const uint32_t *in, const uint32_t *out)
{
	uint32_t traits = call->rule ? call->rule->traits : 0;
	bool alias = b->input->views == VIEWS_ALIAS ||
		     b->input->views == VIEWS_ALIAS_SLICES;
	bool slices = b->input->views == VIEWS_ALIAS_SLICES;

	if (!traits || call->n_in == 0 || in[0] == NONE ||
		!is_planned(b->values[in[0]]))
		return true;
	if (traits & ONNX_SLICES && slices && call->node->outputs.n > 0) {
		if (strcmp(call->node->type, "Split") == 0)
			alias_parts(b, call, in[0], out);
		else if (out[0] != NONE)
			alias_slice(b, call, in[0], out[0]);
		return true;
	}
	if (call->node->outputs.n == 0 || out[0] == NONE)
		return true;
	if (traits & ONNX_VIEW &&
		is_view(call, b->values[in[0]], b->values[out[0]])) {
		if (alias)
			set_alias(b, out[0], in[0], 0);
		if (b->input->views != VIEWS_INPLACE)
			return true;
	}
	if (traits & ONNX_IN_PLACE && !reads_again(b, call, in))
		return mp_input_onnx_pair(b, op, out[0], in[0]);
	for (uint32_t k = 0; traits & ONNX_ANY_PLACE && k < call->n_in; k++)
		if (in[k] != NONE && !mp_input_onnx_pair(b, op, out[0], in[k]))
			return false;
	return true;
}

/* Room for what the op reads and writes, and for a pair. */
static bool make_room(
	struct onnx_build *b, struct onnx_op *op, uint32_t n_in, uint32_t n_out)
{
	struct inplace_pair *pair = mp_arena_alloc(b->source.arena, 1,
		sizeof(*pair) + (n_in + n_out) * sizeof(uint32_t));
	uint32_t *at;

	if (!pair)
		return false;
	at = (uint32_t *)(pair + 1);
	op->pairs = (struct onnx_pairs){pair, 0, 1};
	op->inputs = (struct onnx_list){at, 0, n_in};
	op->outputs = (struct onnx_list){at + n_in, 0, n_out};
	return true;
}

bool mp_input_onnx_emit(struct onnx_build *b, const struct onnx_scope *scope,
	struct onnx_call *call)
{
	const struct onnx_node *node = call->node;
	const uint32_t *in = node->values->in, *out = node->values->out;
	struct onnx_op *op = mp_input_onnx_op_add(
		b, mp_input_onnx_prefixed(b, scope, node->name), node->type);

	if (!op || !make_room(b, op, call->n_in, node->outputs.n))
		return false;
	for (uint32_t k = 0; k < call->n_in; k++)
		if (in[k] != NONE && !mp_input_onnx_reads(b, node, op, in[k]))
			return false;
	for (uint32_t k = 0; k < node->outputs.n; k++)
		if (out[k] != NONE &&
			!mp_input_onnx_writes(b, node, op, out[k]))
			return false;
	return share(b, op, call, in, out);
}
