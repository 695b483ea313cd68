/*
 * crux: what is alive where memory is tight is planned first, as if there were
 * no other steps; then the rest is placed around it. The crux is a problem of
 * fewer buffers, which meet in fewer sections, so that much of it fits together
 * without a gap: rows that join and search it find what they would not find in
 * the whole. A section that was left out is taken into the crux once it turns
 * out to matter: where two buffers lie on each other in it, or where a buffer
 * of the rest finds no place below the height of the crux.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "planners/plain/around.h"

enum {
	SHARE = 4,	/* of what is left of the budget for each crux */
	PUSH_SHARE = 8, /* of that for pushing down what is too high */
	MOST_OF_4 = 3,	/* quarters of the buffers that are a crux */
	THOUSAND = 1000
};

/* An attempt begins with the sections that are short of the greatest load by so
 * many thousandths of it at most. */
static const uint32_t shortfalls[] = {100, 50, 20, 1};

struct crux {
	struct job *job;
	struct packing packing;
	bool *chosen;	   /* of a section: the crux is alive in it */
	uint32_t *before;  /* of a section: how many chosen ones come before */
	uint32_t *part_of; /* of an item: its buffer in the crux; NONE */
	uint32_t n_crux, n_rounds;
	bool has_grown; /* a section was chosen in this round */

	uint64_t limit; /* the greatest height of a crux so far, or the bound */
	uint64_t *offsets; /* of a buffer */
	bool *tight;	   /* of a section */
};

/* ------------------------------------------------------------- crux */

static void choose_tight(struct crux *c, uint32_t shortfall)
{
	const struct packing *p = &c->packing;
	int64_t slack = p->max_load / THOUSAND * shortfall +
			p->max_load % THOUSAND * shortfall / THOUSAND;

	for (uint32_t s = 0; s < p->n_sections; s++)
		c->chosen[s] = p->load[s] >= p->max_load - slack;
}

static void find_crux(struct crux *c)
{
	const struct packing *p = &c->packing;

	c->n_crux = 0;
	for (uint32_t s = 0; s < p->n_sections; s++)
		c->before[s + 1] = c->before[s] + c->chosen[s];
	for (uint32_t i = 0; i < p->n_items; i++)
		c->part_of[i] = c->before[p->start[i]] < c->before[p->end[i]]
					? c->n_crux++
					: NONE;
}

/* A step for each chosen section. */
static bool make_problem(const struct crux *c, struct problem *crux)
{
	const struct packing *p = &c->packing;
	struct arena *arena = c->job->arena;

	*crux = (struct problem){.name = p->problem->name,
		.alignment = p->problem->alignment,
		.n_steps = c->before[p->n_sections],
		.n_streams = p->problem->n_streams,
		.first_reserved = c->n_crux,
		.buffers = NEW(arena, struct buffer, c->n_crux),
		.parts = NEW(arena, struct part, c->n_crux)};
	if (!crux->buffers || !crux->parts)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++) {
		struct buffer block = p->problem->buffers[p->buffer[i]];

		if (c->part_of[i] == NONE)
			continue;
		assert(c->part_of[i] == crux->n_buffers);
		block.start = c->before[p->start[i]];
		block.end = c->before[p->end[i]];
		mp_planner_job_add_block(crux, block);
	}
	return mp_problem_measure(crux, arena, c->job->error);
}

/* What turned out to be tight is so in the next round. */
static void choose_more(struct crux *c)
{
	for (uint32_t s = 0; s < c->packing.n_sections; s++) {
		c->chosen[s] |= c->tight[s];
		c->has_grown |= c->tight[s];
	}
}

/* ------------------------------------------------------------ place */

/* The little that is above the limit pushes others away. What comes of that is
 * offered, and verified then: of 100,000 buffers four plans on the way took a
 * fifth of the row's time. */
static bool push(struct crux *c)
{
	struct job *job = c->job, own = *job;
	bool fine;

	own.verify = mp_planner_job_take_as_is;
	own.best = c->offsets;
	own.height = mp_plan_height(job->problem, c->offsets);
	own.steps = job->steps / PUSH_SHARE;
	own.spent = 0;
	own.progress = NULL;
	fine = mp_planner_eject_run(&own, 0) != PLAN_FAILED;
	job->cut_short |= own.cut_short;
	mp_planner_job_step(job, own.spent);
	return fine;
}

/* The rest around the crux. False: memory is out, or the plan is wrong. */
static bool place_all(struct crux *c, const uint64_t *bases)
{
	struct around around = {.packing = &c->packing,
		.job = c->job,
		.part_of = c->part_of,
		.bases = bases,
		.limit = c->limit,
		.offsets = c->offsets,
		.chosen = c->chosen,
		.tight = c->tight};

	switch (mp_planner_around(&around)) {
	case AROUND_NO_MEMORY:
		return false;
	case AROUND_SPENT:
		return true;
	case AROUND_CLASH:
		choose_more(c);
		return true;
	case AROUND_ABOVE:
		choose_more(c);
		if (!push(c))
			return false;
		break;
	case AROUND_COMPLETE:
		break;
	}
	return mp_planner_job_offer(c->job, c->offsets);
}

/* ------------------------------------------------------------ round */

/* Plans the crux, and all around it. False: as above. */
static bool run_round(struct crux *c)
{
	struct job *job = c->job, own = *job;
	struct problem problem;

	c->has_grown = false;
	own.steps = job->steps / SHARE;
	own.capacity = c->limit;
	own.seed = job->seed + c->n_rounds++;
	if (!make_problem(c, &problem) || !mp_planner_job_hand_on(job, &problem,
						  mp_planner_auto_run, &own))
		return false;
	/* What is too low for some sections is too low for all. */
	if (own.bound_kind == BOUND_SEARCH)
		mp_planner_job_prove(job, own.lower_bound, BOUND_SEARCH);
	/* With more sections it will be no lower. */
	c->limit = num_max(c->limit, own.height);
	return own.height >= job->height || place_all(c, own.best);
}

/* Rounds until a crux ends no lower than the best plan, or all of it is in
 * place. */
static bool attempt(struct crux *c, uint32_t shortfall)
{
	struct job *job = c->job;
	uint32_t most = job->problem->n_buffers / 4 * MOST_OF_4;

	choose_tight(c, shortfall);
	c->limit = job->lower_bound;
	if (job->capacity != UINT64_MAX)
		c->limit = num_max(c->limit, job->capacity);
	do {
		struct arena_mark mark = mp_arena_mark(job->arena);
		bool fine;

		find_crux(c);
		if (c->n_crux > most)
			return true;
		fine = run_round(c);
		mp_arena_rewind(job->arena, mark);
		if (!fine)
			return false;
	} while (c->has_grown && !mp_planner_job_done(job) &&
		 mp_planner_job_step(job, 1));
	return true;
}

/* -------------------------------------------------------------- row */

static bool crux_init(struct crux *c, struct job *job)
{
	struct arena *arena = job->arena;
	size_t n = job->problem->n_buffers, sections;

	*c = (struct crux){.job = job};
	if (!mp_planner_packing_of(&c->packing, job, arena))
		return false;
	sections = (size_t)c->packing.n_sections + 1;
	c->part_of = NEW(arena, uint32_t, n);
	c->offsets = NEW(arena, uint64_t, n);
	c->chosen = NEW(arena, bool, sections);
	c->tight = NEW(arena, bool, sections);
	c->before = NEW(arena, uint32_t, sections);
	return c->part_of && c->offsets && c->chosen && c->tight && c->before;
}

/* By name it has a plan, also where all is tight. */
static bool plan_whole(struct job *job)
{
	const char *name = job->running;
	bool fine = mp_planner_auto_run(job, 0) != PLAN_FAILED;

	job->running = job->winner = name;
	return fine;
}

enum outcome mp_planner_crux_run(struct job *job, int variant)
{
	struct crux c;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!crux_init(&c, job))
		return PLAN_FAILED;
	for (uint32_t k = 0; k < countof(shortfalls); k++)
		if (!mp_planner_job_done(job) && mp_planner_job_step(job, 1) &&
			!attempt(&c, shortfalls[k]))
			return PLAN_FAILED;
	if (job->height == UINT64_MAX && !plan_whole(job))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
