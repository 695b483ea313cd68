/*
 * Greedy rows in a line: the same as one after the other, with any number of
 * threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/greedy.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/planning.h"
#include "testing/random-problem.h"

enum {
	TRIALS = 160,
	ROWS = 3,
	MOST_HELPERS = 3
};

static const uint64_t budgets[] = {1, 300, 800, 100000};

static bool goes_on(const struct job *job)
{
	return job->height == UINT64_MAX ||
	       (job->steps > 0 && !mp_planner_job_done(job));
}

static void list_rows(const struct planner *rows[ROWS])
{
	rows[0] = mp_planner_find("online-best");
	rows[1] = mp_planner_find("greedy-size");
	rows[2] = mp_planner_find("greedy-urgency");
}

static struct job run_line(
	struct planning *f, uint64_t steps, struct threads *threads)
{
	struct job job = mp_testing_job(&f->problem, steps, &f->arena);
	const struct planner *rows[ROWS];

	list_rows(rows);
	job.threads = threads;
	job.running = rows[0]->name;
	cr_assert(mp_planner_greedy_line(&job, rows, ROWS, goes_on));
	return job;
}

static struct job run_each(struct planning *f, uint64_t steps)
{
	struct job job = mp_testing_job(&f->problem, steps, &f->arena);
	const struct planner *rows[ROWS];

	list_rows(rows);
	for (uint32_t i = 0; i < ROWS && goes_on(&job); i++)
		cr_assert_neq(
			mp_testing_plan(&job, rows[i]->name), PLAN_FAILED);
	return job;
}

Test(greedy, a_line_is_one_after_the_other)
{
	uint32_t n_second = 0; /* have a better plan than the first row */
	struct planning f;

	for (uint32_t i = 0; i < TRIALS; i++) {
		uint64_t steps =
			budgets[i / SHAPES_NOT_PLAIN % countof(budgets)];
		struct job each;

		f = (struct planning){.arena.error = &f.error};
		cr_assert(mp_testing_random_problem(i,
			&mp_testing_not_plain[i % SHAPES_NOT_PLAIN], &f.problem,
			&f.arena));
		each = run_each(&f, steps);
		for (int helpers = 0; helpers <= MOST_HELPERS; helpers++) {
			struct threads threads;
			struct job job;

			mp_threads_init(&threads, helpers);
			job = run_line(&f, steps, &threads);
			cr_assert(mp_testing_same_plan(&job, &each));
			cr_assert_eq(job.steps, each.steps);
			cr_assert_str_eq(job.winner, each.winner);
			cr_assert_eq(threads.idle, helpers);
		}
		n_second += strcmp(each.winner, "online-best") != 0;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(n_second, TRIALS / 8);
	cr_assert_lt(n_second, TRIALS);
}
