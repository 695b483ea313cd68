/*
 * The buffers of a problem as requests to allocate and to free.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/simulate.h"

#include <assert.h>

#include "base/lists.h"

/* From when to when something is allocated. */
struct life {
	uint32_t start, end; /* steps [start, end) */
};

struct maker {
	const struct schedule *schedule;
	struct requests *requests;
	struct lists births, deaths; /* of a step: buffers */
	uint32_t *buffer_of; /* of a tensor: what is allocated for it, or NONE.
				As a buffer of the schedule, but members of a
				group are allocated each by itself */
	struct life *lives;  /* of a buffer */
	bool *live;
	uint32_t *own;	 /* of a buffer: step + 1 of the op that makes it */
	uint32_t *count; /* of a buffer: reads that are left */
	bool *grouped;	 /* a tensor is member of a group */
	bool *held;	 /* of a buffer: reads do not decide its end */
	uint32_t n_events;
};

static void allocate(struct maker *m, uint32_t buffer)
{
	assert(!m->live[buffer]);
	assert(m->lives[buffer].start <= m->lives[buffer].end);
	m->requests->events[m->n_events++] = buffer * 2;
	m->live[buffer] = true;
}

static void release(struct maker *m, uint32_t buffer)
{
	assert(m->live[buffer]);
	m->requests->events[m->n_events++] = buffer * 2 + 1;
	m->live[buffer] = false;
}

static void allocate_all(
	struct maker *m, const struct ids *tensors, uint32_t step)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t buffer = m->buffer_of[tensors->at[i]];

		if (buffer != NONE && m->lives[buffer].start == step &&
			!m->live[buffer])
			allocate(m, buffer);
	}
}

static void claim(struct maker *m, const struct ids *tensors, uint32_t step)
{
	for (uint32_t i = 0; i < tensors->n; i++)
		if (m->buffer_of[tensors->at[i]] != NONE)
			m->own[m->buffer_of[tensors->at[i]]] = step + 1;
}

/* What no op of this step makes is there before the op asks. */
static void begin_step(struct maker *m, const struct op *op, uint32_t step)
{
	struct ids births = mp_lists_at(&m->births, step);

	if (op) {
		claim(m, &op->outputs, step);
		claim(m, &op->temporaries, step);
	}
	for (uint32_t i = 0; i < births.n; i++)
		if (m->own[births.at[i]] != step + 1)
			allocate(m, births.at[i]);
	if (op) {
		allocate_all(m, &op->outputs, step);
		allocate_all(m, &op->temporaries, step);
	}
}

/* --------------------------------------------------------- releases */

static void release_dead(
	struct maker *m, const struct ids *tensors, uint32_t step)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t buffer = m->buffer_of[tensors->at[i]];

		if (buffer != NONE && m->lives[buffer].end == step + 1 &&
			m->live[buffer])
			release(m, buffer);
	}
}

static void release_by_lifetime(
	struct maker *m, const struct op *op, uint32_t step)
{
	release_dead(m, &op->release, step);
	release_dead(m, &op->temporaries, step);
	release_dead(m, &op->inputs, step);
	release_dead(m, &op->outputs, step);
}

static void count_down(struct maker *m, uint32_t tensor)
{
	uint32_t buffer = m->buffer_of[tensor];

	if (buffer != NONE && --m->count[buffer] == 0 && !m->held[buffer] &&
		m->live[buffer])
		release(m, buffer);
}

static bool is_alias(const struct maker *m, uint32_t tensor)
{
	return mp_graph_ties_alias(&m->schedule->graph->ties, tensor) != NULL;
}

/* A temporary that no other op reads goes with its op, whatever the input says
 * of its end. */
static void release_by_count(
	struct maker *m, const struct op *op, uint32_t step)
{
	uint32_t buffer;

	for (uint32_t i = 0; i < op->inputs.n; i++)
		count_down(m, op->inputs.at[i]);
	for (uint32_t i = 0; i < op->outputs.n; i++)
		if (is_alias(m, op->outputs.at[i]))
			count_down(m, op->outputs.at[i]);
	release_dead(m, &op->outputs, step);
	for (uint32_t i = 0; i < op->temporaries.n; i++) {
		buffer = m->buffer_of[op->temporaries.at[i]];
		if (buffer != NONE && m->count[buffer] == 0 && m->live[buffer])
			release(m, buffer);
	}
}

/* ----------------------------------------------------------- counts */

static void count(struct maker *m, uint32_t tensor)
{
	if (m->buffer_of[tensor] != NONE)
		m->count[m->buffer_of[tensor]]++;
}

/* To make an alias is to use what it is an alias of. */
static void count_uses(struct maker *m)
{
	const struct schedule *s = m->schedule;

	for (uint32_t i = 0; i < s->graph->n_ops; i++) {
		const struct op *op = &s->graph->ops[i];

		for (uint32_t k = 0; k < op->inputs.n; k++)
			count(m, op->inputs.at[k]);
		for (uint32_t k = 0; k < op->outputs.n; k++)
			if (is_alias(m, op->outputs.at[k]))
				count(m, op->outputs.at[k]);
	}
}

/* Results and weights have no last reader; nor has what outlives its op though
 * no op reads it. */
static bool is_held(
	const struct maker *m, const struct tensor *tensor, uint32_t buffer)
{
	switch ((enum tensor_kind)tensor->kind) {
	case KIND_OUTPUT:
	case KIND_WEIGHT:
	case KIND_STATE:
		return true;
	case KIND_TEMPORARY:
		return false;
	case KIND_ACTIVATION:
	case KIND_INPUT:
		break;
	}
	return m->count[buffer] == 0;
}

static void describe_buffers(struct maker *m)
{
	const struct schedule *s = m->schedule;
	struct requests *r = m->requests;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		const struct tensor *tensor = &s->graph->tensors[i];
		const struct stay *stay = &s->stay[i];
		uint32_t buffer = m->buffer_of[i];

		if (buffer == NONE)
			continue;
		r->bytes[buffer] = num_max(r->bytes[buffer],
			(m->grouped[i] ? 0 : stay->base) + tensor->size);
		r->persistent[buffer] |= tensor->kind == KIND_WEIGHT ||
					 tensor->kind == KIND_STATE;
		m->held[buffer] |= is_held(m, tensor, buffer);
	}
}

/* ---------------------------------------------------------- buffers */

/* Whatever shares bytes is one. What is not asked for is never born. */
static void number_buffers(struct maker *m, uint32_t n)
{
	const struct problem *p = &m->schedule->problem;

	m->requests->n_buffers = p->n_buffers;
	for (uint32_t i = 0; i < n; i++)
		m->lives[i] = (struct life){p->n_steps, p->n_steps};
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (mp_problem_is_reserved(p, i))
			continue;
		m->lives[i] =
			(struct life){p->buffers[i].start, p->buffers[i].end};
		m->requests->n_requests++;
	}
	for (uint32_t i = 0; i < m->schedule->graph->n_tensors; i++)
		m->buffer_of[i] = m->schedule->stay[i].buffer;
}

/* The first member of a group has its buffer's number; the others come behind
 * all buffers. */
static void number_members(struct maker *m)
{
	const struct graph *graph = m->schedule->graph;
	const struct stay *stay = m->schedule->stay;
	struct requests *r = m->requests;

	mp_graph_ties_mark_groups(&graph->ties, m->grouped);
	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		uint32_t *buffer = &m->buffer_of[i];

		if (!m->grouped[i] || *buffer == NONE)
			continue;
		if (m->live[*buffer]) {
			*buffer = r->n_buffers++;
			r->n_requests++;
		}
		m->live[*buffer] = true;
		m->lives[*buffer] = (struct life){stay[i].start, stay[i].end};
	}
	for (uint32_t i = 0; i < r->n_buffers; i++)
		m->live[i] = false;
}

/* ------------------------------------------------------------ whole */

static bool make_scratch(struct maker *m, uint32_t n, struct arena *arena)
{
	uint32_t n_tensors = m->schedule->graph->n_tensors;

	m->buffer_of = NEW(arena, uint32_t, n_tensors);
	m->lives = NEW(arena, struct life, n);
	m->grouped = NEW(arena, bool, n_tensors);
	m->live = NEW(arena, bool, n);
	m->held = NEW(arena, bool, n);
	m->own = NEW(arena, uint32_t, n);
	m->count = NEW(arena, uint32_t, n);
	return m->buffer_of && m->lives && m->grouped && m->live && m->held &&
	       m->own && m->count;
}

static bool list_lives(struct maker *m, struct arena *arena)
{
	uint32_t n_lists = m->schedule->problem.n_steps + 1;
	uint32_t n = m->requests->n_buffers;

	return mp_lists_group(&m->births, n_lists, &m->lives->start,
		       sizeof(*m->lives), n, arena) &&
	       mp_lists_group(&m->deaths, n_lists, &m->lives->end,
		       sizeof(*m->lives), n, arena);
}

static void make_events(struct maker *m, enum release_rule rule)
{
	const struct schedule *s = m->schedule;

	for (uint32_t k = 0; k < s->problem.n_steps; k++) {
		const struct op *op = mp_schedule_op(s, k);
		struct ids deaths = mp_lists_at(&m->deaths, k + 1);

		m->requests->first[k] = m->n_events;
		begin_step(m, op, k);
		if (op && rule == BY_LIFETIME)
			release_by_lifetime(m, op, k);
		else if (op)
			release_by_count(m, op, k);
		for (uint32_t i = 0; i < deaths.n; i++)
			if (m->live[deaths.at[i]])
				release(m, deaths.at[i]);
	}
	m->requests->first[s->problem.n_steps] = m->n_events;
}

bool mp_simulate_requests_init(struct requests *requests,
	const struct schedule *schedule, enum release_rule rule,
	struct arena *arena)
{
	struct maker m = {.schedule = schedule, .requests = requests};
	const struct problem *p = &schedule->problem;
	uint32_t n = p->n_buffers + schedule->graph->n_tensors;
	struct arena_mark mark;

	*requests = (struct requests){.n_steps = p->n_steps};
	requests->events = NEW(arena, uint32_t, (size_t)n * 2);
	requests->first = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	requests->bytes = NEW(arena, uint64_t, n);
	requests->persistent = NEW(arena, bool, n);
	mark = mp_arena_mark(arena);
	if (!requests->events || !requests->first || !requests->bytes ||
		!requests->persistent || !make_scratch(&m, n, arena))
		return false;
	number_buffers(&m, n);
	number_members(&m);
	count_uses(&m);
	describe_buffers(&m);
	if (!list_lives(&m, arena))
		return false;
	make_events(&m, rule);
	mp_arena_rewind(arena, mark);
	return true;
}
