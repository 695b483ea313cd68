/*
 * Views, groups and gaps of small graphs made by hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "testing/small-graph.h"

static void is_part(const struct fixture *f, uint32_t part, uint64_t base,
	uint64_t size, uint32_t start, uint32_t end)
{
	const struct part *p = &f->problem.parts[part];

	cr_assert_eq(p->base, base, "part %u at %llu", part,
		(unsigned long long)p->base);
	cr_assert_eq(p->size, size, "part %u: %llu bytes", part,
		(unsigned long long)p->size);
	cr_assert(p->start == start && p->end == end, "part %u [%u, %u)", part,
		p->start, p->end);
}

/* 0 makes 16 bytes; 1 and 2 are views of its halves, read by 3 and 4. */
static void split_case(struct fixture *f)
{
	static const struct tensor_alias aliases[] = {
		{.tensor = 1}, {.tensor = 2, .base = 8}};
	static const uint32_t order[] = {0, 1, 2, 3, 4};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "2", .inputs = IDS(0), .outputs = IDS(2)},
		{.name = "3", .inputs = IDS(1), .outputs = IDS(3)},
		{.name = "4", .inputs = IDS(2, 3), .outputs = IDS(4)}};
	struct tensor tensors[] = {{.name = "0", .size = 16},
		{.name = "1", .size = 8}, {.name = "2", .size = 8},
		{.name = "3", .size = 2}, {.name = "4", .size = 1}};

	*f = (struct fixture){.graph = mp_testing_graph(ops, 5, tensors, 5)};
	f->graph.ties.aliases = aliases;
	f->graph.ties.n_aliases = 2;
	cr_assert(mp_testing_lifetime(f, order, true), "%s", f->error.text);
}

Test(unions, views_share_the_bytes_of_what_they_are_views_of)
{
	struct fixture f;

	split_case(&f);
	cr_assert_eq(f.problem.n_buffers, 3);
	cr_assert_eq(f.schedule->stay[2].buffer, 0);
	cr_assert_eq(f.schedule->stay[2].base, 8);
	is_part(&f, 0, 0, 8, 0, 4);
	is_part(&f, 1, 8, 8, 0, 5);
	cr_assert_eq(f.problem.theoretical_min, 16 + 2);
	mp_arena_free(&f.arena);
}

Test(unions, a_group_is_one_stack_with_guards)
{
	static const uint32_t order[] = {0, 1, 2};
	static const uint32_t members[] = {1, 0};
	static const struct tensor_group group = {
		.name = "g", .members = {members, 2}, .before = 2, .after = 3};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1", .inputs = IDS(0), .outputs = IDS(1)},
		{.name = "2", .inputs = IDS(1), .outputs = IDS(2)}};
	struct tensor tensors[] = {{.name = "0", .size = 5},
		{.name = "1", .size = 7, .align = 4}, {.name = "2", .size = 1}};
	struct fixture f = {.graph = mp_testing_graph(ops, 3, tensors, 3)};

	f.graph.ties.groups = &group;
	f.graph.ties.n_groups = 1;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.problem.n_buffers, 2);
	cr_assert_eq(f.schedule->stay[1].base, 4);
	cr_assert_eq(f.schedule->stay[0].base, 11);
	cr_assert_eq(f.problem.buffers[0].align, 4);
	cr_assert_eq(f.problem.buffers[0].size, 11 + 5 + 3);
	is_part(&f, 0, 2, 9, 1, 3);
	is_part(&f, 1, 11, 8, 0, 2);
	mp_arena_free(&f.arena);
}

Test(unions, a_gap_is_free_for_others)
{
	static const uint32_t order[] = {0};
	static const struct lifetime_gap gaps[] = {
		{0, 2, 3, 0, 0}, {0, 5, 9, 0, 0}};
	struct tensor tensors[] = {{.name = "0",
		.size = 5,
		.pinned = true,
		.start = 1,
		.end = 10}};
	struct fixture f = {.graph = mp_testing_graph(NULL, 0, tensors, 0)};

	f.graph.n_tensors = 1;
	f.graph.n_steps = 12;
	f.graph.ties.gaps = gaps;
	f.graph.ties.n_gaps = 2;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.problem.n_parts, 3);
	is_part(&f, 0, 0, 5, 1, 2);
	is_part(&f, 1, 0, 5, 3, 5);
	is_part(&f, 2, 0, 5, 9, 10);
	mp_arena_free(&f.arena);
}

Test(unions, bytes_may_be_needed_in_a_gap)
{
	static const uint32_t order[] = {0};
	static const struct lifetime_gap gap = {0, 2, 4, 3, 5};
	struct tensor tensors[] = {
		{.name = "0", .size = 8, .pinned = true, .start = 0, .end = 4}};
	struct fixture f = {.graph = mp_testing_graph(NULL, 0, tensors, 0)};

	f.graph.alignment = 2;
	f.graph.n_tensors = 1;
	f.graph.n_steps = 4;
	f.graph.ties.gaps = &gap;
	f.graph.ties.n_gaps = 1;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.problem.n_parts, 3);
	is_part(&f, 0, 0, 2, 0, 2);
	is_part(&f, 1, 2, 4, 0, 4);
	is_part(&f, 2, 6, 2, 0, 2);
	mp_arena_free(&f.arena);
}

Test(unions, offsets_of_one_buffer_must_agree)
{
	static const struct tensor_alias alias = {.tensor = 1, .base = 4};
	static const uint32_t order[] = {0, 1};
	struct op ops[] = {{.name = "0", .outputs = IDS(0)},
		{.name = "1", .inputs = IDS(0), .outputs = IDS(1)}};
	struct tensor tensors[] = {{.name = "0", .size = 8, .placed = true},
		{.name = "1", .size = 4, .placed = true, .offset = 8}};
	struct fixture f = {.graph = mp_testing_graph(ops, 2, tensors, 2)};

	f.graph.ties.aliases = &alias;
	f.graph.ties.n_aliases = 1;
	cr_assert_not(mp_testing_lifetime(&f, order, true));
	cr_assert(strstr(f.error.text, "'0' and '1'"), "%s", f.error.text);
	mp_arena_free(&f.arena);
}

/* States are one region; a view of the second one is aligned. */
Test(unions, a_view_aligns_its_state)
{
	static const uint32_t order[] = {0};
	static const struct tensor_alias alias = {
		.tensor = 2, .of = 1, .root = 1};
	struct op ops[] = {{.name = "0", .inputs = IDS(0, 2)}};
	struct tensor tensors[] = {{.name = "0", .size = 5, .kind = KIND_STATE},
		{.name = "1", .size = 7, .kind = KIND_STATE},
		{.name = "2", .size = 7, .align = 16}};
	struct fixture f = {.graph = mp_testing_graph(ops, 1, tensors, 3)};

	f.graph.ties.aliases = &alias;
	f.graph.ties.n_aliases = 1;
	cr_assert(mp_testing_lifetime(&f, order, true), "%s", f.error.text);
	cr_assert_eq(f.problem.n_buffers, 1);
	cr_assert_eq(f.problem.buffers[0].align, 16);
	cr_assert_eq(f.schedule->stay[1].base, 16);
	cr_assert_eq(f.schedule->stay[2].base, 16);
	mp_arena_free(&f.arena);
}
