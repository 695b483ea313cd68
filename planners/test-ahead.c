/*
 * Passes that are run ahead: a failure of one that does not count is none, and
 * what follows one that has ended otherwise is what it would be in turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "planners/ahead.h"
#include "testing/planning.h"

struct trial {
	atomic_bool has_failed; /* in the first slot */
	bool fails;		/* what is next for certain */
	uint32_t n_taken;
};

/* Others wait until the first slot has had a pass ahead. */
static enum pass_end run_one(void *context, struct pass *pass, struct job *job)
{
	struct trial *t = context;

	if (pass->index == 0 && !t->fails)
		return PASS_AS_EXPECTED;
	if (pass->slot > 0) {
		while (!atomic_load(&t->has_failed))
			;
		return PASS_AS_EXPECTED;
	}
	cr_assert_null(mp_arena_alloc(job->arena, SIZE_MAX, 1));
	cr_assert_eq(job->error->code, MEMPLAN_ENOMEM);
	atomic_store(&t->has_failed, true);
	return PASS_FAILED;
}

static bool take_one(void *context, const struct pass *pass)
{
	struct trial *t = context;

	cr_assert_eq(pass->end, PASS_AS_EXPECTED);
	t->n_taken++;
	return true;
}

Test(ahead, only_what_counts_can_fail)
{
	static const struct ahead_row row = {.run = run_one, .take = take_one};
	struct threads threads;
	struct trial t = {.n_taken = 0};
	struct planning f;
	struct ahead *ahead;

	atomic_init(&t.has_failed, false);
	mp_threads_init(&threads, 1);
	mp_testing_begin(&f, 1, 2);
	mp_testing_add(&f.problem, 0, 1, 16);
	cr_assert(mp_testing_end(&f, "dive", UINT64_MAX));
	f.job.threads = &threads;
	ahead = mp_planner_ahead_open(&f.job, &row, &t);
	cr_assert(ahead);
	cr_assert(mp_planner_ahead_run(ahead, AHEAD_MOST));
	cr_assert(atomic_load(&t.has_failed));
	cr_assert_gt(t.n_taken, 0);
	cr_assert_eq(f.job.error->code, MEMPLAN_OK);

	/* Then each is alone. */
	cr_assert(mp_planner_ahead_run(ahead, AHEAD_MOST));
	cr_assert_eq(f.job.error->code, MEMPLAN_OK);
	t.fails = true;
	cr_assert_not(mp_planner_ahead_run(ahead, AHEAD_MOST));
	cr_assert_eq(f.job.error->code, MEMPLAN_ENOMEM);
	cr_assert_str_not_empty(f.job.error->text);
	mp_planner_ahead_close(ahead);
	mp_arena_free(&f.arena);
}

/* ------------------------------------------------ behind a surprise */

enum {
	SURPRISES = 40
};

/* A state that passes change which end otherwise: as its number says. */
struct walk {
	uint64_t state;
	uint32_t index; /* passes since */
	uint64_t next[AHEAD_MOST];
	struct ahead *ahead;
	uint32_t n_taken, n_surprises;
	atomic_bool has_begun; /* a pass behind a surprise */
	bool waits;	       /* the first pass for that */
	const struct threads *threads;
};

/* Is there a thread beside this one? The system may have refused it. */
static bool has_helper(const struct threads *threads)
{
	return atomic_load(&threads->idle) == 0;
}

static uint64_t mix(uint64_t state, uint32_t index)
{
	uint64_t x = (state + 1) * UINT64_C(0x9e3779b97f4a7c15) + index;

	return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 20;
}

static enum pass_end walk_on(void *context, struct pass *pass, struct job *job)
{
	struct walk *w = context;
	uint64_t state = w->state, made;
	uint32_t index = pass->index;

	if (pass->behind) {
		state = w->next[pass->behind - w->ahead->passes];
		atomic_store(&w->has_begun, true);
	} else {
		index += w->index;
	}
	while (w->waits && pass == w->ahead->passes &&
		!atomic_load(&w->has_begun) && has_helper(w->threads))
		;
	made = mix(state, index);
	mp_planner_job_step(job, made % 1000);
	w->next[pass - w->ahead->passes] = made;
	if (w->waits ? pass == w->ahead->passes : made % 3 > 0)
		return PASS_AS_EXPECTED;
	return PASS_OTHERWISE;
}

static bool follow(void *context, const struct pass *pass, struct job *job)
{
	const struct walk *w = context;

	(void)job;
	return w->waits || w->next[pass - w->ahead->passes] % 4 > 0;
}

static bool take(void *context, const struct pass *pass)
{
	struct walk *w = context;
	uint64_t made = mix(w->state, w->index);

	cr_assert_eq(pass->spent, made % 1000);
	w->n_taken++;
	w->index++;
	if (pass->end == PASS_AS_EXPECTED)
		return true;
	w->n_surprises++;
	w->state = made;
	w->index = 0;
	return true;
}

static struct walk run_walk(struct threads *threads, bool waits)
{
	static const struct ahead_row row = {
		.run = walk_on, .follow = follow, .take = take};
	struct walk w = {.waits = waits, .threads = threads};
	struct planning f;

	atomic_init(&w.has_begun, false);
	mp_testing_begin(&f, 1, 2);
	mp_testing_add(&f.problem, 0, 1, 16);
	cr_assert(mp_testing_end(&f, "dive", 1000000));
	f.job.threads = threads;
	w.ahead = mp_planner_ahead_open(&f.job, &row, &w);
	cr_assert(w.ahead);
	do {
		w.ahead->is_brief = false;
		cr_assert(mp_planner_ahead_run(w.ahead, AHEAD_MOST));
	} while (!waits && w.n_surprises < SURPRISES);
	mp_planner_ahead_close(w.ahead);
	mp_arena_free(&f.arena);
	return w;
}

/* What is taken says what it should have been. */
Test(ahead, what_follows_a_surprise_is_what_it_is_in_turn)
{
	for (int helpers = 0; helpers <= AHEAD_SLOTS; helpers++) {
		struct threads threads;
		struct walk w;

		mp_threads_init(&threads, helpers);
		w = run_walk(&threads, false);
		cr_assert_geq(w.n_surprises, SURPRISES);
		mp_threads_free(&threads);
	}
}

Test(ahead, others_begin_behind_a_surprise)
{
	struct threads threads;
	struct walk w;

	mp_threads_init(&threads, 1);
	w = run_walk(&threads, true);
	mp_threads_free(&threads);
	if (!atomic_load(&w.has_begun))
		cr_skip_test("no thread can be made");
	cr_assert_gt(w.n_taken, 2);
	cr_assert_gt(w.n_surprises, 1);
}

/* ------------------------------------------------------------- late */

/* A chain that begins while no thread is idle; the other one has work until a
 * pass has begun. */
struct meeting {
	struct threads threads;
	struct planning f;
	struct ahead *ahead;
	atomic_bool is_busy; /* the other thread */
	atomic_uint n_begun;
	bool is_alone; /* a pass that waits in vain */
};

static enum pass_end meet(void *context, struct pass *pass, struct job *job)
{
	struct meeting *m = context;

	(void)pass;
	(void)job;
	cr_assert(m->ahead->at_once);
	atomic_fetch_add(&m->n_begun, 1);
	while (atomic_load(&m->n_begun) < 2 && has_helper(&m->threads))
		;
	if (atomic_load(&m->n_begun) < 2)
		m->is_alone = true;
	return PASS_AS_EXPECTED;
}

static bool take_any(void *context, const struct pass *pass)
{
	(void)context;
	(void)pass;
	return true;
}

static bool run_beside(void *context, uint32_t i)
{
	struct meeting *m = context;

	if (i == 1)
		atomic_store(&m->is_busy, true);
	while (!atomic_load(&m->is_busy) && has_helper(&m->threads))
		;
	while (i == 1 && atomic_load(&m->n_begun) == 0)
		;
	if (i == 0)
		cr_assert(mp_planner_ahead_run(m->ahead, 2));
	return false;
}

Test(ahead, others_join_a_long_chain_later)
{
	static const struct ahead_row row = {
		.run = meet, .take = take_any, .is_long = true};
	struct meeting m = {.ahead = NULL};

	atomic_init(&m.is_busy, false);
	atomic_init(&m.n_begun, 0);
	mp_threads_init(&m.threads, 1);
	mp_testing_begin(&m.f, 1, 2);
	mp_testing_add(&m.f.problem, 0, 1, 16);
	cr_assert(mp_testing_end(&m.f, "dive", UINT64_MAX));
	m.f.job.threads = &m.threads;
	m.ahead = mp_planner_ahead_open(&m.f.job, &row, &m);
	cr_assert(m.ahead);
	mp_threads_run(&m.threads, 2, run_beside, &m);
	cr_assert_eq(atomic_load(&m.n_begun), 2);
	mp_planner_ahead_close(m.ahead);
	mp_arena_free(&m.f.arena);
	mp_threads_free(&m.threads);
	if (m.is_alone)
		cr_skip_test("no thread can be made");
}
