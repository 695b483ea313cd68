/*
 * Solutions of the linear program that memplan emits. glpsol, CBC, HiGHS, SCIP
 * and Gurobi all print the name of a column followed by its value, in different
 * layouts. Column o7_512 is the offset of tensor 7 in units of 512 bytes; other
 * columns are skipped. Columns with value 0 may be missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/rows.h"

enum {
	MOST_DIGITS = 18
};

/* A position in the text; the line is for messages. */
struct cursor {
	const char *at, *end;
	uint32_t line;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '*';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct cursor *c)
{
	for (; c->at < c->end && is_blank(*c->at); c->at++)
		c->line += *c->at == '\n';
}

static void skip_word(struct cursor *c)
{
	while (c->at < c->end && !is_blank(*c->at))
		c->at++;
}

static bool take_char(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_digits(struct cursor *c, uint64_t *value)
{
	const char *first = c->at;

	for (*value = 0; c->at < c->end && is_digit(*c->at); c->at++) {
		if (c->at - first >= MOST_DIGITS)
			return false;
		*value = *value * 10 + (uint64_t)(*c->at - '0');
	}
	return c->at > first;
}

/* "o7_512": a tensor and its unit in bytes. */
static bool take_column(struct cursor *c, uint64_t *tensor, uint64_t *unit)
{
	return take_char(c, 'o') && take_digits(c, tensor) &&
	       take_char(c, '_') && take_digits(c, unit) && c->at < c->end &&
	       is_blank(*c->at);
}

/* Digits after the point. The number is rounded if it is within a thousandth of
 * a whole number; else false. */
static bool take_fraction(struct cursor *c, uint64_t *value)
{
	uint64_t thousandths = 0, scale = 100;

	for (; c->at < c->end && is_digit(*c->at); c->at++, scale /= 10)
		thousandths += scale * (uint64_t)(*c->at - '0');
	*value += thousandths >= 999;
	return thousandths == 0 || thousandths >= 999;
}

static bool take_exponent(struct cursor *c, uint64_t *value)
{
	uint64_t power;

	take_char(c, '+');
	if (!take_digits(c, &power) || power > MOST_DIGITS)
		return false;
	for (; power > 0; power--)
		if (!num_mul(*value, 10, value))
			return false;
	return true;
}

/* A whole number as solvers print it: 8, 8.0, 7.9999999, 1e+05. */
static bool take_value(struct cursor *c, uint64_t *value)
{
	bool minus = take_char(c, '-');

	if (!take_digits(c, value))
		return false;
	if (take_char(c, '.') && !take_fraction(c, value))
		return false;
	if ((take_char(c, 'e') || take_char(c, 'E')) &&
		!take_exponent(c, value))
		return false;
	return (!minus || *value == 0) && (c->at == c->end || is_blank(*c->at));
}

static bool set_offset(const struct graph *graph, const char *name,
	uint32_t line, const uint64_t column[2], uint64_t value,
	uint64_t *offsets, struct error *e)
{
	if (column[0] >= graph->n_tensors)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s:%u: column o%llu_%llu: the graph has only %u "
			"tensors",
			name, line, (unsigned long long)column[0],
			(unsigned long long)column[1], graph->n_tensors);
	if (!num_mul(value, column[1], &offsets[column[0]]))
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s:%u: the offset is more than 2^62", name, line);
	return true;
}

bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e)
{
	uint64_t *offsets = NEW(arena, uint64_t, graph->n_tensors);
	struct cursor c = {file->bytes, file->bytes + file->length, 1};
	uint64_t column[2], value;
	uint32_t found = 0;

	if (mp_input_somas_output_recognise(file))
		return mp_input_somas_output_read(file, graph, arena, e);
	if (!offsets)
		return false;
	graph->solution = offsets;
	for (skip_blanks(&c); c.at < c.end; skip_blanks(&c)) {
		if (!take_column(&c, &column[0], &column[1])) {
			skip_word(&c);
			continue;
		}
		skip_blanks(&c);
		if (!take_value(&c, &value))
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s:%u: column o%llu_%llu: no whole number "
				"behind it",
				file->name, c.line,
				(unsigned long long)column[0],
				(unsigned long long)column[1]);
		if (!set_offset(graph, file->name, c.line, column, value,
			    offsets, e))
			return false;
		found++;
	}
	if (found == 0 && graph->n_tensors > 0)
		return mp_fail(e, MEMPLAN_EINPUT,
			"%s: neither columns of a memplan program nor what "
			"SOMAS's solver writes are in it",
			file->name);
	return true;
}
