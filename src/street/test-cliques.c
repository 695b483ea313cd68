/*
 * Cliques that a plan may claim, by the definition: of random sets of tensors
 * no two ever share a byte, or two of them are named that may.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "street/test-trial.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	GRAPHS = 1000,
	NIGHTLY = 10,
	TRIES = 20,
	MOST = 64
};

/* The buffer of a tensor that is alone in a buffer of one part; else NONE. */
static uint32_t single(const struct problem *p, uint32_t tensor)
{
	const struct schedule *s = p->schedule;
	uint32_t buffer = s->stay[tensor].buffer;

	if (buffer == NONE || p->buffers[buffer].n_parts > 1)
		return NONE;
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (t != tensor && s->stay[t].buffer == buffer)
			return NONE;
	return buffer;
}

static uint32_t choose(
	const struct problem *p, uint64_t *random, uint32_t *tensors)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < p->schedule->graph->n_tensors; t++)
		if (single(p, t) != NONE && mp_testing_one_in(random, 3))
			tensors[n++] = t;
	return n;
}

static bool never_share(const struct problem *p, uint32_t a, uint32_t b)
{
	return mp_problem_conflict(p, p->buffers[single(p, a)].first_part,
		p->buffers[single(p, b)].first_part);
}

static bool is_clique(const struct problem *p, struct ids tensors)
{
	for (uint32_t i = 0; i < tensors.n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!never_share(p, tensors.at[i], tensors.at[k]))
				return false;
	return true;
}

static void try_clique(const struct trial *t, uint64_t *random, uint32_t *held)
{
	const struct problem *p = t->m->plan.problem;
	uint32_t tensors[MOST], n = choose(p, random, tensors);
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct verified_clique clique;
	bool holds = is_clique(p, (struct ids){tensors, n});

	if (n == 0)
		return;
	cr_assert(mp_verify_clique(p, NULL, t->m->plan.offsets, 0,
		(struct ids){tensors, n}, &clique, &arena));
	cr_assert_eq(clique.bytes > 0, holds, "seed %llu",
		(unsigned long long)t->seed);
	cr_assert(
		holds || !never_share(p, clique.sharing[0], clique.sharing[1]));
	*held += holds && n > 1;
	mp_arena_free(&arena);
}

Test(cliques, are_pairs_that_never_share)
{
	static struct trial t;
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);
	uint32_t held = 0;

	for (uint64_t seed = 1; seed <= n; seed++) {
		uint64_t random = seed;
		bool planned = mp_trial_plan(&t, seed);

		for (uint32_t i = 0;
			planned && i < TRIES && t.play.n_pools == 0; i++)
			try_clique(&t, &random, &held);
		memplan_free(t.m);
	}
	cr_assert_gt(held, n / 10, "%u", held);
}

/* ---------------------------------------------------- forged bounds */

static enum memplan_status check(const char *graph, const char *plan)
{
	memplan *own = graph ? memplan_new() : NULL, *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "plan.json", plan, strlen(plan));
	if (own)
		memplan_input(own, "graph", "g.json", graph, strlen(graph));
	status = own ? memplan_check_against(own, m) : memplan_check(m);
	memplan_free(own);
	memplan_free(m);
	return status;
}

/* Two states of which each byte is at an alignment of 1 are one region that
 * needs no more than they do. */
#define STATES(claim)                                                          \
	"{\"format\":\"memplan.plan\",\"version\":1,\"arena_size\":24,"        \
	"\"theoretical_min\":20," claim ",\"alignment\":1,"                    \
	"\"planner\":\"greedy-size\",\"tensors\":["                            \
	"{\"id\":0,\"offset\":0,\"size\":8,\"start\":0,\"end\":2,"             \
	"\"kind\":\"state\"},"                                                 \
	"{\"id\":1,\"offset\":8,\"size\":8,\"start\":0,\"end\":2,"             \
	"\"kind\":\"state\"},"                                                 \
	"{\"id\":2,\"offset\":16,\"size\":4,\"start\":0,\"end\":1},"           \
	"{\"id\":3,\"offset\":20,\"size\":4,\"start\":1,\"end\":2}]}"

Test(cliques, a_forged_bound_of_states_is_refuted)
{
	cr_assert_eq(check(NULL, STATES("\"lower_bound\":24,"
					"\"bound_kind\":\"clique\"")),
		MEMPLAN_NO);
	cr_assert_eq(check(NULL, STATES("\"lower_bound\":22,"
					"\"bound_kind\":\"pin\"")),
		MEMPLAN_NO);
	cr_assert_eq(check(NULL, STATES("\"lower_bound\":20,"
					"\"bound_kind\":\"load\"")),
		MEMPLAN_OK);
}

/* The graph fixes nothing in any pool. */
Test(cliques, a_forged_bound_of_pools_is_refuted)
{
	static const char graph[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","
		"\"alignment\":1,\"pools\":[{\"name\":\"p\"},"
		"{\"name\":\"q\"}],\"tensors\":["
		"{\"id\":0,\"size\":4,\"lifetime\":[0,1],\"pools\":[\"p\"]},"
		"{\"id\":1,\"size\":4,\"lifetime\":[1,2],\"pools\":[\"p\"]},"
		"{\"id\":2,\"size\":2,\"lifetime\":[0,2],"
		"\"pools\":[\"q\"]}]}";
	static const char plan[] =
		"{\"format\":\"memplan.plan\",\"version\":1,\"name\":\"g\","
		"\"arena_size\":10,\"theoretical_min\":6,"
		"\"lower_bound\":10,\"bound_kind\":\"clique\","
		"\"alignment\":1,\"planner\":\"greedy-size\","
		"\"order\":{\"name\":\"keep\",\"ops\":[]},\"pools\":["
		"{\"name\":\"p\",\"arena_size\":8,\"theoretical_min\":4,"
		"\"lower_bound\":8},{\"name\":\"q\",\"arena_size\":2,"
		"\"theoretical_min\":2,\"lower_bound\":2}],\"tensors\":["
		"{\"id\":0,\"offset\":0,\"pool\":\"p\",\"size\":4,"
		"\"start\":0,\"end\":1},"
		"{\"id\":1,\"offset\":4,\"pool\":\"p\",\"size\":4,"
		"\"start\":1,\"end\":2},"
		"{\"id\":2,\"offset\":0,\"pool\":\"q\",\"size\":2,"
		"\"start\":0,\"end\":2}]}";

	cr_assert_eq(check(NULL, plan), MEMPLAN_OK);
	cr_assert_eq(check(graph, plan), MEMPLAN_NO);
}
