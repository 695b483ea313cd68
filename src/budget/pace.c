/*
 * When copies of a choice run, and how long the run takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "budget/inside.h"

/* ------------------------------------------------------------ lists */

static bool make_room(struct pace *p, uint32_t n_tensors, struct arena *arena)
{
	size_t n_steps = (size_t)p->problem->n_steps + 2;

	p->extra = NEW(arena, uint64_t, n_steps);
	p->cost = NEW(arena, uint64_t, n_steps);
	p->load = NEW(arena, uint64_t, n_steps);
	p->change = NEW(arena, uint64_t, n_steps);
	p->join = NEW(arena, uint64_t, n_steps);
	p->again = NEW(arena, uint64_t, n_steps);
	p->leaving = NEW(arena, uint32_t, p->n);
	p->coming = NEW(arena, uint32_t, p->n);
	p->done = NEW(arena, uint64_t, p->n);
	p->seen = NEW(arena, uint32_t, n_tensors);
	return p->extra && p->cost && p->load && p->change && p->join &&
	       p->again && p->leaving && p->coming && p->done && p->seen;
}

bool mp_budget_pace_init(struct pace *pace, const struct budget_job *job,
	struct candidate *at, uint32_t n)
{
	const struct schedule *s = job->schedule;
	uint32_t n_steps = s->problem.n_steps;

	*pace = (struct pace){.problem = &s->problem,
		.at = at,
		.n = n,
		.mode = job->mode,
		.target = job->target};
	if (!make_room(pace, s->graph->n_tensors, job->arena))
		return false;
	for (uint32_t k = 0; k < s->graph->n_ops; k++)
		pace->cost[k] = mp_schedule_op(s, k)->cost_us * 1000;
	return mp_lists_group(&pace->by_last, n_steps, &at->detour.last_use,
		       sizeof(*at), n, job->arena) &&
	       mp_lists_group(&pace->by_next, n_steps, &at->detour.next_use,
		       sizeof(*at), n, job->arena);
}

/* Only the first copy of a tensor is written; those of one tensor are in the
 * order of steps. */
static void mark_written(struct pace *p)
{
	p->round++;
	for (uint32_t i = 0; i < p->n; i++) {
		struct detour *d = &p->at[i].detour;

		if (!p->at[i].chosen)
			continue;
		d->written = !d->recompute && p->seen[d->tensor] != p->round;
		if (d->written)
			p->seen[d->tensor] = p->round;
	}
}

static void collect(struct pace *p)
{
	p->n_leaving = p->n_coming = 0;
	for (uint32_t k = 0; k < p->problem->n_steps; k++)
		p->again[k] = 0;
	mark_written(p);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct candidate *last = &p->at[p->by_last.links[i]];
		const struct candidate *next = &p->at[p->by_next.links[i]];

		if (last->chosen && last->detour.written)
			p->leaving[p->n_leaving++] = p->by_last.links[i];
		if (!next->chosen)
			continue;
		if (next->detour.recompute)
			p->again[next->detour.next_use] += next->again;
		else
			p->coming[p->n_coming++] = p->by_next.links[i];
	}
}

/* ------------------------------------------------------------- time */

struct clock {
	uint64_t now, busy; /* of compute; the queue is, until then */
	uint32_t written, read;
};

static void queue_reads(struct pace *p, struct clock *c, uint32_t step)
{
	for (; c->read < p->n_coming; c->read++) {
		const struct candidate *one = &p->at[p->coming[c->read]];

		if (one->detour.in_step > step)
			return;
		c->busy = num_max(c->busy, c->now) + one->read;
		p->join[one->detour.next_use] = c->busy;
	}
}

static void queue_writes(struct pace *p, struct clock *c, uint32_t step)
{
	for (; c->written < p->n_leaving; c->written++) {
		const struct candidate *one = &p->at[p->leaving[c->written]];
		uint64_t *join = &p->join[one->detour.out_step + 1];

		if (one->detour.last_use != step)
			return;
		c->busy = num_max(c->busy, c->now) + one->write;
		*join = num_max(*join, c->busy);
	}
}

/* At the start of a step compute waits for the writes that must be over;
 * then reads may begin, and it waits for those of this step. */
static uint64_t run(struct pace *p)
{
	struct clock c = {0};

	for (uint32_t k = 0; k <= p->problem->n_steps; k++)
		p->join[k] = 0;
	for (uint32_t k = 0; k < p->problem->n_steps; k++) {
		c.now = num_max(c.now, p->join[k]);
		queue_reads(p, &c, k);
		c.now = num_max(c.now, p->join[k]);
		c.now += p->again[k] + p->cost[k];
		queue_writes(p, &c, k);
	}
	return c.now;
}

/* ---------------------------------------------------------- windows */

static void fill_load(struct pace *p)
{
	uint64_t less = 0;

	for (uint32_t k = 0; k <= p->problem->n_steps; k++)
		p->change[k] = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct candidate *one = &p->at[i];

		if (!one->chosen)
			continue;
		p->change[one->detour.out_step + 1] += one->size;
		p->change[one->detour.in_step] -= one->size;
	}
	for (uint32_t k = 0; k < p->problem->n_steps; k++) {
		less += p->change[k];
		p->change[k] = 0;
		p->load[k] = p->problem->load[k] + p->extra[k] - less;
	}
	p->change[p->problem->n_steps] = 0;
}

/* One end of the windows. Reads are writes in a time that runs backwards: the
 * later they begin, the longer the bytes are free. */
struct window_end {
	struct pace *pace;
	bool backwards;
	bool joins;		  /* each op waits for what ran beside it */
	const uint32_t *list;	  /* candidates by step */
	uint32_t n, head, tail;	  /* [head, tail) are queued */
	uint32_t step;		  /* in its direction, like all */
	uint64_t now, busy, held; /* held: bytes of what is queued */
};

static uint32_t turn(const struct window_end *l, uint32_t step)
{
	return l->backwards ? l->pace->problem->n_steps - 1 - step : step;
}

static struct candidate *entry(const struct window_end *l, uint32_t i)
{
	return &l->pace->at[l->list[l->backwards ? l->n - 1 - i : i]];
}

/* First step at which the bytes are its own again. */
static uint32_t far_end(const struct window_end *l, const struct candidate *one)
{
	return turn(
		l, l->backwards ? one->detour.out_step : one->detour.in_step);
}

/* Waits until the copy that was queued first is over: its bytes are free behind
 * that step, or never, if they are its own again by then. */
static void finish(struct window_end *l, uint32_t behind)
{
	struct candidate *one = entry(l, l->head);
	uint32_t far = far_end(l, one);
	uint32_t step = behind + 1 < far ? behind : far - 1;

	assert(l->head < l->tail && far > 0);
	l->now = num_max(l->now, l->pace->done[l->head++]);
	if (l->backwards)
		one->detour.in_step = turn(l, step);
	else
		one->detour.out_step = step;
	if (step + 1 >= far)
		return;
	if (step + 1 <= l->step)
		l->held -= one->size;
	else
		l->pace->change[step + 1] -= one->size;
	l->pace->change[far] += one->size;
}

/* Bytes that are needed now are waited for. */
static void begin_step(struct window_end *l)
{
	struct pace *p = l->pace;

	l->held += p->change[l->step];
	while (l->head < l->tail &&
		(p->done[l->head] <= l->now ||
			l->held + p->load[turn(l, l->step)] > p->target))
		finish(l, l->step - 1);
}

static void end_step(struct window_end *l)
{
	struct pace *p = l->pace;

	while (l->head < l->tail && (l->joins || p->done[l->head] <= l->now))
		finish(l, l->step);
	for (; l->tail < l->n; l->tail++) {
		const struct candidate *one = entry(l, l->tail);
		uint32_t near = l->backwards ? one->detour.next_use
					     : one->detour.last_use;

		if (turn(l, near) != l->step)
			return;
		l->busy = num_max(l->busy, l->now) +
			  (l->backwards ? one->read : one->write);
		p->done[l->tail] = l->busy;
		p->change[l->step + 1] += one->size;
		p->change[far_end(l, one)] -= one->size;
	}
}

/* Sets one end of all windows, given the other: where copies are over that run
 * beside compute, but no later than their bytes are needed. */
static void loosen(struct pace *p, bool backwards, bool joins)
{
	struct window_end l = {
		.pace = p, .backwards = backwards, .joins = joins};

	l.list = backwards ? p->coming : p->leaving;
	l.n = backwards ? p->n_coming : p->n_leaving;
	fill_load(p);
	for (; l.step < p->problem->n_steps; l.step++) {
		uint32_t k = turn(&l, l.step);

		begin_step(&l);
		l.now += p->cost[k] + p->again[k];
		end_step(&l);
	}
	while (l.head < l.tail)
		finish(&l, p->problem->n_steps);
}

/* ------------------------------------------------------------ whole */

/* Ways to set the windows. Room that both ends want goes to one or the other
 * first. */
enum {
	TIGHT,
	BESIDE_WRITES_FIRST,
	BESIDE_READS_FIRST,
	QUEUE_WRITES_FIRST,
	QUEUE_READS_FIRST,
	N_WAYS
};

static void set_windows(struct pace *p, uint32_t way)
{
	bool reads_first =
		way == BESIDE_READS_FIRST || way == QUEUE_READS_FIRST;
	bool joins = way < QUEUE_WRITES_FIRST;

	for (uint32_t i = 0; i < p->n; i++) {
		p->at[i].detour.out_step = p->at[i].detour.last_use;
		p->at[i].detour.in_step = p->at[i].detour.next_use;
	}
	if (way == TIGHT)
		return;
	loosen(p, reads_first, joins);
	loosen(p, !reads_first, joins);
}

static uint32_t n_ways(const struct pace *p)
{
	static const uint8_t ways[] = {
		[DETOUR_NONE] = BESIDE_WRITES_FIRST,
		[DETOUR_SYNC] = BESIDE_WRITES_FIRST,
		[DETOUR_SEMI] = QUEUE_WRITES_FIRST,
		[DETOUR_ASYNC] = N_WAYS,
	};

	assert(p->mode < countof(ways));
	return ways[p->mode];
}

/* Finds the best way. */
static void try_all(struct pace *p)
{
	uint64_t best = UINT64_MAX;

	for (uint32_t way = TIGHT; way < n_ways(p); way++) {
		uint64_t time;

		set_windows(p, way);
		time = run(p);
		if (time >= best)
			continue;
		best = time;
		p->way = way;
	}
}

static void find_peak(struct pace *p)
{
	fill_load(p);
	p->peak = 0;
	for (uint32_t k = 0; k < p->problem->n_steps; k++) {
		if (p->load[k] <= p->peak)
			continue;
		p->peak = p->load[k];
		p->peak_step = k;
	}
}

uint64_t mp_budget_pace_run(struct pace *p)
{
	uint64_t time;

	collect(p);
	if (!p->quick)
		try_all(p);
	set_windows(p, p->way);
	time = run(p);
	find_peak(p);
	return time;
}

uint64_t mp_budget_pace_work(const struct pace *p)
{
	enum {
		COLLECT = 4,
		TIGHT_RUN = 2,
		LOOSE_RUN = 8
	};
	uint64_t work = COLLECT + LOOSE_RUN;

	if (!p->quick)
		work += TIGHT_RUN + LOOSE_RUN * (uint64_t)(n_ways(p) - 1);
	return work * (uint64_t)(p->n + p->problem->n_steps);
}
