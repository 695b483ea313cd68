/*
 * Two ways to a choice, of which the faster one is taken: from nothing, adding
 * at the worst step what helps most for its time; and from everything, where
 * that fits at all. Both then take back what is not needed, the slowest first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/budget.h"

#include "simulate/rests.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 product;

struct chooser {
	struct budget_job *job;
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
	uint32_t *order;    /* candidates, slowest first */
	uint64_t *load;	    /* of a step, with what is chosen */
	uint32_t *over;	    /* of a step: steps before it above the target */
	uint64_t *out, *in; /* of a step: nanoseconds of copies */
	uint64_t peak, nanoseconds;
	uint32_t peak_step;
};

/* --------------------------------------------------------------- evaluation */

static void sum_loads(struct chooser *c)
{
	const struct problem *p = c->problem;
	uint64_t less = 0;

	for (uint32_t k = 0; k <= p->n_steps; k++)
		c->load[k] = 0;
	for (uint32_t i = 0; i < c->n; i++) {
		if (!c->at[i].chosen)
			continue;
		c->load[c->at[i].detour.out_step + 1] += c->at[i].size;
		c->load[c->at[i].detour.in_step] -= c->at[i].size;
	}
	c->peak = 0;
	c->over[0] = 0;
	for (uint32_t k = 0; k < p->n_steps; k++) {
		less += c->load[k];
		c->load[k] = p->load[k] - less;
		c->over[k + 1] = c->over[k] + (c->load[k] > c->job->target);
		if (c->load[k] <= c->peak)
			continue;
		c->peak = c->load[k];
		c->peak_step = k;
	}
}

/* Only the first detour of a tensor writes it. Candidates of one tensor are in
 * the order of steps. */
static void sum_times(struct chooser *c, bool *written)
{
	const struct problem *p = c->problem;
	uint64_t time = 0;

	for (uint32_t k = 0; k <= p->n_steps; k++)
		c->out[k] = c->in[k] = 0;
	for (uint32_t i = 0; i < p->n_items; i++)
		written[i] = false;
	for (uint32_t i = 0; i < c->n; i++) {
		struct candidate *one = &c->at[i];

		if (!one->chosen)
			continue;
		time += one->again;
		one->detour.written =
			!one->detour.recompute && !written[one->detour.tensor];
		written[one->detour.tensor] |= one->detour.written;
		c->out[one->detour.last_use] +=
			one->detour.written ? one->write : 0;
		c->in[one->detour.next_use] += one->read;
	}
	for (uint32_t k = 0; k < p->n_steps; k++) {
		uint64_t cost = p->ops[p->order[k]].cost_us * 1000;

		if (c->job->mode == DETOUR_SEMI)
			time += num_max(cost,
				(k > 0 ? c->out[k - 1] : 0) + c->in[k + 1]);
		else
			time += cost + c->out[k] + c->in[k];
	}
	c->nanoseconds = time;
}

/* ------------------------------------------------------------------- choice */

static bool is_over(const struct candidate *one, uint32_t step)
{
	return one->detour.out_step < step && step < one->detour.in_step;
}

/* Does the op that makes a tensor again read this one, which is away then? */
static bool starves(const struct chooser *c, const struct candidate *again,
	const struct candidate *away)
{
	uint32_t step = again->detour.in_step;
	const struct step *op;

	if (!again->detour.recompute || away->detour.out_step >= step ||
		away->detour.in_step <= step)
		return false;
	op = &c->problem->ops[again->op];
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (op->inputs[i] == away->detour.tensor)
			return true;
	return false;
}

/* What an op needs to run again beside what is alive then. */
static bool has_room(const struct chooser *c, const struct candidate *one)
{
	const struct problem *p = c->problem;
	const struct step *op;
	uint64_t scratch = 0;

	if (!one->detour.recompute)
		return true;
	op = &p->ops[one->op];
	for (uint32_t i = 0; i < op->n_temporaries; i++) {
		uint32_t buffer = p->items[op->temporaries[i]].buffer;

		if (buffer != NONE)
			scratch += p->buffers[buffer].size;
	}
	return scratch == 0 ||
	       c->load[one->detour.in_step] + scratch <= c->job->target;
}

static bool is_possible(const struct chooser *c, const struct candidate *one)
{
	if (!has_room(c, one))
		return false;
	for (uint32_t i = 0; c->job->recompute && i < c->n; i++) {
		const struct candidate *other = &c->at[i];

		if (!other->chosen)
			continue;
		if (other->detour.tensor == one->detour.tensor &&
			other->detour.last_use == one->detour.last_use)
			return false;
		if (starves(c, one, other) || starves(c, other, one))
			return false;
	}
	return true;
}

/* Bytes above the target that go, over all steps, for the time it takes. */
static bool is_better(const struct chooser *c, const struct candidate *a,
	const struct candidate *b)
{
	uint64_t excess = c->peak - c->job->target;
	product gain_a = num_min(a->size, excess), gain_b;

	if (!b)
		return true;
	gain_b = num_min(b->size, excess);
	gain_a *= c->over[a->detour.in_step] - c->over[a->detour.out_step + 1];
	gain_b *= c->over[b->detour.in_step] - c->over[b->detour.out_step + 1];
	/* Times of more than a century a byte would overflow; none are. */
	return gain_a * (b->write + b->read + b->again + 1) >
	       gain_b * (a->write + a->read + a->again + 1);
}

static struct candidate *pick(struct chooser *c)
{
	struct candidate *best;

	for (;;) {
		best = NULL;
		for (uint32_t i = 0; i < c->n; i++) {
			struct candidate *one = &c->at[i];

			if (!one->chosen && !one->tried &&
				is_over(one, c->peak_step) &&
				is_better(c, one, best))
				best = one;
		}
		if (!best || is_possible(c, best))
			return best;
		best->tried = true;
	}
}

static void choose_none(struct chooser *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].chosen = c->at[i].tried = false;
	sum_loads(c);
}

static void add_until_it_fits(struct chooser *c)
{
	struct candidate *best;

	choose_none(c);
	while (c->peak > c->job->target && (best = pick(c))) {
		best->chosen = true;
		sum_loads(c);
	}
}

static void choose_all_copies(struct chooser *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].chosen = !c->at[i].detour.recompute;
	sum_loads(c);
}

/* An op that runs again needs room then, which taking back may use up. */
static bool all_have_room(const struct chooser *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->at[i].chosen && !has_room(c, &c->at[i]))
			return false;
	return true;
}

static void take_back(struct chooser *c)
{
	if (c->peak > c->job->target)
		return;
	for (uint32_t i = 0; i < c->n; i++) {
		struct candidate *one = &c->at[c->order[i]];

		if (!one->chosen)
			continue;
		one->chosen = false;
		sum_loads(c);
		if (c->peak <= c->job->target &&
			(!c->job->recompute || all_have_room(c)))
			continue;
		one->chosen = true;
		sum_loads(c);
	}
}

/* -------------------------------------------------------------------- whole */

struct rank {
	uint64_t time;
	uint32_t candidate;
};

static int by_time(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->candidate < y->candidate ? -1 : 1;
}

static bool sort_candidates(struct chooser *c, struct arena *arena)
{
	struct rank *ranks = NEW(arena, struct rank, c->n);

	c->order = NEW(arena, uint32_t, c->n);
	if (!ranks || !c->order)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct candidate *one = &c->at[i];

		ranks[i] =
			(struct rank){one->write + one->read + one->again, i};
	}
	qsort(ranks, c->n, sizeof(*ranks), by_time);
	for (uint32_t i = 0; i < c->n; i++)
		c->order[i] = ranks[i].candidate;
	return true;
}

/* Keeps what is chosen if it fits and is faster, or if nothing fits yet and it
 * leaves less. */
static void keep_best(struct chooser *c, bool *best, bool *written)
{
	struct budget_job *job = c->job;
	bool first = job->reached == 0;
	bool fitted = !first && job->reached <= job->target;
	bool fits = c->peak <= job->target;

	sum_times(c, written);
	if (!first && fits == fitted &&
		(fits ? c->nanoseconds >= job->nanoseconds
		      : c->peak >= job->reached))
		return;
	if (!first && fitted && !fits)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		best[i] = c->at[i].chosen;
	job->reached = num_max(c->peak, 1);
	job->reached_step = c->peak_step;
	job->nanoseconds = c->nanoseconds;
}

static bool hand_over(struct chooser *c, const bool *best, bool *written)
{
	struct budget_job *job = c->job;

	for (uint32_t i = 0; i < c->n; i++)
		c->at[i].chosen = best[i];
	sum_times(c, written);
	job->detours = NEW(job->arena, struct detour, c->n);
	if (!job->detours)
		return false;
	job->n_detours = 0;
	for (uint32_t i = 0; i < c->n; i++)
		if (best[i])
			job->detours[job->n_detours++] = c->at[i].detour;
	return true;
}

static bool make_room(struct chooser *c, struct arena *arena)
{
	size_t n_steps = (size_t)c->problem->n_steps + 2;

	c->load = NEW(arena, uint64_t, n_steps);
	c->over = NEW(arena, uint32_t, n_steps);
	c->out = NEW(arena, uint64_t, n_steps);
	c->in = NEW(arena, uint64_t, n_steps);
	return c->load && c->over && c->out && c->in;
}

bool mp_budget_choose(struct budget_job *job)
{
	struct chooser c = {.job = job, .problem = job->problem};
	struct arena *arena = job->arena;
	bool *written = NEW(arena, bool, job->problem->n_items), *best;

	if (!written || !make_room(&c, arena) ||
		!mp_rests_find(job, &c.at, &c.n) || !sort_candidates(&c, arena))
		return false;
	best = NEW(arena, bool, c.n);
	if (!best)
		return false;
	choose_none(&c);
	sum_times(&c, written);
	job->before = c.nanoseconds;
	job->reached = 0;
	add_until_it_fits(&c);
	take_back(&c);
	keep_best(&c, best, written);
	choose_all_copies(&c);
	take_back(&c);
	keep_best(&c, best, written);
	return hand_over(&c, best, written);
}
