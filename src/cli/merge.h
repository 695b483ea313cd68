/*
 * Puts the answers of a sweep together, as files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_MERGE_H
#define MP_CLI_MERGE_H

#include "cli/runner.h"

/* Writes the outputs of the runner's arguments from the answers to all jobs.
 * MEMPLAN_NO, and no output: an answer is missing, or there are two; prints
 * which. */
enum memplan_status cli_merge(struct runner *runner);

#endif
