/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>

#include "planners/planner.h"

double mp_planner_job_now(void)
{
	struct timespec now;

	timespec_get(&now, TIME_UTC);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The clock is asked once per this much work, about a millisecond. */
enum {
	CLOCK_EVERY = 10000
};

bool mp_planner_job_step(struct job *job, uint64_t work)
{
	bool ask =
		job->spent / CLOCK_EVERY != (job->spent + work) / CLOCK_EVERY;

	job->spent += work;
	job->steps -= num_min(job->steps, work);
	if (job->stop && atomic_load_explicit(job->stop, memory_order_relaxed))
		job->cut_short = true;
	if (ask && job->progress)
		job->progress(job->progress_context, job);
	if (ask && job->deadline > 0 && mp_planner_job_now() > job->deadline)
		job->cut_short = true;
	if (job->beaten &&
		atomic_load_explicit(job->beaten, memory_order_relaxed))
		return false;
	return job->steps > 0 && !job->cut_short;
}

bool mp_planner_job_done(const struct job *job)
{
	return job->height <= job->lower_bound ||
	       (job->capacity != UINT64_MAX && job->height <= job->capacity);
}

bool mp_planner_job_offer(struct job *job, const uint64_t *offsets)
{
	uint64_t height = mp_plan_height(job->problem, offsets);

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

enum outcome mp_planner_job_decline(struct job *job, const char *reason)
{
	job->declined = reason;
	return PLAN_GAVE_UP;
}

void mp_planner_job_prove(struct job *job, uint64_t bound, enum bound_kind kind)
{
	if (bound <= job->lower_bound)
		return;
	job->lower_bound = bound;
	job->bound_kind = kind;
	job->bound_steps = kind == BOUND_SEARCH ? job->spent : 0;
}
