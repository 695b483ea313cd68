/*
 * The problem of a graph as a planner had it: in the order of a plan, but with
 * no offset of that plan. What the graph ties together is one buffer here; once
 * the plan has fixed all offsets, states for example are tensors like others.
 * The plan must be a plan of this problem too, and what is proved of it is
 * proved of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "verify/verify.h"

/* The run of the graph by itself, in the order of the plan. */
static struct schedule *schedule_of(memplan *m, const struct graph *bare,
	struct run *own, struct order_job *job)
{
	*job = (struct order_job){.graph = bare,
		.inplace = m->options.inplace,
		.n_alternatives = 1,
		.winner = m->plan.schedule->order_name};
	job->alternatives[0] = mp_arena_copy(&m->run, m->plan.schedule->order,
		bare->n_ops, sizeof(*m->plan.schedule->order));
	if (!job->alternatives[0])
		return NULL;
	own->graph = mp_street_shape(m, bare, own);
	return own->graph ? mp_street_schedule(m, own, job, 0) : NULL;
}

/* The offset and the memory of a buffer are those of any tensor of it. NULL:
 * they differ, as the plan does not share bytes that this problem shares; or
 * memory is out. */
static uint64_t *offsets_of(memplan *m, const struct schedule *s, uint32_t *of)
{
	uint64_t *offsets = NEW(&m->run, uint64_t, s->problem.n_buffers);

	for (uint32_t i = 0; offsets && i < s->problem.n_buffers; i++)
		offsets[i] = mp_problem_is_reserved(&s->problem, i)
				     ? s->problem.buffers[i].offset
				     : NO_OFFSET;
	for (uint32_t t = 0; offsets && t < s->graph->n_tensors; t++) {
		const struct stay *stay = &s->stay[t];
		uint64_t at = mp_plan_offset(&m->plan, t);
		uint32_t space = mp_plan_space(&m->plan, t);

		if (stay->buffer == NONE)
			continue;
		if (at < stay->base ||
			(offsets[stay->buffer] != NO_OFFSET &&
				(offsets[stay->buffer] != at - stay->base ||
					of[stay->buffer] != space)))
			return NULL;
		offsets[stay->buffer] = at - stay->base;
		of[stay->buffer] = space;
	}
	return offsets;
}

/* The pool of a space, which is called like it, or is a block of it; NONE: the
 * graph has none. */
static uint32_t find_pool(const struct problem *p, const char *space)
{
	for (uint32_t i = 0; i < p->n_pools; i++) {
		size_t length = strlen(p->pools[i].name);
		char behind = p->pools[i].chunk ? '#' : '\0';

		if (strncmp(space, p->pools[i].name, length) == 0 &&
			space[length] == behind)
			return i;
	}
	return NONE;
}

/* The memories are those of the plan, of the graph's pools. NULL: of others; or
 * memory is out. */
static struct space *list_spaces(memplan *m, const struct problem *own)
{
	const struct spaces *spaces = &m->plan.spaces;
	struct space *at = mp_arena_copy(
		&m->run, spaces->at, spaces->n, sizeof(*spaces->at));

	for (uint32_t i = 0; at && i < spaces->n; i++) {
		at[i].pool = find_pool(own, at[i].name);
		if (at[i].pool == NONE)
			return NULL;
	}
	return at;
}

/* Reserved ranges are those of the plan, in the same order. */
static void take_spaces(
	memplan *m, const struct schedule *s, uint32_t *of, struct space *at)
{
	const struct problem *plan = m->plan.problem;

	assert(plan->n_reserved == s->problem.n_reserved);
	for (uint32_t i = 0; at && i < plan->n_reserved; i++)
		of[s->problem.first_reserved + i] =
			m->plan.spaces.of[plan->first_reserved + i];
	m->own_spaces = m->plan.spaces;
	m->own_spaces.at = at;
	m->own_spaces.of = of;
}

/* In several memories it is not known what other pairs would take. */
static void note_least(memplan *m, const struct schedule *s)
{
	m->own_pairs = mp_schedule_pairs_bound(s);
	m->own_least = m->own_pairs;
	if (m->own_pairs == 0 && (!s->problem.pools || s->n_inplace == 0))
		m->own_least = s->problem.theoretical_min;
}

/* Pairs that the plan does not take. NULL: none, or its pairs are not those of
 * the schedule; or memory is out. */
static const bool *pairs_left(memplan *m, const struct schedule *s)
{
	const struct schedule *plan = m->plan.schedule;
	bool *left = NEW(&m->run, bool, s->n_inplace), any = false;

	if (!left || plan->n_inplace != s->n_inplace)
		return NULL;
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		left[i] = mp_schedule_may_share(&s->inplace[i]) &&
			  plan->inplace[i].verdict != INPLACE_SHARED;
		any |= left[i];
	}
	return any ? left : NULL;
}

/* The schedule in which the plan's pairs share, and where its buffers lie; NULL
 * and no error: the plan does not share bytes that it shares. */
static const struct schedule *find_schedule(memplan *m, const struct run *run,
	const struct graph *bare, uint64_t **offsets, uint32_t **of)
{
	struct run own = *run;
	struct order_job job;
	const struct schedule *schedule = schedule_of(m, bare, &own, &job);

	if (!schedule)
		return NULL;
	note_least(m, schedule);
	for (;;) {
		*of = NEW(&m->run, uint32_t, schedule->problem.n_buffers);
		*offsets = *of ? offsets_of(m, schedule, *of) : NULL;
		if (*offsets || own.left || m->error.code != MEMPLAN_OK)
			break;
		own.left = pairs_left(m, schedule);
		if (!own.left)
			break;
		schedule = schedule_of(m, bare, &own, &job);
		if (!schedule)
			return NULL;
	}
	return *offsets ? schedule : NULL;
}

bool mp_street_find_own(
	memplan *m, const struct run *run, const struct graph *bare)
{
	const struct schedule *schedule;
	struct space *at = NULL;
	uint64_t *offsets;
	uint32_t *of;

	assert(m->has_plan && !m->own);
	schedule = find_schedule(m, run, bare, &offsets, &of);
	if (schedule && m->plan.spaces.at)
		at = list_spaces(m, &schedule->problem);
	if (m->error.code != MEMPLAN_OK)
		return false;
	if (!schedule || !at != !m->plan.spaces.at)
		return true;
	take_spaces(m, schedule, of, at);
	m->own = &schedule->problem;
	m->own_offsets = offsets;
	return mp_verify_spaces(&schedule->problem,
		m->plan.spaces.at ? &m->own_spaces : NULL, offsets, MEMPLAN_NO,
		&m->run, &m->error);
}

bool mp_street_confirm_pairs(
	memplan *m, const struct run *run, const struct graph *bare)
{
	struct plan *plan = &m->plan;
	struct run own = *run;
	struct order_job job;
	const struct schedule *schedule;

	if (m->own_pairs == 0 || m->own_pairs >= plan->lower_bound ||
		!mp_plan_is_optimal(plan))
		return true;
	own.planner = mp_street_run(m).planner;
	own.judges = false;
	schedule = schedule_of(m, bare, &own, &job);
	return schedule &&
	       mp_street_doubt_pairs(m, &own, &job, schedule, m->own_pairs);
}
