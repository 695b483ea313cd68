/*
 * Overwrites against a look at every byte: which part holds it next after
 * which, with no part between them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/overwrites.h"

#include <criterion/criterion.h>

#include "testing/random-problem.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	PROBLEMS = 1500, /* of each shape */
	MOST = 40	 /* parts */
};

struct fixture {
	struct error error;
	struct arena arena;
	struct problem problem;
	uint64_t offsets[MOST];
	uint64_t low[MOST][MOST], bytes[MOST][MOST]; /* by brute force */
};

/* Is a surely over before b begins? Not asked of the problem's own helpers. */
static bool over(const struct problem *p, uint32_t a, uint32_t b)
{
	if (p->n_streams <= 1)
		return p->parts[a].end <= p->parts[b].start;
	return p->born[b] >= p->free[a * p->n_streams + p->stream[b]];
}

static bool holds(const struct fixture *f, uint32_t part, uint64_t byte)
{
	const struct part *p = &f->problem.parts[part];
	uint64_t low = f->offsets[p->buffer] + p->base;

	return low <= byte && byte < low + p->size;
}

enum {
	MOST_BRANCHES = 4, /* of a choice, and choices: no more are asked for */
	WAYS = MOST_BRANCHES * MOST_BRANCHES
};

/* Of two choices, the branch that the lower or the upper half of way names. */
static bool runs(const struct problem *p, uint32_t part, uint32_t way)
{
	uint32_t buffer = p->parts[part].buffer;

	if (!p->choice || p->choice[buffer] == NONE)
		return true;
	cr_assert(p->choice[buffer] < 2 && p->branch[buffer] < MOST_BRANCHES);
	return p->branch[buffer] ==
	       (p->choice[buffer] ? way / MOST_BRANCHES : way % MOST_BRANCHES);
}

static bool is_between(const struct fixture *f, uint32_t way, uint32_t a,
	uint32_t b, uint64_t byte)
{
	for (uint32_t c = 0; c < f->problem.n_parts; c++)
		if (c != a && c != b && holds(f, c, byte) &&
			runs(&f->problem, c, way) && over(&f->problem, a, c) &&
			over(&f->problem, c, b))
			return true;
	return false;
}

static void scan_pair(struct fixture *f, uint32_t way, uint32_t a, uint32_t b,
	uint64_t height)
{
	const struct problem *p = &f->problem;
	uint64_t n = 0;

	if (p->parts[a].buffer == p->parts[b].buffer || !over(p, a, b) ||
		!runs(p, a, way) || !runs(p, b, way))
		return;
	for (uint64_t byte = 0; byte < height; byte++) {
		if (!holds(f, a, byte) || !holds(f, b, byte) ||
			is_between(f, way, a, b, byte))
			continue;
		if (f->bytes[a][b] == 0 || byte < f->low[a][b])
			f->low[a][b] = byte;
		n++;
		f->bytes[a][b] = num_max(f->bytes[a][b], n);
	}
}

static uint32_t scan(struct fixture *f)
{
	uint64_t height = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->problem.n_buffers; i++)
		height = num_max(
			height, f->offsets[i] + f->problem.buffers[i].size);
	for (uint32_t way = 0; way < (f->problem.choice ? WAYS : 1); way++)
		for (uint32_t a = 0; a < f->problem.n_parts; a++)
			for (uint32_t b = 0; b < f->problem.n_parts; b++)
				scan_pair(f, way, a, b, height);
	for (uint32_t a = 0; a < f->problem.n_parts; a++)
		for (uint32_t b = 0; b < f->problem.n_parts; b++)
			n += f->bytes[a][b] > 0;
	return n;
}

static bool meet(const struct fixture *f, uint32_t a, uint32_t b)
{
	const struct part *x = &f->problem.parts[a], *y = &f->problem.parts[b];
	uint64_t low = f->offsets[x->buffer] + x->base;
	uint64_t other = f->offsets[y->buffer] + y->base;

	return x->buffer != y->buffer &&
	       mp_problem_conflict(&f->problem, a, b) &&
	       low < other + y->size && other < low + x->size;
}

static bool is_free(const struct fixture *f, uint32_t buffer)
{
	const struct buffer *b = &f->problem.buffers[buffer];

	for (uint32_t i = 0; i < b->n_parts; i++)
		for (uint32_t k = 0; k < f->problem.n_parts; k++)
			if (f->offsets[f->problem.parts[k].buffer] !=
					NO_OFFSET &&
				meet(f, b->first_part + i, k))
				return false;
	return true;
}

/* Low places, at random: many buffers share bytes. */
static void place(struct fixture *f, uint64_t seed)
{
	const struct problem *p = &f->problem;
	uint64_t reach = 4, state = seed;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		f->offsets[i] = p->buffers[i].offset;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (p->buffers[i].offset != NO_OFFSET)
			continue;
		do
			f->offsets[i] = p->buffers[i].align *
					(mp_testing_below(&state, reach++) / 2);
		while (!is_free(f, i));
	}
	cr_assert(mp_verify(p, f->offsets, MEMPLAN_NO, &f->arena, &f->error));
}

static uint32_t compare(uint64_t seed, const struct random_shape *shape)
{
	static struct fixture f;
	struct overwrites found;
	uint32_t n, counted;

	f = (struct fixture){.arena.error = NULL};
	f.arena.error = &f.error;
	cr_assert(mp_testing_random_problem(seed, shape, &f.problem, &f.arena));
	place(&f, seed);
	n = scan(&f);
	cr_assert(mp_problem_overwrites_find(
		&f.problem, f.offsets, &found, &f.arena));
	cr_assert(mp_problem_overwrites_count(
		&f.problem, f.offsets, &counted, &f.arena));
	cr_assert_eq(found.n, n, "seed %llu: %u, not %u",
		(unsigned long long)seed, found.n, n);
	cr_assert_eq(counted, n);
	for (uint32_t i = 0; i < found.n; i++) {
		const struct overwrite *o = &found.at[i];

		cr_assert_eq(o->bytes, f.bytes[o->old][o->next]);
		cr_assert_eq(o->low, f.low[o->old][o->next]);
		f.bytes[o->old][o->next] = 0; /* each once */
	}
	mp_arena_free(&f.arena);
	return n;
}

static void hold(const struct random_shape *shape)
{
	uint32_t n = 0;

	for (uint64_t seed = 0; seed < PROBLEMS; seed++)
		n += compare(seed, shape);
	cr_assert_gt(n, PROBLEMS / 8);
}

Test(overwrites, are_those_of_every_byte)
{
	hold(&(struct random_shape){.buffers = 12, .steps = 12});
}

Test(overwrites, of_stacks_of_parts)
{
	hold(&(struct random_shape){.buffers = 10,
		.parts = true,
		.fixed = true,
		.aligned = true,
		.steps = 12});
}

Test(overwrites, across_streams)
{
	hold(&(struct random_shape){.buffers = 11, .streams = 3, .steps = 16});
	hold(&(struct random_shape){
		.buffers = 4, .streams = 2, .steps = 16, .parts = true});
}

/* What comes behind both branches overwrites both, or either. */
Test(overwrites, of_branches)
{
	hold(&(struct random_shape){
		.buffers = 10, .choices = true, .steps = 12});
	hold(&(struct random_shape){
		.buffers = 8, .choices = true, .streams = 2, .steps = 12});
}

/* Two parts of one buffer follow each other: neither overwrites the other, but
 * a part between them makes two overwrites. */
Test(overwrites, within_a_buffer_do_not_count)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	struct part parts[] = {
		{0, 8, 0, 2, 0}, {0, 8, 6, 8, 0}, {0, 4, 3, 5, 1}};
	struct buffer buffers[] = {
		{8, 1, NO_OFFSET, 0, 8, 0, 2}, {4, 1, NO_OFFSET, 3, 5, 2, 1}};
	struct problem p = {.name = "gap",
		.alignment = 1,
		.n_buffers = 2,
		.n_parts = 3,
		.n_steps = 8,
		.n_streams = 1,
		.buffers = buffers,
		.parts = parts};
	uint64_t offsets[] = {16, 18};
	struct overwrites found;

	cr_assert(mp_problem_overwrites_find(&p, offsets, &found, &arena));
	cr_assert_eq(found.n, 2);
	cr_assert_eq(found.at[0].old, 0);
	cr_assert_eq(found.at[0].next, 2);
	cr_assert_eq(found.at[0].low, 18);
	cr_assert_eq(found.at[0].bytes, 4);
	cr_assert_eq(found.at[1].old, 2);
	cr_assert_eq(found.at[1].next, 1);
	p.n_parts = p.n_buffers = 0;
	cr_assert(mp_problem_overwrites_find(&p, offsets, &found, &arena));
	cr_assert_eq(found.n, 0);
	mp_arena_free(&arena);
}
