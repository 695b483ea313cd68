/*
 * Piles: a few parts of which any two exclude each other lie one above the
 * other, in some order. Of each set of them the lowest end is known from its
 * subsets, as some part is the highest.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "problem/bound.h"
#include "proof/inside.h"

enum {
	CLIQUE_WORK = 1 << 24 /* what finding a clique may take */
};

bool mp_proof_pile_bytes(const struct problem *problem, const uint32_t *parts,
	uint32_t n, uint64_t *bytes, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t n_sets = UINT32_C(1) << n;
	uint64_t *end, low;

	assert(n <= PROOF_MOST_PILE);
	end = NEW(arena, uint64_t, n_sets);
	if (!end)
		return false;
	for (uint32_t set = 1; set < n_sets; set++)
		for (uint32_t i = 0; i < n; i++) {
			const struct part *part = &problem->parts[parts[i]];

			if (!(set >> i & 1))
				continue;
			low = num_max(end[set ^ UINT32_C(1) << i], part->base);
			low = num_up(low - part->base,
				      problem->buffers[part->buffer].align) +
			      part->base + part->size;
			if (end[set] == 0 || low < end[set])
				end[set] = low;
		}
	*bytes = end[n_sets - 1];
	mp_arena_rewind(arena, mark);
	return true;
}

/* Lists the parts that are alive at a step. Returns false if they are too many,
 * or fit anyway: no part but the lowest loses more than its alignment. */
static bool list_parts(const struct problem *p, uint32_t step, uint64_t size,
	uint32_t *parts, uint32_t *n)
{
	uint64_t most = 0;

	*n = 0;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (part->start > step || step >= part->end ||
			(p->choice && p->choice[part->buffer] != NONE))
			continue;
		if (*n == PROOF_MOST_PILE)
			return false;
		parts[(*n)++] = i;
		most += part->base + part->size +
			p->buffers[part->buffer].align;
	}
	return most > size;
}

/* The heaviest clique. False: none weighs more than what is alive at a step. */
static bool list_clique(
	const struct lower_bound *bound, uint32_t *parts, uint32_t *n)
{
	struct ids clique = bound->clique.parts;

	if (bound->kind != BOUND_CLIQUE || clique.n > PROOF_MOST_PILE)
		return false;
	memcpy(parts, clique.at, clique.n * sizeof(*parts));
	*n = clique.n;
	return true;
}

bool mp_proof_pile(const struct problem *problem, uint64_t size, uint64_t work,
	uint32_t *parts, uint32_t *n, struct arena *arena)
{
	struct lower_bound bound = {.kind = BOUND_LOAD};
	uint64_t bytes;

	*n = 0;
	if (problem->n_streams > 1 || problem->n_parts > PROOF_MOST_PARTS ||
		problem->total_size > NUM_MAX_BYTES / 2)
		return true;
	if (work > CLIQUE_WORK && !mp_problem_bound(problem, &bound, arena))
		return false;
	for (uint32_t i = 0; i <= problem->n_parts; i++) {
		bool counts = i == 0 ? list_clique(&bound, parts, n)
				     : list_parts(problem,
					       problem->parts[i - 1].start,
					       size, parts, n);

		if (!counts || (uint64_t)*n << *n > work)
			continue;
		work -= (uint64_t)*n << *n;
		if (!mp_proof_pile_bytes(problem, parts, *n, &bytes, arena))
			return false;
		if (bytes > size)
			return true;
	}
	*n = 0;
	return true;
}
