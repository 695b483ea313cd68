/*
 * Files that a command reads, as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_CLI_FILES_H
#define MP_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memplan/status.h"

struct file {
	const char *name;
	char *bytes; /* read only; NULL: none */
	size_t length;
	bool is_stdin;
	bool is_mapped; /* else the bytes were read */
};

/* Opens a file, or stdin for "-", for reading. A large regular file is mapped,
 * so that bytes that are never looked at are never read; all else is read, in
 * at most so many bytes of memory. On failure prints why. */
enum memplan_status cli_file_read(
	const char *name, uint64_t most, struct file *file);

/* Gives back the memory of a mapped file. The bytes stay, and are read again
 * where they are looked at. */
void cli_file_page_out(const struct file *file);

/* Frees the bytes. */
void cli_file_free(struct file *file);

/* True if the file can be opened for reading. */
bool cli_file_exists(const char *name);

#endif
