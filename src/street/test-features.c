/*
 * Random graphs with everything at once, through the readers, the planners and
 * the emitters, and played in every interleaving.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "street/test-trial.h"
#include "testing/random.h"

enum {
	GRAPHS = 2000, /* unless MEMPLAN_PROBLEMS says ten times another */
	NIGHTLY = 10,
	KEPT_GRAPHS = 300
};

static void expect_play(struct trial *t)
{
	mp_trial_take(t);
	cr_assert(mp_testing_player_run(&t->play),
		"seed %llu, %s, order %s: %s\n%s", (unsigned long long)t->seed,
		memplan_text(t->m, "planner"), memplan_text(t->m, "order"),
		t->play.complaint, t->text);
}

static enum memplan_status check(const char *text, bool again, char *written)
{
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "g.json", text, strlen(text));
	status = again ? memplan_plan(m) : memplan_check(m);
	if (again)
		cr_assert_eq(
			status, MEMPLAN_OK, "%s\n%s", memplan_error(m), text);
	if (again)
		mp_trial_write(m, written);
	else if (status != MEMPLAN_OK)
		snprintf(written, 200, "%s", memplan_error(m));
	memplan_free(m);
	return status;
}

static bool has_fixed(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].placed)
			return true;
	return false;
}

/* The plan that was written is one, and read and written again the same. */
static void expect_same_when_read(struct trial *t)
{
	static char again[PLAY_JSON];

	mp_trial_write(t->m, t->plan);
	cr_assert_eq(mp_trial_check(t, t->plan, again), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, again,
		t->text, t->plan);
	cr_assert_eq(check(t->plan, false, again), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, again,
		t->text, t->plan);
	check(t->plan, true, again);
	cr_assert_str_eq(t->plan, again, "seed %llu\n%s%s%s",
		(unsigned long long)t->seed, t->text, t->plan, again);
}

/* Placed anew, a plan is still one of that graph. Where every tensor has its
 * pool, it may not be found again. */
static void expect_plan_when_replaced(struct trial *t)
{
	static char anew[PLAY_JSON], words[PLAY_JSON];
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_set(m, "replan", "on");
	memplan_set(m, "steps", "2000");
	memplan_input(m, "graph", "plan.json", t->plan, strlen(t->plan));
	status = memplan_plan(m);
	cr_assert(status == MEMPLAN_OK ||
			  (status == MEMPLAN_EBUDGET && t->play.n_pools > 0),
		"seed %llu: %s\n%s", (unsigned long long)t->seed,
		memplan_error(m), t->plan);
	if (status == MEMPLAN_OK && !has_fixed(&t->play)) {
		mp_trial_write(m, anew);
		cr_assert_eq(mp_trial_check(t, anew, words), MEMPLAN_OK,
			"seed %llu: %s\n%s\n%s\n%s",
			(unsigned long long)t->seed, words, t->text, t->plan,
			anew);
	}
	memplan_free(m);
}

/* How many graphs have each feature. */
struct tally {
	uint32_t streams, aliases, writes, groups, guards, gaps, fixed, apart,
		ranges, branches, states, shared, pools;
	uint32_t spilled, refused;
	uint32_t spread, optimal; /* of several streams in one memory */
	uint32_t paid, least;	/* reuse costs something; no plan costs less */
	uint32_t banks, parted; /* banks do; no plan costs less */
	uint32_t loops, nested, carried, in_place, spread_loops;
};

static void count_loops(struct tally *tally, const struct play *play)
{
	tally->loops += play->n_loops > 0;
	tally->spread_loops += play->n_loops > 0 && play->n_streams > 1;
	for (uint32_t i = 0; i < play->n_loops; i++) {
		const struct play_loop *loop = &play->loops[i];

		tally->nested += loop->around != NONE;
		tally->carried += loop->n_carried > 0;
		for (uint32_t k = 0; k < loop->n_carried; k++)
			tally->in_place += mp_testing_player_in_place(
				play, loop->carried[k]);
	}
}

static void count_tensor(struct tally *tally, const struct play_tensor *t)
{
	tally->aliases += t->of != NONE;
	tally->writes += t->writes;
	tally->guards += t->before + t->after > 0;
	tally->gaps += t->pause < t->resume;
	tally->fixed += t->placed;
	tally->states += t->kind == KIND_STATE;
}

static void count(struct tally *tally, const struct play *play)
{
	uint64_t sum = 0;

	tally->streams += play->n_streams > 1;
	tally->groups += play->n_groups;
	tally->apart += play->n_pairs;
	tally->ranges += play->n_ranges;
	tally->branches += play->n_choices;
	for (uint32_t i = 0; i < play->n_tensors; i++) {
		count_tensor(tally, &play->tensors[i]);
		sum += play->tensors[i].of == NONE ? play->tensors[i].size : 0;
	}
	tally->shared += sum > play->arena_size;
	tally->pools += play->n_pools > 0;
	count_loops(tally, play);
}

/* How often planners reach the lower bound. */
static void count_optimal(struct tally *tally, const struct trial *t)
{
	uint64_t bound = 0;

	if (t->play.n_streams == 1 || t->play.n_pools > 0)
		return;
	cr_assert(memplan_number(t->m, "lower_bound", &bound));
	tally->spread++;
	tally->optimal += bound == t->play.arena_size;
}

static void count_cost(struct tally *tally, const struct trial *t)
{
	uint64_t cost = 0, bound = 0;

	if (t->play.n_listed < 2)
		return;
	cr_assert(memplan_number(t->m, "reuse_cost", &cost));
	cr_assert(memplan_number(t->m, "reuse_cost_bound", &bound));
	cr_assert_leq(bound, cost);
	tally->paid += cost > 0;
	tally->least += cost > 0 && bound == cost;
}

/* The player adds up what banks cost byte by byte. */
static void count_banks(struct tally *tally, const struct trial *t)
{
	uint64_t cost = 0, bound = 0;

	if (!t->play.has_ops)
		return;
	memplan_number(t->m, "bank_cost", &cost);
	memplan_number(t->m, "bank_cost_bound", &bound);
	cr_assert_eq(cost, mp_testing_player_bank_cost(&t->play),
		"seed %llu: %llu, not %llu\n%s\n%s",
		(unsigned long long)t->seed, (unsigned long long)cost,
		(unsigned long long)mp_testing_player_bank_cost(&t->play),
		t->text, t->plan);
	cr_assert_leq(bound, cost);
	tally->banks += cost > 0;
	tally->parted += cost > 0 && bound == cost;
}

static void expect_variety(const struct tally *tally, uint64_t n)
{
	const uint32_t counts[] = {tally->streams, tally->aliases,
		tally->writes, tally->groups, tally->guards, tally->gaps,
		tally->fixed, tally->apart, tally->ranges, tally->branches,
		tally->states, tally->shared, tally->pools};

	for (uint32_t i = 0; i < countof(counts); i++)
		cr_assert_gt(counts[i], n / 10, "count %u: %u", i, counts[i]);
	cr_assert_gt(tally->spilled, n / 20, "%u", tally->spilled);
	cr_assert_gt(tally->refused, n / 1000, "%u", tally->refused);
	cr_assert_lt(tally->refused, n / 20, "%u", tally->refused);
	cr_assert_gt(tally->paid, n / 10, "%u", tally->paid);
	cr_assert_gt(tally->least, n / 50, "%u", tally->least);
	cr_assert_gt(tally->banks, n / 10, "%u", tally->banks);
	cr_assert_gt(tally->parted, n / 50, "%u", tally->parted);
	cr_assert_gt(tally->spread, n / 10, "%u", tally->spread);
	cr_assert_gt(tally->optimal * 2, tally->spread, "%u of %u",
		tally->optimal, tally->spread);
}

static void expect_loops(const struct tally *tally, uint64_t n)
{
	cr_assert_gt(tally->loops, n / 3, "%u", tally->loops);
	cr_assert_gt(tally->spread_loops, n / 10, "%u", tally->spread_loops);
	cr_assert_gt(tally->nested, n / 10, "%u", tally->nested);
	cr_assert_gt(tally->carried, n / 10, "%u", tally->carried);
	cr_assert_gt(tally->in_place, n / 50, "%u", tally->in_place);
}

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
	cr_assert_eq(check(plan, false, again), MEMPLAN_OK, "%s", again);
	check(plan, true, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
}

#define GRAPH                                                                  \
	"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"         \
	"\"tensors\":["

/* Two states are one region of 18 bytes at a multiple of 32. A plan does not
 * say that they had to be. */
Test(features, a_bound_of_states_is_a_claim_without_their_graph)
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
Test(features, a_clique_of_states_is_one_of_their_graph)
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
Test(features, a_bound_keeps_its_kind_where_two_force_it)
{
	static const char graph[] =
		GRAPH "{\"name\":\"a\",\"size\":4,\"lifetime\":[0,1]},"
		      "{\"name\":\"b\",\"size\":4,\"lifetime\":[1,2]},"
		      "{\"name\":\"c\",\"size\":2,\"lifetime\":[2,3],"
		      "\"offset\":6}],\"apart\":[[\"a\",\"b\"]]}";
	static char plan[PLAY_JSON], again[PLAY_JSON];

	check(graph, true, plan);
	check(plan, true, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
	cr_assert(strstr(plan, "\"bound_kind\": \"pin\""), "%s", plan);
	cr_assert_eq(check(plan, false, again), MEMPLAN_OK, "%s", again);
}

static void try_graph(uint64_t seed, struct tally *tally)
{
	static struct trial t;

	if (mp_trial_plan(&t, seed)) {
		expect_play(&t);
		expect_same_when_read(&t);
		expect_plan_when_replaced(&t);
		count(tally, &t.play);
		count_optimal(tally, &t);
		count_cost(tally, &t);
		count_banks(tally, &t);
		tally->spilled += t.m->plan.spaces.n_spilled > 0;
	} else {
		tally->refused++;
	}
	memplan_free(t.m);
}

Test(features, plans_hold_in_every_interleaving, .timeout = 3000)
{
	struct tally tally = {0};
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);

	for (uint64_t seed = first; seed < first + n; seed++)
		try_graph(seed, &tally);
	expect_variety(&tally, n);
}

/* So do those of graphs with loops, with any number of iterations, each of
 * which makes choices of its own. */
Test(features, plans_hold_in_every_iteration, .timeout = 3000)
{
	struct tally tally = {0};
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);

	for (uint64_t seed = first; seed < first + n; seed++)
		try_graph(seed | TRIAL_LOOPS, &tally);
	expect_loops(&tally, n);
}

/* What a plan claims may come from what only its graph says. */
Test(features, plans_hold_that_once_did_not)
{
	static const uint64_t seeds[] = {6672, 20674, 57155, 80306, 95887,
		106729, 137059, 140338, 326481, 50032222 | TRIAL_LOOPS};
	struct tally tally = {0};

	for (uint32_t i = 0; i < countof(seeds); i++)
		try_graph(seeds[i], &tally);
}

/* The arena of that graph in an order; UINT64_MAX: its pools are too small. */
static uint64_t arena_in(const char *text, const char *order, uint64_t steps)
{
	uint64_t bytes = UINT64_MAX;
	char number[24];
	memplan *m = memplan_new();

	snprintf(number, sizeof(number), "%llu", (unsigned long long)steps);
	memplan_set(m, "order", order);
	memplan_set(m, "steps", number);
	memplan_input(m, "graph", "g.json", text, strlen(text));
	if (memplan_plan(m) == MEMPLAN_OK)
		cr_assert(memplan_number(m, "arena_size", &bytes));
	memplan_free(m);
	return bytes;
}

/* With any effort, and with pools too: the order of the input is one of those
 * that auto tries, and gets no less work. */
Test(features, auto_orders_are_never_larger_than_keep)
{
	static struct trial t;

	for (uint64_t seed = 1; seed <= KEPT_GRAPHS; seed++) {
		uint64_t steps = UINT64_C(1) << seed % 13, keep;

		mp_trial_plan(&t, seed);
		keep = arena_in(t.text, "keep", steps);
		if (keep != UINT64_MAX)
			cr_assert_leq(arena_in(t.text, "auto", steps), keep,
				"seed %llu\n%s", (unsigned long long)seed,
				t.text);
		memplan_free(t.m);
	}
}

static enum memplan_status plan_within(
	const char *text, uint64_t capacity, uint64_t *bytes)
{
	char number[24];
	memplan *m = memplan_new();
	enum memplan_status status;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)capacity);
	memplan_set(m, "capacity", number);
	memplan_set(m, "steps", "2000");
	memplan_input(m, "graph", "g.json", text, strlen(text));
	status = memplan_plan(m);
	if (status == MEMPLAN_OK)
		cr_assert(memplan_number(m, "arena_size", bytes));
	memplan_free(m);
	return status;
}

/* The capacity of all pools together: what was found fits again, what is less
 * than is alive at once is refused for good, and between the two there are
 * plans that have less of a pool. */
Test(features, pools_have_a_capacity_together)
{
	static struct trial t;
	uint64_t least, bytes = 0;
	uint32_t n = 0, smaller = 0;

	for (uint64_t seed = 1; seed <= KEPT_GRAPHS; seed++) {
		uint64_t arena;

		mp_trial_plan(&t, seed);
		arena = t.play.n_pools ? arena_in(t.text, "keep", 2000)
				       : UINT64_MAX;
		memplan_number(t.m, "theoretical_min", &least);
		memplan_free(t.m);
		if (arena == UINT64_MAX || arena < 2)
			continue;
		n++;
		cr_assert_eq(plan_within(t.text, arena, &bytes), MEMPLAN_OK,
			"%s", t.text);
		cr_assert_leq(bytes, arena, "%s", t.text);
		if (plan_within(t.text, arena - 1, &bytes) == MEMPLAN_OK) {
			cr_assert_lt(bytes, arena, "%s", t.text);
			smaller++;
		}
		cr_assert_neq(plan_within(t.text, least - 1, &bytes),
			MEMPLAN_OK, "%s", t.text);
	}
	cr_assert_gt(n, KEPT_GRAPHS / 4, "%u", n);
	cr_assert_gt(smaller, n / 8, "%u of %u", smaller, n);
}

/* ---------------------------------------------------------- budgets */

struct budget_tally {
	uint32_t planned, pools, streams, fixed, again, beside, loops;
};

/* Plans that graph with less than it takes, by each mode in turn. */
static enum memplan_status plan_with_less(
	const struct trial *t, uint64_t arena, memplan *m)
{
	static const char *const modes[] = {"sync", "semi", "async", "none"};
	char number[24];

	snprintf(number, sizeof(number), "%llu",
		(unsigned long long)(arena * (15 + t->seed % 4) / 20));
	memplan_set(m, "budget", number);
	memplan_set(m, "copy-mode", modes[t->seed / 4 % 4]);
	memplan_set(m, "recompute", t->seed % 2 ? "on" : "off");
	memplan_set(m, "steps", "2000");
	memplan_input(m, "graph", "g.json", t->text, strlen(t->text));
	return memplan_plan(m);
}

static bool has_pins(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].pinned)
			return true;
	return false;
}

static void count_budget(struct budget_tally *tally, const struct trial *t)
{
	const struct detour_sums *sums = t->m->results.detours;

	tally->planned++;
	tally->pools += t->play.n_pools > 0;
	tally->streams += t->play.n_streams > 1;
	tally->loops += t->play.n_loops > 0;
	tally->fixed += has_pins(&t->play);
	tally->again += sums->n_recomputed > 0;
	for (uint32_t i = 0; i < t->play.n_ops; i++)
		tally->beside += t->play.ops[i].stream >= PLAY_STREAMS;
}

/* The plan of a budget runs, and is one of the graph. False: there is none, or
 * nothing left the memories. */
static bool play_budget(struct trial *t)
{
	static char words[PLAY_JSON];
	const struct detour_sums *sums;
	uint64_t arena = arena_in(t->text, "keep", 2000);

	t->m = memplan_new();
	if (arena == UINT64_MAX || plan_with_less(t, arena, t->m) != MEMPLAN_OK)
		return false;
	sums = t->m->results.detours;
	if (sums->n_read + sums->n_recomputed == 0 ||
		!mp_testing_player_follow(&t->play, t->m->planned))
		return false;
	expect_play(t);
	mp_trial_write(t->m, t->plan);
	cr_assert_eq(mp_trial_check(t, t->plan, words), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, words,
		t->text, t->plan);
	return true;
}

static void try_budget(uint64_t seed, struct budget_tally *tally)
{
	static struct trial t;

	if (!mp_trial_make(&t, seed) || !mp_testing_player_add_rest(&t.play))
		return;
	mp_testing_player_print(&t.play, t.text);
	if (play_budget(&t))
		count_budget(tally, &t);
	memplan_free(t.m);
}

Test(features, budgets_hold_in_every_interleaving, .timeout = 3000)
{
	struct budget_tally tally = {0};
	uint64_t first = mp_testing_first();
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);

	for (uint64_t seed = first; seed < first + n; seed++) {
		try_budget(seed, &tally);
		try_budget(seed | TRIAL_LOOPS, &tally);
	}
	cr_assert_gt(tally.loops, n / 200, "%u", tally.loops);
	cr_assert_gt(tally.planned, n / 20, "%u", tally.planned);
	cr_assert_gt(tally.pools, n / 50, "%u", tally.pools);
	cr_assert_gt(tally.streams, n / 50, "%u", tally.streams);
	cr_assert_gt(tally.fixed, n / 100, "%u", tally.fixed);
	cr_assert_gt(tally.again, n / 200, "%u", tally.again);
	cr_assert_gt(tally.beside, n / 100, "%u", tally.beside);
}

/* An op that read a weight ran again behind the op that wrote over it. */
Test(features, budgets_hold_that_once_did_not)
{
	static const uint64_t seeds[] = {2562, 25713};
	struct budget_tally tally = {0};

	for (uint32_t i = 0; i < countof(seeds); i++)
		try_budget(seeds[i], &tally);
}

/* A view has no producer of its own: its readers wait for the producer of its
 * base tensor. */
Test(features, readers_of_views_wait_in_every_order)
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
Test(features, states_share_with_no_branch)
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

/* Plans a graph that has this clique, and reads the plan back. */
static void expect_clique(const char *text, const char *clique, char *plan)
{
	static char again[PLAY_JSON];

	cr_assert_eq(check(text, true, plan), MEMPLAN_OK);
	cr_assert(strstr(plan, clique), "%s", plan);
	cr_assert_eq(
		check(plan, false, again), MEMPLAN_OK, "%s\n%s", again, plan);
	check(plan, true, again);
	cr_assert_str_eq(plan, again, "%s%s", plan, again);
}

/* States are one region, yet a plan file has no region: it names them all. */
Test(features, cliques_name_all_states)
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
Test(features, cliques_name_what_lies_side_by_side)
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
	cr_assert_eq(check(plan, false, words), MEMPLAN_NO, "%s", plan);
	cr_assert(strstr(words, "may share bytes"), "%s", words);
}

/* Tensors that share bytes in place as the graph is planned, but lie at one
 * offset of two pools in this plan. */
Test(features, offsets_of_two_pools_are_two_places)
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
