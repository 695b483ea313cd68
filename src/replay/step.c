/*
 * One run of the order. A kernel may read its inputs until it ends, so an op
 * first fills its outputs and then compares its inputs: an overlap shows. There
 * are two exceptions. Inputs that an output takes over in place or overwrites
 * are compared first. An output that takes over bytes of a larger input is
 * written last.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replay/inside.h"

enum {
	KIND_WEIGHT = 3,
	KIND_STATE = 4,
};

/* ------------------------------------------------------------- gaps */

/* The caller restores bytes that a gap did not keep. */
static int end_gap(struct run *run, uint32_t stream, uint32_t step,
	const struct memplan_gap *gap)
{
	uint32_t t = gap->tensor;

	if (!run->away[t])
		return 0;
	run->away[t] = 0;
	return mp_replay_compare_kept(
		       run, stream, step, t, gap->low, gap->high) ||
	       mp_replay_write(run, stream, t, WRITER_CALLER);
}

/* Its bytes are as they were: what returns at this step comes after. */
static int look_at_leaving(struct run *run, uint32_t stream, uint32_t step,
	const struct memplan_gap *gap)
{
	return run->key[gap->tensor] != 0 &&
	       mp_replay_compare_all(run, stream, step, gap->tensor);
}

static int pass_gaps(struct run *run, uint32_t stream, uint32_t step)
{
	const struct memplan_gap *gaps = run->plan->gaps;
	const struct by_step *ends = &run->lists[RETURNING];
	const struct by_step *begins = &run->lists[LEAVING];

	for (uint32_t i = begins->first[step]; i != NONE; i = begins->next[i])
		if (look_at_leaving(run, stream, step, &gaps[i]))
			return 1;
	for (uint32_t i = ends->first[step]; i != NONE; i = ends->next[i])
		if (end_gap(run, stream, step, &gaps[i]))
			return 1;
	for (uint32_t i = begins->first[step]; i != NONE; i = begins->next[i])
		if (run->key[gaps[i].tensor] != 0)
			run->away[gaps[i].tensor] = 1;
	return 0;
}

/* ------------------------------------------------------------- step */

static int is_written_over(
	const struct run *run, const struct memplan_op *op, uint32_t t)
{
	const struct memplan_tensor *tensors = run->plan->tensors;
	const struct ties *ties = &run->ties;

	if (!ties->shared[ties->root[t]])
		return 0;
	for (uint32_t i = 0; i < op->n_outputs; i++) {
		uint32_t o = op->outputs[i];

		if (o != t && mp_replay_is_written(run, o) &&
			ties->root[o] == ties->root[t] &&
			ties->base[o] < ties->base[t] + tensors[t].size &&
			ties->base[t] < ties->base[o] + tensors[o].size)
			return 1;
	}
	return 0;
}

/* In place: the output takes the bytes over, and the input ends before this
 * step. */
static int is_taken_over(const struct run *run, const struct memplan_op *op,
	uint32_t step, uint32_t t)
{
	return run->plan->tensors[t].end <= step || is_written_over(run, op, t);
}

static int compare_inputs(struct run *run, const struct memplan_op *op,
	uint32_t step, int taken_over)
{
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		uint32_t t = op->inputs[i];

		if (is_taken_over(run, op, step, t) == taken_over &&
			mp_replay_compare_input(run, op->stream, step, t))
			return 1;
	}
	return 0;
}

/* When an op writes an output. */
enum turn {
	FIRST,
	BEHIND_BASE, /* an alias: its base may be made in the same step */
	LAST,	     /* in place: one that starts after this step takes over the
			larger input */
};

static enum turn turn_of(const struct run *run, uint32_t t, uint32_t step)
{
	if (mp_replay_is_alias(run, t))
		return BEHIND_BASE;
	return run->plan->tensors[t].start > step ? LAST : FIRST;
}

/* What lived before its producer, as a state does, kept its bytes until now. */
static int write_output(
	struct run *run, const struct memplan_op *op, uint32_t step, uint32_t t)
{
	if (run->key[t] != 0 && !mp_replay_is_alias(run, t)) {
		if (mp_replay_compare_all(run, op->stream, step, t))
			return 1;
		run->looked[t] = NO_OP;
	}
	return mp_replay_write(run, op->stream, t, WRITER_OP);
}

static int write_outputs(struct run *run, const struct memplan_op *op,
	uint32_t step, enum turn turn)
{
	for (uint32_t i = 0; i < op->n_outputs; i++)
		if (turn_of(run, op->outputs[i], step) == turn &&
			write_output(run, op, step, op->outputs[i]))
			return 1;
	return 0;
}

static int write_temporaries(struct run *run, const struct memplan_op *op)
{
	for (uint32_t i = 0; i < op->n_temporaries; i++)
		if (mp_replay_write(
			    run, op->stream, op->temporaries[i], WRITER_OP))
			return 1;
	return 0;
}

static int outlives_runs(const struct run *run, uint32_t t)
{
	const struct memplan_tensor *tensor =
		&run->plan->tensors[run->ties.root[t]];

	return (tensor->kind == KIND_WEIGHT || tensor->kind == KIND_STATE) &&
	       tensor->start == 0 && tensor->end == run->plan->n_steps;
}

/* Did another tensor write some of the bytes since? */
static int was_written_over(const struct run *run, uint32_t t)
{
	uint32_t owner;

	return mp_replay_piece(run, t, 0, &owner) <
		       run->plan->tensors[t].size ||
	       owner != t;
}

/* The caller writes tensors that no op writes, or not yet; states and weights
 * once: a state is as the run before left it, and written anew if it changed,
 * so that the bytes of this run have another pattern. */
static int begin_lives(struct run *run, uint32_t stream, uint32_t step)
{
	const struct by_step *born = &run->lists[BORN];

	for (uint32_t t = born->first[step]; t != NONE; t = born->next[t]) {
		if (run->producer[t] <= step || mp_replay_is_alias(run, t))
			continue;
		if (run->key[t] != 0 &&
			mp_replay_compare_all(run, stream, step, t))
			return 1;
		if ((run->key[t] == 0 || was_written_over(run, t)) &&
			mp_replay_write(run, stream, t, WRITER_CALLER))
			return 1;
	}
	return 0;
}

/* With several streams, other streams may be anywhere when a step of this one
 * ends. So only tensors that the step's own op wrote are compared; those that
 * live to the end are compared there. */
static int may_look(const struct run *run, uint32_t t, uint32_t step)
{
	return !run->several_streams || run->producer[t] == step;
}

static int end_lives(struct run *run, uint32_t stream, uint32_t step)
{
	const struct by_step *dying = &run->lists[DYING];

	for (uint32_t t = dying->first[step]; t != NONE; t = dying->next[t])
		if (may_look(run, t, step) &&
			mp_replay_compare_all(run, stream, step, t))
			return 1;
	return 0;
}

/* Tensors with lifetimes that go on to this step, if they are written. */
static int look_at_holds(struct run *run, uint32_t stream, uint32_t step)
{
	const struct holds *holds = &run->holds;

	if (!run->in_one_stream || holds->n == 0)
		return 0;
	for (uint32_t i = holds->first[step]; i != NONE; i = holds->next[i])
		if (run->key[holds->tensor[i]] != 0 &&
			mp_replay_compare_all(
				run, stream, step, holds->tensor[i]))
			return 1;
	return 0;
}

/* Keeps the key of the bytes that were alive. */
static int poison_tensor(struct run *run, uint32_t stream, uint32_t t)
{
	uint64_t key = mp_replay_key(run, run->repeat, t, WRITER_POISON);
	struct memplan_range range;

	if (outlives_runs(run, t) || !mp_replay_takes_bytes(run, t))
		return 0;
	range = mp_replay_range(run, t);
	return run->device->row->fill(run->device, stream, &range, key);
}

static int poison_taken_over(
	struct run *run, const struct memplan_op *op, uint32_t step)
{
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		uint32_t t = op->inputs[i];

		if (run->plan->tensors[t].end == step &&
			run->poison_at[t] == step &&
			poison_tensor(run, op->stream, t))
			return 1;
	}
	return 0;
}

static int poison_dead(struct run *run, uint32_t stream, uint32_t step)
{
	const struct by_step *dead = &run->lists[POISONED];

	for (uint32_t t = dead->first[step]; t != NONE; t = dead->next[t])
		if (run->plan->tensors[t].end > step &&
			poison_tensor(run, stream, t))
			return 1;
	return 0;
}

/* Events order streams; within one stream there is no need to wait. The event
 * of a number from n_ops on is that of a birth at that step. */
static int await_op(struct run *run, const struct memplan_op *op,
	uint32_t earlier, uint32_t event)
{
	if (earlier >= run->plan->n_ops ||
		run->plan->ops[earlier].stream == op->stream)
		return 0;
	return run->device->row->await(run->device, op->stream, event);
}

/* Waits for the ops that wrote the inputs, for the caller to have written them,
 * and for ops that the plan names, and for no others. */
static int await_others(struct run *run, const struct memplan_op *op)
{
	uint32_t n_ops = run->plan->n_ops, earlier;

	for (uint32_t i = 0; i < op->n_inputs; i++) {
		earlier = run->producer[op->inputs[i]];
		if (await_op(run, op, earlier, earlier))
			return 1;
		earlier = mp_replay_late_birth(run, op->inputs[i]);
		if (await_op(run, op, earlier, n_ops + earlier))
			return 1;
	}
	for (uint32_t i = 0; i < op->n_after; i++) {
		if (op->after[i] >= n_ops)
			continue;
		earlier = run->step_of[op->after[i]];
		if (await_op(run, op, earlier, earlier))
			return 1;
	}
	return 0;
}

/* Without ops no op runs and time passes. */
static struct memplan_op op_at(const struct run *run, uint32_t step)
{
	struct memplan_op op = {0};

	if (step < run->plan->n_ops)
		op = run->plan->ops[step];
	if (run->in_one_stream)
		op.stream = 0;
	return op;
}

static int has_events(const struct run *run)
{
	return run->several_streams && !run->in_one_stream;
}

/* What the caller writes before the first step is there for all streams. */
static int be_born(struct run *run, uint32_t stream, uint32_t step)
{
	if (step == 0)
		return 0;
	if (begin_lives(run, stream, step))
		return 1;
	return has_events(run) && run->lists[BORN].first[step] != NONE &&
	       run->device->row->record(
		       run->device, stream, run->plan->n_ops + step);
}

int mp_replay_begin_step(struct run *run, uint32_t step)
{
	const struct memplan_op op = op_at(run, step);

	return (has_events(run) && await_others(run, &op)) ||
	       pass_gaps(run, op.stream, step) ||
	       be_born(run, op.stream, step) ||
	       compare_inputs(run, &op, step, 1) ||
	       poison_taken_over(run, &op, step) ||
	       write_temporaries(run, &op) ||
	       write_outputs(run, &op, step, FIRST) ||
	       write_outputs(run, &op, step, BEHIND_BASE);
}

int mp_replay_end_step(struct run *run, uint32_t step)
{
	const struct memplan_op op = op_at(run, step);

	return compare_inputs(run, &op, step, 0) ||
	       end_lives(run, op.stream, step) ||
	       look_at_holds(run, op.stream, step) ||
	       poison_dead(run, op.stream, step) ||
	       write_outputs(run, &op, step, LAST) ||
	       (has_events(run) &&
		       run->device->row->record(run->device, op.stream, step));
}

int mp_replay_begin_run(struct run *run)
{
	mp_replay_choose(run);
	for (uint32_t t = 0; t < run->plan->n_tensors; t++) {
		run->looked[t] = NO_OP;
		run->away[t] = 0;
		if (!outlives_runs(run, t))
			run->key[t] = 0;
	}
	return begin_lives(run, op_at(run, 0).stream, 0) ||
	       (has_events(run) && run->device->row->finish(run->device));
}

/* With several streams, what lives to the end is compared when all are done. */
static int end_all_lives(struct run *run)
{
	const struct by_step *dying = &run->lists[DYING];
	uint32_t last = run->plan->n_steps - 1;

	if (!run->several_streams)
		return 0;
	if (has_events(run) && run->device->row->finish(run->device))
		return 1;
	for (uint32_t t = dying->first[last]; t != NONE; t = dying->next[t]) {
		run->looked[t] = NO_OP;
		if (mp_replay_compare_all(run, 0, last, t))
			return 1;
	}
	return 0;
}

int mp_replay_end_run(struct run *run)
{
	return end_all_lives(run) || mp_replay_look(run);
}

int mp_replay_once(struct run *run)
{
	if (mp_replay_begin_run(run))
		return 1;
	for (uint32_t step = 0; step < run->plan->n_steps; step++)
		if (mp_replay_begin_step(run, step) ||
			mp_replay_end_step(run, step))
			return 1;
	return mp_replay_end_run(run);
}
