/*
 * Maps, reads and writes files with POSIX calls.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* madvise() */
#include "cli/files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_ROOM = 64 * 1024,
	/* What is read into memory is text of tens of megabytes at most. The
	 * limit stops endless files such as /dev/zero. */
	LARGEST = 1 << 30,
	/* Smaller files are read: what another program does to them later on is
	 * then of no matter. */
	MAPPED_FROM = 1 << 20,
};

/* Models have at most 2 GiB, for their formats count in 32 bits with a sign. */
#define LARGEST_MAPPED ((off_t)1 << 31)

static bool complain(const char *name, const char *what)
{
	fprintf(stderr, "%s: error: %s: %s\n", name, what, strerror(errno));
	return false;
}

/* ---------------------------------------------------------- reading */

static size_t expected_size(int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size < LARGEST)
		return (size_t)status.st_size + 1;
	return FIRST_ROOM;
}

static bool grow(struct file *file, size_t *room)
{
	char *bytes;

	if (*room >= LARGEST) {
		errno = EFBIG;
		return complain(file->name, "cannot read");
	}
	*room *= 2;
	bytes = realloc(file->bytes, *room);
	if (!bytes)
		return complain(file->name, "cannot read");
	file->bytes = bytes;
	return true;
}

static bool read_all(int fd, struct file *file)
{
	size_t room = expected_size(fd);
	ssize_t got;

	file->bytes = malloc(room);
	if (!file->bytes)
		return complain(file->name, "cannot read");
	for (;;) {
		got = read(fd, file->bytes + file->length, room - file->length);
		if (got == 0)
			return true;
		if (got < 0 && errno != EINTR)
			return complain(file->name, "cannot read");
		if (got > 0)
			file->length += (size_t)got;
		if (file->length == room && !grow(file, &room))
			return false;
	}
}

/* ---------------------------------------------------------- mapping */

/* A page of a mapped file is gone: the file was made shorter. */
static void end_without_page(int signal_number)
{
	static const char text[] =
		"memplan: an input became shorter while it was read\n";

	ssize_t put = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)signal_number;
	(void)put;
	_exit(MEMPLAN_EIO);
}

static bool may_map(int fd, struct stat *status)
{
	return fstat(fd, status) == 0 && S_ISREG(status->st_mode) &&
	       status->st_size >= MAPPED_FROM && lseek(fd, 0, SEEK_CUR) == 0;
}

/* False: the file is left to be read. */
static bool map(int fd, off_t size, struct file *file)
{
	void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (bytes == MAP_FAILED)
		return false;
	signal(SIGBUS, end_without_page);
	file->bytes = bytes;
	file->length = (size_t)size;
	file->is_mapped = true;
	return true;
}

void cli_file_page_out(const struct file *file)
{
	if (file->is_mapped)
		madvise(file->bytes, file->length, MADV_DONTNEED);
}

/* ------------------------------------------------------------- both */

static bool get(int fd, struct file *file)
{
	struct stat status;

	if (!may_map(fd, &status))
		return read_all(fd, file);
	if (status.st_size > LARGEST_MAPPED) {
		errno = EFBIG;
		return complain(file->name, "cannot read");
	}
	return map(fd, status.st_size, file) || read_all(fd, file);
}

bool cli_file_read(const char *name, struct file *file)
{
	bool from_stdin = strcmp(name, "-") == 0, fine;
	int fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);

	*file = (struct file){
		.name = from_stdin ? "stdin" : name, .is_stdin = from_stdin};
	if (fd < 0)
		return complain(name, "cannot open");
	fine = get(fd, file);
	if (!from_stdin)
		close(fd);
	if (!fine)
		cli_file_free(file);
	return fine;
}

bool cli_file_exists(const char *name)
{
	return access(name, R_OK) == 0;
}

void cli_file_free(struct file *file)
{
	if (file->is_mapped)
		munmap(file->bytes, file->length);
	else
		free(file->bytes);
	file->bytes = NULL;
	file->length = 0;
}

/* ---------------------------------------------------------- writing */

static bool write_all(
	int fd, const char *name, const void *bytes, size_t length)
{
	const char *at = bytes;
	ssize_t put;

	while (length > 0) {
		put = write(fd, at, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return complain(name, "cannot write");
		at += put;
		length -= (size_t)put;
	}
	return true;
}

/* A device or a pipe is written in place: it cannot be renamed. */
static bool is_special(const char *name)
{
	struct stat status;

	return stat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

/* A draft is flushed too. */
static bool write_and_close(int fd, const char *name, const void *bytes,
	size_t length, bool is_draft)
{
	bool fine;

	if (fd < 0)
		return complain(
			name, is_draft ? "cannot create" : "cannot open");
	fine = write_all(fd, name, bytes, length);
	if (fine && is_draft && fsync(fd) < 0)
		fine = complain(name, "cannot write");
	if (close(fd) < 0 && fine)
		fine = complain(name, "cannot write");
	return fine;
}

bool cli_file_append(const char *name, const void *bytes, size_t length)
{
	return write_and_close(
		open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666),
		name, bytes, length, false);
}

/* mkstemp() makes files private; this gives the file the rights that open()
 * would give it. */
static int create_beside(struct draft *draft, struct arena *arena)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	draft->temporary = mp_arena_print(arena, "%s.XXXXXX", draft->name);
	if (!draft->temporary)
		return -1;
	fd = mkstemp(draft->temporary);
	if (fd >= 0)
		fchmod(fd, 0666 & ~mask);
	else
		draft->temporary = NULL;
	return fd;
}

bool cli_draft_write(struct draft *draft, const char *name, const void *bytes,
	size_t length, struct arena *arena)
{
	*draft = (struct draft){name, NULL};
	if (strcmp(name, "-") == 0)
		return write_all(STDOUT_FILENO, "stdout", bytes, length);
	if (is_special(name))
		return write_and_close(open(name, O_WRONLY | O_CLOEXEC), name,
			bytes, length, false);
	if (write_and_close(
		    create_beside(draft, arena), name, bytes, length, true))
		return true;
	cli_draft_discard(draft);
	return false;
}

bool cli_draft_commit(struct draft *draft)
{
	assert(draft->name || !draft->temporary);
	if (!draft->temporary)
		return true;
	if (rename(draft->temporary, draft->name) < 0) {
		complain(draft->name, "cannot replace");
		cli_draft_discard(draft);
		return false;
	}
	draft->temporary = NULL;
	return true;
}

void cli_draft_discard(struct draft *draft)
{
	if (!draft->temporary)
		return;
	unlink(draft->temporary);
	draft->temporary = NULL;
}
