/*
 * Cuts of graphs in which alike ops are one, against those of the graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "order/search/inside.h"
#include "testing/random-graph.h"
#include "testing/random.h"

enum {
	GRAPHS = 3000,
	MOST_OPS = 4 * 4 + 4,
	MOST_READ = 4,
	MOST_APART = 3,
	MOST_EXACT = 11, /* ops, for brute force */
	DENSE = 100
};

struct copies {
	struct op ops[MOST_OPS];
	struct tensor tensors[2 * MOST_OPS]; /* one of each op; inputs */
	uint32_t read[MOST_OPS][MOST_READ], written[MOST_OPS], after[MOST_OPS];
	struct graph graph;
};

static void add(struct copies *c, uint64_t size, const uint32_t *read,
	uint32_t n, bool is_output)
{
	uint32_t op = c->graph.n_ops++;

	for (uint32_t i = 0; i < n; i++)
		c->read[op][i] = read[i];
	c->tensors[op] = (struct tensor){.size = size,
		.kind = is_output ? KIND_OUTPUT : KIND_ACTIVATION};
	c->ops[op] = (struct op){.name = "", .inputs = {c->read[op], n}};
	c->written[op] = op;
	c->ops[op].outputs = (struct ids){&c->written[op], 1};
}

/* Some ops of each part wait for the one before, or read an input of their
 * own. */
static void link_parts(
	struct copies *c, uint32_t n_parts, uint32_t n_each, uint64_t *seed)
{
	c->graph.n_tensors = c->graph.n_ops;
	for (uint32_t k = 0; k < n_each; k++) {
		bool waits = k > 0 && mp_testing_one_in(seed, 4);
		bool is_fed = mp_testing_one_in(seed, 4);
		uint64_t size = 1 + mp_testing_below(seed, 3);

		for (uint32_t part = 0; part < n_parts; part++) {
			uint32_t op = 1 + part * n_each + k;
			uint32_t t = c->graph.n_tensors;

			c->after[op] = op - 1;
			if (waits)
				c->ops[op].after =
					(struct ids){&c->after[op], 1};
			if (!is_fed)
				continue;
			c->tensors[t] = (struct tensor){
				.size = size, .kind = KIND_INPUT};
			c->read[op][c->ops[op].inputs.n++] = t;
			c->graph.n_tensors++;
		}
	}
}

/* The first op is shared. Of each part, op k reads the same earlier ones. Last
 * ops read op k of all parts, or any one of each. Sizes are few, so that what
 * is different may look alike. */
static void make_copies(struct copies *c, uint64_t *seed)
{
	uint32_t n_parts = 2 + mp_testing_below(seed, 3);
	uint32_t n_each = 1 + mp_testing_below(seed, 4);
	uint32_t n_last = mp_testing_below(seed, 4);
	uint64_t recipe = *seed;

	*c = (struct copies){.graph = {.name = "test",
				     .place = "test",
				     .alignment = 1,
				     .ops = c->ops,
				     .tensors = c->tensors}};
	add(c, 1 + mp_testing_below(seed, 9), NULL, 0, false);
	for (uint32_t part = 0; part < n_parts; part++) {
		uint32_t first = c->graph.n_ops;

		*seed = recipe;
		for (uint32_t k = 0; k < n_each; k++) {
			uint32_t read[2] = {0, 0}, n = 0;
			bool output;

			if (mp_testing_one_in(seed, 3))
				n++;
			if (k > 0 && !mp_testing_one_in(seed, 4))
				read[n++] = first + mp_testing_below(seed, k);
			output = mp_testing_one_in(seed, 8);
			add(c, 1 + mp_testing_below(seed, 3), read, n, output);
		}
	}
	for (uint32_t i = 0; i < n_last; i++) {
		uint32_t read[MOST_READ];
		uint32_t k = mp_testing_below(seed, n_each);
		bool is_mixed = mp_testing_one_in(seed, 4);

		for (uint32_t part = 0; part < n_parts; part++)
			read[part] =
				1 + part * n_each +
				(is_mixed ? mp_testing_below(seed, n_each) : k);
		add(c, 1 + mp_testing_below(seed, 3), read, n_parts, false);
	}
	link_parts(c, n_parts, n_each, seed);
}

/* Each moment of the ops that are apart costs as much, after the same set. */
static void expect_equal_cuts(struct cut *whole, struct cut *few,
	const struct merged *m, struct ids apart, uint64_t seed)
{
	uint32_t merged[MOST_APART], ran, next;

	for (uint32_t i = 0; i < apart.n; i++)
		merged[i] = m->of[apart.at[i]];
	for (uint32_t i = 0; i < (apart.n + 1) << apart.n; i++) {
		bool possible;

		ran = i & ((1U << apart.n) - 1);
		next = i >> apart.n < apart.n ? i >> apart.n : NONE;
		possible = mp_order_cut_moment(whole, apart, ran, next);
		cr_assert_eq(mp_order_cut_moment(few,
				     (struct ids){merged, apart.n}, ran, next),
			possible, "seed %lu", (unsigned long)seed);
		if (!possible)
			continue;
		mp_order_cut_solve(whole, 0, UINT64_MAX);
		mp_order_cut_solve(few, 0, UINT64_MAX);
		cr_assert_eq(whole->value, few->value, "seed %lu: %lu, %lu",
			(unsigned long)seed, (unsigned long)whole->value,
			(unsigned long)few->value);
		for (uint32_t op = 0; op < whole->view->n_ops; op++)
			cr_assert_eq(whole->in[op], few->in[m->of[op]],
				"seed %lu: op %u", (unsigned long)seed, op);
	}
}

/* The search over a few ops ends at the least peak, where alike ops are one
 * too. */
static void expect_exact(const struct graph *graph, const struct view *view,
	uint64_t seed, struct arena *arena)
{
	uint32_t *order = NEW(arena, uint32_t, graph->n_ops);
	struct search s;
	uint64_t least;

	cr_assert(mp_testing_random_least_peak(graph, false, &least, arena));
	cr_assert(mp_testing_random_order(graph, seed, order, arena));
	cr_assert(mp_order_search_init(&s, view, order, 1000000, arena));
	cr_assert(mp_order_search_few(&s));
	cr_assert(s.peak == least && s.bound.bytes == least,
		"seed %lu: found %lu, bound %lu, least %lu",
		(unsigned long)seed, (unsigned long)s.peak,
		(unsigned long)s.bound.bytes, (unsigned long)least);
}

static uint32_t try_graph(uint64_t seed, struct arena *arena, struct error *e)
{
	uint64_t state = seed;
	uint32_t ops[MOST_APART], n = 0;
	struct copies copies;
	struct alike alike;
	struct cut whole, few;
	struct merged m;
	struct view view;

	make_copies(&copies, &state);
	cr_assert(mp_graph_link(&copies.graph, arena, e));
	cr_assert(mp_order_view_init(&view, &copies.graph, false, arena));
	cr_assert(mp_order_alike_init(&alike, &view, arena));
	/* Twice, with other ops: the first ones are forgotten. */
	for (uint32_t turn = 0; turn < 2; turn++) {
		mp_order_alike_reset(&alike);
		n = 1 + mp_testing_below(&state, MOST_APART);
		for (uint32_t i = 0; i < n; i++) {
			ops[i] = mp_testing_below(&state, view.n_ops);
			if (mp_lists_has((struct ids){ops, i}, ops[i]))
				n = i;
			else
				mp_order_alike_apart(&alike, ops[i]);
		}
		cr_assert(mp_order_alike_merge(&alike, &m, arena));
		cr_assert(mp_order_cut_init(&whole, &view, false, arena));
		cr_assert(mp_order_cut_init(&few, &m.view, false, arena));
		expect_equal_cuts(&whole, &few, &m, (struct ids){ops, n}, seed);
	}
	if (view.n_ops <= MOST_EXACT)
		expect_exact(&copies.graph, &view, seed, arena);
	return view.n_ops - m.view.n_ops;
}

Test(alike, cuts_cost_the_same)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct arena_mark mark = mp_arena_mark(&arena);
	uint32_t fewer = 0;

	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		fewer += try_graph(seed, &arena, &error) > 0;
		mp_arena_rewind(&arena, mark);
	}
	cr_assert_gt(fewer, GRAPHS / 4);
	mp_arena_free(&arena);
}

/* Ops that each read all of as many tensors: there are more links than nodes,
 * and each is looked at from both ends. */
Test(alike, work_counts_links)
{
	static uint32_t read[DENSE], written[2 * DENSE];
	static struct tensor tensors[2 * DENSE];
	static struct op ops[2 * DENSE];
	struct graph graph = {.name = "test",
		.place = "test",
		.alignment = 1,
		.ops = ops,
		.tensors = tensors,
		.n_ops = 2 * DENSE,
		.n_tensors = 2 * DENSE};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct alike alike;
	struct view view;

	for (uint32_t i = 0; i < 2 * DENSE; i++) {
		written[i] = i;
		if (i < DENSE)
			read[i] = i;
		tensors[i] = (struct tensor){
			.name = "", .size = 1, .kind = KIND_ACTIVATION};
		ops[i] = (struct op){
			.name = "", .outputs = (struct ids){&written[i], 1}};
		if (i >= DENSE)
			ops[i].inputs = (struct ids){read, DENSE};
	}
	cr_assert(mp_graph_link(&graph, &arena, &error), "%s", error.text);
	cr_assert(mp_order_view_init(&view, &graph, false, &arena));
	cr_assert(mp_order_alike_init(&alike, &view, &arena));
	cr_assert_eq(alike.n_op_classes, 2);
	cr_assert_geq(mp_order_alike_work(&alike), 2 * DENSE * DENSE / 8);
	mp_order_alike_reset(&alike);
	cr_assert_eq(mp_order_alike_work(&alike), 4 * DENSE / 8);
	mp_arena_free(&arena);
}
