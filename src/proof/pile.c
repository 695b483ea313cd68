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

/* Where a part ends that is the lowest above `end`; UINT64_MAX: its offset is
 * fixed, and not above. */
static uint64_t end_above(
	const struct problem *problem, const struct part *part, uint64_t end)
{
	uint64_t fixed = mp_proof_fixed(problem, part->buffer);
	uint64_t low = num_up(num_max(end, part->base) - part->base,
		problem->buffers[part->buffer].align);

	if (fixed != NO_OFFSET && low > fixed)
		return UINT64_MAX;
	return (fixed == NO_OFFSET ? low : fixed) + part->base + part->size;
}

bool mp_proof_pile_bytes(const struct problem *problem, const uint32_t *parts,
	uint32_t n, uint64_t *bytes, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t n_sets = UINT32_C(1) << n;
	uint64_t *end;

	assert(n <= PROOF_MOST_PILE);
	end = NEW(arena, uint64_t, n_sets);
	if (!end)
		return false;
	for (uint32_t set = 1; set < n_sets; set++) {
		end[set] = UINT64_MAX;
		for (uint32_t i = 0; i < n; i++) {
			uint64_t below = end[set & ~(UINT32_C(1) << i)];

			if (set >> i & 1 && below < UINT64_MAX)
				end[set] = num_min(end[set],
					end_above(problem,
						&problem->parts[parts[i]],
						below));
		}
	}
	*bytes = end[n_sets - 1];
	mp_arena_rewind(arena, mark);
	return true;
}

/* Lists the parts that are alive at a step. Returns false if they are too many,
 * or fit anyway: above the highest that is fixed, no part loses more than its
 * alignment. */
static bool list_parts(const struct problem *p, uint32_t step, uint64_t size,
	uint32_t *parts, uint32_t *n)
{
	uint64_t highest = 0, most = 0, end;

	*n = 0;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];
		uint64_t fixed;

		if (part->start > step || step >= part->end ||
			(p->choice && p->choice[part->buffer] != NONE))
			continue;
		if (*n == PROOF_MOST_PILE)
			return false;
		parts[(*n)++] = i;
		fixed = mp_proof_fixed(p, part->buffer);
		end = part->base + part->size;
		if (fixed == NO_OFFSET)
			most += end + p->buffers[part->buffer].align;
		else
			highest = num_max(highest, fixed + end);
	}
	return highest + most > size;
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

/* On several streams no step tells what is alive together: the heaviest parts
 * of which any two may be. False: there are none, or too many, or two of them
 * never are. */
static bool list_antichain(
	const struct problem *p, uint32_t *parts, uint32_t *n)
{
	if (p->n_antichain == 0 || p->n_antichain > PROOF_MOST_PILE)
		return false;
	for (*n = 0; *n < p->n_antichain; ++*n) {
		parts[*n] = p->antichain[*n];
		for (uint32_t i = 0; i < *n; i++)
			if (!mp_problem_conflict(p, parts[i], parts[*n]))
				return false;
	}
	return true;
}

static bool list_set(const struct problem *p, const struct lower_bound *bound,
	uint32_t *parts, uint32_t *n)
{
	return p->n_streams > 1 ? list_antichain(p, parts, n)
				: list_clique(bound, parts, n);
}

bool mp_proof_pile(const struct problem *problem, uint64_t size, uint64_t work,
	uint32_t *parts, uint32_t *n, struct arena *arena)
{
	struct lower_bound bound = {.kind = BOUND_LOAD};
	bool by_steps = problem->n_streams <= 1;
	uint64_t bytes;

	*n = 0;
	if (problem->n_parts > PROOF_MOST_PARTS ||
		problem->total_size > NUM_MAX_BYTES / 2)
		return true;
	if (by_steps && work > CLIQUE_WORK &&
		!mp_problem_bound(problem, &bound, arena))
		return false;
	for (uint32_t i = 0; i <= (by_steps ? problem->n_parts : 0); i++) {
		bool counts = i == 0 ? list_set(problem, &bound, parts, n)
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
