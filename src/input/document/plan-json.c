/*
 * Plan JSON: format memplan.plan, version 1; docs/formats/plan-json.md. A plan
 * is read as a graph with pinned lifetimes and fixed offsets; its results
 * become claims.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/document/build.h"
#include "input/rows.h"

enum {
	MOST_PADDING = 1 << 30,
};

enum {
	P_FORMAT,
	P_VERSION,
	P_NAME,
	P_ARENA_SIZE,
	P_THEORETICAL_MIN,
	P_LOWER_BOUND,
	P_BOUND_KIND,
	P_OPTIMAL,
	P_ALIGNMENT,
	P_TARGET,
	P_PADDING,
	P_BASE_ALIGNMENT,
	P_PLANNER,
	P_ORDER,
	P_TOGETHER,
	P_GRAPHS,
	P_POOLS,
	P_TENSORS,
	P_GROUPS,
	P_INPUTS,
	P_OUTPUTS,
	P_RELATIONS,
	P_BEHIND_RELATIONS = P_RELATIONS + N_RELATIONS - 1,
	P_OPS,
	N_KEYS,
};

static const struct json_key keys[N_KEYS] = {
	{"format", true},
	{"version", true},
	{"name", false},
	{"arena_size", false},
	{"theoretical_min", false},
	{"lower_bound", false},
	{"bound_kind", false},
	{"optimal", false},
	{"alignment", true},
	{"target", false},
	{"padding", false},
	{"base_alignment", false},
	{"planner", false},
	{"order", false},
	{"together", false},
	{"graphs", false},
	{"pools", false},
	{"tensors", true},
	{"groups", false},
	{"inputs", false},
	{"outputs", false},
	{"apart", false},
	{"reserved", false},
	{"exclusive", false},
	{"ops", false},
};

/* Skips blanks and the character c; NULL if another one follows. */
static const char *skip_char(const char *at, const char *end, char c)
{
	at = mp_json_skip_blanks(at, end);
	return at < end && *at == c ? at + 1 : NULL;
}

bool mp_input_plan_json_recognise(const struct input_file *file)
{
	static const char key[] = "format\"", value[] = "memplan.plan\"";
	const char *at = mp_json_begin(file), *end = file->bytes + file->length;

	if (*at != '{')
		return false;
	while ((at = memchr(at, '"', (size_t)(end - at)))) {
		at++;
		if ((size_t)(end - at) < sizeof(key) ||
			memcmp(at, key, sizeof(key) - 1) != 0)
			continue;
		at = skip_char(at + sizeof(key) - 1, end, ':');
		at = at ? skip_char(at, end, '"') : NULL;
		return at && (size_t)(end - at) >= sizeof(value) - 1 &&
		       memcmp(at, value, sizeof(value) - 1) == 0;
	}
	return false;
}

static bool read_ops(
	struct build *b, const struct json_at *at, struct ids *list)
{
	uint32_t *ops, n;

	if (!mp_json_list(at, &n))
		return false;
	ops = NEW(b->arena, uint32_t, n);
	if (!ops)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!mp_json_index(&m, NONE - 1, &ops[m.index]))
			return false;
	*list = (struct ids){ops, n};
	return true;
}

static bool read_order_bound(struct build *b, const struct json_at *at)
{
	static const struct json_key bound_keys[] = {
		{"bytes", true},
		{"kind", true},
		{"inplace", true},
		{"first", true},
		{"ops", true},
	};
	struct order_bound *bound = &b->graph->claims.order_bound;
	struct json_at found[countof(bound_keys)];

	if (!at->value)
		return true;
	return mp_json_pick(at, bound_keys, countof(bound_keys), found) &&
	       mp_json_integer(&found[0], JSON_MAX_INTEGER, &bound->bytes) &&
	       mp_json_copy(&found[1], &bound->kind, b->arena) &&
	       mp_json_bool(&found[2], &bound->inplace) &&
	       mp_json_bool(&found[3], &bound->first) &&
	       read_ops(b, &found[4], &bound->ops);
}

static bool read_order(struct build *b, const struct json_at *at)
{
	static const struct json_key order_keys[] = {
		{"name", true},
		{"ops", true},
		{"bound", false},
	};
	struct claims *claims = &b->graph->claims;
	struct json_at found[countof(order_keys)];

	if (!at->value)
		return true;
	return mp_json_pick(at, order_keys, countof(order_keys), found) &&
	       mp_json_copy(&found[0], &claims->order, b->arena) &&
	       read_ops(b, &found[1], &claims->ops) &&
	       read_order_bound(b, &found[2]);
}

static bool read_claims(struct build *b, const struct json_at *found)
{
	struct claims *claims = &b->graph->claims;

	claims->present = true;
	return mp_json_integer(&found[P_ARENA_SIZE], JSON_MAX_INTEGER,
		       &claims->arena_size) &&
	       mp_json_integer(&found[P_THEORETICAL_MIN], JSON_MAX_INTEGER,
		       &claims->theoretical_min) &&
	       mp_json_integer(&found[P_LOWER_BOUND], JSON_MAX_INTEGER,
		       &claims->lower_bound) &&
	       mp_json_copy(
		       &found[P_BOUND_KIND], &claims->bound_kind, b->arena) &&
	       mp_json_bool(&found[P_OPTIMAL], &claims->optimal) &&
	       mp_json_copy(&found[P_PLANNER], &claims->planner, b->arena) &&
	       read_order(b, &found[P_ORDER]);
}

static bool read_margins(struct build *b, const struct json_at *found)
{
	struct margins *margins = &b->graph->margins;
	uint64_t base = 0;

	if (!mp_json_copy(&found[P_TARGET], &margins->target, b->arena) ||
		!mp_json_index(
			&found[P_PADDING], MOST_PADDING, &margins->padding) ||
		!mp_input_build_alignment(&found[P_BASE_ALIGNMENT], &base))
		return false;
	margins->base = (uint32_t)base;
	return true;
}

static bool read_document(
	struct build *b, uint64_t alignment, const struct json_at *root)
{
	struct graph *graph = b->graph;
	struct json_at found[N_KEYS];

	if (!mp_json_pick(root, keys, N_KEYS, found) ||
		!mp_input_build_format(
			&found[P_FORMAT], &found[P_VERSION], "memplan.plan") ||
		!mp_json_copy(&found[P_NAME], &graph->name, b->arena) ||
		!mp_input_build_alignment(
			&found[P_ALIGNMENT], &graph->alignment) ||
		!read_margins(b, found) || !read_claims(b, found))
		return false;
	b->pool_alignment = graph->alignment;
	if (alignment != 0)
		graph->alignment = alignment;
	return mp_input_build_pools(b, &found[P_POOLS]) &&
	       mp_input_build_policy(&found[P_INPUTS], &graph->inputs) &&
	       mp_input_build_policy(&found[P_OUTPUTS], &graph->outputs) &&
	       mp_input_build_graph(b, &found[P_TENSORS], &found[P_OPS]) &&
	       mp_input_build_groups(b, &found[P_GROUPS]) &&
	       mp_input_build_relations(b, &found[P_RELATIONS]) &&
	       mp_input_build_bundle(b, &found[P_TOGETHER], &found[P_GRAPHS]);
}

bool mp_input_plan_json_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct build build = {
		.graph = graph, .is_plan = true, .arena = arena, .error = e};
	struct json json;
	struct json_at root;
	bool fine = mp_json_open(&input->files[ROLE_MAIN], &json, arena, e);

	root = mp_json_root(&json);
	fine = fine && read_document(&build, input->alignment, &root);
	mp_json_close(&json);
	return fine;
}
