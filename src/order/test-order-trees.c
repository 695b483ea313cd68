/*
 * Orders of trees, against brute force.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "order/inside.h"
#include "order/rows.h"
#include "testing/random-graph.h"
#include "testing/random.h"

enum {
	TREES = 3000,
	MOST_OPS = 12,
	A_OP = 3 /* tensors of an op: its result, one that dies, an input */
};

/* Each op reads the results of ops that nothing else reads, and an input of its
 * own, and writes its result and a tensor that nothing reads; inputs and unread
 * tensors may be empty. */
static void make_tree(struct graph *graph, struct op *ops,
	struct tensor *tensors, uint32_t (*ids)[MOST_OPS + 1],
	uint32_t (*written)[2], uint64_t *seed)
{
	uint32_t n = 2 + mp_testing_below(seed, MOST_OPS - 1);

	*graph = (struct graph){.name = "test",
		.place = "test",
		.alignment = 1,
		.ops = ops,
		.tensors = tensors,
		.n_ops = n,
		.n_tensors = A_OP * n};
	for (uint32_t op = 0; op < n; op++) {
		ops[op] = (struct op){.name = "", .inputs = {ids[op], 0}};
		written[op][0] = A_OP * op;
		written[op][1] = A_OP * op + 1;
		ops[op].outputs = (struct ids){written[op], 2};
		for (uint32_t i = 0; i < A_OP; i++)
			tensors[A_OP * op + i] = (struct tensor){.name = "",
				.size = i == 0 || mp_testing_one_in(seed, 3)
						? mp_testing_below(seed, 12)
						: 0,
				.kind = i == 2 ? KIND_INPUT : KIND_ACTIVATION};
		ids[op][ops[op].inputs.n++] = A_OP * op + 2;
	}
	for (uint32_t op = 0; op + 1 < n; op++) {
		uint32_t reader = op + 1 + mp_testing_below(seed, n - op - 1);

		ids[reader][ops[reader].inputs.n++] = A_OP * op;
	}
}

static void try_tree(uint64_t seed, struct arena *arena, struct error *e)
{
	static struct op ops[MOST_OPS];
	static struct tensor tensors[A_OP * MOST_OPS];
	static uint32_t ids[MOST_OPS][MOST_OPS + 1], written[MOST_OPS][2];
	uint64_t state = seed, peak, least;
	struct graph graph;
	struct order_job job = {.graph = &graph, .arena = arena, .error = e};

	make_tree(&graph, ops, tensors, ids, written, &state);
	cr_assert(mp_graph_link(&graph, arena, e), "%s", e->text);
	cr_assert(mp_order_trees(&job, 0));
	cr_assert(mp_testing_peak(
		&graph, job.alternatives[0], false, &peak, arena));
	cr_assert(mp_testing_random_least_peak(&graph, false, &least, arena));
	cr_assert_eq(peak, least, "seed %lu: %lu, not %lu", (unsigned long)seed,
		(unsigned long)peak, (unsigned long)least);
}

Test(trees, have_the_least_peak)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct arena_mark mark = mp_arena_mark(&arena);

	for (uint64_t seed = 0; seed < TREES; seed++) {
		try_tree(seed, &arena, &error);
		mp_arena_rewind(&arena, mark);
	}
	mp_arena_free(&arena);
}
