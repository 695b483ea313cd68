/*
 * The tensors of a graph or plan document.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "input/document/build.h"

enum {
	T_ID,
	T_NAME,
	T_SIZE,
	T_KIND,
	T_ALIGN,
	T_OFFSET,
	T_ALIAS,
	T_GAPS,
	T_LIFETIME, /* graph */
	T_EXTERNAL,
	T_POOLS, /* graph: a list; plan: one pool */
	T_LIFELONG,
	N_KEYS,
	T_START = T_LIFETIME, /* plan */
	T_END = T_EXTERNAL,
};

static const struct json_key graph_keys[N_KEYS] = {
	{"id", false},
	{"name", false},
	{"size", true},
	{"kind", false},
	{"align", false},
	{"offset", false},
	{"alias", false},
	{"gaps", false},
	{"lifetime", false},
	{"external", false},
	{"pools", false},
	{"lifelong", false},
};

static const struct json_key plan_keys[N_KEYS] = {
	{"id", true},
	{"name", false},
	{"size", true},
	{"kind", false},
	{"align", false},
	{"offset", true},
	{"alias", false},
	{"gaps", false},
	{"start", true},
	{"end", true},
	{"pool", false},
	{"lifelong", false},
};

static const char *const kinds[] = {
	"activation", "input", "output", "weight", "state", "temporary"};

static bool read_id(
	struct build *b, const struct json_at *at, struct tensor *tensor)
{
	uint64_t id = 0;

	if (!at->value)
		return true;
	if (mp_json_is_text(at))
		return mp_json_copy(at, &tensor->id, b->arena);
	if (!mp_json_integer(at, &id))
		return false;
	tensor->id_is_number = true;
	tensor->id = mp_arena_u64(b->arena, id);
	return tensor->id != NULL;
}

static bool read_kind(
	const struct build *b, const struct json_at *at, struct tensor *tensor)
{
	size_t n = b->is_plan ? countof(kinds) : KIND_TEMPORARY;
	const char *text = NULL;

	if (!mp_json_text(at, &text))
		return false;
	for (uint8_t i = 0; text && i < n; i++)
		if (strcmp(kinds[i], text) == 0) {
			tensor->kind = i;
			return true;
		}
	return !text ||
	       mp_json_fail(at,
		       "unknown kind '%.40s': activation, input, output, "
		       "weight or state%s",
		       text,
		       strcmp(text, "temporary") == 0
			       ? "; temporaries stand at their op"
			       : "");
}

static bool read_times(const struct json_at *first, const struct json_at *last,
	struct time_span *span, const struct json_at *place)
{
	if (!mp_json_signed(first, &span->start) ||
		!mp_json_signed(last, &span->end))
		return false;
	return span->start < span->end ||
	       mp_json_fail(place, "a lifetime [start, end) must start before "
				   "it ends");
}

static bool read_lifetime(const struct json_at *at, struct time_span *span)
{
	struct json_at first, last;

	return mp_json_pair(at, "[start, end)", &first, &last) &&
	       read_times(&first, &last, span, at);
}

/* In a plan a tensor that shares bytes in place may have no step left. */
static bool read_plan_times(const struct json_at *first,
	const struct json_at *last, struct time_span *span)
{
	if (!mp_json_signed(first, &span->start) ||
		!mp_json_signed(last, &span->end))
		return false;
	return span->start <= span->end ||
	       mp_json_fail(first->up, "a lifetime [start, end) must not end "
				       "before it starts");
}

/* In a plan, which has lifetimes, "all": the bytes are never shared; "start": a
 * loop that makes it finds it. */
static bool read_plan_lifelong(
	const struct json_at *at, const char *text, struct tensor *tensor)
{
	tensor->from_start = true;
	tensor->to_end = strcmp(text, "all") == 0;
	return tensor->to_end || strcmp(text, "start") == 0 ||
	       mp_json_fail(at, "must be \"all\" or \"start\"");
}

/* "start": alive from before the first op; "end": to after the last; "all":
 * both. */
static bool read_lifelong(
	const struct build *b, const struct json_at *at, struct tensor *tensor)
{
	const char *text = NULL;

	if (!mp_json_text(at, &text) || !text)
		return !at->value;
	if (b->is_plan)
		return read_plan_lifelong(at, text, tensor);
	if (tensor->pinned)
		return mp_json_fail(at, "cannot be said beside a lifetime");
	tensor->from_start = strcmp(text, "end") != 0;
	tensor->to_end = strcmp(text, "start") != 0;
	return strcmp(text, "start") == 0 || strcmp(text, "end") == 0 ||
	       strcmp(text, "all") == 0 ||
	       mp_json_fail(at, "must be \"start\", \"end\" or \"all\"");
}

static bool read_span(struct build *b, const struct json_at *found, uint32_t i)
{
	struct tensor *tensor = &b->graph->tensors[i];

	tensor->pinned = b->is_plan || found[T_LIFETIME].value;
	if (!tensor->pinned)
		return true;
	if (b->is_plan)
		return read_plan_times(
			&found[T_START], &found[T_END], &b->span[i]);
	return read_lifetime(&found[T_LIFETIME], &b->span[i]);
}

/* In a plan the verifier checks alignment and overlaps of offsets. */
static bool read_offset(
	const struct build *b, const struct json_at *at, struct tensor *tensor)
{
	uint64_t align = num_max(b->graph->alignment, tensor->align), end;

	tensor->placed = at->value != NULL;
	if (!mp_json_integer(at, &tensor->offset))
		return false;
	if (tensor->placed && tensor->external)
		return mp_json_fail(at, "an external tensor has no offset");
	if (!b->is_plan && tensor->offset % align != 0)
		return mp_json_fail(at,
			"must be a multiple of the alignment %llu",
			(unsigned long long)align);
	return num_add(tensor->offset, tensor->size, &end) ||
	       mp_json_fail(at, "must be at most 2^62 less the size");
}

/* Fails if the tensor is larger than the blocks of all of its pools. */
static bool check_chunks(const struct build *b, const struct json_at *at,
	const struct tensor *tensor)
{
	const struct graph *graph = b->graph;
	const struct pool_list *list = &graph->pool_lists[tensor->pools];
	const struct memory_pool *pool = NULL;

	assert(tensor->pools < b->n_pool_lists && list->n > 0);
	if (tensor->external)
		return true;
	for (uint32_t i = 0; i < list->n; i++) {
		pool = &graph->pools[list->at[i]];
		if (pool->chunk == 0 || pool->chunk >= tensor->size)
			return true;
	}
	return mp_json_fail(at,
		"tensor '%.60s' is larger than the chunks of pool '%.60s', "
		"which have %llu byte%s",
		mp_graph_tensor_label(tensor), pool->name,
		(unsigned long long)pool->chunk, mp_text_plural(pool->chunk));
}

/* A fixed offset is relative to the base of a block, so the tensor must have a
 * single pool of a single block. */
static bool read_pools(
	struct build *b, const struct json_at *found, struct tensor *tensor)
{
	const struct json_at *at = &found[T_POOLS];
	const struct graph *graph = b->graph;
	const struct pool_list *list;

	if (b->is_plan && graph->n_pools > 0 && !at->value && tensor->size > 0)
		return mp_json_fail(found[T_SIZE].up, "needs a pool");
	if (tensor->external && at->value)
		return mp_json_fail(at, "an external tensor lies in no pool");
	if (!(b->is_plan ? mp_input_build_pool : mp_input_build_pool_list)(
		    b, at, &tensor->pools))
		return false;
	if (graph->n_pools > 0 && !check_chunks(b, &found[T_SIZE], tensor))
		return false;
	if (b->is_plan || !tensor->placed || graph->n_pools == 0)
		return true;
	list = &graph->pool_lists[tensor->pools];
	if (list->n > 1)
		return mp_json_fail(&found[T_OFFSET],
			"a fixed offset is one in a single pool, and %u may "
			"hold tensor '%.60s'",
			list->n, mp_graph_tensor_label(tensor));
	return graph->pools[list->at[0]].chunk == 0 ||
	       mp_json_fail(&found[T_OFFSET],
		       "pool '%.60s' is several blocks: an offset in it is not "
		       "one place",
		       graph->pools[list->at[0]].name);
}

static bool read_tensor(struct build *b, const struct json_at *at)
{
	struct tensor *tensor = &b->graph->tensors[at->index];
	struct json_at found[N_KEYS] = {{0}};
	uint64_t align = 0;
	bool external;

	assert(at->index < b->n_listed);
	tensor->producer = NONE;
	if (!(b->is_plan ? mp_json_pick(at, plan_keys, N_KEYS, found)
			 : mp_json_pick(at, graph_keys, N_KEYS, found)) ||
		!read_id(b, &found[T_ID], tensor) ||
		!mp_json_copy(&found[T_NAME], &tensor->name, b->arena) ||
		!mp_json_integer(&found[T_SIZE], &tensor->size) ||
		!read_kind(b, &found[T_KIND], tensor) ||
		!mp_input_build_alignment(&found[T_ALIGN], &align))
		return false;
	tensor->align = (uint32_t)align;
	external = tensor->kind == KIND_WEIGHT && !b->is_plan;
	if (!tensor->id && !tensor->name)
		return mp_json_fail(at, "needs an id or a name");
	if (!b->is_plan && !mp_json_bool(&found[T_EXTERNAL], &external))
		return false;
	tensor->external = external;
	b->n_aliases += found[T_ALIAS].value != NULL;
	return read_offset(b, &found[T_OFFSET], tensor) &&
	       read_pools(b, found, tensor) && read_span(b, found, at->index) &&
	       read_lifelong(b, &found[T_LIFELONG], tensor) &&
	       mp_input_build_gaps(b, &found[T_GAPS], at->index);
}

bool mp_input_build_tensors(struct build *b, const struct json_at *tensors)
{
	for (struct json_at item = mp_json_first(tensors); item.value;
		mp_json_next(&item))
		if (!read_tensor(b, &item))
			return false;
	return mp_input_refs_fill(b, tensors);
}
