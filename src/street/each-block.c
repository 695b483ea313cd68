/*
 * The blocks of memory of the handle's plan, each planned further by itself: no
 * buffer changes its pool.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "verify/verify.h"

/* The plan may take the whole capacity; without one, the smallest arena found.
 */
static bool work_on_arena(
	memplan *m, const struct run *run, mp_street_block *work, void *context)
{
	struct block block = {.problem = m->plan.problem,
		.offsets = m->plan.offsets,
		.height = m->plan.arena_size,
		.limit = m->plan.arena_size};

	if (run->capacity != UINT64_MAX && !m->options.tight)
		block.limit = run->capacity;
	if (!work(context, &block))
		return false;
	m->plan.arena_size = block.height;
	return true;
}

/* The blocks of a pool share its capacity, so no block may grow. */
static uint64_t limit_of(const struct problem *p, const struct space *space)
{
	const struct memory_pool *pool = &p->pools[space->pool];

	if (pool->chunk && pool->capacity == NO_CAPACITY)
		return pool->chunk;
	return pool->chunk || pool->capacity == NO_CAPACITY ? space->size
							    : pool->capacity;
}

static bool work_on_space(memplan *m, uint32_t i, mp_street_block *work,
	void *context, struct arena *scratch)
{
	const struct problem *p = m->plan.problem;
	struct space *space = &m->plan.spaces.at[i];
	uint32_t *buffers = NEW(scratch, uint32_t, p->n_buffers), n = 0;
	uint64_t *offsets = NEW(scratch, uint64_t, p->n_buffers);
	struct problem sub;
	struct block block = {.problem = &sub,
		.offsets = offsets,
		.height = space->size,
		.limit = m->options.tight ? space->size : limit_of(p, space),
		.space = space};

	if (!buffers || !offsets)
		return false;
	for (uint32_t k = 0; k < p->n_buffers; k++)
		if (m->plan.spaces.of[k] == i) {
			buffers[n] = k;
			offsets[n++] = m->plan.offsets[k];
		}
	if (n == 0)
		return true;
	if (!mp_problem_subproblem(p, buffers, n, space->alignment, &sub,
		    scratch, &m->error) ||
		!work(context, &block))
		return false;
	for (uint32_t k = 0; k < n; k++)
		m->plan.offsets[buffers[k]] = offsets[k];
	space->size = block.height;
	return true;
}

static bool work_on_spaces(memplan *m, mp_street_block *work, void *context)
{
	struct plan *plan = &m->plan;

	plan->arena_size = 0;
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		struct arena scratch = mp_arena_within(&m->run, &m->error);
		bool fine = work_on_space(m, i, work, context, &scratch);

		mp_arena_free(&scratch);
		if (!fine)
			return false;
		plan->arena_size += plan->spaces.at[i].size;
	}
	return mp_verify_spaces(plan->problem, &plan->spaces, plan->offsets,
		MEMPLAN_EINTERNAL, &m->run, &m->error);
}

static bool work_on_all(
	memplan *m, const struct run *run, mp_street_block *work, void *context)
{
	return m->plan.spaces.at ? work_on_spaces(m, work, context)
				 : work_on_arena(m, run, work, context);
}

/* What a block may change of a plan. */
struct kept {
	uint64_t *offsets;
	struct space *spaces;
	uint64_t arena_size;
};

static bool keep(
	const struct plan *plan, struct kept *kept, struct arena *arena)
{
	kept->offsets = mp_arena_copy(arena, plan->offsets,
		plan->problem->n_buffers, sizeof(*kept->offsets));
	kept->spaces = mp_arena_copy(
		arena, plan->spaces.at, plan->spaces.n, sizeof(*kept->spaces));
	kept->arena_size = plan->arena_size;
	return kept->offsets && kept->spaces;
}

static void go_back(struct plan *plan, const struct kept *kept)
{
	memcpy(plan->offsets, kept->offsets,
		sizeof(*plan->offsets) * plan->problem->n_buffers);
	for (uint32_t i = 0; i < plan->spaces.n; i++)
		plan->spaces.at[i] = kept->spaces[i];
	plan->arena_size = kept->arena_size;
}

bool mp_street_goes_on(memplan *m)
{
	if (m->error.code != MEMPLAN_ENOMEM)
		return false;
	m->error.code = MEMPLAN_OK;
	m->error.text[0] = '\0';
	return true;
}

bool mp_street_each_block(memplan *m, const struct run *run,
	mp_street_block *work, void *context, const char *option)
{
	struct arena own = mp_arena_within(&m->run, &m->error);
	struct arena_mark mark = mp_arena_mark(&m->run);
	struct kept kept;
	bool is_kept, fine;

	assert(m->has_plan);
	is_kept = keep(&m->plan, &kept, &own);
	fine = is_kept && work_on_all(m, run, work, context);
	m->found.stays = !fine && mp_street_goes_on(m);
	if (m->found.stays) {
		if (is_kept)
			go_back(&m->plan, &kept);
		mp_arena_rewind(&m->run, mark);
		mp_warn(&m->error,
			"out of memory for %s: the plan stays as it was",
			option);
	}
	mp_arena_free(&own);
	return fine || m->found.stays;
}
