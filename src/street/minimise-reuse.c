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
		uint32_t whole = p->whole ? p->whole[buffer] : buffer;
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

/* One block of a pool (or the arena), spread by itself. */
struct spreading {
	memplan *m;
	const struct run *run;
	const struct problem *problem; /* the buffers in it */
	uint64_t *offsets;
	uint64_t height, limit;
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
static uint64_t steps_for(const struct spreading *s, uint64_t steps)
{
	uint64_t n = s->m->plan.problem->n_buffers, own = s->problem->n_buffers;

	if (!s->m->options.steps_given)
		steps = num_max(steps, num_min(MOST_STEPS, STEPS_EACH * n));
	return own < n ? steps / n * own + steps % n * own / n : steps;
}

static struct job job_of(struct spreading *s, const struct problem *problem)
{
	struct job job = mp_street_job(s->m, s->run, problem);

	job.steps = steps_for(s, job.steps);
	job.best = s->offsets;
	job.height = s->height;
	job.running = job.winner = s->m->plan.planner;
	job.deadline = s->deadline;
	return job;
}

/* ------------------------------------------------------------- cost */

static bool cheapen(struct spreading *s, struct cost_sums *costs)
{
	struct cheapen cheapen = {.limit = s->limit};
	struct job job = job_of(s, s->problem);

	if (!mp_planner_cheapen(&job, &cheapen))
		return false;
	s->height = job.height;
	s->m->plan.cut_short |= job.cut_short;
	costs->before += cheapen.before;
	costs->least += cheapen.least;
	return true;
}

static bool lie_apart(const struct spreading *s, uint32_t a, uint32_t b)
{
	const struct buffer *buffers = s->problem->buffers;

	return s->offsets[a] + buffers[a].size <= s->offsets[b] ||
	       s->offsets[b] + buffers[b].size <= s->offsets[a];
}

/* The same problem, in which what costs nothing now cannot cost anything. */
static bool fence(const struct spreading *s, struct problem *fenced,
	struct arena *scratch)
{
	const struct problem *p = s->problem;
	bool *pairs = NEW(scratch, bool, p->n_costs);

	for (uint32_t i = 0; pairs && i < p->n_costs; i++)
		pairs[i] = lie_apart(s, p->costs[i].a, p->costs[i].b);
	return pairs && mp_problem_fence(p, pairs, fenced, &s->m->run, scratch);
}

/* Plans the buffers anew, in less room. */
static bool shrink(struct spreading *s, const struct problem *fenced)
{
	const struct planner *row = mp_planner_find("auto");
	struct job job = job_of(s, fenced);

	job.steps /= COST_FIRST;
	job.running = row->name;
	if (row->run(&job, row->variant) == PLAN_FAILED)
		return false;
	s->height = job.height;
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
	struct spread spread = {.limit = s->limit,
		.starts = starts,
		.n_starts = countof(starts)};
	struct job job = job_of(s, problem);

	if (problem->n_costs > 0)
		job.steps /= COST_FIRST;
	if (!find_crossings(m, problem, &spread.crosses) ||
		!mp_planner_spread(&job, &spread))
		return false;
	s->height = job.height;
	m->plan.cut_short |= job.cut_short;
	sums->before += spread.before;
	sums->least += spread.least;
	return true;
}

/* Of buffers of several tensors only some bytes may count, and these are not
 * fenced: what costs more than before is dropped. */
static bool minimise_cost(struct spreading *s, struct sums *sums)
{
	const struct problem *p = s->problem;
	struct arena scratch = mp_arena_beside(&s->m->run);
	uint64_t *offsets, height, cost;
	struct problem fenced;
	bool fine = cheapen(s, &sums->cost);

	height = s->height;
	cost = mp_planner_cost(p, s->offsets);
	offsets = mp_arena_copy(
		&scratch, s->offsets, p->n_buffers, sizeof(*offsets));
	fine = fine && offsets && fence(s, &fenced, &scratch) &&
	       shrink(s, &fenced);
	s->limit = s->height;
	fine = fine && spread(s, &fenced, sums->reuse);
	if (fine && mp_planner_cost(p, s->offsets) > cost) {
		memcpy(s->offsets, offsets, sizeof(*offsets) * p->n_buffers);
		s->height = height;
	}
	mp_arena_free(&scratch);
	return fine;
}

static bool minimise(struct spreading *s, struct sums *sums)
{
	return s->problem->n_costs > 0 ? minimise_cost(s, sums)
				       : spread(s, s->problem, sums->reuse);
}

/* ------------------------------------------------------- the street */

/* The plan may take the whole capacity; without one, the smallest arena found.
 */
static bool spread_arena(
	memplan *m, const struct run *run, double deadline, struct sums *sums)
{
	struct spreading s = {.m = m,
		.run = run,
		.problem = m->plan.problem,
		.offsets = m->plan.offsets,
		.height = m->plan.arena_size,
		.limit = m->plan.arena_size,
		.deadline = deadline};

	if (run->capacity != UINT64_MAX && !m->options.tight)
		s.limit = run->capacity;
	if (!minimise(&s, sums))
		return false;
	m->plan.arena_size = s.height;
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

/* Spreads the buffers of one block within it. */
static bool spread_space(memplan *m, const struct run *run, uint32_t i,
	double deadline, struct sums *sums, struct arena *scratch)
{
	const struct problem *p = m->plan.problem;
	struct space *space = &m->plan.spaces.at[i];
	uint32_t *buffers = NEW(scratch, uint32_t, p->n_buffers), n = 0;
	uint64_t *offsets = NEW(scratch, uint64_t, p->n_buffers);
	struct problem sub;
	struct spreading s = {.m = m,
		.run = run,
		.problem = &sub,
		.offsets = offsets,
		.height = space->size,
		.limit = m->options.tight ? space->size : limit_of(p, space),
		.deadline = deadline};

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
		!minimise(&s, sums))
		return false;
	for (uint32_t k = 0; k < n; k++)
		m->plan.offsets[buffers[k]] = offsets[k];
	space->size = s.height;
	return true;
}

/* Spreads each block by itself: no buffer changes its pool. */
static bool spread_spaces(
	memplan *m, const struct run *run, double deadline, struct sums *sums)
{
	struct plan *plan = &m->plan;

	plan->arena_size = 0;
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		struct arena scratch = mp_arena_beside(&m->run);
		bool fine = spread_space(m, run, i, deadline, sums, &scratch);

		mp_arena_free(&scratch);
		if (!fine)
			return false;
		plan->arena_size += plan->spaces.at[i].size;
	}
	return mp_verify_spaces(m->plan.problem, &plan->spaces, plan->offsets,
		MEMPLAN_EINTERNAL, &m->run, &m->error);
}

bool mp_street_spread(memplan *m, const struct run *run)
{
	struct sums sums = {{0, 0}, sums_of(m)};
	double start = mp_planner_job_now(), deadline = 0;
	uint64_t before;

	assert(m->has_plan);
	if (!sums.reuse)
		return false;
	before = mp_verify_cost(&m->plan).paid;
	sums.reuse->before = sums.reuse->least = 0;
	if (m->options.time_limit > 0)
		deadline = start + m->options.time_limit - m->plan.seconds;
	if (m->plan.spaces.at ? !spread_spaces(m, run, deadline, &sums)
			      : !spread_arena(m, run, deadline, &sums))
		return false;
	m->plan.reuse_cost_bound = before - sums.cost.before + sums.cost.least;
	m->plan.seconds += mp_planner_job_now() - start;
	sums.reuse->minimised = true;
	return mp_street_count_reuse(m);
}
