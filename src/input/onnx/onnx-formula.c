/*
 * Names of dimensions that are formulas, as exporters write them where one
 * dimension follows from others: "past + 1", "2*(height//8)". The signs are
 * + - * / // % and parentheses; divisions round down, and floor() changes
 * nothing. Two stacks, no recursion.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/bytes.h"
#include "input/onnx/inside.h"

enum {
	DEEP = 32,	      /* values, and signs, that wait */
	GREATEST = INT32_MAX, /* of a value: no product overflows */
};

struct formula {
	const char *at;
	onnx_lookup *lookup;
	void *context;
	int64_t values[DEEP];
	char signs[DEEP];
	uint32_t n_values, n_signs;
	bool has_sign; /* else it is a plain name */
	bool wrong;    /* its value is none, but its names are looked up */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct formula *f)
{
	f->at += strspn(f->at, " ");
}

static uint32_t strength(char sign)
{
	return sign == '(' ? 0 : sign == '+' || sign == '-' ? 1 : 2;
}

static int64_t floor_of(int64_t a, int64_t b, int64_t *rest)
{
	*rest = a % b;
	if (*rest != 0 && (*rest < 0) != (b < 0)) {
		*rest += b;
		return a / b - 1;
	}
	return a / b;
}

/* The topmost sign and its two values become one. */
static void apply(struct formula *f)
{
	int64_t b = f->values[--f->n_values], a = f->values[f->n_values - 1];
	int64_t result = 0, rest = 0;
	char sign = f->signs[--f->n_signs];

	if (sign == '+')
		result = a + b;
	else if (sign == '-')
		result = a - b;
	else if (sign == '*')
		result = a * b;
	else if (b == 0)
		f->wrong = true;
	else
		result = floor_of(a, b, &rest);
	if (result > GREATEST || result < -GREATEST) {
		f->wrong = true;
		result = 0;
	}
	f->values[f->n_values - 1] = sign == '%' ? rest : result;
}

static bool push_sign(struct formula *f, char sign)
{
	if (f->n_signs == DEEP)
		return false;
	f->signs[f->n_signs++] = sign;
	return true;
}

static bool push_value(struct formula *f, uint64_t value)
{
	if (f->n_values == DEEP || value > GREATEST)
		return false;
	f->values[f->n_values++] = (int64_t)value;
	return true;
}

/* A name, or floor in front of a parenthesis. */
static bool take_name(struct formula *f, bool *is_value)
{
	const char *name = f->at;
	uint64_t value;
	size_t n = 0;

	while (is_letter(name[n]) || is_digit(name[n]) || name[n] == '.')
		n++;
	f->at += n;
	skip_blanks(f);
	*is_value = *f->at != '(';
	if (!*is_value)
		return n == strlen("floor") && strncmp(name, "floor", n) == 0;
	return f->lookup(f->context, name, n, &value) && push_value(f, value);
}

/* A value, or what may stand in front of one. */
static bool take_operand(struct formula *f, bool *is_value)
{
	uint64_t value;

	*is_value = false;
	if (*f->at == '(') {
		f->at++;
		return push_sign(f, '(');
	}
	if (is_letter(*f->at))
		return take_name(f, is_value);
	*is_value = true;
	return is_digit(*f->at) && mp_bytes_digits(&f->at, GREATEST, &value) &&
	       push_value(f, value);
}

/* A sign between two values, or a parenthesis that ends. */
static bool take_sign(struct formula *f, bool *needs_value)
{
	char sign = *f->at++;

	*needs_value = sign != ')';
	if (!strchr("+-*/%)", sign))
		return false;
	while (f->n_signs > 0 && f->signs[f->n_signs - 1] != '(' &&
		strength(f->signs[f->n_signs - 1]) >=
			(sign == ')' ? 0 : strength(sign)))
		apply(f);
	if (sign == ')')
		return f->n_signs-- > 0;
	f->has_sign = true;
	f->at += sign == '/' && *f->at == '/';
	return push_sign(f, sign);
}

static bool finish(struct formula *f, bool needs_value, uint64_t *value)
{
	if (needs_value || !f->has_sign)
		return false;
	while (f->n_signs > 0) {
		if (f->signs[f->n_signs - 1] == '(')
			return false;
		apply(f);
	}
	if (f->wrong || f->values[0] < 0)
		return false;
	*value = (uint64_t)f->values[0];
	return true;
}

bool mp_input_onnx_formula(
	const char *text, onnx_lookup *lookup, void *context, uint64_t *value)
{
	struct formula f = {.at = text, .lookup = lookup, .context = context};
	bool needs_value = true, is_value;

	for (skip_blanks(&f); *f.at; skip_blanks(&f)) {
		if (!needs_value) {
			if (!take_sign(&f, &needs_value))
				return false;
			continue;
		}
		if (!take_operand(&f, &is_value))
			return false;
		needs_value = !is_value;
	}
	return finish(&f, needs_value, value);
}
