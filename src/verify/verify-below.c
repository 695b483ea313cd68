/*
 * The parts below the next one. Where thousands of exclusive branches lie in
 * the same bytes, most blocks of parts are of other branches of one choice as a
 * whole, and no pair of them is compared.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/inside.h"

enum {
	BLOCK = 64, /* parts */
};

/* --------------------------------------------------------- branches */

static struct choice_site branch_of(const struct problem *p, uint32_t buffer)
{
	if (!p->choice)
		return (struct choice_site){NONE, 0};
	return (struct choice_site){p->choice[buffer], p->branch[buffer]};
}

/* The branch around a branch; choice NONE: the whole run. */
static struct choice_site around(
	const struct problem *p, struct choice_site branch)
{
	if (!p->sites || branch.choice == NONE)
		return (struct choice_site){NONE, 0};
	return p->sites[branch.choice];
}

static uint32_t depth_of(const struct problem *p, struct choice_site branch)
{
	uint32_t depth = 0;

	for (; branch.choice != NONE; branch = around(p, branch))
		depth++;
	return depth;
}

/* Goes up from the deeper one, then from both, to branches of one choice, or to
 * the whole run. */
static void climb(
	const struct problem *p, struct choice_site *x, struct choice_site *y)
{
	uint32_t depth_x = depth_of(p, *x), depth_y = depth_of(p, *y);

	for (; depth_x > depth_y; depth_x--)
		*x = around(p, *x);
	for (; depth_y > depth_x; depth_y--)
		*y = around(p, *y);
	while (x->choice != y->choice) {
		*x = around(p, *x);
		*y = around(p, *y);
	}
}

bool mp_verify_exclusive(const struct problem *problem, uint32_t a, uint32_t b)
{
	struct choice_site x = branch_of(problem, a);
	struct choice_site y = branch_of(problem, b);

	climb(problem, &x, &y);
	return x.choice != NONE && x.branch != y.branch;
}

/* ----------------------------------------------------------- blocks */

/* Only the last block may be empty, and only a full one is followed by another.
 */
bool mp_verify_below(
	struct verify_below *below, uint32_t n, struct arena *scratch)
{
	uint32_t most = n / BLOCK + 1;

	*below = (struct verify_below){NEW(scratch, struct below_block, most),
		0, NEW(scratch, uint32_t, (size_t)most * BLOCK)};
	return below->blocks && below->room;
}

/* Widens the branches of a block to those of the part. */
static void widen(const struct problem *p, struct below_block *block,
	struct choice_site own)
{
	struct choice_site all = {block->choice, block->first};

	climb(p, &own, &all);
	if (all.choice != block->choice)
		block->first = block->last = all.branch;
	block->choice = all.choice;
	if (own.branch < block->first)
		block->first = own.branch;
	if (own.branch > block->last)
		block->last = own.branch;
}

void mp_verify_below_add(struct verify_below *below,
	const struct problem *problem, uint32_t part)
{
	uint32_t buffer = mp_problem_part(problem, part).buffer;
	struct choice_site own = branch_of(problem, buffer);
	struct below_block *block = &below->blocks[below->n_blocks];

	if (below->n_blocks > 0 && block[-1].n < BLOCK)
		block--;
	else {
		*block = (struct below_block){.parts = below->room};
		below->room += BLOCK;
		below->n_blocks++;
	}
	if (block->n == 0) {
		block->choice = own.choice;
		block->first = block->last = own.branch;
	}
	widen(problem, block, own);
	block->parts[block->n++] = part;
}

bool mp_verify_are_exclusive(const struct problem *problem,
	const struct below_block *block, uint32_t part)
{
	struct choice_site own =
		branch_of(problem, mp_problem_part(problem, part).buffer);
	struct choice_site all = {block->choice, block->first};

	climb(problem, &own, &all);
	if (own.choice == NONE)
		return false;
	if (all.choice != block->choice)
		return own.branch != all.branch;
	return own.branch < block->first || block->last < own.branch;
}
