/*
 * Writes lists of tasks: every combination of the values of some axes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "batch/batch.h"

static const char dims[] = "dims.";

enum {
	MOST_AXES = 32,
};

/* ------------------------------------------------------------- axes */

static uint32_t count_values(const char *text)
{
	uint32_t n = 1;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

bool mp_batch_axis(const char *text, struct axis *axis, struct arena *arena,
	struct error *e)
{
	const char *equals = strchr(text, '=');
	size_t length;

	if (!equals || equals == text)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"'%s' is no axis of a matrix, like batch=1,4,16", text);
	axis->name = mp_arena_text(arena, text, (size_t)(equals - text));
	axis->values =
		NEW(arena, const char *, (size_t)count_values(equals + 1));
	axis->n = 0;
	if (!axis->name || !axis->values)
		return false;
	for (text = equals + 1;; text += length + 1) {
		length = strcspn(text, ",");
		if (length == 0)
			return mp_fail(e, MEMPLAN_EUSAGE,
				"axis '%s' has a value that is empty",
				axis->name);
		axis->values[axis->n] = mp_arena_text(arena, text, length);
		if (!axis->values[axis->n++])
			return false;
		if (text[length] == '\0')
			return true;
	}
}

/* ------------------------------------------------------------ lines */

static bool is_dim(const struct axis *axis)
{
	return strncmp(axis->name, dims, strlen(dims)) == 0;
}

static bool is_option(const struct axis *axis)
{
	return !is_dim(axis) && strcmp(axis->name, "batch") != 0;
}

static void member(struct sink *sink, const char *before, const char *name,
	const char *value)
{
	mp_sink_text(sink, before);
	mp_sink_json(sink, name);
	mp_sink_text(sink, ": ");
	mp_sink_json(sink, value);
}

/* The members of an object: the axes of one kind. */
static void object(struct sink *sink, const char *name, const struct axis *axes,
	const uint32_t *at, uint32_t n, bool (*is_of)(const struct axis *axis))
{
	bool first = true;

	for (uint32_t i = 1; i < n; i++) {
		const struct axis *axis = &axes[i];

		if (!is_of(axis))
			continue;
		if (first)
			mp_sink_print(sink, ", \"%s\": {", name);
		member(sink, first ? "" : ", ",
			axis->name + (is_dim(axis) ? strlen(dims) : 0),
			axis->values[at[i]]);
		first = false;
	}
	if (!first)
		mp_sink_text(sink, "}");
}

static void line(struct sink *sink, const struct axis *axes, const uint32_t *at,
	uint32_t n, const char *const *outputs, uint32_t n_outputs)
{
	member(sink, "{", "input", axes[0].values[at[0]]);
	for (uint32_t i = 1; i < n; i++)
		if (strcmp(axes[i].name, "batch") == 0)
			member(sink, ", ", "batch", axes[i].values[at[i]]);
	object(sink, "dims", axes, at, n, is_dim);
	object(sink, "options", axes, at, n, is_option);
	for (uint32_t i = 0; i < n_outputs; i++) {
		mp_sink_text(sink, i == 0 ? ", \"outputs\": [" : ", ");
		mp_sink_json(sink, outputs[i]);
	}
	mp_sink_text(sink, n_outputs > 0 ? "]}\n" : "}\n");
}

/* Counts on, the last axis first. False: all combinations were there. */
static bool turn(const struct axis *axes, uint32_t *at, uint32_t n)
{
	while (n-- > 0) {
		if (++at[n] < axes[n].n)
			return true;
		at[n] = 0;
	}
	return false;
}

void mp_batch_write_matrix(const struct axis *axes, uint32_t n_axes,
	const char *const *outputs, uint32_t n_outputs, struct sink *sink)
{
	uint32_t at[MOST_AXES] = {0};

	assert(n_axes > 0 && strcmp(axes[0].name, "input") == 0);
	if (n_axes > MOST_AXES) {
		mp_fail(sink->error, MEMPLAN_EUSAGE,
			"a matrix has at most %u axes", (unsigned)MOST_AXES);
		return;
	}
	if (axes[0].n == 0)
		return;
	do
		line(sink, axes, at, n_axes, outputs, n_outputs);
	while (turn(axes, at, n_axes) && sink->error->code == MEMPLAN_OK);
}
