/*
 * A replay and its report.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_COMMAND_REPLAY_H
#define MP_CLI_COMMAND_REPLAY_H

#include "cli/session.h"
#include "memplan/replay.h"

struct replay {
	struct session session;
	const struct arguments *arguments;
	struct memplan_tensor *tensors;
	struct memplan_op *ops;
	struct memplan_gap *gaps;
	struct memplan_memory *memories;
	struct memplan_pool *pools; /* the same, as blocks */
	struct memplan_replay_plan plan;
	struct memplan_replay_options options;
	struct memplan_replay_result result;
};

/* Prints on stderr which tensors were overwritten, and by which writer. */
void cli_replay_tell(const struct replay *r);

/* Prints on stdout what was done, as text or as JSON. */
void cli_replay_print(const struct replay *r, const char *device);
void cli_replay_json(const struct replay *r, const char *device);

#endif
