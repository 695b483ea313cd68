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
#include "base/names.h"
#include "base/sink-text.h"
#include "base/sort.h"

/* A batch that is a number, for sorting. */
struct batch {
	const struct joined_handle *handle;
	uint64_t number;
};

static int by_number(const void *left, const void *right)
{
	const struct batch *a = left, *b = right;

	if (a->number != b->number)
		return mp_sort_compare(a->number, b->number);
	return strcmp(a->handle->batch, b->handle->batch);
}

/* ---------------------------------------------------------- tensors */

struct shrunk {
	uint32_t n;
	const struct tensor *before, *after; /* of the first one by id */
};

static bool find_shrunk(const struct graph *small, const struct graph *large,
	struct shrunk *shrunk, struct arena *arena)
{
	struct names names;

	*shrunk = (struct shrunk){0};
	if (!mp_graph_ids(small, &names, arena))
		return false;
	for (uint32_t i = 0; i < large->n_tensors; i++) {
		const struct tensor *after = &large->tensors[i], *before;
		uint32_t t =
			after->id ? mp_names_find(&names, after->id) : NONE;

		if (t == NONE || small->tensors[t].size <= after->size)
			continue;
		before = &small->tensors[t];
		if (shrunk->n++ == 0 ||
			strcmp(before->id, shrunk->before->id) < 0) {
			shrunk->before = before;
			shrunk->after = after;
		}
	}
	return true;
}

static bool compare_pair(
	memplan *m, const struct batch *small, const struct batch *large)
{
	const struct graph *graph = mp_street_graph(small->handle->member);
	struct arena scratch = mp_arena_beside(&m->run);
	struct shrunk shrunk;
	bool fine = find_shrunk(graph, mp_street_graph(large->handle->member),
		&shrunk, &scratch);

	assert(small->number <= large->number);
	if (fine && shrunk.n > 0)
		mp_warn(&m->error,
			"%s: %u tensor%s larger at batch %.40s than at batch "
			"%.40s, first '%.80s': %llu and %llu byte%s; a plan "
			"for the greater batch would not serve the smaller",
			graph->place, shrunk.n, shrunk.n == 1 ? " is" : "s are",
			small->handle->batch, large->handle->batch,
			shrunk.before->id,
			(unsigned long long)shrunk.before->size,
			(unsigned long long)shrunk.after->size,
			mp_text_plural(shrunk.after->size));
	mp_arena_free(&scratch);
	return fine;
}

/* ----------------------------------------------------------- graphs */

static bool is_of_one_file(
	const struct joined_handle *a, const struct joined_handle *b)
{
	return strcmp(mp_street_graph(a->member)->place,
		       mp_street_graph(b->member)->place) == 0;
}

/* The batches of the graph of this handle, from this handle on. */
static uint32_t list_batches(
	const struct joined_handle *first, struct batch *batches)
{
	uint32_t n = 0;

	for (const struct joined_handle *h = first; h; h = h->next) {
		const char *text = h->batch;

		if (text && is_of_one_file(first, h) &&
			mp_bytes_digits(
				&text, UINT64_MAX, &batches[n].number) &&
			*text == '\0')
			batches[n++].handle = h;
	}
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
