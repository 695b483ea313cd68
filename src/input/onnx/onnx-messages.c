/*
 * Messages of an ONNX file as structs, one level at a time: nodes, weights and
 * graphs in attributes stay bytes until the walk comes to them, and so do the
 * numbers of tensors. Field numbers are those of onnx.proto, IR version 13.
 * What memplan has no use for is skipped.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/utf8.h"
#include "input/onnx/inside.h"

/* A name that is not given. */
static const struct proto_bytes none = {(const unsigned char *)"", 0};

static bool next(struct onnx_reading *r)
{
	return mp_input_proto_next(&r->at, &r->field);
}

/* True unless the walk ended with an error. */
static bool ended(const struct onnx_reading *r)
{
	return !r->at.failed;
}

static bool fail(struct onnx_reading *r, const char *sentence)
{
	return mp_input_proto_fail(&r->at, r->field.place, "%s", sentence);
}

static bool take_number(struct onnx_reading *r, uint64_t *value)
{
	*value = r->field.value;
	return mp_input_proto_expect(&r->at, &r->field, PROTO_VARINT);
}

static bool take_small(struct onnx_reading *r, uint32_t *value)
{
	uint64_t number;

	if (!take_number(r, &number))
		return false;
	/* No type and no version is so large; all of them mean the same. */
	*value = (uint32_t)num_min(number, NONE - 1);
	return true;
}

static bool take_bytes(struct onnx_reading *r, struct proto_bytes *bytes)
{
	*bytes = r->field.bytes;
	return mp_input_proto_expect(&r->at, &r->field, PROTO_BYTES);
}

/* A message that may stand there once. */
static bool take_message(struct onnx_reading *r, struct proto_bytes *message)
{
	if (message->at)
		return fail(r, "a message stands there twice");
	return take_bytes(r, message);
}

static bool is_printable(struct proto_bytes text)
{
	const char *at = (const char *)text.at;
	size_t done = utf8_plain(at, text.n);

	while (done < text.n && at[done] >= ' ' && at[done] < 0x7f)
		done++;
	for (size_t n; done < text.n; done += n) {
		n = utf8_length(at + done, text.n - done);
		if (n == 0 || (n == 1 && (unsigned char)at[done] < 0x20))
			return false;
	}
	return true;
}

/* Is it short and printable? If not, that is an error at the place. */
static bool check_text(
	const struct onnx_source *source, struct proto_bytes text, size_t place)
{
	struct proto at;

	if (text.n <= ONNX_TEXT && is_printable(text))
		return true;
	at = mp_input_proto_message(source->file, source->error, text);
	if (text.n > ONNX_TEXT)
		return mp_input_proto_fail(&at, place,
			"a name of %zu bytes: at most %d are read", text.n,
			ONNX_TEXT);
	return mp_input_proto_fail(
		&at, place, "a name holds a control character or is no UTF-8");
}

const char *mp_input_onnx_text(
	const struct onnx_source *source, struct proto_bytes text, size_t place)
{
	if (!check_text(source, text, place))
		return NULL;
	return mp_arena_text(source->arena, (const char *)text.at, text.n);
}

/* A name that stays in the file. */
static bool take_name(struct onnx_reading *r, struct proto_bytes *name)
{
	return take_bytes(r, name) &&
	       check_text(r->source, *name, r->field.place);
}

static bool take_text(struct onnx_reading *r, const char **text)
{
	struct proto_bytes bytes;

	if (!take_bytes(r, &bytes))
		return false;
	*text = mp_input_onnx_text(r->source, bytes, r->field.place);
	return *text != NULL;
}

/* One more of what stands in a graph. */
static bool count(struct onnx_reading *r, uint32_t *n)
{
	if (*n == NONE / 4)
		return fail(r, "a list is too long");
	++*n;
	return true;
}

/* ------------------------------------------------------- attributes */

static bool read_attribute(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_attribute *a)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);
	bool fine = true;
	uint64_t number;

	*a = (struct onnx_attribute){.name = none, .message = message};
	while (fine && next(&r))
		switch (r.field.number) {
		case 1:
			fine = take_bytes(&r, &a->name);
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
		case 7:
		case 8:
			a->most += r.field.bytes.n; /* a byte or more each */
			break;
		case 21:
			fine = take_bytes(&r, &a->ref);
			break;
		default:
			break;
		}
	return fine && ended(&r);
}

/* ------------------------------------------------------------ nodes */

static bool add_name(struct onnx_reading *r, struct onnx_names *names)
{
	names->at = mp_arena_grow(r->source->arena, names->at, names->n,
		&names->room, sizeof(*names->at));
	return names->at && take_bytes(r, &names->at[names->n++]);
}

static bool add_attribute(
	struct onnx_reading *r, struct onnx_attributes *attributes)
{
	struct proto_bytes message;

	if (attributes->n == ONNX_ATTRIBUTES)
		return mp_input_proto_fail(&r->at, r->field.place,
			"there are more than %d attributes", ONNX_ATTRIBUTES);
	attributes->at = mp_arena_grow(r->source->arena, attributes->at,
		attributes->n, &attributes->room, sizeof(*attributes->at));
	return attributes->at && take_bytes(r, &message) &&
	       read_attribute(
		       r->source, message, &attributes->at[attributes->n++]);
}

static bool read_node_field(struct onnx_reading *r, struct onnx_node *node)
{
	switch (r->field.number) {
	case 1:
		return add_name(r, &node->inputs);
	case 2:
		return add_name(r, &node->outputs) &&
		       check_text(r->source, r->field.bytes, r->field.place);
	case 3:
		return take_name(r, &node->name);
	case 4:
		return take_bytes(r, &node->op);
	case 5:
		return add_attribute(r, &node->attributes);
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
	struct onnx_reading r = mp_input_onnx_begin(source, message);

	node->place = place;
	node->name = node->op = none;
	node->type = node->domain = node->overload = "";
	node->inputs.n = node->outputs.n = node->attributes.n = 0;
	while (next(&r))
		if (!read_node_field(&r, node))
			return false;
	if (*node->domain && strcmp(node->domain, "ai.onnx") == 0)
		node->domain = "";
	for (uint32_t i = 0; i < node->outputs.n && node->name.n == 0; i++)
		node->name = node->outputs.at[i];
	return ended(&r);
}

bool mp_input_onnx_next_node(struct onnx_reading *r,
	const struct onnx_graph *graph, struct onnx_node *node)
{
	struct proto_bytes message;

	while (next(r))
		if (r->field.number == graph->node_field)
			return take_bytes(r, &message) &&
			       read_node(r->source, message, r->field.place,
				       node);
	return false;
}

/* ---------------------------------------------------------- tensors */

static bool read_entry(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);
	struct proto_bytes key = none, value = none;

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

static bool read_dims(struct onnx_reading *r, struct onnx_tensor *t)
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
		if (t->n_dims == ONNX_RANK)
			return mp_input_proto_fail(&r->at, r->field.place,
				"a tensor has more than %d dimensions",
				ONNX_RANK);
		t->dims[t->n_dims++] = dim;
	}
	return !numbers.failed;
}

static bool read_tensor_field(struct onnx_reading *r, struct onnx_tensor *t)
{
	struct proto_bytes message;

	switch (r->field.number) {
	case 1:
		return read_dims(r, t);
	case 2:
		return take_small(r, &t->type);
	case 3:
		return fail(r, "a tensor in segments, which nothing writes");
	case 4:
	case 5:
	case 7:
	case 10:
	case 11:
		t->numbers = r->field.bytes;
		t->list = r->field.number;
		t->n_lists++;
		return true;
	case 8:
		return take_name(r, &t->name);
	case 9:
		return take_bytes(r, &t->raw);
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

/* All but the dimensions, of which n_dims count. */
static void clear_tensor(struct onnx_tensor *t)
{
	t->name = none;
	t->raw = t->message = t->numbers = (struct proto_bytes){NULL, 0};
	t->n_lists = 0;
	t->type = t->n_dims = 0;
	t->sparse_bytes = 0;
	t->location = NULL;
	t->sparse = false;
	t->place = 0;
}

bool mp_input_onnx_parse_tensor(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_tensor *tensor)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);

	clear_tensor(tensor);
	tensor->message = message;
	tensor->place = mp_input_proto_place(&r.at, message.at);
	while (next(&r))
		if (!read_tensor_field(&r, tensor))
			return false;
	return ended(&r);
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
	struct onnx_reading r = mp_input_onnx_begin(source, message);
	struct onnx_tensor parts[2]; /* values, indices */
	struct proto_bytes part;
	uint64_t bits = 0;

	clear_tensor(tensor);
	clear_tensor(&parts[0]);
	clear_tensor(&parts[1]);
	while (next(&r)) {
		if ((r.field.number == 1 || r.field.number == 2) &&
			(!take_bytes(&r, &part) ||
				!mp_input_onnx_parse_tensor(source, part,
					&parts[r.field.number - 1])))
			return false;
		if (r.field.number == 3 && !read_dims(&r, tensor))
			return false;
	}
	if (!ended(&r))
		return false;
	tensor->name = parts[0].name;
	tensor->type = parts[0].type;
	tensor->location = parts[0].location;
	tensor->sparse = true;
	tensor->place = mp_input_proto_place(&r.at, message.at);
	for (uint32_t i = 0; i < 2; i++) {
		if (!tensor_bytes(&parts[i], &bits))
			return fail(&r, "a sparse tensor is too large");
		tensor->sparse_bytes += bits / 8;
	}
	return true;
}

/* An initializer, or a sparse one. */
static bool is_weight(const struct onnx_reading *r)
{
	return r->field.number == 5 || r->field.number == 15;
}

bool mp_input_onnx_next_weight(
	struct onnx_reading *r, struct onnx_tensor *tensor)
{
	struct proto_bytes message;

	while (next(r))
		if (is_weight(r))
			return take_bytes(r, &message) &&
			       (r->field.number == 5
					       ? mp_input_onnx_parse_tensor(
							 r->source, message,
							 tensor)
					       : read_sparse(r->source, message,
							 tensor));
	return false;
}

/* ----------------------------------------------------- declarations */

/* A dimension of -1 is what some exporters write for an unknown one. */
static bool read_dim(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_dim *dim)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);

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
	struct onnx_reading r = mp_input_onnx_begin(source, message);
	struct onnx_dim dims[ONNX_RANK];
	struct proto_bytes dim;
	uint32_t n = 0;

	while (next(&r)) {
		if (r.field.number != 1)
			continue;
		if (n == ONNX_RANK)
			return mp_input_proto_fail(&r.at,
				mp_input_proto_place(&r.at, message.at),
				"a shape has more than %d dimensions",
				ONNX_RANK);
		if (!take_bytes(&r, &dim) || !read_dim(source, dim, &dims[n++]))
			return false;
	}
	declared->shaped = true;
	declared->n_dims = n;
	declared->dims = mp_arena_copy(source->arena, dims, n, sizeof(*dims));
	return declared->dims && ended(&r);
}

static bool read_tensor_type(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_declared *declared)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);
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
	struct onnx_reading r = mp_input_onnx_begin(source, message);
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

bool mp_input_onnx_parse_type(
	const struct onnx_source *source, struct onnx_declared *declared)
{
	if (declared->name)
		return true;
	declared->name = mp_arena_text(
		source->arena, (const char *)declared->key.at, declared->key.n);
	return declared->name &&
	       (!declared->type_message.at ||
		       read_type(source, declared->type_message, declared));
}

static bool read_declared(const struct onnx_source *source,
	struct proto_bytes message, size_t place,
	struct onnx_declared *declared)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);

	*declared = (struct onnx_declared){.key = none, .place = place};
	while (next(&r))
		if ((r.field.number == 1 && !take_name(&r, &declared->key)) ||
			(r.field.number == 2 &&
				!take_message(&r, &declared->type_message)))
			return false;
	return ended(&r);
}

/* ----------------------------------------------------------- graphs */

/* The next of a list; NULL: memory is out. */
static struct onnx_declared *add_declared(
	struct onnx_reading *r, struct onnx_declarations *list)
{
	list->at = mp_arena_grow(r->source->arena, list->at, list->n,
		&list->room, sizeof(*list->at));
	return list->at ? &list->at[list->n++] : NULL;
}

static bool take_declared(
	struct onnx_reading *r, struct onnx_declarations *list)
{
	struct onnx_declared *declared = add_declared(r, list);
	struct proto_bytes message;

	return declared && take_bytes(r, &message) &&
	       read_declared(r->source, message, r->field.place, declared);
}

/* Likewise, with its type. */
static bool take_typed(struct onnx_reading *r, struct onnx_declarations *list)
{
	return take_declared(r, list) &&
	       mp_input_onnx_parse_type(r->source, &list->at[list->n - 1]);
}

/* The message from the field on. */
static struct proto_bytes from_field(const struct onnx_reading *r)
{
	const unsigned char *at =
		(const unsigned char *)r->source->file->bytes + r->field.place;

	return (struct proto_bytes){at, (size_t)(r->at.end - at)};
}

static bool read_graph_field(struct onnx_reading *r, struct onnx_graph *g)
{
	switch (r->field.number) {
	case 1:
		return count(r, &g->n_nodes);
	case 2:
		return take_text(r, &g->name);
	case 5:
	case 15:
		if (!g->weights.at)
			g->weights = from_field(r);
		return count(r, &g->n_initializers);
	case 11:
		return take_declared(r, &g->inputs);
	case 12:
		return take_typed(r, &g->outputs);
	case 13:
		return take_typed(r, &g->infos);
	default:
		return true;
	}
}

bool mp_input_onnx_parse_graph(const struct onnx_source *source,
	struct proto_bytes message, struct onnx_graph *g)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);

	*g = (struct onnx_graph){
		.name = "", .message = message, .node_field = 1};
	while (next(&r))
		if (!read_graph_field(&r, g))
			return false;
	return ended(&r);
}

/* -------------------------------------------------------- functions */

static bool read_opset(const struct onnx_source *source,
	struct proto_bytes message, uint32_t *opset)
{
	struct onnx_reading r = mp_input_onnx_begin(source, message);
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
	struct onnx_reading r = mp_input_onnx_begin(source, message);
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
	if (!fine || !ended(&r))
		return false;
	if (strcmp(function->domain, "ai.onnx") == 0)
		function->domain = "";
	return true;
}

static bool read_formal(struct onnx_reading *r, struct onnx_declarations *list)
{
	struct onnx_declared *declared = add_declared(r, list);

	if (!declared)
		return false;
	*declared = (struct onnx_declared){.place = r->field.place};
	return take_name(r, &declared->key) &&
	       mp_input_onnx_parse_type(r->source, declared);
}

static bool read_function_field(struct onnx_reading *r, struct onnx_graph *g)
{
	switch (r->field.number) {
	case 4:
		return read_formal(r, &g->inputs);
	case 5:
		return read_formal(r, &g->outputs);
	case 7:
		return count(r, &g->n_nodes);
	case 11:
		return add_attribute(r, &g->defaults);
	case 12:
		return take_typed(r, &g->infos);
	default:
		return true;
	}
}

bool mp_input_onnx_parse_function(const struct onnx_source *source,
	const struct onnx_function *function, struct onnx_graph *graph)
{
	struct onnx_reading r = mp_input_onnx_begin(source, function->message);

	*graph = (struct onnx_graph){.name = function->name,
		.message = function->message,
		.node_field = 7};
	while (next(&r))
		if (!read_function_field(&r, graph))
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

/* A version below 32, then a field of the top level. */
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

static bool add_function(struct onnx_reading *r, struct onnx_model *model)
{
	struct proto_bytes message;

	model->functions = mp_arena_grow(r->source->arena, model->functions,
		model->n_functions, &model->room, sizeof(*model->functions));
	return model->functions && take_bytes(r, &message) &&
	       read_function_head(r->source, message,
		       &model->functions[model->n_functions++]);
}

static bool read_model_field(struct onnx_reading *r, struct onnx_model *model)
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
		return add_function(r, model);
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
	struct onnx_reading r = mp_input_onnx_begin(source, all);

	*model = (struct onnx_model){0};
	while (next(&r))
		if (!read_model_field(&r, model))
			return false;
	if (ended(&r) && !model->graph.at)
		return mp_fail(source->error, MEMPLAN_EINPUT,
			"%s: is no ONNX model: it has no graph",
			source->file->name);
	return ended(&r) && name_functions(source, model);
}
