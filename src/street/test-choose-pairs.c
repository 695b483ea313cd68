/*
 * In place is a choice: small random graphs with many pairs against every set
 * of pairs that may be taken together, each planned by itself; and what each
 * pair would cost that is not taken. Smaller ones in every order too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lifetime/lifetime.h"
#include "street/street.h"
#include "testing/random.h"

enum {
	GRAPHS = 300,
	NIGHTLY = 1,
	SHARE = 100, /* of the work, for each choice */
	MOST_OPS = 10,
	FEW_OPS = 6,	 /* in every order */
	MOST_PAIRS = 10, /* graphs with more are left out */
	TEXT = 8192,
};

struct counts {
	uint32_t graphs, choices, streams, larger, called_optimal;
	uint32_t prices, exact, dear;
	uint32_t doubted, confirmed; /* optimal plans, by a check */
};

/* Of all choices: those that take one of the pairs, and all. */
struct least {
	uint32_t n, pairs[MOST_PAIRS];	 /* as the schedule lists them */
	uint64_t arena[MOST_PAIRS], all; /* smallest plan that was found */
	uint64_t bound[MOST_PAIRS];	 /* no plan is smaller */
};

/* ----------------------------------------------------------- graphs */

static char text[TEXT];
static size_t length;

#define PUT(...)                                                               \
	(length += (size_t)snprintf(                                           \
		 text + length, sizeof(text) - length, __VA_ARGS__))

/* Each op writes one or two tensors. Tensor t of op k is 2 k or 2 k + 1. */
static void put_tensors(uint64_t *r, uint32_t n_ops)
{
	for (uint32_t t = 0; t < 2 * n_ops + 2; t++)
		PUT("%s{\"name\":\"t%u\",\"size\":%u%s}", t ? "," : "", t,
			16 * (1 + mp_testing_below(r, 4)),
			t < 2			  ? ",\"kind\":\"input\""
			: mp_testing_one_in(r, 6) ? ",\"kind\":\"output\""
						  : "");
}

/* Reads one to three of the tensors before, among the latest `reach`. The first
 * op reads both inputs: else one that nothing reads would die at step 0, and so
 * at another op in another order. */
static void put_op(uint64_t *r, uint32_t op, uint32_t n_streams, uint32_t reach)
{
	uint32_t made = 2 * op + 2, in[3] = {0, 1};
	uint32_t n = op == 0 ? 2 : 1 + mp_testing_below(r, 3);
	const char *before = "";

	PUT("%s{\"stream\":%u,\"outputs\":[\"t%u\",\"t%u\"],\"inputs\":[",
		op ? "," : "", mp_testing_below(r, n_streams), made, made + 1);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t back = 1 + mp_testing_below(r, reach);

		if (op > 0)
			in[i] = made - (back < made ? back : made);
		PUT("%s\"t%u\"", i ? "," : "", in[i]);
	}
	PUT("],\"inplace\":[");
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t o = 0; o < 2; o++)
			if (mp_testing_one_in(r, 3)) {
				PUT("%s[\"t%u\",\"t%u\"]", before, made + o,
					in[i]);
				before = ",";
			}
	PUT("]}");
}

struct shape {
	uint32_t most_ops;
	uint32_t on_streams; /* one graph in so many */
	uint32_t most_streams;
	uint32_t reach; /* of an op: it reads some of so many tensors */
};

static const struct shape one_order = {MOST_OPS, 4, 2, 4};
static const struct shape all_orders = {FEW_OPS, 2, 4, 12};

static void make_graph(uint64_t r, const struct shape *shape)
{
	uint32_t n_ops = 2 + mp_testing_below(&r, shape->most_ops - 1);
	uint32_t n_streams = 1;

	if (mp_testing_one_in(&r, shape->on_streams))
		n_streams = 2 + mp_testing_below(&r, shape->most_streams - 1);
	length = 0;
	PUT("{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"g\","
	    "\"alignment\":16,\"tensors\":[");
	put_tensors(&r, n_ops);
	PUT("],\"ops\":[");
	for (uint32_t op = 0; op < n_ops; op++)
		put_op(&r, op, n_streams, shape->reach);
	PUT("]}");
	cr_assert_lt(length, sizeof(text));
}

static memplan *read_graph(void)
{
	memplan *m = memplan_new();

	cr_assert_eq(
		memplan_input(m, "graph", "g.json", text, length), MEMPLAN_OK);
	return m;
}

/* ------------------------------------------------------ brute force */

/* The smallest plan that is found with these pairs left apart, and its load.
 * Notes it for each pair that is taken. */
static uint64_t plan_with(memplan *m, const struct schedule *first,
	const bool *left, struct least *least)
{
	struct lifetime_options options = {.inplace = true, .left = left};
	struct run run = mp_street_run(m);
	struct schedule *s = mp_lifetime(
		first->graph, first->order, &options, &m->run, &m->error);
	struct job job;

	cr_assert(s, "%s", m->error.text);
	run.graph = first->graph;
	cr_assert(mp_street_plan(m, &run, &s->problem, SHARE, &job));
	least->all = num_min(least->all, job.height);
	for (uint32_t i = 0; i < least->n; i++) {
		if (s->inplace[least->pairs[i]].verdict != INPLACE_SHARED)
			continue;
		least->arena[i] = num_min(least->arena[i], job.height);
		least->bound[i] = num_min(least->bound[i], job.lower_bound);
	}
	return s->problem.theoretical_min;
}

static uint32_t list_pairs(const struct schedule *s, uint32_t *pairs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_inplace; i++)
		if (mp_schedule_may_share(&s->inplace[i]) && n++ < MOST_PAIRS)
			pairs[n - 1] = i;
	return n;
}

/* The least of all choices. No load is below that of the lifetime stage's own
 * choice, which leaves nothing apart. False: there are none, or too many. */
static bool find_least(memplan *m, struct least *least)
{
	const struct schedule *s = m->plan.schedule;
	bool left[256] = {false};
	uint64_t load, least_load = 0;

	memset(least, 0xff, sizeof(*least));
	least->n = list_pairs(s, least->pairs);
	if (least->n == 0 || least->n > MOST_PAIRS)
		return false;
	for (uint32_t set = 0; set < 1u << least->n; set++) {
		for (uint32_t i = 0; i < least->n; i++)
			left[least->pairs[i]] = set >> i & 1;
		load = plan_with(m, s, left, least);
		if (set == 0)
			least_load = load;
		cr_assert_geq(load, least_load,
			"another choice has a smaller load\n%s", text);
	}
	return true;
}

/* ------------------------------------------------------- all orders */

struct orders {
	const struct graph *graph;
	struct run run;
	memplan *m;
	uint64_t arena; /* smallest plan that was found */
	uint64_t load;	/* least of all orders and choices */
	uint32_t n, n_choices;
	bool many; /* one of the orders has too many pairs */
};

/* No plan is below the load of its choice. */
static void plan_choice(struct orders *all, const uint32_t *order,
	const bool *left, struct schedule **schedule)
{
	struct lifetime_options options = {.inplace = true, .left = left};
	struct schedule *s;
	struct job job;

	s = mp_lifetime(
		all->graph, order, &options, &all->m->run, &all->m->error);
	cr_assert(s, "%s", all->m->error.text);
	*schedule = s;
	all->n_choices++;
	all->load = num_min(all->load, s->problem.theoretical_min);
	if (s->problem.theoretical_min >= all->arena)
		return;
	cr_assert(mp_street_plan(all->m, &all->run, &s->problem, SHARE, &job));
	all->arena = num_min(all->arena, job.height);
}

static void try_order(struct orders *all, const uint32_t *order)
{
	struct arena_mark mark = mp_arena_mark(&all->m->run), before;
	struct schedule *first, *other;
	uint32_t pairs[MOST_PAIRS], n;
	bool left[256] = {false};

	plan_choice(all, order, NULL, &first);
	n = list_pairs(first, pairs);
	all->many = all->many || n > MOST_PAIRS;
	all->n++;
	before = mp_arena_mark(&all->m->run);
	for (uint32_t set = 0; !all->many && set < 1u << n; set++) {
		for (uint32_t i = 0; i < n; i++)
			left[pairs[i]] = set >> i & 1;
		plan_choice(all, order, left, &other);
		mp_arena_rewind(&all->m->run, before);
	}
	mp_arena_rewind(&all->m->run, mark);
}

/* The first `depth` ops are chosen. */
static void try_orders(struct orders *all, uint32_t *order, uint32_t depth)
{
	uint32_t first = order[depth];

	if (depth == all->graph->n_ops) {
		if (mp_graph_is_order(all->graph, order, &all->m->run))
			try_order(all, order);
		return;
	}
	for (uint32_t i = depth; i < all->graph->n_ops; i++) {
		order[depth] = order[i];
		order[i] = first;
		try_orders(all, order, depth + 1);
		order[i] = order[depth];
	}
	order[depth] = first;
}

/* In a handle of their own, as the plan's keeps its plan. */
static void find_orders(struct orders *all)
{
	uint32_t order[FEW_OPS + 1] = {0};

	all->m = read_graph();
	all->run = mp_street_run(all->m);
	cr_assert(mp_street_load(all->m, &all->run));
	all->graph = all->run.graph;
	all->arena = all->load = UINT64_MAX;
	for (uint32_t i = 0; i < all->graph->n_ops; i++)
		order[i] = i;
	try_orders(all, order, 0);
}

/* ------------------------------------------------------------ tests */

/* Every pair that the plan takes has no price, and every other one has. */
static void check_prices(const struct pair_prices *prices,
	const struct least *least, struct counts *counts)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < least->n; i++)
		n += prices->schedule->inplace[least->pairs[i]].verdict !=
		     INPLACE_SHARED;
	cr_assert_eq(prices->n, n);
	cr_assert_eq(prices->n_unpriced, 0);
	for (uint32_t i = 0; i < prices->n; i++) {
		const struct pair_price *price = &prices->at[i];
		uint32_t k = 0;

		while (least->pairs[k] != price->pair)
			cr_assert_lt(++k, least->n);
		cr_assert_leq(price->least, price->arena);
		cr_assert_leq(price->least, least->arena[k],
			"pair %u: %llu is possible, not %llu or more\n%s",
			price->pair, (unsigned long long)least->arena[k],
			(unsigned long long)price->least, text);
		cr_assert_geq(price->arena, least->bound[k],
			"pair %u: %llu is not possible\n%s", price->pair,
			(unsigned long long)price->arena, text);
		counts->prices++;
		counts->exact += price->least == price->arena;
		counts->dear += price->arena > least->arena[k];
	}
}

/* A survey says what a plan takes, and keeps none. */
static void try_prices(
	uint64_t arena, const struct least *least, struct counts *counts)
{
	memplan *m = read_graph();

	cr_assert_eq(memplan_survey(m), MEMPLAN_OK);
	cr_assert_not(m->has_plan);
	cr_assert(m->results.prices);
	cr_assert_eq(m->results.prices->arena, arena);
	check_prices(m->results.prices, least, counts);
	memplan_free(m);
}

/* A check with the graph calls no plan optimal that is larger than one with
 * other pairs, whatever the plan says of itself. */
static void try_check(
	const char *inplace, const struct least *least, struct counts *counts)
{
	memplan *planned = read_graph(), *plan = memplan_new(), *m;
	const void *bytes;
	size_t n;
	bool optimal;

	memplan_set(planned, "inplace", inplace);
	cr_assert_eq(memplan_plan(planned), MEMPLAN_OK);
	optimal = mp_plan_is_optimal(&planned->plan);
	memplan_write(planned, "plan", &bytes, &n);
	memplan_input(plan, "graph", "plan.json", bytes, n);
	m = read_graph();
	cr_assert_eq(memplan_check_against(m, plan), MEMPLAN_OK, "%s\n%s",
		memplan_error(m), text);
	if (mp_plan_is_optimal(&m->plan))
		cr_assert_eq(m->plan.arena_size, least->all,
			"%s: %llu is optimal, %llu is possible\n%s", inplace,
			(unsigned long long)m->plan.arena_size,
			(unsigned long long)least->all, text);
	counts->doubted += optimal && m->plan.arena_size > least->all;
	counts->confirmed += optimal && mp_plan_is_optimal(&m->plan);
	memplan_free(m);
	memplan_free(plan);
	memplan_free(planned);
}

static void try_graph(uint64_t seed, struct counts *counts)
{
	memplan *m;
	struct least least;
	uint64_t found;
	bool optimal;

	make_graph(seed, &one_order);
	m = read_graph();
	cr_assert_eq(
		memplan_plan(m), MEMPLAN_OK, "%s\n%s", memplan_error(m), text);
	optimal = mp_plan_is_optimal(&m->plan);
	found = m->plan.arena_size;
	if (find_least(m, &least)) {
		cr_assert(!optimal || found == least.all,
			"seed %llu: %llu is optimal, %llu is possible\n%s",
			(unsigned long long)seed, (unsigned long long)found,
			(unsigned long long)least.all, text);
		counts->graphs++;
		counts->choices += 1u << least.n;
		counts->streams += m->plan.problem->n_streams > 1;
		counts->larger += found > least.all;
		counts->called_optimal += optimal;
		try_prices(found, &least, counts);
		try_check("on", &least, counts);
		try_check("off", &least, counts);
	}
	memplan_free(m);
}

Test(choose_pairs, finds_the_least_of_all_choices)
{
	struct counts counts = {0};
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);
	uint64_t first = mp_testing_first();

	for (uint64_t seed = first; seed < first + n; seed++)
		try_graph(seed, &counts);
	printf("# %u graphs, %u on streams, %u choices: %u called optimal, %u "
	       "larger than possible\n",
		counts.graphs, counts.streams, counts.choices,
		counts.called_optimal, counts.larger);
	printf("# %u prices of pairs: %u exact, %u larger than possible\n",
		counts.prices, counts.exact, counts.dear);
	printf("# of optimal plans a check confirmed %u, and doubted %u that "
	       "are larger than possible\n",
		counts.confirmed, counts.doubted);
	cr_assert_gt(counts.doubted, GRAPHS / 10);
	cr_assert_geq(counts.confirmed * 100, counts.called_optimal * 99);
	cr_assert_gt(counts.graphs, GRAPHS / 2);
	cr_assert_leq(counts.larger * 100, counts.graphs);
	cr_assert_geq(counts.exact * 10, counts.prices * 9);
	cr_assert_leq(counts.dear * 200, counts.prices);
}

/* Of all orders and all choices in each: what is claimed of all orders holds,
 * and a plan that is optimal in an order that is called so is the least. */
static void try_all_orders(
	uint64_t seed, struct orders *sum, struct counts *counts)
{
	memplan *m;
	struct orders all = {0};
	uint64_t bound, found;
	bool optimal;

	make_graph(seed, &all_orders);
	m = read_graph();
	memplan_set(m, "order", "auto");
	cr_assert_eq(
		memplan_plan(m), MEMPLAN_OK, "%s\n%s", memplan_error(m), text);
	bound = m->plan.schedule->order_bound.bytes;
	found = m->plan.arena_size;
	optimal = mp_plan_is_optimal(&m->plan) && bound >= found;
	find_orders(&all);
	if (!all.many) {
		cr_assert_leq(bound, all.load,
			"seed %llu: %llu is the bound, %llu is possible\n%s",
			(unsigned long long)seed, (unsigned long long)bound,
			(unsigned long long)all.load, text);
		cr_assert(!optimal || found == all.arena,
			"seed %llu: %llu is optimal, %llu is possible\n%s",
			(unsigned long long)seed, (unsigned long long)found,
			(unsigned long long)all.arena, text);
		cr_assert_geq(found, all.load);
		counts->graphs++;
		counts->streams += m->plan.problem->n_streams > 1;
		counts->larger += found > all.arena;
		counts->called_optimal += optimal;
		sum->n += all.n;
		sum->n_choices += all.n_choices;
	}
	memplan_free(all.m);
	memplan_free(m);
}

Test(choose_pairs, finds_the_least_of_all_orders)
{
	struct counts counts = {0};
	struct orders sum = {0};
	uint64_t n = mp_testing_cases(GRAPHS, NIGHTLY);
	uint64_t first = mp_testing_first();

	for (uint64_t seed = first; seed < first + n; seed++)
		try_all_orders(seed, &sum, &counts);
	printf("# %u graphs, %u on streams, %u orders with %u choices: "
	       "%u called optimal, %u larger than possible\n",
		counts.graphs, counts.streams, sum.n, sum.n_choices,
		counts.called_optimal, counts.larger);
	cr_assert_gt(counts.graphs, GRAPHS / 2);
	cr_assert_gt(counts.streams, GRAPHS / 5);
	cr_assert_gt(counts.called_optimal, counts.graphs / 5);
	cr_assert_leq(counts.larger * 100, counts.graphs);
}

/* A plan that leaves a pair apart, and two states, which are a region in the
 * graph's problem: the proof is of that problem, with the plan's pairs. */
Test(choose_pairs, a_proof_is_of_the_pairs_that_the_plan_takes)
{
	static const char states[] =
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":1,"
		"\"tensors\":[{\"name\":\"s\",\"kind\":\"state\",\"size\":2},"
		"{\"name\":\"t\",\"kind\":\"state\",\"size\":4},"
		"{\"name\":\"a\",\"size\":1},{\"name\":\"b\",\"size\":6},"
		"{\"name\":\"c\",\"size\":4},{\"name\":\"d\",\"size\":1},"
		"{\"name\":\"e\",\"size\":5},{\"name\":\"f\",\"size\":2}],"
		"\"ops\":[{\"inputs\":[\"s\"],\"outputs\":[\"a\"]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"b\"]},"
		"{\"inputs\":[\"b\"],\"outputs\":[\"c\"]},"
		"{\"inputs\":[\"b\"],\"outputs\":[\"d\"],"
		"\"inplace\":[[\"d\",\"b\"]]},"
		"{\"inputs\":[\"c\",\"d\"],\"outputs\":[\"e\"],"
		"\"inplace\":[[\"e\",\"c\"]]},"
		"{\"inputs\":[\"a\"],\"outputs\":[\"f\"],"
		"\"inplace\":[[\"f\",\"a\"]]}]}";
	memplan *m = memplan_new(), *plan = memplan_new();
	memplan *graph = memplan_new();
	const void *bytes;
	size_t n;
	uint64_t optimal;
	static char proof[TEXT];

	memplan_input(m, "graph", "g.json", states, strlen(states));
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert_eq(memplan_write(m, "summary", &bytes, &n), MEMPLAN_OK);
	cr_assert(strstr(bytes, "left apart"), "%s", (const char *)bytes);
	cr_assert_eq(memplan_write(m, "plan", &bytes, &n), MEMPLAN_OK);
	memplan_input(plan, "graph", "p.json", bytes, n);
	cr_assert_eq(memplan_read(plan), MEMPLAN_OK, "%s", memplan_error(plan));
	cr_assert_eq(memplan_write(m, "proof", &bytes, &n), MEMPLAN_OK);
	cr_assert_lt(n, sizeof(proof));
	memcpy(proof, bytes, n);
	memplan_input(graph, "graph", "g.json", states, strlen(states));
	memplan_input(graph, "proof", "p.proof", proof, n);
	cr_assert_eq(memplan_check_against(graph, plan), MEMPLAN_OK, "%s",
		memplan_error(graph));
	cr_assert(memplan_number(graph, "optimal", &optimal) && optimal);
	memplan_free(graph);
	memplan_free(plan);
	memplan_free(m);
}
