/*
 * Choices of every mode against all choices on small problems, against the
 * modes before, and against swapping every feature map; their times against a
 * slow clock.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "budget/inside.h"
#include "budget/test-run.h"
#include "simulate/simulate.h"

enum {
	SEEDS = 400,
	SEARCHED = 600, /* problems of which all choices are tried */
	CANDIDATES = 9, /* of such a problem */
};

/* ------------------------------------------------------------ clock */

struct clock {
	const struct run *run;
	const struct budget_job *job;
	uint64_t now, busy;
	uint64_t done[64]; /* of a detour's last copy; 0: not begun */
};

static uint64_t bytes_of(const struct clock *c, uint32_t i)
{
	return c->run->graph.tensors[c->job->detours[i].tensor].size;
}

static bool is_read(const struct detour *d)
{
	return !d->recompute;
}

/* The read with the earliest next use that has not begun. */
static uint32_t next_read(const struct clock *c, const bool *begun)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < c->job->n_detours; i++)
		if (is_read(&c->job->detours[i]) && !begun[i] &&
			(best == NONE ||
				c->job->detours[i].next_use <
					c->job->detours[best].next_use))
			best = i;
	return best;
}

static void begin(struct clock *c, uint32_t i, uint64_t nanoseconds)
{
	c->busy = (c->busy > c->now ? c->busy : c->now) + nanoseconds;
	c->done[i] = c->busy;
}

static void wait_for(struct clock *c, uint32_t i)
{
	c->now = c->done[i] > c->now ? c->done[i] : c->now;
}

static uint64_t cost_of(const struct run *r, const struct detour *d)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; i < d->n_ops; i++)
		cost += r->graph.ops[d->ops[i]].cost_us * 1000;
	return cost;
}

static void start_step(struct clock *c, uint32_t k, bool *begun)
{
	const struct detour *d = c->job->detours;
	uint32_t i;

	for (i = 0; i < c->job->n_detours; i++)
		if (d[i].written && d[i].out_step + 1 == k)
			wait_for(c, i);
	while ((i = next_read(c, begun)) != NONE && d[i].in_step <= k) {
		begin(c, i, bytes_of(c, i) * 500);
		begun[i] = true;
	}
	for (i = 0; i < c->job->n_detours; i++)
		if (d[i].next_use == k && is_read(&d[i])) {
			cr_assert(begun[i]);
			wait_for(c, i);
		}
	for (i = 0; i < c->job->n_detours; i++)
		if (d[i].next_use == k && !is_read(&d[i]))
			c->now += cost_of(c->run, &d[i]);
}

/* Steps in order; at each, all detours are looked at. */
static uint64_t slow_time(const struct run *r, const struct budget_job *job)
{
	struct clock c = {.run = r, .job = job};
	bool begun[64] = {false};

	cr_assert(job->n_detours <= 64);
	for (uint32_t k = 0; k < r->problem.n_steps; k++) {
		start_step(&c, k, begun);
		c.now += r->graph.ops[r->order[k]].cost_us * 1000;
		for (uint32_t i = 0; i < job->n_detours; i++)
			if (job->detours[i].written &&
				job->detours[i].last_use == k)
				begin(&c, i, bytes_of(&c, i) * 1000);
	}
	return c.now;
}

Test(budget, times_of_a_slow_clock)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (enum detour_mode mode = DETOUR_NONE; mode <= DETOUR_ASYNC;
			mode++) {
			struct budget_job job;
			struct run r;

			mp_run_make(&r, seed, 20, false);
			job = mp_run_choose(&r, mode, seed & 1,
				r.problem.theoretical_min * (40 + seed % 60) /
					100);
			cr_assert_eq(slow_time(&r, &job), job.nanoseconds,
				"seed %llu, mode %u", (unsigned long long)seed,
				(unsigned)mode);
			mp_arena_free(&r.arena);
		}
}

/* ------------------------------------------------------ all choices */

static bool is_legal(const struct choice *c)
{
	if (c->n_over > 0)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t j = 0; j < i; j++)
			if (c->at[i].chosen && c->at[j].chosen &&
				mp_budget_choice_clash(&c->at[i], &c->at[j]))
				return false;
	return true;
}

static uint64_t least_time(struct choice *c)
{
	uint64_t least = UINT64_MAX;
	bool chosen[CANDIDATES];

	for (uint32_t set = 0; set < UINT32_C(1) << c->n; set++) {
		uint64_t time;

		for (uint32_t i = 0; i < c->n; i++)
			chosen[i] = set >> i & 1;
		mp_budget_choice_set(c, chosen);
		if (!is_legal(c))
			continue;
		time = mp_budget_pace_run(&c->pace);
		cr_assert(c->pace.peak <= c->job->target);
		least = time < least ? time : least;
	}
	return least;
}

static void check_mode(
	uint64_t seed, enum detour_mode mode, bool recompute, uint32_t *counts)
{
	struct budget_job job;
	struct choice c;
	struct run r;
	uint64_t target, least;

	mp_run_make(&r, seed, 12, false);
	target = r.problem.theoretical_min * (60 + seed % 40) / 100;
	job = mp_run_job(&r, mode, recompute, target);
	cr_assert(mp_budget_choice_init(&c, &job));
	if (c.n == 0 || c.n > CANDIDATES) {
		mp_arena_free(&r.arena);
		return;
	}
	least = least_time(&c);
	job = mp_run_choose(&r, mode, recompute, target);
	if (least != UINT64_MAX) {
		counts[0]++;
		counts[1] += job.reached <= target;
		counts[2] += job.reached <= target && job.nanoseconds == least;
		cr_assert(job.nanoseconds >= least || job.reached > target);
	} else {
		cr_assert(job.reached > target);
	}
	mp_arena_free(&r.arena);
}

Test(budget, fastest_of_all_choices)
{
	for (enum detour_mode mode = DETOUR_NONE; mode <= DETOUR_ASYNC; mode++)
		for (int recompute = 0; recompute < 2; recompute++) {
			uint32_t counts[3] = {0};

			if (mode == DETOUR_NONE && !recompute)
				continue;
			for (uint64_t seed = 1; seed <= SEARCHED; seed++)
				check_mode(seed, mode, recompute, counts);
			cr_assert(counts[0] > 10);
			cr_assert(counts[1] == counts[0] &&
					  counts[2] == counts[0],
				"mode %u, recompute %d: of %u found %u, "
				"fastest %u",
				(unsigned)mode, recompute, counts[0], counts[1],
				counts[2]);
		}
}

/* ------------------------------------------------------------ modes */

Test(budget, no_mode_is_slower_than_one_before)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t before = UINT64_MAX, target;
		bool fits = false;
		struct run r;

		mp_run_make(&r, seed, 24, false);
		target = r.problem.theoretical_min * (40 + seed % 60) / 100;
		for (enum detour_mode mode = DETOUR_SYNC; mode <= DETOUR_ASYNC;
			mode++) {
			struct budget_job job =
				mp_run_choose(&r, mode, seed & 1, target);

			if (mode > DETOUR_SYNC)
				cr_assert_eq(fits, job.reached <= target);
			fits = job.reached <= target;
			if (fits)
				cr_assert(job.nanoseconds <= before);
			before = job.nanoseconds;
		}
		mp_arena_free(&r.arena);
	}
}

/* ------------------------------------------------------------- maps */

static uint64_t time_of_maps(
	struct run *r, const char *mode, uint32_t forward_end, uint64_t *peak)
{
	struct copies c = {.write_rate = 1000000,
		.read_rate = 2000000,
		.forward_end = forward_end};
	struct requests requests;
	struct problem pieces;
	uint64_t time = 0;

	cr_assert(mp_simulate_requests_init(
		&requests, r->schedule, BY_LIFETIME, &r->arena));
	cr_assert(mp_simulate_swap_maps(
		r->schedule, &requests, &c, &r->arena, &r->error));
	for (uint32_t i = 0; i < mp_n_copy_modes; i++)
		if (strcmp(mp_copy_modes[i].name, mode) == 0)
			time = mp_copy_modes[i].run(&c);
	cr_assert(mp_simulate_swap_problem(
		&r->problem, &c, &pieces, &r->arena, &r->error));
	*peak = pieces.theoretical_min;
	return time;
}

static void check_maps(uint64_t seed, enum detour_mode mode, const char *name,
	uint32_t *n_compared)
{
	struct budget_job job;
	struct run r;
	uint64_t peak, time;

	mp_run_make(&r, seed, 24, false);
	job = mp_run_job(&r, mode, false, 0);
	job.forward_end = r.problem.n_steps / 2;
	if (job.forward_end == 0)
		job.forward_end = 1;
	time = time_of_maps(&r, name, job.forward_end, &peak);
	job.target =
		1 + peak + (r.problem.theoretical_min - peak) * (seed % 8) / 8;
	cr_assert(mp_budget_choose(&job));
	cr_assert(job.reached <= job.target, "seed %llu, %s",
		(unsigned long long)seed, name);
	cr_assert(job.nanoseconds <= time, "seed %llu, %s: %llu, %llu",
		(unsigned long long)seed, name,
		(unsigned long long)job.nanoseconds, (unsigned long long)time);
	*n_compared += job.nanoseconds < time;
	mp_arena_free(&r.arena);
}

/* Where copying every map fits, the choice fits, and is no slower. */
Test(budget, no_slower_than_every_map)
{
	uint32_t n_faster = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		check_maps(seed, DETOUR_SYNC, "sync", &n_faster);
		check_maps(seed, DETOUR_SEMI, "semi", &n_faster);
	}
	cr_assert(n_faster > SEEDS);
}
