/*
 * Which op waits for which, by vector clocks. An op is two halves: it begins,
 * and writes; it ends, and has read. It waits for the ends of the op before it
 * in its stream, of those that wrote its inputs, and of those that the plan
 * names. An input that the caller writes later than at the first step is
 * written when the op of that step begins, so its readers wait for that half.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

#include <assert.h>

/* Halves of an op that are over. */
enum {
	BEGUN = 1,
	ENDED = 2,
};

/* False: the streams are too many. */
static int find_lanes(const struct run *run, struct waits *waits)
{
	uint32_t *streams = waits->stream, lane = 0;

	for (uint32_t step = 0; step < run->plan->n_ops; step++) {
		uint32_t stream = run->plan->ops[step].stream;

		if (step == 0 || streams[lane] != stream)
			for (lane = 0; lane < waits->n_lanes; lane++)
				if (streams[lane] == stream)
					break;
		if (lane == MOST_LANES)
			return 0;
		streams[lane] = stream;
		waits->n_lanes += lane == waits->n_lanes;
		waits->lane[step] = lane;
	}
	return 1;
}

static uint32_t *clock_of(const struct waits *waits, uint32_t step)
{
	return waits->clock + (size_t)step * waits->n_lanes;
}

/* What was over before the earlier step is over before this one too. */
static void follow_step(
	const struct run *run, uint32_t step, uint32_t earlier, uint32_t halves)
{
	const struct waits *waits = &run->waits;
	uint32_t *clock = clock_of(waits, step), lane, over;
	const uint32_t *other;

	assert(step < run->plan->n_ops);
	if (earlier >= step)
		return;
	other = clock_of(waits, earlier);
	for (uint32_t l = 0; l < waits->n_lanes; l++)
		if (clock[l] < other[l])
			clock[l] = other[l];
	lane = waits->lane[earlier];
	over = 2 * waits->position[earlier] + halves;
	if (clock[lane] < over)
		clock[lane] = over;
}

/* The same rule as in await_others(). */
static void follow_others(const struct run *run, uint32_t step)
{
	const struct memplan_op *op = &run->plan->ops[step];

	for (uint32_t i = 0; i < op->n_inputs; i++) {
		follow_step(run, step, run->producer[op->inputs[i]], ENDED);
		follow_step(run, step, mp_replay_late_birth(run, op->inputs[i]),
			BEGUN);
	}
	for (uint32_t i = 0; i < op->n_after; i++)
		if (op->after[i] < run->plan->n_ops)
			follow_step(
				run, step, run->step_of[op->after[i]], ENDED);
}

static void set_clocks(const struct run *run)
{
	const struct waits *waits = &run->waits;
	uint32_t latest[MOST_LANES], lane;

	for (lane = 0; lane < waits->n_lanes; lane++)
		latest[lane] = NO_OP;
	for (uint32_t step = 0; step < run->plan->n_ops; step++) {
		lane = waits->lane[step];
		waits->position[step] = 0;
		if (latest[lane] != NO_OP)
			waits->position[step] =
				waits->position[latest[lane]] + 1;
		follow_step(run, step, latest[lane], ENDED);
		follow_others(run, step);
		latest[lane] = step;
	}
}

enum memplan_status mp_replay_find_waits(struct run *run)
{
	struct waits *waits = &run->waits;
	size_t n = run->plan->n_ops;

	if (!run->several_streams)
		return MEMPLAN_OK;
	waits->lane = mp_replay_array(run, n, sizeof(*waits->lane));
	waits->position = mp_replay_array(run, n, sizeof(*waits->position));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	if (!find_lanes(run, waits)) {
		waits->n_lanes = 0;
		return MEMPLAN_OK;
	}
	waits->clock =
		mp_replay_array(run, n * waits->n_lanes, sizeof(*waits->clock));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	set_clocks(run);
	return MEMPLAN_OK;
}

uint32_t mp_replay_late_birth(const struct run *run, uint32_t t)
{
	uint32_t root = run->ties.root[t];
	uint32_t start = run->plan->tensors[root].start;

	return run->producer[root] == NO_OP && start > 0 ? start : NO_OP;
}

int mp_replay_is_ordered(const struct run *run, uint32_t a, uint32_t b)
{
	const struct waits *waits = &run->waits;

	assert(waits->n_lanes > 0 && b < run->plan->n_ops);
	return a == b || clock_of(waits, b)[waits->lane[a]] >=
				 2 * waits->position[a] + ENDED;
}
