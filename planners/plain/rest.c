/*
 * Breaking what has no place, the problem of what is left, and lower plans of
 * it: see rest.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/rest.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "planners/any/eject.h"
#include "planners/plain/bases.h"
#include "planners/plain/slides.h"
#include "planners/rows.h"

enum {
	LEVEL_SHARE = 6, /* a level gets such a part of the steps left */
	VAIN_LEVELS = 3, /* levels in a row that lower nothing */
	SHORT_LOOKS = 16 /* looks at neighbours in memory in the time of one */
};

struct rest {
	struct job *job;
	struct compounds *c;
	uint32_t *order, *spare, *free; /* scratch: live compounds */
	uint64_t *value;		/* scratch: of a compound */
};

static uint64_t base_of(const struct compounds *c, const struct compound *x)
{
	return c->slides ? mp_planner_slides_base(c, x, 0)
			 : mp_planner_bases_of(c, x)[0];
}

/* ------------------------------------------------------------ bases */

static bool meet(const struct compounds *c, const struct compound *x,
	uint64_t base, const struct compound *y)
{
	return x->start < y->end && y->start < x->end &&
	       base < base_of(c, y) + y->size && base_of(c, y) < base + x->size;
}

/* If that is lower, and the first n of the order are not in the way. */
static void try_base(const struct rest *r, const struct compound *x,
	uint64_t base, uint32_t n, uint64_t *lowest)
{
	bool fits = base < *lowest && mp_planner_slides_can_lie(r->c, x, base);

	for (uint32_t k = 0; k < n && fits; k++)
		fits = !meet(r->c, x, base, &r->c->at[r->order[k]]);
	if (fits)
		*lowest = base;
}

/* Each lies as it takes the fewest bytes, or next to one of the others; if
 * something is in the way everywhere, as its best order says. */
static uint64_t lowest_base(
	const struct rest *r, const struct compound *x, uint32_t n)
{
	struct compounds *c = r->c;
	uint64_t lowest = UINT64_MAX;

	for (uint32_t k = 0; k < x->n_bases; k++)
		try_base(r, x, mp_planner_slides_base(c, x, k), n, &lowest);
	for (uint32_t k = 0; k < n; k++) {
		const struct compound *y = &c->at[r->order[k]];

		try_base(r, x, base_of(c, y) + y->size, n, &lowest);
		if (base_of(c, y) >= x->size)
			try_base(r, x, base_of(c, y) - x->size, n, &lowest);
	}
	c->looks += n + (uint64_t)n * n / SHORT_LOOKS;
	return lowest == UINT64_MAX ? mp_planner_slides_base(c, x, 0) : lowest;
}

/* Those that slide come to rest, with the fewest choices first. */
static void choose_bases(struct rest *r)
{
	struct compounds *c = r->c;
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->n_live; k++) {
		uint32_t i = c->live[k];

		if (c->at[i].n_bases > 0)
			r->order[n++] = i;
		r->value[i] = c->at[i].n_bases;
	}
	mp_sort_radix(r->order, r->spare, n, r->value);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = r->order[k];

		mp_planner_slides_stay(c, i, lowest_base(r, &c->at[i], k));
	}
}

/* -------------------------------------------------------------- fit */

static bool lie_apart(const struct compounds *c, const struct compound *a,
	const struct compound *b)
{
	return base_of(c, a) + a->size <= base_of(c, b) ||
	       base_of(c, b) + b->size <= base_of(c, a);
}

static void break_live(struct compounds *c, const uint32_t *order, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (c->at[order[k]].how != JOIN_NONE &&
			c->at[order[k]].live != NONE)
			mp_planner_compounds_break(c, order[k]);
}

/* Of a compound and what is alive with it, breaks those that would lie on each
 * other. Buffers do not, as far as is known. */
static void break_on_each_other(struct compounds *c, uint32_t i,
	const uint32_t *alive, uint32_t n_alive)
{
	for (uint32_t k = 0; k < n_alive; k++) {
		if (lie_apart(c, &c->at[i], &c->at[alive[k]]))
			continue;
		break_live(c, &i, 1);
		break_live(c, &alive[k], 1);
	}
}

/* Breaks the compounds that the fixed offsets within them leave in doubt, or
 * put where another is; all with fixed offsets once the budget is spent. False:
 * there were some, so it is to be done again. */
static bool break_doubtful(struct rest *r)
{
	struct compounds *c = r->c;
	uint32_t *order = r->order, *alive = r->spare, n = 0, n_alive = 0;
	bool in_time = true;

	for (uint32_t k = 0; k < c->n_live; k++) {
		uint32_t i = c->live[k];

		if (c->at[i].n_bases > 0)
			order[n++] = i;
		r->value[i] = c->at[i].start;
	}
	mp_sort_radix(order, alive, n, r->value);
	for (uint32_t k = 0; k < n && in_time; k++) {
		const struct compound *x = &c->at[order[k]];
		uint32_t kept = 0;

		c->looks += n_alive / SHORT_LOOKS;
		in_time = mp_planner_compounds_charge(c, r->job);
		for (uint32_t a = 0; a < n_alive; a++)
			if (c->at[alive[a]].end > x->start)
				alive[kept++] = alive[a];
		n_alive = kept;
		if (x->n_bases > 1) {
			mp_planner_compounds_break(c, order[k]);
			continue;
		}
		break_on_each_other(c, order[k], alive, n_alive);
		alive[n_alive++] = order[k];
	}
	if (!in_time)
		break_live(c, order, n);
	return n == 0 || c->n_done == 0;
}

static bool meet_in_time(const struct compound *x, const struct compound *y)
{
	return x->start < y->end && y->start < x->end &&
	       !(mp_planner_compound_has_gap(y) && y->gap <= x->start &&
		       x->end <= y->gap_end);
}

/* Is there a base for a compound beside the n that have one? These are sorted
 * by it. */
static bool has_place(const struct compounds *c, const struct compound *x,
	const uint32_t *order, uint32_t n)
{
	uint64_t base = 0;

	for (uint32_t k = 0; k < n; k++) {
		const struct compound *y = &c->at[order[k]];

		if (!meet_in_time(x, y))
			continue;
		if (base + x->size <= base_of(c, y))
			return true;
		base = num_max(base, base_of(c, y) + y->size);
	}
	return base + x->size <= c->top;
}

/* Breaks the compounds that have no place, as long as the budget lasts. False:
 * there were some, so it is to be done again. */
static bool break_placeless(struct rest *r)
{
	struct compounds *c = r->c;
	uint32_t *order = r->order, *free = r->free;
	uint32_t n = 0, n_free = 0;

	for (uint32_t k = 0; k < c->n_live; k++) {
		uint32_t i = c->live[k];

		if (c->at[i].n_bases > 0) {
			order[n++] = i;
			r->value[i] = base_of(c, &c->at[i]);
		} else if (c->at[i].how != JOIN_NONE) {
			free[n_free++] = i;
		}
	}
	mp_sort_radix(order, r->spare, n, r->value);
	for (uint32_t k = 0;
		n > 0 && k < n_free && mp_planner_compounds_charge(c, r->job);
		k++) {
		c->looks += n / SHORT_LOOKS;
		if (!has_place(c, &c->at[free[k]], order, n))
			mp_planner_compounds_break(c, free[k]);
	}
	return c->n_done == 0;
}

bool mp_planner_rest_fit(struct compounds *c, struct job *job)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct rest r = {.job = job,
		.c = c,
		.order = NEW(job->arena, uint32_t, c->n_buffers),
		.spare = NEW(job->arena, uint32_t, c->n_buffers),
		.free = NEW(job->arena, uint32_t, c->n_buffers),
		.value = NEW(job->arena, uint64_t, c->room)};
	bool fine = r.order && r.spare && r.free && r.value;

	assert(c->n_live <= c->n_buffers);
	if (fine && c->slides)
		choose_bases(&r);
	while (fine && (!break_doubtful(&r) || !break_placeless(&r))) {
		mp_planner_compounds_keep(c);
		if (c->slides)
			choose_bases(&r);
	}
	mp_arena_rewind(job->arena, mark);
	return fine;
}

/* ------------------------------------------------------------- plan */

/* A part for each of the times that the compound has bytes. */
static void add_buffer(struct problem *rest, const struct compounds *c,
	const struct compound *x)
{
	uint32_t i = rest->n_buffers++, first = rest->n_parts;
	struct part whole = {
		.size = x->size, .start = x->start, .end = x->end, .buffer = i};

	rest->parts[rest->n_parts++] = whole;
	if (mp_planner_compound_has_gap(x)) {
		rest->parts[first].end = x->gap;
		whole.start = x->gap_end;
		rest->parts[rest->n_parts++] = whole;
	}
	rest->buffers[i] = (struct buffer){.size = x->size,
		.align = rest->alignment,
		.offset = x->n_bases ? base_of(c, x) : NO_OFFSET,
		.start = x->start,
		.end = x->end,
		.first_part = first,
		.n_parts = rest->n_parts - first};
}

static bool make_problem(
	const struct compounds *c, const struct job *job, struct problem *rest)
{
	const struct problem *p = job->problem;
	struct arena *arena = job->arena;

	*rest = (struct problem){.name = p->name,
		.alignment = p->alignment,
		.n_steps = p->n_steps,
		.n_streams = p->n_streams,
		.buffers = NEW(arena, struct buffer, c->n_live),
		.parts = NEW(arena, struct part, 2 * (size_t)c->n_live)};
	if (!rest->buffers || !rest->parts)
		return false;
	for (uint32_t k = 0; k < c->n_live; k++)
		add_buffer(rest, c, &c->at[c->live[k]]);
	rest->first_reserved = rest->n_buffers;
	return mp_problem_measure(rest, arena, job->error);
}

static bool offer(struct compounds *c, struct job *job, const struct job *own)
{
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);

	if (!offsets)
		return false;
	for (uint32_t k = 0; k < c->n_live; k++)
		mp_planner_compounds_settle(
			c, c->live[k], own->best[k], offsets);
	return mp_planner_job_offer(job, offsets);
}

bool mp_planner_rest_plan(struct compounds *c, struct job *job,
	mp_planner_run *run, struct job *own)
{
	struct problem rest;

	return make_problem(c, job, &rest) &&
	       mp_planner_job_hand_on(job, &rest, run, own) &&
	       (own->height == UINT64_MAX || offer(c, job, own));
}

/* ----------------------------------------------------------- levels */

/* A plan is lowered from coarse to fine, as graphs are partitioned (Hendrickson
 * and Leland, Supercomputing 1995): what is large finds its place among few,
 * and what is small fills what that leaves. */

/* A level: what is live, and where it lies. */
struct level {
	struct compounds *c;
	struct job *job, *own; /* best of own has the bases of what is live */
	uint64_t *base;	       /* of each compound that was live */
	uint64_t steps;	       /* left */
};

static void note_bases(struct level *level)
{
	for (uint32_t k = 0; k < level->c->n_live; k++)
		level->base[level->c->live[k]] = level->own->best[k];
}

/* The members of all compounds are live. False: there are none. */
static bool take_apart(struct level *level)
{
	struct compounds *c = level->c;
	uint32_t n = c->n_live;

	note_bases(level);
	/* Members are entered behind those that are still to be looked at. */
	for (uint32_t k = n; k-- > 0;) {
		uint32_t i = c->live[k];

		if (c->at[i].how == JOIN_NONE)
			continue;
		mp_planner_compounds_settle_members(c, i, level->base);
		mp_planner_compounds_break(c, i);
	}
	for (uint32_t k = 0; k < c->n_live; k++)
		level->own->best[k] = level->base[c->live[k]];
	return c->n_live > n;
}

/* False: memory is out. */
static bool eject(struct level *level)
{
	struct arena *arena = level->job->arena;
	struct arena_mark mark = mp_arena_mark(arena);
	struct job *own = level->own;
	struct problem rest;
	bool fine;

	own->problem = &rest;
	own->steps = level->steps / LEVEL_SHARE + 1;
	own->spent = 0;
	fine = make_problem(level->c, level->job, &rest) &&
	       mp_planner_eject_run(own, EJECT_LITTLE) != PLAN_FAILED;
	mp_arena_rewind(arena, mark);
	level->job->cut_short |= own->cut_short;
	level->steps -= num_min(level->steps, own->spent);
	mp_planner_job_step(level->job, own->spent);
	return fine;
}

bool mp_planner_rest_refine(
	struct compounds *c, struct job *job, struct job *own, uint64_t steps)
{
	struct arena *arena = job->arena;
	struct level level = {.c = c,
		.job = job,
		.own = own,
		.base = NEW(arena, uint64_t, c->room),
		.steps = steps};
	uint64_t *best = NEW(arena, uint64_t, c->n_buffers);
	uint32_t vain = 0;
	bool fine = level.base && best;

	assert(c->n_done == 0);
	if (!fine || own->height == UINT64_MAX)
		return fine;
	memcpy(best, own->best, sizeof(*best) * c->n_live);
	own->best = best;
	own->lower_bound = job->lower_bound;
	while (fine && vain < VAIN_LEVELS && level.steps > 0 &&
		job->steps > 0 && !job->cut_short &&
		!mp_planner_job_done(own)) {
		uint64_t height = own->height;

		fine = eject(&level);
		vain = own->height < height ? 0 : vain + 1;
		if (!take_apart(&level))
			break;
	}
	fine = fine && offer(c, job, own);
	mp_planner_compounds_undo(c);
	return fine;
}
