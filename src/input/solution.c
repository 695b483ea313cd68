/*
 * Solutions of the linear program that memplan emits. glpsol, CBC, HiGHS, SCIP
 * and Gurobi all print the name of a column followed by its value, in different
 * layouts. Column o7_512 is the offset of tensor 7 in units of 512 bytes; other
 * columns are skipped. Columns with value 0 may be missing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/lines.h"

#include "base/sink-text.h"
#include "input/rows.h"

/* Numbers have at most 18 digits. */
#define MOST_NUMBER UINT64_C(999999999999999999)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '*';
}

static bool at_blank(const struct text *text)
{
	return text->at < text->end && is_blank(*text->at);
}

static void skip_blanks(struct text_lines *lines)
{
	for (; at_blank(&lines->rest); lines->rest.at++)
		lines->number += *lines->rest.at == '\n';
}

static void skip_word(struct text *text)
{
	while (text->at < text->end && !is_blank(*text->at))
		text->at++;
}

/* "o7_512": a tensor and its unit in bytes. */
static bool take_column(struct text *text, uint64_t *tensor, uint64_t *unit)
{
	return mp_input_lines_take(text, "o") &&
	       mp_input_lines_take_number(text, MOST_NUMBER, tensor) &&
	       mp_input_lines_take(text, "_") &&
	       mp_input_lines_take_number(text, MOST_NUMBER, unit) &&
	       at_blank(text);
}

/* Digits after the point. The number is rounded if it is within a thousandth of
 * a whole number; else false. */
static bool take_fraction(struct text *text, uint64_t *value)
{
	uint64_t thousandths = 0, scale = 100;

	for (; text->at < text->end && *text->at >= '0' && *text->at <= '9';
		text->at++, scale /= 10)
		thousandths += scale * (uint64_t)(*text->at - '0');
	*value += thousandths >= 999;
	return thousandths == 0 || thousandths >= 999;
}

static bool take_exponent(struct text *text, uint64_t *value)
{
	uint64_t power;

	mp_input_lines_take(text, "+");
	if (!mp_input_lines_take_number(text, 18, &power))
		return false;
	for (; power > 0; power--)
		if (!num_mul(*value, 10, value))
			return false;
	return true;
}

/* A whole number as solvers print it: 8, 8.0, 7.9999999, 1e+05. */
static bool take_value(struct text *text, uint64_t *value)
{
	bool minus = mp_input_lines_take(text, "-");

	if (!mp_input_lines_take_number(text, MOST_NUMBER, value))
		return false;
	if (mp_input_lines_take(text, ".") && !take_fraction(text, value))
		return false;
	if ((mp_input_lines_take(text, "e") ||
		    mp_input_lines_take(text, "E")) &&
		!take_exponent(text, value))
		return false;
	return (!minus || *value == 0) &&
	       (text->at == text->end || is_blank(*text->at));
}

static bool set_offset(const struct text_lines *lines,
	const struct graph *graph, const uint64_t column[2], uint64_t value,
	uint64_t *offsets)
{
	if (column[0] >= graph->n_tensors)
		return mp_input_lines_fail(lines,
			"column o%llu_%llu: the graph has only %u tensor%s",
			(unsigned long long)column[0],
			(unsigned long long)column[1], graph->n_tensors,
			mp_text_plural(graph->n_tensors));
	return num_mul(value, column[1], &offsets[column[0]]) ||
	       mp_input_lines_fail(lines, "the offset is more than 2^62");
}

bool mp_input_solution_read(const struct input_file *file, struct graph *graph,
	struct arena *arena, struct error *e)
{
	uint64_t *offsets = NEW(arena, uint64_t, graph->n_tensors);
	struct text_lines lines = mp_input_lines(file, e);
	uint64_t column[2], value;
	uint32_t found = 0;

	if (graph->dsa)
		return mp_input_dsa_solution_read(file, graph, arena, e);
	if (mp_input_somas_output_recognise(file))
		return mp_input_somas_output_read(file, graph, arena, e);
	if (!offsets)
		return false;
	graph->solution = offsets;
	lines.number = 1;
	for (skip_blanks(&lines); lines.rest.at < lines.rest.end;
		skip_blanks(&lines)) {
		if (!take_column(&lines.rest, &column[0], &column[1])) {
			skip_word(&lines.rest);
			continue;
		}
		skip_blanks(&lines);
		if (!take_value(&lines.rest, &value))
			return mp_input_lines_fail(&lines,
				"column o%llu_%llu: no whole number behind it",
				(unsigned long long)column[0],
				(unsigned long long)column[1]);
		if (!set_offset(&lines, graph, column, value, offsets))
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
