/*
 * Lifetimes, in-place pairs and loads of small graphs made by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/small-graph.h"

static void lives(
	const struct fixture *f, uint32_t tensor, uint32_t start, uint32_t end)
{
	cr_assert_eq(f->schedule->stay[tensor].start, start,
		"tensor %u: start %u", tensor, f->schedule->stay[tensor].start);
	cr_assert_eq(f->schedule->stay[tensor].end, end, "tensor %u: end %u",
		tensor, f->schedule->stay[tensor].end);
}

/* The two orders of the published example: edges A-B-F and A-C-D-E-F. */
Test(lifetime, figure_of_two_orders)
{
	enum {
		A,
		B,
		C,
		D,
		E,
		F
	};
	struct op ops[] = {{.name = "A", .outputs = IDS(A)},
		{.name = "B", .inputs = IDS(A), .outputs = IDS(B)},
		{.name = "C", .inputs = IDS(A), .outputs = IDS(C)},
		{.name = "D", .inputs = IDS(C), .outputs = IDS(D)},
		{.name = "E", .inputs = IDS(D), .outputs = IDS(E)},
		{.name = "F", .inputs = IDS(B, E), .outputs = IDS(F)}};
	struct tensor tensors[] = {{.name = "A", .size = 1},
		{.name = "B", .size = 2}, {.name = "C", .size = 4},
		{.name = "D", .size = 8}, {.name = "E", .size = 16},
		{.name = "F", .size = 0}};
	static const uint32_t left[] = {A, B, C, D, E, F};
	static const uint32_t right[] = {A, C, D, E, B, F};
	struct fixture f = {.graph = mp_testing_graph(ops, 6, tensors, 6)};

	cr_assert(mp_testing_lifetime(&f, left, true), "%s", f.error.text);
	lives(&f, A, 0, 3);
	lives(&f, B, 1, 6);
	lives(&f, C, 2, 4);
	lives(&f, D, 3, 5);
	lives(&f, E, 4, 6);
	cr_assert_eq(f.problem.theoretical_min, 2 + 8 + 16);
	mp_arena_free(&f.arena);

	cr_assert(mp_testing_lifetime(&f, right, true), "%s", f.error.text);
	lives(&f, A, 0, 5);
	lives(&f, C, 1, 3);
	lives(&f, D, 2, 4);
	lives(&f, E, 3, 6);
	lives(&f, B, 4, 6);
	cr_assert_eq(f.problem.theoretical_min, 1 + 8 + 16);
	mp_arena_free(&f.arena);
}

/* 0 -> 1 -> 2 -> 3, where 2 may overwrite what 1 made. */
static void inplace_case(
	struct fixture *f, uint64_t made, uint64_t written, bool inplace)
{
	static const uint32_t order[] = {0, 1, 2, 3};
	static const struct inplace_pair pair = {2, 1};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "2",
			.inputs = IDS(1),
			.outputs = IDS(2),
			.inplace = &pair,
			.n_inplace = 1},
		{.name = "3", .inputs = IDS(2), .outputs = IDS(3)}};
	struct tensor tensors[] = {{.name = "0", .size = 1},
		{.name = "1", .size = made}, {.name = "2", .size = written},
		{.name = "3", .size = 1}};

	*f = (struct fixture){.graph = mp_testing_graph(ops, 4, tensors, 4)};
	cr_assert(mp_testing_lifetime(f, order, inplace), "%s", f->error.text);
}

Test(lifetime, in_place_shares_one_buffer)
{
	struct fixture f;

	inplace_case(&f, 10, 10, true);
	cr_assert_eq(f.problem.n_buffers, 3);
	cr_assert_eq(f.problem.n_parts, 3, "equal sizes are one part");
	cr_assert_eq(f.schedule->stay[1].buffer, f.schedule->stay[2].buffer);
	cr_assert_eq(f.problem.theoretical_min, 11);
	mp_arena_free(&f.arena);

	inplace_case(&f, 10, 10, false);
	cr_assert_eq(f.problem.n_buffers, 4);
	cr_assert_eq(f.problem.theoretical_min, 20);
	mp_arena_free(&f.arena);
}

Test(lifetime, in_place_of_other_size_counts_the_larger)
{
	struct fixture f;

	inplace_case(&f, 10, 30, true);
	cr_assert_eq(f.problem.n_buffers, 3);
	cr_assert_eq(f.problem.n_parts, 4);
	lives(&f, 1, 1, 2);
	lives(&f, 2, 2, 4);
	cr_assert_eq(f.problem.load[2], 30);
	mp_arena_free(&f.arena);

	inplace_case(&f, 30, 10, true);
	cr_assert_eq(f.problem.n_buffers, 3);
	lives(&f, 1, 1, 3);
	lives(&f, 2, 3, 4);
	cr_assert_eq(f.problem.load[2], 30);
	cr_assert_eq(f.problem.load[3], 11);
	mp_arena_free(&f.arena);
}

Test(lifetime, no_sharing_while_another_reader_waits)
{
	static const uint32_t order[] = {0, 1, 2};
	static const struct inplace_pair pair = {1, 0};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1",
			.inputs = IDS(0),
			.outputs = IDS(1),
			.inplace = &pair,
			.n_inplace = 1},
		{.name = "2", .inputs = IDS(0, 1), .outputs = IDS(2)}};
	struct tensor tensors[] = {{.name = "0", .size = 4},
		{.name = "1", .size = 4}, {.name = "2", .size = 4}};
	struct fixture f = {.graph = mp_testing_graph(ops, 3, tensors, 3)};

	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.problem.n_buffers, 3);
	cr_assert_eq(f.schedule->n_inplace, 1);
	cr_assert_eq(f.schedule->inplace->verdict, INPLACE_READ_LATER);
	cr_assert_eq(f.schedule->inplace->other, 2, "the last reader");
	mp_arena_free(&f.arena);
}

/* 1 takes over 0 unless it is not wanted, and 2 then comes too late. */
Test(lifetime, every_pair_has_an_outcome)
{
	static const uint32_t order[] = {0, 1, 2};
	static const struct inplace_pair pairs[] = {{1, 0}, {2, 0}};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1",
			.inputs = IDS(0),
			.outputs = IDS(1, 2),
			.inplace = pairs,
			.n_inplace = 1,
			.n_unequal = 1},
		{.name = "2", .inputs = IDS(1, 2)}};
	struct tensor tensors[] = {{.name = "0", .size = 4},
		{.name = "1", .size = 4}, {.name = "2", .size = 8}};
	struct fixture f = {.graph = mp_testing_graph(ops, 3, tensors, 3)};

	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.schedule->n_inplace, 2);
	cr_assert_eq(f.schedule->inplace[0].verdict, INPLACE_SHARED);
	cr_assert_eq(f.schedule->inplace[1].verdict, INPLACE_UNEQUAL);
	mp_arena_free(&f.arena);

	ops[1].n_inplace = 2;
	ops[1].n_unequal = 0;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.schedule->inplace[1].verdict, INPLACE_TAKEN);
	cr_assert_eq(f.schedule->inplace[1].other, 1);
	mp_arena_free(&f.arena);

	cr_assert(mp_testing_lifetime(&f, order, false), "%s", f.error.text);
	cr_assert_eq(f.schedule->inplace[0].verdict, INPLACE_OFF);
	cr_assert_eq(f.schedule->inplace[1].verdict, INPLACE_OFF);
	mp_arena_free(&f.arena);
}

Test(lifetime, kinds_and_dead_outputs)
{
	static const uint32_t order[] = {0, 1};
	struct op ops[] = {{.name = "0", .inputs = IDS(2), .outputs = IDS(0)},
		{.name = "1", .outputs = IDS(1), .temporaries = IDS(5)}};
	struct tensor tensors[] = {{.name = "dead", .size = 1},
		{.name = "out", .size = 1, .kind = KIND_OUTPUT},
		{.name = "in", .size = 1, .kind = KIND_INPUT},
		{.name = "state", .size = 1, .kind = KIND_STATE},
		{.name = "outside", .size = 100, .external = true},
		{.name = "scratch", .size = 1, .kind = KIND_TEMPORARY}};
	struct fixture f = {.graph = mp_testing_graph(ops, 2, tensors, 2)};

	f.graph.n_tensors = 6;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	lives(&f, 0, 0, 1);
	lives(&f, 1, 1, 2);
	lives(&f, 2, 0, 1);
	lives(&f, 3, 0, 2);
	lives(&f, 5, 1, 2);
	cr_assert_eq(f.schedule->stay[4].buffer, NONE);
	cr_assert_eq(f.problem.n_buffers, 5);
	cr_assert_eq(f.problem.load[0], 3);
	cr_assert_eq(f.problem.load[1], 3);
	mp_arena_free(&f.arena);
}

static void check_stay(
	const struct schedule *whole, const struct schedule *brief, uint32_t t)
{
	const struct stay *a = &whole->stay[t], b = mp_schedule_stay(brief, t);

	cr_assert_eq(a->base, b.base);
	cr_assert_eq(a->buffer, b.buffer);
	cr_assert_eq(a->start, b.start);
	cr_assert_eq(a->end, b.end);
	cr_assert_eq(a->throughout, b.throughout);
}

static void check_brief(struct fixture *f, bool lists_stays)
{
	struct lifetime_options options = {.brief = true};
	struct schedule *s;
	struct problem whole, *brief;

	f->graph.n_steps = 4;
	cr_assert(mp_testing_lifetime(f, NULL, true), "%s", f->error.text);
	whole = f->problem;
	s = mp_lifetime(&f->graph, NULL, &options, &f->arena, &f->error);
	brief = &s->problem;
	cr_assert(!brief->parts && !brief->load);
	cr_assert_eq(s->stay != NULL, lists_stays);
	cr_assert_eq(brief->n_parts, 3);
	cr_assert_eq(brief->theoretical_min, 12);
	cr_assert_eq(brief->peak_step, whole.peak_step);
	for (uint32_t t = 0; t < f->graph.n_tensors; t++)
		check_stay(f->schedule, s, t);
	cr_assert(mp_schedule_unfold(s, &f->arena));
	for (uint32_t t = 0; t < f->graph.n_tensors; t++)
		check_stay(s, f->schedule, t);
	for (uint32_t i = 0; i < whole.n_parts; i++) {
		const struct part *a = &whole.parts[i], *b = &brief->parts[i];

		cr_assert_eq(a->base, b->base);
		cr_assert_eq(a->size, b->size);
		cr_assert_eq(a->start, b->start);
		cr_assert_eq(a->end, b->end);
		cr_assert_eq(a->buffer, b->buffer);
	}
	for (uint32_t k = 0; k < whole.n_steps; k++)
		cr_assert_eq(whole.load[k], brief->load[k]);
	mp_arena_free(&f->arena);
}

/* Without ops each tensor is a buffer, so the problem can be brief. A tensor
 * that takes no bytes is none, and one that is alive throughout says more than
 * its buffer. */
Test(lifetime, a_brief_problem_unfolds_to_the_whole)
{
	struct tensor tensors[] = {
		{.name = "0", .size = 4, .end = 2, .pinned = true},
		{.name = "1", .size = 3, .start = 1, .end = 4, .pinned = true},
		{.name = "3", .size = 9, .start = 2, .end = 3, .pinned = true},
		{.name = "2", .end = 4, .pinned = true}};
	struct fixture f = {.graph = mp_testing_graph(NULL, 0, tensors, 3)};

	check_brief(&f, false);
	f = (struct fixture){.graph = mp_testing_graph(NULL, 0, tensors, 4)};
	check_brief(&f, true);
	tensors[1].start = 0;
	tensors[1].from_start = tensors[1].to_end = true;
	f = (struct fixture){.graph = mp_testing_graph(NULL, 0, tensors, 3)};
	check_brief(&f, true);
}
