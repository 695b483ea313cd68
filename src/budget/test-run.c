/* SPDX-License-Identifier: MIT */
#include "budget/test-run.h"

#include <criterion/criterion.h>

#include "lifetime/lifetime.h"
#include "testing/random-graph.h"

void mp_run_schedule(struct run *r, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};

	r->schedule = mp_lifetime(
		&r->graph, r->order, &options, &r->arena, &r->error);
	cr_assert(r->schedule, "%s", r->error.text);
	r->problem = r->schedule->problem;
}

void mp_run_make(struct run *r, uint64_t seed, uint32_t n_ops, bool inplace)
{
	struct random_traits traits = {.n_ops = n_ops,
		.temporaries = true,
		.after = true,
		.inplace = inplace};

	*r = (struct run){0};
	r->arena.error = &r->error;
	cr_assert(mp_testing_random_graph(
		seed, &traits, &r->graph, &r->arena, &r->error));
	for (uint32_t i = 0; i < r->graph.n_ops; i++)
		r->graph.ops[i].cost_us = 1 + (seed * 7 + i * 13) % 40;
	for (uint32_t t = (uint32_t)(seed % 5); t < r->graph.n_tensors; t += 5)
		r->graph.tensors[t].to_end = seed % 2 == 0;
	r->order = NEW(&r->arena, uint32_t, r->graph.n_ops);
	cr_assert(
		mp_testing_random_order(&r->graph, seed, r->order, &r->arena));
	mp_run_schedule(r, inplace);
}

struct budget_job mp_run_job(
	struct run *r, enum detour_mode mode, bool recompute, uint64_t target)
{
	return (struct budget_job){.schedule = r->schedule,
		.mode = mode,
		.recompute = recompute,
		.write_rate = 1000000,
		.read_rate = 2000000,
		.target = target,
		.work = 10000000,
		.tied = r->tied,
		.arena = &r->arena};
}

struct budget_job mp_run_choose(
	struct run *r, enum detour_mode mode, bool recompute, uint64_t target)
{
	struct budget_job job = mp_run_job(r, mode, recompute, target);

	cr_assert(mp_budget_choose(&job));
	return job;
}
