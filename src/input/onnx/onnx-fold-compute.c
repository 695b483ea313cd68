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

/* ------------------------------------------------------- operations */

/* One operation on integers and on reals; false: the result is not known. */
typedef bool on_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result);
typedef bool on_reals(const struct onnx_call *c, double a, double b,
	union onnx_number *result);

/* Functions from their expressions. The result of reals is a real, d, or an
 * integer, i. */
#define INTEGERS(name, expression)                                             \
	static bool name##_integers(const struct onnx_call *c, int64_t a,      \
		int64_t b, int64_t *result)                                    \
	{                                                                      \
		(void)c;                                                       \
		(void)b;                                                       \
		*result = (int64_t)(expression);                               \
		return true;                                                   \
	}

#define REALS(name, member, expression)                                        \
	static bool name##_reals(const struct onnx_call *c, double a,          \
		double b, union onnx_number *result)                           \
	{                                                                      \
		(void)c;                                                       \
		(void)b;                                                       \
		result->member = (expression);                                 \
		return true;                                                   \
	}

#define OPERATION(name, integer, member, real)                                 \
	INTEGERS(name, integer) REALS(name, member, real)

OPERATION(add, (uint64_t)a + (uint64_t)b, d, a + b)
OPERATION(sub, (uint64_t)a - (uint64_t)b, d, a - b)
OPERATION(mul, (uint64_t)a *(uint64_t)b, d, a *b)
OPERATION(min, a < b ? a : b, d, a < b ? a : b)
OPERATION(max, a > b ? a : b, d, a > b ? a : b)
OPERATION(equal, a == b, i, a == b)
OPERATION(less, a < b, i, a < b)
OPERATION(less_or_equal, a <= b, i, a <= b)
OPERATION(greater, a > b, i, a > b)
OPERATION(greater_or_equal, a >= b, i, a >= b)
OPERATION(and, a != 0 && b != 0, i, a != 0 && b != 0)
OPERATION(or, a != 0 || b != 0, i, a != 0 || b != 0)
OPERATION(abs, a < 0 ? 0 - (uint64_t)a : (uint64_t)a, d, fabs(a))
OPERATION(neg, 0 - (uint64_t)a, d, -a)
INTEGERS(not, a == 0)
REALS(ceil, d, ceil(a))
REALS(floor, d, floor(a))
REALS(round, d, rint(a))
REALS(sqrt, d, sqrt(a))
REALS(exp, d, exp(a))
REALS(log, d, log(a))
REALS(reciprocal, d, 1 / a)

/* Integers truncate towards zero. */
static bool div_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result)
{
	(void)c;
	if (b == 0 || (b == -1 && a == INT64_MIN))
		return false;
	*result = a / b;
	return true;
}

static bool div_reals(const struct onnx_call *c, double a, double b,
	union onnx_number *result)
{
	(void)c;
	if (b == 0)
		return false;
	result->d = a / b;
	return true;
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

static bool pow_integers(
	const struct onnx_call *c, int64_t a, int64_t b, int64_t *result)
{
	uint64_t power = 1;

	(void)c;
	for (int64_t i = 0; i < b && i < 64; i++)
		power *= (uint64_t)a;
	*result = (int64_t)power;
	return b >= 0 && b <= 64;
}

REALS(pow, d, pow(a, b))

/* 0 has the same bits as an integer and as a real. */
static const union onnx_number zero = {.i = 0};

#define BOTH(name) name##_integers, name##_reals

static const struct operation {
	const char *op;
	on_integers *integers;		/* NULL: the result is not known */
	on_reals *reals;		/* NULL: no result is known */
	uint32_t n_in;			/* inputs; 0: all there are */
	const union onnx_number *empty; /* of nothing; NULL: not known */
} operations[] = {
	{"Abs", BOTH(abs), 1, NULL},
	{"Add", BOTH(add), 0, NULL},
	{"And", BOTH(and), 2, NULL},
	{"Ceil", NULL, ceil_reals, 1, NULL},
	{"Div", BOTH(div), 0, NULL},
	{"Equal", BOTH(equal), 2, NULL},
	{"Exp", NULL, exp_reals, 1, NULL},
	{"Floor", NULL, floor_reals, 1, NULL},
	{"Greater", BOTH(greater), 2, NULL},
	{"GreaterOrEqual", BOTH(greater_or_equal), 2, NULL},
	{"Less", BOTH(less), 2, NULL},
	{"LessOrEqual", BOTH(less_or_equal), 2, NULL},
	{"Log", NULL, log_reals, 1, NULL},
	{"Max", BOTH(max), 0, NULL},
	{"Min", BOTH(min), 0, NULL},
	{"Mod", BOTH(mod), 0, NULL},
	{"Mul", BOTH(mul), 0, NULL},
	{"Neg", BOTH(neg), 1, NULL},
	{"Not", not_integers, NULL, 1, NULL},
	{"Or", BOTH(or), 2, NULL},
	{"Pow", BOTH(pow), 0, NULL},
	{"Reciprocal", NULL, reciprocal_reals, 1, NULL},
	{"ReduceMax", BOTH(max), 0, NULL},
	{"ReduceMin", BOTH(min), 0, NULL},
	{"ReduceProd", BOTH(mul), 0, NULL},
	{"ReduceSum", BOTH(add), 0, &zero},
	{"Round", NULL, round_reals, 1, NULL},
	{"Sqrt", NULL, sqrt_reals, 1, NULL},
	{"Sub", BOTH(sub), 0, NULL},
};

static const struct operation *operation_of(const struct onnx_call *c)
{
	const struct operation *o = operations;

	while (strcmp(o->op, c->rule->name) != 0) {
		o++;
		assert(o < operations + countof(operations));
	}
	return o;
}

static bool apply(const struct onnx_call *c, const struct operation *o,
	union onnx_number a, union onnx_number b, union onnx_number *result)
{
	if (mp_input_onnx_class(c->in[0]->type) == ONNX_REAL)
		return o->reals && o->reals(c, a.d, b.d, result);
	return o->integers && o->integers(c, a.i, b.i, &result->i);
}

/* Applies the operation to input 0, or to inputs 0 and 1, then to the result
 * and input 2, and so on. */
void mp_input_onnx_fold_combine(struct onnx_call *c)
{
	const struct operation *o;
	struct onnx_result *out = &c->out[0];
	struct onnx_steps steps;
	union onnx_number *to;

	if (!mp_input_onnx_fold_known(c, 1))
		return;
	o = operation_of(c);
	if ((o->n_in > 0 && c->n_in != o->n_in) ||
		!inputs_computed(c, c->n_in) || !is_computed(out->type))
		return;
	to = mp_input_onnx_fold_room(c, 0);
	if (!to)
		return;
	for (uint32_t k = 0; k < c->n_in; k++) {
		const bool is_first = k == 0 && o->n_in != 1;

		if (c->in[k]->shape.n > out->n_dims)
			return;
		steps = mp_input_onnx_broadcast_steps(c->in[k], out);
		for (uint64_t i = 0; i < out->n; i++) {
			union onnx_number next =
				c->in[k]->content[mp_input_onnx_step(
					&steps, out, i)];

			if (is_first)
				to[i] = next;
			else if (!apply(c, o, k ? to[i] : next, next, &to[i]))
				return;
			to[i] = mp_input_onnx_fit(
				is_first ? c->in[0]->type : out->type, to[i]);
		}
	}
	out->content = to;
}

/* -------------------------------------------------- clips and casts */

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

/* The first element of each sum is taken as it is, or `empty` stands for it. */
void mp_input_onnx_fold_reduce(struct onnx_call *c)
{
	const struct operation *o;
	struct onnx_result shape = {0};
	struct onnx_steps steps;
	union onnx_number *to;
	bool *begun;

	if (!inputs_computed(c, 1) || c->in[0]->n > ONNX_CONTENT ||
		!reduction_steps(c, &steps))
		return;
	o = operation_of(c);
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
			if (!o->empty)
				return;
			to[i] = *o->empty;
		}
	c->out[0].content = to;
}

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
