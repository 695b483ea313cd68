/*
 * Jobs of planners, and plans without a planner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/planning.h"

#include <assert.h>
#include <string.h>

#include "testing/random-problem.h"
#include "verify/verify.h"

void mp_testing_add(
	struct problem *p, uint32_t start, uint32_t end, uint64_t size)
{
	uint32_t i = p->n_buffers++;

	p->buffers[i] = (struct buffer){.size = size,
		.align = 1,
		.offset = NO_OFFSET,
		.start = start,
		.end = end,
		.first_part = p->n_parts,
		.n_parts = 1};
	p->parts[p->n_parts++] = (struct part){
		.size = size, .start = start, .end = end, .buffer = i};
}

void mp_testing_begin(struct planning *p, uint32_t buffers, uint32_t steps)
{
	*p = (struct planning){.arena.error = &p->error};
	p->problem = (struct problem){.alignment = 1,
		.n_steps = steps,
		.n_streams = 1,
		.buffers = NEW(&p->arena, struct buffer, buffers),
		.parts = NEW(&p->arena, struct part, 2 * (size_t)buffers)};
	assert(p->problem.buffers && p->problem.parts);
}

bool mp_testing_end(struct planning *p, const char *planner, uint64_t steps)
{
	p->problem.first_reserved = p->problem.n_buffers;
	if (!mp_problem_measure(&p->problem, &p->arena, &p->error))
		return false;
	p->job = mp_testing_job(&p->problem, steps, &p->arena);
	p->job.running = planner;
	return true;
}

struct job mp_testing_job(
	const struct problem *problem, uint64_t steps, struct arena *arena)
{
	return (struct job){.problem = problem,
		.capacity = UINT64_MAX,
		.seed = 1,
		.steps = steps,
		.arena = arena,
		.error = arena->error,
		.verify = mp_verify,
		.height = UINT64_MAX,
		.lower_bound = problem->theoretical_min,
		.best = NEW(arena, uint64_t, problem->n_buffers)};
}

const struct planner *mp_testing_row(uint32_t i)
{
	if (i < mp_n_planners)
		return &mp_planners[i];
	i -= mp_n_planners;
	return i < mp_n_peers ? &mp_peers[i] : NULL;
}

enum outcome mp_testing_plan(struct job *job, const char *planner)
{
	const struct planner *row = mp_planner_find(planner);

	assert(row && job->best);
	job->running = row->name;
	return row->run(job, row->variant);
}

bool mp_testing_same_plan(const struct job *a, const struct job *b)
{
	assert(a->problem->n_buffers == b->problem->n_buffers);
	return a->height == b->height && a->spent == b->spent &&
	       memcmp(a->best, b->best,
		       sizeof(*a->best) * a->problem->n_buffers) == 0;
}

uint32_t mp_testing_count_least(const char *planner, uint64_t n)
{
	uint32_t equal = 0;
	bool fine = true;

	for (uint64_t seed = 1; fine && seed <= n; seed++) {
		struct error error = {.code = MEMPLAN_OK};
		struct arena arena = {.error = &error};
		struct problem problem;
		uint64_t least;
		struct job job;
		bool exact;

		fine = mp_testing_random_problem(seed,
			&(struct random_shape){.buffers = 8, .steps = 6},
			&problem, &arena);
		assert(fine);
		least = mp_testing_brute_height(&problem, &exact, &arena);
		job = mp_testing_job(&problem, 20000, &arena);
		fine = mp_testing_plan(&job, planner) != PLAN_FAILED &&
		       job.height >= least;
		equal += job.height == least;
		mp_arena_free(&arena);
	}
	return fine ? equal : 0;
}

bool mp_testing_fits(
	const struct problem *problem, const uint64_t *offsets, uint32_t buffer)
{
	for (uint32_t i = 0; i < buffer; i++)
		if (mp_testing_overlap(problem, offsets, i, buffer))
			return false;
	return true;
}
