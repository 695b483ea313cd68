/*
 * Graph JSON: format memplan.graph, version 1; docs/formats/graph-json.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"
#include "input/rows.h"

static const struct json_key keys[N_KEYS_OF_GRAPH] = {
	{"format", true},
	{"version", true},
	{"name", false},
	{"alignment", false},
	{"pools", false},
	{"tensors", true},
	{"ops", false},
	{"groups", false},
	{"inputs", false},
	{"outputs", false},
	{"apart", false},
	{"reserved", false},
	{"exclusive", false},
	{"keep_order", false},
	{"first", false},
	{"last", false},
	{"barriers", false},
	{"max_displacement", false},
};

static const struct document_format graph_format = {"memplan.graph", keys,
	N_KEYS_OF_GRAPH, false, mp_input_build_constraints};

bool mp_input_graph_json_recognise(const struct input_file *file)
{
	return *mp_json_begin(file) == '{';
}

bool mp_input_graph_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	return mp_input_build_document(&graph_format, input, graph, arena, e);
}
