/*
 * The rows of a budget as jobs: memplan gate with --store.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_GATE_STORE_H
#define MP_CLI_GATE_STORE_H

#include "cli/runner.h"
#include "memplan/gate.h"

struct gate_store {
	struct runner runner;
	memplan_gate *gate;
	const char *budget;  /* name of the file */
	struct settings all; /* options of the command line */
	struct digests *digests;
};

/* The output that a row with a baseline has. */
#define GATE_BASELINE "plan.json"

/* Opens the store, and plans the rows that it has no answers to. A row that
 * cannot be planned has no answer then. Not OK: there is no store. */
enum memplan_status cli_gate_store_begin(struct gate_store *store,
	const struct arguments *arguments, memplan_gate *gate,
	const char *budget);

/* The answer to row i, in the arguments' arena, with what it says told. Not OK:
 * there is none. */
enum memplan_status cli_gate_store_answer(
	struct gate_store *store, uint32_t i, struct answer *answer);

void cli_gate_store_end(struct gate_store *store);

#endif
