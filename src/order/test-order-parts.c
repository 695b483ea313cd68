/*
 * Bounds of graphs of parts that look alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "order/search/certify.h"
#include "order/search/inside.h"
#include "testing/small-graph.h"

enum {
	PARTS = 40, /* more than a set has members */
	INPUT = 4,
	SAVED = 40,
	GRADIENT = 20,
};

/* Micro-batches: each turns its input, which waits from the start, into what it
 * saves, and both into a gradient, which is added to the total in place. */
struct micro_batches {
	struct tensor tensors[4 * PARTS]; /* of a part: input, saved, gradient,
					     total */
	struct op ops[3 * PARTS];
	uint32_t ids[PARTS][6];
	struct inplace_pair pairs[PARTS];
	uint32_t order[3 * PARTS];
};

/* What was saved of the first part is its total. */
static void add_part(struct micro_batches *b, uint32_t part)
{
	struct tensor *tensors = &b->tensors[4 * part];
	struct op *ops = &b->ops[3 * part];
	uint32_t *ids = b->ids[part], first = 4 * part;
	const uint64_t sizes[] = {INPUT, SAVED, GRADIENT, GRADIENT};

	for (uint32_t i = 0; i < 4; i++) {
		tensors[i] = (struct tensor){.name = "",
			.size = sizes[i],
			.kind = i == 0 ? KIND_INPUT : KIND_ACTIVATION};
		ids[i] = first + i;
	}
	ids[4] = first + 2;
	ids[5] = first - 1;
	b->pairs[part] = (struct inplace_pair){first + 3, first - 1};
	ops[0] = (struct op){
		.name = "", .inputs = {&ids[0], 1}, .outputs = {&ids[1], 1}};
	ops[1] = (struct op){
		.name = "", .inputs = {&ids[0], 2}, .outputs = {&ids[2], 1}};
	ops[2] = (struct op){.name = "",
		.inputs = {&ids[4], part == 0 ? 1 : 2},
		.outputs = {&ids[3], 1},
		.inplace = part == 0 ? NULL : &b->pairs[part],
		.n_inplace = part > 0};
}

/* Of two micro-batches, one ends when the other one has left its gradient, and
 * no third one had to begin. The last ones of all do not tell that: all inputs
 * but theirs are gone. Nor does the op at the peak, as all parts begin at once.
 */
Test(parts, around_the_peak_bound_it)
{
	static struct micro_batches b;
	struct fixture f = {.arena.error = &f.error};
	struct view view;
	struct search s;
	bool confirmed;
	/* The first two do not look like the others. */
	uint64_t least = (PARTS - 3) * INPUT + SAVED + 2 * GRADIENT;

	for (uint32_t i = 0; i < PARTS; i++)
		add_part(&b, i);
	for (uint32_t i = 0; i < PARTS; i++) {
		b.order[i] = 3 * i;
		b.order[PARTS + 2 * i] = 3 * i + 1;
		b.order[PARTS + 2 * i + 1] = 3 * i + 2;
	}
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	cr_assert(mp_graph_link(&f.graph, &f.arena, &f.error), "%s",
		f.error.text);
	cr_assert(mp_order_view_init(&view, &f.graph, true, &f.arena));
	cr_assert(mp_order_search_init(&s, &view, b.order, 1000000, &f.arena));
	cr_assert(mp_order_search_bound_set(&s, 1));
	cr_assert_eq(s.bound.bytes, least, "%lu", (unsigned long)s.bound.bytes);
	cr_assert_str_eq(s.bound.kind, "set");
	s.bound.inplace = true;
	cr_assert(mp_order_certify_claim(
		&f.graph, &s.bound, &confirmed, &f.arena, &f.error));
	cr_assert(confirmed);
	mp_arena_free(&f.arena);
}
