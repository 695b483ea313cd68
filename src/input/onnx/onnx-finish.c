/*
 * From the ops and values of a model to struct graph. Values that no op reads
 * or writes are left out, inputs of the model are not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/onnx/inside.h"

/* ---------------------------------------------------------- outputs */

/* An output of the model that is an input, a constant or another output: an op
 * copies it. */
static bool copy_output(struct onnx_build *b, uint32_t from, const char *name)
{
	const struct onnx_value *source = b->values[from];
	const struct onnx_node node = {
		.name = mp_input_onnx_bytes(name), .type = "Identity"};
	struct onnx_op *op = mp_input_onnx_op_add(b,
		mp_arena_print(b->source.arena, "%s/output", name), "Identity");
	struct onnx_value *value;
	uint32_t index;

	if (!op || !mp_input_onnx_reads(b, &node, op, from))
		return false;
	value = mp_input_onnx_value(b, op->name, &index);
	if (!value ||
		!mp_input_onnx_set_shape(b, value, source->type,
			source->shape.at, source->shape.n, 0) ||
		!mp_input_onnx_writes(b, &node, op, index))
		return false;
	value->kind = KIND_OUTPUT;
	return true;
}

static bool mark_outputs(struct onnx_build *b, const struct onnx_scope *top)
{
	struct onnx_value *value;
	uint32_t index;

	for (uint32_t k = 0; k < top->graph->outputs.n; k++) {
		if (!mp_input_onnx_result(b, top, k, &index))
			return false;
		value = b->values[index];
		if (value->fault)
			return mp_fail(b->source.error, MEMPLAN_EINPUT,
				"%s: the output '%.80s' is %s: memplan plans "
				"tensors of numbers",
				b->source.file->name, value->name,
				value->fault);
		if (!value->made || value->kind == KIND_OUTPUT) {
			if (!copy_output(
				    b, index, top->graph->outputs.at[k].name))
				return false;
			continue;
		}
		value->kind = KIND_OUTPUT;
	}
	return true;
}

/* ---------------------------------------------------------- tensors */

/* Values that are tensors get their numbers, in the order in which they were
 * made. Returns the number of aliases. */
static uint32_t number_values(struct onnx_build *b)
{
	uint32_t n = 0, n_aliases = 0;

	for (uint32_t i = 0; i < b->n_values; i++) {
		struct onnx_value *value = b->values[i];

		if (value->tensor == NONE && (!value->is_input || value->fault))
			continue;
		value->tensor = n++;
		n_aliases += value->alias_of != NONE;
	}
	b->graph->n_tensors = n;
	return n_aliases;
}

static bool fill_tensors(struct onnx_build *b)
{
	struct tensor *tensors =
		NEW(b->source.arena, struct tensor, b->graph->n_tensors);

	if (!tensors)
		return false;
	b->graph->tensors = tensors;
	for (uint32_t i = 0; i < b->n_values; i++) {
		const struct onnx_value *value = b->values[i];
		struct tensor *tensor;

		if (value->tensor == NONE)
			continue;
		tensor = &tensors[value->tensor];
		tensor->id = mp_arena_u64(b->source.arena, value->tensor);
		if (!tensor->id)
			return false;
		tensor->id_is_number = true;
		tensor->name = value->name;
		tensor->size = value->bytes;
		tensor->kind = value->kind;
		tensor->external = value->kind == KIND_WEIGHT;
	}
	return true;
}

/* -------------------------------------------------------- relations */

/* What an alias is of is made before it. */
static bool fill_aliases(struct onnx_build *b, uint32_t n)
{
	struct tensor_alias *aliases =
		NEW(b->source.arena, struct tensor_alias, n);
	struct ties *ties = &b->graph->ties;

	if (!aliases)
		return false;
	ties->aliases = aliases;
	for (uint32_t i = 0; i < b->n_values && ties->n_aliases < n; i++) {
		const struct onnx_value *value = b->values[i];
		const struct tensor_alias *above;
		uint32_t of;

		if (value->tensor == NONE || value->alias_of == NONE)
			continue;
		of = b->values[value->alias_of]->tensor;
		assert(of < value->tensor);
		above = mp_graph_ties_alias(ties, of);
		aliases[ties->n_aliases++] =
			(struct tensor_alias){.tensor = value->tensor,
				.of = of,
				.offset = value->alias_offset,
				.root = above ? above->root : of,
				.base = value->alias_offset +
					(above ? above->base : 0)};
	}
	return true;
}

static bool fill_branches(struct onnx_build *b)
{
	struct tensor_branch *branches;
	struct ties *ties = &b->graph->ties;

	if (b->n_choices == 0)
		return true;
	branches =
		NEW(b->source.arena, struct tensor_branch, b->graph->n_tensors);
	if (!branches)
		return false;
	for (uint32_t i = 0; i < b->n_values; i++) {
		const struct onnx_value *value = b->values[i];

		if (value->tensor != NONE && value->made &&
			value->site.choice != NONE)
			branches[ties->n_branches++] =
				(struct tensor_branch){value->tensor,
					value->site.choice, value->site.branch};
	}
	mp_graph_ties_set_branches(ties, branches, b->sites, b->n_choices);
	return true;
}

/* -------------------------------------------------------------- ops */

/* The list itself, with tensors for values. */
static struct ids number_list(
	const struct onnx_build *b, const struct onnx_list *values)
{
	for (uint32_t i = 0; i < values->n; i++)
		values->at[i] = b->values[values->at[i]]->tensor;
	return (struct ids){values->at, values->n};
}

static void number_pairs(const struct onnx_build *b, struct op *op,
	const struct onnx_pairs *pairs)
{
	for (uint32_t i = 0; i < pairs->n; i++) {
		struct inplace_pair *pair = &pairs->at[i];

		pair->output = b->values[pair->output]->tensor;
		pair->input = b->values[pair->input]->tensor;
	}
	op->inplace = pairs->at;
	op->n_inplace = pairs->n;
}

static bool fill_ops(struct onnx_build *b)
{
	uint32_t *barriers = NEW(b->source.arena, uint32_t, b->n_ops), n = 0;

	b->graph->ops = NEW(b->source.arena, struct op, b->n_ops);
	if (!b->graph->ops || !barriers)
		return false;
	b->graph->n_ops = b->n_ops;
	for (uint32_t i = 0; i < b->n_ops; i++) {
		const struct onnx_op *from = b->ops[i];
		struct op *op = &b->graph->ops[i];

		op->name = from->name;
		op->type = from->type;
		if (from->barrier)
			barriers[n++] = i;
		op->inputs = number_list(b, &from->inputs);
		op->outputs = number_list(b, &from->outputs);
		number_pairs(b, op, &from->pairs);
	}
	b->graph->constraints.barriers = (struct ids){barriers, n};
	return true;
}

/* ------------------------------------------------------------ loops */

static void fill_loops(struct onnx_build *b)
{
	for (uint32_t i = 0; i < b->n_loops; i++)
		for (uint32_t k = 0; k < b->loops[i].n_carried; k++) {
			struct carried_pair *pair = &b->loops[i].carried[k];

			pair->in = b->values[pair->in]->tensor;
			pair->out = b->values[pair->out]->tensor;
		}
	b->graph->loops = b->loops;
	b->graph->n_loops = b->n_loops;
}

bool mp_input_onnx_finish(struct onnx_build *b, const struct onnx_scope *top)
{
	uint32_t n_aliases;

	if (!mark_outputs(b, top))
		return false;
	if (b->n_ops == 0)
		return mp_fail(b->source.error, MEMPLAN_EINPUT,
			"%s: no node of the graph '%.80s' is left that "
			"computes anything in a run",
			b->source.file->name, top->graph->name);
	n_aliases = number_values(b);
	fill_loops(b);
	return fill_tensors(b) && fill_aliases(b, n_aliases) &&
	       fill_branches(b) && fill_ops(b);
}
