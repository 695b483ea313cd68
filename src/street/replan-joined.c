/*
 * Plans the members of a bundle again where their own plans do not fit
 * together: a pinned tensor has moved, or two members overlap. All buffers that
 * may move become one problem, and the layout gets the new offsets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "bundle/bundle.h"
#include "verify/verify.h"

/* A bound of the new problem is a bound of the bundle only if that problem is
 * exact. With pools there is no bound of the whole: each pool has its own. */
static bool claim(struct claims *claims, const struct replan *replan,
	const struct job *job, struct arena *arena)
{
	claims->planner =
		mp_arena_text(arena, job->winner, strlen(job->winner));
	claims->arena_size = job->height;
	claims->lower_bound =
		replan->exact && !job->spaces.at ? job->lower_bound : 0;
	claims->bound_kind = mp_problem_bound_name(job->bound_kind);
	return claims->planner != NULL;
}

static bool place_anew(
	memplan *m, const struct run *run, const struct schedule *whole)
{
	struct graph *graph = &run->layout->graph;
	struct replan replan;
	struct job job;

	if (!mp_bundle_replan_fill(
		    &replan, run->layout, whole, &m->run, &m->error) ||
		!mp_street_check_fixed(m, run, &replan.schedule->problem) ||
		!mp_street_plan(m, run, &replan.schedule->problem, 1, &job))
		return false;
	if (job.height != UINT64_MAX)
		return mp_bundle_replan_settle(&replan, job.best, &job.spaces,
			       graph, &m->run) &&
		       claim(&graph->claims, &replan, &job, &m->run);
	m->found.least_bound = job.lower_bound;
	return mp_street_fits(m, run);
}

bool mp_street_settle(memplan *m, const struct run *run,
	const struct schedule *whole, bool *moved)
{
	const struct graph *graph = &run->layout->graph;
	/* In a serial bundle with streams, a part alive before its graph's
	 * first op may become alive from the start of the whole. In a
	 * concurrent bundle gaps do not count. */
	bool may_fail = graph->n_streams > 1 &&
			(!run->layout->concurrent || graph->ties.n_gaps > 0);
	struct error quiet = {0};

	assert(run->graph == graph);
	*moved = !mp_bundle_join_holds(run->layout) ||
		 (may_fail && !mp_verify_fixed(&whole->problem, MEMPLAN_NO,
				      &m->run, &quiet));
	if (!*moved)
		return true;
	return m->error.code == MEMPLAN_OK && place_anew(m, run, whole);
}
