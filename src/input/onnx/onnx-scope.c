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

enum {
	VALUES = 64, /* that are allocated at a time */
};

bool mp_input_onnx_fail(const struct onnx_build *build,
	const struct onnx_node *node, const char *format, ...)
{
	char sentence[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return mp_fail(build->source.error, MEMPLAN_EINPUT,
		"%s: node '%.*s' (%.60s), at byte %zu: %s",
		build->source.file->name, (int)num_min(node->name.n, 80),
		(const char *)node->name.at, node->type, node->place, sentence);
}

/* ---------------------------------------------------------- symbols */

static bool make_room(
	struct onnx_build *b, struct onnx_scope *scope, uint64_t room)
{
	struct onnx_symbol *symbols;

	if (room > NONE / 4)
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: the graph '%.80s' has too many values",
			b->source.file->name, scope->graph->name);
	symbols = NEW(b->source.arena, struct onnx_symbol, room);
	if (!symbols ||
		!mp_names_init(&scope->names, (uint32_t)room, b->source.arena))
		return false;
	for (uint32_t i = 0; i < scope->n_symbols; i++) {
		symbols[i] = scope->symbols[i];
		mp_names_add(&scope->names, symbols[i].name, i);
	}
	scope->symbols = symbols;
	scope->room = (uint32_t)room;
	return true;
}

struct onnx_symbol *mp_input_onnx_symbol(
	struct onnx_build *b, struct onnx_scope *scope, struct proto_bytes name)
{
	uint32_t i = scope->n_symbols;
	const char *copy;

	if (i == scope->room && !make_room(b, scope, UINT64_C(2) * i))
		return NULL;
	copy = mp_names_intern(&scope->names, (const char *)name.at, name.n, &i,
		b->source.arena);
	if (!copy)
		return NULL;
	if (i == scope->n_symbols)
		scope->symbols[scope->n_symbols++] =
			(struct onnx_symbol){copy, NONE, NONE};
	return &scope->symbols[i];
}

static bool add_declared(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_declarations *list, uint32_t first)
{
	for (uint32_t i = 0; i < list->n; i++) {
		struct onnx_symbol *symbol =
			mp_input_onnx_symbol(b, scope, list->at[i].key);

		if (!symbol)
			return false;
		if (symbol->declared == NONE)
			symbol->declared = first + i;
	}
	return true;
}

/* Most nodes have one output, some have more. Before IR version 4 all
 * initializers are inputs too. More names make more room. */
bool mp_input_onnx_scope_init(struct onnx_build *b, struct onnx_scope *scope,
	const struct onnx_graph *g)
{
	uint64_t given = b->model.ir_version < 4
				 ? num_max(g->n_initializers, g->inputs.n)
				 : (uint64_t)g->n_initializers + g->inputs.n;
	uint64_t n = UINT64_C(1) + given + g->n_nodes + g->n_nodes / 8;

	scope->graph = g;
	return make_room(b, scope, n) &&
	       add_declared(b, scope, &g->outputs, 0) &&
	       add_declared(b, scope, &g->infos, g->outputs.n);
}

/* Gives a symbol its value. */
static bool set_value(const struct onnx_build *b, struct onnx_symbol *symbol,
	uint32_t value, size_t place)
{
	if (symbol->value != NONE)
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: at byte %zu: '%.80s' is defined twice",
			b->source.file->name, place, symbol->name);
	symbol->value = value;
	return true;
}

bool mp_input_onnx_define(struct onnx_build *b, struct onnx_scope *scope,
	struct proto_bytes name, uint32_t value, size_t place)
{
	struct onnx_symbol *symbol = mp_input_onnx_symbol(b, scope, name);

	return symbol && set_value(b, symbol, value, place);
}

uint32_t mp_input_onnx_find(
	const struct onnx_scope *scope, struct proto_bytes name)
{
	uint32_t value = NONE, i;

	for (; scope && value == NONE; scope = scope->outer) {
		i = mp_names_find_text(
			&scope->names, (const char *)name.at, name.n);
		if (i != NONE)
			value = scope->symbols[i].value;
	}
	return value;
}

/* ----------------------------------------------------------- values */

struct onnx_value *mp_input_onnx_value(
	struct onnx_build *b, const char *name, uint32_t *index)
{
	if (b->n_values % VALUES == 0)
		b->spare = NEW(b->source.arena, struct onnx_value, VALUES);
	b->values = mp_arena_grow(b->source.arena, b->values, b->n_values,
		&b->room_values, sizeof(*b->values));
	if (!b->spare || !b->values)
		return NULL;
	*b->spare = (struct onnx_value){.name = name,
		.kind = KIND_ACTIVATION,
		.alias_of = NONE,
		.root = b->n_values,
		.site = b->site,
		.tensor = NONE};
	*index = b->n_values;
	return b->values[b->n_values++] = b->spare++;
}

const char *mp_input_onnx_prefixed(struct onnx_build *b,
	const struct onnx_scope *scope, struct proto_bytes name)
{
	if (strlen(scope->prefix) + name.n > ONNX_TEXT) {
		mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: the name '%.*s' is longer than %d bytes with "
			"the names around it",
			b->source.file->name, (int)num_min(name.n, 80),
			(const char *)name.at, ONNX_TEXT);
		return NULL;
	}
	if (*scope->prefix == '\0')
		return mp_arena_text(
			b->source.arena, (const char *)name.at, name.n);
	return mp_arena_print(b->source.arena, "%s%.*s", scope->prefix,
		(int)name.n, (const char *)name.at);
}

struct onnx_value *mp_input_onnx_make(struct onnx_build *b,
	const struct onnx_scope *scope, struct onnx_symbol *symbol,
	size_t place, uint32_t *index)
{
	struct onnx_value *value;

	if (!symbol || !set_value(b, symbol, b->n_values, place))
		return NULL;
	value = mp_input_onnx_value(b, symbol->name, index);
	if (value && *scope->prefix)
		value->name = mp_input_onnx_prefixed(
			b, scope, mp_input_onnx_bytes(symbol->name));
	return value && value->name ? value : NULL;
}

/* ----------------------------------------------------------- shapes */

/* So many elements of some bits as bytes. */
static bool count_bytes(uint32_t each, uint64_t n, uint64_t *bytes)
{
	uint64_t bits;

	if (!num_mul(n, each, &bits))
		return false;
	*bytes = (bits + 7) / 8;
	return *bytes <= ONNX_BYTES;
}

bool mp_input_onnx_set_shape(struct onnx_build *b, struct onnx_value *value,
	uint32_t type, const uint64_t *dims, uint32_t n, size_t place)
{
	const uint32_t bits = mp_input_onnx_bits(type);
	uint64_t *at;

	assert(n <= ONNX_RANK);
	value->type = (uint8_t)num_min(type, ONNX_TYPES);
	at = n <= ONNX_FEW ? value->few : NEW(b->source.arena, uint64_t, n);
	if (!at)
		return false;
	value->shape = (struct onnx_shape){at, n};
	value->shaped = true;
	value->n = 1;
	for (uint32_t i = 0; i < n; i++) {
		at[i] = dims[i];
		if (!num_mul(value->n, dims[i], &value->n))
			value->n = NUM_MAX_BYTES; /* a 0 may follow */
	}
	if (!count_bytes(bits, value->n, &value->bytes))
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: at byte %zu: '%.80s' has more than 2^53 bytes",
			b->source.file->name, place, value->name);
	if (bits == 0)
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
	const struct onnx_scope *scope, const struct onnx_symbol *symbol)
{
	const struct onnx_graph *g = scope->graph;
	uint32_t i = symbol->declared;

	if (i == NONE)
		return NULL;
	return i < g->outputs.n ? &g->outputs.at[i]
				: &g->infos.at[i - g->outputs.n];
}

bool mp_input_onnx_said_shape(const struct onnx_build *b,
	const struct onnx_scope *scope, const struct onnx_symbol *symbol,
	uint64_t *dims, uint32_t *n, uint32_t *type)
{
	const struct onnx_declared *declared =
		mp_input_onnx_declaration(scope, symbol);
	const char *name;

	if (declared && declared->shaped && !declared->kind &&
		resolve(b, declared, dims)) {
		*n = declared->n_dims;
		*type = declared->type;
		return true;
	}
	if (!b->input->shapes)
		return false;
	name = symbol->name;
	if (*scope->prefix)
		name = mp_arena_print(
			b->source.arena, "%s%s", scope->prefix, name);
	return name && mp_input_onnx_bound_shape(b->input, name, dims, n, type);
}
