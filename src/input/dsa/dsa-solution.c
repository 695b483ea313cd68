/*
 * A solution of dsa-solver's: a pool and an offset for each buffer of a
 * problem, which its fingerprint names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>
#include <string.h>

#include "base/search.h"
#include "input/dsa/dsa.h"
#include "input/rows.h"

struct solution {
	struct graph *graph;
	bool *placed; /* of a buffer in the problem's list */
};

/* The place of an id in the ascending list of buffers. */
static uint32_t find_buffer(const struct dsa_problem *problem, uint64_t id)
{
	const struct dsa_buffer_id *ids = problem->buffers;
	uint32_t i = mp_search_key_u64(ids, sizeof(*ids),
		offsetof(struct dsa_buffer_id, id), problem->n_buffers, id);

	return i < problem->n_buffers && ids[i].id == id ? i : NONE;
}

/* The pool of an id, which the tensor may lie in. */
static bool find_pool(const struct graph *graph, const struct tensor *tensor,
	const struct json_at *at, uint16_t *list)
{
	const struct pool_list *allowed = &graph->pool_lists[tensor->pools];
	uint64_t id = 0;

	if (!mp_json_integer(at, &id))
		return false;
	for (uint32_t i = 0; i < allowed->n; i++)
		if (graph->dsa->pool_ids[allowed->at[i]] == id) {
			*list = (uint16_t)(allowed->at[i] + 1);
			return true;
		}
	return mp_json_fail(at, "tensor '%.60s' may not lie in pool %llu",
		mp_graph_tensor_label(tensor), (unsigned long long)id);
}

static bool read_placement(struct solution *s, const struct json_at *at)
{
	static const struct json_key keys[] = {
		{"buffer", true}, {"pool", true}, {"offset", true}};
	struct json_at found[countof(keys)];
	struct tensor *tensor;
	uint64_t id = 0, offset = 0;
	uint32_t place;
	uint16_t list = 0;

	if (!mp_json_pick(at, keys, countof(keys), found) ||
		!mp_json_integer(&found[0], &id) ||
		!mp_json_integer(&found[2], &offset))
		return false;
	place = find_buffer(s->graph->dsa, id);
	if (place == NONE || s->placed[place])
		return mp_json_fail(&found[0],
			place == NONE ? "the problem has no such buffer"
				      : "a buffer is placed twice");
	s->placed[place] = true;
	tensor = &s->graph->tensors[s->graph->dsa->buffers[place].tensor];
	if (!find_pool(s->graph, tensor, &found[1], &list))
		return false;
	if (tensor->placed &&
		(tensor->offset != offset || tensor->pools != list))
		return mp_json_fail(&found[2],
			"tensor '%.60s' has to lie at %llu",
			mp_graph_tensor_label(tensor),
			(unsigned long long)tensor->offset);
	tensor->placed = true;
	tensor->offset = offset;
	tensor->pools = list;
	return true;
}

static bool read_placements(struct solution *s, const struct json_at *at)
{
	const struct dsa_problem *problem = s->graph->dsa;

	if (!mp_json_expect_list(at))
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m))
		if (!read_placement(s, &m))
			return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (!s->placed[i])
			return mp_json_fail(at, "buffer %llu has no place",
				(unsigned long long)problem->buffers[i].id);
	return true;
}

static bool read_root(struct solution *s, const struct json_at *root)
{
	enum {
		VERSION,
		FINGERPRINT,
		PLACEMENTS,
		PROFILE,
		INSTANCE,
		METADATA,
		N_KEYS
	};
	static const struct json_key keys[N_KEYS] = {
		{"schema_version", true},
		{"problem_fingerprint", true},
		{"placements", true},
		{"profile", false},
		{"instance", false},
		{"metadata", false},
	};
	struct json_at found[N_KEYS];
	const char *fingerprint = NULL;

	if (!mp_json_pick(root, keys, N_KEYS, found) ||
		!mp_json_text(&found[FINGERPRINT], &fingerprint))
		return false;
	if (strcmp(fingerprint, s->graph->dsa->fingerprint) != 0)
		return mp_json_fail(&found[FINGERPRINT],
			"is a solution of another problem: this one has the "
			"fingerprint %s",
			s->graph->dsa->fingerprint);
	return read_placements(s, &found[PLACEMENTS]);
}

bool mp_input_dsa_solution_read(const struct input_file *file,
	struct graph *graph, struct arena *arena, struct error *e)
{
	struct solution s = {.graph = graph,
		.placed = NEW(arena, bool, graph->dsa->n_buffers)};
	struct json json;
	struct json_at root;
	bool fine;

	if (!s.placed)
		return false;
	fine = mp_json_open(file, &json, arena, e);
	root = mp_json_root(&json);
	fine = fine && read_root(&s, &root);
	mp_json_close(&json);
	return fine;
}
