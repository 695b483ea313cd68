/*
 * Maps and reads files with POSIX calls.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* madvise() */
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"
#include "cli/signals.h"

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

/* ---------------------------------------------------------- reading */

static size_t expected_size(int fd)
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size < LARGEST)
		return (size_t)status.st_size + 1;
	return FIRST_ROOM;
}

static enum memplan_status cannot_read(const struct file *file)
{
	cli_complain(file->name, "cannot read");
	return errno == ENOMEM ? MEMPLAN_ENOMEM : MEMPLAN_EIO;
}

/* Room for the bytes and one more: the end of a file shows only behind it. */
static enum memplan_status make_room(
	struct file *file, size_t wanted, uint64_t most, size_t *room)
{
	char *bytes = NULL;

	if (wanted > LARGEST) {
		errno = EFBIG;
		return cannot_read(file);
	}
	if (wanted <= most)
		bytes = realloc(file->bytes, wanted);
	if (!bytes) {
		cli_say("%s: error: out of memory at byte %zu of the file\n",
			file->name, file->length);
		return MEMPLAN_ENOMEM;
	}
	file->bytes = bytes;
	*room = wanted;
	return MEMPLAN_OK;
}

static enum memplan_status read_all(int fd, uint64_t most, struct file *file)
{
	size_t room = 0, wanted = expected_size(fd);
	enum memplan_status status = make_room(file, wanted, most, &room);
	ssize_t got;

	while (status == MEMPLAN_OK) {
		got = read(fd, file->bytes + file->length, room - file->length);
		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return cannot_read(file);
		if (got > 0)
			file->length += (size_t)got;
		if (file->length == room)
			status = make_room(file, room * 2, most, &room);
	}
	return status;
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
	cli_signals_clean();
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

static enum memplan_status get(int fd, uint64_t most, struct file *file)
{
	struct stat status;

	if (!may_map(fd, &status))
		return read_all(fd, most, file);
	if (status.st_size > LARGEST_MAPPED) {
		errno = EFBIG;
		return cannot_read(file);
	}
	return map(fd, status.st_size, file) ? MEMPLAN_OK
					     : read_all(fd, most, file);
}

enum memplan_status cli_file_read(
	const char *name, uint64_t most, struct file *file)
{
	bool from_stdin = strcmp(name, "-") == 0;
	int fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	enum memplan_status status;

	*file = (struct file){
		.name = from_stdin ? "stdin" : name, .is_stdin = from_stdin};
	if (fd < 0) {
		cli_complain(name, "cannot open");
		return MEMPLAN_EIO;
	}
	status = get(fd, most, file);
	if (!from_stdin)
		close(fd);
	if (status != MEMPLAN_OK)
		cli_file_free(file);
	return status;
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
