/*
 * Constraints on the order: all rows respect them, and all orders that they
 * allow are still found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <criterion/criterion.h>
#include <string.h>

#include "order/order.h"
#include "testing/random-graph.h"

enum {
	MOST_OPS = 12,
};

/* A random graph, and constraints that a random order of it respects. */
struct trial {
	struct graph graph;
	uint32_t legal[MOST_OPS], place[MOST_OPS];
	struct ids keep;
	struct arena *arena;
};

static void expect_respected(
	const struct trial *t, const uint32_t *order, const char *row)
{
	const struct constraints *c = &t->graph.constraints;
	uint32_t n = t->graph.n_ops, place[MOST_OPS];

	for (uint32_t i = 0; i < n; i++)
		place[order[i]] = i;
	for (uint32_t i = 1; i < t->keep.n; i++)
		cr_assert_lt(place[t->keep.at[i - 1]], place[t->keep.at[i]],
			"%s: sequence not kept", row);
	for (uint32_t i = 0; i < c->first.n; i++)
		cr_assert_eq(place[c->first.at[i]], i, "%s: first", row);
	for (uint32_t i = 0; i < c->last.n; i++)
		cr_assert_eq(place[c->last.at[i]], n - c->last.n + i,
			"%s: last", row);
	for (uint32_t i = 0; i < c->barriers.n; i++)
		for (uint32_t op = 0; op < n; op++)
			cr_assert(
				(op < c->barriers.at[i]) ==
					(place[op] < place[c->barriers.at[i]]),
				"%s: op %u passes barrier %u", row, op,
				c->barriers.at[i]);
	for (uint32_t op = 0; c->max_displacement && op < n; op++) {
		cr_assert_leq(place[op], op + c->max_displacement, "%s", row);
		cr_assert_leq(op, place[op] + c->max_displacement, "%s", row);
	}
}

static void run_all(struct trial *t, const char *const *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct order_row *row = mp_order_find(rows[i]);
		struct order_job job = {.graph = &t->graph,
			.steps = 100000,
			.arena = t->arena,
			.error = t->arena->error};

		cr_assert(row->run(&job, row->variant));
		for (uint32_t k = 0; k < job.n_alternatives; k++)
			expect_respected(t, job.alternatives[k], row->name);
	}
}

/* Every seed another mixture of constraints; displacement and barriers only
 * where the list is legal, as they speak of it. */
static void add_constraints(struct trial *t, uint64_t seed)
{
	struct constraints *c = &t->graph.constraints;
	uint32_t n = t->graph.n_ops;

	if (seed & 1) {
		t->keep = (struct ids){t->legal, n / 2};
		c->keep = &t->keep;
		c->n_keep = 1;
	}
	if ((seed & 2) && n > 4)
		c->first = (struct ids){t->legal, 2};
	if ((seed & 4) && n > 4)
		c->last = (struct ids){t->legal + n - 2, 2};
	if ((seed & 8) && !(seed & 6))
		c->barriers = (struct ids){t->legal + n / 2, 1};
	if ((seed & 16) && !(seed & 6))
		c->max_displacement = 2;
}

Test(constrain, is_respected_by_every_row)
{
	static const char *const rows[] = {"keep", "auto", "bfs", "dfs-memory",
		"rdfs-delay", "xla-list", "lpmf-closing", "dynamic"};
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct random_traits traits = mp_testing_random_all;
	struct trial t;

	traits.n_ops = MOST_OPS;
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);

		t = (struct trial){.arena = &arena};
		traits.shuffled = (seed & 6) != 0;
		cr_assert(mp_testing_random_graph(
			seed, &traits, &t.graph, &arena, &e));
		cr_assert(mp_testing_random_order(
			&t.graph, seed, t.legal, &arena));
		if (!traits.shuffled)
			for (uint32_t i = 0; i < t.graph.n_ops; i++)
				t.legal[i] = i;
		add_constraints(&t, seed);
		cr_assert(
			mp_graph_constrain(&t.graph, &arena, &e), "%s", e.text);
		cr_assert(mp_graph_is_order(&t.graph, t.legal, &arena));
		run_all(&t, rows, countof(rows));
		mp_arena_rewind(&arena, mark);
	}
	mp_arena_free(&arena);
}

static void expect_refused(const struct constraints *constraints,
	uint32_t n_ops, const struct ids *after, const char *message)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct graph graph = {.name = "g",
		.place = "g.json",
		.alignment = 1,
		.n_ops = n_ops,
		.constraints = *constraints};

	graph.ops = NEW(&arena, struct op, n_ops);
	for (uint32_t i = 0; i < n_ops; i++)
		graph.ops[i].name = "";
	graph.ops[0].after = *after;
	cr_assert(mp_graph_link(&graph, &arena, &e));
	cr_assert_not(mp_graph_constrain(&graph, &arena, &e));
	cr_assert_eq(e.code, MEMPLAN_EINPUT);
	cr_assert(strstr(e.text, message), "%s", e.text);
	mp_arena_free(&arena);
}

Test(constrain, refuses_what_no_order_respects)
{
	static const uint32_t ops[] = {0, 1};
	static const struct ids none, both = {ops, 2}, after = {ops + 1, 1};
	struct constraints c = {.keep = &both, .n_keep = 1};

	expect_refused(&c, 2, &after, "cycle of 2");
	c = (struct constraints){.first = after, .last = after};
	expect_refused(&c, 2, &none, "first or last twice");
	c = (struct constraints){.max_displacement = 1};
	expect_refused(&c, 2, &after, "op 0 is listed before op 1");
}
