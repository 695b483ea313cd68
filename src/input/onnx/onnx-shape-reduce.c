/*
 * Rules of ops that reduce axes, and of those that choose elements of one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/onnx/inside.h"

/* Axes that are reduced become 1, or go. */
static bool drop_axes(struct onnx_call *c, const struct onnx_value *x,
	const bool *reduced, uint32_t type)
{
	bool keeps = mp_input_onnx_int(c, "keepdims", 1) != 0;

	if (!mp_input_onnx_give(c, 0, type, NULL, 0))
		return false;
	for (uint32_t i = 0; i < x->shape.n; i++) {
		if (reduced[i] && !keeps)
			continue;
		if (!mp_input_onnx_push(c, 0, reduced[i] ? 1 : x->shape.at[i]))
			return false;
	}
	return true;
}

static bool reduce(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool reduced[ONNX_RANK];
	struct onnx_ints axes;

	if (!x || !mp_input_onnx_list(c, 1, "axes", &axes) ||
		!mp_input_onnx_mark_axes(c, &axes, x->shape.n, reduced))
		return false;
	if (axes.n == 0 && mp_input_onnx_int(c, "noop_with_empty_axes", 0))
		return mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x);
	if (axes.n == 0)
		memset(reduced, true, sizeof(reduced));
	return drop_axes(c, x, reduced, ONNX_UNDEFINED);
}

static bool arg(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool reduced[ONNX_RANK] = {false};
	uint32_t axis;

	if (!x || !mp_input_onnx_axis(c, mp_input_onnx_int(c, "axis", 0),
			  x->shape.n, &axis))
		return false;
	reduced[axis] = true;
	return drop_axes(c, x, reduced, ONNX_INT64);
}

static bool top_k(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	int64_t k = mp_input_onnx_int(c, "k", -1);
	struct onnx_ints list;
	uint32_t axis;

	if (!x || !mp_input_onnx_list(c, 1, NULL, &list) ||
		!mp_input_onnx_axis(
			c, mp_input_onnx_int(c, "axis", -1), x->shape.n, &axis))
		return false;
	if (list.given && list.n == 1)
		k = list.at[0].i;
	if (k < 0 || (uint64_t)k > x->shape.at[axis])
		return mp_input_onnx_wrong(c, "it takes %lld of %llu elements",
			(long long)k, (unsigned long long)x->shape.at[axis]);
	for (uint32_t i = 0; i < c->n_out && i < 2; i++) {
		if (!mp_input_onnx_give_like(
			    c, i, i ? ONNX_INT64 : ONNX_UNDEFINED, x))
			return false;
		c->out[i].dims[axis] = (uint64_t)k;
	}
	return true;
}

/* Input 1 is the length of the new axis: an integer, or a float of one. */
static bool one_hot(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const struct onnx_value *depth = x ? mp_input_onnx_in(c, 1) : NULL;
	const struct onnx_value *values = depth ? mp_input_onnx_in(c, 2) : NULL;
	uint32_t axis;
	double n;

	if (!values)
		return false;
	if (!depth->content || depth->n != 1)
		return mp_input_onnx_unknown(c, 1);
	n = mp_input_onnx_class(depth->type) == ONNX_REAL
		    ? depth->content[0].d
		    : (double)depth->content[0].i;
	if (!(n >= 0 && n <= (double)ONNX_DIM))
		return mp_input_onnx_wrong(c, "its depth is out of range");
	if (!mp_input_onnx_axis(c, mp_input_onnx_int(c, "axis", -1),
		    x->shape.n + 1, &axis) ||
		!mp_input_onnx_give(c, 0, values->type, NULL, 0))
		return false;
	for (uint32_t i = 0; i < x->shape.n + 1; i++)
		if (!mp_input_onnx_push(c, 0,
			    i == axis  ? (uint64_t)n
			    : i < axis ? x->shape.at[i]
				       : x->shape.at[i - 1]))
			return false;
	return true;
}

/* ----------------------------------------------------------- losses */

static bool is_none(const struct onnx_call *c)
{
	return mp_input_onnx_text_is(c, "reduction", "none");
}

static bool loss(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const struct onnx_value *target = x ? mp_input_onnx_in(c, 1) : NULL;

	if (!target)
		return false;
	return is_none(c)
		       ? mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, target)
		       : mp_input_onnx_give(c, 0, ONNX_UNDEFINED, NULL, 0);
}

static bool cross_entropy(struct onnx_call *c)
{
	return loss(c) &&
	       mp_input_onnx_give_like(c, 1, ONNX_UNDEFINED, c->in[0]);
}

static const struct onnx_rule rows[] = {
	{"ArgMax", arg, NULL, 0},
	{"ArgMin", arg, NULL, 0},
	{"NegativeLogLikelihoodLoss", loss, NULL, 0},
	{"OneHot", one_hot, NULL, 0},
	{"ReduceL1", reduce, NULL, 0},
	{"ReduceL2", reduce, NULL, 0},
	{"ReduceLogSum", reduce, NULL, 0},
	{"ReduceLogSumExp", reduce, NULL, 0},
	{"ReduceMax", reduce, mp_input_onnx_fold_reduce, 0},
	{"ReduceMean", reduce, NULL, 0},
	{"ReduceMin", reduce, mp_input_onnx_fold_reduce, 0},
	{"ReduceProd", reduce, mp_input_onnx_fold_reduce, 0},
	{"ReduceSum", reduce, mp_input_onnx_fold_reduce, 0},
	{"ReduceSumSquare", reduce, NULL, 0},
	{"SoftmaxCrossEntropyLoss", cross_entropy, NULL, 0},
	{"TopK", top_k, NULL, 0},
};

const struct onnx_family mp_input_onnx_reductions = ONNX_FAMILY(rows);
