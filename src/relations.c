/*
 * What the input says of pairs of tensors becomes a matter of buffers: which
 * two never share a byte, and which never live in the same run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sharing.h"

#include <stdlib.h>

/* -------------------------------------------------------------------- apart */

struct pair {
	uint32_t a, b;
};

static int by_first(const void *left, const void *right)
{
	const struct pair *x = left, *y = right;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static bool contradicts(const struct sharing *s, const struct tensor_pair *p)
{
	return mp_fail(s->error, MEMPLAN_EINPUT,
		"%s: tensors '%.80s' and '%.80s' are to be apart, but are "
		"bytes of one buffer",
		s->graph->place, mp_tensor_label(&s->graph->tensors[p->a]),
		mp_tensor_label(&s->graph->tensors[p->b]));
}

/* Both ways round. An output never takes over the bytes of what it is to be
 * apart from, so that two tensors of one buffer are tied by the input. */
static bool list_pairs(const struct sharing *s, struct pair *pairs, uint32_t *n)
{
	const struct ties *ties = &s->graph->ties;
	const struct item *items = s->problem->items;

	*n = 0;
	for (uint32_t i = 0; i < ties->n_apart; i++) {
		uint32_t a = items[ties->apart[i].a].buffer;
		uint32_t b = items[ties->apart[i].b].buffer;

		if (a == NONE || b == NONE)
			continue;
		if (a == b)
			return contradicts(s, &ties->apart[i]);
		pairs[(*n)++] = (struct pair){a, b};
		pairs[(*n)++] = (struct pair){b, a};
	}
	qsort(pairs, *n, sizeof(*pairs), by_first);
	return true;
}

static bool fill_apart(struct sharing *s)
{
	struct problem *p = s->problem;
	uint32_t n = s->graph->ties.n_apart * 2, kept = 0;
	struct pair *pairs = NEW(s->scratch, struct pair, n);
	uint32_t *first = NEW(s->arena, uint32_t, (size_t)p->n_buffers + 1);
	uint32_t *apart = NEW(s->arena, uint32_t, n);

	if (!pairs || !first || !apart || !list_pairs(s, pairs, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 && by_first(&pairs[i - 1], &pairs[i]) == 0)
			continue;
		first[pairs[i].a + 1]++;
		apart[kept++] = pairs[i].b;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		first[i + 1] += first[i];
	if (kept == 0)
		return true;
	p->first_apart = first;
	p->apart = apart;
	return true;
}

/* ---------------------------------------------------------------- branches */

/* Where nobody is of a branch, there is no choice; a plan does not list it. */
static void keep_choices(
	struct problem *p, const uint32_t *choice, const uint32_t *branch)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (choice[i] != NONE) {
			p->choice = choice;
			p->branch = branch;
		}
	if (!p->choice)
		p->n_choices = 0;
}

/* A buffer is of a branch if all that is in it is. */
static bool fill_branches(struct sharing *s)
{
	struct problem *p = s->problem;
	const struct ties *ties = &s->graph->ties;
	uint32_t *choice = NEW(s->arena, uint32_t, p->n_buffers);
	uint32_t *branch = NEW(s->arena, uint32_t, p->n_buffers);
	uint32_t *items = NEW(s->scratch, uint32_t, p->n_buffers);
	uint32_t *chosen = NEW(s->scratch, uint32_t, p->n_buffers);

	if (!choice || !branch || !items || !chosen)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].buffer != NONE)
			items[p->items[i].buffer]++;
	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *at = &ties->branches[i];
		uint32_t buffer = p->items[at->tensor].buffer;

		if (buffer == NONE || mp_item_outlives(&p->items[at->tensor]))
			continue;
		if (chosen[buffer] == 0) {
			choice[buffer] = at->choice;
			branch[buffer] = at->branch;
		}
		chosen[buffer] += choice[buffer] == at->choice &&
				  branch[buffer] == at->branch;
		if (at->choice >= p->n_choices)
			p->n_choices = at->choice + 1;
	}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (items[i] == 0 || chosen[i] != items[i])
			choice[i] = NONE;
	keep_choices(p, choice, branch);
	return true;
}

bool mp_relations_fill(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	return (ties->n_apart == 0 || fill_apart(s)) &&
	       (ties->n_branches == 0 || fill_branches(s));
}
