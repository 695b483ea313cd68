/*
 * The table of readers, and the checks that all inputs share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/input.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "input/rows.h"
#include "json/json.h"

const struct reader mp_readers[] = {
#define ROW(...) {__VA_ARGS__},
#include "input/readers.def"
#undef ROW
};

const uint32_t mp_n_readers = countof(mp_readers);

const char *const mp_view_names[N_VIEWS] = {
	[VIEWS_ALIAS] = "alias",
	[VIEWS_ALIAS_SLICES] = "alias-slices",
	[VIEWS_INPLACE] = "inplace",
	[VIEWS_COPY] = "copy",
};

/* Suffixes that are not part of the name of a graph. */
static const char *const endings[] = {".json", ".csv", ".io_info", ".plan",
	".ir", ".log", ".tflite", ".onnx", "-buffer-assignment.txt", ".hlo.pb"};

/* The file's name without folders and those suffixes. */
static const char *name_of(const char *path, struct arena *arena)
{
	const char *base = strrchr(path, '/');
	size_t length, tail;

	base = base ? base + 1 : path;
	length = strlen(base);
	for (size_t i = 0; i < countof(endings); i++) {
		tail = strlen(endings[i]);
		if (length > tail &&
			strncmp(base + length - tail, endings[i], tail) == 0)
			length -= tail;
	}
	return mp_arena_text(arena, base, length);
}

static bool begins(const struct input_file *file, const char *mark, size_t n)
{
	return file->length >= n && memcmp(file->bytes, mark, n) == 0;
}

static bool is_blank(const struct input_file *file)
{
	size_t mark = mp_file_mark(file);
	const char *end;

	if (mark == file->length)
		return true;
	end = file->bytes + file->length;
	return mp_json_skip_blanks(file->bytes + mark, end) == end;
}

/* No reader recognises the file: the message says what it looks like. */
static bool fail_unknown(const struct input_file *file, struct error *e)
{
	const char *guess =
		"neither JSON nor a CSV file with a header, nor "
		"a log or model that memplan knows ('memplan list inputs')";

	if (is_blank(file))
		guess = "there is nothing in it";
	if (begins(file, "\xff\xfe", 2) || begins(file, "\xfe\xff", 2))
		guess = "UTF-16 text: memplan reads UTF-8";
	if (begins(file, "\x1f\x8b", 2) || begins(file, "PK\x03\x04", 4))
		guess = "a compressed file: unpack it first";
	return mp_fail(e, MEMPLAN_EINPUT, "%s: %s", file->name, guess);
}

/* Lines that say what an ONNX model leaves open. A plan leaves nothing open. */
static bool check_lines(
	const struct input *input, const struct reader *reader, struct error *e)
{
	const char *option = input->dims     ? "dim"
			     : input->values ? "value"
			     : input->shapes ? "shape"
					     : NULL;

	return !option || reader->read == mp_input_onnx_read ||
	       reader->read == mp_input_plan_json_read ||
	       mp_fail(e, MEMPLAN_EUSAGE,
		       "%s: the option %s is for ONNX models, and this is none",
		       input->files[ROLE_MAIN].name, option);
}

/* Options that say how models are read change nothing else. A plan is read with
 * the options of its graph. */
static void warn_of_idle(
	const struct input *input, const struct reader *reader, struct error *e)
{
	bool onnx = reader->read == mp_input_onnx_read;
	bool tflite = reader->read == mp_input_tflite_read;
	const struct {
		const char *option, *models;
		bool is_idle;
	} rows[] = {
		{"views", "ONNX", input->views != VIEWS_ALIAS && !onnx},
		{"constants", "ONNX and TFLite",
			input->keeps_constants && !onnx && !tflite},
		{"variables", "TFLite", input->variables_inside && !tflite},
	};

	for (size_t i = 0; i < countof(rows); i++)
		if (rows[i].is_idle && reader->read != mp_input_plan_json_read)
			mp_warn(e,
				"%s: the option %s does nothing here: it is "
				"for %s models",
				input->files[ROLE_MAIN].name, rows[i].option,
				rows[i].models);
}

/* Further files belong to io_info traces only, and --graph to logs and to
 * programs of several methods. */
static bool check_roles(
	const struct input *input, const struct reader *reader, struct error *e)
{
	if (input->graph && reader->read != mp_input_ge_log_read &&
		reader->read != mp_input_pte_read)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: the option graph names one of the graphs in a "
			"log or a program, and this is none",
			input->files[ROLE_MAIN].name);
	if (input->files[ROLE_LIVE_RANGE].name &&
		reader->read != mp_input_xla_read)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s goes with a buffer assignment of XLA's, which %s "
			"is "
			"not",
			input->files[ROLE_LIVE_RANGE].name,
			input->files[ROLE_MAIN].name);
	if (reader->read == mp_input_io_info_read)
		return true;
	for (uint32_t i = ROLE_MAIN + 1; i < ROLE_SOLUTION; i++)
		if (input->files[i].name)
			return mp_fail(e, MEMPLAN_EUSAGE,
				"%s goes with an io_info trace, which %s is "
				"not",
				input->files[i].name,
				input->files[ROLE_MAIN].name);
	return true;
}

/* Logs and dumps of other planners have sizes with padding. */
static bool check_padding(
	const struct input *input, const struct reader *reader, struct error *e)
{
	bool padded = reader->read == mp_input_ge_log_read ||
		      reader->read == mp_input_somas_info_read ||
		      reader->read == mp_input_somas_input_read;

	if (!padded || !input->target || input->target->margins.padding == 0)
		return true;
	return mp_fail(e, MEMPLAN_EUSAGE,
		"%s: its sizes have padding already, and target '%s' would add "
		"more: leave the target out",
		input->files[ROLE_MAIN].name, input->target->name);
}

/* A table has no mark of its own, so any text may be one. */
static bool check_name(const struct input_file *file,
	const struct reader *reader, struct error *e)
{
	static const struct {
		const char *suffix, *what;
	} marked[] = {{".onnx", "ONNX model"}, {".tflite", "TFLite model"},
		{".pte", "ExecuTorch program"}};

	for (size_t i = 0; i < countof(marked); i++)
		if (reader->read == mp_input_csv_read &&
			mp_text_ends_with(file->name, marked[i].suffix))
			return mp_fail(e, MEMPLAN_EINPUT,
				"%s: is no %s: it does not begin as one",
				file->name, marked[i].what);
	return true;
}

static bool read_as(const struct reader *reader, const struct input *input,
	struct graph *graph, struct arena *arena, struct error *e)
{
	if (!check_name(&input->files[ROLE_MAIN], reader, e) ||
		!check_roles(input, reader, e) ||
		!check_lines(input, reader, e) ||
		!check_padding(input, reader, e))
		return false;
	warn_of_idle(input, reader, e);
	return reader->read(input, graph, arena, e);
}

static bool read_main(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *file = &input->files[ROLE_MAIN];

	assert(file->name && (file->bytes || file->length == 0));
	*graph = (struct graph){.place = file->name};
	graph->name = name_of(file->name, arena);
	if (!graph->name)
		return false;
	for (uint32_t i = 0; i < mp_n_readers; i++)
		if (mp_readers[i].recognise(file))
			return read_as(&mp_readers[i], input, graph, arena, e);
	return fail_unknown(file, e);
}

/* Contiguous groups get at least the guards of the target. */
static bool set_target(
	struct graph *graph, const struct margins *margins, struct arena *arena)
{
	struct ties *ties = &graph->ties;
	struct tensor_group *groups =
		NEW(arena, struct tensor_group, ties->n_groups);

	if (!groups)
		return false;
	for (uint32_t i = 0; i < ties->n_groups; i++) {
		groups[i] = ties->groups[i];
		groups[i].before = num_max(groups[i].before, margins->guard);
		groups[i].after = num_max(groups[i].after, margins->guard);
	}
	ties->groups = groups;
	graph->margins = *margins;
	return true;
}

bool mp_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *solution = &input->files[ROLE_SOLUTION];

	if (!read_main(input, graph, arena, e))
		return false;
	assert(num_is_pow2(graph->alignment));
	if (input->target && !set_target(graph, &input->target->margins, arena))
		return false;
	return !solution->name ||
	       mp_input_solution_read(solution, graph, arena, e);
}
