/*
 * Rounds of rows: what memory each has, which begin first, and what is run
 * ahead.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/team.h"

#include <criterion/criterion.h>

#include "testing/planning.h"

enum {
	BUFFERS = 8,
	STEPS = 60000,
	A_ROW = 1 << 20 /* bytes that a row needs */
};

/* The rows here plan nothing, and have what they need as context. */
static void begin(struct planning *f, struct threads *threads, void *context)
{
	mp_testing_begin(f, BUFFERS, BUFFERS);
	for (uint32_t i = 0; i < BUFFERS; i++)
		mp_testing_add(&f->problem, i, i + 1, 1);
	cr_assert(mp_testing_end(f, "auto", STEPS));
	f->job.threads = threads;
	f->job.progress_context = context;
}

/* Needs memory and decides nothing, so no other row of the round is stopped. */
static enum outcome need_memory(struct job *job, int bytes)
{
	return NEW(job->arena, char, (size_t)bytes) ? PLAN_GAVE_UP
						    : PLAN_FAILED;
}

/* Returns the memory that it took. limit: of memory; 0: none. */
static uint64_t run_round_within(uint64_t limit, struct entry *entries,
	uint32_t n, struct threads *threads, void *context)
{
	struct team team = {0};
	struct planning f;

	begin(&f, threads, context);
	f.arena.limit = limit;
	cr_assert(mp_planner_team_run(&team, entries, n, &f.job));
	mp_planner_team_free(&team);
	mp_arena_free(&f.arena);
	return f.arena.peak;
}

static uint64_t run_round(struct entry *entries, uint32_t n,
	struct threads *threads, void *context)
{
	return run_round_within(0, entries, n, threads, context);
}

static uint64_t memory_of_a_round(struct threads *threads)
{
	static const struct planner rows[] = {
		{.name = "first", .run = need_memory, .variant = 3 * A_ROW},
		{.name = "second", .run = need_memory, .variant = A_ROW},
	};
	struct entry entries[] = {
		{.row = &rows[0], .steps = 1}, {.row = &rows[1], .steps = 1}};

	return run_round(entries, countof(entries), threads, NULL);
}

Test(team, counts_the_memory_of_rows_that_run_together)
{
	struct threads threads;
	uint64_t apart = memory_of_a_round(NULL);

	mp_threads_init(&threads, 1);
	cr_assert_geq(apart, 3 * A_ROW);
	cr_assert_lt(apart, 4 * A_ROW);
	cr_assert_geq(memory_of_a_round(&threads), 4 * A_ROW);
}

/* Notes what it gets. */
static enum outcome need_all(struct job *job, int bytes)
{
	char **notes = job->progress_context;
	enum outcome outcome = need_memory(job, bytes);

	*(*notes)++ = outcome == PLAN_FAILED ? 'n' : 'y';
	return outcome;
}

/* Keeps what it gets, for its next round. */
static enum outcome keep_all(struct job *job, int bytes)
{
	enum outcome outcome = need_all(job, bytes);

	*job->kept = outcome == PLAN_FAILED ? NULL : job->arena;
	return outcome;
}

static void check_within(uint64_t limit, const char *gets)
{
	static const struct planner rows[] = {
		{.name = "keeps", .run = keep_all, .variant = A_ROW},
		{.name = "much", .run = need_all, .variant = 4 * A_ROW},
		{.name = "little", .run = need_all, .variant = A_ROW},
	};
	struct entry entries[countof(rows)];
	struct threads threads;

	for (uint32_t i = 0; i < countof(rows); i++)
		entries[i] = (struct entry){.row = &rows[i], .steps = 1 + i};
	for (int helpers = 0; helpers <= 2; helpers++) {
		char got[countof(rows) + 1] = "", *notes = got;

		mp_threads_init(&threads, helpers);
		run_round_within(limit, entries, countof(rows),
			helpers > 0 ? &threads : NULL, &notes);
		cr_assert_str_eq(got, gets);
	}
}

/* Less than is ample for all at once. */
Test(team, gives_each_row_of_a_round_all_the_memory_that_is_left)
{
	check_within(6 * A_ROW, "yyy");
	check_within(5 * A_ROW, "yny");
	check_within(2 * A_ROW, "ynn");
	check_within(A_ROW, "nnn");
}

/* Two rows side by side, and a loop of the first. */
struct pair {
	atomic_bool has_begun; /* the second */
	atomic_uint n_begun;   /* indices of the loop */
};

/* Until another thread has the other index. */
static bool wait_for_both(void *context, uint32_t i)
{
	struct pair *pair = context;

	(void)i;
	atomic_fetch_add(&pair->n_begun, 1);
	while (atomic_load(&pair->n_begun) < 2)
		;
	return false;
}

static enum outcome lead(struct job *job, int variant)
{
	struct pair *pair = job->progress_context;

	(void)variant;
	while (!atomic_load(&pair->has_begun))
		;
	cr_assert_eq(mp_threads_for(job->threads, 2), 2);
	mp_threads_run(job->threads, 2, wait_for_both, pair);
	return PLAN_OPTIMAL;
}

static enum outcome follow(struct job *job, int variant)
{
	struct pair *pair = job->progress_context;

	(void)variant;
	cr_assert_null(job->threads);
	atomic_store(&pair->has_begun, true);
	while (mp_planner_job_step(job, 1))
		;
	return PLAN_GAVE_UP;
}

Test(team, helps_the_row_that_leads)
{
	static const struct planner rows[] = {{.name = "first", .run = lead},
		{.name = "last", .run = follow}};
	struct entry entries[] = {{.row = &rows[0], .steps = 1, .leads = true},
		{.row = &rows[1], .steps = UINT64_MAX}};
	struct pair pair;
	struct threads threads;

	mp_threads_init(&threads, 1);
	atomic_init(&pair.has_begun, false);
	atomic_init(&pair.n_begun, 0);
	run_round(entries, countof(entries), &threads, &pair);
	cr_assert_eq(atomic_load(&threads.idle), 1);
	cr_assert_eq(atomic_load(&threads.helping), 0);
}

static enum outcome note(struct job *job, int variant)
{
	char **notes = job->progress_context;

	*(*notes)++ = (char)variant;
	return PLAN_GAVE_UP;
}

static void check_order(struct threads *threads, const char *order)
{
	static const struct planner rows[] = {
		{.name = "first", .run = note, .variant = '1'},
		{.name = "short", .run = note, .variant = '2'},
		{.name = "long", .run = note, .variant = '3'},
		{.name = "longest", .run = note, .variant = '4'},
		{.name = "last", .run = note, .variant = '5'},
	};
	struct entry entries[countof(rows)];
	char begun[countof(rows) + 1] = "", *notes = begun;

	for (uint32_t i = 0; i < countof(rows); i++)
		entries[i] = (struct entry){.row = &rows[i], .steps = i + 1};
	run_round(entries, countof(entries), threads, &notes);
	cr_assert_str_eq(begun, order);
}

Test(team, begins_with_the_longest_rows_behind_the_first)
{
	struct threads none;

	mp_threads_init(&none, 0);
	check_order(NULL, "12345");
	check_order(&none, "14325");
}

/* What the last row of a round does. */
enum last {
	IN_VAIN,
	FINDS /* a better plan */
};

/* A round: its last row waits until one of the next has begun. */
struct outlook {
	struct team team;
	struct entry next[2];
	atomic_uint n_begun, n_stopped; /* runs of rows of the next round */
	enum last last;
};

static enum outcome lag(struct job *job, int variant)
{
	struct outlook *o = job->progress_context;

	(void)variant;
	while (job->threads && atomic_load(&o->n_begun) == 0)
		;
	mp_planner_job_step(job, STEPS);
	if (o->last == FINDS)
		job->height = job->lower_bound + 1;
	return PLAN_FOUND;
}

/* If it is run in vain it works until it is stopped, else until the thread of
 * the last row runs the other one. */
static enum outcome forerun(struct job *job, int variant)
{
	struct outlook *o = job->progress_context;

	cr_assert_neq(need_memory(job, variant), PLAN_FAILED);
	atomic_fetch_add(&o->n_begun, 1);
	while (job->threads && o->last == IN_VAIN &&
		atomic_load(&o->n_begun) < 2)
		;
	while (job->threads && o->last == FINDS &&
		atomic_load(&o->n_stopped) == 0)
		if (!mp_planner_job_step(job, 1)) {
			atomic_fetch_add(&o->n_stopped, 1);
			break;
		}
	return PLAN_GAVE_UP;
}

static void run_ahead(void *context, const struct job *job)
{
	struct outlook *o = context;

	cr_assert_eq(job->height, UINT64_MAX);
	mp_planner_team_run_ahead(&o->team, o->next, countof(o->next), job);
}

/* Takes note of what it is to keep something for. */
static enum outcome keep(struct job *job, int variant)
{
	bool *keeps = job->progress_context;

	(void)variant;
	*keeps = job->kept;
	return PLAN_GAVE_UP;
}

/* Outside of a team it begins anew each time. */
Test(team, keeps_nothing_of_a_row_alone)
{
	static const struct planner rows[] = {{.name = "first", .run = keep},
		{.name = "second", .run = keep}};
	struct entry entries[] = {
		{.row = &rows[0], .steps = 1}, {.row = &rows[1], .steps = 1}};
	struct beaten beaten = {.outer = NULL};
	bool keeps = true;
	struct planning f;

	atomic_init(&beaten.is, false);
	begin(&f, NULL, &keeps);
	f.job.beaten = &beaten;
	for (int ahead = 0; ahead <= 1; ahead++)
		for (uint32_t n = 1; n <= 2; n++) {
			struct team team = {.n_members = 0};

			if (ahead)
				mp_planner_team_run_ahead(
					&team, entries, n, &f.job);
			else
				mp_planner_team_run(&team, entries, n, &f.job);
			cr_assert_eq(keeps, n > 1);
			mp_planner_team_free(&team);
		}
	mp_arena_free(&f.arena);
}

/* Runs two rounds. The rows of the second have begun so often, and were stopped
 * so often. */
static void check_outlook(enum last last, struct threads *threads,
	unsigned n_begun, unsigned n_stopped)
{
	static const struct planner rows[] = {
		{.name = "first", .run = need_memory, .variant = 1},
		{.name = "last", .run = lag},
		{.name = "next", .run = forerun, .variant = A_ROW},
		{.name = "beside", .run = forerun, .variant = A_ROW},
	};
	struct entry entries[] = {{.row = &rows[0], .steps = 1},
		{.row = &rows[1], .steps = UINT64_MAX, .lends = true}};
	struct outlook o = {.last = last,
		.next = {{.row = &rows[2], .steps = UINT64_MAX},
			{.row = &rows[3], .steps = UINT64_MAX}}};
	struct planning f;

	begin(&f, threads, &o);
	o.team.look_ahead = run_ahead;
	o.team.context = &o;
	cr_assert(mp_planner_team_run(&o.team, entries, 2, &f.job));
	cr_assert_eq(entries[1].is_better, last == FINDS);
	cr_assert_eq(mp_planner_team_is_ahead(&o.team, &rows[2]),
		threads && last == IN_VAIN);
	cr_assert(!threads || last != IN_VAIN || f.arena.peak >= A_ROW);
	cr_assert(mp_planner_team_run(&o.team, o.next, 2, &f.job));
	cr_assert_not(mp_planner_team_is_ahead(&o.team, &rows[2]));
	cr_assert_eq(atomic_load(&o.n_begun), n_begun);
	cr_assert_eq(atomic_load(&o.n_stopped), n_stopped);
	mp_planner_team_free(&o.team);
	mp_arena_free(&f.arena);
}

/* A round that memory is out for does not come: what is ahead is undone, as
 * what follows is another round than was assumed. */
Test(team, undoes_what_was_run_ahead_of_a_round_without_memory)
{
	static const struct planner rows[] = {
		{.name = "ahead", .run = note, .variant = 'a'},
		{.name = "new", .run = note, .variant = 'n'}};
	struct entry entries[] = {
		{.row = &rows[0], .steps = 1}, {.row = &rows[1], .steps = 1}};
	char got[8] = "", *notes = got;
	struct team team = {.n_members = 0};
	struct beaten beaten = {.outer = NULL};
	struct planning f;

	atomic_init(&beaten.is, false);
	begin(&f, NULL, &notes);
	f.job.beaten = &beaten;
	cr_assert(mp_planner_team_run_ahead(&team, entries, 1, &f.job));
	cr_assert(mp_planner_team_is_ahead(&team, &rows[0]));
	f.arena.limit = f.arena.held;
	while (NEW(&f.arena, char, 1))
		;
	f.error.code = MEMPLAN_OK;
	cr_assert_not(mp_planner_team_run(&team, entries, 2, &f.job));
	cr_assert_eq(f.error.code, MEMPLAN_ENOMEM);
	cr_assert_not(mp_planner_team_is_ahead(&team, &rows[0]));
	f.error.code = MEMPLAN_OK;
	f.arena.limit = 0;
	entries[0].steps = 2;
	cr_assert(mp_planner_team_run(&team, entries, 2, &f.job));
	cr_assert_str_eq(got, "aan");
	mp_planner_team_free(&team);
	mp_arena_free(&f.arena);
}

/* Once each, if nothing else is found; else they are stopped at once, and run
 * again in their round. */
Test(team, runs_rows_of_the_next_round_ahead)
{
	struct threads threads;

	for (int helpers = 1; helpers <= 3; helpers++) {
		mp_threads_init(&threads, helpers);
		check_outlook(IN_VAIN, &threads, 2, 0);
		cr_assert_eq(atomic_load(&threads.idle), helpers);
	}
	mp_threads_init(&threads, 1);
	check_outlook(FINDS, &threads, 3, 1);
	check_outlook(IN_VAIN, NULL, 2, 0);
	check_outlook(FINDS, NULL, 2, 0);
}
