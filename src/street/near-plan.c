/*
 * Reads an older plan, and moves buffers of the handle's plan to where their
 * tensors lay in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "planners/near/near.h"
#include "problem/tensor-match.h"

/* ------------------------------------------------------------- read */

bool mp_street_read_near(memplan *m)
{
	const struct input_file *file = &m->input.files[ROLE_NEAR];
	struct input input = {.files[ROLE_MAIN] = *file};
	struct graph *old;

	if (!file->name)
		return true;
	old = NEW(&m->arena, struct graph, 1);
	if (!old || !mp_input_read(&input, old, &m->arena, &m->error) ||
		!mp_graph_link(old, &m->arena, &m->error))
		return false;
	m->near = old;
	return mp_graph_has_offsets(old) ||
	       mp_fail(&m->error, MEMPLAN_EINPUT,
		       "%s: there are no offsets in it to stay near to",
		       file->name);
}

/* ------------------------------------------------------------ match */

struct staying {
	memplan *m;
	const struct run *run;
	const uint32_t *was; /* of a tensor: that of the old plan, or NONE */
	double deadline;     /* 0: none */
};

/* "" where there is one memory only. */
static const char *old_pool(
	const struct graph *old, const struct tensor *tensor)
{
	return old->n_pools
		       ? old->pools[old->pool_lists[tensor->pools].at[0]].name
		       : "";
}

static const char *pool_of(const struct space *space)
{
	return space ? space->name : "";
}

/* The old tensor that a tensor of the plan is, if it can stay: it takes as many
 * bytes as before. NULL: it is new, or another size. */
static const struct tensor *old_of(const struct staying *s, uint32_t tensor)
{
	const struct schedule *schedule = s->m->plan.schedule;
	const struct tensor *now = &schedule->graph->tensors[tensor], *old;

	if (s->was[tensor] == NONE || schedule->stay[tensor].buffer == NONE)
		return NULL;
	old = &s->m->near->tensors[s->was[tensor]];
	return old->placed && old->size == now->size && now->size > 0 ? old
								      : NULL;
}

static const struct space *space_of(const struct plan *plan, uint32_t tensor)
{
	return plan->spaces.at ? &plan->spaces.at[mp_plan_space(plan, tensor)]
			       : NULL;
}

/* ------------------------------------------------------------- sums */

static void count(const struct staying *s, struct near_sums *sums)
{
	const struct plan *plan = &s->m->plan;
	const struct schedule *schedule = plan->schedule;

	for (uint32_t t = 0; t < schedule->graph->n_tensors; t++) {
		const struct tensor *old = old_of(s, t);

		if (schedule->stay[t].buffer == NONE)
			continue;
		if (!old) {
			sums->n_new++;
		} else if (old->offset == mp_plan_offset(plan, t) &&
			   strcmp(old_pool(s->m->near, old),
				   pool_of(space_of(plan, t))) == 0) {
			sums->n_kept++;
			sums->kept += old->size;
		} else {
			sums->n_moved++;
			sums->moved += old->size;
		}
	}
}

/* ------------------------------------------------------------ bases */

static int by_buffer(const void *a, const void *b)
{
	const struct old_base *x = a, *y = b;

	return mp_sort_compare_two(x->buffer, y->buffer, x->base, y->base);
}

/* Sorted, with the bytes of one base added up. */
static uint32_t merge_bases(struct old_base *old, uint32_t n)
{
	uint32_t kept = 0;

	qsort(old, n, sizeof(*old), by_buffer);
	for (uint32_t i = 0; i < n; i++) {
		if (kept > 0 && by_buffer(&old[kept - 1], &old[i]) == 0)
			old[kept - 1].bytes += old[i].bytes;
		else
			old[kept++] = old[i];
	}
	return kept;
}

/* The bases at which buffers of a block have tensors where these lay. */
static struct old_base *find_bases(const struct staying *s,
	const struct block *block, uint32_t *n, struct arena *arena)
{
	const struct schedule *schedule = s->m->plan.schedule;
	uint32_t n_tensors = schedule->graph->n_tensors;
	const uint32_t *place = mp_problem_places(block->problem, arena);
	struct old_base *bases = NEW(arena, struct old_base, n_tensors);

	*n = 0;
	for (uint32_t t = 0; place && bases && t < n_tensors; t++) {
		const struct tensor *old = old_of(s, t);
		const struct stay *stay = &schedule->stay[t];

		if (!old || place[stay->buffer] == NONE ||
			old->offset < stay->base ||
			strcmp(old_pool(s->m->near, old),
				pool_of(block->space)) != 0)
			continue;
		bases[(*n)++] = (struct old_base){place[stay->buffer],
			old->offset - stay->base, old->size};
	}
	if (!place || !bases)
		return NULL;
	*n = merge_bases(bases, *n);
	return bases;
}

/* ------------------------------------------------------- the street */

static bool stay_in_block(void *context, struct block *block)
{
	struct staying *s = context;
	memplan *m = s->m;
	struct arena scratch = mp_arena_within(&m->run, &m->error);
	struct near_plan near = {.limit = block->limit};
	struct job job = mp_street_job(m, s->run, block->problem);
	bool fine;

	job.best = block->offsets;
	job.height = block->height;
	job.running = job.winner = m->plan.planner;
	job.deadline = s->deadline;
	job.arena = &scratch;
	near.old = find_bases(s, block, &near.n_old, &scratch);
	fine = near.old && mp_planner_near(&job, &near);
	if (fine)
		block->height = job.height;
	m->plan.cut_short |= job.cut_short;
	m->found.starved |= job.starved;
	mp_arena_free(&scratch);
	return fine;
}

static bool match(struct staying *s)
{
	const struct graph *graph = s->m->plan.schedule->graph;
	uint32_t *was = NEW(&s->m->run, uint32_t, graph->n_tensors);

	s->was = was;
	return was &&
	       mp_problem_match_tensors(s->m->near, graph, was, &s->m->run);
}

bool mp_street_check_near(memplan *m)
{
	const struct options *o = &m->options;

	return !m->near || (!o->minimise_reuse && !o->minimise_banks) ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: %s moves what is to stay near '%s': give one of "
		       "the two",
		       m->graph.place,
		       o->minimise_reuse ? "minimise-reuse" : "minimise-banks",
		       m->near->name);
}

bool mp_street_stay_near(memplan *m, const struct run *run)
{
	struct staying s = {.m = m, .run = run};
	struct near_sums *sums = NEW(&m->run, struct near_sums, 1), anew = {0};
	double start = mp_planner_job_now();

	assert(m->has_plan && m->near);
	if (!sums || !match(&s))
		return false;
	if (m->options.time_limit > 0)
		s.deadline = start + m->options.time_limit - m->plan.seconds;
	count(&s, &anew);
	sums->anew_arena = m->plan.arena_size;
	if (!mp_street_each_block(m, run, stay_in_block, &s, "near"))
		return false;
	count(&s, sums);
	sums->plan = m->near->name;
	sums->n_anew = anew.n_moved;
	sums->anew = anew.moved;
	if (sums->n_kept + sums->n_moved == 0)
		mp_warn(&m->error,
			"%s: no tensor of it is in the graph with the same "
			"name and size",
			m->near->place);
	m->plan.seconds += mp_planner_job_now() - start;
	m->results.near = sums;
	return true;
}
