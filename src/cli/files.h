/*
 * Files of the command line: reads whole files, and writes whole files or none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_FILES_H
#define MP_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct file {
	const char *name;
	char *bytes; /* read only; NULL: none */
	size_t length;
	bool is_stdin;
	bool is_mapped; /* else the bytes were read */
};

/* Opens a file, or stdin for "-", for reading. A large regular file is mapped,
 * so that bytes that are never looked at are never read; all else is read. On
 * failure prints why; false. */
bool cli_file_read(const char *name, struct file *file);

/* Gives back the memory of a mapped file. The bytes stay, and are read again
 * where they are looked at. */
void cli_file_page_out(const struct file *file);

/* Frees the bytes. */
void cli_file_free(struct file *file);

/* True if the file can be opened for reading. */
bool cli_file_exists(const char *name);

/* Appends to a file. On failure prints why; false. */
bool cli_file_append(const char *name, const void *bytes, size_t length);

/* A file that is being written: it lies beside its place until it is complete.
 */
struct draft {
	const char *name; /* where it goes; "-": stdout */
	char *temporary;  /* in the arena; NULL: written in place, or moved */
};

/* Writes the bytes beside their place and flushes them. On failure prints why,
 * leaves nothing behind; false. */
bool cli_draft_write(struct draft *draft, const char *name, const void *bytes,
	size_t length, struct arena *arena);

/* Puts the file in its place. On failure prints why; false. */
bool cli_draft_commit(struct draft *draft);

/* Removes a file that was not put in its place. */
void cli_draft_discard(struct draft *draft);

#endif
