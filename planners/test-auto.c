/*
 * The portfolio: the same bytes with any number of threads, and a plan at any
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "planners/rows.h"
#include "testing/boxes.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS = 12,
	STEPS = 60000,
	ROUND_STEPS = 400000,
	VERY_MANY = 60000,
	MANY = 100001,	    /* for auto, */
	BRIEF = 200001,	    /* and so many that it takes them without parts */
	A_TURN = 4000,	    /* steps, too few for a plan at the bound */
	SCANTY = 900 << 10, /* bytes that are too few for some rows, */
	AMPLE = 64 << 20,   /* and enough for all */
	WORN = 1000,
	WORN_STEPS = 1500000,
	CLIMB_STEPS = 1000000,
	HOLED = 2000,
	SIDE = 1000, /* steps and bytes */
	HOLED_STEPS = 1600000
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
};

static void begin_as(
	struct fixture *f, uint64_t seed, const struct random_shape *shape)
{
	*f = (struct fixture){0};
	f->arena.error = &f->error;
	cr_assert(
		mp_testing_random_problem(seed, shape, &f->problem, &f->arena));
}

static struct random_shape plain(uint32_t buffers)
{
	return (struct random_shape){
		.buffers = buffers, .steps = 40, .size = 90};
}

static void begin(struct fixture *f, uint64_t seed, uint32_t buffers)
{
	struct random_shape shape = plain(buffers);

	begin_as(f, seed, &shape);
}

static struct job run(struct fixture *f, const char *name, struct job job)
{
	const struct planner *row = mp_planner_find(name);

	job.problem = &f->problem;
	job.arena = &f->arena;
	job.error = &f->error;
	job.verify = mp_verify;
	job.height = UINT64_MAX;
	job.lower_bound = f->problem.theoretical_min;
	job.running = row->name;
	job.best = NEW(&f->arena, uint64_t, f->problem.n_buffers);
	cr_assert_neq(row->run(&job, row->variant), PLAN_FAILED, "%s: %s", name,
		f->error.text);
	return job;
}

static struct job effort(uint64_t steps, struct threads *threads)
{
	return (struct job){.capacity = UINT64_MAX,
		.steps = steps,
		.threads = threads,
		.seed = 1};
}

/* Runs with more and more threads, and frees the problem. */
static void compare(struct fixture *f, const char *name, struct job job)
{
	static const int helpers[] = {1, 2, 3, 6};
	struct job one = run(f, name, job), many;
	struct threads threads;

	job.threads = f->arena.threads = &threads;
	for (uint32_t i = 0; i < countof(helpers); i++) {
		mp_threads_init(&threads, helpers[i]);
		many = run(f, name, job);
		cr_assert_eq(atomic_load(&threads.idle), helpers[i]);
		cr_assert_eq(one.height, many.height);
		cr_assert_eq(one.lower_bound, many.lower_bound);
		cr_assert_str_eq(one.winner, many.winner);
		cr_assert_eq(one.spent, many.spent);
		cr_assert_arr_eq(one.best, many.best,
			sizeof(*one.best) * f->problem.n_buffers);
	}
	mp_arena_free(&f->arena);
}

/* With a capacity the run ends where a row of a round fits it. */
static void same_bytes(const char *name, uint64_t seed,
	const struct random_shape *shape, struct job job)
{
	struct fixture f;

	begin_as(&f, seed, shape);
	compare(&f, name, job);
}

Test(auto, does_not_depend_on_the_number_of_threads)
{
	const struct random_shape small = plain(100), large = plain(1500),
				  less = plain(1000);

	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		same_bytes("auto", seed, &small, effort(STEPS, NULL));
		same_bytes("local", seed, &small, effort(STEPS, NULL));
	}
	/* Large, and few steps a buffer: rounds run, or no more than dives. */
	same_bytes("auto", 1, &large, effort(STEPS, NULL));
	same_bytes("auto", 2, &less, effort(STEPS, NULL));
}

/* Every kind of round: large problems, plain ones and others, with the steps
 * for it. */
Test(auto, runs_rounds_the_same_with_any_number_of_threads)
{
	static const struct random_shape shapes[] = {
		{.buffers = 1500, .steps = 64, .size = 900},
		{.buffers = 1200, .steps = 40, .size = 90, .aligned = true},
		{.buffers = 1200, .steps = 40, .size = 90, .parts = true},
	};
	struct job loose = effort(ROUND_STEPS, NULL);
	struct fixture f;

	for (uint64_t seed = 1; seed <= 2; seed++)
		for (uint32_t i = 0; i < countof(shapes); i++) {
			same_bytes("auto", seed, &shapes[i],
				effort(ROUND_STEPS, NULL));
			begin_as(&f, seed, &shapes[i]);
			loose.capacity = f.problem.theoretical_min +
					 f.problem.theoretical_min / 100;
			mp_arena_free(&f.arena);
			same_bytes("auto", seed, &shapes[i], loose);
		}
}

/* How often a row has had a turn, as far as the job tells of its progress: of
 * each that takes 10,000 steps. */
struct sightings {
	const char *row, *last;
	uint32_t n_turns;
};

static void note_turn(void *context, const struct job *job)
{
	struct sightings *s = context;

	if (s->last != job->running && strcmp(job->running, s->row) == 0)
		s->n_turns++;
	s->last = job->running;
}

/* A box of a thousand steps is cut again and again, and each part loses a few
 * bytes: all steps are tight, and what fits is hard to see. */
static void begin_worn(struct planning *f, uint64_t seed, uint32_t n_buffers)
{
	struct problem *p = &f->problem;
	struct buffer box[WORN] = {{.end = 1000, .size = 1000000}};
	uint64_t state = seed;

	for (uint32_t n = 1; n < n_buffers;) {
		struct buffer *b = &box[mp_testing_below(&state, n)];
		uint32_t steps = b->end - b->start;

		box[n] = *b;
		if (mp_testing_below(&state, 2) && steps > 1) {
			b->end = b->start + 1 +
				 mp_testing_below(&state, steps - 1);
			box[n++].start = b->end;
		} else if (b->size >= 100) {
			b->size = b->size / 4 + mp_testing_below(&state,
							(uint32_t)b->size / 2);
			box[n++].size -= b->size;
		}
	}
	mp_testing_begin(f, n_buffers, 1000);
	for (uint32_t i = 0; i < n_buffers; i++)
		mp_testing_add(p, box[i].start, box[i].end,
			box[i].size - box[i].size / 64);
	cr_assert(mp_testing_end(f, "auto", WORN_STEPS));
}

/* In both local finds nothing in its first turn, and the plan is not at the
 * bound after all others. */
Test(auto, gives_no_turn_again_behind_one_in_vain)
{
	for (uint64_t seed = 3; seed <= 4; seed++) {
		struct sightings sightings = {.row = "local"};
		struct planning f;

		begin_worn(&f, seed, WORN);
		f.job.progress = note_turn;
		f.job.progress_context = &sightings;
		cr_assert_eq(mp_planner_auto_run(&f.job, 0), PLAN_FOUND);
		cr_assert_eq(sightings.n_turns, 1);
		mp_arena_free(&f.arena);
	}
}

/* Each buffer loses up to 3 % of its bytes. */
static void lose_some(struct planning *f, uint64_t seed)
{
	struct problem *p = &f->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint64_t size = p->buffers[i].size;

		size -= size * mp_testing_below(&seed, 30) / 1000;
		p->buffers[i].size = p->parts[i].size = size;
	}
	cr_assert(mp_problem_measure(p, &f->arena, &f->error));
	f->job.lower_bound = p->theoretical_min;
}

static uint32_t turns_of_local(struct planning *f)
{
	struct sightings sightings = {.row = "local"};

	f->job.progress = note_turn;
	f->job.progress_context = &sightings;
	cr_assert_eq(mp_planner_auto_run(&f->job, 0), PLAN_FOUND);
	return sightings.n_turns;
}

Test(auto, gives_local_no_turn_behind_a_plan_by_pad)
{
	struct planning f;

	for (uint64_t seed = 3; seed <= 4; seed++) {
		begin_worn(&f, seed, 400);
		lose_some(&f, seed);
		cr_assert_eq(turns_of_local(&f), 1);
		/* mend comes later, and goes on from there */
		cr_assert(strcmp(f.job.winner, "pad") == 0 ||
			  strcmp(f.job.winner, "mend") == 0);
		mp_arena_free(&f.arena);
	}
	begin_worn(&f, 3, 600);
	cr_assert_eq(turns_of_local(&f), 2);
	mp_arena_free(&f.arena);
}

/* Pieces of a box, of which one in a hundred is missing: so jigsaw has a better
 * plan, on which it spends all, but none at the bound. */
static void begin_holed(struct planning *f)
{
	static struct box pieces[HOLED + 4];
	uint64_t state = 2;
	uint32_t n = 1;

	pieces[0] = (struct box){0, SIDE, 0, SIDE};
	while (n < HOLED)
		n += mp_testing_cut(&pieces[mp_testing_below(&state, n)],
			&pieces[n], &state);
	mp_testing_begin(f, n, SIDE);
	for (uint32_t i = 0; i < n; i++)
		if (i % 100 > 0)
			mp_testing_add_box(&f->problem, pieces[i]);
	cr_assert(mp_testing_end(f, "auto", HOLED_STEPS));
}

/* What ends high may be mended in a small problem too. */
Test(auto, mends_what_is_small_and_open)
{
	struct sightings sightings = {.row = "mend"};
	struct planning f;

	begin_worn(&f, 3, 600);
	f.job.progress = note_turn;
	f.job.progress_context = &sightings;
	cr_assert_eq(mp_planner_auto_run(&f.job, 0), PLAN_FOUND);
	cr_assert_gt(sightings.n_turns, 0);
	mp_arena_free(&f.arena);
}

Test(auto, keeps_an_eighth_behind_a_row_that_spends_all)
{
	struct sightings sightings = {.row = "mend"};
	struct planning f;

	begin_holed(&f);
	f.job.progress = note_turn;
	f.job.progress_context = &sightings;
	cr_assert_eq(mp_planner_auto_run(&f.job, 0), PLAN_FOUND);
	cr_assert_str_eq(f.job.winner, "jigsaw");
	cr_assert_gt(f.job.spent, HOLED_STEPS);
	cr_assert_eq(sightings.n_turns, 1);
	mp_arena_free(&f.arena);
}

/* Turns of climb on a problem of 1,054 buffers. */
static uint32_t climbs_on(const struct random_shape *shape, bool is_near)
{
	struct sightings sightings = {.row = "climb"};
	struct job job = effort(CLIMB_STEPS, NULL);
	struct fixture f;

	job.progress = note_turn;
	job.progress_context = &sightings;
	begin_as(&f, 3, shape);
	job = run(&f, "auto", job);
	cr_assert_gt(job.height, job.lower_bound);
	cr_assert_eq(mp_planner_job_near(&job, 64), is_near);
	mp_arena_free(&f.arena);
	return sightings.n_turns;
}

Test(auto, climbs_where_many_buffers_end_far_above_the_bound)
{
	const struct random_shape near = {
		.buffers = 1200, .steps = 64, .size = 4096, .gaps = true};
	const struct random_shape far = {
		.buffers = 1200, .steps = 64, .size = 4096, .parts = true};

	cr_assert_eq(climbs_on(&near, true), 0);
	cr_assert_eq(climbs_on(&far, false), 1);
}

/* The rows that have no memory within so many bytes. */
static uint64_t starved_within(uint64_t limit, struct threads *threads)
{
	struct planning f;

	begin_worn(&f, 3, WORN);
	f.arena.limit = f.arena.held + limit;
	f.job.threads = threads;
	cr_assert_eq(mp_planner_auto_run(&f.job, 0), PLAN_FOUND);
	mp_arena_free(&f.arena);
	return f.job.starved;
}

/* A member has a plan of its own beside that of the job. */
Test(auto, has_memory_for_the_same_rows_with_any_number_of_threads)
{
	struct threads threads;
	uint64_t alone = starved_within(SCANTY, NULL);

	mp_threads_init(&threads, 1);
	cr_assert_neq(alone, 0);
	cr_assert_eq(starved_within(SCANTY, &threads), alone);
}

/* The least limit of memory that pad has. */
static void note_limit(void *context, const struct job *job)
{
	uint64_t *limit = context;

	if (strcmp(job->running, "pad") == 0 && job->arena->limit < *limit)
		*limit = job->arena->limit;
}

Test(auto, leaves_memory_for_what_rows_keep)
{
	uint64_t limit = UINT64_MAX;
	struct planning f;

	begin_holed(&f);
	f.arena.limit = f.arena.held + AMPLE;
	f.job.progress = note_limit;
	f.job.progress_context = &limit;
	cr_assert_eq(mp_planner_auto_run(&f.job, 0), PLAN_FOUND);
	cr_assert_lt(limit, f.arena.limit);
	mp_arena_free(&f.arena);
}

/* Dives that are run ahead count only where they are what they would have been
 * one after the other, whatever the budget ends in. */
Test(auto, dives_the_same_with_any_number_of_threads)
{
	const struct random_shape small = plain(100), large = plain(1500);

	for (uint64_t seed = 0; seed < PROBLEMS; seed++)
		for (uint64_t steps = 100; steps < STEPS; steps *= 3) {
			same_bytes("dive", seed, &small, effort(steps, NULL));
			same_bytes("dive", seed, &large, effort(steps, NULL));
			same_bytes(
				"courses", seed, &small, effort(steps, NULL));
			same_bytes(
				"courses", seed, &large, effort(steps, NULL));
		}
}

/* So many buffers, alive for a few steps each, that a dive is made ready while
 * both sides of the peak are placed, and goes in halves. */
Test(auto, shares_a_dive_of_very_many_buffers)
{
	struct fixture f = {.arena.error = &f.error};
	struct problem *p = &f.problem;
	uint64_t state = 5;

	*p = (struct problem){.alignment = 1,
		.n_steps = VERY_MANY,
		.n_streams = 1,
		.buffers = NEW(&f.arena, struct buffer, VERY_MANY),
		.parts = NEW(&f.arena, struct part, VERY_MANY)};
	for (uint32_t i = 0; i < VERY_MANY; i++) {
		uint32_t start = mp_testing_below(&state, VERY_MANY - 60);
		uint32_t life = 1 + mp_testing_below(&state, 60);

		mp_testing_add(p, start, start + life,
			1 + mp_testing_below(&state, 9000));
	}
	p->first_reserved = p->n_buffers;
	cr_assert(mp_problem_measure(p, &f.arena, &f.error));
	compare(&f, "auto", effort(20 * VERY_MANY, NULL));
}

/* Turns of a row on one problem, each with the same few steps and the best plan
 * so far, as in a team; kept: NULL or where the row leaves its state. */
static uint64_t take_turns(
	struct fixture *f, const char *name, uint32_t turns, void **kept)
{
	const struct planner *row = mp_planner_find(name);
	struct job job = run(f, "linear", effort(STEPS, NULL));

	job.kept = kept;
	job.running = name;
	for (uint32_t i = 0; i < turns; i++) {
		job.steps = A_TURN;
		cr_assert_neq(row->run(&job, row->variant), PLAN_FAILED);
	}
	return job.height;
}

/* What local has learnt in one turn it has in the next: many short turns find
 * what one cannot, however often it is repeated. */
Test(auto, lets_members_go_on_where_they_ended)
{
	uint64_t anew = 0, goes_on = 0;
	struct fixture f;
	void *kept;

	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		begin(&f, seed, 300);
		kept = NULL;
		anew += take_turns(&f, "local", 8, NULL);
		goes_on += take_turns(&f, "local", 8, &kept);
		cr_assert_not_null(kept);
		mp_arena_free(&f.arena);
	}
	cr_assert_lt(goes_on, anew);
}

/* However short a turn, search does not forget what it has solved. */
Test(auto, lets_search_end_in_short_turns)
{
	struct fixture f;
	void *kept;

	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		begin(&f, seed, 100);
		kept = NULL;
		cr_assert_eq(take_turns(&f, "search", 64, &kept),
			f.problem.theoretical_min);
		mp_arena_free(&f.arena);
	}
}

/* In order of birth; a part of them is alive in the middle. */
static void begin_brief_with(struct fixture *f, uint32_t n, uint32_t peak)
{
	uint64_t random = 1;

	*f = (struct fixture){0};
	f->arena.error = &f->error;
	f->problem = (struct problem){.name = "brief",
		.alignment = 1,
		.n_streams = 1,
		.n_steps = n,
		.n_buffers = n,
		.n_parts = n,
		.buffers = NEW(&f->arena, struct buffer, n)};
	for (uint32_t i = 0; i < n; i++) {
		uint64_t size = 1 + mp_testing_below(&random, 1000);

		f->problem.buffers[i] = (struct buffer){.size = size,
			.align = 1,
			.offset = NO_OFFSET,
			.start = i,
			.end = i < n / 2 && mp_testing_below(&random, n) < peak
				       ? n - i
				       : i + 1 +
						 mp_testing_below(
							 &random, n - i) %
							 99,
			.first_part = i,
			.n_parts = 1};
	}
	cr_assert(mp_problem_measure(&f->problem, &f->arena, &f->error));
}

static void begin_brief(struct fixture *f, uint32_t n)
{
	begin_brief_with(f, n, 0);
}

Test(auto, plans_a_brief_problem_as_the_whole)
{
	const struct planner *row = mp_planner_find("auto");
	struct job brief, whole, job = effort(15 * (uint64_t)BRIEF, NULL);
	struct fixture f;

	begin_brief(&f, BRIEF);
	cr_assert(mp_planner_takes_brief(row, &f.problem));
	brief = run(&f, "auto", job);
	cr_assert(!f.problem.parts && !f.problem.load);
	cr_assert(mp_problem_unfold(&f.problem, &f.arena));
	whole = run(&f, "auto", job);
	cr_assert_str_eq(brief.winner, whole.winner);
	cr_assert_arr_eq(
		brief.best, whole.best, sizeof(*whole.best) * (size_t)BRIEF);
	f.problem.n_buffers = BRIEF - 1;
	cr_assert_not(mp_planner_takes_brief(row, &f.problem));
	mp_arena_free(&f.arena);
}

/* A dive that runs beside the first row counts if that finds no plan; else it
 * is for nothing, and runs again unless the plan is at the bound. */
Test(auto, dives_ahead_the_same_with_any_number_of_threads)
{
	static const struct {
		uint32_t peak;
		bool is_near, is_done;
	} cases[] = {
		{0, false, false}, {4000, true, false}, {40000, true, true}};
	struct job first, job = effort(15 * (uint64_t)BRIEF, NULL);
	struct fixture f;

	for (uint32_t i = 0; i < countof(cases); i++) {
		begin_brief_with(&f, BRIEF, cases[i].peak);
		first = run(&f, "both-ways", job);
		cr_assert_eq(mp_planner_job_near(&first, 64), cases[i].is_near);
		cr_assert_eq(mp_planner_job_done(&first), cases[i].is_done);
		compare(&f, "auto", job);
	}
}

/* Of very many buffers the first row gives up what is far off, and the dive
 * after it takes long. */
Test(auto, plans_many_buffers_when_interrupted)
{
	const atomic_bool stop = true;
	struct job job = effort(MANY, NULL);
	struct fixture f;

	begin_brief(&f, MANY);
	job.stop = &stop;
	job = run(&f, "auto", job);
	cr_assert_str_eq(job.winner, "both-ways");
	cr_assert_not(mp_planner_job_near(&job, 64));
	mp_arena_free(&f.arena);
}

Test(auto, plans_even_when_interrupted_or_without_budget)
{
	const atomic_bool stop = true;
	struct threads threads;
	struct job interrupted = effort(STEPS, &threads);
	struct fixture f;
	struct job job;

	mp_threads_init(&threads, 1);
	interrupted.stop = &stop;
	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		begin(&f, seed, 100);
		job = run(&f, "auto", interrupted);
		cr_assert_neq(job.height, UINT64_MAX);
		job = run(&f, "auto", effort(0, NULL));
		cr_assert_neq(job.height, UINT64_MAX);
		mp_arena_free(&f.arena);
	}
}

Test(auto, is_never_worse_with_more_effort)
{
	struct fixture f;
	struct job little, much;

	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		begin(&f, seed, 60);
		little = run(&f, "auto", effort(0, NULL));
		much = run(&f, "auto", effort(STEPS, NULL));
		cr_assert_leq(much.height, little.height);
		mp_arena_free(&f.arena);
	}
}

/* Small problems are over long before. The first row that goes on behind
 * another one has all steps, as that had. */
Test(auto, takes_any_number_of_steps)
{
	static const uint64_t steps[] = {
		UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 32, UINT64_C(1) << 63};

	for (uint32_t i = 0; i < countof(steps); i++) {
		struct random_shape shape = plain(6);
		struct fixture f;

		shape.aligned = true;
		begin_as(&f, i + 1, &shape);
		cr_assert_neq(run(&f, "auto", effort(steps[i], NULL)).height,
			UINT64_MAX);
		mp_arena_free(&f.arena);
	}
}

Test(auto, stops_at_the_first_plan_that_fits)
{
	struct fixture f;
	struct job job, loose = effort(UINT64_MAX, NULL);

	for (uint64_t seed = 0; seed < PROBLEMS; seed++) {
		begin(&f, seed, 60);
		loose.capacity = f.problem.theoretical_min * 2;
		job = run(&f, "auto", loose);
		cr_assert_leq(job.height, loose.capacity);
		cr_assert_lt(job.spent, STEPS, "it went on");
		mp_arena_free(&f.arena);
	}
}

/* Runs within so much more memory than is held. */
static void check_starved(struct fixture *f, const char *name,
	const struct job *whole, uint64_t limit, struct threads *threads,
	struct job *job)
{
	const struct planner *row = mp_planner_find(name);
	struct arena arena = mp_arena_within(&f->arena, &f->error);
	enum outcome outcome;

	*job = mp_testing_job(&f->problem, whole->steps, &f->arena);
	job->running = name;
	job->threads = threads;
	job->arena = &arena;
	arena.limit = limit;
	outcome = mp_planner_job_run(job, row);
	mp_arena_free(&arena);
	if (outcome == PLAN_FAILED) {
		cr_assert_eq(f->error.code, MEMPLAN_ENOMEM);
		cr_assert_eq(job->height, UINT64_MAX);
		f->error = (struct error){.code = MEMPLAN_OK};
		return;
	}
	cr_assert_eq(f->error.code, MEMPLAN_OK);
	cr_assert_leq(job->lower_bound, whole->height);
}

/* Returns how many runs kept a plan though memory was out. */
static uint32_t starve(const char *name, struct random_shape shape)
{
	struct job whole, one, many;
	struct fixture f;
	struct threads threads;
	uint32_t n = 0;

	begin_as(&f, 1, &shape);
	whole = run(&f, name, effort(ROUND_STEPS, NULL));
	whole.steps = ROUND_STEPS;
	for (uint64_t limit = 1; limit < 256 << 20; limit += limit / 4 + 8192) {
		check_starved(&f, name, &whole, limit, NULL, &one);
		mp_threads_init(&threads, 2);
		check_starved(&f, name, &whole, limit, &threads, &many);
		cr_assert_eq(one.height, many.height);
		cr_assert_eq(one.lower_bound, many.lower_bound);
		cr_assert_eq(one.starved, many.starved);
		if (one.height == UINT64_MAX)
			continue;
		n += one.starved != 0;
		if (one.starved == 0)
			cr_assert_eq(one.height, whole.height);
	}
	cr_assert_eq(one.starved, 0);
	mp_arena_free(&f.arena);
	return n;
}

/* What a row has no memory for costs that row. */
Test(auto, keeps_its_plan_where_memory_is_out)
{
	const struct random_shape plain = {
		.buffers = 1500, .steps = 64, .size = 900};
	const struct random_shape other = {
		.buffers = 400, .steps = 40, .size = 90, .parts = true};

	cr_assert_gt(starve("auto", plain), 3);
	cr_assert_gt(starve("auto", other), 3);
	cr_assert_gt(starve("ruin", plain), 0);
}

/* One thread of effort leaves the same plan as before in a job that is run
 * again: the rows keep nothing. */
Test(auto, repeats_itself)
{
	struct fixture f;
	struct job first, second;

	begin(&f, 3, 200);
	first = run(&f, "auto", effort(STEPS, NULL));
	second = run(&f, "auto", effort(STEPS, NULL));
	cr_assert_arr_eq(first.best, second.best,
		sizeof(*first.best) * f.problem.n_buffers);
	mp_arena_free(&f.arena);
}
