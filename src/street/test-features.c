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
	cr_assert_eq(mp_trial_check_alone(t->plan, again), MEMPLAN_OK,
		"seed %llu: %s\n%s\n%s", (unsigned long long)t->seed, again,
		t->text, t->plan);
	mp_trial_plan_text(t->plan, again);
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
