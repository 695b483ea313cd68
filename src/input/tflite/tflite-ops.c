/*
 * Ops of a TFLite model: which tensors each reads and writes, and which must
 * run in sequence.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/tflite/tflite.h"

/* -------------------------------------------------------------- ops */

bool mp_input_tflite_add_op(
	struct tflite *m, const char *name, const char *type)
{
	struct graph *graph = m->graph;
	struct op *ops = mp_arena_grow(
		m->arena, graph->ops, graph->n_ops, &m->room_ops, sizeof(*ops));

	if (!ops || !name)
		return false;
	graph->ops = ops;
	ops[graph->n_ops++] = (struct op){.name = name, .type = type};
	return true;
}

/* ------------------------------------------------------------- uses */

bool mp_input_tflite_tensor(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list,
	uint32_t i, uint32_t *tensor)
{
	uint32_t index = mp_input_flat_u32(&m->flat, list, i);

	*tensor = NONE;
	if (index == UINT32_MAX)
		return true;
	if (index >= subgraph->n)
		return mp_input_flat_fail(&m->flat,
			mp_input_flat_place(list, i),
			"there is no tensor %d among %u", (int32_t)index,
			subgraph->n);
	*tensor = subgraph->first + index;
	return true;
}

static bool add_use(struct tflite *m, uint32_t tensor, bool writes)
{
	struct tflite_use *uses = mp_arena_grow(
		m->arena, m->uses, m->n_uses, &m->room_uses, sizeof(*uses));

	assert(tensor < m->n_tensors && m->graph->n_ops > 0);
	if (!uses)
		return false;
	m->uses = uses;
	uses[m->n_uses++] =
		(struct tflite_use){m->graph->n_ops - 1, tensor, writes};
	m->tensors[tensor].used = true;
	return true;
}

bool mp_input_tflite_reads(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list)
{
	uint32_t t, op = m->graph->n_ops - 1;

	for (uint32_t i = 0; i < list->n; i++) {
		if (!mp_input_tflite_tensor(m, subgraph, list, i, &t))
			return false;
		if (t == NONE || m->tensors[t].reader == op)
			continue;
		m->tensors[t].reader = op;
		if (!add_use(m, t, false))
			return false;
	}
	return true;
}

/* The model lists the ops as they run, so nothing is read before it is written;
 * but what the caller or the run before has written may be read first. */
static bool check_write(struct tflite *m, uint32_t t, uint32_t at)
{
	const char *name = mp_graph_tensor_label(&m->graph->tensors[t]);

	if (m->tensors[t].storage == TFL_CONSTANT)
		return mp_input_flat_fail(&m->flat, at,
			"tensor '%.80s' is written, but it is a constant",
			name);
	if (m->tensors[t].written)
		return mp_input_flat_fail(
			&m->flat, at, "tensor '%.80s' is written twice", name);
	if (m->tensors[t].used)
		return mp_input_flat_fail(&m->flat, at,
			"tensor '%.80s' is read before it is written", name);
	return true;
}

/* An op changes a variable, which is there before: no op is its producer. */
bool mp_input_tflite_writes(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list)
{
	uint32_t t;
	bool writes;

	for (uint32_t i = 0; i < list->n; i++) {
		if (!mp_input_tflite_tensor(m, subgraph, list, i, &t))
			return false;
		if (t == NONE)
			continue;
		writes = m->tensors[t].storage != TFL_VARIABLE;
		if ((writes &&
			    !check_write(m, t, mp_input_flat_place(list, i))) ||
			!add_use(m, t, writes))
			return false;
		m->tensors[t].written = true;
	}
	return true;
}

/* ---------------------------------------------------------- folding */

/* TFLM runs ops on constants each time; others run them once and keep what they
 * give. Offsets in a model are for TFLM. */
static bool may_fold(const struct tflite *m)
{
	const struct input *input = m->input;

	return !input->keeps_constants && m->offsets.n == 0 &&
	       !(input->target && strcmp(input->target->name, "tflm") == 0);
}

static bool are_constant(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list,
	bool *all)
{
	uint32_t t;

	*all = list->n > 0;
	for (uint32_t i = 0; i < list->n; i++) {
		if (!mp_input_tflite_tensor(m, subgraph, list, i, &t))
			return false;
		*all &= t != NONE && m->tensors[t].storage == TFL_CONSTANT;
	}
	return true;
}

/* A tensor that only this op makes and that stays in the subgraph. */
static bool is_own(const struct tflite_tensor *tensor)
{
	return tensor->storage == TFL_ARENA && !tensor->used &&
	       !tensor->written && !tensor->returned;
}

static bool make_constant(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_vector *list,
	bool *folded)
{
	uint32_t t = NONE;

	*folded = false;
	if (list->n != 1)
		return true;
	if (!mp_input_tflite_tensor(m, subgraph, list, 0, &t))
		return false;
	if (t == NONE || !is_own(&m->tensors[t]))
		return true;
	m->tensors[t].storage = TFL_CONSTANT;
	m->file->n_folded++;
	*folded = true;
	return true;
}

bool mp_input_tflite_fold(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_table *table,
	const struct tflite_code *code, bool *folded)
{
	struct flat_vector inputs, outputs;

	*folded = false;
	if ((code->code != TFL_DEQUANTIZE && code->code != TFL_DENSIFY) ||
		!may_fold(m))
		return true;
	if (!mp_input_flat_vector(&m->flat, table, OP_INPUTS, 4, &inputs) ||
		!mp_input_flat_vector(
			&m->flat, table, OP_OUTPUTS, 4, &outputs) ||
		!are_constant(m, subgraph, &inputs, folded))
		return false;
	return !*folded || make_constant(m, subgraph, &outputs, folded);
}

/* -------------------------------------------------------- plain ops */

/* The kernels of TFLM that copy nothing where output and input are at one
 * place. All others read and write as they like. */
static bool may_share(uint32_t code)
{
	return code == TFL_RESHAPE || code == TFL_DYNAMIC_UPDATE_SLICE;
}

static bool add_pair(struct tflite *m, const struct tflite_subgraph *subgraph,
	const struct flat_vector *inputs, const struct flat_vector *outputs)
{
	struct tflite_pair *pairs;
	uint32_t input, output;

	if (inputs->n == 0 || outputs->n == 0)
		return true;
	if (!mp_input_tflite_tensor(m, subgraph, inputs, 0, &input) ||
		!mp_input_tflite_tensor(m, subgraph, outputs, 0, &output))
		return false;
	if (input == NONE || output == NONE ||
		m->tensors[input].storage != TFL_ARENA ||
		m->tensors[output].storage != TFL_ARENA)
		return true;
	pairs = mp_arena_grow(
		m->arena, m->pairs, m->n_pairs, &m->room_pairs, sizeof(*pairs));
	if (!pairs)
		return false;
	m->pairs = pairs;
	pairs[m->n_pairs++] = (struct tflite_pair){
		m->graph->n_ops - 1, {.output = output, .input = input}};
	return true;
}

/* Ops that read and change resources run as they are listed. */
static bool follow_resource(struct tflite *m, uint32_t code)
{
	uint32_t op = m->graph->n_ops - 1, before = m->last_resource;

	if (code != TFL_READ_VARIABLE && code != TFL_ASSIGN_VARIABLE)
		return true;
	m->last_resource = op;
	return before == NONE ||
	       mp_lists_copy(&m->graph->ops[op].after, &before, 1, m->arena);
}

bool mp_input_tflite_add_plain(struct tflite *m,
	const struct tflite_subgraph *subgraph, const struct flat_table *table,
	const struct tflite_code *code, const char *name)
{
	struct flat_vector inputs, outputs;

	return mp_input_flat_vector(&m->flat, table, OP_INPUTS, 4, &inputs) &&
	       mp_input_flat_vector(&m->flat, table, OP_OUTPUTS, 4, &outputs) &&
	       mp_input_tflite_add_op(m, name, code->name) &&
	       mp_input_tflite_reads(m, subgraph, &inputs) &&
	       mp_input_tflite_writes(m, subgraph, &outputs) &&
	       follow_resource(m, code->code) &&
	       mp_input_tflite_note_npu(m, subgraph, code, &inputs) &&
	       (!may_share(code->code) ||
		       add_pair(m, subgraph, &inputs, &outputs));
}

/* ------------------------------------------------------------- link */

/* The uses of one direction as a list for each op. */
static bool list_uses(struct tflite *m, const uint32_t *number, bool writes,
	struct lists *lists)
{
	if (!mp_lists_init(lists, m->graph->n_ops, m->arena))
		return false;
	for (uint32_t i = 0; i < m->n_uses; i++)
		if (m->uses[i].writes == writes)
			mp_lists_count(lists, m->uses[i].op, 1);
	if (!mp_lists_ready(lists, m->graph->n_ops, m->arena))
		return false;
	for (uint32_t i = 0; i < m->n_uses; i++)
		if (m->uses[i].writes == writes)
			mp_lists_add(lists, m->uses[i].op,
				number[m->uses[i].tensor]);
	return true;
}

/* Ops that use one variable run as they are listed: each may change it. */
static bool keep_sequences(struct tflite *m)
{
	struct constraints *constraints = &m->graph->constraints;
	struct lists ops;
	struct ids *keep = NEW(m->arena, struct ids, m->n_tensors);

	if (!keep || !mp_lists_init(&ops, m->n_tensors, m->arena))
		return false;
	for (uint32_t i = 0; i < m->n_uses; i++)
		mp_lists_count(&ops, m->uses[i].tensor, 1);
	if (!mp_lists_ready(&ops, m->n_tensors, m->arena))
		return false;
	for (uint32_t i = 0; i < m->n_uses; i++)
		mp_lists_add(&ops, m->uses[i].tensor, m->uses[i].op);
	for (uint32_t t = 0; t < m->n_tensors; t++)
		if (m->tensors[t].storage == TFL_VARIABLE)
			keep[constraints->n_keep++] = mp_lists_unique(&ops, t);
	constraints->keep = keep;
	return true;
}

static bool link_pairs(struct tflite *m, const uint32_t *number)
{
	struct inplace_pair *pairs =
		NEW(m->arena, struct inplace_pair, m->n_pairs);

	for (uint32_t i = 0; pairs && i < m->n_pairs; i++) {
		const struct tflite_pair *pair = &m->pairs[i];

		pairs[i] = (struct inplace_pair){number[pair->tensors.output],
			number[pair->tensors.input]};
		m->graph->ops[pair->op].inplace = &pairs[i];
		m->graph->ops[pair->op].n_inplace = 1;
	}
	return pairs != NULL;
}

bool mp_input_tflite_link(struct tflite *m, const uint32_t *number)
{
	struct graph *graph = m->graph;
	struct lists inputs, outputs;

	if (!list_uses(m, number, false, &inputs) ||
		!list_uses(m, number, true, &outputs))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		graph->ops[i].inputs = mp_lists_at(&inputs, i);
		graph->ops[i].outputs = mp_lists_at(&outputs, i);
	}
	graph->constraints.barriers = (struct ids){m->barriers, m->n_barriers};
	return link_pairs(m, number) && keep_sequences(m);
}
