/*
 * SOMAS's offline log: a line for every tensor and node that reads it. See
 * docs/formats/somas.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/sink-text.h"
#include "input/rows.h"
#include "input/somas/somas-dump.h"

/* "src=n1, srcstm=0, dst=n2, dststm=0, workspace=0, size=512, ..." */
enum field {
	F_SRC,
	F_SRC_STREAM,
	F_DST,
	F_DST_STREAM,
	F_WORKSPACE,
	F_SIZE,
	F_LIFELONG,
	F_TENSOR,
	F_START,
	F_END,
	N_FIELDS,
};

static const struct {
	const char *key;
	uint64_t limit;
	bool may_lack; /* "nc": not connected */
} fields[N_FIELDS] = {
	[F_SRC] = {"src=n", SOMAS_MOST, false},
	[F_SRC_STREAM] = {"srcstm=", SOMAS_MOST, false},
	[F_DST] = {"dst=n", SOMAS_MOST, true},
	[F_DST_STREAM] = {"dststm=", SOMAS_MOST, true},
	[F_WORKSPACE] = {"workspace=", 1, false},
	[F_SIZE] = {"size=", NUM_MAX_BYTES, false},
	[F_LIFELONG] = {"lifelong=", N_LIFELONG - 1, false},
	[F_TENSOR] = {"tid=", SOMAS_MOST, false},
	[F_START] = {"start=", UINT64_MAX, false},
	[F_END] = {"end=", UINT64_MAX, false},
};

/* The value of a field that says "not connected". */
#define NOTHING UINT64_MAX

/* The length that an error shows of a value: up to the next comma. */
static int value_length(struct text line)
{
	const char *comma = mp_input_lines_find(line, ",");

	if (comma)
		line.end = comma;
	return mp_input_lines_shown(line);
}

static bool take_comma(const struct somas *s, struct text *line, enum field f)
{
	return mp_input_lines_take(line, ",") || f == F_END ||
	       mp_input_lines_fail(&s->lines,
		       "a comma must follow what '%s' says", fields[f].key);
}

static bool take_field(
	const struct somas *s, struct text *line, enum field f, uint64_t *value)
{
	mp_input_lines_skip_blanks(line);
	*value = NOTHING;
	if (!mp_input_lines_take(line, fields[f].key))
		return mp_input_lines_fail(&s->lines,
			"the line is cut off: '%s' must follow, at '%.*s'",
			fields[f].key, mp_input_lines_shown(*line), line->at);
	if (fields[f].may_lack &&
		(mp_input_lines_take(line, f == F_DST ? "c" : "nc")))
		return take_comma(s, line, f);
	if (!mp_input_lines_take_number(line, fields[f].limit, value))
		return mp_input_lines_fail(&s->lines,
			"%s'%.*s' must be an integer from 0 to %llu",
			fields[f].key, value_length(*line), line->at,
			(unsigned long long)fields[f].limit);
	return take_comma(s, line, f);
}

/* ------------------------------------------------------------ edges */

/* Finds a node and sets its stream. One release gives every reader the stream
 * of its source, so only lines in which the node is the source are sure. */
static uint32_t find_node(
	struct somas *s, uint64_t id, uint64_t stream, bool sure)
{
	uint32_t index = mp_input_somas_node(s, id);
	struct somas_node *node;

	if (index == NONE)
		return NONE;
	node = &s->nodes[index];
	if (sure && node->sure && node->stream != stream) {
		mp_input_lines_fail(&s->lines,
			"node %llu is on stream %llu, and on stream %llu in "
			"line %u",
			(unsigned long long)id, (unsigned long long)stream,
			(unsigned long long)node->stream, node->line);
		return NONE;
	}
	if (node->line == 0 || (sure && !node->sure)) {
		node->stream = stream;
		node->line = s->lines.number;
		node->sure = sure;
	}
	return index;
}

static uint32_t find_tensor(struct somas *s, const uint64_t *value)
{
	uint32_t index = mp_input_somas_tensor(s, value[F_TENSOR]);
	struct somas_tensor *t;

	if (index == NONE)
		return NONE;
	t = &s->tensors[index];
	if (t->line == 0) {
		t->line = s->lines.number;
		t->size = value[F_SIZE];
		t->source = value[F_SRC];
		t->lifelong = (enum somas_lifelong)value[F_LIFELONG];
	} else if (t->size != value[F_SIZE] || t->source != value[F_SRC] ||
		   t->lifelong != (enum somas_lifelong)value[F_LIFELONG]) {
		mp_input_lines_fail(&s->lines,
			"tensor %s has another source, size or lifelong in "
			"line %u",
			t->text, t->line);
		return NONE;
	}
	return index;
}

/* A tensor without a reader is not read, or has the bytes of another tensor,
 * and SOMAS does not log its readers. Then it lives to the last of these. */
static bool read_union(struct somas *s, const uint64_t *value, uint32_t tensor)
{
	uint32_t reader;

	if (value[F_END] <= value[F_SRC] || value[F_END] > SOMAS_MOST)
		return true;
	reader = mp_input_somas_node(s, value[F_END]);
	if (reader == NONE)
		return false;
	if (s->nodes[reader].line == 0)
		s->nodes[reader].stream = value[F_SRC_STREAM];
	s->n_unions++;
	mp_input_somas_use(s, reader, tensor, false);
	return true;
}

static bool read_edge(struct somas *s, struct text line)
{
	uint64_t value[N_FIELDS];
	uint32_t source, reader, tensor;
	bool first;

	mp_input_lines_take(&line, " ERROR");
	for (int f = 0; f < N_FIELDS; f++)
		if (!take_field(s, &line, (enum field)f, &value[f]))
			return false;
	source = find_node(s, value[F_SRC], value[F_SRC_STREAM], true);
	first = mp_input_somas_find(s, value[F_TENSOR]) == NONE;
	tensor = source == NONE ? NONE : find_tensor(s, value);
	if (tensor == NONE)
		return false;
	if (first)
		mp_input_somas_use(s, source, tensor, true);
	if (value[F_DST] == NOTHING)
		return read_union(s, value, tensor);
	if (value[F_DST] == value[F_SRC])
		return true;
	reader = find_node(s, value[F_DST],
		value[F_DST_STREAM] == NOTHING ? 0 : value[F_DST_STREAM],
		false);
	if (reader == NONE)
		return false;
	mp_input_somas_use(s, reader, tensor, false);
	return true;
}

/* ------------------------------------------------------------ lists */

static bool take_id(const struct somas *s, struct text *line, uint64_t *id)
{
	return mp_input_lines_take_number(line, SOMAS_MOST, id) ||
	       mp_input_lines_fail(&s->lines,
		       "'%.*s' must be ids, separated by blanks",
		       mp_input_lines_shown(*line), line->at);
}

/* Lists come after all edges, so their tensors must be known. */
static bool read_contiguous(struct somas *s, struct text line)
{
	uint64_t id;
	uint32_t tensor;

	s->n_lists++;
	for (mp_input_lines_skip_blanks(&line); line.at < line.end;
		mp_input_lines_skip_blanks(&line)) {
		if (!take_id(s, &line, &id))
			return false;
		tensor = mp_input_somas_find(s, id);
		if (tensor == NONE)
			return mp_input_lines_fail(&s->lines,
				"no line says what tensor %llu is",
				(unsigned long long)id);
		mp_input_somas_add_member(s, tensor);
	}
	return true;
}

static bool read_group(struct somas *s, struct text line)
{
	uint64_t before = NOTHING, id;

	for (mp_input_lines_skip_blanks(&line); line.at < line.end;
		mp_input_lines_skip_blanks(&line)) {
		if (!take_id(s, &line, &id))
			return false;
		assert(s->n_groups < s->room);
		if (before != NOTHING)
			s->groups[s->n_groups++] =
				(struct somas_wait){before, id};
		before = id;
	}
	return true;
}

/* ----------------------------------------------------------- reader */

static bool read_line(struct somas *s, struct text line)
{
	mp_input_lines_skip_blanks(&line);
	if (line.at == line.end)
		return true;
	if (mp_input_lines_take(&line, "Somas EDGE"))
		return read_edge(s, line);
	if (mp_input_lines_take(&line, "Somas CONTIGUOUS"))
		return read_contiguous(s, line);
	if (mp_input_lines_take(&line, "Somas GROUP"))
		return read_group(s, line);
	return mp_input_lines_fail(&s->lines,
		"'%.*s' must be Somas EDGE, Somas CONTIGUOUS or Somas GROUP",
		mp_input_lines_shown(line), line.at);
}

/* SOMAS numbers tensors without gaps and leaves out those that no node reads.
 */
static void warn_of_missing(const struct somas *s)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < s->n_tensors; i++)
		most = num_max(most, s->tensors[i].id + 1);
	if (most > s->n_tensors)
		mp_warn(s->error,
			"%s: of the tensors 0 to %llu, %llu are not there: "
			"SOMAS logs no workspaces that only their own node "
			"uses, and needs more than this",
			s->lines.file, (unsigned long long)most - 1,
			(unsigned long long)(most - s->n_tensors));
}

static void warn_of_unions(const struct somas *s)
{
	if (s->n_unions > 0)
		mp_warn(s->error,
			"%s: the bytes of %u tensor%s are those of others, of "
			"which ones SOMAS does not log: here they are of their "
			"own, so that plans may be larger than SOMAS's",
			s->lines.file, s->n_unions,
			mp_text_plural(s->n_unions));
}

static void warn_of_streams(const struct somas *s)
{
	for (uint32_t i = 1; i < s->n_nodes; i++) {
		if (s->nodes[i].stream == s->nodes[0].stream)
			continue;
		mp_warn(s->error,
			"%s: several streams: newer releases log no events "
			"between them, so that plans may be larger than "
			"SOMAS's",
			s->lines.file);
		return;
	}
}

static bool read_all(
	struct somas *s, const struct input *input, struct graph *graph)
{
	struct text line;

	while (mp_input_lines_next(&s->lines, &line))
		if (!read_line(s, line))
			return false;
	if (!mp_input_somas_graph(s, input->alignment, graph))
		return false;
	warn_of_missing(s);
	warn_of_unions(s);
	warn_of_streams(s);
	return true;
}

bool mp_input_somas_log_recognise(const struct input_file *file)
{
	struct text text = mp_input_lines(file, NULL).rest;

	mp_input_lines_skip_blanks(&text);
	return mp_input_lines_take(&text, "Somas EDGE") ||
	       mp_input_lines_take(&text, "Somas CONTIGUOUS") ||
	       mp_input_lines_take(&text, "Somas GROUP");
}

bool mp_input_somas_log_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct somas s = {0};
	bool fine = mp_input_somas_open(&s, input, arena, &scratch, e) &&
		    read_all(&s, input, graph);

	mp_arena_free(&scratch);
	return fine;
}
