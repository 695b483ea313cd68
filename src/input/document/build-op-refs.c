/*
 * References to ops, by index or by a unique name, and the constraints on the
 * order, which are lists of such references.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/document/build.h"

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
	struct ids *lists;

	if (!mp_json_list(at, &c->n_keep))
		return false;
	lists = NEW(b->arena, struct ids, c->n_keep);
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

	return read_keep(b, &found[CONSTRAINT_KEEP], c) &&
	       mp_input_op_refs_list(b, &found[CONSTRAINT_FIRST], &c->first) &&
	       mp_input_op_refs_list(b, &found[CONSTRAINT_LAST], &c->last) &&
	       mp_input_op_refs_list(
		       b, &found[CONSTRAINT_BARRIERS], &c->barriers) &&
	       mp_json_index(&found[CONSTRAINT_DISPLACEMENT], NONE - 2,
		       &c->max_displacement);
}
