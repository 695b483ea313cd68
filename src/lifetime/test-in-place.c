/*
 * What is said of in-place pairs, on random graphs with everything at once: who
 * shares is in one buffer, and reasons name who they should.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "street/street.h"
#include "testing/player.h"

enum {
	GRAPHS = 2000,
};

static char text[PLAY_JSON];
static uint32_t seen[N_INPLACE];

static uint32_t step_of(const struct problem *p, uint32_t op)
{
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (p->order[i] == op)
			return i;
	return NONE;
}

static bool lists(const uint32_t *items, uint32_t n, uint32_t item)
{
	for (uint32_t i = 0; i < n; i++)
		if (items[i] == item)
			return true;
	return false;
}

static bool uses(const struct problem *p, uint32_t op, uint32_t item)
{
	const struct step *step = &p->ops[op];

	return lists(step->inputs, step->n_inputs, item) ||
	       lists(step->outputs, step->n_outputs, item);
}

static bool share(const struct problem *p, uint32_t a, uint32_t b)
{
	return p->items[a].buffer != NONE &&
	       p->items[a].buffer == p->items[b].buffer;
}

/* Is what it says true of those that it names? */
static bool holds(const struct problem *p, const struct inplace_outcome *o)
{
	const struct item *in = &p->items[o->input];
	const struct item *out = &p->items[o->output];
	const struct item *other = &p->items[o->other == NONE ? 0 : o->other];
	uint32_t step = step_of(p, o->op);

	switch ((enum inplace_verdict)o->verdict) {
	case INPLACE_SHARED:
		return mp_problem_item_takes_over(out, in) &&
		       share(p, o->input, o->output);
	case INPLACE_EXTERNAL:
		return other->external;
	case INPLACE_EMPTY:
		return other->size == 0;
	case INPLACE_KEPT:
		return in->end == p->n_steps;
	case INPLACE_READ_LATER:
		return step_of(p, o->other) > step &&
		       uses(p, o->other, o->input);
	case INPLACE_NEW:
		return in->start >= step;
	case INPLACE_OLD:
		return out->start < step;
	case INPLACE_TAKEN:
		return share(p, o->input, o->other) && o->other != o->output;
	case INPLACE_TAKES:
		return share(p, o->output, o->other) && o->other != o->input;
	case INPLACE_STREAMS:
		return p->n_streams > 1 && uses(p, o->other, o->input) &&
		       o->other != o->op;
	case INPLACE_SIZES:
		return p->n_streams > 1 && in->size != out->size;
	case INPLACE_BRIEF:
		return out->size < in->size;
	case INPLACE_BRANCHES:
		return p->ties.n_branches > 0;
	case INPLACE_APART:
		return p->ties.n_apart > 0;
	case INPLACE_FIXED:
	case INPLACE_TIED:
	case INPLACE_OFFSETS:
		return true;
	case INPLACE_OFF:
	case INPLACE_UNEQUAL:
	case INPLACE_POOLS:
	case N_INPLACE:
		break;
	}
	return false;
}

static void check(const struct problem *p, uint64_t seed)
{
	for (uint32_t i = 0; i < p->n_inplace; i++) {
		const struct inplace_outcome *o = &p->inplace[i];

		seen[o->verdict]++;
		cr_assert(holds(p, o), "seed %llu: pair %u, verdict %u\n%s",
			(unsigned long long)seed, i, o->verdict, text);
		if (o->verdict != INPLACE_SHARED && o->verdict != INPLACE_TIED)
			cr_assert_not(
				mp_problem_item_takes_over(&p->items[o->output],
					&p->items[o->input]),
				"seed %llu: pair %u shares all the same\n%s",
				(unsigned long long)seed, i, text);
	}
}

Test(inplace, reasons_are_true_of_whom_they_name)
{
	static struct play play;
	uint32_t kinds = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		memplan *m = memplan_new();

		mp_testing_player_random(&play, seed);
		mp_testing_player_print(&play, text);
		memplan_set(m, "planner", "linear");
		memplan_input(m, "graph", "g.json", text, strlen(text));
		if (memplan_plan(m) == MEMPLAN_OK)
			check(&m->problem, seed);
		memplan_free(m);
	}
	for (uint32_t i = 0; i < N_INPLACE; i++)
		kinds += seen[i] > 0;
	cr_assert_gt(
		seen[INPLACE_SHARED], GRAPHS / 25, "%u", seen[INPLACE_SHARED]);
	cr_assert_gt(kinds, N_INPLACE / 2, "%u kinds", kinds);
}
