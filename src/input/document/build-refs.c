/*
 * References to tensors, by id or by name, and to ops, by index or by name.
 * Several may have the same name, but then no reference may use it. And the
 * constraints on the order, which are lists of references to ops.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/bytes.h"
#include "input/document/build.h"

const char *mp_input_decimal(uint64_t number, char *room)
{
	char *at = &room[DECIMAL_TEXT - 1];

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	assert(at >= room);
	return at;
}

/* Gives every tensor an id and a name, so that emitters need no rule: without
 * any ids the id is the index; else a missing id or name is a copy of the
 * other. */
static bool fill_defaults(struct build *b)
{
	bool any_id = false;

	for (uint32_t i = 0; i < b->n_listed; i++)
		any_id |= b->graph->tensors[i].id != NULL;
	for (uint32_t i = 0; i < b->n_listed; i++) {
		struct tensor *tensor = &b->graph->tensors[i];

		if (!any_id) {
			tensor->id = mp_arena_u64(b->arena, i);
			tensor->id_is_number = true;
		}
		if (!any_id && !tensor->id)
			return false;
		if (!tensor->id)
			tensor->id = tensor->name;
		if (!tensor->name)
			tensor->name = tensor->id;
	}
	return true;
}

static uint32_t add_id(
	struct refs *refs, const struct tensor *tensor, uint32_t i)
{
	const char *text = tensor->id;
	uint64_t number = 0;
	bool is_number = tensor->id_is_number &&
			 mp_bytes_digits(&text, JSON_MAX_INTEGER, &number);

	assert(is_number == tensor->id_is_number);
	if (!is_number)
		return mp_names_add(&refs->texts, text, i);
	return mp_numbers_add(&refs->numbers, number, i);
}

bool mp_input_refs_fill(struct build *b, const struct json_at *tensors)
{
	struct refs *refs = &b->refs;
	struct json_at item = mp_json_first(tensors);

	if (!fill_defaults(b) ||
		!mp_numbers_init(&refs->numbers, b->n_listed, b->arena) ||
		!mp_names_init(&refs->texts, b->n_listed, b->arena))
		return false;
	for (uint32_t i = 0; i < b->n_listed; i++, mp_json_next(&item)) {
		const struct tensor *tensor = &b->graph->tensors[i];
		uint32_t twin = add_id(refs, tensor, i);

		if (twin != NONE)
			return mp_json_fail(&item,
				"tensor %u has the id '%.60s' too", twin,
				tensor->id);
	}
	return true;
}

static bool name_tensors(struct build *b)
{
	struct refs *refs = &b->refs;
	uint32_t twin;

	refs->shared = NEW(b->arena, bool, b->n_listed);
	if (!refs->shared ||
		!mp_names_init(&refs->names, b->n_listed, b->arena))
		return false;
	for (uint32_t i = 0; i < b->n_listed; i++) {
		twin = mp_names_add(&refs->names, b->graph->tensors[i].name, i);
		if (twin != NONE)
			refs->shared[twin] = true;
	}
	return true;
}

/* A plan names tensors by their ids: other tensors may have these as names. */
static bool find_text(
	struct build *b, const struct json_at *at, uint32_t *tensor)
{
	const char *text = NULL;
	uint32_t by_id, by_name;

	if (!mp_json_text(at, &text))
		return false;
	by_id = mp_names_find(&b->refs.texts, text);
	if (b->is_plan && by_id != NONE) {
		*tensor = by_id;
		return true;
	}
	if (!b->refs.shared && !name_tensors(b))
		return false;
	by_name = mp_names_find(&b->refs.names, text);
	*tensor = by_id != NONE ? by_id : by_name;
	if (by_id == NONE && by_name == NONE)
		return mp_json_fail(at, "no tensor is called '%.60s'", text);
	if (by_id == by_name || by_name == NONE ||
		(by_id == NONE && !b->refs.shared[by_name]))
		return true;
	return mp_json_fail(at,
		"several tensors are called '%.60s': refer to it by its id",
		text);
}

bool mp_input_refs_find(
	struct build *b, const struct json_at *at, uint32_t *tensor)
{
	uint64_t id = 0;

	if (mp_json_is_text(at))
		return find_text(b, at, tensor);
	if (!mp_json_integer(at, &id))
		return false;
	*tensor = mp_numbers_find(&b->refs.numbers, id);
	return *tensor != NONE || mp_json_fail(at, "no tensor has the id %llu",
					  (unsigned long long)id);
}

/* -------------------------------------------------------------- ops */

static bool name_ops(struct build *b)
{
	struct op_refs *refs = &b->op_refs;
	struct json_at item = mp_json_first(&refs->at), name;
	uint32_t n = b->graph->n_ops, twin;
	const char *text;

	refs->shared = NEW(b->arena, bool, n);
	if (!refs->shared || !mp_names_init(&refs->names, n, b->arena))
		return false;
	for (; item.value; mp_json_next(&item)) {
		text = NULL;
		name = mp_json_find(&item, "name");
		if (!mp_json_text(&name, &text))
			return false;
		twin = text ? mp_names_add(&refs->names, text, item.index)
			    : NONE;
		if (twin != NONE)
			refs->shared[twin] = true;
	}
	return true;
}

static bool find_op(struct build *b, const struct json_at *at, uint32_t *op)
{
	const char *text = NULL;

	if (!mp_json_is_text(at)) {
		if (!mp_json_index(at, NONE - 1, op))
			return false;
		return *op < b->graph->n_ops ||
		       mp_json_fail(at, "there is no op %u", *op);
	}
	if ((!b->op_refs.names.slots && !name_ops(b)) ||
		!mp_json_text(at, &text))
		return false;
	*op = mp_names_find(&b->op_refs.names, text);
	assert(*op == NONE || *op < b->graph->n_ops);
	if (*op == NONE)
		return mp_json_fail(at, "no op is called '%.60s'", text);
	return !b->op_refs.shared[*op] ||
	       mp_json_fail(at,
		       "several ops are called '%.60s': refer to it by its "
		       "index",
		       text);
}

bool mp_input_op_refs_list(
	struct build *b, const struct json_at *at, struct ids *ids)
{
	uint32_t n;

	if (!mp_json_list(at, &n))
		return false;
	if (n == 0)
		return true;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!find_op(b, &m, &b->list[m.index]))
			return false;
	return mp_lists_copy(ids, b->list, n, b->arena);
}

static bool read_keep(
	struct build *b, const struct json_at *at, struct constraints *c)
{
	struct ids *lists =
		mp_json_room(at, &c->n_keep, sizeof(*lists), b->arena);

	if (!lists)
		return false;
	c->keep = lists;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!mp_input_op_refs_list(b, &m, &lists[m.index]))
			return false;
	return true;
}

bool mp_input_build_constraints(struct build *b, const struct json_at *found)
{
	struct constraints *c = &b->graph->constraints;

	return read_keep(b, &found[KEY_KEEP], c) &&
	       mp_input_op_refs_list(b, &found[KEY_FIRST], &c->first) &&
	       mp_input_op_refs_list(b, &found[KEY_LAST], &c->last) &&
	       mp_input_op_refs_list(b, &found[KEY_BARRIERS], &c->barriers) &&
	       mp_json_index(&found[KEY_DISPLACEMENT], NONE - 2,
		       &c->max_displacement);
}

/* ------------------------------------------------------------ loops */

/* null: a tensor in the caller's memory, which a plan does not list. */
static bool read_carried_tensor(
	struct build *b, const struct json_at *at, uint32_t *tensor)
{
	*tensor = NONE;
	return mp_json_is_null(at) || mp_input_refs_find(b, at, tensor);
}

static bool read_carried(
	struct build *b, const struct json_at *at, struct carried_pair *pair)
{
	struct json_at in, out;

	return mp_json_pair(at, "[in, out]", &in, &out) &&
	       read_carried_tensor(b, &in, &pair->in) &&
	       read_carried_tensor(b, &out, &pair->out);
}

static bool read_loop(
	struct build *b, const struct json_at *at, struct graph_loop *loop)
{
	static const struct json_key loop_keys[] = {
		{"first", true},
		{"last", true},
		{"carried", false},
	};
	struct json_at found[countof(loop_keys)];

	if (!mp_json_pick(at, loop_keys, countof(loop_keys), found) ||
		!find_op(b, &found[0], &loop->first) ||
		!find_op(b, &found[1], &loop->last))
		return false;
	loop->carried = mp_json_room(
		&found[2], &loop->n_carried, sizeof(*loop->carried), b->arena);
	if (!loop->carried)
		return false;
	for (struct json_at m = mp_json_first(&found[2]); m.value;
		mp_json_next(&m))
		if (!read_carried(b, &m, &loop->carried[m.index]))
			return false;
	return true;
}

bool mp_input_build_loops(struct build *b, const struct json_at *at)
{
	struct graph *graph = b->graph;

	graph->loops = mp_json_room(
		at, &graph->n_loops, sizeof(*graph->loops), b->arena);
	if (!graph->loops)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_loop(b, &m, &graph->loops[m.index]))
			return false;
	return true;
}
