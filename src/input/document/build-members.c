/*
 * The members of a bundle, in a plan document.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/document/build.h"

enum {
	B_NAME,
	B_OPS,
	B_TENSORS,
	B_BASE,
	B_SIZE,
	B_KEPT_BASE,
	B_KEPT_SIZE,
	N_KEYS,
};

static const struct json_key keys[N_KEYS] = {
	{"name", true},
	{"ops", true},
	{"tensors", true},
	{"base", true},
	{"size", true},
	{"kept_base", true},
	{"kept_size", true},
};

static bool read_extent(const struct json_at *base, const struct json_at *size,
	struct extent *extent)
{
	return mp_json_integer(base, JSON_MAX_INTEGER, &extent->base) &&
	       mp_json_integer(size, JSON_MAX_INTEGER, &extent->size);
}

static bool read_member(const struct json_at *at, struct bundle_member *member,
	struct arena *arena)
{
	struct json_at found[N_KEYS];

	member->claimed = true;
	return mp_json_pick(at, keys, N_KEYS, found) &&
	       mp_json_copy(&found[B_NAME], &member->name, arena) &&
	       mp_json_index(&found[B_OPS], NONE - 1, &member->n_ops) &&
	       mp_json_index(&found[B_TENSORS], NONE - 1, &member->n_tensors) &&
	       read_extent(&found[B_BASE], &found[B_SIZE], &member->shared) &&
	       read_extent(
		       &found[B_KEPT_BASE], &found[B_KEPT_SIZE], &member->kept);
}

static bool read_members(
	struct build *b, const struct json_at *at, struct bundle *bundle)
{
	struct bundle_member *members;
	uint64_t ops = 0, tensors = 0;

	if (!mp_json_list(at, &bundle->n))
		return false;
	members = NEW(b->arena, struct bundle_member, bundle->n);
	if (!members)
		return false;
	bundle->members = members;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		if (!read_member(&m, &members[m.index], b->arena))
			return false;
		ops += members[m.index].n_ops;
		tensors += members[m.index].n_tensors;
	}
	if (ops == b->graph->n_ops && tensors == b->n_listed)
		return true;
	return mp_json_fail(at,
		"together have %llu ops and %llu tensors, the plan %u and %u",
		(unsigned long long)ops, (unsigned long long)tensors,
		b->graph->n_ops, b->n_listed);
}

bool mp_input_build_bundle(struct build *b, const struct json_at *together,
	const struct json_at *graphs)
{
	const char *text = NULL;

	if (!together->value && !graphs->value)
		return true;
	if (!together->value || !graphs->value)
		return mp_json_fail(together->value ? together : graphs,
			"'together' and 'graphs' go with each other");
	if (!mp_json_text(together, &text))
		return false;
	b->graph->bundle.concurrent = strcmp(text, "concurrent") == 0;
	if (!b->graph->bundle.concurrent && strcmp(text, "serial") != 0)
		return mp_json_fail(
			together, "must be \"serial\" or \"concurrent\"");
	return read_members(b, graphs, &b->graph->bundle);
}
