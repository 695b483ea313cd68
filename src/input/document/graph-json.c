/*
 * Graph JSON: format memplan.graph, version 1; docs/formats/graph-json.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/document/build.h"
#include "input/rows.h"

enum {
	DEFAULT_ALIGNMENT = 512, /* what device allocators give */
};

enum {
	G_FORMAT,
	G_VERSION,
	G_NAME,
	G_ALIGNMENT,
	G_TENSORS,
	G_OPS,
	G_GROUPS,
	G_INPUTS,
	G_OUTPUTS,
	G_RELATIONS,
	G_BEHIND_RELATIONS = G_RELATIONS + N_RELATIONS - 1,
	G_POOLS,
	G_CONSTRAINTS,
	N_KEYS = G_CONSTRAINTS + N_CONSTRAINTS,
};

static const struct json_key keys[N_KEYS] = {
	{"format", true},
	{"version", true},
	{"name", false},
	{"alignment", false},
	{"tensors", true},
	{"ops", false},
	{"groups", false},
	{"inputs", false},
	{"outputs", false},
	{"apart", false},
	{"reserved", false},
	{"exclusive", false},
	{"pools", false},
	{"keep_order", false},
	{"first", false},
	{"last", false},
	{"barriers", false},
	{"max_displacement", false},
};

bool mp_input_graph_json_recognise(const struct input_file *file)
{
	return *mp_json_begin(file) == '{';
}

static bool read_document(
	struct build *b, uint64_t alignment, const struct json_at *root)
{
	struct graph *graph = b->graph;
	struct json_at found[N_KEYS];

	graph->alignment = DEFAULT_ALIGNMENT;
	if (!mp_json_pick(root, keys, N_KEYS, found) ||
		!mp_input_build_format(
			&found[G_FORMAT], &found[G_VERSION], "memplan.graph") ||
		!mp_json_copy(&found[G_NAME], &graph->name, b->arena) ||
		!mp_input_build_alignment(
			&found[G_ALIGNMENT], &graph->alignment))
		return false;
	b->pool_alignment = graph->alignment;
	if (alignment != 0)
		graph->alignment = alignment;
	return mp_input_build_pools(b, &found[G_POOLS]) &&
	       mp_input_build_policy(&found[G_INPUTS], &graph->inputs) &&
	       mp_input_build_policy(&found[G_OUTPUTS], &graph->outputs) &&
	       mp_input_build_graph(b, &found[G_TENSORS], &found[G_OPS]) &&
	       mp_input_build_groups(b, &found[G_GROUPS]) &&
	       mp_input_build_relations(b, &found[G_RELATIONS]) &&
	       mp_input_build_constraints(b, &found[G_CONSTRAINTS]);
}

bool mp_input_graph_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct build build = {.graph = graph, .arena = arena, .error = e};
	struct json json;
	struct json_at root;
	bool fine = mp_json_open(&input->files[ROLE_MAIN], &json, arena, e);

	root = mp_json_root(&json);
	fine = fine && read_document(&build, input->alignment, &root);
	mp_json_close(&json);
	return fine;
}
