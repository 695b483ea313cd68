/*
 * What folds share: room for a content, and walks through one in the order of
 * another shape.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/onnx/inside.h"

union onnx_number *mp_input_onnx_fold_room(struct onnx_call *c, uint32_t k)
{
	struct onnx_result *out = &c->out[k];
	uint64_t n = 1;

	assert(k < c->n_out && out->shaped);
	for (uint32_t i = 0; i < out->n_dims; i++)
		if (!num_mul(n, out->dims[i], &n))
			return NULL;
	if (!mp_input_onnx_is_kept(out->type, n))
		return NULL;
	out->n = n;
	return NEW(c->source->arena, union onnx_number, n);
}

bool mp_input_onnx_fold_known(const struct onnx_call *c, uint32_t n)
{
	if (c->n_in < n)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!c->in[k] || !c->in[k]->content)
			return false;
	return true;
}

uint64_t mp_input_onnx_step(const struct onnx_steps *steps,
	const struct onnx_result *shape, uint64_t i)
{
	int64_t at = steps->first;

	for (uint32_t axis = shape->n_dims; axis-- > 0;) {
		at += (int64_t)(i % shape->dims[axis]) * steps->step[axis];
		i /= shape->dims[axis];
	}
	assert(at >= 0);
	return (uint64_t)at;
}

uint64_t mp_input_onnx_stride(const struct onnx_shape *shape, uint32_t axis)
{
	uint64_t stride = 1;

	for (uint32_t i = axis + 1; i < shape->n; i++)
		stride *= shape->at[i];
	return stride;
}

struct onnx_steps mp_input_onnx_broadcast_steps(
	const struct onnx_value *value, const struct onnx_result *shape)
{
	struct onnx_steps steps = {0};
	uint32_t more = shape->n_dims - value->shape.n;

	assert(shape->n_dims >= value->shape.n);
	for (uint32_t i = 0; i < value->shape.n; i++)
		if (value->shape.at[i] != 1)
			steps.step[more + i] =
				(int64_t)mp_input_onnx_stride(&value->shape, i);
	return steps;
}
