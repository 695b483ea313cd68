/*
 * The job of a row: the budget in steps, the clock, the best plan so far, the
 * proved lower bound.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>
#include <time.h>

#include "planners/planner.h"

double mp_planner_job_now(void)
{
	struct timespec now;

#ifdef TIME_UTC
	timespec_get(&now, TIME_UTC);
#else /* not yet C11's library, as Windows's older one */
	clock_gettime(CLOCK_REALTIME, &now);
#endif
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum {
	CLOCK_EVERY = 10000 /* steps, about a millisecond: reading the clock
			       takes well below one of them */
};

static bool is_stopped(const struct job *job)
{
	bool is = job->stop &&
		  atomic_load_explicit(job->stop, memory_order_relaxed);

	for (const struct beaten *b = job->beaten; b; b = b->outer)
		is |= atomic_load_explicit(&b->is, memory_order_relaxed);
	return is;
}

static bool is_late(const struct job *job)
{
	return job->deadline > 0 && mp_planner_job_now() > job->deadline;
}

bool mp_planner_job_is_over(const struct job *job)
{
	return is_stopped(job) || is_late(job);
}

bool mp_planner_job_step(struct job *job, uint64_t work)
{
	bool ask =
		job->spent / CLOCK_EVERY != (job->spent + work) / CLOCK_EVERY;

	job->spent += work;
	job->steps -= num_min(job->steps, work);
	if (ask && job->progress)
		job->progress(job->progress_context, job);
	if (job->lead && !atomic_load(&job->lead->has_ended))
		mp_threads_help(job->lead->threads);
	job->cut_short |= is_stopped(job) || (ask && is_late(job));
	return job->steps > 0 && !job->cut_short;
}

bool mp_planner_job_done(const struct job *job)
{
	return job->height <= job->lower_bound ||
	       (job->capacity != UINT64_MAX && job->height <= job->capacity);
}

enum outcome mp_planner_job_outcome(const struct job *job)
{
	if (mp_planner_job_done(job))
		return PLAN_OPTIMAL;
	return job->height == UINT64_MAX ? PLAN_GAVE_UP : PLAN_FOUND;
}

bool mp_planner_job_near(const struct job *job, uint64_t one_in)
{
	return job->height != UINT64_MAX &&
	       job->height - num_min(job->height, job->lower_bound) <=
		       job->lower_bound / one_in;
}

bool mp_planner_job_offer(struct job *job, const uint64_t *offsets)
{
	uint64_t height = mp_plan_height(job->problem, offsets);

	assert(job->running);
	if (height >= job->height)
		return true;
	if (!job->verify(job->problem, offsets, MEMPLAN_EINTERNAL, job->arena,
		    job->error))
		return false;
	memcpy(job->best, offsets, sizeof(*offsets) * job->problem->n_buffers);
	job->height = height;
	job->winner = job->running;
	return true;
}

/* Without a plan there is nothing to go on with. */
bool mp_planner_job_survives(struct job *job, const struct planner *row)
{
	if (row->bit == 0 || job->height == UINT64_MAX ||
		job->error->code != MEMPLAN_ENOMEM)
		return false;
	job->error->code = MEMPLAN_OK;
	job->error->text[0] = '\0';
	job->starved |= row->bit;
	return true;
}

enum outcome mp_planner_job_run(struct job *job, const struct planner *row)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	enum outcome outcome = row->run(job, row->variant);

	if (outcome != PLAN_FAILED || !mp_planner_job_survives(job, row))
		return outcome;
	mp_arena_rewind(job->arena, mark);
	return mp_planner_job_outcome(job);
}

enum outcome mp_planner_job_decline(struct job *job, const char *reason)
{
	job->declined = reason;
	return PLAN_GAVE_UP;
}

bool mp_planner_job_take_as_is(const struct problem *problem,
	const uint64_t *offsets, enum memplan_status code,
	struct arena *scratch, struct error *e)
{
	(void)problem;
	(void)offsets;
	(void)code;
	(void)scratch;
	(void)e;
	return true;
}

/* Else the reason is given, if there is something to place. */
static bool is_for(struct job *job, bool (*is)(const struct problem *problem),
	const char *reason)
{
	assert(mp_planner_job_is_sound(job));
	if (job->problem->n_buffers == 0)
		return false;
	if (is(job->problem))
		return true;
	mp_planner_job_decline(job, reason);
	return false;
}

bool mp_planner_job_is_flat(struct job *job)
{
	return is_for(job, mp_problem_is_flat, NOT_FLAT);
}

bool mp_planner_job_is_plain(struct job *job)
{
	return is_for(job, mp_problem_is_plain, NOT_PLAIN);
}

void mp_planner_job_prove(struct job *job, uint64_t bound, enum bound_kind kind)
{
	assert(bound <= job->height);
	if (bound <= job->lower_bound)
		return;
	job->lower_bound = bound;
	job->bound_kind = kind;
	job->bound_steps = kind == BOUND_SEARCH ? job->spent : 0;
}

bool mp_planner_job_is_sound(const struct job *job)
{
	mp_problem_assert(job->problem);
	return job->arena && job->error && job->verify && job->best &&
	       job->running &&
	       (job->height == UINT64_MAX ||
		       job->height == mp_plan_height(job->problem, job->best));
}

void mp_planner_job_add_block(struct problem *other, struct buffer buffer)
{
	uint32_t i = other->n_buffers++;

	buffer.first_part = other->n_parts++;
	buffer.n_parts = 1;
	other->buffers[i] = buffer;
	other->parts[buffer.first_part] = (struct part){.size = buffer.size,
		.start = buffer.start,
		.end = buffer.end,
		.buffer = i};
}

bool mp_planner_job_hand_on(struct job *job, const struct problem *other,
	mp_planner_run *run, struct job *own)
{
	own->problem = other;
	own->height = UINT64_MAX;
	own->best = NEW(own->arena, uint64_t, other->n_buffers);
	own->lower_bound = other->theoretical_min;
	own->progress = NULL;
	own->kept = NULL; /* that is of the job's problem */
	own->spent = 0;
	if (!own->best || run(own, 0) == PLAN_FAILED)
		return false;
	job->cut_short |= own->cut_short;
	job->starved |= own->starved;
	mp_planner_job_step(job, own->spent);
	return true;
}
