/*
 * What memplan writes to a terminal besides text: a line of progress, and
 * colour.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_PROGRESS_LINE_H
#define MP_CLI_PROGRESS_LINE_H

#include "cli/arguments.h"
#include "memplan/memplan.h"

struct progress {
	bool terminal, shown;
	long long drawn; /* when, in milliseconds */
};

/* From here to the end shows the handle's progress, if the options ask for it.
 */
void cli_progress_begin(struct progress *progress,
	const struct arguments *arguments, memplan *plan);
void cli_progress_end(struct progress *progress, memplan *plan);

/* True if stderr gets colour: --color decides, else NO_COLOR and whether it is
 * a terminal. */
bool cli_color(const struct arguments *arguments);

#endif
