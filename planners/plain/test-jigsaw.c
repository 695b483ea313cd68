/*
 * jigsaw: boxes that were cut out of one come together again, and compounds do
 * what fixed offsets and gaps allow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <criterion/criterion.h>

#include "base/num.h"
#include "planners/plain/compounds.h"
#include "planners/plain/rest.h"
#include "testing/planning.h"
#include "testing/random.h"

enum {
	BOXES = 400,
	STEPS = 8 * BOXES,
	HEIGHT = 1 << 20,
	PINWHEEL_BOXES = 3000,
	WHEELS = 3,
	VAIN = 1000 /* boxes */
};

struct box {
	uint32_t start, end;
	uint64_t low, high;
};

static struct buffer *add(struct problem *p, struct box box)
{
	mp_testing_add(p, box.start, box.end, box.high - box.low);
	return &p->buffers[p->n_buffers - 1];
}

static void add_gap(struct problem *p, uint32_t from, uint32_t to)
{
	struct part *part = &p->parts[p->n_parts - 1];

	part[1] = part[0];
	part[0].end = from;
	part[1].start = to;
	p->buffers[part->buffer].n_parts++;
	p->n_parts++;
}

static void make_job(struct planning *f)
{
	cr_assert(mp_testing_end(f, "jigsaw", 10000000));
}

static void make_compounds(struct compounds *c, struct planning *f)
{
	f->problem.first_reserved = f->problem.n_buffers;
	cr_assert(mp_problem_measure(&f->problem, &f->arena, &f->error));
	cr_assert(mp_planner_compounds_init(c, &f->problem, &f->arena));
}

static uint64_t area_of(const struct box *b)
{
	return (b->end - b->start) * (b->high - b->low);
}

/* Cuts a box in two, or now and then in five that turn around the middle one.
 * Returns how many boxes there are more. */
static uint32_t cut(struct box *box, struct box *more, uint64_t *state)
{
	struct box b = *box;
	uint32_t width = b.end - b.start;
	uint64_t height = b.high - b.low;
	uint64_t early = b.start + 1, late = b.end - 1, low, high;

	if (width < 8 || height < 8)
		return 0;
	early += mp_testing_below(state, width / 2 - 1);
	late -= mp_testing_below(state, width / 2 - 1);
	low = b.low + 1 + mp_testing_below(state, height / 2 - 1);
	high = b.high - 1 - mp_testing_below(state, height / 2 - 1);
	switch (mp_testing_below(state, 3)) {
	case 0:
		box->end = (uint32_t)early;
		more[0] = (struct box){(uint32_t)early, b.end, b.low, b.high};
		return 1;
	case 1:
		box->high = low;
		more[0] = (struct box){b.start, b.end, low, b.high};
		return 1;
	default:
		*box = (struct box){b.start, (uint32_t)late, b.low, low};
		more[0] = (struct box){(uint32_t)late, b.end, b.low, high};
		more[1] = (struct box){(uint32_t)early, b.end, high, b.high};
		more[2] = (struct box){b.start, (uint32_t)early, low, b.high};
		more[3] = (struct box){
			(uint32_t)early, (uint32_t)late, low, high};
		return 4;
	}
}

/* Every so many get their offset from the input. */
static void begin_pieces(struct planning *f, struct box whole, uint64_t seed,
	uint32_t fixed_one_in)
{
	static struct box boxes[BOXES + 4];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = whole;
	while (n < BOXES)
		n += cut(
			&boxes[mp_testing_below(&state, n)], &boxes[n], &state);
	mp_testing_begin(f, n, whole.end);
	for (uint32_t i = n; i-- > 0;) {
		struct buffer *b = add(&f->problem, boxes[i]);

		if (mp_testing_below(&state, fixed_one_in) == 0)
			b->offset = boxes[i].low;
	}
	make_job(f);
}

static void begin_boxes(
	struct planning *f, uint64_t seed, uint32_t fixed_one_in)
{
	begin_pieces(f, (struct box){0, STEPS, 0, HEIGHT}, seed, fixed_one_in);
}

static struct box random_box(uint64_t *state)
{
	uint32_t start = mp_testing_below(state, 99);
	uint64_t low = mp_testing_below(state, 1000);
	uint32_t life = 1 + mp_testing_below(state, (100 - start) / 4 + 1);

	return (struct box){.start = start,
		.end = start + life,
		.low = low,
		.high = low + 1 + mp_testing_below(state, 100)};
}

/* One look at each buffer. */
static bool meets_fixed(const struct problem *p, struct box box)
{
	bool met = false;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];

		met |= b->offset != NO_OFFSET && b->start < box.end &&
		       box.start < b->end && b->offset < box.high &&
		       box.low < b->offset + b->size;
	}
	return met;
}

Test(jigsaw, puts_together_what_was_cut)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		begin_boxes(&f, seed, UINT32_MAX);
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		cr_assert_eq(f.job.height, HEIGHT);
		cr_assert_str_eq(f.job.winner, "jigsaw");
		mp_arena_free(&f.arena);
	}
}

/* So many begin and end at each step that two often fit by chance, but hardly
 * five. */
Test(jigsaw, joins_pinwheels_before_what_is_in_doubt)
{
	struct box whole = {0, 200, 0, 500};

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct planning f;

		begin_pieces(&f, whole, seed, UINT32_MAX);
		mp_planner_jigsaw_run(&f.job, 0);
		cr_assert_leq(f.job.height, 505, "seed %d: %d", (int)seed,
			(int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

Test(jigsaw, keeps_fixed_offsets)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		begin_boxes(&f, seed, 5);
		cr_assert_neq(mp_planner_jigsaw_run(&f.job, 0), PLAN_FAILED);
		cr_assert_leq(f.job.height, HEIGHT + HEIGHT / 50);
		for (uint32_t i = 0; i < f.problem.n_buffers; i++)
			if (f.problem.buffers[i].offset != NO_OFFSET)
				cr_assert_eq(f.job.best[i],
					f.problem.buffers[i].offset);
		mp_arena_free(&f.arena);
	}
}

/* Three of a stack, of which the middle one lies where the input says. */
Test(jigsaw, orders_a_stack_by_a_fixed_offset)
{
	struct planning f;
	struct compounds c;
	uint64_t offsets[4];
	uint32_t both, all;

	mp_testing_begin(&f, 4, 10);
	add(&f.problem, (struct box){2, 9, 0, 3});
	add(&f.problem, (struct box){2, 9, 0, 4});
	add(&f.problem, (struct box){2, 9, 0, 5})->offset = 4;
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
Test(jigsaw, joins_only_as_fixed_offsets_allow)
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
		add(&f.problem, (struct box){0, 4, 0, 3})->offset = 2;
		add(&f.problem, (struct box){4, 9, 0, 3})->offset =
			at[k].second;
		add(&f.problem, (struct box){8, 10, 0, 4})->offset =
			at[k].third;
		make_compounds(&c, &f);
		cr_assert_eq(at[k].joins, mp_planner_compounds_join(&c,
						  JOIN_CHAIN, pair) != NONE);
		cr_assert_eq(c.n_live, at[k].joins ? 2 : 3);
		mp_arena_free(&f.arena);
	}
}

/* What is alive in a gap, and has its offset, is not in the way. */
Test(jigsaw, fills_a_gap_with_a_fixed_offset)
{
	struct planning f;
	struct compounds c;
	uint32_t all;

	mp_testing_begin(&f, 2, 20);
	add(&f.problem, (struct box){0, 20, 0, 7});
	add_gap(&f.problem, 5, 12);
	add(&f.problem, (struct box){5, 12, 0, 7})->offset = 3;
	make_compounds(&c, &f);
	all = mp_planner_compounds_join(&c, JOIN_FILL, (uint32_t[]){0, 1});
	cr_assert_neq(all, NONE);
	cr_assert_eq(c.at[all].n_bases, 1);
	cr_assert_eq(c.bases[all].at[0], 3);
	mp_arena_free(&f.arena);
}

/* What one look at each of them says. */
Test(jigsaw, finds_fixed_offsets_in_a_box)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct planning f;
		struct pins pins;
		uint64_t state = seed;
		uint32_t n = mp_testing_below(&state, 60), found = 0;

		mp_testing_begin(&f, n + 1, 100);
		for (uint32_t i = 0; i < n; i++) {
			struct box box = random_box(&state);
			struct buffer *b = add(&f.problem, box);

			if (mp_testing_below(&state, 3) > 0)
				b->offset = box.low;
		}
		cr_assert(mp_planner_pins_init(&pins, &f.problem, &f.arena));
		for (int i = 0; i < 100; i++) {
			struct box box = random_box(&state);
			bool met = meets_fixed(&f.problem, box);

			cr_assert_eq(
				met, mp_planner_pins_meet(&pins,
					     &(struct pin_box){.low = box.low,
						     .high = box.high,
						     .start = box.start,
						     .end = box.end}));
			found += met;
		}
		cr_assert(n < 20 || found > 0);
		mp_arena_free(&f.arena);
	}
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
	for (uint32_t k = 0; k < x->n_members; k++) {
		cr_assert_eq(c->at[x->member[k]].part_of, i);
		cr_assert_eq(c->at[x->member[k]].live, NONE);
		n += check_whole(c, x->member[k]);
	}
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
}

/* Few sizes and lifetimes. */
static void begin_alike(
	struct planning *f, struct compounds *c, uint64_t *state)
{
	mp_testing_begin(f, 30, 100);
	for (uint32_t i = 0; i < 30; i++) {
		uint32_t start = mp_testing_below(state, 2);
		uint64_t size = 1 + mp_testing_below(state, 2);

		add(&f->problem, (struct box){start, start + 1, 0, size});
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

/* Whatever is joined, broken and undone. */
Test(jigsaw, knows_all_compounds)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct planning f;
		struct compounds c;
		uint64_t state = seed;

		begin_alike(&f, &c, &state);
		for (int step = 0; step < 100; step++) {
			change(&c, &state);
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

Test(jigsaw, says_where_members_lie)
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
Test(jigsaw, lowers_the_plan_of_what_is_left)
{
	uint32_t n_joined = 0, n_least = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t state = seed, base[90], best[30];
		struct planning f;
		struct compounds c;
		struct job own;

		begin_pile(&f, &c, &state, base);
		make_job(&f);
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
Test(jigsaw, knows_the_compounds_of_each_part)
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

/* Cuts at any step and byte, of boxes that are few of each: most joins that fit
 * are chance. */
static void begin_chances(struct planning *f, uint64_t seed)
{
	static struct box boxes[1500];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = (struct box){0, 300, 0, 400};
	while (n < 1500) {
		struct box *b = &boxes[mp_testing_below(&state, n)];
		uint32_t width = b->end - b->start;
		uint64_t height = b->high - b->low;

		if (width * height < 40)
			continue;
		boxes[n] = *b;
		if (mp_testing_below(&state, 2) && width > 1)
			boxes[n].start = b->end =
				b->start + 1 +
				mp_testing_below(&state, width - 1);
		else if (height > 1)
			boxes[n].low = b->high =
				b->low + 1 +
				mp_testing_below(&state, (uint32_t)height - 1);
		else
			continue;
		n++;
	}
	mp_testing_begin(f, n, 300);
	while (n-- > 0)
		add(&f->problem, boxes[n]);
	make_job(f);
}

Test(jigsaw, puts_together_what_often_fits_by_chance)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct planning f;

		begin_chances(&f, seed);
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

/* A third of the cuts leave a pinwheel, and much else fits by chance. */
static void begin_pinwheels(struct planning *f, uint64_t seed)
{
	static struct box boxes[PINWHEEL_BOXES + 4];
	uint64_t state = seed;
	uint32_t n = 1;

	boxes[0] = (struct box){0, 1000, 0, 2000};
	while (n < PINWHEEL_BOXES) {
		uint32_t at = mp_testing_below(&state, n);

		for (int k = 0; k < 4; k++) {
			uint32_t i = mp_testing_below(&state, n);

			if (area_of(&boxes[i]) > area_of(&boxes[at]))
				at = i;
		}
		n += cut(&boxes[at], &boxes[n], &state);
	}
	mp_testing_begin(f, n, 1000);
	while (n-- > 0)
		add(&f->problem, boxes[n]);
	make_job(f);
}

Test(jigsaw, puts_pinwheels_together_first)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct planning f;

		begin_pinwheels(&f, seed);
		cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL,
			"seed %d: %d", (int)seed, (int)f.job.height);
		mp_arena_free(&f.arena);
	}
}

/* From a budget that is spent in halves to one that ends with copies. */
Test(jigsaw, repairs_the_same_with_any_number_of_threads)
{
	for (uint64_t steps = 20000; steps <= 500000; steps *= 5) {
		struct planning f[3];

		for (int i = 0; i < 3; i++) {
			struct threads threads;
			enum outcome outcome;

			begin_chances(&f[i], 1);
			atomic_init(&threads.idle, i);
			f[i].job.steps = steps;
			f[i].job.threads = &threads;
			outcome = mp_planner_jigsaw_run(&f[i].job, 0);
			cr_assert(steps < 500000 || outcome == PLAN_OPTIMAL);
			cr_assert_eq(f[i].job.spent, f[0].job.spent);
			cr_assert_arr_eq(f[i].job.best, f[0].job.best,
				sizeof(uint64_t) * f[0].problem.n_buffers);
		}
		for (int i = 0; i < 3; i++)
			mp_arena_free(&f[i].arena);
	}
}

/* Many boxes that fit nothing, which threads look at ahead; then a pinwheel,
 * and the others of one that it is the lowest of. */
static void add_pinwheels_behind(
	struct problem *p, uint32_t at, uint64_t *state)
{
	static const struct box boxes[] = {{0, 30, 0, 3}, {30, 40, 0, 7},
		{10, 40, 0, 3}, {0, 10, 0, 7}, {10, 30, 0, 4}, {40, 60, 0, 16},
		{20, 60, 0, 5}, {0, 20, 0, 11}, {20, 40, 0, 6}};

	for (uint32_t i = 0; i < VAIN; i++) {
		uint32_t start = at + mp_testing_below(state, 400);

		mp_testing_add(p, start,
			start + 1 + mp_testing_below(state, 99),
			1000 + mp_testing_below(state, HEIGHT));
	}
	for (uint32_t i = 0; i < countof(boxes); i++)
		mp_testing_add(p, at + boxes[i].start, at + boxes[i].end,
			boxes[i].high);
}

Test(jigsaw, looks_ahead_for_pinwheels)
{
	struct planning f[3];

	for (int i = 0; i < 3; i++) {
		struct threads threads;
		uint64_t state = 1;

		mp_testing_begin(&f[i], WHEELS * (VAIN + 9), 10000);
		for (uint32_t k = 0; k < WHEELS; k++)
			add_pinwheels_behind(&f[i].problem, 1000 * k, &state);
		cr_assert(mp_testing_end(&f[i], "jigsaw", 200000));
		atomic_init(&threads.idle, i);
		f[i].job.threads = &threads;
		cr_assert_neq(mp_planner_jigsaw_run(&f[i].job, 0), PLAN_FAILED);
		cr_assert_eq(f[i].job.spent, f[0].job.spent);
		cr_assert_arr_eq(f[i].job.best, f[0].job.best,
			sizeof(uint64_t) * f[0].problem.n_buffers);
	}
	for (int i = 0; i < 3; i++)
		mp_arena_free(&f[i].arena);
}

Test(jigsaw, fills_a_gap)
{
	struct planning f;

	mp_testing_begin(&f, 3, 20);
	add(&f.problem, (struct box){5, 12, 0, 2});
	add(&f.problem, (struct box){0, 20, 0, 7});
	add_gap(&f.problem, 5, 12);
	add(&f.problem, (struct box){5, 12, 0, 5});
	make_job(&f);
	cr_assert_eq(mp_planner_jigsaw_run(&f.job, 0), PLAN_OPTIMAL);
	cr_assert_eq(f.job.height, 7);
	mp_arena_free(&f.arena);
}

/* No two fit, and there is a plan. */
static void begin_unlike_boxes(struct planning *f)
{
	mp_testing_begin(f, BOXES, STEPS);
	for (uint32_t i = 0; i < BOXES; i++)
		add(&f->problem,
			(struct box){2 * i, 2 * i + 11 + i % 3, 0, i + 1});
	make_job(f);
	for (uint32_t i = 1; i < f->problem.n_buffers; i++)
		f->job.best[i] =
			f->job.best[i - 1] + f->problem.buffers[i - 1].size;
	f->job.height = mp_plan_height(&f->problem, f->job.best);
}

static void expect_early_end(mp_planner_run *run, enum outcome outcome)
{
	struct planning f;

	begin_unlike_boxes(&f);
	cr_assert_eq(run(&f.job, 0), outcome);
	cr_assert_leq(f.job.spent, 20 * BOXES);
	mp_arena_free(&f.arena);
}

Test(jigsaw, gives_up_where_nothing_fits)
{
	expect_early_end(mp_planner_jigsaw_run, PLAN_GAVE_UP);
}

/* The joins leave some boxes, which search can place. */
Test(joins, search_what_is_left)
{
	int solved = 0;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct planning f;

		begin_boxes(&f, seed, UINT32_MAX);
		f.job.steps = 1000000;
		solved += mp_planner_joins_run(&f.job, 0) == PLAN_OPTIMAL;
		mp_arena_free(&f.arena);
	}
	cr_assert_geq(solved, 3, "%d", solved);
}

Test(joins, give_up_where_nothing_fits)
{
	expect_early_end(mp_planner_joins_run, PLAN_FOUND);
}

Test(joins, stop_at_the_capacity)
{
	for (uint64_t capacity = HEIGHT; capacity <= HEIGHT + HEIGHT / 8;
		capacity += HEIGHT / 8) {
		struct planning f;

		begin_boxes(&f, 1, UINT32_MAX);
		f.job.capacity = capacity;
		f.job.steps = 1000000;
		cr_assert_eq(mp_planner_joins_run(&f.job, 0), PLAN_OPTIMAL);
		cr_assert_leq(f.job.height, capacity);
		mp_arena_free(&f.arena);
	}
}
