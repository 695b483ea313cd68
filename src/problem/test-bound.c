/*
 * Bounds from pins and alignment: never above what brute force finds, and above
 * the load where they should be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/bound.h"

#include <criterion/criterion.h>
#include <string.h>

#include "testing/random-problem.h"
#include "testing/random.h"

enum {
	PROBLEMS = 2000
};

/* How many bounds are of that kind. */
static uint32_t hold(enum bound_kind kind, const struct random_shape *shape)
{
	uint32_t beyond_load = 0;

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct problem problem;
		struct lower_bound bound;
		uint64_t least;
		bool exact;

		cr_assert(mp_testing_random_problem(
			seed, shape, &problem, &arena));
		least = mp_testing_brute_height(&problem, &exact, &arena);
		cr_assert(mp_problem_bound(&problem, &bound, &arena));
		/* Of stacks the least may be less, and never more. */
		cr_assert_leq(bound.bytes, least, "seed %llu: %llu > %llu",
			(unsigned long long)seed,
			(unsigned long long)bound.bytes,
			(unsigned long long)least);
		cr_assert_geq(bound.bytes, problem.theoretical_min);
		cr_assert_eq(bound.kind != BOUND_LOAD,
			bound.bytes > problem.theoretical_min);
		beyond_load += bound.kind == kind;
		mp_arena_free(&arena);
	}
	return beyond_load;
}

Test(bound, of_alignment_is_below_the_optimum)
{
	cr_assert_gt(hold(BOUND_PIN, &(struct random_shape){.buffers = 7,
					     .aligned = true,
					     .steps = 2,
					     .size = 3}),
		0);
}

/* Three bytes at multiples of four: 0, 4 and 8. */
Test(bound, of_alignment_counts_all_but_the_highest)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct part parts[3] = {{0}};
	struct buffer buffers[3] = {{0}};
	struct problem problem = {.name = "three",
		.alignment = 1,
		.n_buffers = 3,
		.n_parts = 3,
		.n_steps = 1,
		.n_streams = 1,
		.parts = parts,
		.buffers = buffers};
	struct lower_bound bound;

	for (uint32_t i = 0; i < 3; i++) {
		parts[i] = (struct part){0, 1, 0, 1, i};
		buffers[i] = (struct buffer){1, 4, NO_OFFSET, 0, 1, i, 1};
	}
	cr_assert(mp_problem_measure(&problem, &arena, &e));
	cr_assert(mp_problem_bound(&problem, &bound, &arena));
	cr_assert_eq(bound.bytes, 9);
	cr_assert_eq(bound.kind, BOUND_PIN);
	mp_arena_free(&arena);
}

Test(bound, of_pins_is_below_the_optimum)
{
	cr_assert_gt(hold(BOUND_PIN, &(struct random_shape){.buffers = 6,
					     .fixed = true,
					     .aligned = true}),
		PROBLEMS / 50);
}

Test(bound, of_branches_is_below_the_optimum)
{
	cr_assert_gt(hold(BOUND_CLIQUE, &(struct random_shape){.buffers = 6,
						.aligned = true,
						.choices = true,
						.apart = true}),
		PROBLEMS / 10);
}

/* Of parts of one size some have the same bytes: before a gap and behind it. */
Test(bound, of_gaps_is_below_the_optimum)
{
	cr_assert_gt(hold(BOUND_CLIQUE,
			     &(struct random_shape){
				     .buffers = 6, .parts = true, .size = 1}),
		PROBLEMS / 100);
}

enum {
	LARGER = 600 /* more than a search takes */
};

/* Three buffers with gaps: a and b meet at step 1, b and c at step 3, c and a
 * at step 5. Behind them so many larger ones with gaps, each alone; the last
 * one is of that size, which may be the peak. */
static void bound_pairs(uint32_t n_larger, uint64_t last)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct part parts[6 + 2 * LARGER] = {{0, 7, 1, 2, 0}, {0, 7, 5, 6, 0},
		{0, 8, 1, 2, 1}, {0, 8, 3, 4, 1}, {0, 9, 3, 4, 2},
		{0, 9, 5, 6, 2}};
	struct buffer buffers[3 + LARGER] = {{7, 1, NO_OFFSET, 1, 6, 0, 2},
		{8, 1, NO_OFFSET, 1, 4, 2, 2}, {9, 1, NO_OFFSET, 3, 6, 4, 2}};
	struct problem problem = {.name = "pairs",
		.alignment = 1,
		.n_buffers = 3 + n_larger,
		.n_parts = 6 + 2 * n_larger,
		.n_steps = 6 + 3 * n_larger,
		.n_streams = 1,
		.parts = parts,
		.buffers = buffers};
	struct lower_bound bound;

	for (uint32_t i = 3; i < problem.n_buffers; i++) {
		uint32_t at = 3 * i - 3;

		uint64_t size = i + 1 < problem.n_buffers ? 10 : last;

		buffers[i] = (struct buffer){
			size, 1, NO_OFFSET, at, at + 3, 2 * i, 2};
		parts[2 * i] = (struct part){0, size, at, at + 1, i};
		parts[2 * i + 1] = (struct part){0, size, at + 2, at + 3, i};
	}
	cr_assert(mp_problem_measure(&problem, &arena, &e));
	cr_assert_eq(problem.theoretical_min, num_max(last, 17));
	cr_assert(mp_problem_bound(&problem, &bound, &arena));
	cr_assert_eq(bound.bytes, 24);
	cr_assert_eq(bound.kind, BOUND_CLIQUE);
	cr_assert_eq(bound.clique.parts.n, 3);
	mp_arena_free(&arena);
}

Test(bound, of_buffers_that_meet_in_pairs)
{
	bound_pairs(0, 0);
	bound_pairs(LARGER, 10);
	bound_pairs(LARGER, 20);
}

static bool never_share(
	const struct problem *p, const struct buffer *a, const struct buffer *b)
{
	for (uint32_t i = a->first_part; i < a->first_part + a->n_parts; i++)
		for (uint32_t k = b->first_part; k < b->first_part + b->n_parts;
			k++)
			if (p->parts[i].start < p->parts[k].end &&
				p->parts[k].start < p->parts[i].end)
				return true;
	return false;
}

/* By the definition, of whole buffers. Returns their bytes. */
static uint64_t weigh(const struct problem *p, struct ids parts)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < parts.n; i++) {
		const struct buffer *a =
			&p->buffers[p->parts[parts.at[i]].buffer];

		for (uint32_t k = 0; k < i; k++)
			cr_assert(never_share(p, a,
				&p->buffers[p->parts[parts.at[k]].buffer]));
		bytes += a->size;
	}
	return bytes;
}

/* One is born every other step; half of their lives are gaps. */
static struct problem make_many(
	uint64_t seed, struct part *parts, struct buffer *buffers)
{
	struct problem p = {.name = "many",
		.alignment = 1,
		.n_buffers = LARGER,
		.n_parts = 2 * LARGER,
		.n_steps = 2 * LARGER + 80,
		.n_streams = 1,
		.parts = parts,
		.buffers = buffers};

	for (uint32_t i = 0; i < LARGER; i++) {
		uint64_t quarter = 1 + mp_testing_below(&seed, 20);
		uint64_t size = 1 + mp_testing_below(&seed, 100);
		uint32_t start = 2 * i, end = start + 4 * (uint32_t)quarter;

		buffers[i] = (struct buffer){
			size, 1, NO_OFFSET, start, end, 2 * i, 2};
		parts[2 * i] = (struct part){
			0, size, start, start + (uint32_t)quarter, i};
		parts[2 * i + 1] =
			(struct part){0, size, end - (uint32_t)quarter, end, i};
	}
	return p;
}

/* More parts than a search takes at once: the steps one after the other. */
Test(bound, of_very_many_buffers_that_meet_in_pairs)
{
	uint32_t above = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct part parts[2 * LARGER];
		struct buffer buffers[LARGER];
		struct problem problem = make_many(seed, parts, buffers);
		struct lower_bound bound;

		cr_assert(mp_problem_measure(&problem, &arena, &e));
		cr_assert(mp_problem_bound(&problem, &bound, &arena));
		if (bound.kind == BOUND_CLIQUE) {
			cr_assert_eq(weigh(&problem, bound.clique.parts),
				bound.bytes);
			above++;
		}
		mp_arena_free(&arena);
	}
	cr_assert_gt(above, 10, "%u", above);
}

Test(bound, of_streams_and_parts_is_the_load)
{
	hold(BOUND_PIN, &(struct random_shape){.buffers = 5,
				.aligned = true,
				.parts = true,
				.streams = 2});
}

/* Those of a stack that are aligned, as members of a group are. */
Test(bound, of_aligned_parts_is_below_the_optimum)
{
	cr_assert_gt(hold(BOUND_PIN, &(struct random_shape){.buffers = 5,
					     .aligned = true,
					     .parts = true,
					     .steps = 3,
					     .size = 3}),
		0);
}

enum {
	FEW = 9
};

/* Up to three lives, some of which touch. */
static void add_few(uint64_t *seed, struct problem *p, uint32_t i)
{
	struct buffer *b = &p->buffers[i];
	uint32_t n = 1 + (uint32_t)mp_testing_below(seed, 3), at;

	*b = (struct buffer){1 + mp_testing_below(seed, 100), 1, NO_OFFSET, 0,
		0, p->n_parts, n};
	at = b->start = (uint32_t)mp_testing_below(seed, 12);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t end = at + 1 + mp_testing_below(seed, 4);

		p->parts[p->n_parts++] = (struct part){0, b->size, at, end, i};
		b->end = end;
		at = end + (uint32_t)mp_testing_below(seed, 4);
	}
}

/* The same size and lives as the one before. */
static void add_twin(struct problem *p, uint32_t i)
{
	struct buffer *b = &p->buffers[i];

	*b = b[-1];
	b->first_part = p->n_parts;
	for (uint32_t k = 0; k < b->n_parts; k++) {
		p->parts[p->n_parts] = p->parts[b[-1].first_part + k];
		p->parts[p->n_parts++].buffer = i;
	}
}

/* Some pairs are apart. */
static void make_few(uint64_t seed, struct problem *p, bool *apart)
{
	p->n_parts = 0;
	for (uint32_t i = 0; i < FEW; i++) {
		if (i > 0 && mp_testing_one_in(&seed, 6))
			add_twin(p, i);
		else
			add_few(&seed, p, i);
		for (uint32_t k = 0; k < i; k++)
			apart[i * FEW + k] = apart[k * FEW + i] =
				mp_testing_below(&seed, 8) == 0;
	}
}

/* Can no two of a set share bytes? */
static bool is_clique(const struct problem *p, const bool *apart, uint32_t set)
{
	for (uint32_t i = 0; i < FEW; i++)
		for (uint32_t k = 0; k < i; k++)
			if (set >> i & set >> k & 1 && !apart[i * FEW + k] &&
				!never_share(p, &p->buffers[i], &p->buffers[k]))
				return false;
	return true;
}

static uint64_t weigh_heaviest(const struct problem *p, const bool *apart)
{
	uint64_t most = 0;

	for (uint32_t set = 0; set < 1u << FEW; set++) {
		uint64_t bytes = 0;

		for (uint32_t i = 0; i < FEW; i++)
			bytes += set >> i & 1 ? p->buffers[i].size : 0;
		if (bytes > most && is_clique(p, apart, set))
			most = bytes;
	}
	return most;
}

/* Of few buffers the bound is the heaviest clique. */
Test(bound, of_few_buffers_is_the_heaviest_set)
{
	uint32_t above = 0;

	for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct part parts[3 * FEW];
		struct buffer buffers[FEW];
		bool apart[FEW * FEW] = {false};
		uint32_t first[FEW + 1] = {0}, others[FEW * FEW];
		struct problem p = {.name = "few",
			.alignment = 1,
			.n_buffers = FEW,
			.n_steps = 40,
			.n_streams = 1,
			.parts = parts,
			.buffers = buffers};
		struct lower_bound bound;

		make_few(seed, &p, apart);
		for (uint32_t i = 0, n = 0; i < FEW; first[++i] = n)
			for (uint32_t k = 0; k < FEW; k++)
				if (apart[i * FEW + k])
					others[n++] = k;
		if (seed % 2 == 0) {
			p.first_apart = first;
			p.apart = others;
		} else {
			memset(apart, 0, sizeof(apart));
		}
		cr_assert(mp_problem_measure(&p, &arena, &e));
		cr_assert(mp_problem_bound(&p, &bound, &arena));
		cr_assert_eq(bound.bytes, weigh_heaviest(&p, apart),
			"seed %llu", (unsigned long long)seed);
		above += bound.kind == BOUND_CLIQUE;
		mp_arena_free(&arena);
	}
	cr_assert_gt(above, PROBLEMS / 20, "%u", above);
}
