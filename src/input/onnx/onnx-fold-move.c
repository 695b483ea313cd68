/*
 * Folds that move numbers and compute nothing: they serve any type.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/onnx/inside.h"

/* Output k has the elements of a value along the steps. */
static void walk(struct onnx_call *c, uint32_t k, const struct onnx_value *x,
	const struct onnx_steps *steps)
{
	union onnx_number *to = mp_input_onnx_fold_room(c, k);
	struct onnx_result *out = &c->out[k];

	if (!to)
		return;
	for (uint64_t i = 0; i < out->n; i++) {
		uint64_t at = mp_input_onnx_step(steps, out, i);

		assert(at < x->n);
		to[i] = x->content[at];
	}
	out->content = to;
}

/* The same elements in the same order. */
void mp_input_onnx_fold_same(struct onnx_call *c)
{
	if (!mp_input_onnx_fold_known(c, 1))
		return;
	c->out[0].content = c->in[0]->content;
	c->out[0].n = c->in[0]->n;
}

void mp_input_onnx_fold_expand(struct onnx_call *c)
{
	struct onnx_steps steps;

	if (!mp_input_onnx_fold_known(c, 1))
		return;
	steps = mp_input_onnx_broadcast_steps(c->in[0], &c->out[0]);
	walk(c, 0, c->in[0], &steps);
}

void mp_input_onnx_fold_tile(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	union onnx_number *to;
	uint64_t rest, at, stride;

	if (!mp_input_onnx_fold_known(c, 1) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		rest = i;
		at = 0;
		stride = 1;
		for (uint32_t axis = x->shape.n; axis-- > 0;) {
			at += rest % c->out[0].dims[axis] % x->shape.at[axis] *
			      stride;
			rest /= c->out[0].dims[axis];
			stride *= x->shape.at[axis];
		}
		to[i] = x->content[at];
	}
	c->out[0].content = to;
}

void mp_input_onnx_fold_transpose(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	struct onnx_steps steps = {0};
	struct onnx_ints perm;
	uint32_t axis;

	if (!mp_input_onnx_fold_known(c, 1) ||
		!mp_input_onnx_ints(c, "perm", &perm))
		return;
	for (uint32_t i = 0; i < x->shape.n; i++) {
		axis = x->shape.n - 1 - i;
		if (perm.given &&
			!mp_input_onnx_axis(c, perm.at[i].i, x->shape.n, &axis))
			return;
		steps.step[i] = (int64_t)mp_input_onnx_stride(&x->shape, axis);
	}
	walk(c, 0, x, &steps);
}

void mp_input_onnx_fold_slice(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	int64_t first[ONNX_RANK], step[ONNX_RANK];
	uint64_t count[ONNX_RANK];
	struct onnx_steps steps = {0};

	if (!mp_input_onnx_fold_known(c, 1) || x->n > ONNX_CONTENT ||
		!mp_input_onnx_slice(
			c, x->shape.n, x->shape.at, first, step, count))
		return;
	for (uint32_t i = 0; i < x->shape.n; i++) {
		int64_t stride = (int64_t)mp_input_onnx_stride(&x->shape, i);

		if (count[i] == 0) { /* nothing is walked */
			steps = (struct onnx_steps){0};
			break;
		}
		/* With one entry no step is made, however long it is. */
		steps.first += first[i] * stride;
		steps.step[i] = count[i] > 1 ? step[i] * stride : 0;
	}
	walk(c, 0, x, &steps);
}

void mp_input_onnx_fold_split(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	struct onnx_steps steps = {0};
	uint32_t axis;

	if (!mp_input_onnx_fold_known(c, 1) ||
		!mp_input_onnx_axis(
			c, mp_input_onnx_int(c, "axis", 0), x->shape.n, &axis))
		return;
	for (uint32_t i = 0; i < x->shape.n; i++)
		steps.step[i] = (int64_t)mp_input_onnx_stride(&x->shape, i);
	for (uint32_t k = 0; k < c->n_out; k++) {
		walk(c, k, x, &steps);
		steps.first += (int64_t)c->out[k].dims[axis] * steps.step[axis];
	}
}

/* Entries of an axis, one after the other from input to input. */
void mp_input_onnx_fold_concat(struct onnx_call *c)
{
	uint64_t outer = 1, n = 0, block;
	union onnx_number *to;
	uint32_t axis;
	int64_t wanted = mp_input_onnx_int(
		c, "axis", c->opset > 0 && c->opset < 4 ? 1 : 0);

	if (!mp_input_onnx_fold_known(c, c->n_in) ||
		!mp_input_onnx_axis(c, wanted, c->in[0]->shape.n, &axis) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint32_t i = 0; i < axis; i++)
		outer *= c->in[0]->shape.at[i];
	for (uint64_t o = 0; o < outer; o++)
		for (uint32_t k = 0; k < c->n_in; k++) {
			block = c->in[k]->n / outer;
			assert(n + block <= c->out[0].n);
			memcpy(to + n, c->in[k]->content + o * block,
				block * sizeof(*to));
			n += block;
		}
	c->out[0].content = to;
}

/* An index from 0; false: it is out of range. */
static bool place_of(int64_t index, uint64_t n, uint64_t *place)
{
	if (index < 0)
		index += (int64_t)n;
	*place = (uint64_t)index;
	return index >= 0 && *place < n;
}

void mp_input_onnx_fold_gather(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0], *places;
	uint64_t stride, n, at, done = 0, outer = 1;
	union onnx_number *to;
	uint32_t axis;

	if (!mp_input_onnx_fold_known(c, 2) || x->n > ONNX_CONTENT ||
		!mp_input_onnx_axis(c, mp_input_onnx_int(c, "axis", 0),
			x->shape.n, &axis) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	places = c->in[1];
	stride = mp_input_onnx_stride(&x->shape, axis);
	n = x->shape.at[axis];
	for (uint32_t i = 0; i < axis; i++)
		outer *= x->shape.at[i];
	for (uint64_t o = 0; o < outer; o++)
		for (uint64_t i = 0; i < places->n; i++) {
			if (!place_of(places->content[i].i, n, &at))
				return;
			memcpy(to + done, x->content + (o * n + at) * stride,
				stride * sizeof(*to));
			done += stride;
		}
	assert(done == c->out[0].n);
	c->out[0].content = to;
}

void mp_input_onnx_fold_gather_elements(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	union onnx_number *to;
	uint64_t at;

	if (!mp_input_onnx_fold_known(c, 2) || x->shape.n != 1 ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		if (!place_of(c->in[1]->content[i].i, x->n, &at))
			return;
		to[i] = x->content[at];
	}
	c->out[0].content = to;
}

void mp_input_onnx_fold_where(struct onnx_call *c)
{
	struct onnx_result *out = &c->out[0];
	struct onnx_steps steps[3];
	union onnx_number *to;

	if (c->n_in != 3 || !mp_input_onnx_fold_known(c, 3) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint32_t k = 0; k < 3; k++)
		steps[k] = mp_input_onnx_broadcast_steps(c->in[k], out);
	for (uint64_t i = 0; i < out->n; i++) {
		bool takes =
			c->in[0]->content[mp_input_onnx_step(&steps[0], out, i)]
				.i != 0;
		uint32_t k = takes ? 1 : 2;

		to[i] = c->in[k]->content[mp_input_onnx_step(
			&steps[k], out, i)];
	}
	out->content = to;
}

/* The places of the numbers that are not 0: all of axis 0, then of axis 1. */
void mp_input_onnx_fold_non_zero(struct onnx_call *c)
{
	const struct onnx_value *x = c->in[0];
	uint64_t n = 0, count = c->out[0].dims[1];
	union onnx_number *to;

	if (!mp_input_onnx_fold_known(c, 1) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint64_t i = 0; i < x->n; i++) {
		if (!mp_input_onnx_is_set(x, i))
			continue;
		for (uint32_t axis = 0; axis < x->shape.n; axis++)
			to[axis * count + n].i =
				(int64_t)(i /
					  mp_input_onnx_stride(
						  &x->shape, axis) %
					  x->shape.at[axis]);
		n++;
	}
	assert(n == count);
	c->out[0].content = to;
}
