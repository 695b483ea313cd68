/*
 * Folds that compute: arithmetic, comparisons, casts, reductions, ranges.
 * Integers wrap as their types do. What has no answer (a division by 0) and
 * what this file does not round as a runtime would stays unknown.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "input/onnx/inside.h"

/* Are contents of that type computed with? Numbers of uint64 may be above
 * int64, and halves would have to be rounded. */
static bool is_computed(uint32_t type)
{
	return type != ONNX_UINT64 && type != ONNX_FLOAT16 &&
	       type != ONNX_BFLOAT16 &&
	       mp_input_onnx_class(type) != ONNX_NO_NUMBER;
}

enum {
	MOST_OPERANDS = 64,
};

static bool inputs_computed(const struct onnx_call *c, uint32_t n)
{
	if (n > MOST_OPERANDS || !mp_input_onnx_fold_known(c, n))
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!is_computed(c->in[k]->type) ||
			mp_input_onnx_class(c->in[k]->type) !=
				mp_input_onnx_class(c->in[0]->type))
			return false;
	return true;
}

/* ------------------------------------------------------------ pairs */

/* One operation on integers and on reals; false: the result is not known. */
struct operation {
	bool (*integers)(const struct onnx_call *c, int64_t a, int64_t b,
		int64_t *result);
	bool (*reals)(const struct onnx_call *c, double a, double b,
		union onnx_number *result);
};

static bool apply(const struct onnx_call *c, const struct operation *o,
	union onnx_number a, union onnx_number b, union onnx_number *result)
{
	if (mp_input_onnx_class(c->in[0]->type) == ONNX_REAL)
		return o->reals && o->reals(c, a.d, b.d, result);
	return o->integers && o->integers(c, a.i, b.i, &result->i);
}

/* Applies an operation to inputs 0 and 1, then to the result and input 2, and
 * so on. */
static void combine(struct onnx_call *c, const struct operation *o)
{
	union onnx_number *to;
	struct onnx_steps steps;
	struct onnx_result *out = &c->out[0];

	if (!inputs_computed(c, c->n_in) || c->n_in == 0 ||
		!is_computed(out->type))
		return;
	to = mp_input_onnx_fold_room(c, 0);
	if (!to)
		return;
	for (uint32_t k = 0; k < c->n_in; k++) {
		if (c->in[k]->shape.n > out->n_dims)
			return;
		steps = mp_input_onnx_broadcast_steps(c->in[k], out);
		for (uint64_t i = 0; i < out->n; i++) {
			union onnx_number next =
				c->in[k]->content[mp_input_onnx_step(
					&steps, out, i)];

			if (k == 0)
				to[i] = next;
			else if (!apply(c, o, to[i], next, &to[i]))
				return;
			to[i] = mp_input_onnx_fit(
				k == 0 ? c->in[0]->type : out->type, to[i]);
		}
	}
	out->content = to;
}

/* A pair of functions from their expressions, and the fold that uses them. */
#define COMBINE(name, integer, real)                                           \
	static bool name##_integers(const struct onnx_call *c, int64_t a,      \
		int64_t b, int64_t *result)                                    \
	{                                                                      \
		(void)c;                                                       \
		*result = (int64_t)(integer);                                  \
		return true;                                                   \
	}                                                                      \
	static bool name##_reals(const struct onnx_call *c, double a,          \
		double b, union onnx_number *result)                           \
	{                                                                      \
		(void)c;                                                       \
		result->d = (real);                                            \
		return true;                                                   \
	}                                                                      \
	void mp_input_onnx_fold_##name(struct onnx_call *c)                    \
	{                                                                      \
		combine(c, &(const struct operation){                          \
				   name##_integers, name##_reals});            \
	}

#define COMPARE(name, test)                                                    \
	static bool name##_integers(const struct onnx_call *c, int64_t a,      \
		int64_t b, int64_t *result)                                    \
	{                                                                      \
		(void)c;                                                       \
		*result = (test);                                              \
		return true;                                                   \
	}                                                                      \
	static bool name##_reals(const struct onnx_call *c, double a,          \
		double b, union onnx_number *result)                           \
	{                                                                      \
		(void)c;                                                       \
		result->i = (test);                                            \
		return true;                                                   \
	}                                                                      \
	void mp_input_onnx_fold_##name(struct onnx_call *c)                    \
	{                                                                      \
		if (c->n_in == 2)                                              \
			combine(c, &(const struct operation){                  \
					   name##_integers, name##_reals});    \
	}

COMBINE(add, (uint64_t)a + (uint64_t)b, a + b)
COMBINE(sub, (uint64_t)a - (uint64_t)b, a - b)
COMBINE(mul, (uint64_t)a *(uint64_t)b, a *b)
COMBINE(min, a < b ? a : b, a < b ? a : b)
COMBINE(max, a > b ? a : b, a > b ? a : b)
COMPARE(equal, a == b)
COMPARE(less, a < b)
COMPARE(less_or_equal, a <= b)
COMPARE(greater, a > b)
COMPARE(greater_or_equal, a >= b)
COMPARE(and, a != 0 && b != 0)
COMPARE(or, a != 0 || b != 0)

/* Integers truncate towards zero. */
static bool divide_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result)
{
	(void)c;
	if (b == 0 || (b == -1 && a == INT64_MIN))
		return false;
	*result = a / b;
	return true;
}

static bool divide_reals(const struct onnx_call *c, double a, double b,
	union onnx_number *result)
{
	(void)c;
	if (b == 0)
		return false;
	result->d = a / b;
	return true;
}

void mp_input_onnx_fold_div(struct onnx_call *c)
{
	combine(c, &(const struct operation){divide_integers, divide_reals});
}

/* The sign is the divisor's, or with fmod the dividend's. */
static bool mod_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result)
{
	if (b == 0 || b == -1) {
		*result = 0;
		return b != 0;
	}
	*result = a % b;
	if (*result != 0 && (*result < 0) != (b < 0) &&
		!mp_input_onnx_int(c, "fmod", 0))
		*result += b;
	return true;
}

static bool mod_reals(const struct onnx_call *c, double a, double b,
	union onnx_number *result)
{
	if (b == 0 || !mp_input_onnx_int(c, "fmod", 0))
		return false;
	result->d = fmod(a, b);
	return true;
}

void mp_input_onnx_fold_mod(struct onnx_call *c)
{
	combine(c, &(const struct operation){mod_integers, mod_reals});
}

static bool raise_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result)
{
	uint64_t power = 1;

	(void)c;
	for (int64_t i = 0; i < b && i < 64; i++)
		power *= (uint64_t)a;
	*result = (int64_t)power;
	return b >= 0 && b <= 64;
}

static bool raise_reals(const struct onnx_call *c, double a, double b,
	union onnx_number *result)
{
	(void)c;
	result->d = pow(a, b);
	return true;
}

void mp_input_onnx_fold_pow(struct onnx_call *c)
{
	combine(c, &(const struct operation){raise_integers, raise_reals});
}

/* --------------------------------------------------- single numbers */

static void map(struct onnx_call *c, int64_t (*integer)(int64_t a),
	double (*real)(double a))
{
	union onnx_number *to;
	bool is_real;

	if (!inputs_computed(c, 1) || c->out[0].type != c->in[0]->type)
		return;
	is_real = mp_input_onnx_class(c->in[0]->type) == ONNX_REAL;
	to = mp_input_onnx_fold_room(c, 0);
	if (!to || (is_real ? !real : !integer))
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		if (is_real)
			to[i].d = real(c->in[0]->content[i].d);
		else
			to[i].i = integer(c->in[0]->content[i].i);
		to[i] = mp_input_onnx_fit(c->out[0].type, to[i]);
	}
	c->out[0].content = to;
}

static int64_t negate_integer(int64_t a)
{
	return (int64_t)(0 - (uint64_t)a);
}

static double negate_real(double a)
{
	return -a;
}

static int64_t abs_integer(int64_t a)
{
	return a < 0 ? negate_integer(a) : a;
}

static int64_t not_integer(int64_t a)
{
	return a == 0;
}

void mp_input_onnx_fold_abs(struct onnx_call *c)
{
	map(c, abs_integer, fabs);
}

void mp_input_onnx_fold_neg(struct onnx_call *c)
{
	map(c, negate_integer, negate_real);
}

void mp_input_onnx_fold_not(struct onnx_call *c)
{
	map(c, not_integer, NULL);
}

void mp_input_onnx_fold_ceil(struct onnx_call *c)
{
	map(c, NULL, ceil);
}

void mp_input_onnx_fold_floor(struct onnx_call *c)
{
	map(c, NULL, floor);
}

void mp_input_onnx_fold_round(struct onnx_call *c)
{
	map(c, NULL, rint);
}

void mp_input_onnx_fold_sqrt(struct onnx_call *c)
{
	map(c, NULL, sqrt);
}

static double reciprocal(double a)
{
	return 1 / a;
}

void mp_input_onnx_fold_exp(struct onnx_call *c)
{
	map(c, NULL, exp);
}

void mp_input_onnx_fold_log(struct onnx_call *c)
{
	map(c, NULL, log);
}

void mp_input_onnx_fold_reciprocal(struct onnx_call *c)
{
	map(c, NULL, reciprocal);
}

/* A bound of Clip: input k, or before opset 11 an attribute. False: it is
 * given and not known. */
static bool read_bound(const struct onnx_call *c, uint32_t k, const char *name,
	union onnx_number *bound)
{
	const struct onnx_attribute *a = mp_input_onnx_attribute(c->node, name);
	const struct onnx_value *x =
		mp_input_onnx_given(c, k) ? c->in[k] : NULL;

	if (!x && a)
		bound->d = a->f;
	if (!x)
		return !a || mp_input_onnx_class(c->in[0]->type) == ONNX_REAL;
	if (!x->content || x->n != 1 || x->type != c->in[0]->type)
		return false;
	*bound = *x->content;
	return true;
}

void mp_input_onnx_fold_clip(struct onnx_call *c)
{
	union onnx_number *to, low = {.i = INT64_MIN}, high = {.i = INT64_MAX};
	bool is_real;

	if (!inputs_computed(c, 1))
		return;
	is_real = mp_input_onnx_class(c->in[0]->type) == ONNX_REAL;
	if (is_real) {
		low.d = -INFINITY;
		high.d = INFINITY;
	}
	if (!read_bound(c, 1, "min", &low) || !read_bound(c, 2, "max", &high) ||
		!(to = mp_input_onnx_fold_room(c, 0)))
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		const union onnx_number a = c->in[0]->content[i];

		if (is_real)
			to[i].d = fmin(fmax(a.d, low.d), high.d);
		else if (a.i < low.i)
			to[i].i = low.i < high.i ? low.i : high.i;
		else
			to[i].i = a.i < high.i ? a.i : high.i;
	}
	c->out[0].content = to;
}

static bool cast(uint32_t from, uint32_t to, union onnx_number *number)
{
	bool was_real = mp_input_onnx_class(from) == ONNX_REAL;
	bool is_real = mp_input_onnx_class(to) == ONNX_REAL;
	const union onnx_number old = *number;

	if (was_real && to == ONNX_BOOL) {
		number->i = old.d != 0;
	} else if (was_real && !is_real) {
		if (!(fabs(old.d) < 9223372036854775808.0)) /* 2^63 */
			return false;
		number->i = (int64_t)old.d;
	} else if (!was_real && is_real) {
		number->d = (double)old.i;
	}
	*number = mp_input_onnx_fit(to, *number);
	return true;
}

void mp_input_onnx_fold_cast(struct onnx_call *c)
{
	union onnx_number *to;

	if (!mp_input_onnx_fold_known(c, 1) || !is_computed(c->out[0].type) ||
		c->in[0]->type == ONNX_UINT64 || c->in[0]->n > ONNX_CONTENT)
		return;
	to = mp_input_onnx_fold_room(c, 0);
	if (!to)
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		to[i] = c->in[0]->content[i];
		if (!cast(c->in[0]->type, c->out[0].type, &to[i]))
			return;
	}
	c->out[0].content = to;
}

/* ------------------------------------------------------- reductions */

/* Where each element goes: reduced axes count nothing. False: the axes are not
 * known, or none is reduced. */
static bool reduction_steps(struct onnx_call *c, struct onnx_steps *steps)
{
	const struct onnx_value *x = c->in[0];
	bool reduced[ONNX_RANK];
	struct onnx_ints axes;
	int64_t stride = 1;

	*steps = (struct onnx_steps){0};
	if (!mp_input_onnx_list(c, 1, "axes", &axes) ||
		!mp_input_onnx_mark_axes(c, &axes, x->shape.n, reduced))
		return false;
	if (axes.n == 0 && mp_input_onnx_int(c, "noop_with_empty_axes", 0))
		return false;
	if (axes.n == 0)
		memset(reduced, true, sizeof(reduced));
	for (uint32_t i = x->shape.n; i-- > 0;)
		if (!reduced[i]) {
			steps->step[i] = stride;
			stride *= (int64_t)x->shape.at[i];
		}
	return true;
}

/* The first element of each sum is taken as it is, or `empty` begins it. */
static void reduce(struct onnx_call *c, const struct operation *o,
	const union onnx_number *empty)
{
	struct onnx_result shape = {0};
	struct onnx_steps steps;
	union onnx_number *to;
	bool *begun;

	if (!inputs_computed(c, 1) || c->in[0]->n > ONNX_CONTENT ||
		!reduction_steps(c, &steps))
		return;
	to = mp_input_onnx_fold_room(c, 0);
	begun = to ? NEW(c->source->arena, bool, c->out[0].n) : NULL;
	if (!begun)
		return;
	shape.n_dims = c->in[0]->shape.n;
	for (uint32_t i = 0; i < shape.n_dims; i++)
		shape.dims[i] = c->in[0]->shape.at[i];
	for (uint64_t i = 0; i < c->in[0]->n; i++) {
		uint64_t at = mp_input_onnx_step(&steps, &shape, i);
		union onnx_number next = c->in[0]->content[i];

		assert(at < c->out[0].n);
		if (!begun[at])
			to[at] = next;
		else if (!apply(c, o, to[at], next, &to[at]))
			return;
		begun[at] = true;
		to[at] = mp_input_onnx_fit(c->out[0].type, to[at]);
	}
	for (uint64_t i = 0; i < c->out[0].n; i++)
		if (!begun[i]) {
			if (!empty)
				return;
			to[i] = *empty;
		}
	c->out[0].content = to;
}

#define REDUCE(name, operation_name, empty)                                    \
	void mp_input_onnx_fold_reduce_##name(struct onnx_call *c)             \
	{                                                                      \
		reduce(c,                                                      \
			&(const struct operation){operation_name##_integers,   \
				operation_name##_reals},                       \
			empty);                                                \
	}

/* 0 has the same bits as an integer and as a real. */
static const union onnx_number zero = {.i = 0};

REDUCE(sum, add, &zero)
REDUCE(prod, mul, NULL)
REDUCE(min, min, NULL)
REDUCE(max, max, NULL)

/* ----------------------------------------------------- made numbers */

void mp_input_onnx_fold_range(struct onnx_call *c)
{
	bool is_real;
	union onnx_number *to;

	if (!inputs_computed(c, 3))
		return;
	is_real = mp_input_onnx_class(c->in[0]->type) == ONNX_REAL;
	to = mp_input_onnx_fold_room(c, 0);
	if (!to)
		return;
	for (uint64_t i = 0; i < c->out[0].n; i++) {
		if (is_real)
			to[i].d = c->in[0]->content->d +
				  (double)i * c->in[2]->content->d;
		else
			to[i].i = (int64_t)((uint64_t)c->in[0]->content->i +
					    i * (uint64_t)c->in[2]->content->i);
		to[i] = mp_input_onnx_fit(c->out[0].type, to[i]);
	}
	c->out[0].content = to;
}

void mp_input_onnx_fold_constant_of_shape(struct onnx_call *c)
{
	const struct onnx_attribute *value =
		mp_input_onnx_attribute(c->node, "value");
	const union onnx_number *number = &zero;
	struct onnx_tensor tensor;
	union onnx_number *to = mp_input_onnx_fold_room(c, 0);

	if (!to)
		return;
	if (value && value->t.at &&
		(!mp_input_onnx_parse_tensor(c->source, value->t, &tensor) ||
			!mp_input_onnx_content(c->source, &tensor, 1, &number)))
		return;
	for (uint64_t i = 0; number && i < c->out[0].n; i++)
		to[i] = *number;
	if (number)
		c->out[0].content = to;
}

void mp_input_onnx_fold_shape(struct onnx_call *c)
{
	const struct onnx_shape *shape = &c->in[0]->shape;
	int64_t start = mp_input_onnx_int(c, "start", 0);
	union onnx_number *to = mp_input_onnx_fold_room(c, 0);

	if (!to)
		return;
	start += start < 0 ? shape->n : 0;
	start = start < 0 ? 0 : start;
	assert(c->out[0].n == 0 || (uint64_t)start + c->out[0].n <= shape->n);
	for (uint64_t i = 0; i < c->out[0].n; i++)
		to[i].i = (int64_t)shape->at[(uint64_t)start + i];
	c->out[0].content = to;
}

void mp_input_onnx_fold_size(struct onnx_call *c)
{
	union onnx_number *to = mp_input_onnx_fold_room(c, 0);

	if (!to)
		return;
	to->i = (int64_t)c->in[0]->n;
	c->out[0].content = to;
}
