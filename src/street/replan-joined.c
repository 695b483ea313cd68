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

static bool plan_anew(memplan *m, const struct run *run,
	const struct schedule *whole, struct replan *replan, struct job *job)
{
	return mp_bundle_replan_fill(
		       replan, run->layout, whole, &m->run, &m->error) &&
	       mp_street_check_fixed(m, run, &replan->schedule->problem) &&
	       mp_street_plan(m, run, &replan->schedule->problem, 1, job);
}

static bool place_anew(
	memplan *m, const struct run *run, const struct schedule *whole)
{
	struct graph *graph = &run->layout->graph;
	struct replan replan;
	struct job job;

	if (!plan_anew(m, run, whole, &replan, &job))
		return false;
	if (!mp_graph_ties_set_same(&graph->ties, graph->tensors,
		    graph->n_tensors, run->layout->same, run->layout->n_same,
		    &m->run))
		return false;
	if (job.height != UINT64_MAX)
		return mp_bundle_replan_settle(&replan, job.best, &job.spaces,
			       graph, &m->run) &&
		       claim(&graph->claims, &replan, &job, &m->run);
	m->found.least_bound = job.lower_bound;
	return mp_street_fits(m, run);
}

/* What the graphs would take if each had its own offsets. */
static bool find_price(memplan *m, const struct run *run,
	const struct schedule *whole, bool moved)
{
	struct layout *layout = run->layout;
	struct same_sums *sums = NEW(&m->run, struct same_sums, 1);
	struct layout apart = *layout;
	struct run alone = *run;
	struct replan replan;
	struct job job = {.height = layout->graph.claims.arena_size};

	if (!sums)
		return false;
	apart.n_same = 0;
	alone.layout = &apart;
	if (moved && !plan_anew(m, &alone, whole, &replan, &job))
		return false;
	for (uint32_t i = 0; i < layout->n_same; i++)
		sums->n_tensors += layout->same[i].n;
	sums->n_sets = layout->n_same;
	sums->arena_apart = job.height;
	m->results.same = sums;
	return true;
}

bool mp_street_replan_joined(memplan *m, const struct run *run,
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
	if (m->error.code != MEMPLAN_OK)
		return false;
	if (run->layout->n_same > 0) {
		if (!find_price(m, run, whole, *moved))
			return false;
		*moved = true;
	}
	return !*moved || place_anew(m, run, whole);
}
