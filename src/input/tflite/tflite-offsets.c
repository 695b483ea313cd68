/*
 * The plan that a TFLite model may have in it, and what is needed to write one
 * into it. The plan is a metadata buffer of 32-bit numbers: a version and a
 * number of subgraphs, which TFLM ignores, the number of tensors of all
 * subgraphs, and an offset for each, -1 for none.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/sink-text.h"
#include "input/tflite/tflite.h"

enum {
	HEAD = 3,	 /* numbers in front of the offsets */
	TFLM_ALIGN = 16, /* of what TFLM places itself */
};

/* --------------------------------------------------------- metadata */

static bool read_buffer(
	struct tflite *m, const struct flat_table *table, uint64_t buffer)
{
	struct flat_table data;

	if (buffer >= m->buffers.n)
		return mp_input_flat_fail(&m->flat, table->at,
			TFLITE_OFFSETS " has buffer %llu of %u",
			(unsigned long long)buffer, m->buffers.n);
	if (m->offsets.n > 0)
		return mp_input_flat_fail(&m->flat, table->at,
			"the model has " TFLITE_OFFSETS " twice");
	if (!mp_input_flat_item(
		    &m->flat, &m->buffers, (uint32_t)buffer, &data) ||
		!mp_input_flat_vector(
			&m->flat, &data, BUFFER_DATA, 1, &m->offsets))
		return false;
	m->offsets.n /= 4;
	return m->offsets.n >= HEAD ||
	       mp_input_flat_fail(&m->flat, data.at,
		       TFLITE_OFFSETS " has %u numbers, and needs %u",
		       m->offsets.n, HEAD);
}

static bool is_plan(const struct flat *flat, const struct flat_vector *name)
{
	return name->n == strlen(TFLITE_OFFSETS) &&
	       memcmp(flat->file->bytes + name->at, TFLITE_OFFSETS, name->n) ==
		       0;
}

static bool read_metadata(struct tflite *m)
{
	struct ids *kept = &m->file->metadata;
	struct flat_vector metadata, name;
	struct flat_table table;
	uint32_t *at;

	if (!mp_input_flat_vector(
		    &m->flat, &m->root, MODEL_METADATA, 4, &metadata))
		return false;
	at = NEW(m->arena, uint32_t, metadata.n);
	if (!at)
		return false;
	kept->at = at;
	for (uint32_t i = 0; i < metadata.n; i++) {
		uint64_t buffer = 0;

		if (!mp_input_flat_item(&m->flat, &metadata, i, &table) ||
			!mp_input_flat_vector(
				&m->flat, &table, METADATA_NAME, 1, &name) ||
			!mp_input_flat_number(
				&m->flat, &table, METADATA_BUFFER, 4, &buffer))
			return false;
		if (!is_plan(&m->flat, &name))
			at[kept->n++] = table.at;
		else if (!read_buffer(m, &table, buffer))
			return false;
	}
	return true;
}

/* --------------------------------------------------------- the file */

/* Files of more than 2 GiB have their weights behind the FlatBuffer. */
static bool read_buffers(struct tflite *m)
{
	struct flat_vector data;
	struct flat_table table;
	uint32_t *at;
	uint64_t outside;

	if (!mp_input_flat_vector(
		    &m->flat, &m->root, MODEL_BUFFERS, 4, &m->buffers))
		return false;
	at = NEW(m->arena, uint32_t, m->buffers.n);
	m->has_data = NEW(m->arena, bool, m->buffers.n);
	if (!at || !m->has_data)
		return false;
	m->file->buffers = (struct ids){at, m->buffers.n};
	for (uint32_t i = 0; i < m->buffers.n; i++) {
		outside = 0;
		if (!mp_input_flat_item(&m->flat, &m->buffers, i, &table) ||
			!mp_input_flat_vector(
				&m->flat, &table, BUFFER_DATA, 1, &data) ||
			!mp_input_flat_number(
				&m->flat, &table, BUFFER_AT, 8, &outside))
			return false;
		at[i] = table.at;
		m->has_data[i] = data.n > 0 || outside > 1;
		if (outside > 1)
			m->file->refusal = "its weights lie at fixed places "
					   "in the file";
	}
	return true;
}

static bool read_fields(struct tflite *m)
{
	struct tflite_file *file = m->file;
	struct flat_vector description;
	uint64_t version = 0;

	if (!mp_input_flat_number(
		    &m->flat, &m->root, MODEL_VERSION, 4, &version))
		return false;
	if (version != 3)
		return mp_input_flat_fail(&m->flat, m->root.at,
			"a model of version %u: memplan reads version 3",
			(uint32_t)version);
	file->version = (uint32_t)version;
	for (uint32_t i = MODEL_VERSION + 1; i < N_MODEL; i++)
		if (!mp_input_flat_target(
			    &m->flat, &m->root, i, &file->field[i]))
			return false;
	if (mp_input_flat_fields(&m->flat, &m->root) > N_MODEL)
		file->refusal = "it has parts that memplan does not know";
	return mp_input_flat_vector(
		&m->flat, &m->root, MODEL_DESCRIPTION, 1, &description);
}

bool mp_input_tflite_read_file(struct tflite *m)
{
	m->file = NEW(m->arena, struct tflite_file, 1);
	if (!m->file)
		return false;
	m->file->bytes = m->flat.file->bytes;
	m->file->length = m->flat.file->length;
	return read_fields(m) && read_buffers(m) && read_metadata(m);
}

/* Options of an op that lie behind the FlatBuffer. */
static bool check_options(
	struct tflite *m, const struct tflite_subgraph *subgraph)
{
	struct flat_table table;
	uint64_t outside;

	for (uint32_t i = 0; i < subgraph->ops.n; i++) {
		outside = 0;
		if (!mp_input_flat_item(&m->flat, &subgraph->ops, i, &table) ||
			!mp_input_flat_number(&m->flat, &table,
				OP_LARGE_CUSTOM_AT, 8, &outside))
			return false;
		if (outside > 1)
			m->file->refusal = "options of its ops lie at fixed "
					   "places in the file";
	}
	return true;
}

/* ---------------------------------------------------------- offsets */

static uint32_t entry(const struct tflite *m, uint32_t tensor)
{
	return mp_input_flat_u32(&m->flat, &m->offsets, HEAD + tensor);
}

static bool check_length(const struct tflite *m)
{
	uint32_t n = mp_input_flat_u32(&m->flat, &m->offsets, 2);

	if (n != m->n_tensors)
		return mp_input_flat_fail(&m->flat,
			mp_input_flat_place(&m->offsets, 2),
			TFLITE_OFFSETS " is of %u tensor%s, and the model has "
				       "%u",
			n, mp_text_plural(n), m->n_tensors);
	return n <= m->offsets.n - HEAD ||
	       mp_input_flat_fail(&m->flat, m->offsets.at,
		       TFLITE_OFFSETS " ends before its offsets");
}

static bool take_offset(struct tflite *m, uint32_t t, uint32_t *n_odd)
{
	struct tensor *tensor = &m->graph->tensors[t];
	uint32_t offset = entry(m, t);

	if (offset == UINT32_MAX)
		return true;
	if (offset > INT32_MAX)
		return mp_input_flat_fail(&m->flat,
			mp_input_flat_place(&m->offsets, HEAD + t),
			"an offset of %d", (int32_t)offset);
	*n_odd += offset % TFLM_ALIGN != 0;
	tensor->placed =
		m->tensors[t].storage != TFL_CONSTANT && tensor->size > 0;
	tensor->offset = tensor->placed ? offset : 0;
	return true;
}

/* TFLM looks for the offset of variable i of a later subgraph at entry i of the
 * whole table. If that has an offset, and the variable's own entry has none,
 * the variable gets no memory at all. */
static bool find_vacant(struct tflite *m)
{
	bool *vacant = NEW(m->arena, bool, m->n_tensors);
	uint32_t *list = NEW(m->arena, uint32_t, m->n_tensors);
	uint32_t n = 0;

	if (!vacant || !list)
		return false;
	for (uint32_t s = 1; s < m->n_subgraphs; s++)
		for (uint32_t i = 0; i < m->subgraphs[s].n; i++)
			if (m->tensors[m->subgraphs[s].first + i].storage ==
				TFL_VARIABLE)
				vacant[i] = true;
	for (uint32_t t = 0; t < m->n_tensors; t++)
		if (vacant[t])
			list[n++] = t;
	m->file->vacant = (struct ids){list, n};
	return true;
}

static void warn_of_lost(struct tflite *m)
{
	for (uint32_t s = 1; s < m->n_subgraphs; s++)
		for (uint32_t i = 0; i < m->subgraphs[s].n; i++) {
			uint32_t t = m->subgraphs[s].first + i;

			if (m->tensors[t].storage == TFL_VARIABLE &&
				entry(m, t) == UINT32_MAX &&
				entry(m, i) != UINT32_MAX)
				mp_warn(m->error,
					"%s: TFLM gives variable '%.80s' no "
					"memory with these offsets: it takes "
					"entry %u for its own, which is not -1",
					m->flat.file->name,
					mp_graph_tensor_label(
						&m->graph->tensors[t]),
					i);
		}
}

static bool take_all(struct tflite *m)
{
	uint32_t n_odd = 0;

	if (!check_length(m))
		return false;
	for (uint32_t t = 0; t < m->n_tensors; t++)
		if (!take_offset(m, t, &n_odd))
			return false;
	warn_of_lost(m);
	mp_input_tflite_find_within(m);
	if (n_odd > 0)
		mp_warn(m->error,
			"%s: %u offset%s no multiple of %u, which TFLM's "
			"kernels may need",
			m->flat.file->name, n_odd, n_odd == 1 ? " is" : "s are",
			TFLM_ALIGN);
	return true;
}

bool mp_input_tflite_take_offsets(struct tflite *m)
{
	m->file->n_subgraphs = m->n_subgraphs;
	m->file->n_tensors = m->n_tensors;
	for (uint32_t i = 0; i < m->n_subgraphs; i++)
		if (!check_options(m, &m->subgraphs[i]))
			return false;
	return find_vacant(m) && (m->offsets.n == 0 || take_all(m));
}
