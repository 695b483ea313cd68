/*
 * Subgraphs and tensors of a TFLite model: sizes, and what has its bytes in the
 * file. Once the ops are known: what each tensor is for.
 *
 * SPDX-License-Identifier: MIT
 */

#include "input/tflite/tflite.h"

/* ------------------------------------------------------------- size */

/* The product of the dimensions; no dimension is a scalar. */
static bool read_size(struct tflite *m, const struct flat_table *table,
	uint32_t bytes, uint64_t *size)
{
	struct flat_vector shape;

	*size = bytes;
	if (!mp_input_flat_vector(&m->flat, table, TENSOR_SHAPE, 4, &shape))
		return false;
	for (uint32_t i = 0; i < shape.n; i++) {
		uint32_t dim = mp_input_flat_u32(&m->flat, &shape, i);

		if (dim > INT32_MAX)
			return mp_input_flat_fail(&m->flat,
				mp_input_flat_place(&shape, i),
				"a dimension of %d", (int32_t)dim);
		if (!num_mul(*size, dim, size))
			return mp_input_flat_fail(&m->flat, shape.at,
				"a tensor of more than 2^62 bytes");
	}
	return true;
}

/* The file has a shape, but says that others are possible. */
static bool count_open(struct tflite *m, const struct flat_table *table)
{
	struct flat_vector shape;

	if (!mp_input_flat_vector(&m->flat, table, TENSOR_SIGNATURE, 4, &shape))
		return false;
	for (uint32_t i = 0; i < shape.n; i++)
		if (mp_input_flat_u32(&m->flat, &shape, i) == UINT32_MAX) {
			m->n_open++;
			return true;
		}
	return true;
}

static bool read_type(struct tflite *m, const struct flat_table *table,
	const char **name, uint32_t *bytes)
{
	uint64_t type = 0;

	return mp_input_flat_number(&m->flat, table, TENSOR_TYPE, 1, &type) &&
	       (mp_input_tflite_type((uint32_t)type, name, bytes) ||
		       mp_input_flat_fail(&m->flat, table->at,
			       "a tensor of type %u, which memplan does not "
			       "know",
			       (uint32_t)type));
}

/* ---------------------------------------------------------- tensors */

static bool find_storage(struct tflite *m, const struct flat_table *table,
	uint32_t bytes, struct tflite_tensor *tensor)
{
	uint64_t buffer = 0, variable = 0, external = 0;

	if (!mp_input_flat_number(&m->flat, table, TENSOR_BUFFER, 4, &buffer) ||
		!mp_input_flat_number(
			&m->flat, table, TENSOR_IS_VARIABLE, 1, &variable) ||
		!mp_input_flat_number(
			&m->flat, table, TENSOR_EXTERNAL, 4, &external))
		return false;
	if (buffer >= m->buffers.n)
		return mp_input_flat_fail(&m->flat, table->at,
			"a tensor has buffer %u of %u", (uint32_t)buffer,
			m->buffers.n);
	if (m->has_data[buffer] || external != 0)
		tensor->storage = TFL_CONSTANT;
	else if (bytes == 0)
		tensor->storage = TFL_UNSIZED;
	else if (variable != 0)
		tensor->storage = TFL_VARIABLE;
	return true;
}

static bool read_tensor(
	struct tflite *m, const struct flat_table *table, uint32_t i)
{
	struct tflite_tensor *tensor = &m->tensors[i];
	struct tensor *to = &m->graph->tensors[i];
	const char *type;
	uint32_t bytes;

	tensor->at = table->at;
	tensor->within = tensor->reader = NONE;
	to->id = mp_arena_u64(m->arena, i);
	to->id_is_number = true;
	return to->id && read_type(m, table, &type, &bytes) &&
	       mp_input_flat_text(
		       &m->flat, table, TENSOR_NAME, &to->name, m->arena) &&
	       read_size(m, table, bytes, &to->size) &&
	       find_storage(m, table, bytes, tensor) && count_open(m, table);
}

/* -------------------------------------------------------- subgraphs */

static bool read_subgraph(struct tflite *m, const struct flat_table *table,
	struct tflite_subgraph *subgraph)
{
	struct flat *flat = &m->flat;
	struct flat_vector tensors;

	if (!mp_input_flat_text(
		    flat, table, SUBGRAPH_NAME, &subgraph->name, m->arena) ||
		!mp_input_flat_vector(
			flat, table, SUBGRAPH_TENSORS, 4, &tensors) ||
		!mp_input_flat_vector(
			flat, table, SUBGRAPH_INPUTS, 4, &subgraph->inputs) ||
		!mp_input_flat_vector(
			flat, table, SUBGRAPH_OUTPUTS, 4, &subgraph->outputs) ||
		!mp_input_flat_vector(
			flat, table, SUBGRAPH_OPS, 4, &subgraph->ops))
		return false;
	subgraph->first = m->n_tensors;
	subgraph->n = tensors.n;
	subgraph->site.choice = NONE;
	if (tensors.n > TFLITE_MOST - m->n_tensors)
		return mp_input_flat_fail(
			flat, tensors.at, "more than %d tensors", TFLITE_MOST);
	m->n_tensors += tensors.n;
	return true;
}

static bool read_subgraphs(struct tflite *m, struct flat_vector *subgraphs)
{
	struct flat_table table;

	if (!mp_input_flat_vector(
		    &m->flat, &m->root, MODEL_SUBGRAPHS, 4, subgraphs))
		return false;
	if (subgraphs->n == 0)
		return mp_input_flat_fail(
			&m->flat, m->root.at, "the model has no subgraph");
	m->n_subgraphs = subgraphs->n;
	m->subgraphs = NEW(m->arena, struct tflite_subgraph, subgraphs->n);
	if (!m->subgraphs)
		return false;
	for (uint32_t i = 0; i < subgraphs->n; i++)
		if (!mp_input_flat_item(&m->flat, subgraphs, i, &table) ||
			!read_subgraph(m, &table, &m->subgraphs[i]))
			return false;
	return true;
}

static bool read_tensors_of(struct tflite *m, const struct flat_table *table,
	const struct tflite_subgraph *subgraph)
{
	struct flat_vector tensors;
	struct flat_table tensor;

	if (!mp_input_flat_vector(
		    &m->flat, table, SUBGRAPH_TENSORS, 4, &tensors))
		return false;
	for (uint32_t i = 0; i < subgraph->n; i++)
		if (!mp_input_flat_item(&m->flat, &tensors, i, &tensor) ||
			!read_tensor(m, &tensor, subgraph->first + i))
			return false;
	return true;
}

static bool mark_returned(struct tflite *m)
{
	uint32_t t;

	for (uint32_t s = 0; s < m->n_subgraphs; s++) {
		const struct tflite_subgraph *subgraph = &m->subgraphs[s];

		for (uint32_t i = 0; i < subgraph->outputs.n; i++) {
			if (!mp_input_tflite_tensor(
				    m, subgraph, &subgraph->outputs, i, &t))
				return false;
			if (t != NONE)
				m->tensors[t].returned = true;
		}
	}
	return true;
}

static void warn_of_open(struct tflite *m)
{
	if (m->n_open > 0)
		mp_warn(m->error,
			"%s: %u tensor%s a dimension that is open: planned for "
			"the shapes that the model has now",
			m->flat.file->name, m->n_open,
			m->n_open == 1 ? " has" : "s have");
}

bool mp_input_tflite_read_tensors(struct tflite *m)
{
	struct flat_vector subgraphs;
	struct flat_table table;

	if (!read_subgraphs(m, &subgraphs))
		return false;
	m->tensors = NEW(m->arena, struct tflite_tensor, m->n_tensors);
	m->graph->tensors = NEW(m->arena, struct tensor, m->n_tensors);
	if (!m->tensors || !m->graph->tensors)
		return false;
	for (uint32_t i = 0; i < m->n_subgraphs; i++)
		if (!mp_input_flat_item(&m->flat, &subgraphs, i, &table) ||
			!read_tensors_of(m, &table, &m->subgraphs[i]))
			return false;
	warn_of_open(m);
	return mark_returned(m);
}

/* ------------------------------------------------------------ kinds */

/* The caller writes the inputs of the first subgraph before all ops, and reads
 * the outputs after them. */
static bool set_caller(struct tflite *m)
{
	const struct tflite_subgraph *first = &m->subgraphs[0];
	uint32_t t;

	for (uint32_t i = 0; i < first->inputs.n; i++) {
		if (!mp_input_tflite_tensor(m, first, &first->inputs, i, &t))
			return false;
		if (t == NONE)
			continue;
		m->tensors[t].used = true;
		m->graph->tensors[t].kind = KIND_INPUT;
	}
	for (uint32_t i = 0; i < first->outputs.n; i++) {
		if (!mp_input_tflite_tensor(m, first, &first->outputs, i, &t))
			return false;
		if (t == NONE)
			continue;
		m->tensors[t].used = true;
		m->graph->tensors[t].to_end = true;
		if (m->graph->tensors[t].kind != KIND_INPUT)
			m->graph->tensors[t].kind = KIND_OUTPUT;
	}
	return true;
}

/* A tensor that is read and never written is there from the start. */
static void set_kind(struct tflite *m, uint32_t t)
{
	struct tensor *tensor = &m->graph->tensors[t];

	if (m->tensors[t].storage == TFL_CONSTANT)
		tensor->kind = KIND_WEIGHT;
	else if (m->tensors[t].storage == TFL_VARIABLE)
		tensor->kind = KIND_STATE;
	else if (!m->tensors[t].written && tensor->kind == KIND_ACTIVATION)
		tensor->kind = KIND_INPUT;
	if (tensor->kind == KIND_WEIGHT || tensor->kind == KIND_STATE)
		tensor->to_end = false;
	/* TFLM keeps variables beside what is planned. */
	tensor->external =
		tensor->kind == KIND_WEIGHT ||
		(tensor->kind == KIND_STATE && !m->input->variables_inside);
}

/* The used tensors become the graph's, in the same sequence. */
static bool number_tensors(struct tflite *m, uint32_t *number)
{
	struct graph *graph = m->graph;

	for (uint32_t t = 0; t < m->n_tensors; t++) {
		if (!m->tensors[t].used)
			continue;
		if (m->tensors[t].storage == TFL_UNSIZED)
			return mp_input_flat_fail(&m->flat, m->tensors[t].at,
				"tensor '%.80s' is of a type without a fixed "
				"size",
				mp_graph_tensor_label(&graph->tensors[t]));
		set_kind(m, t);
		number[t] = graph->n_tensors;
		graph->tensors[graph->n_tensors++] = graph->tensors[t];
	}
	return true;
}

bool mp_input_tflite_settle(struct tflite *m)
{
	uint32_t *number = NEW(m->arena, uint32_t, m->n_tensors);

	return number && set_caller(m) && number_tensors(m, number) &&
	       mp_input_tflite_link(m, number) &&
	       mp_input_tflite_link_flow(m, number) &&
	       mp_input_tflite_alias(m, number);
}
