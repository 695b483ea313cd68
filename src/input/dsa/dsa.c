/*
 * Problems of dsa-solver, schema version 1; docs/formats/dsa.md. Its buffers
 * are tensors with fixed lifetimes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/dsa/dsa.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "input/rows.h"

/* Are the letters somewhere in the text? The one in the middle is looked for:
 * it is rarer than the quote in front. */
static bool mentions(const char *at, const char *end, const char *letters)
{
	size_t n = strlen(letters), middle = n / 2;

	for (; (size_t)(end - at) >= n; at++) {
		at = memchr(at + middle, letters[middle],
			(size_t)(end - at) - n + 1);
		if (!at)
			return false;
		at -= middle;
		if (memcmp(at, letters, n) == 0)
			return true;
	}
	return false;
}

/* The keys may be anywhere: their version stands last if keys are sorted. */
bool mp_input_dsa_recognise(const struct input_file *file)
{
	const char *at = mp_json_begin(file), *end = file->bytes + file->length;

	return *at == '{' && mentions(at, end, "\"schema_version\"") &&
	       mentions(at, end, "\"problem\"");
}

/* ------------------------------------------------------------- root */

enum {
	R_SCHEMA_VERSION,
	R_PROFILE,
	R_INSTANCE,
	R_PROBLEM,
	R_METADATA,
	R_RELAXED_FROM,
	R_RELAXED_FEATURES,
	N_ROOT_KEYS,
};

static const struct json_key root_keys[N_ROOT_KEYS] = {
	{"schema_version", true},
	{"profile", true},
	{"instance", true},
	{"problem", true},
	{"metadata", false},
	{"relaxed_from", false},
	{"relaxed_features", false},
};

enum {
	P_POOLS,
	P_BUFFERS,
	P_CONSTRAINTS,
	P_OBJECTIVE,
	P_COST_MODEL,
	P_STRUCTURE,
	N_PROBLEM_KEYS,
};

static const struct json_key problem_keys[N_PROBLEM_KEYS] = {
	{"pools", true},
	{"buffers", true},
	{"constraints", true},
	{"objective", true},
	{"cost_model", false},
	{"pypto_structure", false},
};

static const struct json_key constraint_keys[] = {
	{"colocations", true},
	{"separations", true},
	{"temporal_exclusions", true},
	{"pinned_allocations", true},
};

static bool check_version(const struct json_at *at)
{
	uint64_t version = 0;

	return mp_json_integer(at, &version) &&
	       (version == 1 ||
		       mp_json_fail(at, "must be 1: no other is known"));
}

static bool check_profile(const struct json_at *at, const char *profile)
{
	static const char *const profiles[] = {"standard_dsa", "dsa_rp_v1",
		"pypto_structured", "pypto_hard_v1", "pypto_research_v1",
		"pypto_core_relaxation"};

	for (size_t i = 0; i < countof(profiles); i++)
		if (strcmp(profile, profiles[i]) == 0)
			return true;
	return mp_json_fail(at, "unknown profile '%.60s'", profile);
}

/* --------------------------------------------------------- solution */

static int by_id(const void *left, const void *right)
{
	const struct dsa_buffer_id *a = left, *b = right;

	return mp_sort_compare(a->id, b->id);
}

/* What a solution needs. */
static bool keep_ids(struct dsa *d, struct dsa_problem *problem)
{
	struct dsa_buffer_id *buffers =
		NEW(d->arena, struct dsa_buffer_id, d->n_buffers);
	uint64_t *pools = NEW(d->arena, uint64_t, d->n_pools);

	if (!buffers || !pools)
		return false;
	for (uint32_t i = 0; i < d->n_buffers; i++)
		buffers[i] = (struct dsa_buffer_id){
			d->buffers[i].id, d->buffers[i].tensor};
	qsort(buffers, d->n_buffers, sizeof(*buffers), by_id);
	for (uint32_t i = 0; i < d->n_pools; i++)
		if (d->pools[i].is_used)
			pools[d->pools[i].place] = d->pools[i].id;
	problem->buffers = buffers;
	problem->n_buffers = d->n_buffers;
	problem->pool_ids = pools;
	return true;
}

/* ----------------------------------------------------------- reader */

static bool read_problem(
	struct dsa *d, const struct json_at *at, struct dsa_problem *problem)
{
	struct json_at found[N_PROBLEM_KEYS], each[countof(constraint_keys)];
	const struct json_at *constraints = &found[P_CONSTRAINTS];

	return mp_json_pick(at, problem_keys, N_PROBLEM_KEYS, found) &&
	       mp_json_pick(constraints, constraint_keys,
		       countof(constraint_keys), each) &&
	       mp_input_dsa_pools(d, &found[P_POOLS]) &&
	       mp_input_dsa_buffers(d, &found[P_BUFFERS]) &&
	       mp_input_dsa_places(d, constraints) && mp_input_dsa_tensors(d) &&
	       mp_input_dsa_separations(d, constraints) &&
	       mp_input_dsa_exclusions(d, constraints) &&
	       mp_input_dsa_reserved(d, &found[P_POOLS]) &&
	       mp_input_dsa_penalties(d, &found[P_COST_MODEL]) &&
	       keep_ids(d, problem);
}

static bool read_root(struct dsa *d, const struct json_at *root)
{
	struct dsa_problem *problem = NEW(d->arena, struct dsa_problem, 1);
	struct json_at found[N_ROOT_KEYS];

	if (!problem || !mp_json_pick(root, root_keys, N_ROOT_KEYS, found) ||
		!check_version(&found[R_SCHEMA_VERSION]) ||
		!mp_json_copy(&found[R_PROFILE], &problem->profile, d->arena) ||
		!check_profile(&found[R_PROFILE], problem->profile) ||
		!mp_json_copy(&found[R_INSTANCE], &problem->instance, d->arena))
		return false;
	d->graph->name = problem->instance;
	d->graph->dsa = problem;
	problem->fingerprint = mp_input_dsa_fingerprint(root, d->arena);
	return problem->fingerprint &&
	       read_problem(d, &found[R_PROBLEM], problem);
}

bool mp_input_dsa_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct dsa d = {.graph = graph,
		.alignment = input->alignment ? input->alignment : 1,
		.arena = arena,
		.error = e};
	struct json json;
	struct json_at root;
	bool fine = mp_json_open(&input->files[ROLE_MAIN], &json, arena, e);

	graph->alignment = d.alignment;
	root = mp_json_root(&json);
	fine = fine && read_root(&d, &root);
	mp_json_close(&json);
	return fine;
}
