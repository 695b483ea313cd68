/* SPDX-License-Identifier: MIT */
#include "simulate/requests.h"

/* Buffers that are born at, or dead from, a step. */
struct bucket {
	uint32_t *first; /* of a step, n_steps + 2 */
	uint32_t *buffers;
};

struct maker {
	const struct problem *problem;
	struct requests *requests;
	struct bucket births, deaths;
	bool *live;
	uint32_t *own;	 /* of a buffer: step + 1 whose op makes it */
	uint32_t *count; /* of a buffer: reads that are left */
	bool *held;	 /* of a buffer: reads do not decide its end */
	uint32_t n_events;
};

static bool fill_bucket(struct bucket *bucket, const struct problem *p,
	bool births, struct arena *arena)
{
	uint32_t at;

	bucket->first = NEW(arena, uint32_t, (size_t)p->n_steps + 2);
	bucket->buffers = NEW(arena, uint32_t, p->n_buffers);
	if (!bucket->first || !bucket->buffers)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		at = births ? p->buffers[i].start : p->buffers[i].end;
		bucket->first[at + 1]++;
	}
	for (uint32_t k = 0; k <= p->n_steps; k++)
		bucket->first[k + 1] += bucket->first[k];
	for (uint32_t i = p->n_buffers; i-- > 0;) {
		at = births ? p->buffers[i].start : p->buffers[i].end;
		bucket->buffers[--bucket->first[at + 1]] = i;
	}
	/* What was the end of a step is now its beginning, one place late. */
	for (uint32_t k = 0; k <= p->n_steps; k++)
		bucket->first[k] = bucket->first[k + 1];
	bucket->first[p->n_steps + 1] = p->n_buffers;
	return true;
}

static void allocate(struct maker *m, uint32_t buffer)
{
	m->requests->events[m->n_events++] = buffer * 2;
	m->live[buffer] = true;
}

static void release(struct maker *m, uint32_t buffer)
{
	m->requests->events[m->n_events++] = buffer * 2 + 1;
	m->live[buffer] = false;
}

static void allocate_all(
	struct maker *m, const uint32_t *items, uint32_t n, uint32_t step)
{
	const struct problem *p = m->problem;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t buffer = p->items[items[i]].buffer;

		if (buffer != NONE && p->buffers[buffer].start == step &&
			!m->live[buffer])
			allocate(m, buffer);
	}
}

static void claim(
	struct maker *m, const uint32_t *items, uint32_t n, uint32_t step)
{
	for (uint32_t i = 0; i < n; i++)
		if (m->problem->items[items[i]].buffer != NONE)
			m->own[m->problem->items[items[i]].buffer] = step + 1;
}

/* What no op of this step makes is there before the op asks. */
static void begin_step(struct maker *m, const struct step *op, uint32_t step)
{
	const struct bucket *births = &m->births;

	if (op) {
		claim(m, op->outputs, op->n_outputs, step);
		claim(m, op->temporaries, op->n_temporaries, step);
	}
	for (uint32_t i = births->first[step]; i < births->first[step + 1]; i++)
		if (m->own[births->buffers[i]] != step + 1)
			allocate(m, births->buffers[i]);
	if (op) {
		allocate_all(m, op->outputs, op->n_outputs, step);
		allocate_all(m, op->temporaries, op->n_temporaries, step);
	}
}

/* ---------------------------------------------------------------- releases */

static void release_dead(
	struct maker *m, const uint32_t *items, uint32_t n, uint32_t step)
{
	const struct problem *p = m->problem;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t buffer = p->items[items[i]].buffer;

		if (buffer != NONE && p->buffers[buffer].end == step + 1 &&
			m->live[buffer])
			release(m, buffer);
	}
}

static void release_by_lifetime(
	struct maker *m, const struct step *op, uint32_t step)
{
	release_dead(m, op->release, op->n_release, step);
	release_dead(m, op->temporaries, op->n_temporaries, step);
	release_dead(m, op->inputs, op->n_inputs, step);
	release_dead(m, op->outputs, op->n_outputs, step);
}

/* A temporary that no other op reads goes with its op, whatever the input says
 * of its end. */
static void release_by_count(
	struct maker *m, const struct step *op, uint32_t step)
{
	const struct item *items = m->problem->items;
	uint32_t buffer;

	for (uint32_t i = 0; i < op->n_inputs; i++) {
		buffer = items[op->inputs[i]].buffer;
		if (buffer != NONE && --m->count[buffer] == 0 &&
			!m->held[buffer] && m->live[buffer])
			release(m, buffer);
	}
	release_dead(m, op->outputs, op->n_outputs, step);
	for (uint32_t i = 0; i < op->n_temporaries; i++) {
		buffer = items[op->temporaries[i]].buffer;
		if (buffer != NONE && m->count[buffer] == 0 && m->live[buffer])
			release(m, buffer);
	}
}

static void end_step(struct maker *m, uint32_t step)
{
	const struct bucket *deaths = &m->deaths;

	for (uint32_t i = deaths->first[step + 1]; i < deaths->first[step + 2];
		i++)
		if (m->live[deaths->buffers[i]])
			release(m, deaths->buffers[i]);
}

/* ------------------------------------------------------------------ counts */

static void count_reads(struct maker *m)
{
	const struct problem *p = m->problem;

	for (uint32_t i = 0; i < p->n_ops; i++)
		for (uint32_t j = 0; j < p->ops[i].n_inputs; j++) {
			uint32_t item = p->ops[i].inputs[j];

			if (p->items[item].buffer != NONE)
				m->count[p->items[item].buffer]++;
		}
}

/* Results and weights have no last reader; nor has what outlives its op though
 * no op reads it. */
static bool is_held(const struct maker *m, const struct item *item)
{
	switch ((enum item_kind)item->kind) {
	case ITEM_OUTPUT:
	case ITEM_WEIGHT:
	case ITEM_STATE:
		return true;
	case ITEM_TEMPORARY:
		return false;
	case ITEM_ACTIVATION:
	case ITEM_INPUT:
		break;
	}
	return m->count[item->buffer] == 0;
}

static void describe_buffers(struct maker *m)
{
	const struct problem *p = m->problem;
	struct requests *r = m->requests;

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct item *item = &p->items[i];

		if (item->buffer == NONE)
			continue;
		r->bytes[item->buffer] = num_max(
			r->bytes[item->buffer], item->base + item->size);
		r->persistent[item->buffer] |=
			item->kind == ITEM_WEIGHT || item->kind == ITEM_STATE;
		m->held[item->buffer] |= is_held(m, item);
	}
}

/* -------------------------------------------------------------------- whole */

static bool make_room(struct maker *m, struct arena *arena)
{
	const struct problem *p = m->problem;
	struct requests *r = m->requests;

	r->n_buffers = r->n_requests = p->n_buffers;
	r->n_steps = p->n_steps;
	r->events = NEW(arena, uint32_t, (size_t)p->n_buffers * 2);
	r->first = NEW(arena, uint32_t, (size_t)p->n_steps + 1);
	r->bytes = NEW(arena, uint64_t, p->n_buffers);
	r->persistent = NEW(arena, bool, p->n_buffers);
	return r->events && r->first && r->bytes && r->persistent;
}

static bool make_scratch(struct maker *m, struct arena *arena)
{
	uint32_t n = m->problem->n_buffers;

	m->live = NEW(arena, bool, n);
	m->held = NEW(arena, bool, n);
	m->own = NEW(arena, uint32_t, n);
	m->count = NEW(arena, uint32_t, n);
	return m->live && m->held && m->own && m->count &&
	       fill_bucket(&m->births, m->problem, true, arena) &&
	       fill_bucket(&m->deaths, m->problem, false, arena);
}

static void make_events(struct maker *m, enum release_rule rule)
{
	const struct problem *p = m->problem;
	const struct step *op = NULL;

	count_reads(m);
	describe_buffers(m);
	for (uint32_t k = 0; k < p->n_steps; k++) {
		m->requests->first[k] = m->n_events;
		if (p->n_ops > 0)
			op = &p->ops[p->order[k]];
		begin_step(m, op, k);
		if (op && rule == BY_LIFETIME)
			release_by_lifetime(m, op, k);
		else if (op)
			release_by_count(m, op, k);
		end_step(m, k);
	}
	m->requests->first[p->n_steps] = m->n_events;
}

bool mp_requests_init(struct requests *requests, const struct problem *problem,
	enum release_rule rule, struct arena *arena)
{
	struct maker m = {.problem = problem, .requests = requests};
	struct arena_mark mark;

	*requests = (struct requests){0};
	if (!make_room(&m, arena))
		return false;
	mark = mp_arena_mark(arena);
	if (!make_scratch(&m, arena))
		return false;
	make_events(&m, rule);
	mp_arena_rewind(arena, mark);
	return true;
}
