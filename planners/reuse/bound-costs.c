/*
 * What reuse costs at least, because of buffers that have no room beside each
 * other: of which any two conflict or have a cost between them. What they are
 * larger than the limit has to be shared. A pair shares at most the smaller of
 * its two, so some number of pairs has to pay. Then these pairs count no more,
 * and the next such set is looked for: the bounds add up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/bound-costs.h"

#include "base/sort.h"
#include "problem/clique.h"

enum {
	MOST_CLIQUES = 64 /* that are looked for */
};

struct bounding {
	const struct problem *problem;
	uint64_t limit;
	bool *fenced;	 /* of a pair: it has not counted yet */
	uint64_t *sizes; /* of a buffer: bytes of its parts in the clique */
	uint64_t *shared, *costs; /* of the pairs in the clique */
	struct arena *arena, *scratch;
};

/* Do two buffers that share any byte pay? Their bases are multiples of the
 * alignment. */
static bool counts_wholly(const struct problem *p, const struct costly_pair *c)
{
	const struct buffer *a = &p->buffers[c->a], *b = &p->buffers[c->b];
	uint64_t step =
		a->align % p->alignment == 0 && b->align % p->alignment == 0 &&
				a->offset == NO_OFFSET && b->offset == NO_OFFSET
			? p->alignment
			: 1;

	return c->below > 0 && c->above > 0 &&
	       (uint64_t)c->below + step > a->size &&
	       (uint64_t)c->above + step > b->size;
}

/* Lists the pairs in the clique and drops them. Returns how many they are. */
static uint32_t take_pairs(struct bounding *b)
{
	const struct problem *p = b->problem;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_costs; i++) {
		const struct costly_pair *c = &p->costs[i];
		uint64_t shared = num_min(b->sizes[c->a], b->sizes[c->b]);

		if (!b->fenced[i] || shared == 0)
			continue;
		b->fenced[i] = false;
		b->shared[n] = shared;
		b->costs[n++] = c->cost;
	}
	return n;
}

/* As many of the cheapest pairs as it takes of the largest to share so much. */
static uint64_t cost_of(struct bounding *b, uint32_t n, uint64_t excess)
{
	uint64_t sum = 0, cost = 0;
	uint32_t needed = 0;

	mp_sort_u64(b->shared, n);
	mp_sort_u64(b->costs, n);
	while (needed < n && sum < excess)
		sum += b->shared[n - ++needed];
	for (uint32_t i = 0; i < needed; i++)
		cost += b->costs[i];
	return cost;
}

/* Adds what the clique costs. False: it costs nothing, or there is none. */
static bool add_clique(
	struct bounding *b, const struct clique *clique, uint64_t *least)
{
	const struct problem *p = b->problem;
	uint64_t sum = 0, more;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		b->sizes[i] = 0;
	for (uint32_t i = 0; i < clique->parts.n; i++) {
		const struct part *part = &p->parts[clique->parts.at[i]];

		b->sizes[part->buffer] += part->size;
		sum += part->size;
	}
	if (sum <= b->limit)
		return false;
	more = cost_of(b, take_pairs(b), sum - b->limit);
	*least += more;
	return more > 0;
}

static bool bound_costs(struct bounding *b, uint64_t *least)
{
	bool goes_on = true;

	for (uint32_t i = 0; goes_on && i < MOST_CLIQUES; i++) {
		struct clique clique = {.bytes = b->limit};
		struct problem fenced;

		if (!mp_problem_fence(b->problem, b->fenced, &fenced, b->arena,
			    b->scratch))
			return false;
		if (!fenced.apart)
			return true;
		if (!mp_problem_clique(&fenced, fenced.alignment, &clique,
			    b->arena, b->scratch))
			return false;
		goes_on = clique.parts.n > 0 && add_clique(b, &clique, least);
	}
	return true;
}

bool mp_planner_bound_costs(const struct problem *problem, uint64_t limit,
	uint64_t *least, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	uint32_t n = problem->n_costs;
	struct bounding b = {.problem = problem,
		.limit = limit,
		.fenced = NEW(arena, bool, n),
		.sizes = NEW(arena, uint64_t, problem->n_buffers),
		.shared = NEW(arena, uint64_t, n),
		.costs = NEW(arena, uint64_t, n),
		.arena = arena,
		.scratch = &scratch};
	bool fine = b.fenced && b.sizes && b.shared && b.costs;

	*least = 0;
	for (uint32_t i = 0; fine && i < n; i++)
		b.fenced[i] = counts_wholly(problem, &problem->costs[i]);
	fine = fine && bound_costs(&b, least);
	mp_arena_free(&scratch);
	return fine;
}
