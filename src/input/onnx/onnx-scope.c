/*
 * Values and their names. A graph in a graph sees the names around it; a
 * function sees only its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input/onnx/inside.h"

bool mp_input_onnx_fail(const struct onnx_build *build,
	const struct onnx_node *node, const char *format, ...)
{
	char sentence[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return mp_fail(build->source.error, MEMPLAN_EINPUT,
		"%s: node '%.80s' (%.60s), at byte %zu: %s",
		build->source.file->name, node->name, node->type, node->place,
		sentence);
}

struct onnx_value *mp_input_onnx_value(
	struct onnx_build *b, const char *name, uint32_t *index)
{
	struct onnx_value *value = NEW(b->source.arena, struct onnx_value, 1);

	b->values = mp_arena_grow(b->source.arena, b->values, b->n_values,
		&b->room_values, sizeof(*b->values));
	if (!value || !b->values)
		return NULL;
	*value = (struct onnx_value){.name = name,
		.kind = KIND_ACTIVATION,
		.loops = b->n_loops,
		.alias_of = NONE,
		.choice = b->choice,
		.branch = b->branch,
		.tensor = NONE};
	*index = b->n_values;
	b->values[b->n_values++] = value;
	return value;
}

const char *mp_input_onnx_prefixed(
	struct onnx_build *b, const struct onnx_scope *scope, const char *name)
{
	if (*scope->prefix == '\0')
		return name;
	if (strlen(scope->prefix) + strlen(name) > ONNX_TEXT) {
		mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: the name '%.80s' is longer than %d bytes with "
			"the names around it",
			b->source.file->name, name, ONNX_TEXT);
		return NULL;
	}
	return mp_arena_print(b->source.arena, "%s%s", scope->prefix, name);
}

static bool add_infos(struct onnx_build *b, struct onnx_scope *scope)
{
	const struct onnx_graph *g = scope->graph;
	uint32_t n = g->n_infos + g->n_outputs;

	if (!mp_names_init(&scope->infos, n, b->source.arena))
		return false;
	for (uint32_t i = 0; i < g->n_outputs; i++)
		mp_names_add(&scope->infos, g->outputs[i].name, i);
	for (uint32_t i = 0; i < g->n_infos; i++)
		mp_names_add(&scope->infos, g->infos[i].name, g->n_outputs + i);
	return true;
}

bool mp_input_onnx_scope_init(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_graph *graph)
{
	uint64_t n = (uint64_t)graph->n_initializers + graph->n_inputs;

	for (uint32_t i = 0; i < graph->n_nodes; i++)
		n += graph->nodes[i].outputs.n;
	if (n > NONE / 4)
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: the graph '%.80s' has too many values",
			b->source.file->name, graph->name);
	scope->graph = graph;
	return mp_names_init(&scope->names, (uint32_t)n, b->source.arena) &&
	       add_infos(b, scope);
}

bool mp_input_onnx_define(struct onnx_build *b, struct onnx_scope *scope,
	const char *name, uint32_t value, size_t place)
{
	if (mp_names_add(&scope->names, name, value) == NONE)
		return true;
	return mp_fail(b->source.error, MEMPLAN_EINPUT,
		"%s: at byte %zu: '%.80s' is defined twice",
		b->source.file->name, place, name);
}

uint32_t mp_input_onnx_find(const struct onnx_scope *scope, const char *name)
{
	uint32_t value = NONE;

	for (; scope && value == NONE; scope = scope->outer)
		value = mp_names_find(&scope->names, name);
	return value;
}

/* ----------------------------------------------------------- shapes */

/* A tensor of that type and so many elements as bytes. */
static bool count_bytes(uint32_t type, uint64_t n, uint64_t *bytes)
{
	uint64_t bits;

	if (!num_mul(n, mp_input_onnx_bits(type), &bits))
		return false;
	*bytes = (bits + 7) / 8;
	return *bytes <= ONNX_BYTES;
}

bool mp_input_onnx_set_shape(struct onnx_build *b, struct onnx_value *value,
	uint32_t type, const uint64_t *dims, uint32_t n, size_t place)
{
	assert(n <= ONNX_RANK);
	value->type = (uint8_t)num_min(type, ONNX_TYPES);
	value->shape.at =
		mp_arena_copy(b->source.arena, dims, n, sizeof(*dims));
	if (!value->shape.at)
		return false;
	value->shape.n = n;
	value->shaped = true;
	value->n = 1;
	for (uint32_t i = 0; i < n; i++)
		if (!num_mul(value->n, dims[i], &value->n))
			value->n = NUM_MAX_BYTES; /* a 0 may follow */
	if (!count_bytes(type, value->n, &value->bytes))
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: at byte %zu: '%.80s' has more than 2^53 bytes",
			b->source.file->name, place, value->name);
	if (mp_input_onnx_bits(type) == 0)
		value->fault = type == ONNX_STRING ? "a tensor of strings"
						   : "of no known type";
	return true;
}

/* Dimensions that --dim binds are known too. */
static bool resolve(const struct onnx_build *b,
	const struct onnx_declared *declared, uint64_t *dims)
{
	for (uint32_t i = 0; i < declared->n_dims; i++) {
		const struct onnx_dim *dim = &declared->dims[i];

		dims[i] = dim->value;
		if (!dim->known &&
			(!dim->name || !mp_input_onnx_bound_dim(
					       b->input, dim->name, &dims[i])))
			return false;
	}
	return true;
}

const struct onnx_declared *mp_input_onnx_declaration(
	const struct onnx_scope *scope, const char *name)
{
	const struct onnx_graph *g = scope->graph;
	uint32_t i = mp_names_find(&scope->infos, name);

	if (i == NONE)
		return NULL;
	return i < g->n_outputs ? &g->outputs[i] : &g->infos[i - g->n_outputs];
}

bool mp_input_onnx_is_output(const struct onnx_scope *scope, const char *name)
{
	return mp_names_find(&scope->infos, name) < scope->graph->n_outputs;
}

bool mp_input_onnx_said_shape(const struct onnx_build *b,
	const struct onnx_scope *scope, const char *name, uint64_t *dims,
	uint32_t *n, uint32_t *type)
{
	const struct onnx_declared *declared =
		mp_input_onnx_declaration(scope, name);

	if (declared && declared->shaped && !declared->kind &&
		resolve(b, declared, dims)) {
		*n = declared->n_dims;
		*type = declared->type;
		return true;
	}
	if (!b->input->shapes)
		return false;
	if (*scope->prefix)
		name = mp_arena_print(
			b->source.arena, "%s%s", scope->prefix, name);
	return name && mp_input_onnx_bound_shape(b->input, name, dims, n, type);
}
