/*
 * Certificates of cuts are accepted, and no arc of one can be changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/certify.h"

#include <criterion/criterion.h>
#include <string.h>

#include "order/search/inside.h"
#include "testing/random-graph.h"
#include "testing/random.h"

/* A claim of exactly what a least cut before the op, or before the last or
 * first of two, amounts to. */
struct sample {
	struct graph graph;
	struct order_bound claim;
	uint32_t ops[2];
	struct view view;
	struct cut cut;
	struct certificate certificate;
	struct arena *arena;
};

static bool certify(struct sample *s)
{
	struct order_moment moment = mp_order_moment_of(&s->claim, 0);

	return mp_order_certify(&s->cut, &moment, &s->certificate, s->arena);
}

/* False if the first op cannot run last (or first) of the set. */
static bool make_sample(struct sample *s, uint64_t seed)
{
	struct random_traits traits = mp_testing_random_all;
	uint64_t state = seed;

	traits.pinned = seed % 2;
	cr_assert(mp_testing_random_graph(
		seed, &traits, &s->graph, s->arena, s->arena->error));
	for (uint32_t i = 0; i < 2; i++)
		s->ops[i] = mp_testing_below(&state, s->graph.n_ops);
	s->claim = (struct order_bound){.kind = "set",
		.ops = {s->ops, seed % 3 == 2 ? 2 : 1},
		.first = seed % 5 > 2};
	cr_assert(mp_order_view_init(&s->view, &s->graph, false, s->arena));
	cr_assert(mp_order_cut_init(&s->cut, &s->view, true, s->arena));
	if (!mp_order_cut_moment(
		    &s->cut, s->claim.ops, s->claim.first ? 0 : UINT32_MAX, 0))
		return false;
	mp_order_cut_solve(&s->cut, 0, UINT64_MAX);
	s->claim.bytes = s->cut.value + s->view.out[s->ops[0]];
	return certify(s);
}

static bool is_accepted(const struct sample *s)
{
	struct order_moment moment = mp_order_moment_of(&s->claim, 0);
	struct error e = {0};

	return mp_order_certificate_check(
		&s->graph, &moment, &s->certificate, s->arena, &e);
}

static void expect_no_change_accepted(struct sample *s, uint64_t seed)
{
	uint32_t n = s->certificate.n_arcs;
	struct certificate_arc *arcs = NEW(s->arena, struct certificate_arc, n),
			       kept;

	memcpy(arcs, s->certificate.arcs, sizeof(*arcs) * n);
	s->certificate.arcs = arcs;
	for (uint32_t i = 0; i < n; i++) {
		kept = arcs[i];
		arcs[i].bytes++;
		cr_assert_not(is_accepted(s), "seed %lu", (unsigned long)seed);
		arcs[i].bytes -= 2;
		cr_assert_not(is_accepted(s), "seed %lu", (unsigned long)seed);
		arcs[i] = kept;
		arcs[i].from = s->graph.n_tensors + s->graph.n_ops;
		cr_assert_not(is_accepted(s), "seed %lu", (unsigned long)seed);
		arcs[i] = kept;
	}
	s->claim.bytes++;
	cr_assert_not(is_accepted(s), "seed %lu", (unsigned long)seed);
}

Test(certificate, of_a_cut_is_accepted_and_nothing_else)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t made = 0, arcs = 0;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);
		struct sample s = {.arena = &arena};

		if (make_sample(&s, seed)) {
			cr_assert(is_accepted(&s), "seed %lu",
				(unsigned long)seed);
			expect_no_change_accepted(&s, seed);
			made++;
			arcs += s.certificate.n_arcs;
		}
		mp_arena_rewind(&arena, mark);
	}
	cr_assert_gt(made, 2000);
	cr_assert_gt(arcs, 4000, "%u", arcs);
	mp_arena_free(&arena);
}

/* The set contains what its ops wait for, and forced ops are on their side. */
static void expect_closed_set(const struct cut *cut, uint64_t seed)
{
	for (uint32_t op = 0; op < cut->view->n_ops; op++) {
		struct ids before = mp_lists_at(&cut->view->before, op);

		cr_assert(cut->side[op] == CUT_FREE ||
				  cut->in[op] == (cut->side[op] == CUT_IN),
			"seed %lu", (unsigned long)seed);
		for (uint32_t i = 0; cut->in[op] && i < before.n; i++)
			cr_assert(cut->in[before.at[i]], "seed %lu",
				(unsigned long)seed);
	}
}

Test(certificate, of_a_flow_that_gave_up_is_accepted)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t lower = 0;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		struct arena_mark mark = mp_arena_mark(&arena);
		struct sample s = {.arena = &arena};
		uint64_t least;

		if (make_sample(&s, seed)) {
			least = s.cut.value;
			s.cut.most_steps = seed % 2;
			mp_order_cut_solve(&s.cut, 0, UINT64_MAX);
			cr_assert(s.cut.value == least ||
				  (s.cut.gave_up && s.cut.value < least));
			expect_closed_set(&s.cut, seed);
			lower += s.cut.value < least;
			s.claim.bytes =
				s.cut.value + s.view.out[s.claim.ops.at[0]];
			cr_assert(certify(&s));
			cr_assert(is_accepted(&s), "seed %lu",
				(unsigned long)seed);
		}
		mp_arena_rewind(&arena, mark);
	}
	cr_assert_gt(lower, 100, "%u", lower);
	mp_arena_free(&arena);
}

Test(certificate, of_an_op_that_is_not_there_confirms_nothing)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct random_traits traits = {.n_ops = 4};
	uint32_t op = 99;
	struct order_bound claim = {.bytes = 1, .kind = "cut"};
	struct graph graph;
	bool confirmed = true;

	cr_assert(mp_testing_random_graph(1, &traits, &graph, &arena, &e));
	claim.ops = (struct ids){&op, 1};
	cr_assert_not(
		mp_order_certify_claim(&graph, &claim, &confirmed, &arena, &e));
	cr_assert_eq(e.code, MEMPLAN_NO);
	mp_arena_free(&arena);
}

/* Two ops, the second of which waits for the first: only the second can be the
 * last of them, and only the first the first. */
Test(certificate, leaves_out_members_that_others_wait_for)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct tensor tensors[] = {
		{.name = "a", .size = 10}, {.name = "b", .size = 100}};
	const uint32_t a = 0, b = 1, both[] = {0, 1};
	struct op ops[] = {{.name = "x", .outputs = {&a, 1}},
		{.name = "y", .inputs = {&a, 1}, .outputs = {&b, 1}}};
	struct graph graph = {.name = "g",
		.place = "g",
		.alignment = 1,
		.n_ops = 2,
		.n_tensors = 2,
		.ops = ops,
		.tensors = tensors};
	struct order_bound claim = {
		.bytes = 110, .kind = "set", .ops = {both, 2}};
	bool confirmed;

	cr_assert(mp_graph_link(&graph, &arena, &e));
	cr_assert(
		mp_order_certify_claim(&graph, &claim, &confirmed, &arena, &e));
	cr_assert(confirmed);
	claim.first = true;
	cr_assert_not(
		mp_order_certify_claim(&graph, &claim, &confirmed, &arena, &e));
	claim.bytes = 10;
	cr_assert(
		mp_order_certify_claim(&graph, &claim, &confirmed, &arena, &e));
	mp_arena_free(&arena);
}

static uint32_t op_with_bytes(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].size > 0 &&
			graph->tensors[t].producer != NONE &&
			!graph->tensors[t].external)
			return graph->tensors[t].producer;
	return NONE;
}

/* A claim that names an op as often as this, and the memory that checking it
 * took beside the graph's. */
static uint64_t certified_with(uint32_t times, uint64_t bytes, bool right)
{
	struct error e = {0};
	struct arena arena = {.error = &e}, scratch;
	struct random_traits traits = {.n_ops = 30, .temporaries = true};
	uint32_t *ops = NEW(&arena, uint32_t, times);
	struct order_bound claim = {
		.bytes = bytes, .kind = "set", .ops = {ops, times}};
	struct graph graph;
	bool confirmed;
	uint64_t peak;

	cr_assert(mp_testing_random_graph(3, &traits, &graph, &arena, &e));
	scratch = mp_arena_beside(&arena);
	for (uint32_t i = 0; i < times; i++)
		ops[i] = op_with_bytes(&graph);
	cr_assert_eq(mp_order_certify_claim(
			     &graph, &claim, &confirmed, &scratch, &e),
		right);
	cr_assert_eq(confirmed, right);
	peak = scratch.peak;
	mp_arena_free(&scratch);
	mp_arena_free(&arena);
	return peak;
}

Test(certificate, of_one_member_is_held_at_a_time)
{
	uint64_t most = certified_with(1, 1, true);

	cr_assert_leq(certified_with(2000, 1, true), 2 * most);
	cr_assert_leq(certified_with(2000, UINT64_MAX / 4, false), 2 * most);
}
