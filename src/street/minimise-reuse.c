/*
 * Counts the overwrites of the handle's plan, and moves buffers within its
 * arena until there are fewer. Where the graph says what reuse costs, that
 * comes first; then the arena is made as small as it gets at that cost, and
 * overwrites come last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "planners/reuse/cheapen.h"
#include "planners/reuse/spread.h"
#include "problem/reuse-edges.h"
#include "verify/verify.h"

static struct reuse_sums *sums_of(memplan *m)
{
	if (!m->results.reuse)
		m->results.reuse = NEW(&m->run, struct reuse_sums, 1);
	return m->results.reuse;
}

bool mp_street_count_reuse(memplan *m)
{
	struct arena scratch = mp_arena_beside(&m->run);
	struct reuse_sums *sums = sums_of(m);
	struct reuses reuses;
	bool fine = sums && mp_problem_reuse_find(&m->plan, &reuses, &scratch);

	if (fine) {
		sums->edges = reuses.n;
		sums->crossing = reuses.n_crossing;
		sums->hazards = reuses.n_hazards;
	}
	mp_arena_free(&scratch);
	return fine;
}

bool mp_street_count_moved(memplan *m)
{
	if (mp_street_count_reuse(m))
		return true;
	m->results.reuse = NULL;
	if (!mp_street_goes_on(m))
		return false;
	mp_warn(&m->error, "out of memory for the count of reuse edges: the "
			   "plan does not say how many there are");
	return true;
}

void mp_street_count_cost(memplan *m)
{
	struct plan *plan = &m->plan;
	struct verified_cost cost;

	assert(m->has_plan);
	cost = mp_verify_cost(plan);
	plan->reuse_cost = cost.paid;
	plan->n_paid = cost.n_paid;
	plan->reuse_cost_bound = num_max(plan->reuse_cost_bound, cost.forced);
	if (plan->claimed_cost_bound <= plan->reuse_cost_bound ||
		plan->claimed_cost_bound > plan->reuse_cost)
		plan->claimed_cost_bound = 0;
}

/* For mp_planner_spread(): true if an overwrite crosses streams. A part of a
 * pool's own problem stands for one of the whole problem. */
static bool find_crossings(
	memplan *m, const struct problem *p, const bool **crosses)
{
	struct arena scratch = mp_arena_beside(&m->run);
	const struct schedule *s = m->plan.schedule;
	struct last_uses uses;
	bool *table, fine;
	size_t at = 0;

	*crosses = NULL;
	if (!m->options.cross_stream_first || p->n_streams <= 1)
		return true;
	table = NEW(&m->run, bool, (size_t)p->n_parts * p->n_streams);
	fine = table && mp_problem_last_uses_init(&uses, s, &scratch);
	for (uint32_t i = 0; fine && i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer;
		uint32_t whole = mp_problem_whole(p, buffer);
		uint32_t part = i - p->buffers[buffer].first_part +
				s->problem.buffers[whole].first_part;

		for (uint32_t k = 0; k < p->n_streams; k++)
			table[at++] =
				mp_problem_last_uses_cross(&uses, part, k);
	}
	mp_arena_free(&scratch);
	*crosses = table;
	return fine;
}

struct cost_sums {
	uint64_t before, least;
};

struct sums {
	struct cost_sums cost; /* of pairs of different buffers */
	struct reuse_sums *reuse;
};

struct spreading {
	memplan *m;
	const struct run *run;
	struct block *block;
	struct sums sums;
	double deadline; /* 0: none */
};

enum {
	STEPS_EACH = 20000,
	MOST_STEPS = 40000000,
	COST_FIRST = 16 /* where reuse costs something: what is left of that for
			   a smaller arena, and for overwrites */
};

/* Spreading gets seconds, not the half one of planning: it should move every
 * buffer some dozen times. A block gets its share by its parts. */
static uint64_t steps_for(
	const memplan *m, const struct block *block, uint64_t steps)
{
	uint64_t n = m->plan.problem->n_buffers,
		 own = block->problem->n_buffers;

	if (!m->options.steps_given)
		steps = num_max(steps, num_min(MOST_STEPS, STEPS_EACH * n));
	return own < n ? steps / n * own + steps % n * own / n : steps;
}

struct job mp_street_block_job(memplan *m, const struct run *run,
	const struct block *block, const struct problem *problem,
	double deadline)
{
	struct job job = mp_street_job(m, run, problem);

	job.steps = steps_for(m, block, job.steps);
	job.best = block->offsets;
	job.height = block->height;
	job.running = job.winner = m->plan.planner;
	job.deadline = deadline;
	return job;
}

static struct job job_of(struct spreading *s, const struct problem *problem)
{
	return mp_street_block_job(
		s->m, s->run, s->block, problem, s->deadline);
}

/* ------------------------------------------------------------- cost */

static bool cheapen(struct spreading *s, struct cost_sums *costs)
{
	struct cheapen cheapen = {.limit = s->block->limit};
	struct job job = job_of(s, s->block->problem);

	if (!mp_planner_cheapen(&job, &cheapen))
		return false;
	s->m->found.starved |= job.starved;
	s->block->height = job.height;
	s->m->plan.cut_short |= job.cut_short;
	costs->before += cheapen.before;
	costs->least += cheapen.least;
	return true;
}

static bool lie_apart(const struct block *block, uint32_t a, uint32_t b)
{
	const struct buffer *buffers = block->problem->buffers;

	return block->offsets[a] + buffers[a].size <= block->offsets[b] ||
	       block->offsets[b] + buffers[b].size <= block->offsets[a];
}

bool mp_street_fence(const struct block *block, struct problem *fenced,
	struct arena *arena, struct arena *scratch)
{
	const struct problem *p = block->problem;
	bool *pairs = NEW(scratch, bool, p->n_costs);

	for (uint32_t i = 0; pairs && i < p->n_costs; i++)
		pairs[i] = lie_apart(block, p->costs[i].a, p->costs[i].b);
	return pairs && mp_problem_fence(p, pairs, fenced, arena, scratch);
}

/* Plans the buffers anew, in less room. */
static bool shrink(struct spreading *s, const struct problem *fenced)
{
	const struct planner *row = mp_planner_find("auto");
	struct job job = job_of(s, fenced);

	job.steps /= COST_FIRST;
	job.running = row->name;
	if (mp_planner_job_run(&job, row) == PLAN_FAILED)
		return false;
	s->m->found.starved |= job.starved;
	s->block->height = job.height;
	s->m->plan.cut_short |= job.cut_short;
	return true;
}

/* ------------------------------------------------------- overwrites */

/* Initial plans: rules that share whole objects or blocks, as other tools do,
 * make few overwrites. */
static const char *const starts[] = {"linear", "executorch", "max-block",
	"two-level", "online-best", "greedy-size-best", "greedy-lifetime-best",
	"greedy-conflicts-best", "greedy-breadth-best", "greedy-urgency",
	"somas-shared-best"};

static bool spread(struct spreading *s, const struct problem *problem,
	struct reuse_sums *sums)
{
	memplan *m = s->m;
	struct spread spread = {.limit = s->block->limit,
		.starts = starts,
		.n_starts = countof(starts)};
	struct job job = job_of(s, problem);

	if (problem->n_costs > 0)
		job.steps /= COST_FIRST;
	if (!find_crossings(m, problem, &spread.crosses) ||
		!mp_planner_spread(&job, &spread))
		return false;
	m->found.starved |= job.starved;
	s->block->height = job.height;
	m->plan.cut_short |= job.cut_short;
	sums->before += spread.before;
	sums->least += spread.least;
	return true;
}

/* Of buffers of several tensors only some bytes may count, and these are not
 * fenced: what costs more than before is dropped. */
static bool minimise_cost(struct spreading *s, struct sums *sums)
{
	const struct problem *p = s->block->problem;
	struct arena scratch = mp_arena_within(&s->m->run, &s->m->error);
	uint64_t *offsets, height, cost;
	struct problem fenced;
	bool fine = cheapen(s, &sums->cost);

	height = s->block->height;
	cost = mp_planner_cost(p, s->block->offsets);
	offsets = mp_arena_copy(
		&scratch, s->block->offsets, p->n_buffers, sizeof(*offsets));
	fine = fine && offsets &&
	       mp_street_fence(s->block, &fenced, &s->m->run, &scratch) &&
	       shrink(s, &fenced);
	s->block->limit = s->block->height;
	fine = fine && spread(s, &fenced, sums->reuse);
	if (fine && mp_planner_cost(p, s->block->offsets) > cost) {
		memcpy(s->block->offsets, offsets,
			sizeof(*offsets) * p->n_buffers);
		s->block->height = height;
	}
	mp_arena_free(&scratch);
	return fine;
}

static bool minimise(void *context, struct block *block)
{
	struct spreading *s = context;

	s->block = block;
	return block->problem->n_costs > 0
		       ? minimise_cost(s, &s->sums)
		       : spread(s, block->problem, s->sums.reuse);
}

/* ------------------------------------------------------- the street */

bool mp_street_spread(memplan *m, const struct run *run)
{
	struct spreading s = {.m = m, .run = run, .sums = {{0, 0}, sums_of(m)}};
	double start = mp_planner_job_now();
	uint64_t before;

	assert(m->has_plan);
	if (!s.sums.reuse)
		return false;
	before = mp_verify_cost(&m->plan).paid;
	s.sums.reuse->before = s.sums.reuse->least = 0;
	if (m->options.time_limit > 0)
		s.deadline = start + m->options.time_limit - m->plan.seconds;
	if (!mp_street_each_block(m, run, minimise, &s, "minimise-reuse"))
		return false;
	m->plan.seconds += mp_planner_job_now() - start;
	if (m->found.stays) { /* nor is there memory to count */
		m->results.reuse = NULL;
		return true;
	}
	m->plan.reuse_cost_bound =
		before - s.sums.cost.before + s.sums.cost.least;
	s.sums.reuse->minimised = true;
	return mp_street_count_moved(m);
}
