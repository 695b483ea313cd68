/*
 * Random graphs on several streams, against brute force: who happens before
 * whom by transitive closure, the heaviest crowd by trying all sets.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "testing/random-streams.h"

enum {
	GRAPHS = 2000,
};

static uint64_t heaviest_crowd(const struct crowd *f)
{
	uint32_t n = f->graph.n_tensors;
	uint64_t best = 0;

	for (uint32_t set = 1; set < 1u << n; set++) {
		uint64_t weight = 0;
		bool crowd = true;

		for (uint32_t a = 0; a < n && crowd; a++) {
			if (!(set >> a & 1))
				continue;
			weight += f->tensors[a].size;
			for (uint32_t b = 0; b < a && crowd; b++)
				crowd = !(set >> b & 1) ||
					mp_testing_streams_conflict(f, a, b);
		}
		if (crowd && weight > best)
			best = weight;
	}
	return best;
}

Test(streams, conflict_as_the_closure_says)
{
	uint32_t conflicts = 0, pairs = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct crowd f;

		mp_testing_streams_begin(&f, seed, false);
		for (uint32_t a = 0; mp_testing_streams_is_spread(&f) &&
				     a < f.graph.n_tensors;
			a++)
			for (uint32_t b = 0; b < a; b++) {
				uint32_t x = f.schedule->stay[a].buffer;
				uint32_t y = f.schedule->stay[b].buffer;

				pairs++;
				conflicts +=
					mp_testing_streams_conflict(&f, a, b);
				cr_assert_eq(
					mp_problem_conflict(&f.problem, x, y),
					mp_testing_streams_conflict(&f, a, b),
					"seed %llu: %u %u",
					(unsigned long long)seed, a, b);
			}
		mp_arena_free(&f.arena);
	}
	cr_assert(conflicts > pairs / 10 && conflicts < pairs - pairs / 10);
}

Test(streams, crowd_is_the_heaviest)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct crowd f;
		uint64_t weight = 0;

		mp_testing_streams_begin(&f, seed, false);
		cr_assert_geq(f.problem.theoretical_min, f.problem.listed_min);
		for (uint32_t i = 0; i < f.problem.n_crowd; i++)
			weight += f.problem.parts[f.problem.crowd[i]].size;
		for (uint32_t i = 0; i < f.problem.n_crowd; i++)
			for (uint32_t k = 0; k < i; k++)
				cr_assert(mp_problem_conflict(&f.problem,
					f.problem.crowd[i],
					f.problem.crowd[k]));
		if (mp_testing_streams_is_spread(&f)) {
			cr_assert_eq(f.problem.theoretical_min,
				heaviest_crowd(&f), "seed %llu",
				(unsigned long long)seed);
			cr_assert_eq(weight, f.problem.theoretical_min);
		}
		mp_arena_free(&f.arena);
	}
}

/* ------------------------------------------------------- neighbours */

enum {
	PARTS = 11,
	HOLDERS = 8,
};

static void fill_parts(const struct streams *streams, struct holder *at,
	uint32_t n, struct problem *p, struct arena *arena)
{
	struct holders holders = {at, n};

	*p = (struct problem){.n_parts = PARTS};
	p->parts = NEW(arena, struct part, PARTS);
	p->buffers = NEW(arena, struct buffer, 1);
	cr_assert(mp_lifetime_streams_fill(streams, &holders, p, arena));
}

/* The one holder's producer that comes before all others', or NONE. */
static uint32_t first_birth(const struct crowd *f, const struct holder *holders,
	uint32_t n, uint32_t part)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t op = f->tensors[holders[i].tensor].producer;
		bool first = holders[i].part == part;

		for (uint32_t k = 0; k < n && first; k++) {
			uint32_t other = f->tensors[holders[k].tensor].producer;

			first = holders[k].part != part || other == op ||
				f->before[op][other];
		}
		if (first)
			return op;
	}
	return NONE;
}

/* Who holds many parts holds each of them. */
static void expect_each(struct crowd *f, const struct streams *streams)
{
	struct holder many[HOLDERS], each[HOLDERS * PARTS];
	struct problem wanted, got;
	uint32_t n = 0;

	for (uint32_t i = 0; i < HOLDERS; i++) {
		uint32_t part = mp_testing_streams_below(f, PARTS);

		many[i] = (struct holder){part,
			1 + mp_testing_streams_below(f, PARTS - part),
			mp_testing_streams_below(f, f->graph.n_tensors)};
		for (uint32_t k = 0; k < many[i].n; k++)
			each[n++] =
				(struct holder){part + k, 1, many[i].tensor};
	}
	fill_parts(streams, each, n, &wanted, &f->arena);
	fill_parts(streams, many, HOLDERS, &got, &f->arena);
	for (uint32_t i = 0; i < PARTS; i++) {
		uint32_t op = first_birth(f, each, n, i);

		cr_assert_eq(got.born[i], wanted.born[i]);
		cr_assert_eq(got.stream[i], wanted.stream[i]);
		cr_assert_eq(
			got.born[i], op == NONE ? 0 : streams->position[op]);
		for (uint32_t k = 0; k < streams->n; k++)
			cr_assert_eq(got.free[i * streams->n + k],
				wanted.free[i * streams->n + k]);
	}
}

Test(streams, neighbours_are_held_each)
{
	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct crowd f;
		struct streams streams;

		mp_testing_streams_begin(&f, seed, false);
		if (mp_testing_streams_is_spread(&f)) {
			struct schedule schedule = {
				.graph = &f.graph, .order = f.order};

			cr_assert(mp_lifetime_streams_init(
				&streams, &schedule, &f.arena, &f.arena));
			expect_each(&f, &streams);
		}
		mp_arena_free(&f.arena);
	}
}

/* It is written before the first op, and so is a state that is read later. */
Test(streams, an_input_that_nobody_reads_is_there_at_the_first_step)
{
	struct lifetime_options options = {.inplace = false};
	uint32_t order[] = {0, 1}, input, state;
	struct crowd f = {.arena = {.error = &f.error}};

	f.graph = (struct graph){.name = "unread",
		.place = "unread",
		.alignment = 1,
		.n_ops = 2,
		.ops = f.ops,
		.tensors = f.tensors};
	for (uint32_t i = 0; i < 2; i++) {
		f.ops[i] = (struct op){.name = "op", .stream = i};
		mp_testing_streams_add(&f, i, CROWD_OUTPUTS,
			mp_testing_streams_tensor(&f, KIND_ACTIVATION));
	}
	input = mp_testing_streams_tensor(&f, KIND_INPUT);
	state = mp_testing_streams_tensor(&f, KIND_STATE);
	mp_testing_streams_add(&f, 1, CROWD_INPUTS, state);
	cr_assert(mp_graph_link(&f.graph, &f.arena, &f.error));
	f.schedule = mp_lifetime(&f.graph, order, &options, &f.arena, &f.error);
	cr_assert(f.schedule);
	f.problem = f.schedule->problem;
	cr_assert_eq(f.problem.n_streams, 2);
	cr_assert(
		mp_problem_conflict(&f.problem, f.schedule->stay[input].buffer,
			f.schedule->stay[state].buffer));
	cr_assert(mp_problem_conflict(&f.problem,
		f.schedule->stay[input].buffer, f.schedule->stay[0].buffer));
	mp_arena_free(&f.arena);
}
