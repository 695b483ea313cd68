/*
 * What plans of small graphs claim, and that it stays when they are read back:
 * states, cliques, views, pools.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "street/test-trial.h"

/* Plans a graph in a way that reaches no bound. The plan has this bound, and is
 * one of the graph. Without the graph, the bound is a claim. */
static void expect_bound(const char *graph, const char *bound)
{
	static char plan[PLAY_JSON], again[PLAY_JSON];
	static struct trial t;

	t.m = memplan_new();
	snprintf(t.text, sizeof(t.text), "%s", graph);
	memplan_set(t.m, "planner", "greedy-size");
	memplan_input(t.m, "graph", "g.json", graph, strlen(graph));
	cr_assert_eq(memplan_plan(t.m), MEMPLAN_OK);
	mp_trial_write(t.m, plan);
	memplan_free(t.m);
	cr_assert(strstr(plan, bound), "%s", plan);
	cr_assert_eq(mp_trial_check(&t, plan, again), MEMPLAN_OK, "%s", again);
	cr_assert_eq(
		mp_trial_check_alone(plan, again), MEMPLAN_OK, "%s", again);
	mp_trial_plan_text(plan, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
}

#define GRAPH                                                                  \
	"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"         \
	"\"tensors\":["

/* Two states are one region of 18 bytes at a multiple of 32. A plan does not
 * say that they had to be. */
Test(small_graphs, a_bound_of_states_is_a_claim_without_their_graph)
{
	expect_bound(GRAPH
		"{\"name\":\"s\",\"size\":8,\"kind\":\"state\",\"align\":32},"
		"{\"name\":\"r\",\"size\":10,\"kind\":\"state\"},"
		"{\"name\":\"a\",\"size\":10,\"align\":64}],"
		"\"ops\":[{\"inputs\":[\"s\"],\"outputs\":[\"a\"]}]}",
		"\"lower_bound\": 42");
}

/* The first of the states begins at a multiple of 64 too, so that four tensors
 * do of which no two ever share a byte. */
Test(small_graphs, a_clique_of_states_is_one_of_their_graph)
{
	expect_bound(GRAPH
		"{\"name\":\"s\",\"size\":4,\"kind\":\"state\"},"
		"{\"name\":\"r\",\"size\":8,\"kind\":\"state\",\"align\":64},"
		"{\"name\":\"a\",\"size\":4,\"align\":64},"
		"{\"name\":\"b\",\"size\":4,\"align\":64}],"
		"\"ops\":[{\"inputs\":[\"s\"],\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"r\"],\"outputs\":[\"b\"]}],"
		"\"apart\":[[\"a\",\"b\"]]}",
		"\"lower_bound\": 196");
}

/* Two tensors that are apart take 8 bytes, and one with a fixed offset ends
 * there. */
Test(small_graphs, a_bound_keeps_its_kind_where_two_force_it)
{
	static const char graph[] =
		GRAPH "{\"name\":\"a\",\"size\":4,\"lifetime\":[0,1]},"
		      "{\"name\":\"b\",\"size\":4,\"lifetime\":[1,2]},"
		      "{\"name\":\"c\",\"size\":2,\"lifetime\":[2,3],"
		      "\"offset\":6}],\"apart\":[[\"a\",\"b\"]]}";
	static char plan[PLAY_JSON], again[PLAY_JSON];

	mp_trial_plan_text(graph, plan);
	mp_trial_plan_text(plan, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
	cr_assert(strstr(plan, "\"bound_kind\": \"pin\""), "%s", plan);
	cr_assert_eq(
		mp_trial_check_alone(plan, again), MEMPLAN_OK, "%s", again);
}

/* A view has no producer of its own: its readers wait for the producer of its
 * base tensor. */
Test(small_graphs, readers_of_views_wait_in_every_order)
{
	static const char text[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"a\",\"size\":4},{\"name\":\"b\",\"size\":10},"
		"{\"name\":\"c\",\"size\":5,\"alias\":{\"of\":\"b\"}},"
		"{\"name\":\"d\",\"size\":6,\"kind\":\"output\"}],\"ops\":["
		"{\"inputs\":[\"c\"],\"outputs\":[\"d\"]},"
		"{\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"b\"]}]}";
	const char *summary, *order;

	for (uint32_t i = 0; (order = memplan_row("orders", i, &summary));
		i++) {
		memplan *m = memplan_new();

		memplan_set(m, "order", order);
		memplan_input(m, "graph", "v", text, strlen(text));
		cr_expect_eq(memplan_plan(m), MEMPLAN_OK, "%s: %s", order,
			memplan_error(m));
		memplan_free(m);
	}
}

/* A state is kept between runs, whichever branch runs; and so it is where the
 * plan is read back. */
Test(small_graphs, states_share_with_no_branch)
{
	static const char text[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"s\",\"size\":512,\"kind\":\"state\"},"
		"{\"name\":\"a\",\"size\":512},{\"name\":\"b\",\"size\":512}],"
		"\"ops\":[{\"inputs\":[\"s\"],\"outputs\":[\"a\"]},"
		"{\"outputs\":[\"b\"]}],"
		"\"exclusive\":[[[\"s\",\"b\"],[\"a\"]]]}";
	struct memplan_tensor s, a;
	memplan *m = memplan_new();

	memplan_input(m, "graph", "states", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_tensor_at(m, 0, &s, sizeof(s)) &&
		  memplan_tensor_at(m, 1, &a, sizeof(a)));
	cr_assert_neq(s.offset, a.offset);
	memplan_free(m);
}

/* An output in the place of a larger input, which is over with its op, has no
 * step left: no row of the file says so, and the file is a plan again. */
Test(small_graphs, rows_of_what_is_in_place_are_read_again)
{
	static const char text[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":[{\"name\":\"a\",\"size\":8},"
		"{\"name\":\"b\",\"size\":2}],\"ops\":[{\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"b\"],"
		"\"inplace\":[[\"b\",\"a\"]]}]}";
	memplan *m = memplan_new(), *again = memplan_new();
	const void *bytes;
	size_t length;

	memplan_input(m, "graph", "g", text, strlen(text));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(memplan_write(m, "csv", &bytes, &length), MEMPLAN_OK);
	memplan_input(again, "graph", "g.csv", bytes, length);
	cr_assert_eq(
		memplan_check(again), MEMPLAN_OK, "%s", memplan_error(again));
	memplan_free(again);
	memplan_free(m);
}

/* Ids of what a plan adds are new, and what it calls by id another tensor may
 * have as its name. */
Test(small_graphs, a_plan_calls_tensors_by_their_ids)
{
	static const char *const texts[] = {
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"id\":\"0:0\",\"size\":5},{\"id\":\"0:0@2\",\"size\":5}],"
		"\"ops\":[{\"outputs\":[\"0:0\"],\"temporaries\":[7,7]},"
		"{\"inputs\":[\"0:0\"],\"outputs\":[\"0:0@2\"]}]}",
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"id\":7,\"name\":\"0:0\",\"size\":5}],"
		"\"ops\":[{\"outputs\":[7],\"temporaries\":[7]}]}",
	};
	static char plan[PLAY_JSON], again[PLAY_JSON];

	for (uint32_t i = 0; i < countof(texts); i++) {
		mp_trial_plan_text(texts[i], plan);
		cr_assert_eq(mp_trial_check_alone(plan, again), MEMPLAN_OK,
			"%s\n%s", again, plan);
		mp_trial_plan_text(plan, again);
		cr_assert_str_eq(plan, again, "%s%s", plan, again);
	}
}

/* Plans a graph that has this clique, and reads the plan back. */
static void expect_clique(const char *text, const char *clique, char *plan)
{
	static char again[PLAY_JSON];

	mp_trial_plan_text(text, plan);
	cr_assert(strstr(plan, clique), "%s", plan);
	cr_assert_eq(mp_trial_check_alone(plan, again), MEMPLAN_OK, "%s\n%s",
		again, plan);
	mp_trial_plan_text(plan, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
}

/* States are one region, yet a plan file has no region: it names them all. */
Test(small_graphs, cliques_name_all_states)
{
	static char plan[PLAY_JSON];

	expect_clique(
		"{\"format\":\"memplan.graph\",\"version\":1,\"tensors\":["
		"{\"name\":\"s\",\"size\":8,\"kind\":\"state\"},"
		"{\"name\":\"t\",\"size\":8,\"kind\":\"state\"},"
		"{\"name\":\"a\",\"size\":4},{\"name\":\"b\",\"size\":2},"
		"{\"name\":\"c\",\"size\":4}],\"ops\":["
		"{\"inputs\":[\"s\",\"t\"],\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"b\"]},"
		"{\"inputs\":[\"b\"],\"outputs\":[\"c\"]}],"
		"\"apart\":[[\"a\",\"c\"]]}",
		"\"clique\": [0, 1, 2, 3, 4]", plan);
}

/* Two halves of a tensor count once, and the tensor is not beside a half. */
Test(small_graphs, cliques_name_what_lies_side_by_side)
{
	static char plan[PLAY_JSON], words[PLAY_JSON];
	char *at;

	expect_clique(
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":["
		"{\"name\":\"v\",\"size\":4,\"alias\":{\"of\":\"a\"}},"
		"{\"name\":\"w\",\"size\":4,\"alias\":{\"of\":\"a\","
		"\"offset\":4}},{\"name\":\"a\",\"size\":8},"
		"{\"name\":\"b\",\"size\":2},{\"name\":\"c\",\"size\":4}],"
		"\"ops\":[{\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"v\",\"w\"],\"outputs\":[\"b\"]},"
		"{\"inputs\":[\"b\"],\"outputs\":[\"c\"]}],"
		"\"apart\":[[\"a\",\"c\"]]}",
		"\"clique\": [0, 1, 3, 4]", plan);
	cr_assert(strstr(plan, "\"lower_bound\": 14,"), "%s", plan);
	at = strstr(plan, "\"clique\": [0, 1");
	at[strlen("\"clique\": [0, ")] = '2';
	cr_assert_eq(mp_trial_check_alone(plan, words), MEMPLAN_NO, "%s", plan);
	cr_assert(strstr(words, "may share bytes"), "%s", words);
}

/* Tensors that share bytes in place as the graph is planned, but lie at one
 * offset of two pools in this plan. */
Test(small_graphs, offsets_of_two_pools_are_two_places)
{
	static const char plan[] =
		"{\"format\":\"memplan.plan\",\"version\":1,\"name\":\"g\","
		"\"arena_size\":24,\"theoretical_min\":24,\"lower_bound\":24,"
		"\"alignment\":1,\"planner\":\"given\","
		"\"order\":{\"name\":\"keep\",\"ops\":[0,1]},\"pools\":["
		"{\"name\":\"p\",\"arena_size\":16,\"theoretical_min\":16,"
		"\"lower_bound\":16},"
		"{\"name\":\"q\",\"arena_size\":8,\"theoretical_min\":8,"
		"\"lower_bound\":8}],\"tensors\":["
		"{\"id\":0,\"name\":\"z\",\"size\":8,\"kind\":\"input\","
		"\"offset\":0,\"pool\":\"q\",\"start\":0,\"end\":1},"
		"{\"id\":1,\"name\":\"a\",\"size\":8,\"kind\":\"input\","
		"\"offset\":0,\"pool\":\"p\",\"start\":0,\"end\":2},"
		"{\"id\":2,\"name\":\"y\",\"size\":8,"
		"\"offset\":8,\"pool\":\"p\",\"start\":0,\"end\":2},"
		"{\"id\":3,\"name\":\"b\",\"size\":8,\"kind\":\"output\","
		"\"offset\":0,\"pool\":\"q\",\"start\":1,\"end\":2}],"
		"\"ops\":[{\"inputs\":[0],\"outputs\":[2]},"
		"{\"inputs\":[1,2],\"outputs\":[3]}]}";
	static char words[PLAY_JSON];
	static struct trial t = {
		.text = "{\"format\":\"memplan.graph\",\"version\":1,"
			"\"alignment\":1,\"inputs\":\"inside\","
			"\"outputs\":\"inside\",\"pools\":["
			"{\"name\":\"p\"},{\"name\":\"q\"}],\"tensors\":["
			"{\"name\":\"z\",\"size\":8,\"kind\":\"input\"},"
			"{\"name\":\"a\",\"size\":8,\"kind\":\"input\"},"
			"{\"name\":\"y\",\"size\":8},"
			"{\"name\":\"b\",\"size\":8,\"kind\":\"output\"}],"
			"\"ops\":[{\"inputs\":[\"z\"],\"outputs\":[\"y\"]},"
			"{\"inputs\":[\"a\",\"y\"],\"outputs\":[\"b\"],"
			"\"inplace\":[[\"b\",\"a\"]]}]}"};

	cr_assert_eq(mp_trial_check(&t, plan, words), MEMPLAN_OK, "%s", words);
}
