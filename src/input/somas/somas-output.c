/*
 * The output of SOMAS's solver: a line for every tensor that it has placed. It
 * sets the offsets of a graph that was read from another dump.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sink-text.h"
#include "input/document/build.h"
#include "input/rows.h"
#include "input/somas/somas-dump.h"

struct output {
	struct text_lines lines;
	struct graph *graph;
	struct names names; /* of the graph's tensors */
	uint32_t *line;	    /* of a tensor: the line that places it, or 0 */
	uint32_t n_placed;
	uint32_t n_strange; /* tensors that are not in the graph */
	uint64_t strange;   /* id of the first of them */
};

/* "tensor_id=3", "size=512" and so on, between tabs. */
static bool take_field(const struct output *out, struct text *line,
	const char *key, uint64_t *value)
{
	mp_input_lines_skip_blanks(line);
	return (mp_input_lines_take(line, key) &&
		       mp_input_lines_take_number(
			       line, NUM_MAX_BYTES, value)) ||
	       mp_input_lines_fail(&out->lines,
		       "'%.*s' must begin with %s and an integer from 0 to "
		       "2^62",
		       mp_input_lines_shown(*line), line->at, key);
}

static bool place_tensor(
	struct output *out, uint32_t index, uint64_t size, uint64_t offset)
{
	struct tensor *tensor = &out->graph->tensors[index];
	uint64_t end;

	assert(index < out->graph->n_tensors);
	if (out->line[index])
		return mp_input_lines_fail(&out->lines,
			"tensor %s is placed in line %u too", tensor->id,
			out->line[index]);
	if (size < tensor->size)
		return mp_input_lines_fail(&out->lines,
			"tensor %s has %llu byte%s, in the graph %llu: do the "
			"files belong together?",
			tensor->id, (unsigned long long)size,
			mp_text_plural(size), (unsigned long long)tensor->size);
	if (!num_add(offset, size, &end))
		return mp_input_lines_fail(
			&out->lines, "offset and size exceed 2^62");
	out->line[index] = out->lines.number;
	tensor->size = size; /* with SOMAS's padding */
	tensor->offset = offset;
	tensor->placed = true;
	return true;
}

static bool read_line(struct output *out, struct text line)
{
	uint64_t id = 0, size = 0, offset = 0;
	uint32_t index;
	char text[DECIMAL_TEXT];

	mp_input_lines_skip_blanks(&line);
	if (line.at == line.end)
		return true;
	if (!take_field(out, &line, "tensor_id=", &id) ||
		!take_field(out, &line, "size=", &size) ||
		!take_field(out, &line, "offset=", &offset))
		return false;
	index = mp_names_find(&out->names, mp_input_decimal(id, text));
	if (index != NONE) {
		out->n_placed++;
		return place_tensor(out, index, size, offset);
	}
	out->strange = out->n_strange++ ? out->strange : id;
	return true;
}

/* The offline log has no workspaces, but the solver places them. */
static bool check_strange(const struct output *out)
{
	if (out->n_placed == 0)
		return mp_fail(out->lines.error, MEMPLAN_EINPUT,
			"%s: it places no tensor of %s: do the files belong "
			"together?",
			out->lines.file, out->graph->place);
	if (out->n_strange > 0)
		mp_warn(out->lines.error,
			"%s: %u tensor%s left out, as not in %s; the first is "
			"%llu",
			out->lines.file, out->n_strange,
			mp_text_plural(out->n_strange), out->graph->place,
			(unsigned long long)out->strange);
	return true;
}

/* Tensors that SOMAS does not place are the caller's. */
static void leave_out(struct output *out)
{
	uint32_t n = 0, first = 0;

	for (uint32_t i = 0; i < out->graph->n_tensors; i++) {
		struct tensor *tensor = &out->graph->tensors[i];

		if (out->line[i] || tensor->size == 0)
			continue;
		first = n++ ? first : i;
		tensor->external = true;
	}
	if (n > 0)
		mp_warn(out->lines.error,
			"%s: tensors without an offset are taken for the "
			"caller's memory, %u in all, the first is %s",
			out->lines.file, n, out->graph->tensors[first].id);
}

bool mp_input_somas_output_recognise(const struct input_file *file)
{
	struct text text = {file->bytes, file->bytes + file->length};

	while (text.at < text.end && (*text.at == '\n' || *text.at == '\r'))
		text.at++;
	return mp_input_lines_take(&text, "tensor_id=");
}

bool mp_input_somas_output_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct output out = {.lines = mp_input_lines(file, e), .graph = graph};
	struct text line;

	out.line = NEW(arena, uint32_t, graph->n_tensors);
	if (!out.line || !mp_graph_ids(graph, &out.names, arena))
		return false;
	while (mp_input_lines_next(&out.lines, &line))
		if (!read_line(&out, line))
			return false;
	leave_out(&out);
	return check_strange(&out);
}
