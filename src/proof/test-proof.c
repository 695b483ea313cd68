/*
 * Proofs of random problems: each is replayed, holds against brute force, and
 * says the arena's size where the plan is called optimal. No proof with a line
 * or a number of its body changed says more than is true.
 *
 * SPDX-License-Identifier: MIT
 */
#include "proof/proof.h"

#include <criterion/criterion.h>
#include <string.h>

#include "problem/bound.h"
#include "proof/inside.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/random.h"
#include "testing/ring.h"

static const struct random_shape shapes[] = {
	{.buffers = 7},
	{.buffers = 7, .aligned = true, .size = 6},
	{.buffers = 5, .parts = true, .aligned = true},
	{.buffers = 7, .gaps = true, .aligned = true, .steps = 12},
	{.buffers = 6, .fixed = true, .aligned = true},
	{.buffers = 6, .streams = 3, .steps = 10},
	{.buffers = 6,
		.streams = 3,
		.steps = 6,
		.aligned = true,
		.fixed = true},
	{.buffers = 6, .apart = true},
	{.buffers = 6, .choices = true, .aligned = true},
	{.buffers = 7, .choices = true, .nested = true, .aligned = true},
};

struct trial {
	struct arena arena;
	struct error error;
	struct problem problem;
	struct job job;
	struct plan plan;
	struct sink proof;
	uint64_t least; /* by brute force */
};

static void plan_it(struct trial *t, uint64_t seed, uint32_t shape)
{
	struct lower_bound bound;

	memset(t, 0, sizeof(*t));
	t->arena.error = t->proof.error = &t->error;
	cr_assert(mp_testing_random_problem(
		seed, &shapes[shape], &t->problem, &t->arena));
	if (mp_problem_is_given(&t->problem))
		t->problem.buffers[0].offset = NO_OFFSET;
	t->least =
		mp_testing_brute_height(&t->problem, &(bool){false}, &t->arena);
	if (t->problem.n_streams > 1)
		cr_assert(mp_problem_antichain(&t->problem, &t->arena));
	t->job = mp_testing_job(&t->problem, 20000, &t->arena);
	cr_assert(mp_problem_bound(&t->problem, &bound, &t->arena));
	t->job.lower_bound = bound.bytes;
	t->job.bound_kind = bound.kind;
	cr_assert_neq(mp_testing_plan(&t->job, "auto"), PLAN_FAILED);
	t->plan = (struct plan){.problem = &t->problem,
		.offsets = t->job.best,
		.arena_size = t->job.height,
		.lower_bound = num_min(t->job.lower_bound, t->job.height)};
	mp_proof_write(&t->plan, &t->proof, &t->arena);
	mp_sink_write(&t->proof, "", 1);
	cr_assert_eq(t->error.code, MEMPLAN_OK, "%s", t->error.text);
}

/* The bound that a text proves of the trial's problem; 0: none. */
static uint64_t proved_by(struct trial *t, const char *text)
{
	uint64_t bound = 0;

	t->error = (struct error){0};
	if (!mp_proof_check(&t->problem, NULL, "net.proof", text, strlen(text),
		    &bound, &t->arena)) {
		cr_assert(t->error.code == MEMPLAN_NO ||
				  t->error.code == MEMPLAN_EINPUT,
			"%s", t->error.text);
		return 0;
	}
	return bound;
}

static void end_trial(struct trial *t)
{
	mp_sink_free(&t->proof);
	mp_arena_free(&t->arena);
}

Test(proof, of_random_problems)
{
	uint64_t n = mp_testing_cases(60, 1), searched = 0;

	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < n; seed++) {
			struct trial t;
			uint64_t bound;

			plan_it(&t, seed, shape);
			bound = proved_by(&t, t.proof.bytes);
			cr_assert_leq(bound, t.least, "%u/%llu", shape,
				(unsigned long long)seed);
			if (t.plan.arena_size == t.plan.lower_bound)
				cr_assert_eq(bound, t.plan.arena_size,
					"%u/%llu: %s", shape,
					(unsigned long long)seed,
					t.proof.bytes);
			searched += t.job.bound_kind == BOUND_SEARCH;
			end_trial(&t);
		}
	cr_assert_gt(searched, 0);
}

static uint64_t derived(struct trial *t, uint64_t claim)
{
	uint64_t bound = 1;

	cr_assert(
		mp_proof_derive(&t->problem, NULL, &claim, &bound, &t->arena));
	return bound;
}

/* A bound that a search has proved is derived, and nothing that is more. */
Test(proof, derives_what_is_true)
{
	uint64_t n = mp_testing_cases(60, 1), searched = 0;

	for (uint32_t shape = 0; shape < countof(shapes); shape++)
		for (uint64_t seed = 0; seed < n; seed++) {
			struct trial t;

			plan_it(&t, seed, shape);
			if (t.plan.arena_size > 0 &&
				t.plan.arena_size == t.plan.lower_bound)
				cr_assert_eq(derived(&t, t.plan.arena_size),
					t.plan.arena_size, "%u/%llu", shape,
					(unsigned long long)seed);
			cr_assert_eq(derived(&t, t.least + 1), 0, "%u/%llu",
				shape, (unsigned long long)seed);
			cr_assert_eq(derived(&t, 0), 0);
			searched += t.job.bound_kind == BOUND_SEARCH;
			end_trial(&t);
		}
	cr_assert_gt(searched, 0);
}

/* A text without one of its lines. */
static bool drop_line(const char *text, uint32_t line, char *to)
{
	const char *at = text, *end;

	while (line-- > 0)
		if (!(at = strchr(at, '\n')) || *++at == '\0')
			return false;
	end = strchr(at, '\n') + 1;
	memcpy(to, text, (size_t)(at - text));
	strcpy(to + (at - text), end);
	return true;
}

static bool share_step(const struct problem *p, struct ids pile)
{
	uint64_t start = 0, end = UINT64_MAX;

	for (uint32_t i = 0; i < pile.n; i++) {
		start = num_max(start, p->parts[pile.at[i]].start);
		end = num_min(end, p->parts[pile.at[i]].end);
	}
	return start < end;
}

/* The height of the least plan by brute force, which no pile exceeds, and a
 * pile that does not fit a byte below, if there is one. */
static uint64_t least_and_pile(const struct problem *p, uint32_t *parts,
	uint32_t *n, struct arena *arena)
{
	bool exact;
	uint64_t least = mp_testing_brute_height(p, &exact, arena);

	cr_assert(exact);
	cr_assert(mp_proof_pile(p, least, UINT64_MAX, parts, n, arena));
	cr_assert_eq(*n, 0);
	cr_assert(mp_proof_pile(p, least - 1, UINT64_MAX, parts, n, arena));
	return least;
}

/* Three buffers that meet in pairs, at three steps, lie in one pile. */
Test(proof, by_piles_of_cliques)
{
	static const struct random_shape shape = {
		.buffers = 7, .gaps = true, .aligned = true, .steps = 12};
	uint32_t cliques = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		uint32_t parts[PROOF_MOST_PILE], n;
		struct problem p;

		cr_assert(mp_testing_random_problem(seed, &shape, &p, &arena));
		least_and_pile(&p, parts, &n, &arena);
		cliques += n > 0 && !share_step(&p, (struct ids){parts, n});
		mp_arena_free(&arena);
	}
	cr_assert_gt(cliques, 0);
}

/* Of 1,000 random problems, how many have a pile above their load? Where all
 * are to be shown by one, each must have one. */
static uint32_t count_piles(const struct random_shape *shape, bool all)
{
	uint32_t above_load = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		struct error error = {0};
		struct arena arena = {.error = &error};
		uint32_t parts[PROOF_MOST_PILE], n;
		struct problem p;
		uint64_t least;

		cr_assert(mp_testing_random_problem(seed, shape, &p, &arena));
		if (mp_problem_is_plan(&p))
			p.buffers[0].offset = NO_OFFSET;
		if (p.n_streams > 1)
			cr_assert(mp_problem_antichain(&p, &arena));
		least = least_and_pile(&p, parts, &n, &arena);
		cr_assert(!all || n > 0, "%llu", (unsigned long long)seed);
		above_load += least > p.theoretical_min && n > 0;
		mp_arena_free(&arena);
	}
	return above_load;
}

/* Where all buffers meet at one step, some at fixed offsets, a pile is as high
 * as the least plan. */
Test(proof, by_piles_about_fixed_buffers)
{
	static const struct random_shape shape = {
		.buffers = 7, .steps = 1, .aligned = true, .fixed = true};

	cr_assert_gt(count_piles(&shape, true), 0);
}

/* On several streams what may be alive together lies in one pile. */
Test(proof, by_piles_on_streams)
{
	static const struct random_shape shape = {.buffers = 6,
		.streams = 3,
		.steps = 6,
		.aligned = true,
		.fixed = true};

	cr_assert_gt(count_piles(&shape, false), 0);
}

Test(proof, without_any_line)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++) {
		struct trial t;
		char changed[1 << 16];

		plan_it(&t, 7, shape);
		cr_assert_lt(t.proof.length, sizeof(changed));
		for (uint32_t i = 0; drop_line(t.proof.bytes, i, changed); i++)
			cr_assert_eq(proved_by(&t, changed), 0, "%u: line %u",
				shape, i);
		end_trial(&t);
	}
}

/* The body's numbers, one after the other, one greater. */
Test(proof, with_other_numbers)
{
	for (uint32_t shape = 0; shape < countof(shapes); shape++) {
		struct trial t;
		char changed[1 << 16], *bound, *at;

		plan_it(&t, 3, shape);
		cr_assert_lt(t.proof.length, sizeof(changed));
		memcpy(changed, t.proof.bytes, t.proof.length);
		bound = strstr(changed, "\nbound ");
		for (at = bound; *at != '\0'; at++) {
			if (*at < '0' || *at > '8')
				continue;
			++*at;
			cr_assert_leq(proved_by(&t, changed), t.least);
			--*at;
		}
		end_trial(&t);
	}
}

/* What is wrong whatever the problem is. */
Test(proof, with_an_odd_body)
{
	static const char *const bodies[] = {"bound 0\nparts 3\nend\n",
		"bound 0\nparts 0\nend\n", "bound 0\nparts\nend\n",
		"bound 0\nrefute\nend\n", "bound 0\npile\nend\n",
		"bound -1\nparts 1\nend\n"};
	struct trial t;
	char *body;

	plan_it(&t, 1, 0);
	body = strstr(t.proof.bytes, "bound ");
	for (uint32_t i = 0; i < countof(bodies); i++) {
		strcpy(body, bodies[i]);
		cr_assert_eq(proved_by(&t, t.proof.bytes), 0);
		cr_assert(
			!strstr(t.error.text, "too large"), "%s", t.error.text);
		cr_assert_neq(t.error.code, MEMPLAN_OK);
	}
	end_trial(&t);
}

Test(proof, of_another_problem)
{
	struct trial a, b;

	plan_it(&a, 1, 0);
	plan_it(&b, 2, 0);
	cr_assert_eq(proved_by(&a, b.proof.bytes), 0);
	cr_assert_eq(a.error.code, MEMPLAN_NO);
	cr_assert_eq(proved_by(&a, "memplan.proof 2\n"), 0);
	cr_assert_eq(a.error.code, MEMPLAN_EINPUT);
	end_trial(&a);
	end_trial(&b);
}

/* Of a problem that is too large to be refuted at once. */
Test(proof, by_the_fullest_window)
{
	struct planning f;
	struct refutation refutation;
	bool refuted;

	mp_testing_ring(&f, 2000, 31 << 20);
	for (uint64_t i = 0; i < 2; i++) {
		cr_assert(mp_proof_windows(&f.problem,
			(RING_LOAD + 1) * RING_SIZE - 1 + i, 20000000,
			&refutation, &refuted, &f.arena));
		cr_assert_eq(refuted, i == 0);
	}
	mp_arena_free(&f.arena);
	mp_testing_ring(&f, 2000, 0);
	cr_assert(mp_proof_windows(&f.problem, RING_LOAD * RING_SIZE + 2,
		20000000, &refutation, &refuted, &f.arena));
	cr_assert(!refuted);
	mp_arena_free(&f.arena);
}

/* Windows of eight sections and more, of problems of every kind. */
Test(proof, windows_refute_nothing_that_is_possible)
{
	static const struct random_shape wide[] = {
		{.buffers = 9, .steps = 20, .size = 6},
		{.buffers = 9, .steps = 20, .aligned = true},
		{.buffers = 7, .steps = 20, .gaps = true, .aligned = true},
		{.buffers = 6, .steps = 20, .parts = true, .alignment = 64},
		{.buffers = 7, .steps = 20, .gaps = true, .fixed = true},
		{.buffers = 7, .steps = 20, .gaps = true, .apart = true},
		{.buffers = 7, .steps = 20, .gaps = true, .choices = true},
	};
	uint64_t n = mp_testing_cases(40, 1), refuted = 0;

	for (uint32_t shape = 0; shape < countof(wide); shape++)
		for (uint64_t seed = 0; seed < n; seed++) {
			struct error error = {.code = MEMPLAN_OK};
			struct arena arena = {.error = &error};
			struct problem problem;
			struct refutation refutation;
			uint64_t least;
			bool is;

			cr_assert(mp_testing_random_problem(
				seed, &wide[shape], &problem, &arena));
			least = mp_testing_brute_height(
				&problem, &(bool){false}, &arena);
			cr_assert(mp_proof_windows(&problem, least, 100000,
				&refutation, &is, &arena));
			cr_assert_not(
				is, "%u/%llu", shape, (unsigned long long)seed);
			cr_assert(mp_proof_windows(&problem, least - 1, 100000,
				&refutation, &is, &arena));
			refuted += is;
			mp_arena_free(&arena);
		}
	cr_assert_gt(refuted, 0);
}

/* A plan of a ring that takes more than it claims to need: its buffers lie one
 * above the other. */
static void plan_ring(struct trial *t, uint64_t claim)
{
	struct planning f;
	uint64_t *offsets, at = 0;

	mp_testing_ring(&f, 2000, 31 << 20);
	memset(t, 0, sizeof(*t));
	t->error = *f.arena.error;
	t->arena = f.arena;
	t->arena.error = t->proof.error = &t->error;
	t->problem = f.problem;
	offsets = NEW(&t->arena, uint64_t, t->problem.n_buffers);
	cr_assert(offsets);
	for (uint32_t i = 0; i < t->problem.n_buffers; i++) {
		offsets[i] = num_up(at, t->problem.buffers[i].align);
		at = offsets[i] + t->problem.buffers[i].size;
	}
	t->least = claim;
	t->plan = (struct plan){.problem = &t->problem,
		.offsets = offsets,
		.arena_size = at,
		.lower_bound = claim};
	mp_proof_write(&t->plan, &t->proof, &t->arena);
	mp_sink_write(&t->proof, "", 1);
	cr_assert_eq(t->error.code, MEMPLAN_OK, "%s", t->error.text);
}

/* A bound of a plan that is not optimal is proved; what is not proved is called
 * a claim. */
Test(proof, of_a_bound_below_the_size)
{
	struct trial t;

	plan_ring(&t, (RING_LOAD + 1) * RING_SIZE);
	cr_assert_eq(t.error.n_warnings, 0);
	cr_assert(strstr(t.proof.bytes, "\namong "));
	cr_assert_eq(proved_by(&t, t.proof.bytes), t.least);
	end_trial(&t);
	plan_ring(&t, (RING_LOAD + 1) * RING_SIZE + 1);
	cr_assert_eq(t.error.n_warnings, 1);
	cr_assert(!strstr(t.proof.bytes, "\namong "));
	cr_assert_eq(proved_by(&t, t.proof.bytes), RING_LOAD * RING_SIZE + 2);
	end_trial(&t);
}

/* Without a buffer, with other ones, or as one of all it is no proof. */
Test(proof, of_some_buffers_with_others)
{
	struct trial t;
	char *changed, *among, *refute, *at;

	plan_ring(&t, (RING_LOAD + 1) * RING_SIZE);
	changed = NEW(&t.arena, char, t.proof.length + 16);
	cr_assert(changed);
	memcpy(changed, t.proof.bytes, t.proof.length);
	among = strstr(changed, "\namong ");
	refute = strstr(changed, "\nrefute");
	for (at = among; at < refute; at++)
		if (*at >= '0' && *at <= '8') {
			++*at;
			cr_assert_leq(proved_by(&t, changed), t.least);
			--*at;
		}
	cr_assert_eq(proved_by(&t, changed), t.least);
	strcpy(among, strstr(t.proof.bytes, "\nrefute"));
	cr_assert_eq(proved_by(&t, changed), 0);
	strcpy(among, "\namong\nrefute\nend\n");
	cr_assert_eq(proved_by(&t, changed), 0);
	strcpy(among, "\namong 0 1 2\nparts 1\nend\n");
	cr_assert_eq(proved_by(&t, changed), 0);
	strcpy(among, "\namong 4294967295\nrefute\nend\n");
	cr_assert_eq(proved_by(&t, changed), 0);
	end_trial(&t);
}
