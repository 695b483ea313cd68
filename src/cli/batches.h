/*
 * Several batches of one graph: do its tensors grow with the batch? A plan for
 * an upper bound serves all smaller batches only if they do.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_BATCHES_H
#define MP_CLI_BATCHES_H

#include "cli/session.h"

/* One of them, planned. */
struct batch {
	const char *text; /* as it was given */
	uint64_t number;
	const memplan *plan;
};

/* Warns of tensors that a greater batch has smaller. A batch that is no number
 * is left out. Sorts the batches. */
enum memplan_status cli_batches_check(const struct arguments *arguments,
	const char *input, struct batch *batches, uint32_t n);

#endif
