/*
 * Adds up what banks cost in the handle's plan, and moves buffers within their
 * pools until they cost less. Then the pool is made smaller at that cost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "planners/reuse/cheapen.h"
#include "verify/verify.h"

bool mp_street_count_banks(memplan *m)
{
	struct arena scratch = mp_arena_beside(&m->run);
	struct bank_sums *banks = &m->plan.banks;
	struct verified_banks sum;
	bool fine = mp_verify_banks(&m->plan, &sum, &scratch);

	mp_arena_free(&scratch);
	if (!fine)
		return false;
	assert(banks->bound <= sum.paid && sum.forced <= sum.paid);
	banks->cost = sum.paid;
	banks->n_pairs = sum.n_pairs;
	banks->n_paid = sum.n_paid;
	banks->bound = num_max(banks->bound, sum.forced);
	if (banks->claimed <= banks->bound || banks->claimed > banks->cost)
		banks->claimed = 0;
	return true;
}

enum {
	MOST_TRIES = 6, /* of a smaller pool */
};

struct parting {
	memplan *m;
	const struct run *run;
	struct block *block;
	uint64_t least;	 /* cost of all blocks, as far as proved */
	double deadline; /* 0: none */
	bool is_fenced;	 /* reuse must not cost more than it does */
};

static bool cheapen(struct parting *p, const struct problem *problem,
	uint64_t limit, uint64_t share, struct cheapen *cheapen)
{
	struct job job = mp_street_block_job(
		p->m, p->run, p->block, problem, p->deadline);

	*cheapen = (struct cheapen){.limit = limit};
	job.steps /= share;
	if (!mp_planner_cheapen(&job, cheapen))
		return false;
	p->block->height = job.height;
	p->m->plan.cut_short |= job.cut_short;
	return true;
}

/* The places of the buffers of a block. */
struct places {
	uint64_t *offsets;
	uint64_t height;
};

static bool keep(struct parting *p, struct places *places)
{
	places->offsets = mp_arena_copy(&p->m->run, p->block->offsets,
		p->block->problem->n_buffers, sizeof(*places->offsets));
	places->height = p->block->height;
	return places->offsets != NULL;
}

static void go_back(struct parting *p, const struct places *places)
{
	memcpy(p->block->offsets, places->offsets,
		sizeof(*places->offsets) * p->block->problem->n_buffers);
	p->block->height = places->height;
}

/* A plan of the same cost in less room, from the first plan on: in what that
 * takes, or halfway up to the best, and so on. */
static bool shrink(struct parting *p, const struct problem *problem,
	const struct places *first, uint64_t cost)
{
	uint64_t low = first->height, limit = low;
	struct places best;

	for (uint32_t i = 0; i < MOST_TRIES && limit < p->block->height; i++) {
		struct cheapen tried;

		if (!keep(p, &best))
			return false;
		go_back(p, first);
		if (!cheapen(p, problem, limit, MOST_TRIES, &tried))
			return false;
		if (tried.after > cost) {
			go_back(p, &best);
			low = limit;
		}
		limit = num_up(low + (p->block->height - low) / 2,
			p->block->problem->alignment);
	}
	return true;
}

static bool part_block(
	struct parting *p, const struct problem *problem, struct banks banks)
{
	struct problem with = mp_problem_with_banks(problem, banks);
	struct cheapen done;
	struct places first;

	if (!keep(p, &first) || !cheapen(p, &with, p->block->limit, 1, &done))
		return false;
	if (!p->is_fenced)
		p->least += done.least;
	return shrink(p, &with, &first, done.after);
}

static bool minimise(void *context, struct block *block)
{
	struct parting *p = context;
	const struct problem *whole = p->m->plan.problem;
	struct arena scratch = mp_arena_within(&p->m->run, &p->m->error);
	struct problem fenced = *block->problem;
	bool fine = true;

	p->block = block;
	if (block->space && block->problem->n_bank_costs > 0 &&
		whole->pools[block->space->pool].banks.count > 0) {
		if (p->is_fenced)
			fine = mp_street_fence(
				block, &fenced, &p->m->run, &scratch);
		fine = fine && part_block(p, &fenced,
				       whole->pools[block->space->pool].banks);
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_street_minimise_banks(memplan *m, const struct run *run)
{
	struct parting p = {.m = m, .run = run};
	double start = mp_planner_job_now();

	assert(m->has_plan);
	if (!m->plan.spaces.at || m->plan.problem->n_bank_costs == 0)
		return true;
	p.is_fenced = m->options.minimise_reuse && m->plan.problem->n_costs > 0;
	if (m->options.time_limit > 0)
		p.deadline = start + m->options.time_limit - m->plan.seconds;
	if (!mp_street_each_block(m, run, minimise, &p, "minimise-banks"))
		return false;
	m->plan.seconds += mp_planner_job_now() - start;
	if (m->found.stays)
		return true;
	m->plan.banks.bound = p.least;
	if (!m->results.reuse)
		return true;
	m->results.reuse->minimised = false;
	return mp_street_count_moved(m);
}
