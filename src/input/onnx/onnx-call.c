/*
 * What a rule asks of its op, and what it answers.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input/onnx/inside.h"

bool mp_input_onnx_wrong(struct onnx_call *call, const char *format, ...)
{
	char text[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	call->wrong = true;
	call->why = mp_arena_text(call->source->arena, text, strlen(text));
	return false;
}

bool mp_input_onnx_unknown(struct onnx_call *call, uint32_t input)
{
	call->unknown = input;
	return false;
}

bool mp_input_onnx_takes_most(struct onnx_call *call)
{
	call->has_most = true;
	return call->most;
}

/* ------------------------------------------------------- attributes */

const struct onnx_attribute *mp_input_onnx_find_attribute(
	const struct onnx_attributes *list, struct proto_bytes name)
{
	for (uint32_t i = 0; i < list->n; i++)
		if (list->at[i].name.n == name.n &&
			memcmp(list->at[i].name.at, name.at, name.n) == 0)
			return &list->at[i];
	return NULL;
}

const struct onnx_attribute *mp_input_onnx_attribute(
	const struct onnx_node *node, const char *name)
{
	if (node->attributes.n == 0)
		return NULL;
	return mp_input_onnx_find_attribute(
		&node->attributes, mp_input_onnx_bytes(name));
}

int64_t mp_input_onnx_int(
	const struct onnx_call *call, const char *name, int64_t otherwise)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(call->node, name);

	return a ? a->i : otherwise;
}

bool mp_input_onnx_text_is(
	const struct onnx_call *call, const char *name, const char *text)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(call->node, name);

	return a && mp_input_proto_is(a->s, text);
}

bool mp_input_onnx_ints(
	struct onnx_call *call, const char *name, struct onnx_ints *ints)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(call->node, name);

	*ints = (struct onnx_ints){NULL, 0, false};
	return !a || mp_input_onnx_attribute_ints(call->source, a, ints);
}

/* ----------------------------------------------------------- inputs */

bool mp_input_onnx_given(const struct onnx_call *call, uint32_t k)
{
	return k < call->n_in && call->in[k];
}

bool mp_input_onnx_is_set(const struct onnx_value *value, uint64_t i)
{
	assert(value->content && i < value->n);
	return mp_input_onnx_class(value->type) == ONNX_REAL
		       ? value->content[i].d != 0
		       : value->content[i].i != 0;
}

const struct onnx_value *mp_input_onnx_in(struct onnx_call *call, uint32_t k)
{
	if (!mp_input_onnx_given(call, k)) {
		mp_input_onnx_wrong(call, "input %u is missing", k);
		return NULL;
	}
	if (call->in[k]->shaped)
		return call->in[k];
	call->why = call->in[k]->fault ? call->in[k]->fault : "no shape";
	mp_input_onnx_unknown(call, k);
	return NULL;
}

const struct onnx_value *mp_input_onnx_ranked(
	struct onnx_call *call, uint32_t k, uint32_t least)
{
	const struct onnx_value *value = mp_input_onnx_in(call, k);

	if (!value || value->shape.n >= least)
		return value;
	mp_input_onnx_wrong(call, "input %u has %u dimensions and needs %u", k,
		value->shape.n, least);
	return NULL;
}

bool mp_input_onnx_list(struct onnx_call *call, uint32_t k, const char *name,
	struct onnx_ints *ints)
{
	const struct onnx_value *value;

	*ints = (struct onnx_ints){NULL, 0, false};
	if (!mp_input_onnx_given(call, k))
		return !name || mp_input_onnx_ints(call, name, ints);
	value = call->in[k];
	if (!value->content || mp_input_onnx_class(value->type) != ONNX_INTEGER)
		return mp_input_onnx_unknown(call, k);
	*ints = (struct onnx_ints){value->content, (uint32_t)value->n, true};
	return true;
}

bool mp_input_onnx_axis(
	struct onnx_call *call, int64_t axis, uint32_t rank, uint32_t *place)
{
	int64_t from_front = axis < 0 ? axis + rank : axis;

	if (axis >= INT32_MAX || from_front < 0 || from_front >= rank)
		return mp_input_onnx_wrong(call,
			"axis %lld is not one of %u dimensions",
			(long long)axis, rank);
	*place = (uint32_t)from_front;
	return true;
}

bool mp_input_onnx_mark_axes(struct onnx_call *call,
	const struct onnx_ints *axes, uint32_t rank, bool *marked)
{
	uint32_t axis = 0;

	assert(rank <= ONNX_RANK);
	memset(marked, 0, rank * sizeof(*marked));
	for (uint32_t i = 0; i < axes->n; i++) {
		if (!mp_input_onnx_axis(call, axes->at[i].i, rank, &axis))
			return false;
		if (marked[axis])
			return mp_input_onnx_wrong(
				call, "axis %u is listed twice", axis);
		marked[axis] = true;
	}
	return true;
}

/* ---------------------------------------------------------- outputs */

bool mp_input_onnx_push(struct onnx_call *call, uint32_t k, uint64_t dim)
{
	struct onnx_result *out = &call->out[k];

	if (k >= call->n_out)
		return true;
	if (out->n_dims == ONNX_RANK)
		return mp_input_onnx_wrong(call,
			"its output has more than %d dimensions", ONNX_RANK);
	if (dim > ONNX_DIM)
		return mp_input_onnx_wrong(call,
			"its output has a dimension of %llu",
			(unsigned long long)dim);
	out->dims[out->n_dims++] = dim;
	return true;
}

bool mp_input_onnx_give(struct onnx_call *call, uint32_t k, uint32_t type,
	const uint64_t *dims, uint32_t n)
{
	struct onnx_result *out = &call->out[k];

	if (k >= call->n_out)
		return true;
	if (type == ONNX_UNDEFINED && mp_input_onnx_given(call, 0))
		type = call->in[0]->type;
	out->type = type;
	out->n_dims = 0;
	out->shaped = true;
	for (uint32_t i = 0; i < n; i++)
		if (!mp_input_onnx_push(call, k, dims[i]))
			return false;
	return true;
}

bool mp_input_onnx_give_like(struct onnx_call *call, uint32_t k, uint32_t type,
	const struct onnx_value *like)
{
	assert(like->shaped);
	return mp_input_onnx_give(call, k, type, like->shape.at, like->shape.n);
}

bool mp_input_onnx_broadcast(
	uint64_t *a, uint32_t *n_a, const uint64_t *b, uint32_t n_b)
{
	uint32_t n = *n_a > n_b ? *n_a : n_b;

	/* From the right, so that no place is read after it was written. */
	for (uint32_t i = 0; i < n; i++) {
		uint64_t left = i < *n_a ? a[*n_a - 1 - i] : 1;
		uint64_t right = i < n_b ? b[n_b - 1 - i] : 1;

		if (left != right && left != 1 && right != 1)
			return false;
		a[n - 1 - i] = left == 1 ? right : left;
	}
	*n_a = n;
	return true;
}
