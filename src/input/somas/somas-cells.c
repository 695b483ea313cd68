/*
 * The cells and references of SOMAS's dumps of its model.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/somas/somas-cells.h"

#include <assert.h>
#include <string.h>

bool mp_input_somas_info_cut_off(const struct somas *s, const char *what)
{
	return mp_input_lines_fail(&s->lines,
		"the line is cut off or not what it should be: %s", what);
}

bool mp_input_somas_info_size(struct text *line, uint64_t *size)
{
	struct text cell = mp_input_lines_cut(line, '\t');

	return mp_input_lines_take(&cell, "#") &&
	       mp_input_lines_take_number(&cell, NUM_MAX_BYTES, size) &&
	       mp_input_lines_take(&cell, "S") && cell.at == cell.end;
}

bool mp_input_somas_info_lifelong(
	struct text cell, enum somas_lifelong *lifelong)
{
	static const char *const names[N_LIFELONG] = {"LifeLongNone",
		"LifeLongGraphAll", "LifeLongGraphStart", "LifeLongGraphEnd"};
	uint64_t all;

	/* Releases up to 2021 have 1 for a tensor that lives throughout. */
	if (mp_input_lines_number(cell, 1, &all)) {
		*lifelong = all ? LIFELONG_ALL : LIFELONG_NONE;
		return true;
	}
	for (int i = 0; i < N_LIFELONG; i++) {
		struct text rest = cell;

		*lifelong = (enum somas_lifelong)i;
		if (mp_input_lines_take(&rest, names[i]) && rest.at == rest.end)
			return true;
	}
	return false;
}

bool mp_input_somas_info_reference(
	struct somas *s, struct text *list, enum reference *kind, uint64_t *id)
{
	if (!mp_input_lines_take(list, "%") ||
		!mp_input_lines_take_number(list, SOMAS_MOST, id))
		return mp_input_somas_info_cut_off(
			s, "a list of tensors like %3T");
	if (mp_input_lines_take(list, "CT"))
		*kind = REF_CONTROL;
	else if (mp_input_lines_take(list, "T"))
		*kind = REF_TENSOR;
	else if (mp_input_lines_take(list, "P"))
		*kind = REF_PARAMETER;
	else
		return mp_input_somas_info_cut_off(
			s, "T, CT or P behind an id");
	while (mp_input_lines_take(list, ",") || mp_input_lines_take(list, " "))
		;
	return true;
}
