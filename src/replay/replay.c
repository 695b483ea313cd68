/*
 * Replay: allocates its state, does the runs, and measures the device's copies.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#include "memplan/replay.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "replay/inside.h"

enum {
	LARGE = 128 << 20, /* bytes that measure the rate of copies */
	COPIES = 3,
};

static double read_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---------------------------------------------------------- indices */

/* The step at which the caller writes a tensor that no op has written yet:
 * before all ops if it is not clear that this is before the producer. */
static uint32_t birth_of(const struct run *run, uint32_t t)
{
	uint32_t start = run->plan->tensors[t].start;
	uint32_t producer = run->producer[t];

	if (run->waits.n_lanes > 0 && producer != NO_OP && start < producer &&
		!mp_replay_is_ordered(run, start, producer))
		return 0;
	return start;
}

/* The step of that moment of a tensor, or of a gap. */
static uint32_t step_of(const struct run *run, uint32_t i, enum moment moment)
{
	const struct memplan_replay_plan *plan = run->plan;
	int is_gap = moment == LEAVING || moment == RETURNING;
	uint32_t t = is_gap ? plan->gaps[i].tensor : i;

	if (plan->tensors[t].external || plan->tensors[t].size == 0)
		return plan->n_steps;
	switch (moment) {
	case BORN:
		return birth_of(run, i);
	case DYING:
		return plan->tensors[i].end - 1;
	case POISONED:
		return run->poison_at[i];
	case LEAVING:
		return plan->gaps[i].start;
	case RETURNING:
		return plan->gaps[i].end;
	case N_MOMENTS:
		break;
	}
	return plan->n_steps;
}

/* Lists tensors, or gaps, by the step of that moment. Each is put in front of
 * its list, so the last one comes first. */
static void sort_by_step(struct run *run, enum moment moment, uint32_t n_listed)
{
	struct by_step *list = &run->lists[moment];
	uint32_t n = run->plan->n_steps, step;

	list->first = mp_replay_array(run, n, sizeof(*list->first));
	list->next = mp_replay_array(run, n_listed, sizeof(*list->next));
	if (run->is_out)
		return;
	for (uint32_t k = 0; k < n; k++)
		list->first[k] = NONE;
	for (uint32_t i = n_listed; i-- > 0;) {
		step = step_of(run, i, moment);
		if (step >= n)
			continue;
		list->next[i] = list->first[step];
		list->first[step] = i;
	}
}

/* With several streams a tensor with gaps is kept through its gaps. */
static void sort_all(struct run *run)
{
	uint32_t n_gaps = run->several_streams ? 0 : run->plan->n_gaps;

	for (enum moment moment = BORN; moment <= POISONED; moment++)
		sort_by_step(run, moment, run->plan->n_tensors);
	sort_by_step(run, LEAVING, n_gaps);
	sort_by_step(run, RETURNING, n_gaps);
}

static void set_producers(
	struct run *run, uint32_t step, const uint32_t *tensors, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		run->producer[tensors[i]] = step;
}

static void index_ops(struct run *run)
{
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		run->producer[t] = run->last_read[t] = NO_OP;
	for (uint32_t step = 0; step < run->plan->n_ops; step++) {
		const struct memplan_op *op = &run->plan->ops[step];

		set_producers(run, step, op->outputs, op->n_outputs);
		set_producers(run, step, op->temporaries, op->n_temporaries);
		for (uint32_t i = 0; i < op->n_inputs; i++)
			run->last_read[op->inputs[i]] = step;
		if (op->index < run->plan->n_ops)
			run->step_of[op->index] = step;
		run->several_streams |= op->stream != run->plan->ops[0].stream;
	}
}

static void allocate_indices(struct run *run)
{
	uint32_t n = run->plan->n_tensors;

	assert(run->n_pools > 0);
	run->step_of =
		mp_replay_array(run, run->plan->n_ops, sizeof(*run->step_of));
	run->producer = mp_replay_array(run, n, sizeof(*run->producer));
	run->last_read = mp_replay_array(run, n, sizeof(*run->last_read));
	run->looked = mp_replay_array(run, n, sizeof(*run->looked));
	run->poison_at = mp_replay_array(run, n, sizeof(*run->poison_at));
	run->key = mp_replay_array(run, n, sizeof(*run->key));
	run->away = mp_replay_array(run, n, sizeof(*run->away));
	run->blocks = mp_replay_array(run, run->n_pools, sizeof(*run->blocks));
	run->checks = mp_replay_array(run, MOST_CHECKS, sizeof(*run->checks));
	run->findings =
		mp_replay_array(run, MOST_CHECKS, sizeof(*run->findings));
}

static int pools_are_known(const struct run *run)
{
	if (run->n_pools == 0)
		return 0;
	for (uint32_t t = 0; t < run->plan->n_tensors; t++)
		if (mp_replay_takes_bytes(run, t) &&
			run->plan->tensors[t].pool >= run->n_pools)
			return 0;
	return 1;
}

static enum memplan_status prepare_run(struct run *run)
{
	enum memplan_status status;

	if (!pools_are_known(run))
		return MEMPLAN_EUSAGE;
	allocate_indices(run);
	if (run->is_out)
		return MEMPLAN_ENOMEM;
	index_ops(run);
	status = mp_replay_tie(run);
	if (status == MEMPLAN_OK)
		status = mp_replay_find_choices(run);
	if (status == MEMPLAN_OK)
		status = mp_replay_find_waits(run);
	if (status == MEMPLAN_OK)
		status = mp_replay_choose_poison(run);
	if (status == MEMPLAN_OK)
		status = mp_replay_find_holds(run);
	if (status == MEMPLAN_OK)
		status = mp_replay_prepare_orders(run);
	if (status != MEMPLAN_OK)
		return status;
	sort_all(run);
	return run->is_out ? MEMPLAN_ENOMEM : MEMPLAN_OK;
}

/* ----------------------------------------------------------- blocks */

/* Allocates a block for each pool, and one for the findings. */
static int allocate_blocks(struct run *run)
{
	struct memplan_pool slots = {
		MOST_CHECKS * sizeof(*run->findings), sizeof(uint64_t)};

	for (uint32_t i = 0; i <= run->n_pools; i++, run->n_blocks++)
		if (memplan_block_allocate(run->device,
			    i < run->n_pools ? &run->pools[i] : &slots,
			    &run->blocks[i]))
			return 1;
	run->slots = run->blocks[run->n_pools].address;
	return run->device->row->copy(run->device, run->slots,
		(uintptr_t)run->findings, slots.size, MEMPLAN_TO_DEVICE);
}

/* Touches all pages first, so that the replay's time does not include it. */
static int touch_block(struct run *run, const struct memplan_block *block)
{
	struct memplan_range range = {block->address, block->size};

	return run->device->row->fill(
		       run->device, 0, &range, run->options->seed) ||
	       run->device->row->finish(run->device);
}

/* Copies one half of a block onto the other. */
static int copy_within(struct run *run, const struct memplan_block *block)
{
	const struct memplan_device_row *row = run->device->row;
	uint64_t half = block->size / 2;
	double start = read_clock();

	for (uint32_t i = 0; i < COPIES; i++)
		if (row->copy(run->device, block->address + half,
			    block->address, half, MEMPLAN_ON_DEVICE))
			return 1;
	if (row->finish(run->device))
		return 1;
	run->result->copy_per_second =
		COPIES * (double)half / (read_clock() - start + 1e-9);
	return 0;
}

static const struct memplan_block *largest_block(const struct run *run)
{
	const struct memplan_block *largest = &run->blocks[0];

	for (uint32_t i = 1; i < run->n_pools; i++)
		if (run->blocks[i].size > largest->size)
			largest = &run->blocks[i];
	return largest;
}

/* Measures in a block too large for caches: a new one if the plan's are small.
 * If memory is out, the rate stays unknown. */
static int measure_copy(struct run *run)
{
	struct memplan_pool pool = {LARGE, 1};
	struct memplan_block block;
	int failed;

	if (!run->options->measure)
		return 0;
	if (largest_block(run)->size >= LARGE)
		return copy_within(run, largest_block(run));
	if (memplan_block_allocate(run->device, &pool, &block)) {
		run->device->code = 0;
		return 0;
	}
	failed = touch_block(run, &block) || copy_within(run, &block);
	return memplan_block_release(run->device, &block) || failed;
}

static int repeat_runs(struct run *run)
{
	double start;
	int failed = 0;

	for (uint32_t i = 0; i < run->n_pools && !failed; i++)
		failed = touch_block(run, &run->blocks[i]);
	failed = failed || measure_copy(run);
	start = read_clock();
	for (; !failed && run->repeat < run->result->runs; run->repeat++)
		failed = mp_replay_once(run);
	failed = failed || mp_replay_other_orders(run);
	run->result->seconds = read_clock() - start;
	return failed;
}

/* The text of the first failure is kept. */
static enum memplan_status run_on_blocks(struct run *run)
{
	int failed = allocate_blocks(run) || repeat_runs(run);
	struct memplan_device device = *run->device;

	while (run->n_blocks > 0)
		failed |= memplan_block_release(
			run->device, &run->blocks[--run->n_blocks]);
	if (device.code != 0)
		*run->device = device;
	if (failed)
		return MEMPLAN_EIO;
	return run->result->n_overwritten > 0 ? MEMPLAN_NO : MEMPLAN_OK;
}

enum memplan_status memplan_replay(struct memplan_device *device,
	const struct memplan_replay_plan *plan,
	const struct memplan_replay_options *options,
	struct memplan_replay_result *result)
{
	struct run run = {.device = device,
		.plan = plan,
		.options = options,
		.result = result,
		.pools = plan->pools ? plan->pools : &plan->arena,
		.n_pools = plan->pools ? plan->n_pools : 1};
	enum memplan_status status;

	assert(device->row);
	*result = (struct memplan_replay_result){0};
	status = prepare_run(&run);
	if (status == MEMPLAN_OK)
		status = run_on_blocks(&run);
	while (run.n_arrays > 0)
		free(run.arrays[--run.n_arrays]);
	return status;
}
