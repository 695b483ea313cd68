/*
 * A segment tree that is walked from the leaves up: see inside.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/inside.h"

#include <assert.h>

static bool count_births(struct verify_skyline *skyline,
	const struct problem *p, struct arena *arena)
{
	uint32_t *births = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	uint32_t n = 0, here;

	if (!births)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		births[mp_problem_part(p, i).start] = 1;
	for (uint32_t k = 0; k <= p->n_steps; k++) {
		here = births[k];
		births[k] = n;
		n += here;
	}
	skyline->births = births;
	return true;
}

bool mp_verify_skyline(struct verify_skyline *skyline, const struct problem *p,
	struct arena *arena)
{
	uint32_t leaves = 1;

	if (!count_births(skyline, p, arena))
		return false;
	while (leaves < skyline->births[p->n_steps])
		leaves *= 2;
	skyline->leaves = leaves;
	skyline->highest = NEW(arena, uint64_t, (size_t)leaves * 2);
	skyline->cover = NEW(arena, uint64_t, leaves);
	return skyline->highest && skyline->cover;
}

/* Walks up from both ends. */
uint64_t mp_verify_top(
	const struct verify_skyline *s, uint32_t start, uint32_t end)
{
	uint32_t a = start + s->leaves, b = end - 1 + s->leaves;
	uint64_t top = num_max(s->highest[a], s->highest[b]);

	assert(start < end && end <= s->leaves);
	for (; a / 2 != b / 2; a /= 2, b /= 2) {
		if (a % 2 == 0)
			top = num_max(top, s->highest[a + 1]);
		if (b % 2 == 1)
			top = num_max(top, s->highest[b - 1]);
	}
	for (a = (start + s->leaves) / 2; a; a /= 2)
		top = num_max(top, s->cover[a]);
	for (b = (end - 1 + s->leaves) / 2; b; b /= 2)
		top = num_max(top, s->cover[b]);
	return top;
}

static void raise_node(struct verify_skyline *s, uint32_t node, uint64_t top)
{
	s->highest[node] = num_max(s->highest[node], top);
	if (node < s->leaves)
		s->cover[node] = num_max(s->cover[node], top);
}

void mp_verify_raise(
	struct verify_skyline *s, uint32_t start, uint32_t end, uint64_t top)
{
	uint32_t a = start + s->leaves, b = end - 1 + s->leaves;

	assert(start < end && end <= s->leaves);
	raise_node(s, a, top);
	raise_node(s, b, top);
	for (; a / 2 != b / 2; a /= 2, b /= 2) {
		if (a % 2 == 0)
			raise_node(s, a + 1, top);
		if (b % 2 == 1)
			raise_node(s, b - 1, top);
		s->highest[a / 2] = num_max(s->highest[a / 2], top);
		s->highest[b / 2] = num_max(s->highest[b / 2], top);
	}
	for (a /= 2; a; a /= 2)
		s->highest[a] = num_max(s->highest[a], top);
}
