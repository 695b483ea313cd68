/*
 * Messages of an ONNX file as structs, one level at a time: a graph in an
 * attribute stays bytes until its op is walked, and so do the numbers of
 * tensors. Field numbers are those of onnx.proto, IR version 13. What memplan
 * has no use for is skipped.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "input/onnx/inside.h"

/* A message that is being read: its fields one after the other. */
struct reading {
	const struct onnx_source *source;
	struct proto at;
	struct proto_field field;
};

static struct reading begin(
	const struct onnx_source *source, struct proto_bytes message)
{
	return (struct reading){.source = source,
		.at = mp_input_proto_message(
			source->file, source->error, message)};
}

static bool next(struct reading *r)
{
	return mp_input_proto_next(&r->at, &r->field);
}

/* True unless the walk ended with an error. */
static bool ended(const struct reading *r)
{
	return !r->at.failed;
}

static bool fail(struct reading *r, const char *sentence)
{
	return mp_input_proto_fail(&r->at, r->field.place, "%s", sentence);
}

static bool take_number(struct reading *r, uint64_t *value)
{
	*value = r->field.value;
	return mp_input_proto_expect(&r->at, &r->field, PROTO_VARINT);
}

static bool take_small(struct reading *r, uint32_t *value)
{
	uint64_t number;

	if (!take_number(r, &number))
		return false;
	/* No type and no version is so large; all of them mean the same. */
	*value = (uint32_t)num_min(number, NONE - 1);
	return true;
}

static bool take_bytes(struct reading *r, struct proto_bytes *bytes)
{
	*bytes = r->field.bytes;
	return mp_input_proto_expect(&r->at, &r->field, PROTO_BYTES);
}

/* A message that may stand there once. */
static bool take_message(struct reading *r, struct proto_bytes *message)
{
	if (message->at)
		return fail(r, "a message stands there twice");
	return take_bytes(r, message);
}

static bool is_printable(struct proto_bytes text)
{
	const char *at = (const char *)text.at;
	size_t done = utf8_plain(at, text.n);

	for (size_t n; done < text.n; done += n) {
		n = utf8_length(at + done, text.n - done);
		if (n == 0 || (n == 1 && (unsigned char)at[done] < 0x20))
			return false;
	}
	return true;
}

static bool take_text(struct reading *r, const char **text)
{
	struct proto_bytes bytes;

	if (!take_bytes(r, &bytes))
		return false;
	if (bytes.n > ONNX_TEXT)
		return mp_input_proto_fail(&r->at, r->field.place,
			"a name of %zu bytes: at most %d are read", bytes.n,
			ONNX_TEXT);
	if (!is_printable(bytes))
		return fail(r, "a name holds a control character or is no "
			       "UTF-8");
	*text = mp_arena_text(
		r->source->arena, (const char *)bytes.at, bytes.n);
	return *text != NULL;
}

/* How often each of the first 32 fields stands in a message. */
static bool count_fields(const struct onnx_source *source,
	struct proto_bytes message, uint32_t counts[32])
{
	struct reading r = begin(source, message);

	memset(counts, 0, 32 * sizeof(*counts));
	while (next(&r)) {
		if (r.field.number >= 32)
			continue;
		if (counts[r.field.number] == NONE / 4)
			return fail(&r, "a list is too long");
		counts[r.field.number]++;
	}
	return ended(&r);
}

/* ------------------------------------------------------- attributes */

static bool read_attribute(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_attribute *a)
{
	struct reading r = begin(source, message);
	bool fine = true;
	uint64_t number;

	*a = (struct onnx_attribute){.name = "", .message = message};
	while (fine && next(&r))
		switch (r.field.number) {
		case 1:
			fine = take_text(&r, &a->name);
			break;
		case 2:
			fine = mp_input_proto_expect(&r.at, &r.field, PROTO_32);
			a->f = mp_input_proto_float(r.field.value);
			break;
		case 3:
			fine = take_number(&r, &number);
			a->i = (int64_t)number;
			break;
		case 4:
			fine = take_bytes(&r, &a->s);
			break;
		case 5:
			fine = take_message(&r, &a->t);
			break;
		case 6:
			fine = take_message(&r, &a->g);
			break;
		case 20:
			fine = take_small(&r, &a->type);
			break;
		case 21:
			fine = take_text(&r, &a->ref);
			break;
		default:
			break;
		}
	return fine && ended(&r);
}

/* ------------------------------------------------------------ nodes */

static bool make_texts(
	struct onnx_texts *texts, uint32_t n, struct arena *arena)
{
	texts->at = NEW(arena, const char *, n);
	texts->n = 0;
	return texts->at != NULL;
}

static bool begin_node(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_node *node)
{
	uint32_t counts[32];

	if (!count_fields(source, message, counts))
		return false;
	if (counts[5] > ONNX_ATTRIBUTES) {
		struct reading r = begin(source, message);

		return mp_input_proto_fail(&r.at, node->place,
			"a node has %u attributes: at most %d are read",
			counts[5], ONNX_ATTRIBUTES);
	}
	node->name = node->type = node->domain = node->overload = "";
	node->attributes = NEW(source->arena, struct onnx_attribute, counts[5]);
	return node->attributes &&
	       make_texts(&node->inputs, counts[1], source->arena) &&
	       make_texts(&node->outputs, counts[2], source->arena);
}

static bool read_node_field(struct reading *r, struct onnx_node *node)
{
	struct proto_bytes message;

	switch (r->field.number) {
	case 1:
		assert(node->inputs.at); /* all fields were counted */
		return take_text(r, &node->inputs.at[node->inputs.n++]);
	case 2:
		assert(node->outputs.at);
		return take_text(r, &node->outputs.at[node->outputs.n++]);
	case 3:
		return take_text(r, &node->name);
	case 4:
		return take_text(r, &node->type);
	case 5:
		assert(node->attributes);
		return take_bytes(r, &message) &&
		       read_attribute(r->source, message,
			       &node->attributes[node->n_attributes++]);
	case 7:
		return take_text(r, &node->domain);
	case 8:
		return take_text(r, &node->overload);
	default:
		return true;
	}
}

static bool read_node(const struct onnx_source *source,
	struct proto_bytes message, size_t place, struct onnx_node *node)
{
	struct reading r = begin(source, message);

	*node = (struct onnx_node){.place = place};
	if (!begin_node(source, message, node))
		return false;
	while (next(&r))
		if (!read_node_field(&r, node))
			return false;
	assert(node->domain);
	if (strcmp(node->domain, "ai.onnx") == 0)
		node->domain = "";
	for (uint32_t i = 0; i < node->outputs.n && *node->name == '\0'; i++)
		node->name = node->outputs.at[i];
	return ended(&r);
}

/* ---------------------------------------------------------- tensors */

static bool read_entry(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor)
{
	struct reading r = begin(source, message);
	const unsigned char *none = (const unsigned char *)"";
	struct proto_bytes key = {none, 0}, value = {none, 0};

	while (next(&r))
		if ((r.field.number == 1 && !take_bytes(&r, &key)) ||
			(r.field.number == 2 && !take_bytes(&r, &value)))
			return false;
	if (!ended(&r) || !mp_input_proto_is(key, "location"))
		return ended(&r);
	tensor->location = mp_arena_text(source->arena, (const char *)value.at,
		(size_t)num_min(value.n, 200));
	return tensor->location != NULL;
}

static bool read_dims(
	struct reading *r, uint64_t *dims, uint32_t *n_dims, uint32_t room)
{
	struct proto numbers = mp_input_proto_numbers(&r->at, &r->field);
	uint64_t dim;

	if (r->field.wire != PROTO_BYTES && r->field.wire != PROTO_VARINT)
		return mp_input_proto_expect(&r->at, &r->field, PROTO_VARINT);
	while (mp_input_proto_number(&numbers, PROTO_VARINT, &dim)) {
		if (dim > ONNX_DIM)
			return mp_input_proto_fail(&r->at, r->field.place,
				"a tensor has a dimension of %lld",
				(long long)dim);
		if (*n_dims == room)
			return mp_input_proto_fail(&r->at, r->field.place,
				"a tensor has more than %u dimensions", room);
		dims[(*n_dims)++] = dim;
	}
	return !numbers.failed;
}

static bool read_tensor_field(
	struct reading *r, struct onnx_tensor *t, uint64_t *dims)
{
	struct proto_bytes message;

	switch (r->field.number) {
	case 1:
		return read_dims(r, dims, &t->n_dims, ONNX_RANK);
	case 2:
		return take_small(r, &t->type);
	case 3:
		return fail(r, "a tensor in segments, which nothing writes");
	case 8:
		return take_text(r, &t->name);
	case 13:
		return take_bytes(r, &message) &&
		       read_entry(r->source, message, t);
	case 14:
		if (r->field.value == 1 && !t->location)
			t->location = "?";
		return mp_input_proto_expect(&r->at, &r->field, PROTO_VARINT);
	default:
		return true;
	}
}

bool mp_input_onnx_parse_tensor(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor)
{
	struct reading r = begin(source, message);
	uint64_t dims[ONNX_RANK];

	*tensor = (struct onnx_tensor){.name = "",
		.message = message,
		.place = mp_input_proto_place(&r.at, message.at)};
	while (next(&r))
		if (!read_tensor_field(&r, tensor, dims))
			return false;
	if (!ended(&r))
		return false;
	tensor->dims = mp_arena_copy(
		source->arena, dims, tensor->n_dims, sizeof(*dims));
	return tensor->dims != NULL;
}

/* The bytes of a tensor; false: too many, or none. */
static bool tensor_bytes(const struct onnx_tensor *tensor, uint64_t *bytes)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < tensor->n_dims; i++)
		if (!num_mul(n, tensor->dims[i], &n))
			return false;
	return num_mul(n, mp_input_onnx_bits(tensor->type), bytes);
}

/* A sparse tensor is a weight of the bytes of its values and indices. */
static bool read_sparse(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor)
{
	struct reading r = begin(source, message);
	struct onnx_tensor indices = {0}, values = {.name = ""};
	struct proto_bytes part;
	uint64_t dims[ONNX_RANK], bits = 0;
	uint32_t n_dims = 0;

	while (next(&r)) {
		if ((r.field.number == 1 || r.field.number == 2) &&
			(!take_bytes(&r, &part) ||
				!mp_input_onnx_parse_tensor(source, part,
					r.field.number == 1 ? &values
							    : &indices)))
			return false;
		if (r.field.number == 3 &&
			!read_dims(&r, dims, &n_dims, ONNX_RANK))
			return false;
	}
	if (!ended(&r))
		return false;
	*tensor = values;
	tensor->sparse = true;
	tensor->place = mp_input_proto_place(&r.at, message.at);
	if (!tensor_bytes(&indices, &bits))
		return fail(&r, "the indices of a sparse tensor are too many");
	tensor->sparse_bytes = bits / 8;
	if (!tensor_bytes(&values, &bits))
		return fail(&r, "the values of a sparse tensor are too many");
	tensor->sparse_bytes += bits / 8;
	tensor->n_dims = n_dims;
	tensor->dims =
		mp_arena_copy(source->arena, dims, n_dims, sizeof(*dims));
	return tensor->dims != NULL;
}

/* ----------------------------------------------------- declarations */

/* A dimension of -1 is what some exporters write for an unknown one. */
static bool read_dim(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_dim *dim)
{
	struct reading r = begin(source, message);

	*dim = (struct onnx_dim){0};
	while (next(&r)) {
		if (r.field.number == 1) {
			if (!take_number(&r, &dim->value))
				return false;
			dim->known = dim->value != UINT64_MAX;
			if (dim->known && dim->value > ONNX_DIM)
				return mp_input_proto_fail(&r.at, r.field.place,
					"a dimension of %lld",
					(long long)dim->value);
		}
		if (r.field.number == 2 && !take_text(&r, &dim->name))
			return false;
	}
	if (dim->name && *dim->name == '\0')
		dim->name = NULL;
	return ended(&r);
}

static bool read_shape(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_declared *declared)
{
	struct reading r = begin(source, message);
	uint32_t counts[32];
	struct proto_bytes dim;

	if (!count_fields(source, message, counts))
		return false;
	if (counts[1] > ONNX_RANK)
		return mp_input_proto_fail(&r.at,
			mp_input_proto_place(&r.at, message.at),
			"a shape has %u dimensions: at most %d are read",
			counts[1], ONNX_RANK);
	declared->shaped = true;
	declared->n_dims = 0;
	declared->dims = NEW(source->arena, struct onnx_dim, counts[1]);
	if (!declared->dims)
		return false;
	while (next(&r))
		if (r.field.number == 1 &&
			(!take_bytes(&r, &dim) ||
				!read_dim(source, dim,
					&declared->dims[declared->n_dims++])))
			return false;
	return ended(&r);
}

static bool read_tensor_type(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_declared *declared)
{
	struct reading r = begin(source, message);
	struct proto_bytes shape = {NULL, 0};

	while (next(&r))
		if ((r.field.number == 1 && !take_small(&r, &declared->type)) ||
			(r.field.number == 2 && !take_message(&r, &shape)))
			return false;
	return ended(&r) && (!shape.at || read_shape(source, shape, declared));
}

static bool read_type(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_declared *declared)
{
	static const char *const kinds[] = {[4] = "a sequence",
		[5] = "a map",
		[7] = "opaque",
		[8] = "a sparse tensor",
		[9] = "optional"};
	struct reading r = begin(source, message);
	struct proto_bytes tensor = {NULL, 0};

	while (next(&r)) {
		uint32_t number = r.field.number;

		if (number == 1 && !take_message(&r, &tensor))
			return false;
		if (number < countof(kinds) && kinds[number])
			declared->kind = kinds[number];
	}
	return ended(&r) &&
	       (!tensor.at || read_tensor_type(source, tensor, declared));
}

static bool read_declared(const struct onnx_source *source,
	struct proto_bytes message, size_t place,
	struct onnx_declared *declared)
{
	struct reading r = begin(source, message);
	struct proto_bytes type = {NULL, 0};

	*declared = (struct onnx_declared){.name = "", .place = place};
	while (next(&r))
		if ((r.field.number == 1 && !take_text(&r, &declared->name)) ||
			(r.field.number == 2 && !take_message(&r, &type)))
			return false;
	return ended(&r) && (!type.at || read_type(source, type, declared));
}

/* ----------------------------------------------------------- graphs */

/* Room for what a graph, or a function with other field numbers, lists. */
static bool make_room(struct onnx_graph *graph, uint32_t nodes,
	uint32_t initializers, uint32_t inputs, uint32_t outputs,
	uint32_t infos, struct arena *arena)
{
	*graph = (struct onnx_graph){.name = ""};
	graph->nodes = NEW(arena, struct onnx_node, nodes);
	graph->initializers = NEW(arena, struct onnx_tensor, initializers);
	graph->inputs = NEW(arena, struct onnx_declared, inputs);
	graph->outputs = NEW(arena, struct onnx_declared, outputs);
	graph->infos = NEW(arena, struct onnx_declared, infos);
	return graph->nodes && graph->initializers && graph->inputs &&
	       graph->outputs && graph->infos;
}

/* The name, and the fields that are messages. */
static bool is_graph_field(uint32_t number)
{
	return number == 1 || number == 2 || number == 5 ||
	       (number >= 11 && number <= 13) || number == 15;
}

static bool read_graph_field(struct reading *r, struct onnx_graph *g)
{
	const struct onnx_source *source = r->source;
	size_t place = r->field.place;
	struct proto_bytes message;

	if (r->field.number == 2)
		return take_text(r, &g->name);
	if (!take_bytes(r, &message))
		return false;
	switch (r->field.number) {
	case 1:
		return read_node(
			source, message, place, &g->nodes[g->n_nodes++]);
	case 5:
		return mp_input_onnx_parse_tensor(
			source, message, &g->initializers[g->n_initializers++]);
	case 11:
		return read_declared(
			source, message, place, &g->inputs[g->n_inputs++]);
	case 12:
		return read_declared(
			source, message, place, &g->outputs[g->n_outputs++]);
	case 13:
		return read_declared(
			source, message, place, &g->infos[g->n_infos++]);
	default:
		assert(r->field.number == 15);
		return read_sparse(
			source, message, &g->initializers[g->n_initializers++]);
	}
}

bool mp_input_onnx_parse_graph(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_graph *graph)
{
	struct reading r = begin(source, message);
	uint32_t n[32];

	if (!count_fields(source, message, n) ||
		!make_room(graph, n[1], n[5] + n[15], n[11], n[12], n[13],
			source->arena))
		return false;
	while (next(&r))
		if (is_graph_field(r.field.number) &&
			!read_graph_field(&r, graph))
			return false;
	return ended(&r);
}

/* -------------------------------------------------------- functions */

static bool read_opset(const struct onnx_source *source,
	struct proto_bytes message, uint32_t *opset)
{
	struct reading r = begin(source, message);
	struct proto_bytes domain = {NULL, 0};
	uint32_t version = 0;

	while (next(&r))
		if ((r.field.number == 1 && !take_bytes(&r, &domain)) ||
			(r.field.number == 2 && !take_small(&r, &version)))
			return false;
	if (domain.n == 0 || mp_input_proto_is(domain, "ai.onnx"))
		*opset = version;
	return ended(&r);
}

static bool read_function_head(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_function *function)
{
	struct reading r = begin(source, message);
	struct proto_bytes opset;
	bool fine = true;

	*function = (struct onnx_function){
		.name = "", .domain = "", .overload = "", .message = message};
	while (fine && next(&r)) {
		if (r.field.number == 1)
			fine = take_text(&r, &function->name);
		else if (r.field.number == 10)
			fine = take_text(&r, &function->domain);
		else if (r.field.number == 13)
			fine = take_text(&r, &function->overload);
		else if (r.field.number == 9)
			fine = take_bytes(&r, &opset) &&
			       read_opset(source, opset, &function->opset);
	}
	if (strcmp(function->domain, "ai.onnx") == 0)
		function->domain = "";
	return fine && ended(&r);
}

static bool read_formal(struct reading *r, struct onnx_declared *declared)
{
	*declared = (struct onnx_declared){.place = r->field.place};
	return take_text(r, &declared->name);
}

static bool read_function_field(struct reading *r, struct onnx_graph *g,
	struct onnx_attribute *defaults, uint32_t *n_defaults)
{
	struct proto_bytes message;

	switch (r->field.number) {
	case 4:
		return read_formal(r, &g->inputs[g->n_inputs++]);
	case 5:
		return read_formal(r, &g->outputs[g->n_outputs++]);
	case 7:
		return take_bytes(r, &message) &&
		       read_node(r->source, message, r->field.place,
			       &g->nodes[g->n_nodes++]);
	case 11:
		return take_bytes(r, &message) &&
		       read_attribute(
			       r->source, message, &defaults[(*n_defaults)++]);
	case 12:
		return take_bytes(r, &message) &&
		       read_declared(r->source, message, r->field.place,
			       &g->infos[g->n_infos++]);
	default:
		return true;
	}
}

bool mp_input_onnx_parse_function(const struct onnx_source *source,
	const struct onnx_function *function, struct onnx_graph *graph,
	struct onnx_attribute **defaults, uint32_t *n_defaults)
{
	struct reading r = begin(source, function->message);
	uint32_t n[32];

	if (!count_fields(source, function->message, n) ||
		!make_room(graph, n[7], 0, n[4], n[5], n[12], source->arena))
		return false;
	graph->name = function->name;
	*n_defaults = 0;
	*defaults = NEW(source->arena, struct onnx_attribute, n[11]);
	if (!*defaults)
		return false;
	while (next(&r))
		if (!read_function_field(&r, graph, *defaults, n_defaults))
			return false;
	return ended(&r);
}

/* ------------------------------------------------------------ model */

/* The wire type of each field of the top level; NONE: there is no such field.
 */
static uint32_t wire_of(uint32_t number)
{
	if (number == 1 || number == 5)
		return PROTO_VARINT;
	if ((number >= 2 && number <= 8) || number == 14 || number == 20 ||
		number == 25 || number == 26)
		return PROTO_BYTES;
	return NONE;
}

/* A version below 128, then a field of the top level. */
static bool begins_like_model(const struct input_file *file)
{
	const unsigned char *at = (const unsigned char *)file->bytes;

	return file->length > 3 && at[0] == (1 << 3 | PROTO_VARINT) &&
	       at[1] > 0 && at[1] < 0x20 && wire_of(at[2] >> 3) == (at[2] & 7u);
}

bool mp_input_onnx_looks_like_model(const struct input_file *file)
{
	struct proto top = mp_input_proto_file(file, NULL);
	struct proto_field field;
	uint32_t n_graphs = 0;

	if (begins_like_model(file))
		return true;
	while (mp_input_proto_next(&top, &field)) {
		if (wire_of(field.number) != field.wire)
			return false;
		n_graphs += field.number == 7;
	}
	return !top.failed && n_graphs == 1;
}

static bool read_model_field(struct reading *r, struct onnx_model *model)
{
	struct proto_bytes message;

	if (r->field.number == 1)
		return take_number(r, &model->ir_version);
	if (r->field.number == 7)
		return take_message(r, &model->graph);
	if (r->field.number == 8)
		return take_bytes(r, &message) &&
		       read_opset(r->source, message, &model->opset);
	if (r->field.number == 25)
		return take_bytes(r, &message) &&
		       read_function_head(r->source, message,
			       &model->functions[model->n_functions++]);
	return true;
}

/* The first of two functions of one name counts. */
static bool name_functions(
	const struct onnx_source *source, struct onnx_model *model)
{
	if (!mp_names_init(
		    &model->function_names, model->n_functions, source->arena))
		return false;
	for (uint32_t i = 0; i < model->n_functions; i++) {
		const struct onnx_function *f = &model->functions[i];
		const char *key = mp_arena_print(source->arena, "%s:%s:%s",
			f->domain, f->name, f->overload);

		if (!key)
			return false;
		mp_names_add(&model->function_names, key, i);
	}
	return true;
}

bool mp_input_onnx_parse_model(
	const struct onnx_source *source, struct onnx_model *model)
{
	struct proto_bytes all = {(const unsigned char *)source->file->bytes,
		source->file->length};
	struct reading r = begin(source, all);
	uint32_t counts[32];

	*model = (struct onnx_model){0};
	if (!count_fields(source, all, counts))
		return false;
	model->functions = NEW(source->arena, struct onnx_function, counts[25]);
	if (!model->functions)
		return false;
	while (next(&r))
		if (!read_model_field(&r, model))
			return false;
	if (ended(&r) && !model->graph.at)
		return mp_fail(source->error, MEMPLAN_EINPUT,
			"%s: is no ONNX model: it has no graph",
			source->file->name);
	return ended(&r) && name_functions(source, model);
}
