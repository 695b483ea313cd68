/*
 * Bounds and orders of graphs of parts that look alike.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "order/search/certify.h"
#include "order/search/inside.h"
#include "testing/small-graph.h"

enum {
	PARTS = 40, /* more than a set has members that are not alike */
	INPUT = 4,
	SAVED = 40,
	GRADIENT = 20,
};

/* Links the graph, and begins a search from an order. */
static void begin_search(struct fixture *f, const uint32_t *order,
	struct view *view, struct search *s)
{
	cr_assert(mp_graph_link(&f->graph, &f->arena, &f->error), "%s",
		f->error.text);
	cr_assert(mp_order_view_init(view, &f->graph, true, &f->arena));
	cr_assert(mp_order_search_init(s, view, order, 1000000, &f->arena));
}

static void expect_confirmed(struct fixture *f, const struct search *s)
{
	bool confirmed;

	cr_assert(mp_order_certify_claim(
		&f->graph, &s->bound, &confirmed, &f->arena, &f->error));
	cr_assert(confirmed);
}

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
	/* The first one does not look like the others. */
	uint64_t least = (PARTS - 2) * INPUT + SAVED + 2 * GRADIENT;

	for (uint32_t i = 0; i < PARTS; i++)
		add_part(&b, i);
	for (uint32_t i = 0; i < PARTS; i++) {
		b.order[i] = 3 * i;
		b.order[PARTS + 2 * i] = 3 * i + 1;
		b.order[PARTS + 2 * i + 1] = 3 * i + 2;
	}
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	begin_search(&f, b.order, &view, &s);
	cr_assert(mp_order_search_bound_set(&s, 1, 1));
	cr_assert_eq(s.bound.bytes, least, "%lu", (unsigned long)s.bound.bytes);
	cr_assert_str_eq(s.bound.kind, "set");
	s.bound.inplace = true;
	expect_confirmed(&f, &s);
	mp_arena_free(&f.arena);
}

/* All parts go step by step, each beside the others. */
static void add_in_step(struct micro_batches *b)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		add_part(b, i);
		b->order[i] = 3 * i;
		b->order[PARTS + i] = 3 * i + 1;
		b->order[2 * PARTS + i] = 3 * i + 2;
	}
}

/* One after the other, the parts need the inputs that wait, and of the second
 * one all but the gradient of a third. That order is for later while no bound
 * is near it. */
Test(parts, run_in_line)
{
	static struct micro_batches b;
	struct fixture f = {.arena.error = &f.error};
	struct view view;
	struct search s;
	uint64_t least = (PARTS - 1) * INPUT + SAVED + 2 * GRADIENT, peak;

	add_in_step(&b);
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	begin_search(&f, b.order, &view, &s);
	peak = s.peak;
	cr_assert_gt(peak, least);
	cr_assert(mp_order_search_parts(&s));
	cr_assert_eq(s.peak, peak);
	mp_order_search_offer_late(&s);
	cr_assert_eq(s.peak, least, "%lu", (unsigned long)s.peak);
	begin_search(&f, b.order, &view, &s);
	cr_assert(mp_order_search_bound_set(&s, 1, 1));
	cr_assert(mp_order_search_parts(&s));
	cr_assert_eq(s.peak, least, "%lu", (unsigned long)s.peak);
	mp_arena_free(&f.arena);
}

/* Of the first two and the last one a single input waits. What they take holds
 * for all of them. */
Test(parts, that_are_fewer_bound_all)
{
	static struct micro_batches b;
	struct fixture f = {.arena.error = &f.error};
	struct view view;
	struct search s;

	add_in_step(&b);
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	begin_search(&f, b.order, &view, &s);
	cr_assert(mp_order_search_bound_fewer(&s));
	cr_assert_eq(s.bound.bytes, INPUT + SAVED + 2 * GRADIENT, "%lu",
		(unsigned long)s.bound.bytes);
	s.bound.inplace = true;
	expect_confirmed(&f, &s);
	mp_arena_free(&f.arena);
}

enum {
	KINDS = 300, /* more than are searched */
	ALIKE = 4
};

/* Parts of two ops, of which four each look alike. */
struct many_kinds {
	struct tensor tensors[KINDS * ALIKE];
	struct op ops[2 * KINDS * ALIKE];
	uint32_t ids[KINDS * ALIKE], order[2 * KINDS * ALIKE];
};

static void add_part_of_kind(struct many_kinds *b, uint32_t part)
{
	b->tensors[part] = (struct tensor){
		.name = "", .size = 1 + part / ALIKE, .kind = KIND_ACTIVATION};
	b->ids[part] = part;
	b->ops[2 * part] =
		(struct op){.name = "", .outputs = {&b->ids[part], 1}};
	b->ops[2 * part + 1] =
		(struct op){.name = "", .inputs = {&b->ids[part], 1}};
	b->order[part] = 2 * part;
	b->order[KINDS * ALIKE + part] = 2 * part + 1;
}

/* The time and the memory of one kind are those of the whole graph. */
Test(parts, of_many_kinds_take_little_memory)
{
	static struct many_kinds b;
	struct fixture f = {.arena.error = &f.error};
	struct view view;
	struct search s;
	uint64_t before;

	for (uint32_t i = 0; i < KINDS * ALIKE; i++)
		add_part_of_kind(&b, i);
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	begin_search(&f, b.order, &view, &s);
	before = f.arena.held;
	cr_assert(mp_order_search_parts(&s));
	cr_assert_lt(f.arena.peak, before + 300 * countof(b.ops));
	mp_arena_free(&f.arena);
}

/* Parts of four ops: the first one writes a little, of two sizes in turn, and
 * the last one what waits for all parts. */
struct long_parts {
	struct tensor tensors[4 * PARTS];
	struct op ops[4 * PARTS + 1];
	uint32_t ids[4 * PARTS], results[PARTS], order[4 * PARTS + 1];
};

static void add_long_part(struct long_parts *b, uint32_t part)
{
	const uint64_t sizes[] = {1 + part % 2, 1, SAVED, GRADIENT};

	for (uint32_t i = 0; i < 4; i++) {
		uint32_t at = 4 * part + i;

		b->tensors[at] = (struct tensor){
			.name = "", .size = sizes[i], .kind = KIND_ACTIVATION};
		b->ids[at] = b->order[at] = at;
		b->ops[at] =
			(struct op){.name = "", .outputs = {&b->ids[at], 1}};
		if (i > 0)
			b->ops[at].inputs = (struct ids){&b->ids[at - 1], 1};
	}
	b->results[part] = 4 * part + 3;
}

/* Whichever part ends last, all others have left their results. That takes all
 * parts, though the first ops of every second one differ. */
Test(parts, all_of_many_bound_it)
{
	static struct long_parts b;
	struct fixture f = {.arena.error = &f.error};
	uint64_t least = PARTS * GRADIENT + SAVED;
	struct view view;
	struct search s;

	for (uint32_t i = 0; i < PARTS; i++)
		add_long_part(&b, i);
	b.ops[4 * PARTS] =
		(struct op){.name = "", .inputs = {b.results, PARTS}};
	b.order[4 * PARTS] = 4 * PARTS;
	f.graph = mp_testing_graph(
		b.ops, countof(b.ops), b.tensors, countof(b.tensors));
	begin_search(&f, b.order, &view, &s);
	cr_assert_eq(s.peak, least, "%lu", (unsigned long)s.peak);
	cr_assert(mp_order_search_bound_set(&s, 3, 1));
	cr_assert_eq(s.bound.bytes, least, "%lu", (unsigned long)s.bound.bytes);
	cr_assert_eq(s.bound.ops.n, PARTS);
	expect_confirmed(&f, &s);
	mp_arena_free(&f.arena);
}
