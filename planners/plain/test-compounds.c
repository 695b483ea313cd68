/*
 * Compounds: what is joined, broken, undone, shared by two and settled, and
 * what fixed offsets and gaps allow. And the rest that they leave.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/compounds.h"

#include <criterion/criterion.h>

#include "planners/plain/rest.h"
#include "testing/boxes.h"
#include "testing/random.h"

static void make_compounds(struct compounds *c, struct planning *f)
{
	f->problem.first_reserved = f->problem.n_buffers;
	cr_assert(mp_problem_measure(&f->problem, &f->arena, &f->error));
	cr_assert(mp_planner_compounds_init(c, &f->problem, &f->arena));
}

/* Three of a stack, of which the middle one lies where the input says. */
Test(compounds, orders_a_stack_by_a_fixed_offset)
{
	struct planning f;
	struct compounds c;
	uint64_t offsets[4];
	uint32_t both, all;

	mp_testing_begin(&f, 4, 10);
	mp_testing_add_box(&f.problem, (struct box){2, 9, 0, 3});
	mp_testing_add_box(&f.problem, (struct box){2, 9, 0, 4});
	mp_testing_add_box(&f.problem, (struct box){2, 9, 0, 5})->offset = 4;
	make_compounds(&c, &f);
	both = mp_planner_compounds_join(&c, JOIN_STACK, (uint32_t[]){0, 1});
	all = mp_planner_compounds_join(&c, JOIN_STACK, (uint32_t[]){both, 2});
	cr_assert_eq(c.n_live, 1);
	cr_assert_eq(c.at[all].size, 12);
	mp_planner_compounds_settle(&c, all, 0, offsets);
	cr_assert_eq(offsets[2], 4);
	cr_assert_eq(offsets[1], 0);
	cr_assert_eq(offsets[0], 9);
	mp_planner_compounds_undo(&c);
	cr_assert_eq(c.n_live, 3);
	mp_arena_free(&f.arena);
}

/* Two of one size could follow each other, but their offsets differ, or a third
 * lies where the second would. */
Test(compounds, joins_only_as_fixed_offsets_allow)
{
	static const struct {
		uint64_t second, third;
		bool joins;
	} at[] = {
		{2, 5, true},
		{3, 6, false},
		{NO_OFFSET, 5, true},
		{NO_OFFSET, 4, false},
	};
	uint32_t pair[] = {0, 1};

	for (uint32_t k = 0; k < countof(at); k++) {
		struct planning f;
		struct compounds c;

		mp_testing_begin(&f, 3, 10);
		mp_testing_add_box(&f.problem, (struct box){0, 4, 0, 3})
			->offset = 2;
		mp_testing_add_box(&f.problem, (struct box){4, 9, 0, 3})
			->offset = at[k].second;
		mp_testing_add_box(&f.problem, (struct box){8, 10, 0, 4})
			->offset = at[k].third;
		make_compounds(&c, &f);
		cr_assert_eq(at[k].joins, mp_planner_compounds_join(&c,
						  JOIN_CHAIN, pair) != NONE);
		cr_assert_eq(c.n_live, at[k].joins ? 2 : 3);
		mp_arena_free(&f.arena);
	}
}

/* What is alive in a gap, and has its offset, is not in the way. */
Test(compounds, fills_a_gap_with_a_fixed_offset)
{
	struct planning f;
	struct compounds c;
	uint32_t all;

	mp_testing_begin(&f, 2, 20);
	mp_testing_add_box(&f.problem, (struct box){0, 20, 0, 7});
	mp_testing_add_gap(&f.problem, 5, 12);
	mp_testing_add_box(&f.problem, (struct box){5, 12, 0, 7})->offset = 3;
	make_compounds(&c, &f);
	all = mp_planner_compounds_join(&c, JOIN_FILL, (uint32_t[]){0, 1});
	cr_assert_neq(all, NONE);
	cr_assert_eq(c.at[all].n_bases, 1);
	cr_assert_eq(c.bases[all].at[0], 3);
	mp_arena_free(&f.arena);
}

static uint32_t count_on_list(
	const struct compounds *c, enum compound_list list, uint32_t wanted)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k <= c->mask; k++)
		for (uint32_t i = c->head[ALL_ONES][list][k]; i != NONE;
			i = c->links[ALL_ONES][i].in[list].next)
			n += wanted == NONE || i == wanted;
	return n;
}

/* What is part of a live compound knows of what, and is on the lists of all.
 * Returns how many these are. */
static uint32_t check_whole(const struct compounds *c, uint32_t i)
{
	const struct compound *x = &c->at[i];
	uint32_t n = 1;

	cr_assert_eq(count_on_list(c, OF_START, i), 1);
	cr_assert_eq(count_on_list(c, OF_SPAN, i), 1);
	cr_assert(mp_planner_compounds_may_have(c, x->start, x->end, x->size));
	for (uint32_t k = 0; k < x->n_members; k++) {
		cr_assert_eq(c->at[x->member[k]].part_of, i);
		cr_assert_eq(c->at[x->member[k]].live, NONE);
		n += check_whole(c, x->member[k]);
	}
	return n;
}

static uint32_t count_shapes(const struct compounds *c)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < (c->mask + 1) * SHAPES_A_LIST; k++)
		n += c->shapes[k];
	return n;
}

static void check_compounds(const struct compounds *c)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->n_live; k++) {
		cr_assert_eq(c->at[c->live[k]].part_of, NONE);
		n += check_whole(c, c->live[k]);
	}
	cr_assert_eq(count_on_list(c, OF_START, NONE), n);
	cr_assert_eq(count_on_list(c, OF_END_SIZE, NONE), n);
	cr_assert_eq(count_shapes(c), n);
}

/* Few sizes and lifetimes. */
static void begin_alike(
	struct planning *f, struct compounds *c, uint64_t *state)
{
	mp_testing_begin(f, 30, 100);
	for (uint32_t i = 0; i < 30; i++) {
		uint32_t start = mp_testing_below(state, 2);
		uint64_t size = 1 + mp_testing_below(state, 2);

		mp_testing_add_box(
			&f->problem, (struct box){start, start + 1, 0, size});
	}
	make_compounds(c, f);
}

/* Joins two live ones, or breaks one. */
static void change(struct compounds *c, uint64_t *state)
{
	uint32_t a = c->live[mp_testing_below(state, c->n_live)];
	uint32_t b = c->live[mp_testing_below(state, c->n_live)];
	uint32_t pair[2] = {a, b};

	if (a != b && c->at[a].start == c->at[b].start &&
		c->at[a].end == c->at[b].end)
		mp_planner_compounds_join(c, JOIN_STACK, pair);
	else if (a != b && c->at[a].end == c->at[b].start &&
		 c->at[a].size == c->at[b].size)
		mp_planner_compounds_join(c, JOIN_CHAIN, pair);
	else if (c->at[a].how != JOIN_NONE)
		mp_planner_compounds_break(c, a);
}

/* Makes a buffer live, wherever it is. */
static void take_out(struct compounds *c, uint64_t *state)
{
	uint32_t i = mp_testing_below(state, c->n_buffers);
	uint32_t path[COMPOUNDS_DEEPEST], n;

	if (!mp_planner_compounds_around(c, i, NONE, path, &n))
		return;
	mp_planner_compounds_break_path(c, path, n);
	cr_assert_neq(c->at[i].live, NONE);
	for (uint32_t k = 0; k < n; k++)
		cr_assert_eq(c->at[path[k]].live, NONE);
}

/* Whatever is joined, broken and undone. */
Test(compounds, knows_all_compounds)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		struct compounds c;
		uint64_t state = seed;

		begin_alike(&f, &c, &state);
		for (int step = 0; step < 100; step++) {
			change(&c, &state);
			if (step % 6 == 5)
				take_out(&c, &state);
			if (step % 7 == 6)
				mp_planner_compounds_undo(&c);
			else if (step % 5 == 4)
				mp_planner_compounds_keep(&c);
			check_compounds(&c);
		}
		mp_arena_free(&f.arena);
	}
}

/* A compound and all that it is made of, level by level. */
static void check_bases(struct compounds *c, uint32_t i, uint64_t *base,
	const uint64_t *offsets)
{
	const struct compound *x = &c->at[i];

	cr_assert(x->how != JOIN_NONE || base[i] == offsets[i]);
	if (x->how != JOIN_NONE)
		mp_planner_compounds_settle_members(c, i, base);
	for (uint32_t k = 0; k < x->n_members; k++)
		check_bases(c, x->member[k], base, offsets);
}

/* Joins by chance, and bases of what is live: one above the other. */
static void begin_pile(struct planning *f, struct compounds *c, uint64_t *state,
	uint64_t *base)
{
	uint64_t top = 0;

	begin_alike(f, c, state);
	for (int step = 0; step < 100; step++)
		change(c, state);
	mp_planner_compounds_keep(c);
	for (uint32_t k = 0; k < c->n_live; k++) {
		base[c->live[k]] = top;
		top += c->at[c->live[k]].size;
	}
}

Test(compounds, says_where_members_lie)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t state = seed, base[90], offsets[30];
		struct planning f;
		struct compounds c;

		begin_pile(&f, &c, &state, base);
		for (uint32_t k = 0; k < c.n_live; k++) {
			uint32_t i = c.live[k];

			mp_planner_compounds_settle(&c, i, base[i], offsets);
			check_bases(&c, i, base, offsets);
		}
		mp_arena_free(&f.arena);
	}
}

/* What fits by chance only is in the way until it is taken apart. */
Test(compounds, lowers_the_plan_of_what_is_left)
{
	uint32_t n_joined = 0, n_least = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t state = seed, base[90], best[30];
		struct planning f;
		struct compounds c;
		struct job own;

		begin_pile(&f, &c, &state, base);
		cr_assert(mp_testing_end(&f, "jigsaw", 10000000));
		own = f.job;
		own.best = best;
		own.height = 0;
		for (uint32_t k = 0; k < c.n_live; k++) {
			const struct compound *x = &c.at[c.live[k]];

			best[k] = base[c.live[k]];
			own.height = num_max(own.height, best[k] + x->size);
			n_joined += x->how != JOIN_NONE;
		}
		cr_assert_gt(own.height, own.lower_bound);
		cr_assert(
			mp_planner_rest_refine(&c, &f.job, &own, f.job.steps));
		check_compounds(&c);
		n_least += f.job.height == f.job.lower_bound;
		mp_arena_free(&f.arena);
	}
	cr_assert_geq(n_joined, 40);
	cr_assert_geq(n_least, 19, "%d", (int)n_least);
}

static uint32_t count_buffers(const struct compounds *c, uint32_t i)
{
	uint32_t n = c->at[i].how == JOIN_NONE;

	for (uint32_t k = 0; k < c->at[i].n_members; k++)
		n += count_buffers(c, c->at[i].member[k]);
	return n;
}

static uint32_t count_all_buffers(const struct compounds *c)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < c->n_live; k++)
		n += count_buffers(c, c->live[k]);
	return n;
}

/* Two that are changed by turns and hand compounds on; at last one again, and a
 * copy, which does not change with it. */
Test(compounds, knows_the_compounds_of_each_part)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		struct compounds c[2], copy;
		uint64_t state = seed;

		begin_alike(&f, &c[0], &state);
		cr_assert(mp_planner_compounds_part(&c[0], &c[1], &f.arena));
		for (int step = 0; step < 200; step++) {
			struct compounds *from = &c[step % 2];
			struct compound_chain chain = {.first = NONE};

			if (from->n_live == 0)
				continue;
			change(from, &state);
			mp_planner_compounds_keep(from);
			if (step % 3 == 0)
				mp_planner_compounds_hand(
					from, from->live[0], &chain);
			mp_planner_compounds_receive(&c[!(step % 2)], &chain);
			mp_planner_compounds_level(&c[0], &c[1]);
			check_compounds(&c[0]);
			check_compounds(&c[1]);
			cr_assert_eq(count_all_buffers(&c[0]) +
					     count_all_buffers(&c[1]),
				30);
		}
		cr_assert_gt(c[1].n_live, 0);
		mp_planner_compounds_unite(&c[0], &c[1]);
		cr_assert(mp_planner_compounds_copy(&c[0], &copy, &f.arena));
		for (int step = 0; step < 50; step++)
			change(&copy, &state);
		check_compounds(&c[0]);
		check_compounds(&copy);
		cr_assert_eq(count_all_buffers(&c[0]), 30);
		cr_assert_eq(count_all_buffers(&copy), 30);
		mp_arena_free(&f.arena);
	}
}
