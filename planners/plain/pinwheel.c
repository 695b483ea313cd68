/*
 * Finding pinwheels: see pinwheel.h. Once two of the five are known, of which
 * one is the middle, each other one has a list by two of its measures, so that
 * a search takes about as many looks as compounds begin or end at a step.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/pinwheel.h"

#include <string.h>

#include "base/prng.h"

enum {
	OTHERS = WHEEL_ROLES - 1,
	MOST_LOOKS = 64,
	SKIP_ONE_IN = 4
};

/* The steps at which one of a pinwheel begins or ends, in their order. */
enum wheel_step {
	OUTER_START,
	MIDDLE_START,
	MIDDLE_END,
	OUTER_END,
	WHEEL_STEPS
};

static const struct {
	enum wheel_step start, end;
} spans[WHEEL_ROLES] = {
	[WHEEL_UNDER] = {OUTER_START, MIDDLE_END},
	[WHEEL_AFTER] = {MIDDLE_END, OUTER_END},
	[WHEEL_OVER] = {MIDDLE_START, OUTER_END},
	[WHEEL_BEFORE] = {OUTER_START, MIDDLE_START},
	[WHEEL_MIDDLE] = {MIDDLE_START, MIDDLE_END},
};

/* In which order, and by which list, the others are looked for. */
static const struct seek {
	enum wheel_role role;
	enum compound_list list;
} seeks[WHEEL_ROLES][OTHERS] = {
	[WHEEL_UNDER] = {{WHEEL_MIDDLE, OF_END}, {WHEEL_AFTER, OF_START_SIZE},
		{WHEEL_OVER, OF_SPAN}, {WHEEL_BEFORE, OF_SPAN}},
	[WHEEL_AFTER] = {{WHEEL_MIDDLE, OF_END}, {WHEEL_UNDER, OF_END_SIZE},
		{WHEEL_OVER, OF_SPAN}, {WHEEL_BEFORE, OF_SPAN}},
	[WHEEL_OVER] = {{WHEEL_MIDDLE, OF_START}, {WHEEL_BEFORE, OF_END_SIZE},
		{WHEEL_UNDER, OF_SPAN}, {WHEEL_AFTER, OF_SPAN}},
	[WHEEL_BEFORE] = {{WHEEL_MIDDLE, OF_START}, {WHEEL_OVER, OF_START_SIZE},
		{WHEEL_UNDER, OF_SPAN}, {WHEEL_AFTER, OF_SPAN}},
	[WHEEL_MIDDLE] = {{WHEEL_BEFORE, OF_END}, {WHEEL_OVER, OF_START_SIZE},
		{WHEEL_UNDER, OF_SPAN}, {WHEEL_AFTER, OF_SPAN}},
};

/* What is known of a pinwheel. */
struct wheel {
	uint32_t step[WHEEL_STEPS]; /* NONE: not known */
	uint64_t size[WHEEL_ROLES]; /* 0: not known */
};

static bool is_or_unknown(uint32_t known, uint32_t step)
{
	return known == NONE || known == step;
}

static bool agrees(const struct wheel *wheel, enum wheel_role role,
	const struct compound *x)
{
	return !mp_planner_compound_has_gap(x) &&
	       is_or_unknown(wheel->step[spans[role].start], x->start) &&
	       is_or_unknown(wheel->step[spans[role].end], x->end) &&
	       (wheel->size[role] == 0 || wheel->size[role] == x->size);
}

/* The tall one is as high as the low one and the middle. False: it is not. */
static bool learn_sizes(
	struct wheel *wheel, enum wheel_role tall, enum wheel_role low)
{
	uint64_t middle = wheel->size[WHEEL_MIDDLE];
	uint64_t *high = &wheel->size[tall];

	if (middle == 0)
		return true;
	if (wheel->size[low] > 0)
		*high = wheel->size[low] + middle;
	else if (*high > middle)
		wheel->size[low] = *high - middle;
	return *high == 0 || *high > middle;
}

static bool learn(
	struct wheel *wheel, enum wheel_role role, const struct compound *x)
{
	wheel->step[spans[role].start] = x->start;
	wheel->step[spans[role].end] = x->end;
	wheel->size[role] = x->size;
	return learn_sizes(wheel, WHEEL_BEFORE, WHEEL_OVER) &&
	       learn_sizes(wheel, WHEEL_AFTER, WHEEL_UNDER);
}

static uint32_t first_of(const struct compounds *c, enum compound_kin kin,
	const struct wheel *wheel, const struct seek *seek)
{
	uint32_t start = wheel->step[spans[seek->role].start];
	uint32_t end = wheel->step[spans[seek->role].end];
	uint64_t size = wheel->size[seek->role];

	switch (seek->list) {
	case OF_START_SIZE:
		return mp_planner_compounds_first(
			c, kin, OF_START_SIZE, start, size);
	case OF_END_SIZE:
		return mp_planner_compounds_first(
			c, kin, OF_END_SIZE, end, size);
	case OF_SPAN:
		return mp_planner_compounds_first(c, kin, OF_SPAN, start, end);
	case OF_START:
		return mp_planner_compounds_first(c, kin, OF_START, start, 0);
	case OF_END:
	case COMPOUND_LISTS:
		break;
	}
	return mp_planner_compounds_first(c, kin, OF_END, end, 0);
}

/* Depth first: for each of the others that is known there is a wheel, and the
 * next one to try in its place. */
bool mp_planner_pinwheel_find(const struct compounds *c, enum compound_kin kin,
	uint32_t compound, enum wheel_role role, uint64_t *random,
	uint32_t five[WHEEL_ROLES], uint64_t *all_looks)
{
	const struct seek *seeks_of = seeks[role];
	struct wheel wheel[WHEEL_ROLES];
	uint32_t next[OTHERS], n = 0, looks = 0;

	memset(wheel[0].step, 0xff, sizeof(wheel[0].step));
	memset(wheel[0].size, 0, sizeof(wheel[0].size));
	five[role] = compound;
	if (mp_planner_compound_has_gap(&c->at[compound]) ||
		!learn(&wheel[0], role, &c->at[compound]))
		return false;
	next[0] = first_of(c, kin, &wheel[0], &seeks_of[0]);
	for (; looks < MOST_LOOKS; looks++) {
		const struct seek *seek = &seeks_of[n];
		uint32_t i = next[n];

		if (i == NONE && n == 0)
			break;
		if (i == NONE) {
			n--;
			continue;
		}
		next[n] = c->links[kin][i].in[seek->list].next;
		if (!agrees(&wheel[n], seek->role, &c->at[i]) ||
			(random && mp_prng(random) % SKIP_ONE_IN == 0))
			continue;
		wheel[n + 1] = wheel[n];
		if (!learn(&wheel[n + 1], seek->role, &c->at[i]))
			continue;
		five[seek->role] = i;
		if (++n == OTHERS)
			break;
		next[n] = first_of(c, kin, &wheel[n], &seeks_of[n]);
	}
	*all_looks += looks + 1;
	return n == OTHERS;
}

void mp_planner_pinwheel_places(const struct compounds *c,
	const struct compound *x, bool on_its_head,
	uint64_t place[MOST_MEMBERS])
{
	for (uint32_t k = 0; k < x->n_members; k++) {
		place[k] = k >= 2 ? c->at[x->member[k == 2]].size : 0;
		if (on_its_head)
			place[k] =
				x->size - c->at[x->member[k]].size - place[k];
	}
}
