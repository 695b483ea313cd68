/*
 * Aliases: what content each should have, and which bytes of it were rightly
 * overwritten since.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX
#define OPEN (UINT32_MAX - 1) /* the search for its root is under way */

static const struct memplan_tensor *tensor_at(const struct run *run, uint32_t t)
{
	return &run->plan->tensors[t];
}

static int writes_to_root(const struct run *run, uint32_t t)
{
	return mp_replay_is_alias(run, t) && tensor_at(run, t)->writes &&
	       mp_replay_takes_bytes(run, t);
}

/* ------------------------------------------------------------ roots */

static int is_sound(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = tensor_at(run, t), *of;

	if (!tensor->is_alias)
		return 1;
	if (tensor->alias_of >= run->plan->n_tensors)
		return 0;
	of = tensor_at(run, tensor->alias_of);
	return tensor->size <= of->size &&
	       tensor->alias_offset <= of->size - tensor->size;
}

static void resolve_tie(struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = tensor_at(run, t);
	struct ties *ties = &run->ties;
	uint32_t of = tensor->alias_of;

	assert(ties->root[t] == OPEN);
	ties->root[t] = ties->content[t] = t;
	if (!tensor->is_alias)
		return;
	ties->root[t] = ties->root[of];
	ties->base[t] = ties->base[of] + tensor->alias_offset;
	if (!tensor->writes)
		ties->content[t] = ties->content[of];
}

/* Walks up to a tensor with a known root, then down again to set it. */
static int find_root(struct run *run, uint32_t t, uint32_t *way)
{
	uint32_t *root = run->ties.root, n = 0;

	while (root[t] == UNKNOWN) {
		if (!is_sound(run, t))
			return 1;
		root[t] = OPEN;
		way[n++] = t;
		if (tensor_at(run, t)->is_alias)
			t = tensor_at(run, t)->alias_of;
	}
	if (root[t] == OPEN && tensor_at(run, t)->is_alias)
		return 1;
	while (n > 0)
		resolve_tie(run, way[--n]);
	return 0;
}

static enum memplan_status find_roots(struct run *run)
{
	uint32_t n = run->plan->n_tensors, failed = 0;
	uint32_t *way = mp_replay_array(run, n, sizeof(*way));

	if (run->is_out)
		return MEMPLAN_ENOMEM;
	memset(run->ties.root, 0xff, sizeof(*run->ties.root) * n);
	for (uint32_t t = 0; t < n && !failed; t++)
		failed = (uint32_t)find_root(run, t, way);
	return failed ? MEMPLAN_EUSAGE : MEMPLAN_OK;
}

static void find_ends(struct run *run)
{
	struct ties *ties = &run->ties;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		uint32_t root = ties->root[t];

		ties->shared[root] |= root != t;
		if (ties->end[root] < tensor_at(run, t)->end)
			ties->end[root] = tensor_at(run, t)->end;
	}
}

/* ----------------------------------------------------------- pieces */

static int compare_offsets(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Counts the boundaries at which each root is cut: both ends of what each
 * tensor writes there, and one end of the root. */
static void count_pieces(struct run *run)
{
	uint32_t *first = run->ties.first_piece, n = run->plan->n_tensors;

	for (uint32_t t = 0; t < n; t++)
		if (writes_to_root(run, t))
			first[run->ties.root[t] + 1] += 2;
	for (uint32_t t = 0; t < n; t++)
		first[t + 1] += first[t] + (first[t + 1] > 0);
}

static void fill_pieces(struct run *run, uint32_t *filled)
{
	struct ties *ties = &run->ties;
	uint64_t *at;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		uint32_t root = ties->root[t];

		if (!writes_to_root(run, t))
			continue;
		at = &ties->from[ties->first_piece[root] + filled[root]];
		at[1] = ties->base[t];
		at[2] = ties->base[t] + tensor_at(run, t)->size;
		filled[root] += 2;
	}
	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		at = &ties->from[ties->first_piece[t]];
		if (filled[t] > 0)
			qsort(at, filled[t] + 1, sizeof(*at), compare_offsets);
		if (ties->root[t] == t)
			mp_replay_own(run, t);
	}
}

static enum memplan_status make_pieces(struct run *run)
{
	struct ties *ties = &run->ties;
	uint32_t n = run->plan->n_tensors, *filled, pieces;

	count_pieces(run);
	pieces = ties->first_piece[n];
	filled = mp_replay_array(run, n, sizeof(*filled));
	ties->from = mp_replay_array(run, pieces, sizeof(*ties->from));
	ties->owner = mp_replay_array(run, pieces, sizeof(*ties->owner));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	fill_pieces(run, filled);
	return MEMPLAN_OK;
}

/* The last piece that begins at or before a byte of the root. */
static uint32_t piece_at(const struct run *run, uint32_t root, uint64_t at)
{
	const struct ties *ties = &run->ties;
	uint32_t low = ties->first_piece[root];
	uint32_t high = ties->first_piece[root + 1];

	assert(low < high && ties->from[low] <= at);
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (ties->from[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void mp_replay_own(struct run *run, uint32_t t)
{
	struct ties *ties = &run->ties;
	uint32_t root = ties->root[t], last = ties->first_piece[root + 1];
	uint64_t end = ties->base[t] + tensor_at(run, t)->size;

	if (ties->first_piece[root] == last)
		return;
	for (uint32_t i = piece_at(run, root, ties->base[t]);
		i < last && ties->from[i] < end; i++)
		ties->owner[i] = t;
}

uint64_t mp_replay_piece(
	const struct run *run, uint32_t t, uint64_t at, uint32_t *owner)
{
	const struct ties *ties = &run->ties;
	uint32_t root = ties->root[t], last = ties->first_piece[root + 1], i;
	uint64_t size = tensor_at(run, t)->size;

	assert(at <= size);
	*owner = root;
	if (ties->first_piece[root] == last)
		return size;
	i = piece_at(run, root, ties->base[t] + at);
	*owner = ties->owner[i];
	while (++i < last && ties->owner[i] == *owner)
		;
	if (i == last || ties->from[i] - ties->base[t] > size)
		return size;
	return ties->from[i] - ties->base[t];
}

/* ------------------------------------------------------------ whole */

enum memplan_status mp_replay_tie(struct run *run)
{
	struct ties *ties = &run->ties;
	uint32_t n = run->plan->n_tensors;
	enum memplan_status status;

	ties->root = mp_replay_array(run, n, sizeof(*ties->root));
	ties->content = mp_replay_array(run, n, sizeof(*ties->content));
	ties->base = mp_replay_array(run, n, sizeof(*ties->base));
	ties->end = mp_replay_array(run, n, sizeof(*ties->end));
	ties->shared = mp_replay_array(run, n, sizeof(*ties->shared));
	ties->first_piece = mp_replay_array(run, n, sizeof(*ties->first_piece));
	status = find_roots(run);
	if (status != MEMPLAN_OK)
		return status;
	find_ends(run);
	return make_pieces(run);
}
