/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>

#include "problem/weighted-clique.h"
#include "testing/random.h"
#include "testing/seeds.h"

enum {
	NODES = 12
};

static struct trial {
	struct error error;
	struct arena scratch;
	struct weighted_graph graph;
} t;

/* A random graph, from few edges to nearly all. */
static void make(uint64_t seed)
{
	struct weighted_graph *g = &t.graph;
	uint64_t state = seed;
	uint32_t joined = 1 + (uint32_t)(seed % 9);

	t = (struct trial){0};
	t.scratch.error = &t.error;
	*g = (struct weighted_graph){
		.n = NODES, .words = 1, .scratch = &t.scratch};
	g->name = NEW(&t.scratch, uint32_t, NODES);
	g->weight = NEW(&t.scratch, uint64_t, NODES);
	g->near = NEW(&t.scratch, uint64_t, NODES);
	g->best = NEW(&t.scratch, uint32_t, NODES);
	cr_assert(g->name && g->weight && g->near && g->best);
	for (uint32_t i = NODES; i-- > 0;) {
		g->name[i] = i;
		g->weight[i] = 1 + mp_testing_below(&state, 4) +
			       (i + 1 < NODES ? g->weight[i + 1] : 0);
		for (uint32_t k = i + 1; k < NODES; k++)
			if (mp_testing_below(&state, 10) < joined)
				mp_problem_graph_join(g, i, k);
	}
}

static bool is_clique(uint32_t set)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (set >> i & 1 &&
			set & ~(1u << i) &
				~mp_problem_node_near(&t.graph, i)[0])
			return false;
	return true;
}

static uint64_t weight_of(uint32_t set)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < NODES; i++)
		weight += set >> i & 1 ? t.graph.weight[i] : 0;
	return weight;
}

static uint64_t heaviest(void)
{
	uint64_t most = 0;

	for (uint32_t set = 1; set < 1u << NODES; set++)
		if (weight_of(set) > most && is_clique(set))
			most = weight_of(set);
	return most;
}

/* Searches with so much work. What it found is a clique of that weight. */
static void search(uint64_t work)
{
	uint32_t set = 0;

	t.graph.work = work;
	cr_assert(mp_problem_graph_bound(&t.graph));
	cr_assert(mp_problem_graph_search(&t.graph));
	for (uint32_t i = 0; i < t.graph.n_best; i++)
		set |= 1u << t.graph.best[i];
	cr_assert(is_clique(set));
	cr_assert_eq(weight_of(set), t.graph.best_weight);
}

Test(weighted_clique, is_the_heaviest_of_all_sets)
{
	for (uint64_t seed = 0; seed < mp_testing_cases(200, 1); seed++) {
		uint64_t most;

		make(seed);
		most = heaviest();
		search(UINT64_MAX);
		cr_assert_eq(t.graph.best_weight, most, "%llu",
			(unsigned long long)seed);
		cr_assert_geq(t.graph.most, most);
		mp_arena_free(&t.scratch);
	}
}

Test(weighted_clique, is_a_clique_without_work_to_bound_it)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		make(seed);
		search(5);
		cr_assert_gt(t.graph.n_best, 0);
		cr_assert_eq(t.graph.most, UINT64_MAX);
		mp_arena_free(&t.scratch);
	}
}

Test(weighted_clique, keeps_one_that_is_as_heavy)
{
	for (uint64_t seed = 0; seed < 100; seed++) {
		make(seed);
		t.graph.best_weight = heaviest();
		t.graph.work = UINT64_MAX;
		cr_assert(mp_problem_graph_bound(&t.graph));
		cr_assert(mp_problem_graph_search(&t.graph));
		cr_assert_eq(t.graph.n_best, 0);
		mp_arena_free(&t.scratch);
	}
}
