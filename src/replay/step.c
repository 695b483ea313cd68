/*
 * One run of the order. A kernel may read its inputs until it ends, so an op
 * first fills its outputs and then compares its inputs: what overlaps shows.
 * Only what an output takes over in place is compared before, and only an
 * output that takes over larger bytes is written after.
 *
 * SPDX-License-Identifier: MIT
 */
#include "run.h"

#include <string.h>

enum {
	KIND_WEIGHT = 3,
	KIND_STATE = 4,
};

int mp_replay_takes_bytes(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	return !tensor->external && tensor->size > 0;
}

/* ------------------------------------------------------------ write, compare
 */

static struct memplan_range range_of(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	return (struct memplan_range){
		run->block.address + tensor->offset, tensor->size};
}

static int write_tensor(
	struct run *run, uint32_t stream, uint32_t t, uint32_t writer)
{
	struct memplan_range range = range_of(run, t);

	if (!mp_replay_takes_bytes(run, t))
		return 0;
	run->key[t] = mp_replay_key(run, run->repeat, t, writer);
	run->result->written += range.size;
	return run->device->row->fill(run->device, stream, &range, run->key[t]);
}

/* Waits, and looks at what the comparisons so far have found. */
static int look(struct run *run)
{
	const struct memplan_device_row *row = run->device->row;
	uint64_t size = run->n_checks * sizeof(*run->findings);
	uint32_t n_bad = 0;

	if (row->finish(run->device) ||
		row->copy(run->device, (uintptr_t)run->findings,
			run->slots.address, size, MEMPLAN_FROM_DEVICE))
		return 1;
	for (uint32_t i = 0; i < run->n_checks; i++) {
		if (run->findings[i].count == 0)
			continue;
		mp_replay_accuse(run, &run->checks[i], &run->findings[i]);
		n_bad++;
	}
	run->n_checks = 0;
	if (n_bad == 0)
		return 0;
	memset(run->findings, 0, size);
	return row->copy(run->device, run->slots.address,
		(uintptr_t)run->findings, size, MEMPLAN_TO_DEVICE);
}

static int compare_tensor(struct run *run, uint32_t stream, uint32_t step,
	uint32_t t, int is_input)
{
	struct memplan_range range = range_of(run, t);
	uint32_t slot = run->n_checks;

	if (!mp_replay_takes_bytes(run, t) || run->key[t] == 0 ||
		run->looked[t] == step)
		return 0;
	run->looked[t] = step;
	run->checks[slot] =
		(struct check){run->repeat, step, t, is_input, run->key[t]};
	run->result->checked += range.size;
	run->n_checks++;
	if (run->device->row->compare(run->device, stream, &range, run->key[t],
		    run->slots.address + slot * sizeof(*run->findings)))
		return 1;
	return run->n_checks == MOST_CHECKS ? look(run) : 0;
}

/* ---------------------------------------------------------------------- step
 */

/* The op of a step; without ops, nothing but time passes. */
static struct memplan_op op_at(const struct run *run, uint32_t step)
{
	static const struct memplan_op none;

	return step < run->plan->n_ops ? run->plan->ops[step] : none;
}

/* In place, an output takes the bytes over and the input ends before this
 * step. */
static int compare_inputs(struct run *run, const struct memplan_op *op,
	uint32_t step, int taken_over)
{
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		uint32_t t = op->inputs[i];

		if ((run->plan->tensors[t].end <= step) == taken_over &&
			compare_tensor(run, op->stream, step, t, 1))
			return 1;
	}
	return 0;
}

/* An output that starts after this step takes larger bytes over in place. */
static int write_outputs(struct run *run, const struct memplan_op *op,
	uint32_t step, int takes_over)
{
	for (uint32_t i = 0; i < op->n_outputs; i++) {
		uint32_t t = op->outputs[i];

		if ((run->plan->tensors[t].start > step) == takes_over &&
			write_tensor(run, op->stream, t, WRITER_OP))
			return 1;
	}
	return 0;
}

static int write_temporaries(struct run *run, const struct memplan_op *op)
{
	for (uint32_t i = 0; i < op->n_temporaries; i++)
		if (write_tensor(
			    run, op->stream, op->temporaries[i], WRITER_OP))
			return 1;
	return 0;
}

static int outlives_runs(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor = &run->plan->tensors[t];

	return (tensor->kind == KIND_WEIGHT || tensor->kind == KIND_STATE) &&
	       tensor->start == 0 && tensor->end == run->plan->n_steps;
}

/* What no op writes, or not yet, the caller does; states and weights once. */
static int begin_lives(struct run *run, uint32_t stream, uint32_t step)
{
	int failed;

	for (uint32_t i = run->born.first[step]; i < run->born.first[step + 1];
		i++) {
		uint32_t t = run->born.at[i];

		if (run->producer[t] <= step)
			continue;
		if (run->key[t] != 0)
			failed = compare_tensor(run, stream, step, t, 0);
		else
			failed = write_tensor(run, stream, t, WRITER_CALLER);
		if (failed)
			return 1;
	}
	return 0;
}

/* Other streams may be anywhere when a step of this one ends. There only what
 * its own op wrote is compared, and what lives to the end. */
static int may_look(const struct run *run, uint32_t t, uint32_t step)
{
	return !run->several_streams || run->producer[t] == step ||
	       step + 1 == run->plan->n_steps;
}

static int end_lives(struct run *run, uint32_t stream, uint32_t step)
{
	for (uint32_t i = run->dying.first[step];
		i < run->dying.first[step + 1]; i++) {
		uint32_t t = run->dying.at[i];

		if (may_look(run, t, step) &&
			compare_tensor(run, stream, step, t, 0))
			return 1;
	}
	return 0;
}

/* The key stays that of the bytes that were alive. */
static int poison(struct run *run, uint32_t stream, uint32_t t)
{
	struct memplan_range range = range_of(run, t);
	uint64_t key = mp_replay_key(run, run->repeat, t, WRITER_POISON);

	if (outlives_runs(run, t) || !mp_replay_takes_bytes(run, t))
		return 0;
	return run->device->row->fill(run->device, stream, &range, key);
}

static int poison_taken_over(
	struct run *run, const struct memplan_op *op, uint32_t step)
{
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		uint32_t t = op->inputs[i];

		if (run->plan->tensors[t].end == step &&
			run->poison_at[t] == step && poison(run, op->stream, t))
			return 1;
	}
	return 0;
}

static int poison_dead(struct run *run, uint32_t stream, uint32_t step)
{
	for (uint32_t i = run->poisoned.first[step];
		i < run->poisoned.first[step + 1]; i++) {
		uint32_t t = run->poisoned.at[i];

		if (run->plan->tensors[t].end > step && poison(run, stream, t))
			return 1;
	}
	return 0;
}

/* Events order streams; within one there is no need to wait. */
static int await_op(
	struct run *run, const struct memplan_op *op, uint32_t earlier)
{
	if (earlier >= run->plan->n_ops ||
		run->plan->ops[earlier].stream == op->stream)
		return 0;
	return run->device->row->await(run->device, op->stream, earlier);
}

/* Waits for who wrote the inputs, for what the plan says, and for nothing
 * else. */
static int await_others(struct run *run, const struct memplan_op *op)
{
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (await_op(run, op, run->producer[op->inputs[i]]))
			return 1;
	for (uint32_t i = 0; i < op->n_after; i++)
		if (op->after[i] < run->plan->n_ops &&
			await_op(run, op, run->step_of[op->after[i]]))
			return 1;
	return 0;
}

static int run_step(struct run *run, uint32_t step)
{
	struct memplan_op op = op_at(run, step);

	return (run->several_streams && await_others(run, &op)) ||
	       begin_lives(run, op.stream, step) ||
	       (run->several_streams && step == 0 &&
		       run->device->row->finish(run->device)) ||
	       compare_inputs(run, &op, step, 1) ||
	       poison_taken_over(run, &op, step) ||
	       write_temporaries(run, &op) ||
	       write_outputs(run, &op, step, 0) ||
	       compare_inputs(run, &op, step, 0) ||
	       end_lives(run, op.stream, step) ||
	       poison_dead(run, op.stream, step) ||
	       write_outputs(run, &op, step, 1) ||
	       (run->several_streams &&
		       run->device->row->record(run->device, op.stream, step));
}

/* With several streams, the comparisons at the very end wait for all. */
int mp_replay_once(struct run *run)
{
	uint32_t n_steps = run->plan->n_steps;

	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		run->looked[t] = NO_OP;
		if (!outlives_runs(run, t))
			run->key[t] = 0;
	}
	for (uint32_t step = 0; step < n_steps; step++) {
		if (run->several_streams && step + 1 == n_steps &&
			run->device->row->finish(run->device))
			return 1;
		if (run_step(run, step))
			return 1;
	}
	return look(run);
}
