/*
 * Most passes of a row that repeats fail, and change nothing for the next. So
 * with several threads the next ones are run ahead, in a chain: each takes for
 * granted that those before it end as expected, or begins with what one leaves
 * that has ended otherwise while others before it still run. What comes out is
 * the same as if one had followed the other, for any number of threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/ahead.h"

#include <assert.h>

enum {
	LEAST_STEPS = 500 /* of a pass: fewer take less than a thread does */
};

struct ahead *mp_planner_ahead_open(
	struct job *job, const struct ahead_row *row, void *context)
{
	struct ahead *a = NEW(job->arena, struct ahead, 1);

	if (!a)
		return NULL;
	a->job = job;
	a->row = row;
	a->context = context;
	/* A limit of memory is for one. */
	a->alone = mp_arena_beside(job->arena).limit != 0;
	pthread_mutex_init(&a->lock, NULL);
	return a;
}

void mp_planner_ahead_close(struct ahead *a)
{
	for (uint32_t i = 1; i < AHEAD_SLOTS; i++)
		mp_arena_free(&a->slots[i].arena);
	pthread_mutex_destroy(&a->lock);
}

/* How many of n passes may run at a time. */
static uint32_t count_at_once(const struct ahead *a, uint32_t n)
{
	if (a->alone || a->is_brief)
		return 1;
	n = (uint32_t)num_min(n, AHEAD_SLOTS);
	return a->row->is_long ? mp_threads_later(a->job->threads, n)
			       : mp_threads_for(a->job->threads, n);
}

/* In the thread that uses it: that takes as long as a pass where buffers are
 * very many. */
static bool make_slot(struct ahead *a, uint32_t i)
{
	struct arena *arena = a->job->arena;
	struct slot *slot = &a->slots[i];

	if (slot->is_made || slot->failed)
		return slot->is_made;
	slot->arena = (struct arena){
		.error = &slot->error, .threads = arena->threads};
	slot->is_made = !a->row->make || a->row->make(a->context, i,
						 i > 0 ? &slot->arena : arena);
	slot->failed = !slot->is_made;
	return slot->is_made;
}

static enum pass_end run_pass(struct ahead *a, struct pass *pass, uint32_t slot)
{
	struct job *own = &a->slots[slot].job;
	enum pass_end end;

	*own = *a->job;
	if (slot != 0)
		own->arena = &a->slots[slot].arena;
	own->error = &a->slots[slot].error;
	own->beaten = &pass->beaten;
	if (a->at_once)
		own->progress = NULL;
	own->spent = 0;
	pass->slot = slot;
	end = a->row->run(a->context, pass, own);
	pass->spent = own->spent;
	pass->need = num_max(pass->need, pass->spent + 1);
	pass->cut_short = own->cut_short;
	pass->starved = own->starved;
	atomic_fetch_add(&a->spent, pass->spent);
	return end;
}

/* Those before it have begun, and may have spent all. NULL: there is none. */
static struct pass *begin_pass(struct ahead *a)
{
	struct pass *pass = NULL;

	pthread_mutex_lock(&a->lock);
	if (a->n_begun < a->n &&
		!atomic_load(&a->passes[a->n_begun].beaten.is) &&
		(a->n_begun == 0 || atomic_load(&a->spent) < a->job->steps)) {
		pass = &a->passes[a->n_begun++];
		pass->index = a->n_behind++;
		pass->behind = a->last;
	}
	pthread_mutex_unlock(&a->lock);
	return pass;
}

/* Those behind it do not count: those that have begun, or all. */
static void beat_behind(struct ahead *a, const struct pass *pass, uint32_t n)
{
	for (uint32_t k = (uint32_t)(pass - a->passes) + 1; k < n; k++)
		atomic_store(&a->passes[k].beaten.is, true);
}

/* What was beaten may have ended anywhere. False: no pass begins behind it. */
static bool end_pass(
	struct ahead *a, struct pass *pass, enum pass_end end, bool goes_on)
{
	pthread_mutex_lock(&a->lock);
	if (atomic_load(&pass->beaten.is)) {
		goes_on = a->row->follow != NULL;
	} else {
		pass->end = end;
		if (end != PASS_AS_EXPECTED || !goes_on)
			beat_behind(a, pass, goes_on ? a->n_begun : a->n);
		if (end != PASS_AS_EXPECTED) {
			a->last = pass;
			a->n_behind = 0;
		}
	}
	pthread_mutex_unlock(&a->lock);
	return goes_on;
}

/* Runs the next pass. True: its memory takes another one. */
static bool run_next(void *context, uint32_t i)
{
	struct ahead *a = context;
	struct pass *pass = make_slot(a, i) ? begin_pass(a) : NULL;
	enum pass_end end;
	bool goes_on;

	if (!pass)
		return false;
	end = run_pass(a, pass, i);
	goes_on = !pass->cut_short &&
		  (end == PASS_AS_EXPECTED ||
			  (end == PASS_OTHERWISE && a->at_once &&
				  a->row->follow &&
				  a->row->follow(
					  a->context, pass, &a->slots[i].job)));
	return end_pass(a, pass, end, goes_on);
}

/* The first slot has no memory for what is next for certain. */
static bool fail(struct ahead *a)
{
	const struct error *e = &a->slots[0].error;

	return mp_fail(a->job->error, e->code, "%s", e->text);
}

static bool take_all(struct ahead *a)
{
	struct job *job = a->job;

	for (uint32_t k = 0; k < a->n; k++) {
		const struct pass *pass = &a->passes[k];

		if (atomic_load(&pass->beaten.is))
			continue;
		if (pass->end == PASS_NOT_RUN ||
			(k > 0 && (job->steps < pass->need || job->cut_short)))
			return true;
		if (pass->end == PASS_FAILED) {
			a->alone = true;
			return k > 0 || pass->slot > 0 || fail(a);
		}
		mp_planner_job_step(job, pass->spent);
		job->cut_short |= pass->cut_short;
		job->starved |= pass->starved;
		if (!a->row->take(a->context, pass))
			return false;
	}
	return true;
}

/* All slots may hold their most at one time. What fails may not count, so it is
 * no error of the job yet. */
static void run_chain(struct ahead *a, uint32_t at_once)
{
	struct arena *arena = a->job->arena;
	struct error *error = arena->error;
	uint64_t peak = arena->peak;

	arena->peak = arena->held;
	arena->error = &a->slots[0].error;
	arena->error->code = MEMPLAN_OK;
	mp_threads_run(a->job->threads, at_once, run_next, a);
	arena->error = error;
	for (uint32_t i = 1; i < AHEAD_SLOTS; i++)
		arena->peak += a->slots[i].arena.peak;
	arena->peak = num_max(arena->peak, peak);
}

/* One pass if it is alone, as threads may have become idle when it ends; or if
 * the one before has soon ended, as most do then: a plan of 10 compounds had
 * 15,000 such rounds of row eject. */
bool mp_planner_ahead_run(struct ahead *a, uint32_t n)
{
	uint32_t at_once = count_at_once(a, n);

	assert(n > 0);
	a->at_once = at_once > 1;
	a->n = a->at_once ? (uint32_t)num_min(n, AHEAD_MOST) : 1;
	for (uint32_t k = 0; k < a->n; k++) {
		a->passes[k] = (struct pass){.beaten.outer = a->job->beaten};
		atomic_init(&a->passes[k].beaten.is, false);
	}
	a->n_begun = a->n_behind = 0;
	a->last = NULL;
	atomic_init(&a->spent, 0);
	run_chain(a, at_once);
	for (uint32_t i = 1; i < AHEAD_SLOTS; i++)
		a->alone |= a->slots[i].failed;
	a->is_brief = a->passes[0].spent < LEAST_STEPS;
	return a->slots[0].failed ? fail(a) : take_all(a);
}
