/*
 * Passes that are run ahead: a failure of one that does not count is none.
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
