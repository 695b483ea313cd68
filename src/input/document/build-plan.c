/*
 * Plan JSON: format memplan.plan, version 1; docs/formats/plan-json.md. A plan
 * is read as a graph with pinned lifetimes and fixed offsets; its results
 * become claims.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/sink-text.h"
#include "input/document/build.h"
#include "input/rows.h"

enum {
	MOST_PADDING = 1 << 30,
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
	uint32_t n, *ops = mp_json_room(at, &n, sizeof(*ops), b->arena);

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
	       mp_json_integer(&found[0], &bound->bytes) &&
	       mp_json_copy(&found[1], &bound->kind, b->arena) &&
	       mp_json_bool(&found[2], &bound->inplace) &&
	       mp_json_bool(&found[3], &bound->first) &&
	       read_ops(b, &found[4], &bound->ops) &&
	       (bound->ops.n <= MOST_BOUND_OPS ||
		       mp_json_fail(&found[4], "must name at most %u ops",
			       MOST_BOUND_OPS));
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

static bool read_clique(
	struct build *b, const struct json_at *at, struct ids *clique)
{
	uint32_t n, *tensors = mp_json_room(at, &n, sizeof(*tensors), b->arena);

	if (!tensors)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!mp_input_refs_find(b, &m, &tensors[m.index]))
			return false;
	*clique = (struct ids){tensors, n};
	return true;
}

static bool read_claims(struct build *b, const struct json_at *found)
{
	struct claims *claims = &b->graph->claims;

	claims->present = true;
	claims->says_optimal = found[KEY_OPTIMAL].value != NULL;
	return mp_json_integer(&found[KEY_ARENA_SIZE], &claims->arena_size) &&
	       mp_json_integer(
		       &found[KEY_THEORETICAL_MIN], &claims->theoretical_min) &&
	       mp_json_integer(&found[KEY_LOWER_BOUND], &claims->lower_bound) &&
	       mp_json_copy(
		       &found[KEY_BOUND_KIND], &claims->bound_kind, b->arena) &&
	       read_clique(b, &found[KEY_CLIQUE], &claims->clique) &&
	       mp_json_bool(&found[KEY_OPTIMAL], &claims->optimal) &&
	       mp_json_integer(&found[KEY_PAIRS_BOUND], &claims->pairs_bound) &&
	       mp_json_integer(&found[KEY_COST_PAID], &claims->reuse_cost) &&
	       mp_json_integer(
		       &found[KEY_COST_BOUND], &claims->reuse_cost_bound) &&
	       mp_json_integer(&found[KEY_BANK_COST], &claims->bank_cost) &&
	       mp_json_integer(
		       &found[KEY_BANK_BOUND], &claims->bank_cost_bound) &&
	       mp_json_bool(&found[KEY_CUT_SHORT], &claims->cut_short) &&
	       mp_json_copy(&found[KEY_PLANNER], &claims->planner, b->arena) &&
	       read_order(b, &found[KEY_ORDER]);
}

static bool read_margins(struct build *b, const struct json_at *found)
{
	struct margins *margins = &b->graph->margins;
	uint64_t base = 0;

	if (!mp_json_copy(&found[KEY_TARGET], &margins->target, b->arena) ||
		!mp_json_index(
			&found[KEY_PADDING], MOST_PADDING, &margins->padding) ||
		!mp_input_build_alignment(&found[KEY_BASE_ALIGNMENT], &base))
		return false;
	margins->base = (uint32_t)base;
	return true;
}

/* ----------------------------------------------------------- bundle */

enum {
	B_NAME,
	B_OPS,
	B_TENSORS,
	B_BASE,
	B_SIZE,
	B_KEPT_BASE,
	B_KEPT_SIZE,
	N_MEMBER_KEYS,
};

static const struct json_key member_keys[N_MEMBER_KEYS] = {
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
	return mp_json_integer(base, &extent->base) &&
	       mp_json_integer(size, &extent->size);
}

static bool read_member(const struct json_at *at, struct bundle_member *member,
	struct arena *arena)
{
	struct json_at found[N_MEMBER_KEYS];

	member->claimed = true;
	return mp_json_pick(at, member_keys, N_MEMBER_KEYS, found) &&
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
	struct bundle_member *members =
		mp_json_room(at, &bundle->n, sizeof(*members), b->arena);
	uint64_t ops = 0, tensors = 0;

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
		"together have %llu op%s and %llu tensor%s, the plan %u and %u",
		(unsigned long long)ops, mp_text_plural(ops),
		(unsigned long long)tensors, mp_text_plural(tensors),
		b->graph->n_ops, b->n_listed);
}

static bool read_bundle(struct build *b, const struct json_at *together,
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

/* ---------------------------------------------------------- buckets */

static bool read_buckets(
	struct build *b, const struct json_at *at, const struct json_at *graphs)
{
	static const struct json_key bucket_keys[] = {
		{"name", true},
		{"arena_size_alone", true},
	};
	struct json_at found[countof(bucket_keys)];
	struct bucket *buckets;

	if (!at->value)
		return true;
	if (graphs->value)
		return mp_json_fail(
			at, "one table serves graphs, 'graphs' have their own");
	buckets = mp_json_room(
		at, &b->graph->n_buckets, sizeof(*buckets), b->arena);
	b->graph->buckets = buckets;
	if (!buckets)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		struct bucket *bucket = &buckets[m.index];

		if (!mp_json_pick(
			    &m, bucket_keys, countof(bucket_keys), found) ||
			!mp_json_copy(&found[0], &bucket->name, b->arena) ||
			!mp_json_integer(&found[1], &bucket->alone))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------- reader */

bool mp_input_build_results(struct build *b, const struct json_at *found)
{
	return read_margins(b, found) && read_claims(b, found) &&
	       read_bundle(b, &found[KEY_TOGETHER], &found[KEY_GRAPHS]) &&
	       read_buckets(b, &found[KEY_BUCKETS], &found[KEY_GRAPHS]) &&
	       mp_input_build_same(b, &found[KEY_SAME]);
}
