/*
 * When a tensor may be poisoned. In one stream that is the end of its life.
 * With several streams, another stream may still read it, and the next op that
 * takes its bytes waits for the ops that used them, but for no poison. So the
 * last op that uses the tensor poisons it, when the op ends, if all other uses
 * are ordered before that op. Then every op ordered after all uses is also
 * ordered after the poison, and no stream waits for anything that the plan does
 * not ask for. A tensor with last uses in two streams is not poisoned. Of
 * tensors that share bytes, only those that die last are poisoned; with several
 * streams none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

/* -------------------------------------------------------- last uses */

/* The op at the step after the last one takes the bytes over in place. */
static int is_taken_over(const struct run *run, uint32_t t)
{
	return run->last_read[t] != NO_OP &&
	       run->last_read[t] == run->plan->tensors[t].end;
}

/* The plan says that the tensor is dead here, so an op that reads it later
 * reads the poison. */
static int is_use(const struct run *run, uint32_t t, uint32_t step)
{
	return step < run->plan->n_ops &&
	       (step < run->plan->tensors[t].end || is_taken_over(run, t));
}

typedef void visitor(struct run *run, uint32_t t, uint32_t step);

static void keep_last(struct run *run, uint32_t t, uint32_t step)
{
	uint32_t *last = &run->poison_at[t];

	if (is_use(run, t, step) && (*last == NO_OP || *last < step))
		*last = step;
}

static void keep_ordered(struct run *run, uint32_t t, uint32_t step)
{
	uint32_t *last = &run->poison_at[t];

	if (*last != NO_OP && is_use(run, t, step) &&
		!mp_replay_is_ordered(run, step, *last))
		*last = NO_OP;
}

/* The caller writes inputs in the stream of the step at which their life
 * begins. */
static void visit_uses(struct run *run, visitor *visit)
{
	const struct memplan_replay_plan *plan = run->plan;

	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (run->producer[t] != NO_OP)
			visit(run, t, run->producer[t]);
		else if (plan->tensors[t].start > 0)
			visit(run, t, plan->tensors[t].start);
	for (uint32_t step = 0; step < plan->n_ops; step++)
		for (uint32_t i = 0; i < plan->ops[step].n_inputs; i++)
			visit(run, plan->ops[step].inputs[i], step);
}

/* A tensor that lives to the end of the run is compared at the end. */
static void choose_last_uses(struct run *run)
{
	const struct memplan_replay_plan *plan = run->plan;

	visit_uses(run, keep_last);
	visit_uses(run, keep_ordered);
	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (plan->tensors[t].end == plan->n_steps ||
			run->ties.shared[run->ties.root[t]])
			run->poison_at[t] = NO_OP;
}

static void choose_ends(struct run *run)
{
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (run->plan->tensors[t].end ==
			run->ties.end[run->ties.root[t]])
			run->poison_at[t] = run->plan->tensors[t].end -
					    (is_taken_over(run, t) ? 0 : 1);
}

enum memplan_status mp_replay_choose_poison(struct run *run)
{
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		run->poison_at[t] = NO_OP;
	if (!run->options->poison)
		return MEMPLAN_OK;
	if (!run->several_streams) {
		choose_ends(run);
		return MEMPLAN_OK;
	}
	if (run->waits.n_lanes == 0)
		return MEMPLAN_EUSAGE;
	choose_last_uses(run);
	return MEMPLAN_OK;
}
