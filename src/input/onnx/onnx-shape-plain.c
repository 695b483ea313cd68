/*
 * Rules of ops with an output of the shape of an input, or of all inputs
 * broadcast.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/onnx/inside.h"

/* ------------------------------------------------- shape of input 0 */

static bool same_as(struct onnx_call *c, uint32_t type)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);

	return x && mp_input_onnx_give_like(c, 0, type, x);
}

static bool same(struct onnx_call *c)
{
	return same_as(c, ONNX_UNDEFINED);
}

static bool same_bool(struct onnx_call *c)
{
	return same_as(c, ONNX_BOOL);
}

/* The type that an attribute says; otherwise that of input 0. */
static bool same_typed(struct onnx_call *c, const char *attribute)
{
	int64_t type = mp_input_onnx_int(c, attribute, ONNX_UNDEFINED);

	return same_as(c, (uint32_t)num_min((uint64_t)type, ONNX_TYPES));
}

static bool cast(struct onnx_call *c)
{
	const struct onnx_attribute *to =
		mp_input_onnx_attribute(c->node, "to");

	/* Opset 5 spells the type: "FLOAT". */
	if (to && to->i == 0 && to->s.at)
		return same_as(
			c, mp_input_proto_is(to->s, "FLOAT")   ? ONNX_FLOAT
			   : mp_input_proto_is(to->s, "INT64") ? ONNX_INT64
			   : mp_input_proto_is(to->s, "INT32") ? ONNX_INT32
			   : mp_input_proto_is(to->s, "BOOL")  ? ONNX_BOOL
							       : ONNX_TYPES);
	return same_typed(c, "to");
}

static bool same_dtype(struct onnx_call *c)
{
	return same_typed(c, "dtype");
}

/* The type of input 1. */
static bool cast_like(struct onnx_call *c)
{
	const struct onnx_value *like = mp_input_onnx_in(c, 1);

	return like && same_as(c, like->type);
}

static bool dequantize(struct onnx_call *c)
{
	return mp_input_onnx_attribute(c->node, "output_dtype")
		       ? same_typed(c, "output_dtype")
		       : cast_like(c);
}

static bool quantize(struct onnx_call *c)
{
	int64_t type = mp_input_onnx_int(c, "output_dtype", ONNX_UNDEFINED);

	if (mp_input_onnx_given(c, 2))
		type = c->in[2]->type;
	return same_as(
		c, type == ONNX_UNDEFINED
			   ? ONNX_UINT8
			   : (uint32_t)num_min((uint64_t)type, ONNX_TYPES));
}

static bool quantize_dynamically(struct onnx_call *c)
{
	return same_as(c, ONNX_UINT8) &&
	       mp_input_onnx_give(c, 1, ONNX_FLOAT, NULL, 0) &&
	       mp_input_onnx_give(c, 2, ONNX_UINT8, NULL, 0);
}

static bool dropout(struct onnx_call *c)
{
	return same(c) &&
	       mp_input_onnx_give_like(c, 1,
		       c->opset >= 10 ? ONNX_BOOL : ONNX_UNDEFINED, c->in[0]);
}

/* Statistics of each channel behind the output, as input 3 has them. */
static bool batch_normalization(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint32_t type =
		mp_input_onnx_given(c, 3) ? c->in[3]->type : ONNX_UNDEFINED;
	uint64_t channels;

	if (!x || !same(c))
		return false;
	channels = x->shape.n > 1 ? x->shape.at[1] : 1;
	for (uint32_t k = 1; k < c->n_out; k++)
		if (!mp_input_onnx_give(c, k, type, &channels, 1))
			return false;
	return true;
}

/* Means behind the output: dimensions from the axis on are 1. */
static bool layer_normalization(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint32_t axis;

	if (!x || !same(c) ||
		!mp_input_onnx_axis(
			c, mp_input_onnx_int(c, "axis", -1), x->shape.n, &axis))
		return false;
	for (uint32_t k = 1; k < c->n_out; k++) {
		if (!mp_input_onnx_give(c, k, ONNX_FLOAT, NULL, 0))
			return false;
		for (uint32_t i = 0; i < x->shape.n; i++)
			if (!mp_input_onnx_push(
				    c, k, i < axis ? x->shape.at[i] : 1))
				return false;
	}
	return true;
}

/* Output 3 is the sum that was normalised. */
static bool skip_layer_normalization(struct onnx_call *c)
{
	return layer_normalization(c) &&
	       mp_input_onnx_give_like(c, 3, ONNX_UNDEFINED, c->in[0]);
}

/* Output 1 is the sum that was normalised. */
static bool skip_group_normalization(struct onnx_call *c)
{
	return same(c) &&
	       mp_input_onnx_give_like(c, 1, ONNX_UNDEFINED, c->in[0]);
}

/* Half of the last axis gates the other half. */
static bool split_gelu(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 1);

	if (!x || !same(c))
		return false;
	c->out[0].dims[x->shape.n - 1] /= 2;
	return true;
}

/* Output 1 keeps the end of the sequence for the next call. */
static bool conv_with_state(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *w = x ? mp_input_onnx_ranked(c, 1, 1) : NULL;
	uint64_t kernel;

	if (!w || !same(c))
		return false;
	kernel = w->shape.at[w->shape.n - 1];
	return mp_input_onnx_give(c, 1, ONNX_UNDEFINED, x->shape.at, 2) &&
	       mp_input_onnx_push(c, 1, kernel > 0 ? kernel - 1 : 0);
}

/* Each output i is a tensor that is updated: after a rate and a count come the
 * tensors, their gradients, and what the optimiser keeps of each. */
static bool optimise(struct onnx_call *c, uint32_t lists)
{
	uint32_t n = c->n_in < 2 ? 0 : (c->n_in - 2) / (lists + 1);

	for (uint32_t k = 0; k < c->n_out && n > 0; k++) {
		uint32_t from = 2 + k % n + (k / n ? (k / n + 1) * n : 0);
		const struct onnx_value *x = mp_input_onnx_in(c, from);

		if (!x || !mp_input_onnx_give_like(c, k, x->type, x))
			return false;
	}
	return true;
}

static bool momentum(struct onnx_call *c)
{
	return optimise(c, 2);
}

static bool adam(struct onnx_call *c)
{
	return optimise(c, 3);
}

/* -------------------------------------------------------- broadcast */

/* Every `step`-th input counts, from the first on. */
static bool broadcast_of(struct onnx_call *c, uint32_t step, uint32_t type)
{
	uint64_t dims[ONNX_RANK];
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->n_in; k += step) {
		const struct onnx_value *x = mp_input_onnx_in(c, k);

		if (!x)
			return false;
		if (!mp_input_onnx_broadcast(dims, &n, x->shape.at, x->shape.n))
			return mp_input_onnx_wrong(c,
				"the shape of input %u does not go with those "
				"before it",
				k);
	}
	return mp_input_onnx_give(c, 0, type, dims, n);
}

/* Before opset 7 the shape of input 0 counts, where an attribute says so. */
static bool broadcast(struct onnx_call *c)
{
	if (c->opset < 7 && mp_input_onnx_int(c, "broadcast", 0))
		return same(c);
	return broadcast_of(c, 1, ONNX_UNDEFINED);
}

static bool broadcast_bool(struct onnx_call *c)
{
	if (c->opset < 7 && mp_input_onnx_int(c, "broadcast", 0))
		return same_bool(c);
	return broadcast_of(c, 1, ONNX_BOOL);
}

static bool where(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 1);

	return x && broadcast_of(c, 1, x->type);
}

/* Two tensors, each with a scale and a zero point. */
static bool quantized_pair(struct onnx_call *c)
{
	c->n_in = (uint32_t)num_min(c->n_in, 6); /* then those of the output */
	return broadcast_of(c, 3, ONNX_UNDEFINED);
}

/* ------------------------------------------------------------ table */

enum {
	I = ONNX_IN_PLACE,
	B = ONNX_ANY_PLACE,
	V = ONNX_VIEW,
	R = ONNX_RANDOM,
	MS = ONNX_ALSO_MICROSOFT,
};

#define FOLD(name) mp_input_onnx_fold_##name

static const struct onnx_rule rows[] = {
	{"Abs", same, FOLD(combine), I},
	{"Acos", same, NULL, I},
	{"Acosh", same, NULL, I},
	{"Add", broadcast, FOLD(combine), B},
	{"Affine", same, NULL, I},
	{"And", broadcast_bool, FOLD(combine), B},
	{"Asin", same, NULL, I},
	{"Asinh", same, NULL, I},
	{"Atan", same, NULL, I},
	{"Atanh", same, NULL, I},
	{"BatchNormalization", batch_normalization, NULL, I},
	{"Bernoulli", same_dtype, NULL, R},
	{"BitCast", cast, NULL, I},
	{"BitShift", broadcast, NULL, B},
	{"BitwiseAnd", broadcast, NULL, B},
	{"BitwiseNot", same, NULL, I},
	{"BitwiseOr", broadcast, NULL, B},
	{"BitwiseXor", broadcast, NULL, B},
	{"Cast", cast, FOLD(cast), I | V},
	{"CastLike", cast_like, FOLD(cast), I | V},
	{"CausalConvWithState", conv_with_state, NULL, MS},
	{"Ceil", same, FOLD(combine), I},
	{"Celu", same, NULL, I},
	{"Clip", same, FOLD(clip), I},
	{"Cos", same, NULL, I},
	{"Cosh", same, NULL, I},
	{"CumProd", same, NULL, 0},
	{"CumSum", same, NULL, 0},
	{"DequantizeLinear", dequantize, NULL, MS},
	{"Div", broadcast, FOLD(combine), B},
	{"Dropout", dropout, FOLD(same), I | V},
	{"DynamicQuantizeLinear", quantize_dynamically, NULL, 0},
	{"Elu", same, NULL, I},
	{"Equal", broadcast_bool, FOLD(combine), B},
	{"Erf", same, NULL, I},
	{"Exp", same, FOLD(combine), I},
	{"EyeLike", same_dtype, NULL, 0},
	{"Floor", same, FOLD(combine), I},
	{"Gelu", same, NULL, I | MS},
	{"Greater", broadcast_bool, FOLD(combine), B},
	{"GreaterOrEqual", broadcast_bool, FOLD(combine), B},
	{"GroupNormalization", same, NULL, 0},
	{"HardSigmoid", same, NULL, I},
	{"HardSwish", same, NULL, I},
	{"Hardmax", same, NULL, 0},
	{"Identity", same, FOLD(same), I | V},
	{"ImageScaler", same, NULL, I},
	{"InstanceNormalization", same, NULL, 0},
	{"IsInf", same_bool, NULL, I},
	{"IsNaN", same_bool, NULL, I},
	{"LRN", same, NULL, 0},
	{"LayerNormalization", layer_normalization, NULL, I},
	{"LeakyRelu", same, NULL, I},
	{"Less", broadcast_bool, FOLD(combine), B},
	{"LessOrEqual", broadcast_bool, FOLD(combine), B},
	{"Log", same, FOLD(combine), I},
	{"LogSoftmax", same, NULL, I},
	{"LpNormalization", same, NULL, 0},
	{"Max", broadcast, FOLD(combine), B},
	{"Mean", broadcast, NULL, B},
	{"MeanVarianceNormalization", same, NULL, 0},
	{"Min", broadcast, FOLD(combine), B},
	{"Mish", same, NULL, I},
	{"Mod", broadcast, FOLD(combine), B},
	{"Mul", broadcast, FOLD(combine), B},
	{"Neg", same, FOLD(combine), I},
	{"Not", same_bool, FOLD(combine), I},
	{"Or", broadcast_bool, FOLD(combine), B},
	{"PRelu", same, NULL, I},
	{"ParametricSoftplus", same, NULL, I},
	{"Pow", broadcast, FOLD(combine), B},
	{"QuantizeLinear", quantize, NULL, MS},
	{"RMSNormalization", same, NULL, 0},
	{"RandomNormalLike", same_dtype, NULL, R},
	{"RandomUniformLike", same_dtype, NULL, R},
	{"Reciprocal", same, FOLD(combine), I},
	{"Relu", same, NULL, I},
	{"ReverseSequence", same, NULL, 0},
	{"RotaryEmbedding", same, NULL, MS},
	{"Round", same, FOLD(combine), I},
	{"Scale", same, NULL, I},
	{"ScaledTanh", same, NULL, I},
	{"Scatter", same, NULL, 0},
	{"ScatterElements", same, NULL, I},
	{"ScatterND", same, NULL, I},
	{"Selu", same, NULL, I},
	{"Shrink", same, NULL, I},
	{"Sigmoid", same, NULL, I},
	{"Sign", same, NULL, I},
	{"SimplifiedLayerNormalization", layer_normalization, NULL, I},
	{"Sin", same, NULL, I},
	{"Sinh", same, NULL, I},
	{"Softmax", same, NULL, I},
	{"Softplus", same, NULL, I},
	{"Softsign", same, NULL, I},
	{"Sqrt", same, FOLD(combine), I},
	{"Sub", broadcast, FOLD(combine), B},
	{"Sum", broadcast, NULL, B},
	{"SwiGLU", same, NULL, 0},
	{"Swish", same, NULL, I},
	{"Tan", same, NULL, I},
	{"Tanh", same, NULL, I},
	{"TensorScatter", same, NULL, I},
	{"ThresholdedRelu", same, NULL, I},
	{"Trilu", same, NULL, MS},
	{"Where", where, FOLD(where), B},
	{"Xor", broadcast_bool, NULL, B},
	{"ai.onnx.preview.training.Adagrad", momentum, NULL, 0},
	{"ai.onnx.preview.training.Adam", adam, NULL, 0},
	{"ai.onnx.preview.training.Momentum", momentum, NULL, 0},
	{"com.microsoft.BiasAdd", same, NULL, 0},
	{"com.microsoft.BiasDropout", dropout, NULL, 0},
	{"com.microsoft.BiasGelu", same, NULL, I},
	{"com.microsoft.BiasSoftmax", same, NULL, 0},
	{"com.microsoft.BiasSplitGelu", split_gelu, NULL, 0},
	{"com.microsoft.ComplexMul", broadcast, NULL, 0},
	{"com.microsoft.ComplexMulConj", broadcast, NULL, 0},
	{"com.microsoft.FastGelu", same, NULL, I},
	{"com.microsoft.GatedRMSNorm", same, NULL, 0},
	{"com.microsoft.GroupNorm", same, NULL, 0},
	{"com.microsoft.Inverse", same, NULL, 0},
	{"com.microsoft.MoE", same, NULL, 0},
	{"com.microsoft.QLinearAdd", quantized_pair, NULL, 0},
	{"com.microsoft.QLinearLeakyRelu", same, NULL, I},
	{"com.microsoft.QLinearMul", quantized_pair, NULL, 0},
	{"com.microsoft.QLinearSigmoid", same, NULL, I},
	{"com.microsoft.QLinearSoftmax", same, NULL, 0},
	{"com.microsoft.QMoE", same, NULL, 0},
	{"com.microsoft.QuickGelu", same, NULL, I},
	{"com.microsoft.SkipGroupNorm", skip_group_normalization, NULL, 0},
	{"com.microsoft.SkipLayerNormalization", skip_layer_normalization, NULL,
		0},
	{"com.microsoft.SkipSimplifiedLayerNormalization",
		skip_layer_normalization, NULL, 0},
};

const struct onnx_family mp_input_onnx_plain = ONNX_FAMILY(rows);
