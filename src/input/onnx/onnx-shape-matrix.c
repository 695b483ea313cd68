/*
 * Rules of products of matrices and more general ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/onnx/inside.h"

static bool multiply_plain(struct onnx_call *c, uint32_t right, uint32_t type)
{
	const struct onnx_value *a = mp_input_onnx_ranked(c, 0, 2);
	const struct onnx_value *b =
		a ? mp_input_onnx_ranked(c, right, 2) : NULL;
	bool turns_a = mp_input_onnx_int(c, "transA", 0) != 0;
	bool turns_b = mp_input_onnx_int(c, "transB", 0) != 0;

	if (!b)
		return false;
	if (a->shape.at[!turns_a] != b->shape.at[turns_b])
		return mp_input_onnx_wrong(c,
			"its matrices do not go together: their inner sizes "
			"are "
			"%llu and %llu",
			(unsigned long long)a->shape.at[!turns_a],
			(unsigned long long)b->shape.at[turns_b]);
	return mp_input_onnx_give(c, 0, type, &a->shape.at[turns_a], 1) &&
	       mp_input_onnx_push(c, 0, b->shape.at[!turns_b]);
}

static bool gemm(struct onnx_call *c)
{
	return multiply_plain(c, 1, ONNX_UNDEFINED);
}

/* Without a zero point of the output, input 8, that is of floats. */
static bool quantized_gemm(struct onnx_call *c)
{
	return multiply_plain(
		c, 3, mp_input_onnx_given(c, 8) ? c->in[8]->type : ONNX_FLOAT);
}

/* --------------------------------------------------------- products */

/* An operand as a stack of matrices: a vector gets a dimension of 1. */
struct operand {
	uint64_t dims[ONNX_RANK];
	uint32_t n;
	bool was_vector;
};

static bool read_operand(
	struct onnx_call *c, uint32_t k, bool left, struct operand *o)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, k, 1);

	if (!x)
		return false;
	o->n = x->shape.n;
	o->was_vector = x->shape.n == 1;
	memcpy(o->dims, x->shape.at, o->n * sizeof(*o->dims));
	if (!o->was_vector)
		return true;
	o->n = 2;
	o->dims[1] = left ? o->dims[0] : 1;
	o->dims[0] = left ? 1 : o->dims[0];
	return true;
}

/* FusedMatMul turns the last two axes of an operand, or, before that, brings
 * its first axis in front of the last. */
static void turn(struct operand *o, bool batch, bool last)
{
	uint64_t *end = o->dims + o->n - 1, moved;

	if (batch) {
		moved = o->dims[0];
		memmove(o->dims, o->dims + 1, (o->n - 2) * sizeof(*o->dims));
		end[-1] = moved;
	}
	if (last) {
		moved = end[0];
		end[0] = end[-1];
		end[-1] = moved;
	}
}

static bool multiply(struct onnx_call *c, uint32_t right, uint32_t type)
{
	uint64_t batch[ONNX_RANK];
	struct operand a, b;
	uint32_t n = 0;

	if (!read_operand(c, 0, true, &a) || !read_operand(c, right, false, &b))
		return false;
	turn(&a, mp_input_onnx_int(c, "transBatchA", 0),
		mp_input_onnx_int(c, "transA", 0));
	turn(&b, mp_input_onnx_int(c, "transBatchB", 0),
		mp_input_onnx_int(c, "transB", 0));
	if (a.dims[a.n - 1] != b.dims[b.n - 2])
		return mp_input_onnx_wrong(c,
			"its matrices do not go together: their inner sizes "
			"are "
			"%llu and %llu",
			(unsigned long long)a.dims[a.n - 1],
			(unsigned long long)b.dims[b.n - 2]);
	if (!mp_input_onnx_broadcast(batch, &n, a.dims, a.n - 2) ||
		!mp_input_onnx_broadcast(batch, &n, b.dims, b.n - 2))
		return mp_input_onnx_wrong(
			c, "the stacks of its matrices do not go together");
	return mp_input_onnx_give(c, 0, type, batch, n) &&
	       (a.was_vector || mp_input_onnx_push(c, 0, a.dims[a.n - 2])) &&
	       (b.was_vector || mp_input_onnx_push(c, 0, b.dims[b.n - 1]));
}

static bool matmul(struct onnx_call *c)
{
	return multiply(c, 1, ONNX_UNDEFINED);
}

static bool matmul_integer(struct onnx_call *c)
{
	return multiply(c, 1, ONNX_INT32);
}

static bool quantized_matmul(struct onnx_call *c)
{
	const struct onnx_value *zero = mp_input_onnx_in(c, 7);

	return zero && multiply(c, 3, zero->type);
}

/* Integers in, and what their scale, input 2, is of out. */
static bool scaled_matmul(struct onnx_call *c)
{
	const struct onnx_value *scale = mp_input_onnx_in(c, 2);

	return scale && multiply(c, 1, scale->type);
}

/* The matrix is packed, of MatMulNBits and MatMulBnb4: an attribute says its
 * columns. */
static bool matmul_bits(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 1);

	return x &&
	       mp_input_onnx_give(
		       c, 0, ONNX_UNDEFINED, x->shape.at, x->shape.n - 1) &&
	       mp_input_onnx_push(
		       c, 0, (uint64_t)mp_input_onnx_int(c, "N", -1));
}

static bool det(struct onnx_call *c)
{
	const struct onnx_value *x = mp_input_onnx_ranked(c, 0, 2);

	return x && mp_input_onnx_give(
			    c, 0, ONNX_UNDEFINED, x->shape.at, x->shape.n - 2);
}

/* ----------------------------------------------------------- Einsum */

enum {
	LETTERS = 52,
};

struct einsum {
	struct onnx_call *call;
	uint64_t dims[LETTERS]; /* of a letter */
	uint32_t uses[LETTERS];
	uint64_t batch[ONNX_RANK]; /* what the ellipses stand for */
	uint32_t n_batch;
};

static uint32_t letter_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint32_t)(c - 'A');
	return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') + 26 : NONE;
}

/* The text without blanks; *length excludes the NUL. */
static char *equation_of(struct onnx_call *c, size_t *length)
{
	const struct onnx_attribute *a =
		mp_input_onnx_attribute(c->node, "equation");
	char *text;

	if (!a || !a->s.at || a->s.n > ONNX_TEXT) {
		mp_input_onnx_wrong(c, "it has no equation");
		return NULL;
	}
	text = mp_arena_text(c->source->arena, (const char *)a->s.at, a->s.n);
	*length = 0;
	for (size_t i = 0; text && i < a->s.n; i++)
		if (text[i] != ' ')
			text[(*length)++] = text[i];
	if (text)
		text[*length] = '\0';
	return text;
}

static bool bind_letter(struct einsum *s, char c, uint64_t dim)
{
	uint32_t letter = letter_of(c);

	if (letter == NONE)
		return mp_input_onnx_wrong(
			s->call, "its equation has a '%c'", c);
	if (s->uses[letter]++ == 0 || s->dims[letter] == 1)
		s->dims[letter] = dim;
	if (dim != s->dims[letter] && dim != 1)
		return mp_input_onnx_wrong(s->call,
			"'%c' of its equation has %llu and %llu elements", c,
			(unsigned long long)s->dims[letter],
			(unsigned long long)dim);
	return true;
}

/* One term: the axes of input k by its letters. */
static bool bind_term(
	struct einsum *s, uint32_t k, const char *term, size_t length)
{
	const struct onnx_value *x = mp_input_onnx_in(s->call, k);
	uint32_t letters = 0, axis = 0, dots;

	if (!x)
		return false;
	for (size_t i = 0; i < length; i++)
		letters += term[i] != '.';
	dots = (uint32_t)length - letters;
	if ((dots != 0 && dots != 3) || letters > x->shape.n ||
		(dots == 0 && letters < x->shape.n))
		return mp_input_onnx_wrong(s->call,
			"its equation does not fit the %u dimensions of input "
			"%u",
			x->shape.n, k);
	for (size_t i = 0; i < length; i++) {
		if (term[i] != '.') {
			if (!bind_letter(s, term[i], x->shape.at[axis++]))
				return false;
			continue;
		}
		if (strncmp(term + i, "...", 3) != 0)
			return mp_input_onnx_wrong(
				s->call, "its equation has a single dot");
		if (!mp_input_onnx_broadcast(s->batch, &s->n_batch,
			    x->shape.at + axis, x->shape.n - letters))
			return mp_input_onnx_wrong(s->call,
				"the axes of its ellipses do not go together");
		axis += x->shape.n - letters;
		i += 2;
	}
	return true;
}

static bool push_batch(struct einsum *s)
{
	for (uint32_t i = 0; i < s->n_batch; i++)
		if (!mp_input_onnx_push(s->call, 0, s->batch[i]))
			return false;
	return true;
}

static bool push_output(struct einsum *s, const char *term)
{
	for (; *term; term++) {
		uint32_t letter = letter_of(*term);

		if (strncmp(term, "...", 3) == 0) {
			if (!push_batch(s))
				return false;
			term += 2;
			continue;
		}
		if (letter == NONE || s->uses[letter] == 0)
			return mp_input_onnx_wrong(s->call,
				"'%c' of its output is in no input", *term);
		if (!mp_input_onnx_push(s->call, 0, s->dims[letter]))
			return false;
	}
	return true;
}

/* Without an arrow: the ellipsis, then the letters that occur once, sorted. */
static bool push_implicit(struct einsum *s)
{
	if (!push_batch(s))
		return false;
	for (uint32_t i = 0; i < LETTERS; i++)
		if (s->uses[i] == 1 &&
			!mp_input_onnx_push(s->call, 0, s->dims[i]))
			return false;
	return true;
}

static bool einsum(struct onnx_call *c)
{
	struct einsum s = {.call = c};
	size_t length, n;
	char *text = equation_of(c, &length), *arrow;
	uint32_t k = 0;

	if (!text)
		return false;
	arrow = strstr(text, "->");
	if (arrow)
		*arrow = '\0';
	for (const char *term = text;; term += n + 1, k++) {
		n = strcspn(term, ",");
		if (k == c->n_in || !bind_term(&s, k, term, n))
			return k < c->n_in ||
			       mp_input_onnx_wrong(
				       c, "its equation has too many terms");
		if (term[n] == '\0')
			break;
	}
	return mp_input_onnx_give(c, 0, ONNX_UNDEFINED, NULL, 0) &&
	       (arrow ? push_output(&s, arrow + 2) : push_implicit(&s));
}

static const struct onnx_rule rows[] = {
	{"Det", det, NULL, 0},
	{"Einsum", einsum, NULL, 0},
	{"Gemm", gemm, NULL, 0},
	{"MatMul", matmul, NULL, 0},
	{"MatMulInteger", matmul_integer, NULL, 0},
	{"QLinearMatMul", quantized_matmul, NULL, 0},
	{"com.microsoft.DynamicQuantizeMatMul", matmul, NULL, 0},
	{"com.microsoft.FusedGemm", gemm, NULL, 0},
	{"com.microsoft.FusedMatMul", matmul, NULL, 0},
	{"com.microsoft.FusedMatMulActivation", matmul, NULL, 0},
	{"com.microsoft.GemmFastGelu", matmul, NULL, 0},
	{"com.microsoft.MatMulBnb4", matmul_bits, NULL, 0},
	{"com.microsoft.MatMulInteger16", matmul_integer, NULL, 0},
	{"com.microsoft.MatMulIntegerToFloat", scaled_matmul, NULL, 0},
	{"com.microsoft.MatMulNBits", matmul_bits, NULL, 0},
	{"com.microsoft.QGemm", quantized_gemm, NULL, 0},
	{"com.microsoft.TransposeMatMul", matmul, NULL, 0},
};

const struct onnx_family mp_input_onnx_matrices = ONNX_FAMILY(rows);
