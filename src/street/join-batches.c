/*
 * Several batches of one graph: checks that tensors grow with the batch. A plan
 * for the greatest batch serves the smaller ones only if they do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* A batch that is a number, for sorting. */
struct batch {
	const struct joined_handle *handle;
	uint64_t number;
};

static int by_number(const void *left, const void *right)
{
	const struct batch *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return strcmp(a->handle->batch, b->handle->batch);
}

static bool read_number(const char *text, uint64_t *number)
{
	return mp_bytes_digits(&text, UINT64_MAX, number) && *text == '\0';
}

/* ---------------------------------------------------------- tensors */

struct sized {
	const char *id;
	uint64_t size;
};

static int by_id(const void *left, const void *right)
{
	const struct sized *a = left, *b = right;

	return strcmp(a->id, b->id);
}

/* The tensors that have ids, sorted by id. */
static struct sized *sort_tensors(
	const struct batch *batch, uint32_t *n, struct arena *arena)
{
	const struct graph *graph = mp_street_graph(batch->handle->part);
	struct sized *list = NEW(arena, struct sized, graph->n_tensors);

	*n = 0;
	for (uint32_t i = 0; list && i < graph->n_tensors; i++)
		if (graph->tensors[i].id)
			list[(*n)++] = (struct sized){
				graph->tensors[i].id, graph->tensors[i].size};
	if (list)
		qsort(list, *n, sizeof(*list), by_id);
	return list;
}

struct shrunk {
	uint32_t n;
	struct sized before, after; /* of the first one */
};

/* Both ascend by id. */
static struct shrunk find_shrunk(const struct sized *small, uint32_t n_small,
	const struct sized *large, uint32_t n_large)
{
	struct shrunk shrunk = {0};
	uint32_t i = 0, k = 0;

	while (i < n_small && k < n_large) {
		int order = by_id(&small[i], &large[k]);

		if (order == 0 && small[i].size > large[k].size &&
			shrunk.n++ == 0) {
			shrunk.before = small[i];
			shrunk.after = large[k];
		}
		i += order <= 0;
		k += order >= 0;
	}
	return shrunk;
}

/* ---------------------------------------------------------- warning */

static void warn(memplan *m, const struct batch *small,
	const struct batch *large, const struct shrunk *shrunk)
{
	mp_warn(&m->error,
		"%s: %u tensor%s larger at batch %.40s than at batch %.40s, "
		"first '%.80s': %llu and %llu bytes; a plan for the greater "
		"batch would not serve the smaller",
		mp_street_graph(small->handle->part)->place, shrunk->n,
		shrunk->n == 1 ? " is" : "s are", small->handle->batch,
		large->handle->batch, shrunk->before.id,
		(unsigned long long)shrunk->before.size,
		(unsigned long long)shrunk->after.size);
}

static bool compare_pair(
	memplan *m, const struct batch *small, const struct batch *large)
{
	struct arena scratch = mp_arena_beside(&m->run);
	uint32_t n_small, n_large;
	struct sized *before = sort_tensors(small, &n_small, &scratch);
	struct sized *after = sort_tensors(large, &n_large, &scratch);
	bool fine = before && after;
	struct shrunk shrunk;

	assert(small->number <= large->number);
	if (fine) {
		shrunk = find_shrunk(before, n_small, after, n_large);
		if (shrunk.n > 0)
			warn(m, small, large, &shrunk);
	}
	mp_arena_free(&scratch);
	return fine;
}

/* ----------------------------------------------------------- graphs */

static bool is_of_one_file(
	const struct joined_handle *a, const struct joined_handle *b)
{
	return strcmp(mp_street_graph(a->part)->place,
		       mp_street_graph(b->part)->place) == 0;
}

/* The batches of the graph of this handle, from this handle on. */
static uint32_t list_batches(
	const struct joined_handle *first, struct batch *batches)
{
	uint32_t n = 0;

	for (const struct joined_handle *h = first; h; h = h->next)
		if (h->batch && is_of_one_file(first, h) &&
			read_number(h->batch, &batches[n].number))
			batches[n++].handle = h;
	return n;
}

/* True for the first handle of each graph. */
static bool is_first(const memplan *m, const struct joined_handle *handle)
{
	for (const struct joined_handle *h = m->joined; h != handle;
		h = h->next)
		if (is_of_one_file(h, handle))
			return false;
	return true;
}

bool mp_street_compare_batches(memplan *m)
{
	struct batch *batches = NEW(&m->run, struct batch, m->n_joined);

	if (!batches)
		return false;
	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		uint32_t n = is_first(m, h) ? list_batches(h, batches) : 0;

		if (n > 1)
			qsort(batches, n, sizeof(*batches), by_number);
		for (uint32_t i = 1; i < n; i++)
			if (!compare_pair(m, &batches[i - 1], &batches[i]))
				return false;
	}
	return true;
}
