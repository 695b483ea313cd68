/*
 * What the tests of replay share: a plan that is written down here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_REPLAY_TESTING_H
#define MP_REPLAY_TESTING_H

#include <criterion/criterion.h>
#include <string.h>

#include "memplan/replay.h"

enum {
	A,
	B,
	C,
	N_TENSORS,
	KIND_STATE = 4,
};

static const uint32_t ids[N_TENSORS] = {A, B, C};

/* f writes A, g reads it and writes B, h reads B and writes C. */
static struct memplan_tensor tensors[N_TENSORS];
static struct memplan_op ops[3];
static struct memplan_replay_plan plan;
static struct memplan_replay_options options;
static struct memplan_replay_result result;

static inline void reset(void)
{
	const struct memplan_tensor chain[N_TENSORS] = {
		{.name = "A", .offset = 0, .size = 1000, .end = 2},
		{.name = "B", .offset = 1024, .size = 77, .start = 1, .end = 3},
		{.name = "C", .offset = 0, .size = 1000, .start = 2, .end = 3},
	};

	memcpy(tensors, chain, sizeof(chain));
	ops[0] = (struct memplan_op){
		.name = "f", .outputs = &ids[A], .n_outputs = 1};
	ops[1] = (struct memplan_op){.name = "g",
		.inputs = &ids[A],
		.outputs = &ids[B],
		.n_inputs = 1,
		.n_outputs = 1};
	ops[2] = (struct memplan_op){.name = "h",
		.inputs = &ids[B],
		.outputs = &ids[C],
		.n_inputs = 1,
		.n_outputs = 1};
	plan = (struct memplan_replay_plan){tensors, ops, N_TENSORS, 3, 3,
		{4096, 4096}, NULL, 0, 0, NULL, NULL, 0};
	options = (struct memplan_replay_options){.repeat = 2, .seed = 5};
}

static inline enum memplan_status replay_on(const char *name)
{
	struct memplan_device device;
	enum memplan_status status;

	cr_assert_eq(
		memplan_device_open(&device, name, NULL), 0, "%s", device.text);
	status = memplan_replay(&device, &plan, &options, &result);
	cr_assert_neq(status, MEMPLAN_EIO, "%s", device.text);
	memplan_device_close(&device);
	return status;
}

static inline void expect_overwrite(uint32_t step, uint32_t tensor,
	uint32_t culprit, enum memplan_writer writer, uint64_t at)
{
	const struct memplan_overwrite *first = &result.overwrites[0];

	cr_assert_geq(result.n_overwritten, 1);
	cr_assert_eq(first->step, step);
	cr_assert_eq(first->tensor, tensor);
	cr_assert_eq(first->culprit, culprit);
	cr_assert_eq(first->writer, writer);
	cr_assert_eq(first->at, at);
}

#endif
