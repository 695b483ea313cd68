/*
 * Rules of ops that make their elements: constants, ranges, random numbers,
 * shapes, signals. Their shapes are in attributes and contents.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "input/onnx/inside.h"

/* A type of an attribute; one that is none has no size and fails later. */
static uint32_t type_of(
	const struct onnx_call *c, const char *name, uint32_t otherwise)
{
	return (uint32_t)num_min(
		(uint64_t)mp_input_onnx_int(c, name, otherwise), ONNX_TYPES);
}

static bool give_ints(
	struct onnx_call *c, uint32_t type, const struct onnx_ints *dims)
{
	if (!mp_input_onnx_give(c, 0, type, NULL, 0))
		return false;
	for (uint32_t i = 0; i < dims->n; i++)
		if (!mp_input_onnx_push(c, 0, (uint64_t)dims->at[i].i))
			return false;
	return true;
}

/* --------------------------------------------------------- Constant */

/* The output is the list, or its one number. */
static bool give_content(struct onnx_call *c, uint32_t type,
	const union onnx_number *content, uint32_t n, bool is_list)
{
	uint64_t dim = n;

	if (mp_input_onnx_is_kept(type, n)) {
		c->out[0].content = content;
		c->out[0].n = n;
	}
	return mp_input_onnx_give(c, 0, type, &dim, is_list);
}

static bool constant_tensor(struct onnx_call *c, struct proto_bytes message)
{
	struct onnx_tensor tensor;
	uint64_t n = 1;

	if (!mp_input_onnx_parse_tensor(c->source, message, &tensor))
		return false;
	for (uint32_t i = 0; i < tensor.n_dims; i++)
		if (!num_mul(n, tensor.dims[i], &n))
			return mp_input_onnx_wrong(c, "its value is too large");
	c->out[0].n = n;
	return mp_input_onnx_content(
		       c->source, &tensor, n, &c->out[0].content) &&
	       mp_input_onnx_give(
		       c, 0, tensor.type, tensor.dims, tensor.n_dims);
}

static bool constant_number(
	struct onnx_call *c, const struct onnx_attribute *a, bool real)
{
	union onnx_number *number = NEW(c->source->arena, union onnx_number, 1);

	if (!number)
		return false;
	if (real)
		number->d = a->f;
	else
		number->i = a->i;
	return give_content(
		c, real ? ONNX_FLOAT : ONNX_INT64, number, 1, false);
}

static bool constant_ints(struct onnx_call *c, const struct onnx_attribute *a)
{
	struct onnx_ints ints;

	return mp_input_onnx_attribute_ints(c->source, a, &ints) &&
	       give_content(c, ONNX_INT64, ints.at, ints.n, true);
}

static bool constant_floats(struct onnx_call *c, const struct onnx_attribute *a)
{
	const union onnx_number *numbers;
	uint32_t n;

	return mp_input_onnx_attribute_floats(c->source, a, &numbers, &n) &&
	       give_content(c, ONNX_FLOAT, numbers, n, true);
}

static bool constant(struct onnx_call *c)
{
	const struct onnx_attribute *a;
	static const uint64_t unknown = 0;

	if (c->node->attributes.n == 0)
		return mp_input_onnx_wrong(c, "it has no value");
	if ((a = mp_input_onnx_attribute(c->node, "value")) && a->t.at)
		return constant_tensor(c, a->t);
	if ((a = mp_input_onnx_attribute(c->node, "value_int")))
		return constant_number(c, a, false);
	if ((a = mp_input_onnx_attribute(c->node, "value_float")))
		return constant_number(c, a, true);
	if ((a = mp_input_onnx_attribute(c->node, "value_ints")))
		return constant_ints(c, a);
	if ((a = mp_input_onnx_attribute(c->node, "value_floats")))
		return constant_floats(c, a);
	if (mp_input_onnx_attribute(c->node, "value_string"))
		return mp_input_onnx_give(c, 0, ONNX_STRING, NULL, 0);
	if (mp_input_onnx_attribute(c->node, "value_strings"))
		return mp_input_onnx_give(c, 0, ONNX_STRING, &unknown, 1);
	return mp_input_onnx_wrong(c, "it has no value that is known");
}

static bool constant_of_shape(struct onnx_call *c)
{
	const struct onnx_attribute *value =
		mp_input_onnx_attribute(c->node, "value");
	struct onnx_tensor tensor;
	struct onnx_ints dims;

	if (!mp_input_onnx_list(c, 0, NULL, &dims))
		return false;
	if (!value || !value->t.at)
		return give_ints(c, ONNX_FLOAT, &dims);
	return mp_input_onnx_parse_tensor(c->source, value->t, &tensor) &&
	       give_ints(c, tensor.type, &dims);
}

/* --------------------------------------------------- shapes, ranges */

/* The axes from start to end of the shape. */
static bool shape(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	int64_t start, end;
	uint64_t n;

	if (!x)
		return false;
	start = mp_input_onnx_int(c, "start", 0);
	end = mp_input_onnx_int(c, "end", x->shape.n);
	start += start < 0 ? x->shape.n : 0;
	end += end < 0 ? x->shape.n : 0;
	start = start < 0 ? 0 : start > x->shape.n ? x->shape.n : start;
	end = end < 0 ? 0 : end > x->shape.n ? x->shape.n : end;
	n = end > start ? (uint64_t)(end - start) : 0;
	return mp_input_onnx_give(c, 0, ONNX_INT64, &n, 1);
}

static bool size(struct onnx_call *c)
{
	return mp_input_onnx_in(c, 0) &&
	       mp_input_onnx_give(c, 0, ONNX_INT64, NULL, 0);
}

/* A number of an input, as a double. */
static bool read_number(struct onnx_call *c, uint32_t k, double *number)
{
	const struct onnx_value *x = mp_input_onnx_in(c, k);

	if (!x || !x->content || x->n != 1)
		return x && mp_input_onnx_unknown(c, k);
	*number = mp_input_onnx_class(x->type) == ONNX_REAL
			  ? x->content[0].d
			  : (double)x->content[0].i;
	return true;
}

static bool range(struct onnx_call *c)
{
	double start = 0, limit = 0, delta = 0, n;
	uint64_t dim;

	if (!read_number(c, 0, &start) || !read_number(c, 1, &limit) ||
		!read_number(c, 2, &delta))
		return false;
	n = ceil((limit - start) / delta);
	if (!(n <= (double)ONNX_DIM) || delta == 0)
		return mp_input_onnx_wrong(c, "its range has no end");
	dim = n > 0 ? (uint64_t)n : 0;
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, &dim, 1);
}

static bool make_random(struct onnx_call *c)
{
	struct onnx_ints dims;

	return mp_input_onnx_ints(c, "shape", &dims) &&
	       give_ints(c, type_of(c, "dtype", ONNX_FLOAT), &dims);
}

static bool multinomial(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 1);

	return x &&
	       mp_input_onnx_give(
		       c, 0, type_of(c, "dtype", ONNX_INT32), x->shape.at, 1) &&
	       mp_input_onnx_push(
		       c, 0, (uint64_t)mp_input_onnx_int(c, "sample_size", 1));
}

/* ---------------------------------------------------------- signals */

static bool window(struct onnx_call *c)
{
	struct onnx_ints n;

	return mp_input_onnx_list(c, 0, NULL, &n) &&
	       give_ints(c, type_of(c, "output_datatype", ONNX_FLOAT), &n);
}

/* One integer of an input, or the number itself where it is not given. */
static bool read_int(
	struct onnx_call *c, uint32_t k, int64_t otherwise, int64_t *number)
{
	struct onnx_ints list;

	if (!mp_input_onnx_list(c, k, NULL, &list))
		return false;
	*number = list.given && list.n > 0 ? list.at[0].i : otherwise;
	return true;
}

static bool dft(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	bool half = mp_input_onnx_int(c, "onesided", 0) != 0;
	int64_t wanted, n;
	uint32_t axis;

	if (!x ||
		!read_int(c, 2,
			mp_input_onnx_int(c, "axis", c->opset >= 20 ? -2 : 1),
			&wanted) ||
		!mp_input_onnx_axis(c, wanted, x->shape.n, &axis) ||
		!read_int(c, 1, (int64_t)x->shape.at[axis], &n) ||
		!mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x))
		return false;
	if (n < 0 || n > (int64_t)ONNX_DIM)
		return mp_input_onnx_wrong(c, "its length is out of range");
	c->out[0].dims[axis] = (uint64_t)(half ? n / 2 + 1 : n);
	c->out[0].dims[x->shape.n - 1] = 2;
	return true;
}

/* Frames of input 0: their length is input 3, or that of the window, input 2.
 */
static bool stft(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);
	bool half = mp_input_onnx_int(c, "onesided", 1) != 0;
	int64_t step, length = 0;

	if (!x || !read_int(c, 1, 0, &step))
		return false;
	if (mp_input_onnx_given(c, 3)) {
		if (!read_int(c, 3, 0, &length))
			return false;
	} else {
		const struct onnx_value *w = mp_input_onnx_ranked(c, 2, 1);

		if (!w)
			return false;
		length = (int64_t)w->shape.at[0];
	}
	if (step < 1 || length < 1 || (uint64_t)length > x->shape.at[1])
		return mp_input_onnx_wrong(
			c, "its frames do not fit its signal");
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, x->shape.at, 1) &&
	       mp_input_onnx_push(c, 0,
		       (x->shape.at[1] - (uint64_t)length) / (uint64_t)step +
			       1) &&
	       mp_input_onnx_push(
		       c, 0, (uint64_t)(half ? length / 2 + 1 : length)) &&
	       mp_input_onnx_push(c, 0, 2);
}

static bool mel_weights(struct onnx_call *c)
{
	int64_t bins, length;

	return read_int(c, 0, -1, &bins) && read_int(c, 1, -1, &length) &&
	       mp_input_onnx_give(c, 0,
		       type_of(c, "output_datatype", ONNX_FLOAT), NULL, 0) &&
	       mp_input_onnx_push(c, 0, (uint64_t)(length / 2 + 1)) &&
	       mp_input_onnx_push(c, 0, (uint64_t)bins);
}

/* ------------------------------------------------------- no tensors */

static bool sequence(struct onnx_call *c)
{
	c->out[0].kind = "a sequence";
	return true;
}

static bool optional(struct onnx_call *c)
{
	c->out[0].kind = "optional";
	return true;
}

static bool sequence_length(struct onnx_call *c)
{
	return mp_input_onnx_give(c, 0, ONNX_INT64, NULL, 0);
}

static bool has_element(struct onnx_call *c)
{
	return mp_input_onnx_give(c, 0, ONNX_BOOL, NULL, 0);
}

static const struct onnx_rule rows[] = {
	{"BlackmanWindow", window, NULL, 0},
	{"Constant", constant, NULL, 0},
	{"ConstantOfShape", constant_of_shape,
		mp_input_onnx_fold_constant_of_shape, 0},
	{"DFT", dft, NULL, 0},
	{"HammingWindow", window, NULL, 0},
	{"HannWindow", window, NULL, 0},
	{"MelWeightMatrix", mel_weights, NULL, 0},
	{"Multinomial", multinomial, NULL, ONNX_RANDOM},
	{"Optional", optional, NULL, 0},
	{"OptionalHasElement", has_element, NULL, 0},
	{"RandomNormal", make_random, NULL, ONNX_RANDOM},
	{"RandomUniform", make_random, NULL, ONNX_RANDOM},
	{"Range", range, mp_input_onnx_fold_range, ONNX_ALSO_MICROSOFT},
	{"STFT", stft, NULL, 0},
	{"SequenceConstruct", sequence, NULL, 0},
	{"SequenceEmpty", sequence, NULL, 0},
	{"SequenceErase", sequence, NULL, 0},
	{"SequenceInsert", sequence, NULL, 0},
	{"SequenceLength", sequence_length, NULL, 0},
	{"SequenceMap", sequence, NULL, 0},
	{"Shape", shape, mp_input_onnx_fold_shape, 0},
	{"Size", size, mp_input_onnx_fold_size, 0},
	{"SplitToSequence", sequence, NULL, 0},
};

const struct onnx_family mp_input_onnx_generators = ONNX_FAMILY(rows);
