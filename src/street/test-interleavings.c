/*
 * Plans of random graphs on several streams, at every moment of every
 * interleaving.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "planners/planner.h"
#include "testing/random-streams.h"
#include "verify/verify.h"

enum {
	GRAPHS = 2000,
};

static bool overlap(
	const struct crowd *f, const uint64_t *offsets, uint32_t a, uint32_t b)
{
	uint32_t x = f->schedule->stay[a].buffer,
		 y = f->schedule->stay[b].buffer;

	return x != y && offsets[x] < offsets[y] + f->tensors[b].size &&
	       offsets[y] < offsets[x] + f->tensors[a].size;
}

/* When some ops are done and all of the others that have begun are running: is
 * the tensor's content needed? */
static bool is_needed(
	const struct crowd *f, uint32_t t, uint32_t done, uint32_t begun)
{
	bool later = f->tensors[t].kind == KIND_OUTPUT;

	if (!(begun >> f->tensors[t].producer & 1))
		return false;
	for (uint32_t k = 0; k < f->graph.n_ops; k++)
		later |= mp_testing_streams_uses(f, k, t) && !(done >> k & 1);
	return later;
}

static bool is_clean(const struct crowd *f, const uint64_t *offsets,
	uint32_t done, uint32_t begun)
{
	for (uint32_t a = 0; a < f->graph.n_tensors; a++)
		for (uint32_t b = 0; b < a; b++)
			if (is_needed(f, a, done, begun) &&
				is_needed(f, b, done, begun) &&
				overlap(f, offsets, a, b))
				return false;
	return true;
}

/* The ops that may run next: at most one of a stream. */
static uint32_t list_next(const struct crowd *f, uint32_t done)
{
	uint32_t next = ((1u << f->graph.n_ops) - 1) & ~done;

	for (uint32_t op = 0; op < f->graph.n_ops; op++)
		for (uint32_t a = 0; a < f->graph.n_ops; a++)
			if (f->before[a][op] && !(done >> a & 1))
				next &= ~(1u << op);
	return next;
}

/* At every set of ops that may be done, all that may run next do so at once:
 * whatever is needed at a moment of any interleaving is needed at one of these.
 * Returns how many there are, or 0 if two tensors overlap at one. */
static uint32_t check_moments(const struct crowd *f, const uint64_t *offsets)
{
	bool reached[1 << MOST_OPS] = {true};
	uint32_t moments = 0;

	for (uint32_t done = 0; done < 1u << f->graph.n_ops; done++) {
		uint32_t next = list_next(f, done);

		if (!reached[done])
			continue;
		for (uint32_t op = 0; op < f->graph.n_ops; op++)
			reached[done | (next & 1u << op)] = true;
		if (!is_clean(f, offsets, done, done | next))
			return 0;
		moments++;
	}
	return moments;
}

static void plan(struct crowd *f, struct job *job)
{
	const struct planner *row = mp_planner_find("auto");

	*job = (struct job){.problem = &f->problem,
		.capacity = UINT64_MAX,
		.steps = 20000,
		.threads = 1,
		.arena = &f->arena,
		.error = &f->error,
		.verify = mp_verify,
		.height = UINT64_MAX,
		.lower_bound = f->problem.theoretical_min,
		.running = row->name,
		.best = NEW(&f->arena, uint64_t, f->problem.n_buffers)};
	cr_assert_neq(
		row->run(job, row->variant), PLAN_FAILED, "%s", f->error.text);
}

Test(streams, plans_hold_in_every_interleaving)
{
	uint32_t moments, optimal = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct crowd f;
		struct job job;

		mp_testing_streams_begin(&f, seed, seed % 2);
		plan(&f, &job);
		moments = check_moments(&f, job.best);
		cr_assert_gt(moments, 0, "seed %llu", (unsigned long long)seed);
		optimal += job.height == f.problem.theoretical_min;
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(optimal, GRAPHS / 2, "%u", optimal);
}

/* All at offset 0 must be caught, by the walk above and by the verifier, just
 * where two tensors may be alive at one moment: or they prove nothing. */
Test(streams, a_wrong_plan_is_caught)
{
	struct crowd f;
	struct arena_mark mark;
	uint32_t caught = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t offsets[MOST_TENSORS] = {0};
		struct error verdict = {0};
		bool overlaps = false;

		mp_testing_streams_begin(&f, seed, false);
		mark = mp_arena_mark(&f.arena);
		for (uint32_t a = 0; a < f.graph.n_tensors; a++)
			for (uint32_t b = 0; b < a; b++)
				overlaps |=
					mp_testing_streams_conflict(&f, a, b);
		cr_assert_eq(mp_verify(&f.problem, offsets, MEMPLAN_NO,
				     &f.arena, &verdict),
			!overlaps);
		cr_assert_eq(check_moments(&f, offsets) == 0, overlaps);
		caught += overlaps;
		mp_arena_rewind(&f.arena, mark);
		mp_arena_free(&f.arena);
	}
	cr_assert_gt(caught, 100);
}
