/*
 * Files that a command writes: all of them or none. Each lies beside its place
 * until all are complete; then they go to their places together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_DRAFTS_H
#define MP_CLI_DRAFTS_H

#include <stddef.h>

#include "base/arena.h"

struct drafts {
	struct draft *last; /* newest first */
	struct arena *arena;
};

/* Writes the bytes beside the file of that name, or of what it links to, and
 * flushes them; "-" is stdout, which is written at once, and so are devices and
 * pipes. A file that is there keeps its rights, and must be writable. On
 * failure prints why. */
enum memplan_status cli_drafts_add(struct drafts *drafts, const char *name,
	const void *bytes, size_t length);

/* Puts all files in their places, and the folders on disk. If one cannot be
 * put, prints why, and all files are as they were. */
enum memplan_status cli_drafts_commit(struct drafts *drafts);

/* Removes what was not put in its place. */
void cli_drafts_discard(struct drafts *drafts);

/* Appends to a file. On failure prints why. */
enum memplan_status cli_drafts_append(
	const char *name, const void *bytes, size_t length);

#endif
