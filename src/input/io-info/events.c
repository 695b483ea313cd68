/*
 * The events of a trace: ops allocate, read and release tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/io-info/events.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"

/* -------------------------------------------------------------- ids */

bool mp_input_events_number(const char **text, uint32_t *number)
{
	bool leads_with_0 = **text == '0';
	const char *begin = *text;
	uint64_t value;

	if (!mp_bytes_digits(text, NONE - 1, &value))
		return false;
	*number = (uint32_t)value;
	return !leads_with_0 || *text == begin + 1;
}

/* "12:3": temporary 3 of op 12. */
static bool is_temporary(const char *text, uint32_t *op)
{
	uint32_t ignored;

	return mp_input_events_number(&text, op) && *text++ == ':' &&
	       mp_input_events_number(&text, &ignored) && *text == '\0';
}

/* ------------------------------------------------------------ sizes */

static bool check_size_key(
	struct trace *t, const struct json_at *at, const char *key)
{
	const char *end = key;
	uint32_t op;

	if (mp_input_events_number(&end, &op) && *end == '\0') {
		t->n_output_sizes++;
		return true;
	}
	if (!is_temporary(key, &op))
		return mp_json_fail(at,
			"must be called like an output, \"12\", or like a "
			"temporary, \"12:3\"");
	return op < t->graph->n_ops ||
	       mp_json_fail(at,
		       "%s has no op %u: the files belong to different "
		       "models",
		       t->docs[ROLE_MAIN].file, op);
}

bool mp_input_events_sizes(struct trace *t)
{
	const struct json_at *root = &t->roots[ROLE_TENSOR_SIZE];
	const char *key;
	uint32_t n;

	if (!mp_json_object(root, &n))
		return false;
	t->sizes = NEW(t->arena, uint64_t, n);
	if (!t->sizes || !mp_names_init(&t->size_of, n, t->arena))
		return false;
	for (struct json_at m = mp_json_first(root); m.value;
		mp_json_next(&m)) {
		key = mp_json_key(&m);
		if (!key || !check_size_key(t, &m, key) ||
			!mp_json_integer(&m, &t->sizes[m.index]))
			return false;
		mp_names_add(&t->size_of, key, m.index);
	}
	return true;
}

/* ---------------------------------------------------------- tensors */

static bool add_tensor(struct trace *t, const struct json_at *at,
	const char *id, uint32_t op, uint32_t index)
{
	struct tensor *tensor = &t->graph->tensors[index];
	uint32_t size = mp_names_find(&t->size_of, id);

	assert(index < t->graph->n_tensors && op < t->graph->n_ops);
	if (size == NONE)
		return mp_json_fail(at, "%s has no size for '%s'",
			t->docs[ROLE_TENSOR_SIZE].file, id);
	tensor->id = tensor->name = mp_arena_text(t->arena, id, strlen(id));
	tensor->size = t->sizes[size];
	tensor->producer = op;
	return tensor->id != NULL;
}

/* Is the tensor new? */
static bool check_twin(const struct json_at *at, const char *id, uint32_t twin)
{
	return twin == NONE || mp_json_fail(at, "'%s' is made twice", id);
}

static bool find_tensor(
	struct trace *t, const struct json_at *at, uint32_t *tensor)
{
	uint64_t id = 0;

	if (!mp_json_integer(at, &id))
		return false;
	*tensor = mp_numbers_find(&t->outputs, id);
	return *tensor != NONE ||
	       mp_json_fail(at, "no op up to here makes a tensor %llu",
		       (unsigned long long)id);
}

static void add_use(struct trace *t, uint32_t tensor, uint32_t op)
{
	t->list[t->n_list++] = tensor;
	t->reader[tensor] = op + 1;
}

static bool release_tensor(
	struct trace *t, const struct json_at *at, uint32_t tensor, uint32_t op)
{
	if (t->death[tensor] != 0)
		return mp_json_fail(at, "'%s' was released by op %u already",
			t->graph->tensors[tensor].id, t->death[tensor] - 1);
	assert(t->n_dead < t->graph->n_tensors);
	t->death[tensor] = op + 1;
	t->dead[t->n_dead++] = tensor;
	return true;
}

/* ---------------------------------------------------- events of ops */

bool mp_input_events_outputs(
	struct trace *t, const struct json_at *at, uint32_t op)
{
	char room[DECIMAL_TEXT];
	const char *text;
	uint32_t id = 0;

	t->n_list = 0;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!mp_json_index(&m, NONE - 1, &id))
			return false;
		text = mp_input_decimal(id, room);
		if (!add_tensor(t, &m, text, op, t->n_outputs) ||
			!check_twin(&m, text,
				mp_numbers_add(&t->outputs, id, t->n_outputs)))
			return false;
		t->list[t->n_list++] = t->n_outputs++;
	}
	return mp_lists_copy(
		&t->graph->ops[op].outputs, t->list, t->n_list, t->arena);
}

bool mp_input_events_inputs(
	struct trace *t, const struct json_at *at, uint32_t op)
{
	uint32_t tensor;

	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!find_tensor(t, &m, &tensor))
			return false;
		if (t->death[tensor] != 0)
			return mp_json_fail(&m,
				"'%s' is read after op %u released it",
				t->graph->tensors[tensor].id,
				t->death[tensor] - 1);
		add_use(t, tensor, op);
	}
	return true;
}

static bool allocate_temporary(
	struct trace *t, const struct json_at *at, const char *id, uint32_t op)
{
	uint32_t index = t->first_temporary + t->n_temporaries, owner;

	if (!is_temporary(id, &owner))
		return mp_json_fail(
			at, "must be a temporary, like \"%u:0\"", op);
	if (owner != op)
		return mp_json_fail(at,
			"'%s' is a temporary of op %u, but op %u allocates it",
			id, owner, op);
	if (!add_tensor(t, at, id, op, index) ||
		!check_twin(at, id,
			mp_names_add(&t->temporaries,
				t->graph->tensors[index].id, index)))
		return false;
	t->graph->tensors[index].kind = KIND_TEMPORARY;
	t->fresh[t->n_fresh++] = index;
	t->n_temporaries++;
	return true;
}

/* A temporary that another op frees counts as an input of that op. */
static bool release_temporary(
	struct trace *t, const struct json_at *at, const char *id, uint32_t op)
{
	uint32_t tensor = mp_names_find(&t->temporaries, id);

	if (tensor == NONE)
		return mp_json_fail(
			at, "'%.40s' is freed but was not allocated", id);
	if (t->graph->tensors[tensor].producer != op)
		add_use(t, tensor, op);
	return release_tensor(t, at, tensor, op);
}

static bool read_event(struct trace *t, const struct json_at *at, uint32_t op)
{
	const char *verb = NULL, *id = NULL;
	struct json_at first, second;

	if (!mp_json_pair(at, "[\"alloc\" or \"free\", id]", &first, &second) ||
		!mp_json_text(&first, &verb) || !mp_json_text(&second, &id))
		return false;
	if (strcmp(verb, "alloc") == 0)
		return allocate_temporary(t, &second, id, op);
	if (strcmp(verb, "free") == 0)
		return release_temporary(t, &second, id, op);
	return mp_json_fail(&first, "must be \"alloc\" or \"free\"");
}

bool mp_input_events_take(
	struct trace *t, const struct json_at *at, uint32_t op)
{
	t->n_fresh = 0;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_event(t, &m, op))
			return false;
	return mp_lists_copy(
		&t->graph->ops[op].temporaries, t->fresh, t->n_fresh, t->arena);
}

/* A tensor that an op releases without reading it counts as an input of the op.
 */
bool mp_input_events_release(
	struct trace *t, const struct json_at *at, uint32_t op)
{
	uint32_t tensor;

	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!find_tensor(t, &m, &tensor) ||
			!release_tensor(t, &m, tensor, op))
			return false;
		if (t->reader[tensor] == op + 1 ||
			t->graph->tensors[tensor].producer == op)
			continue;
		add_use(t, tensor, op);
		t->n_late++;
	}
	return true;
}
