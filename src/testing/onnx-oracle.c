/*
 * The reader of ONNX beside the op tests of ONNX's own project, which Debian
 * has in libonnx-testdata: each is a model of an op, with inputs and outputs.
 *
 *	onnx-oracle FOLDER LEAST
 *
 * Every model is read with the content of its inputs, up to 64 numbers each,
 * and whatever their type: what is tested are shapes. The types and dimensions
 * of its outputs must be those of the outputs in the folder. Prints each test
 * that fails, with why, and their number; exit 1 if fewer than LEAST pass, 77
 * if the folder is not there.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sink-text.h"
#include "input/onnx/inside.h"

enum {
	MOST_NUMBERS = 64, /* that --value takes */
	PATH = 4096,
};

struct trial {
	const char *folder; /* of the test */
	struct error error;
	struct arena arena;
	struct sink dims, values; /* lines of the options */
	struct onnx_build build;
	struct onnx_scope top;
	const char *why; /* that it fails */
};

/* ------------------------------------------------------------ files */

/* The file, in memory of the arena; bytes NULL: it is not there. */
static struct input_file load(struct arena *arena, const char *path)
{
	struct input_file file = {path, NULL, 0};
	FILE *stream = fopen(path, "rb");
	char *bytes;
	long n;

	if (!stream)
		return file;
	fseek(stream, 0, SEEK_END);
	n = ftell(stream);
	rewind(stream);
	bytes = n < 0 ? NULL : mp_arena_alloc(arena, (size_t)n + 1, 1);
	if (bytes && fread(bytes, 1, (size_t)n, stream) == (size_t)n)
		file = (struct input_file){path, bytes, (size_t)n};
	fclose(stream);
	return file;
}

/* Number k of the inputs or outputs of the test; false: it is not there, or no
 * tensor. */
static bool load_tensor(struct trial *t, const char *what, uint32_t k,
	struct onnx_source *source, struct onnx_tensor *tensor)
{
	struct input_file *file = NEW(&t->arena, struct input_file, 1);
	char *path = mp_arena_print(
		&t->arena, "%s/test_data_set_0/%s_%u.pb", t->folder, what, k);

	*file = load(&t->arena, path);
	*source = (struct onnx_source){file, &t->arena, &t->error};
	return file->bytes &&
	       mp_input_onnx_parse_tensor(source,
		       (struct proto_bytes){(const unsigned char *)file->bytes,
			       file->length},
		       tensor);
}

/* ---------------------------------------------------------- options */

static void put_number(
	struct sink *line, uint32_t type, union onnx_number number)
{
	if (mp_input_onnx_class(type) == ONNX_REAL)
		mp_sink_print(line, "%.9g", number.d);
	else
		mp_sink_i64(line, number.i);
}

/* What --dim and --value would say of an input. */
static void add_lines(struct trial *t, const struct onnx_declared *input,
	const struct onnx_source *source, const struct onnx_tensor *tensor)
{
	const union onnx_number *content;
	uint64_t n = 1;

	for (uint32_t i = 0; i < tensor->n_dims; i++) {
		n *= tensor->dims[i];
		if (i < input->n_dims && input->dims[i].known &&
			tensor->dims[i] != input->dims[i].value)
			return; /* the file and its model disagree */
		if (i < input->n_dims && !input->dims[i].known)
			mp_sink_print(&t->dims, "%s:%u=%llu\n", input->name, i,
				(unsigned long long)tensor->dims[i]);
	}
	if (n == 0 || n > MOST_NUMBERS ||
		!mp_input_onnx_content(source, tensor, n, &content) || !content)
		return;
	for (uint64_t i = 0; i < n; i++)
		if (mp_input_onnx_class(tensor->type) == ONNX_REAL &&
			!(content[i].d > -1e18 && content[i].d < 1e18))
			return;
	mp_sink_print(&t->values, "%s=", input->name);
	for (uint64_t i = 0; i < n; i++) {
		mp_sink_text(&t->values, i ? "," : "");
		put_number(&t->values, tensor->type, content[i]);
	}
	mp_sink_text(&t->values, "\n");
}

/* A line ends without a newline if it is the last. */
static const char *lines(struct sink *sink)
{
	if (sink->length == 0)
		return NULL;
	sink->bytes[sink->length - 1] = '\0';
	return sink->bytes;
}

static bool add_options(
	struct trial *t, const struct input_file *model, struct input *input)
{
	struct onnx_source source = {model, &t->arena, &t->error}, own;
	struct onnx_model parsed;
	struct onnx_graph graph;
	struct onnx_tensor tensor;

	if (!mp_input_onnx_parse_model(&source, &parsed) ||
		!mp_input_onnx_parse_graph(&source, parsed.graph, &graph))
		return false;
	for (uint32_t k = 0; k < graph.inputs.n; k++)
		if (mp_input_onnx_parse_type(&source, &graph.inputs.at[k]) &&
			!graph.inputs.at[k].kind &&
			load_tensor(t, "input", k, &own, &tensor))
			add_lines(t, &graph.inputs.at[k], &own, &tensor);
	input->dims = lines(&t->dims);
	input->values = lines(&t->values);
	return true;
}

/* ---------------------------------------------------------- verdict */

static bool same(const struct onnx_value *value, const struct onnx_tensor *want)
{
	return value->type == want->type && value->shape.n == want->n_dims &&
	       memcmp(value->shape.at, want->dims,
		       want->n_dims * sizeof(*want->dims)) == 0;
}

static bool compare(struct trial *t)
{
	for (uint32_t k = 0; k < t->top.graph->outputs.n; k++) {
		struct onnx_source source;
		struct onnx_tensor want;
		uint32_t value;

		if (!load_tensor(t, "output", k, &source, &want))
			return t->why = "its output is no tensor", false;
		if (!mp_input_onnx_result(&t->build, &t->top, k, &value))
			return false;
		if (!same(t->build.values[value], &want))
			return t->why = "an output has another shape or type",
			       false;
	}
	return true;
}

static bool try(struct trial *t)
{
	char *path = mp_arena_print(&t->arena, "%s/model.onnx", t->folder);
	struct input input = {0};
	struct graph graph = {.name = "test", .place = path};

	t->build =
		(struct onnx_build){.bindings = {.guess = 1}, .any_type = true};

	input.files[ROLE_MAIN] = load(&t->arena, path);
	return add_options(t, &input.files[ROLE_MAIN], &input) &&
	       mp_input_onnx_build(&input, &graph, &t->build, &t->top,
		       &t->arena, &t->error) &&
	       compare(t);
}

static bool passes(const char *folder)
{
	struct trial t = {.folder = folder};
	bool fine;

	t.arena.error = t.dims.error = t.values.error = &t.error;
	fine = try(&t);
	if (!fine)
		printf("%s: %s\n", strrchr(folder, '/') + 1,
			t.error.text[0] ? t.error.text : t.why);
	mp_sink_free(&t.dims);
	mp_sink_free(&t.values);
	mp_arena_free(&t.arena);
	return fine;
}

/* ------------------------------------------------------------- walk */

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Tests are folders with a model, at any depth. */
static void walk(const char *folder, uint32_t *n, uint32_t *fine)
{
	char path[PATH];
	struct dirent **entries;
	int n_entries;
	FILE *model;

	snprintf(path, sizeof(path), "%s/model.onnx", folder);
	model = fopen(path, "rb");
	if (model) {
		fclose(model);
		++*n;
		*fine += passes(folder);
		return;
	}
	n_entries = scandir(folder, &entries, is_shown, alphasort);
	for (int i = 0; i < n_entries; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder,
			entries[i]->d_name);
		walk(path, n, fine);
		free(entries[i]);
	}
	if (n_entries >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	uint32_t n = 0, fine = 0;

	if (argc != 3)
		return 2;
	walk(argv[1], &n, &fine);
	if (n == 0) {
		printf("skipped: no models in %s; Debian's libonnx-testdata "
		       "has them\n",
			argv[1]);
		return 77;
	}
	printf("%u of %u op tests have the shapes and types they must\n", fine,
		n);
	return fine < (uint32_t)atoi(argv[2]);
}
