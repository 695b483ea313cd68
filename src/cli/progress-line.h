/*
 * What a terminal gets besides text: a line of progress, and colour.
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

/* From here to the end the handle's progress is shown, if it should be. */
void cli_progress_begin(struct progress *progress,
	const struct arguments *arguments, memplan *plan);
void cli_progress_end(struct progress *progress, memplan *plan);

/* Whether stderr gets colour: --color, else NO_COLOR and the terminal say. */
bool cli_color(const struct arguments *arguments);

#endif
