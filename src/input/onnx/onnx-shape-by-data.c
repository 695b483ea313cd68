/*
 * Rules of ops with shapes that depend on data: unless these data are known,
 * such a rule says types only. The shapes are declared, or given with --shape;
 * many have a largest one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/onnx/inside.h"

/* Output k has a type, and no shape. */
static void set_type(struct onnx_call *c, uint32_t k, uint32_t type)
{
	if (k < c->n_out)
		c->out[k].type = type;
}

/* The type of input 0. */
static uint32_t type_of(const struct onnx_call *c)
{
	return mp_input_onnx_given(c, 0) ? c->in[0]->type : ONNX_UNDEFINED;
}

/* -------------------------------------------------------- selection */

/* How many elements are not 0, or may be. */
static bool count_set(
	struct onnx_call *c, const struct onnx_value *x, uint64_t *n)
{
	*n = x->content ? 0 : x->n;
	for (uint64_t i = 0; x->content && i < x->n; i++)
		*n += mp_input_onnx_is_set(x, i);
	return x->content || mp_input_onnx_takes_most(c);
}

/* A row an axis, a column an element that is not 0. */
static bool non_zero(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	uint64_t dims[2];

	set_type(c, 0, ONNX_INT64);
	if (!x || !count_set(c, x, &dims[1]))
		return false;
	dims[0] = x->shape.n;
	return mp_input_onnx_give(c, 0, ONNX_INT64, dims, 2);
}

/* Entries of an axis, or elements, where input 1 is true. */
static bool compress(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	const struct onnx_value *takes = x ? mp_input_onnx_in(c, 1) : NULL;
	bool flat = !mp_input_onnx_attribute(c->node, "axis");
	uint32_t axis;
	uint64_t n;

	set_type(c, 0, type_of(c));
	if (!takes || !count_set(c, takes, &n))
		return false;
	if (flat)
		return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, &n, 1);
	if (!mp_input_onnx_axis(
		    c, mp_input_onnx_int(c, "axis", 0), x->shape.n, &axis) ||
		!mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x))
		return false;
	c->out[0].dims[axis] = n;
	return true;
}

/* Elements or entries of an axis, each once, and where they were. */
static bool unique(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	bool flat = !mp_input_onnx_attribute(c->node, "axis");
	uint32_t axis = 0;
	uint64_t n;

	set_type(c, 0, type_of(c));
	for (uint32_t k = 1; k < c->n_out; k++)
		set_type(c, k, ONNX_INT64);
	if (!x || !mp_input_onnx_takes_most(c) ||
		(!flat &&
			!mp_input_onnx_axis(c, mp_input_onnx_int(c, "axis", 0),
				x->shape.n, &axis)))
		return false;
	n = flat ? x->n : x->shape.at[axis];
	for (uint32_t k = 1; k < c->n_out; k++)
		if (!mp_input_onnx_give(c, k, ONNX_INT64, &n, 1))
			return false;
	return flat ? mp_input_onnx_give(c, 0, ONNX_UNDEFINED, &n, 1)
		    : mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x);
}

/* Boxes of each image and class: all of them, or as many as input 2 says. */
static bool suppress(struct onnx_call *c)
{
	const struct onnx_value *scores;
	uint64_t each, n;

	set_type(c, 0, ONNX_INT64);
	if (!mp_input_onnx_takes_most(c) ||
		!(scores = mp_input_onnx_ranked(c, 1, 3)))
		return false;
	each = scores->shape.at[2];
	if (!mp_input_onnx_given(c, 2))
		each = 0;
	else if (c->in[2]->content && c->in[2]->n == 1 &&
		 c->in[2]->content->i >= 0)
		each = num_min(each, (uint64_t)c->in[2]->content->i);
	return (num_mul(scores->shape.at[0], scores->shape.at[1], &n) &&
		       num_mul(n, each, &n) &&
		       mp_input_onnx_give(c, 0, ONNX_INT64, &n, 1) &&
		       mp_input_onnx_push(c, 0, 3)) ||
	       mp_input_onnx_wrong(c, "it has too many boxes");
}

static bool image(struct onnx_call *c)
{
	set_type(c, 0, ONNX_UINT8);
	return false;
}

/* ---------------------------------------------------------- strings */

static bool strings(struct onnx_call *c)
{
	set_type(c, 0, ONNX_STRING);
	set_type(c, 1, ONNX_INT64);
	return false;
}

static bool string_pair(struct onnx_call *c)
{
	uint64_t dims[ONNX_RANK];
	uint32_t n = 0;

	for (uint32_t k = 0; k < 2; k++) {
		const struct onnx_value *x = mp_input_onnx_in(c, k);

		if (!x)
			return false;
		if (!mp_input_onnx_broadcast(dims, &n, x->shape.at, x->shape.n))
			return mp_input_onnx_wrong(
				c, "the shapes of its inputs differ");
	}
	return mp_input_onnx_give(c, 0, ONNX_STRING, dims, n);
}

static bool string_test(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);

	return x && mp_input_onnx_give_like(c, 0, ONNX_BOOL, x);
}

/* A count for each n-gram that an attribute lists. */
static bool count_grams(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_in(c, 0);
	struct onnx_ints columns;
	int64_t most = -1;

	if (!x || !mp_input_onnx_ints(c, "ngram_indexes", &columns))
		return false;
	for (uint32_t i = 0; i < columns.n; i++)
		if (columns.at[i].i > most)
			most = columns.at[i].i;
	return mp_input_onnx_give(
		       c, 0, ONNX_FLOAT, x->shape.at, x->shape.n > 1 ? 1 : 0) &&
	       mp_input_onnx_push(c, 0, (uint64_t)most + 1);
}

/* ------------------------------------------ sequences and optionals */

/* What a sequence holds, which is not followed. */
static bool element(struct onnx_call *c)
{
	(void)c;
	return false;
}

/* A tensor is its own element. */
static bool own_element(struct onnx_call *c)
{
	const struct onnx_value *x =
		mp_input_onnx_given(c, 0) ? c->in[0] : NULL;

	return x && x->shaped &&
	       mp_input_onnx_give_like(c, 0, ONNX_UNDEFINED, x);
}

static const struct onnx_rule rows[] = {
	{"Compress", compress, NULL, 0},
	{"ConcatFromSequence", element, NULL, 0},
	{"ImageDecoder", image, NULL, 0},
	{"NonMaxSuppression", suppress, NULL, 0},
	{"NonZero", non_zero, mp_input_onnx_fold_non_zero, 0},
	{"OptionalGetElement", own_element, NULL, 0},
	{"RegexFullMatch", string_test, NULL, 0},
	{"SequenceAt", element, NULL, 0},
	{"StringConcat", string_pair, NULL, 0},
	{"StringNormalizer", strings, NULL, 0},
	{"StringSplit", strings, NULL, 0},
	{"TfIdfVectorizer", count_grams, NULL, 0},
	{"Unique", unique, NULL, ONNX_ALSO_MICROSOFT},
};

const struct onnx_family mp_input_onnx_by_data = ONNX_FAMILY(rows);
