/*
 * Replays a plan of one's own making: two tensors, the second in the first's
 * place although the first is still needed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/replay.h>
#include <stdio.h>

int main(void)
{
	static const uint32_t a = 0, b = 1;
	struct memplan_tensor tensors[2] = {
		{.name = "a", .size = 100, .start = 0, .end = 2},
		{.name = "b", .size = 100, .start = 1, .end = 2},
	};
	struct memplan_op ops[2] = {
		{.name = "f", .outputs = &a, .n_outputs = 1},
		{.name = "g",
			.inputs = &a,
			.outputs = &b,
			.n_inputs = 1,
			.n_outputs = 1},
	};
	struct memplan_replay_plan plan = {tensors, ops, 2, 2, 2, {4096, 64}};
	struct memplan_replay_options options = {.repeat = 1};
	struct memplan_replay_result result;
	struct memplan_device device;

	if (memplan_device_open(&device, "host", NULL))
		return 1;
	if (memplan_replay(&device, &plan, &options, &result) != MEMPLAN_NO)
		return 1;
	printf("tensor %u overwrites tensor %u\n", result.overwrites[0].culprit,
		result.overwrites[0].tensor);
	memplan_device_close(&device);
	return 0;
}
