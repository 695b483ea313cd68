/*
 * Reads files, and maps large ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sink-text.h"
#include "cli/say.h"
#include "cli/system.h"

enum {
	FIRST_ROOM = 64 * 1024,
	/* What is read into memory is text of tens of megabytes at most. The
	 * limit stops endless files such as /dev/zero. */
	LARGEST = 1 << 30,
	/* Smaller files are read: what another program does to them later on is
	 * then of no matter. */
	MAPPED_FROM = 1 << 20,
};

/* Models count in 32 bits with a sign, but may have weights behind 2 GiB. */
#define LARGEST_MAPPED (UINT64_C(1) << 36)

/* ---------------------------------------------------------- reading */

static size_t expected_size(int fd)
{
	struct system_file facts = cli_system_look_at(fd);

	return facts.is_regular && facts.size < LARGEST ? (size_t)facts.size + 1
							: FIRST_ROOM;
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
		cli_say("%s: error: out of memory: %zu byte%s of the file%s\n",
			file->name, wanted - 1, mp_text_plural(wanted - 1),
			wanted > most ? ", over --max-memory" : "");
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
	long long got;

	while (status == MEMPLAN_OK) {
		got = cli_system_read(
			fd, file->bytes + file->length, room - file->length);
		if (got == 0)
			break;
		if (got < 0)
			return cannot_read(file);
		file->length += (size_t)got;
		if (file->length == room)
			status = make_room(file, room * 2, most, &room);
	}
	return status;
}

/* ---------------------------------------------------------- mapping */

/* False: the file is left to be read. */
static bool map(int fd, uint64_t size, struct file *file)
{
	void *bytes = cli_system_map(fd, (size_t)size);

	if (!bytes)
		return false;
	file->bytes = bytes;
	file->length = (size_t)size;
	file->is_mapped = true;
	return true;
}

void cli_file_page_out(const struct file *file)
{
	if (file->is_mapped)
		cli_system_page_out(file->bytes, file->length);
}

/* ------------------------------------------------------------- both */

static enum memplan_status get(int fd, uint64_t most, struct file *file)
{
	struct system_file facts = cli_system_look_at(fd);

	if (!facts.is_regular || facts.size < MAPPED_FROM)
		return read_all(fd, most, file);
	if (facts.size > num_min(LARGEST_MAPPED, SIZE_MAX)) {
		errno = EFBIG;
		return cannot_read(file);
	}
	return map(fd, facts.size, file) ? MEMPLAN_OK
					 : read_all(fd, most, file);
}

enum memplan_status cli_file_read(
	const char *name, uint64_t most, struct file *file)
{
	bool from_stdin = strcmp(name, "-") == 0;
	enum memplan_status status;
	int fd;

	*file = (struct file){
		.name = from_stdin ? "stdin" : name, .is_stdin = from_stdin};
	if (cli_system_is_reserved(name)) {
		cli_say("%s: error: a device of the system, and no file\n",
			name);
		return MEMPLAN_EIO;
	}
	fd = from_stdin ? SYSTEM_STDIN : cli_system_open(name);
	if (fd < 0) {
		cli_complain(name, "cannot open");
		return MEMPLAN_EIO;
	}
	status = get(fd, most, file);
	if (!from_stdin)
		cli_system_close(fd);
	if (status != MEMPLAN_OK)
		cli_file_free(file);
	return status;
}

bool cli_file_exists(const char *name)
{
	return cli_system_may_read(name);
}

void cli_file_free(struct file *file)
{
	if (file->is_mapped)
		cli_system_unmap(file->bytes, file->length);
	else
		free(file->bytes);
	file->bytes = NULL;
	file->length = 0;
}
