/*
 * Bounds propagation over disjunctive arcs: see arcs.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/arcs.h"

#include <assert.h>

enum {
	/* Rounds of propagation a buffer before it is given up. Without
	 * alignments n + 1 rounds show a cycle; rounding up and down may take
	 * longer, by at most the steps of the greatest alignment. */
	PATIENCE = 64
};

/* ------------------------------------------------------------ pairs */

static void add_pair(struct arcs *arcs, uint32_t a, uint32_t b)
{
	const struct part *first = &arcs->problem->parts[a];
	const struct part *second = &arcs->problem->parts[b];
	int64_t low_a = (int64_t)first->base, low_b = (int64_t)second->base;

	arcs->pairs[arcs->n_pairs++] = (struct pair){first->buffer,
		second->buffer, low_a + (int64_t)first->size - low_b,
		low_b + (int64_t)second->size - low_a, OPEN};
}

/* False: there are more than ARCS_MOST_PAIRS. */
static bool find_pairs(struct arcs *arcs)
{
	const struct problem *p = arcs->problem;

	for (uint32_t a = 0; a < p->n_parts; a++)
		for (uint32_t b = a + 1; b < p->n_parts; b++) {
			if (p->parts[a].buffer == p->parts[b].buffer ||
				!mp_problem_conflict(p, a, b))
				continue;
			if (arcs->n_pairs == ARCS_MOST_PAIRS)
				return false;
			add_pair(arcs, a, b);
		}
	return true;
}

bool mp_planner_arcs_fit(const struct problem *p)
{
	return p->n_buffers <= ARCS_MOST_BUFFERS &&
	       p->n_parts <= ARCS_MOST_PARTS &&
	       p->total_size < NUM_MAX_BYTES / 8;
}

bool mp_planner_arcs_init(
	struct arcs *arcs, const struct problem *problem, struct arena *arena)
{
	uint64_t n = problem->n_parts;
	uint64_t most = num_min(n * (n - 1) / 2, ARCS_MOST_PAIRS);

	assert(mp_planner_arcs_fit(problem));
	*arcs = (struct arcs){.problem = problem};
	arcs->pairs = NEW(arena, struct pair, most);
	arcs->bases = NEW(arena, struct bases, problem->n_buffers);
	arcs->decided = NEW(arena, uint32_t, most);
	return arcs->pairs && arcs->bases && arcs->decided && find_pairs(arcs);
}

/* ------------------------------------------------------ propagation */

static bool raise_least(struct arcs *arcs, uint32_t buffer, int64_t least)
{
	struct bases *b = &arcs->bases[buffer];
	uint64_t align = arcs->problem->buffers[buffer].align;

	if (least <= b->least)
		return false;
	b->least = least > b->most ? least
				   : (int64_t)num_up((uint64_t)least, align);
	return true;
}

static bool lower_most(struct arcs *arcs, uint32_t buffer, int64_t most)
{
	struct bases *b = &arcs->bases[buffer];
	uint64_t align = arcs->problem->buffers[buffer].align;

	if (most >= b->most)
		return false;
	b->most = most < b->least ? most
				  : (int64_t)((uint64_t)most & ~(align - 1));
	return true;
}

/* True if the bases of one of the two have changed. */
static bool keep_apart(
	struct arcs *arcs, uint32_t lower, uint32_t upper, int64_t difference)
{
	bool changed =
		raise_least(arcs, upper, arcs->bases[lower].least + difference);

	return lower_most(arcs, lower, arcs->bases[upper].most - difference) ||
	       changed;
}

static bool is_empty(const struct bases *bases)
{
	return bases->least > bases->most;
}

void mp_planner_arcs_decide(struct arcs *arcs, uint32_t pair, enum side side)
{
	assert(pair < arcs->n_pairs && arcs->n_decided < arcs->n_pairs);
	assert(side != OPEN && arcs->pairs[pair].side == OPEN);
	arcs->pairs[pair].side = (uint8_t)side;
	arcs->decided[arcs->n_decided++] = pair;
}

int64_t mp_planner_arcs_slack(
	const struct arcs *arcs, const struct pair *pair, enum side side)
{
	const struct bases *first = &arcs->bases[pair->first];
	const struct bases *second = &arcs->bases[pair->second];

	return side == FIRST_BELOW ? second->most - first->least - pair->below
				   : first->most - second->least - pair->above;
}

/* Decides a pair that has one way left, and keeps its buffers apart. False:
 * the pair has no way left. */
static bool propagate_pair(struct arcs *arcs, uint32_t i, bool *changed)
{
	struct pair *pair = &arcs->pairs[i];
	bool below = mp_planner_arcs_slack(arcs, pair, FIRST_BELOW) >= 0;

	if (pair->side == OPEN) {
		bool above =
			mp_planner_arcs_slack(arcs, pair, FIRST_ABOVE) >= 0;

		if (below == above)
			return below;
		mp_planner_arcs_decide(
			arcs, i, below ? FIRST_BELOW : FIRST_ABOVE);
	}
	*changed |= pair->side == FIRST_BELOW
			    ? keep_apart(arcs, pair->first, pair->second,
				      pair->below)
			    : keep_apart(arcs, pair->second, pair->first,
				      pair->above);
	return !is_empty(&arcs->bases[pair->first]) &&
	       !is_empty(&arcs->bases[pair->second]);
}

/* True if the decided pairs put a buffer above itself: then the least bases,
 * without rounding, still grow after as many rounds as there are buffers
 * (Bellman, Ford). */
static bool has_cycle(const struct arcs *arcs)
{
	int64_t base[ARCS_MOST_BUFFERS] = {0}, least;
	uint32_t rounds = arcs->problem->n_buffers + 1;
	bool changed = true;

	for (; changed && rounds > 0; rounds--) {
		changed = false;
		for (uint32_t i = 0; i < arcs->n_decided; i++) {
			const struct pair *p = &arcs->pairs[arcs->decided[i]];
			bool below = p->side == FIRST_BELOW;
			int64_t *upper = &base[below ? p->second : p->first];

			least = below ? base[p->first] + p->below
				      : base[p->second] + p->above;
			changed |= least > *upper;
			*upper = least > *upper ? least : *upper;
		}
	}
	return changed;
}

/* A cycle shows after n + 1 rounds; rounding to alignments may go on longer. */
bool mp_planner_arcs_propagate(struct arcs *arcs, uint64_t *work)
{
	uint32_t n = arcs->problem->n_buffers, rounds = 0, decided;
	bool changed = true;

	for (uint32_t i = 0; i < n; i++)
		if (is_empty(&arcs->bases[i]))
			return false;
	while (changed) {
		changed = false;
		decided = arcs->n_decided;
		for (uint32_t i = 0; i < arcs->n_pairs; i++)
			if (!propagate_pair(arcs, i, &changed))
				return false;
		*work += arcs->n_pairs;
		rounds = arcs->n_decided > decided ? 0 : rounds + 1;
		if (rounds == n + 1 && has_cycle(arcs))
			return false;
		arcs->is_lost = rounds > n * PATIENCE;
		if (arcs->is_lost)
			return false;
	}
	return true;
}

/* --------------------------------------------------- start and undo */

void mp_planner_arcs_clip(struct arcs *arcs, int64_t limit)
{
	const struct buffer *buffers = arcs->problem->buffers;

	for (uint32_t i = 0; i < arcs->problem->n_buffers; i++)
		lower_most(arcs, i, limit - (int64_t)buffers[i].size);
}

void mp_planner_arcs_undo(struct arcs *arcs, uint32_t n_decided)
{
	assert(n_decided <= arcs->n_decided);
	while (arcs->n_decided > n_decided)
		arcs->pairs[arcs->decided[--arcs->n_decided]].side = OPEN;
}

void mp_planner_arcs_start(struct arcs *arcs, int64_t limit)
{
	const struct problem *p = arcs->problem;

	assert(limit >= 0);
	mp_planner_arcs_undo(arcs, 0);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		int64_t fixed = (int64_t)p->buffers[i].offset;

		arcs->bases[i] = (struct bases){0, limit};
		if (p->buffers[i].offset != NO_OFFSET)
			arcs->bases[i] = (struct bases){fixed, fixed};
	}
	mp_planner_arcs_clip(arcs, limit);
}
