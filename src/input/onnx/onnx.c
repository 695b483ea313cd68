/*
 * ONNX models; docs/formats/onnx.md. The reader walks the nodes once, in the
 * order of the file, which is topological. It does not copy weights, and opens
 * no other file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/onnx/onnx.h"

#include <stdio.h>
#include <string.h>

#include "input/onnx/inside.h"
#include "input/rows.h"

enum {
	DEFAULT_ALIGNMENT = 64,
	SENTENCE = 240,
};

/* ----------------------------------------------------------- inputs */

static bool bind_dims(struct onnx_build *b,
	const struct onnx_declared *declared, uint64_t *dims)
{
	for (uint32_t i = 0; i < declared->n_dims; i++)
		if (!mp_input_onnx_bound_axis(
			    &b->source, &b->bindings, declared, i, &dims[i]))
			return false;
	return true;
}

/* Items that a run takes: a first dimension that the model leaves open, and
 * that is the same in all inputs with dimensions. */
static void note_batch(struct onnx_build *b,
	const struct onnx_declared *declared, const uint64_t *dims)
{
	const struct onnx_dim *first = declared->dims, *before = b->batch;

	if (declared->n_dims == 0)
		return;
	b->no_batch |= first->known;
	if (before)
		b->no_batch |=
			!first->name != !before->name ||
			(first->name && strcmp(first->name, before->name) != 0);
	b->no_batch |= before && b->batch_items != dims[0];
	b->batch = first;
	b->batch_items = dims[0];
}

/* An input without a shape may have one by --shape. */
static bool shape_input(struct onnx_build *b,
	const struct onnx_declared *declared, struct onnx_value *value)
{
	uint32_t n = declared->n_dims, type = ONNX_UNDEFINED;
	uint64_t dims[ONNX_RANK];

	if (declared->kind) {
		value->fault = declared->kind;
		return true;
	}
	if (!declared->shaped && !mp_input_onnx_bound_shape(b->input,
					 declared->name, dims, &n, &type))
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: at byte %zu: input '%.80s' has no shape: give "
			"--shape %.80s=1x16x64",
			b->source.file->name, declared->place, declared->name,
			declared->name);
	if (declared->shaped && !bind_dims(b, declared, dims))
		return false;
	if (declared->shaped)
		note_batch(b, declared, dims);
	if (type == ONNX_UNDEFINED)
		type = declared->type;
	return mp_input_onnx_set_shape(
		       b, value, type, dims, n, declared->place) &&
	       mp_input_onnx_bound_value(&b->source, b->input, declared->name,
		       type, value->n, &value->content);
}

static bool add_input(struct onnx_build *b, struct onnx_scope *top,
	struct onnx_declared *declared)
{
	struct onnx_value *value;
	uint32_t index;

	value = mp_input_onnx_make(b, top,
		mp_input_onnx_symbol(b, top, declared->key), declared->place,
		&index);
	if (!value || !mp_input_onnx_parse_type(&b->source, declared) ||
		!shape_input(b, declared, value))
		return false;
	value->kind = KIND_INPUT;
	value->is_input = true;
	return true;
}

/* An initializer of an input's name is its default. Before IR version 4 all
 * initializers were inputs too. */
static bool add_inputs(struct onnx_build *b, struct onnx_scope *top)
{
	uint32_t n_defaults = 0, index;
	const char *first = NULL;

	for (uint32_t i = 0; i < top->graph->inputs.n; i++) {
		struct onnx_declared *input = &top->graph->inputs.at[i];

		index = mp_input_onnx_find(top, input->key);
		if (index == NONE) {
			if (!add_input(b, top, input))
				return false;
			continue;
		}
		if (index >= top->graph->n_initializers)
			return mp_fail(b->source.error, MEMPLAN_EINPUT,
				"%s: at byte %zu: '%.80s' is defined twice",
				b->source.file->name, input->place,
				b->values[index]->name);
		first = n_defaults++ == 0 ? b->values[index]->name : first;
	}
	if (n_defaults > 0 && b->model.ir_version >= 4)
		mp_warn(b->source.error,
			"%s: %u input%s a default and taken as weights, first "
			"'%.80s'",
			b->source.file->name, n_defaults,
			n_defaults == 1 ? " has" : "s have", first);
	return true;
}

/* ----------------------------------------------------------- wishes */

/* A list of the dimensions without a value, as a sentence, and how to give them
 * one. */
static const char *list_wishes(const struct onnx_build *b)
{
	const struct onnx_bindings *bindings = &b->bindings;
	char text[SENTENCE] = "";
	const char *give = "give";
	size_t used = 0;

	for (uint32_t i = 0; give && i < bindings->n_wishes; i++) {
		const struct onnx_wish *wish = &bindings->wishes[i];
		int n = snprintf(text + used, sizeof(text) - used,
			"%sdimension '%.60s' of input '%.60s'", i ? ", " : "",
			wish->name, wish->input);

		if (n < 0 || used + (size_t)n >= sizeof(text) - 40) {
			snprintf(text + used, sizeof(text) - used,
				" and %u more", bindings->n_wishes - i);
			break;
		}
		used += (size_t)n;
		give = mp_arena_print(
			b->source.arena, "%s --dim %.60s=N", give, wish->name);
	}
	return give ? mp_arena_print(b->source.arena, "%s %s no value: %s",
			      text, bindings->n_wishes > 1 ? "have" : "has",
			      give)
		    : NULL;
}

/* With guesses a graph is good enough to be looked at, not to be planned. If it
 * contradicts itself, they are why; a value without a shape or of a sequence
 * needs more than they. */
static bool tell_wishes(struct onnx_build *b, bool fine)
{
	struct error *e = b->source.error;
	const char *sentence, *first;

	mp_input_onnx_settle_wishes(&b->bindings);
	if (b->bindings.n_wishes == 0 ||
		(e->code != MEMPLAN_OK && e->code != MEMPLAN_EINPUT))
		return fine;
	sentence = list_wishes(b);
	if (!sentence)
		return false;
	b->graph->wanting = sentence;
	if (fine)
		return true;
	e->code = MEMPLAN_OK;
	if (!b->hopeless)
		return mp_fail(e, MEMPLAN_EINPUT, "%s: %s",
			b->source.file->name, sentence);
	first = mp_arena_text(b->source.arena, e->text, strlen(e->text));
	return first && mp_fail(e, MEMPLAN_EINPUT, "%s; %s", first, sentence);
}

/* ----------------------------------------------------------- reader */

static void warn(const struct onnx_build *b)
{
	const char *file = b->source.file->name;

	if (b->location)
		mp_warn(b->source.error,
			"%s: weights are in '%.100s', which is not read", file,
			b->location);
	if (b->n_contradictions > 0)
		mp_warn(b->source.error,
			"%s: %u value%s another shape than the model declares, "
			"first '%.80s'; the op decides",
			file, b->n_contradictions,
			b->n_contradictions == 1 ? " has" : "s have",
			b->contradiction);
}

bool mp_input_onnx_build(const struct input *input, struct graph *graph,
	struct onnx_build *b, struct onnx_scope *top, struct arena *arena,
	struct error *e)
{
	const struct onnx_build begun = *b;
	struct onnx_graph *parsed = NEW(arena, struct onnx_graph, 1);

	*b = (struct onnx_build){.source = {&input->files[ROLE_MAIN], arena, e},
		.input = input,
		.graph = graph,
		.bindings = {.input = input, .guess = begun.bindings.guess},
		.any_type = begun.any_type,
		.wants_most = mp_input_onnx_wants_most(input),
		.site = {NONE, 0}};
	graph->alignment =
		input->alignment ? input->alignment : DEFAULT_ALIGNMENT;
	if (!parsed || !mp_input_onnx_name_rules(&b->rules, arena) ||
		!mp_input_onnx_parse_model(&b->source, &b->model) ||
		!mp_input_onnx_parse_graph(&b->source, b->model.graph, parsed))
		return false;
	*top = (struct onnx_scope){
		.prefix = "", .opset = b->model.opset, .depth = 1};
	return mp_input_onnx_check_options(&b->source, input, parsed) &&
	       mp_input_onnx_scope_init(b, top, parsed) &&
	       mp_input_onnx_initializers(b, top) && add_inputs(b, top) &&
	       mp_input_onnx_walk(b, top);
}

bool mp_input_onnx_recognise(const struct input_file *file)
{
	return mp_input_onnx_looks_like_model(file);
}

/* Does another guess help? A network that halves an image several times fails
 * with images of one row, and one that has wide windows with short sounds. */
static bool may_guess_again(const struct onnx_build *b)
{
	return b->bindings.n_wishes > 0 &&
	       b->source.error->code == MEMPLAN_EINPUT;
}

bool mp_input_onnx_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	static const uint64_t guesses[] = {1, 64, 1024};
	const struct graph empty = *graph;
	const uint32_t n_warnings = e->n_warnings;
	struct onnx_build b;
	struct onnx_scope top;
	bool fine = false;

	for (uint32_t i = 0; i < countof(guesses); i++) {
		*graph = empty;
		b = (struct onnx_build){.bindings = {.guess = guesses[i]}};
		fine = mp_input_onnx_build(input, graph, &b, &top, arena, e) &&
		       mp_input_onnx_finish(&b, &top);
		if (fine || i + 1 == countof(guesses) || !may_guess_again(&b))
			break;
		e->code = MEMPLAN_OK;
		e->n_warnings = n_warnings;
	}
	if (!tell_wishes(&b, fine))
		return false;
	graph->note = "a model names no workspaces of kernels, and there are "
		      "none here";
	graph->batch =
		b.no_batch || b.bindings.n_wishes > 0 ? 0 : b.batch_items;
	warn(&b);
	return true;
}
