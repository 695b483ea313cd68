/*
 * Cells: runs of bytes between neighbouring edges of tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-cells.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool mp_testing_player_complain(
	struct play *play, const char *what, uint32_t a, uint32_t b)
{
	snprintf(play->complaint, sizeof(play->complaint), "%s: t%u, t%u", what,
		a, b);
	return false;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

void mp_testing_player_list_edges(struct player *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];

		if (!mp_testing_player_takes_bytes(t))
			continue;
		p->edges[n++] = mp_testing_player_low(t);
		p->edges[n++] = mp_testing_player_high(t);
		if (t->low == t->high)
			continue;
		p->edges[n++] = mp_testing_player_at(t) + t->low;
		p->edges[n++] = mp_testing_player_at(t) + t->high;
	}
	assert(n <= PLAY_EDGES);
	qsort(p->edges, n, sizeof(*p->edges), by_value);
	for (uint32_t i = 0; i < n; i++)
		if (p->n_edges == 0 || p->edges[p->n_edges - 1] != p->edges[i])
			p->edges[p->n_edges++] = p->edges[i];
}

struct bytes {
	uint64_t low, high;
};

static struct bytes all_of(const struct play_tensor *t)
{
	return (struct bytes){
		mp_testing_player_low(t), mp_testing_player_high(t)};
}

static struct bytes window_of(const struct play_tensor *t)
{
	return (struct bytes){mp_testing_player_at(t) + t->low,
		mp_testing_player_at(t) + t->high};
}

static bool holds_cell(
	const struct player *p, struct bytes bytes, uint32_t cell)
{
	return bytes.low <= p->edges[cell] && p->edges[cell] < bytes.high;
}

void mp_testing_player_write(struct player *p, uint64_t *cells, uint32_t i)
{
	struct bytes bytes = all_of(&p->play->tensors[i]);

	for (uint32_t c = 0; c + 1 < p->n_edges; c++)
		if (holds_cell(p, bytes, c))
			cells[c] = PLAY_BIT(i);
}

void mp_testing_player_resume(struct player *p, uint64_t *cells, uint32_t i)
{
	const struct play_tensor *t = &p->play->tensors[i];
	struct bytes kept = window_of(t), bytes = all_of(t);

	for (uint32_t c = 0; c + 1 < p->n_edges; c++)
		if (holds_cell(p, bytes, c) && !holds_cell(p, kept, c))
			cells[c] = PLAY_BIT(i);
}

/* The content of the bytes must be of the tensor's writer, or of one of the
 * others. */
static bool need_bytes(struct player *p, const uint64_t *cells, uint32_t i,
	struct bytes bytes, uint64_t others)
{
	uint64_t fine = PLAY_BIT(p->writer[i]) | others;

	for (uint32_t c = 0; c + 1 < p->n_edges; c++)
		if (holds_cell(p, bytes, c) && (cells[c] & ~fine))
			return mp_testing_player_complain(p->play,
				"overwritten", i,
				(uint32_t)__builtin_ctzll(cells[c] & ~fine));
	return true;
}

bool mp_testing_player_need(
	struct player *p, const uint64_t *cells, uint32_t i, uint64_t others)
{
	return !p->alive[i] ||
	       need_bytes(p, cells, i, all_of(&p->play->tensors[i]), others);
}

bool mp_testing_player_need_window(
	struct player *p, const uint64_t *cells, uint32_t i)
{
	return need_bytes(p, cells, i, window_of(&p->play->tensors[i]), 0);
}
