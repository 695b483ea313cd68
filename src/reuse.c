/*
 * The street with an eye on reuse: how many overwrites a plan has, and a plan
 * that has few.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

#include "emit/reuse.h"
#include "spread.h"

static struct reuse_sums *sums_of(memplan *m)
{
	if (!m->plan.reuse)
		m->plan.reuse = NEW(&m->arena, struct reuse_sums, 1);
	return m->plan.reuse;
}

bool mp_street_count_reuse(memplan *m)
{
	struct arena scratch = mp_arena_beside(&m->arena);
	struct reuse_sums *sums = sums_of(m);
	struct reuses reuses;
	bool fine = sums && mp_reuses_find(&m->plan, &reuses, &scratch);

	if (fine) {
		sums->edges = reuses.n;
		sums->crossing = reuses.n_crossing;
		sums->hazards = reuses.n_hazards;
	}
	mp_arena_free(&scratch);
	return fine;
}

/* For mp_spread(): which overwrites cross streams. */
static bool find_crossings(memplan *m, const bool **crosses)
{
	const struct problem *p = &m->problem;
	struct arena scratch = mp_arena_beside(&m->arena);
	struct last_uses uses;
	bool *table, fine;

	*crosses = NULL;
	if (!m->options.cross_stream_first || p->n_streams <= 1)
		return true;
	table = NEW(&m->arena, bool, (size_t)p->n_parts * p->n_streams);
	fine = table && mp_last_uses_init(&uses, p, &scratch);
	for (uint32_t i = 0; fine && i < p->n_parts; i++)
		for (uint32_t k = 0; k < p->n_streams; k++)
			table[(size_t)i * p->n_streams + k] =
				mp_last_uses_cross(&uses, i, k);
	mp_arena_free(&scratch);
	*crosses = table;
	return fine;
}

/* Seconds rather than the half one that planning takes: every buffer is to be
 * tried some dozen times. */
static struct job job_for(memplan *m)
{
	enum {
		STEPS_EACH = 20000,
		MOST_STEPS = 40000000
	};
	struct job job = mp_street_job(m, &m->problem);

	if (!m->options.steps_given)
		job.steps = num_max(job.steps,
			num_min(MOST_STEPS,
				STEPS_EACH * (uint64_t)m->problem.n_buffers));
	job.best = m->plan.offsets;
	job.height = m->plan.arena_size;
	job.running = job.winner = m->plan.planner;
	if (m->options.time_limit > 0)
		job.deadline -= m->plan.seconds;
	return job;
}

/* What fits is enough; where nothing is asked for, the smallest arena found. */
bool mp_street_spread(memplan *m)
{
	struct reuse_sums *sums = sums_of(m);
	struct spread spread = {.limit = m->plan.arena_size};
	double start = mp_job_now();
	struct job job = job_for(m);

	if (m->options.capacity != UINT64_MAX)
		spread.limit = m->options.capacity;
	if (!sums || !job.best || !find_crossings(m, &spread.crosses) ||
		!mp_spread(&job, &spread))
		return false;
	m->plan.arena_size = job.height;
	m->plan.cut_short |= job.cut_short;
	m->plan.seconds += mp_job_now() - start;
	sums->minimised = true;
	sums->before = spread.before;
	sums->least = spread.least;
	return mp_street_count_reuse(m);
}
