/*
 * Names of files, and which of them are one file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_PATHS_H
#define MP_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Length of what stands in front of the last part of a name, with its slash. */
size_t cli_paths_folder(const char *name);

/* What a file calls by this name: a name that is not absolute counts from the
 * folder of the file. NULL: memory is out. */
char *cli_paths_beside(const char *file, const char *name, struct arena *arena);

/* The name behind all links, in the arena. The file need not exist. NULL:
 * memory is out. */
char *cli_paths_follow(const char *name, struct arena *arena);

/* Is the file below the folder of the other one, behind all links? */
bool cli_paths_is_below(
	const char *name, const char *other, struct arena *arena);

/* Files that a command reads and writes. */
struct paths {
	struct path *last;
	struct arena *arena;
};

/* Adds a file that is read, "-" for stdin, or one that is written. False: it is
 * written, and is one that was added before, by whatever name; or it was
 * written before. Prints which. Files that do not exist are told apart by their
 * names; devices and pipes may be read and written at will. */
bool cli_paths_read(struct paths *paths, const char *name);
bool cli_paths_write(struct paths *paths, const char *name);

/* The name of file i, as it was given; NULL beyond the last. */
const char *cli_paths_name(const struct paths *paths, uint32_t i);

#endif
