/*
 * Lifetimes that the plan makes longer than what ops read and write: the bytes
 * are needed until the ops of all their steps have ended, as the verifier sees
 * it. Of each stream the last such op is enough. Tensors that live to the end
 * of the run are compared there; tensors that share bytes are left to their
 * readers. What is held is not poisoned.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

static uint32_t last_use(const struct run *run, uint32_t t)
{
	uint32_t last = run->plan->tensors[t].start;

	if (run->producer[t] != NO_OP && run->producer[t] > last)
		last = run->producer[t];
	if (run->last_read[t] != NO_OP && run->last_read[t] > last)
		last = run->last_read[t];
	return last;
}

/* Is the tensor compared anyway when the op of its last use ends? */
static int is_looked_at(const struct run *run, uint32_t t, uint32_t last)
{
	return run->plan->tensors[t].end <= last + 1 &&
	       (run->last_read[t] == last || run->producer[t] == last);
}

/* The step behind the last that has to be looked at; 0: none has. */
static uint32_t end_of_hold(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	if (tensor->external || tensor->size == 0 ||
		run->ties.shared[run->ties.root[t]] ||
		tensor->end >= run->plan->n_steps ||
		is_looked_at(run, t, last_use(run, t)))
		return 0;
	return tensor->end;
}

/* Notes the holds of a tensor, if there is room for them; counts them. */
static void hold(struct run *run, uint32_t t, unsigned char *seen)
{
	struct holds *holds = &run->holds;
	uint32_t n_lanes = run->waits.n_lanes, found = 0, lane, step;

	for (lane = 0; lane < n_lanes; lane++)
		seen[lane] = 0;
	for (step = end_of_hold(run, t); step-- > last_use(run, t);) {
		lane = run->waits.lane[step];
		if (seen[lane])
			continue;
		seen[lane] = 1;
		if (holds->tensor) {
			holds->tensor[holds->n] = t;
			holds->next[holds->n] = holds->first[step];
			holds->first[step] = holds->n;
			run->poison_at[t] = NO_OP;
		}
		holds->n++;
		if (++found == n_lanes)
			return;
	}
}

static void hold_all(struct run *run, unsigned char *seen)
{
	run->holds.n = 0;
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (end_of_hold(run, t) > 0)
			hold(run, t, seen);
}

enum memplan_status mp_replay_find_holds(struct run *run)
{
	struct holds *holds = &run->holds;
	unsigned char *seen;
	uint32_t *tensor;

	if (run->waits.n_lanes == 0)
		return MEMPLAN_OK;
	seen = mp_replay_array(run, run->waits.n_lanes, sizeof(*seen));
	holds->first =
		mp_replay_array(run, run->plan->n_steps, sizeof(*holds->first));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	for (uint32_t step = 0; step < run->plan->n_steps; step++)
		holds->first[step] = NONE;
	hold_all(run, seen);
	tensor = mp_replay_array(run, holds->n, sizeof(*tensor));
	holds->next = mp_replay_array(run, holds->n, sizeof(*holds->next));
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	holds->tensor = tensor;
	hold_all(run, seen);
	return MEMPLAN_OK;
}
