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

static uint32_t step_of(const struct schedule *s, uint32_t op)
{
	for (uint32_t i = 0; i < s->graph->n_ops; i++)
		if (s->order[i] == op)
			return i;
	return NONE;
}

static bool lists(const struct ids *tensors, uint32_t tensor)
{
	for (uint32_t i = 0; i < tensors->n; i++)
		if (tensors->at[i] == tensor)
			return true;
	return false;
}

static bool uses(const struct schedule *s, uint32_t op, uint32_t tensor)
{
	const struct op *o = &s->graph->ops[op];

	return lists(&o->inputs, tensor) || lists(&o->outputs, tensor);
}

static bool share(const struct schedule *s, uint32_t a, uint32_t b)
{
	return s->stay[a].buffer != NONE &&
	       s->stay[a].buffer == s->stay[b].buffer;
}

/* Is what it says true of those that it names? */
static bool holds(const struct schedule *s, const struct inplace_outcome *o)
{
	const struct tensor *tensors = s->graph->tensors;
	const struct stay *in = &s->stay[o->input];
	const struct stay *out = &s->stay[o->output];
	const struct tensor *other = &tensors[o->other == NONE ? 0 : o->other];
	uint32_t step = step_of(s, o->op);

	switch ((enum inplace_verdict)o->verdict) {
	case INPLACE_SHARED:
		return mp_schedule_takes_over(s, o->output, o->input) &&
		       share(s, o->input, o->output);
	case INPLACE_EXTERNAL:
		return other->external;
	case INPLACE_EMPTY:
		return other->size == 0;
	case INPLACE_KEPT:
		return in->end == s->problem.n_steps;
	case INPLACE_READ_LATER:
		return step_of(s, o->other) > step &&
		       uses(s, o->other, o->input);
	case INPLACE_NEW:
		return in->start >= step;
	case INPLACE_OLD:
		return out->start < step;
	case INPLACE_TAKEN:
		return share(s, o->input, o->other) && o->other != o->output;
	case INPLACE_TAKES:
		return share(s, o->output, o->other) && o->other != o->input;
	case INPLACE_STREAMS:
		return s->problem.n_streams > 1 &&
		       uses(s, o->other, o->input) && o->other != o->op;
	case INPLACE_SIZES:
		return s->problem.n_streams > 1 &&
		       tensors[o->input].size != tensors[o->output].size;
	case INPLACE_BRIEF:
		return tensors[o->output].size < tensors[o->input].size;
	case INPLACE_BRANCHES:
		return s->graph->ties.n_branches > 0;
	case INPLACE_APART:
		return s->graph->ties.n_apart > 0;
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

static void check(const struct schedule *s, uint64_t seed)
{
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		const struct inplace_outcome *o = &s->inplace[i];

		seen[o->verdict]++;
		cr_assert(holds(s, o), "seed %llu: pair %u, verdict %u\n%s",
			(unsigned long long)seed, i, o->verdict, text);
		if (o->verdict != INPLACE_SHARED && o->verdict != INPLACE_TIED)
			cr_assert_not(
				mp_schedule_takes_over(s, o->output, o->input),
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
			check(m->plan.schedule, seed);
		memplan_free(m);
	}
	for (uint32_t i = 0; i < N_INPLACE; i++)
		kinds += seen[i] > 0;
	cr_assert_gt(
		seen[INPLACE_SHARED], GRAPHS / 20, "%u", seen[INPLACE_SHARED]);
	cr_assert_gt(kinds, N_INPLACE / 2, "%u kinds", kinds);
}
