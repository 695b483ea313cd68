/*
 * The ops of a graph or plan document. A temporary of a graph is a size and
 * becomes a tensor here; a temporary of a plan is in its list of tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/document/build.h"

/* A plan has the keys up to O_INPLACE, a graph those from O_NAME on. */
enum {
	O_COST_US,
	O_NAME,
	O_TYPE,
	O_STREAM,
	O_INPUTS,
	O_OUTPUTS,
	O_TEMPORARIES,
	O_AFTER,
	O_INPLACE,
	O_COST_MS,
	O_REUSE,
	O_BRANCH, /* see build-relations.c */
	N_KEYS,
};

static const struct json_key keys[N_KEYS] = {
	{"cost_us", false},
	{"name", false},
	{"type", false},
	{"stream", false},
	{"inputs", false},
	{"outputs", false},
	{"temporaries", false},
	{"after", false},
	{"inplace", false},
	{"cost_ms", false},
	{"reuse", false},
	{"branch", false},
};

enum {
	MOST_STREAMS = 65536,
};

/* ------------------------------------------------------------ lists */

/* Reads a list of tensors; marks[] of each becomes the op plus 1. */
static bool read_tensors(struct build *b, const struct json_at *at, uint32_t op,
	uint32_t *marks, struct ids *ids)
{
	struct json_at item;
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n == 0)
		return true;
	for (item = mp_json_first(at); item.value; mp_json_next(&item)) {
		if (!mp_input_refs_find(b, &item, &b->list[item.index]))
			return false;
		assert(b->list[item.index] < b->n_listed);
		marks[b->list[item.index]] = op + 1;
	}
	return mp_lists_copy(ids, b->list, n, b->arena);
}

/* ------------------------------------------------------ temporaries */

static bool read_scratch(
	struct build *b, const struct json_at *at, struct tensor *tensor)
{
	static const struct json_key names[] = {
		{"size", true},
		{"align", false},
		{"pools", false},
	};
	struct json_at found[countof(names)] = {0};
	uint64_t align = 0;

	if (mp_json_is_number(at))
		return mp_json_integer(at, &tensor->size);
	if (!mp_json_pick(at, names, countof(names), found) ||
		!mp_json_integer(&found[0], &tensor->size) ||
		!mp_input_build_alignment(&found[1], &align))
		return false;
	tensor->align = (uint32_t)align;
	return mp_input_build_pool_list(b, &found[2], &tensor->pools);
}

/* "OP:INDEX", unless a tensor has that id: then with @2 or so behind it. */
static const char *name_temporary(struct build *b, uint32_t op, uint32_t index)
{
	const char *id = mp_arena_print(b->arena, "%u:%u", op, index);

	for (uint32_t i = 2; id && mp_names_find(&b->refs.texts, id) != NONE;
		i++)
		id = mp_arena_print(b->arena, "%u:%u@%u", op, index, i);
	return id;
}

static bool add_temporary(
	struct build *b, const struct json_at *at, uint32_t op)
{
	struct tensor *tensor = &b->graph->tensors[b->n_tensors];

	assert(b->n_tensors < b->graph->n_tensors);
	b->list[at->index] = b->n_tensors++;
	tensor->kind = KIND_TEMPORARY;
	tensor->producer = NONE;
	tensor->id = tensor->name = name_temporary(b, op, at->index);
	return tensor->id && read_scratch(b, at, tensor);
}

static bool read_temporaries(
	struct build *b, const struct json_at *at, uint32_t op, struct ids *ids)
{
	uint32_t n;

	if (b->is_plan)
		return read_tensors(b, at, op, b->writer, ids);
	if (!mp_json_list(at, &n))
		return false;
	if (n == 0)
		return true;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!add_temporary(b, &m, op))
			return false;
	return mp_lists_copy(ids, b->list, n, b->arena);
}

/* --------------------------------------------------------- in place */

static bool read_pair(struct build *b, const struct json_at *at, uint32_t op,
	struct inplace_pair *pair)
{
	struct json_at output, input;

	if (!mp_json_pair(at, "[output, input]", &output, &input) ||
		!mp_input_refs_find(b, &output, &pair->output) ||
		!mp_input_refs_find(b, &input, &pair->input))
		return false;
	if (b->writer[pair->output] != op + 1)
		return mp_json_fail(&output, "must be an output of this op");
	return b->reader[pair->input] == op + 1 ||
	       mp_json_fail(&input, "must be an input of this op");
}

static bool read_inplace(struct build *b, const struct json_at *at,
	uint32_t index, struct op *op)
{
	struct inplace_pair *pairs;

	if (!at->value)
		return true;
	pairs = mp_json_room(at, &op->n_inplace, sizeof(*pairs), b->arena);
	if (!pairs)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_pair(b, &m, index, &pairs[m.index]))
			return false;
	op->inplace = pairs;
	return true;
}

/* ------------------------------------------------------------ reuse */

static bool keep_throughout(
	struct build *b, const struct json_at *at, const struct ids *tensors)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		struct tensor *tensor = &b->graph->tensors[tensors->at[i]];

		if (tensor->pinned)
			return mp_json_fail(at,
				"tensor '%.60s' has a lifetime of its own",
				mp_graph_tensor_label(tensor));
		tensor->from_start = tensor->to_end = true;
	}
	return true;
}

/* "reuse": false: tensors that the op writes never share bytes with others. */
static bool read_reuse(
	struct build *b, const struct json_at *at, const struct op *op)
{
	bool reuse = true;

	return mp_json_bool(at, &reuse) &&
	       (reuse || (keep_throughout(b, at, &op->outputs) &&
				 keep_throughout(b, at, &op->temporaries)));
}

/* -------------------------------------------------------------- ops */

static bool read_rest(struct build *b, const struct json_at *found,
	uint32_t index, struct op *op)
{
	if (!mp_input_op_refs_list(b, &found[O_AFTER], &op->after) ||
		!read_inplace(b, &found[O_INPLACE], index, op))
		return false;
	b->has_op_branches |= found[O_BRANCH].value != NULL;
	if (b->is_plan)
		return mp_json_integer(&found[O_COST_US], &op->cost_us);
	return mp_json_micros(&found[O_COST_MS], &op->cost_us) &&
	       read_reuse(b, &found[O_REUSE], op);
}

static bool read_op(struct build *b, const struct json_at *at)
{
	uint32_t i = at->index;
	uint32_t first = b->is_plan ? O_COST_US : O_NAME;
	uint32_t end = b->is_plan ? O_COST_MS : N_KEYS;
	struct op *op = &b->graph->ops[i];
	struct json_at found[N_KEYS] = {0};

	op->name = "";
	return mp_json_pick(at, keys + first, end - first, found + first) &&
	       mp_json_copy(&found[O_NAME], &op->name, b->arena) &&
	       mp_json_copy(&found[O_TYPE], &op->type, b->arena) &&
	       mp_json_index(&found[O_STREAM], MOST_STREAMS - 1, &op->stream) &&
	       read_tensors(b, &found[O_INPUTS], i, b->reader, &op->inputs) &&
	       read_tensors(b, &found[O_OUTPUTS], i, b->writer, &op->outputs) &&
	       read_temporaries(
		       b, &found[O_TEMPORARIES], i, &op->temporaries) &&
	       read_rest(b, found, i, op);
}

bool mp_input_build_ops(struct build *b, const struct json_at *at)
{
	b->op_refs.at = *at;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_op(b, &m))
			return false;
	return true;
}
