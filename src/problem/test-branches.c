/*
 * Choices that stand in branches of others, against all ways to choose: small
 * random trees of choices, with buffers in their branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>

#include "problem/branches.h"
#include "testing/random.h"

enum {
	CHOICES = 5,
	BRANCHES = 3,
	BUFFERS = 9,
	STEPS = 4,
	WAYS = 243, /* BRANCHES to the power of CHOICES */
};

struct tree {
	struct problem problem;
	struct buffer buffers[BUFFERS];
	struct part parts[BUFFERS];
	uint32_t choice[BUFFERS], branch[BUFFERS];
	struct choice_site sites[CHOICES];
	bool runs[WAYS][BUFFERS];
};

static bool is_there(const struct tree *t, uint32_t buffer, uint32_t way)
{
	uint32_t taken[CHOICES], choice = t->choice[buffer];
	uint32_t branch = t->branch[buffer];

	for (uint32_t c = 0; c < CHOICES; c++, way /= BRANCHES)
		taken[c] = way % BRANCHES;
	while (choice != NONE) {
		if (taken[choice] != branch)
			return false;
		branch = t->sites[choice].branch;
		choice = t->sites[choice].choice;
	}
	return true;
}

static void grow(struct tree *t, uint64_t *state)
{
	*t = (struct tree){.problem = {.name = "tree",
				   .alignment = 1,
				   .n_buffers = BUFFERS,
				   .n_parts = BUFFERS,
				   .n_steps = STEPS,
				   .n_streams = 1,
				   .buffers = t->buffers,
				   .parts = t->parts,
				   .choice = t->choice,
				   .branch = t->branch,
				   .n_choices = CHOICES,
				   .sites = t->sites}};
	for (uint32_t c = 0; c < CHOICES; c++) {
		uint32_t in = mp_testing_below(state, c + 1);

		t->sites[c].choice = in == c ? NONE : in;
		t->sites[c].branch = mp_testing_below(state, BRANCHES);
	}
	for (uint32_t i = 0; i < BUFFERS; i++) {
		uint32_t start = mp_testing_below(state, STEPS);
		uint32_t end =
			start + 1 + mp_testing_below(state, STEPS - start);
		uint64_t size = 1 + mp_testing_below(state, 9);

		t->parts[i] = (struct part){0, size, start, end, i};
		t->buffers[i] =
			(struct buffer){size, 1, NO_OFFSET, start, end, i, 1};
		t->choice[i] = mp_testing_one_in(state, 4)
				       ? NONE
				       : mp_testing_below(state, CHOICES);
		t->branch[i] = mp_testing_below(state, BRANCHES);
	}
	for (uint32_t way = 0; way < WAYS; way++)
		for (uint32_t i = 0; i < BUFFERS; i++)
			t->runs[way][i] = is_there(t, i, way);
}

static bool meet_in_some_way(const struct tree *t, uint32_t a, uint32_t b)
{
	for (uint32_t way = 0; way < WAYS; way++)
		if (t->runs[way][a] && t->runs[way][b])
			return true;
	return false;
}

static uint64_t most_bytes(const struct tree *t, uint32_t step)
{
	uint64_t most = 0;

	for (uint32_t way = 0; way < WAYS; way++) {
		uint64_t bytes = 0;

		for (uint32_t i = 0; i < BUFFERS; i++)
			if (t->runs[way][i] && t->parts[i].start <= step &&
				step < t->parts[i].end)
				bytes += t->parts[i].size;
		most = num_max(most, bytes);
	}
	return most;
}

/* A range excludes no buffer that meets one in it, and those of a single buffer
 * exclude all others. */
static void check_ranges(const struct tree *t, uint32_t first, uint32_t n)
{
	const struct problem *p = &t->problem;
	struct branch_range range = mp_problem_branches_range(p, first);

	for (uint32_t i = first + 1; i < first + n; i++)
		range = mp_problem_branches_unite(
			p, range, mp_problem_branches_range(p, i));
	for (uint32_t b = 0; b < BUFFERS; b++) {
		bool meets = false;

		for (uint32_t i = first; i < first + n; i++)
			meets |= meet_in_some_way(t, i, b);
		if (mp_problem_branches_exclude(p, range, b))
			cr_assert(!meets);
		else if (n == 1)
			cr_assert(meets);
	}
}

static void check_tree(struct tree *t, struct arena *arena)
{
	for (uint32_t a = 0; a < BUFFERS; a++)
		for (uint32_t b = 0; b < BUFFERS; b++)
			cr_assert_neq(mp_problem_exclusive(&t->problem, a, b),
				meet_in_some_way(t, a, b));
	for (uint32_t i = 0; i < BUFFERS; i++)
		check_ranges(t, i, 1 + (i * 7 + t->branch[i]) % (BUFFERS - i));
	cr_assert(mp_problem_measure(&t->problem, arena, arena->error));
	for (uint32_t k = 0; k < STEPS; k++)
		cr_assert_eq(t->problem.load[k], most_bytes(t, k));
}

/* What the sweep finds where parts begin and end is what is alive then. */
static void check_loads(const struct tree *t, struct arena *arena)
{
	struct branch_loads loads;
	bool alive[BUFFERS] = {false};

	cr_assert(mp_problem_branches_init(&loads, &t->problem, arena));
	for (uint32_t k = 0; k < 4 * BUFFERS; k++) {
		uint32_t i = k * 5 % BUFFERS;
		uint64_t most = 0;

		if (!mp_problem_branches_have(&t->problem, i))
			continue;
		if (alive[i])
			mp_problem_branches_remove(&loads, i, t->parts[i].size);
		else
			mp_problem_branches_add(&loads, i, t->parts[i].size);
		alive[i] = !alive[i];
		for (uint32_t way = 0; way < WAYS; way++) {
			uint64_t bytes = 0;

			for (uint32_t b = 0; b < BUFFERS; b++)
				if (alive[b] && t->runs[way][b])
					bytes += t->parts[b].size;
			most = num_max(most, bytes);
		}
		cr_assert_eq(loads.total, most);
	}
}

Test(branches, agree_with_all_ways_to_choose)
{
	uint64_t state = 6, n = mp_testing_cases(300, 10);

	for (uint64_t i = 0; i < n; i++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct tree tree;

		grow(&tree, &state);
		check_tree(&tree, &arena);
		check_loads(&tree, &arena);
		mp_arena_free(&arena);
	}
}
