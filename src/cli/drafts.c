/*
 * Writes files with POSIX calls: see drafts.h.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "cli/drafts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/paths.h"
#include "cli/say.h"
#include "cli/signals.h"

struct draft {
	struct draft *next;
	const char *name;	    /* as it was given, for messages */
	const char *place;	    /* where it goes, behind all links */
	struct temporary temporary; /* the new file; no name: moved */
	struct temporary old;	    /* a second name of the file that was there;
				       no name: none */
	bool existed, moved;
};

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
			return cli_complain(name, "cannot write");
		at += put;
		length -= (size_t)put;
	}
	return true;
}

/* A draft is flushed too. */
static bool write_and_close(int fd, const char *name, const void *bytes,
	size_t length, bool is_draft)
{
	bool fine;

	if (fd < 0)
		return cli_complain(
			name, is_draft ? "cannot create" : "cannot open");
	fine = write_all(fd, name, bytes, length);
	if (fine && is_draft && fsync(fd) < 0)
		fine = cli_complain(name, "cannot write");
	if (close(fd) < 0 && fine)
		fine = cli_complain(name, "cannot write");
	return fine;
}

enum memplan_status cli_drafts_append(
	const char *name, const void *bytes, size_t length)
{
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);

	return write_and_close(fd, name, bytes, length, false) ? MEMPLAN_OK
							       : MEMPLAN_EIO;
}

/* ------------------------------------------------------ temporaries */

static void add(struct temporary *temporary, const char *name)
{
	temporary->name = name;
	cli_signals_add(temporary);
}

/* Forgets a temporary file that is there no more. */
static void drop(struct temporary *temporary)
{
	cli_signals_drop(temporary);
	temporary->name = NULL;
}

static void remove_temporary(struct temporary *temporary)
{
	if (!temporary->name)
		return;
	unlink(temporary->name);
	drop(temporary);
}

/* A name in the folder of the place, to be made unique; short, as any name of a
 * file is allowed. NULL: memory is out. */
static char *name_beside(const char *place, struct arena *arena)
{
	return mp_arena_print(arena, "%.*s.memplan-XXXXXX",
		(int)cli_paths_folder(place), place);
}

/* mkstemp() makes files private. This gives the file the rights of the file
 * that is there, or those that open() would give it. */
static void give_rights(int fd, const char *place)
{
	struct stat status;
	mode_t mask;

	if (stat(place, &status) < 0) {
		mask = umask(0);
		umask(mask);
		status.st_mode = 0666 & ~mask;
	} else if (fchown(fd, status.st_uid, status.st_gid) < 0) {
		/* Only the superuser gives files away. */
	}
	fchmod(fd, status.st_mode & 0777);
}

/* The file is known to the signals from its beginning on. */
static int create(struct draft *draft, char *name)
{
	int fd;

	cli_signals_hold();
	fd = mkstemp(name);
	if (fd >= 0)
		add(&draft->temporary, name);
	cli_signals_release();
	if (fd >= 0)
		give_rights(fd, draft->place);
	return fd;
}

/* ----------------------------------------------------------- drafts */

/* A device or a pipe is written in place: it cannot be renamed. */
static bool is_special(const char *name)
{
	struct stat status;

	return stat(name, &status) == 0 && !S_ISREG(status.st_mode);
}

static enum memplan_status write_draft(struct drafts *drafts, const char *name,
	const void *bytes, size_t length)
{
	struct draft *draft = NEW(drafts->arena, struct draft, 1);
	char *place = cli_paths_follow(name, drafts->arena);
	char *beside = place ? name_beside(place, drafts->arena) : NULL;

	if (!draft || !beside)
		return cli_out_of_memory();
	draft->name = name;
	draft->place = place;
	draft->next = drafts->last;
	drafts->last = draft;
	if (access(place, F_OK) == 0 && access(place, W_OK) < 0)
		return cli_complain(name, "cannot replace"), MEMPLAN_EIO;
	return write_and_close(create(draft, beside), name, bytes, length, true)
		       ? MEMPLAN_OK
		       : MEMPLAN_EIO;
}

enum memplan_status cli_drafts_add(struct drafts *drafts, const char *name,
	const void *bytes, size_t length)
{
	bool fine;

	if (strcmp(name, "-") == 0)
		fine = write_all(STDOUT_FILENO, "stdout", bytes, length);
	else if (is_special(name))
		fine = write_and_close(open(name, O_WRONLY | O_CLOEXEC), name,
			bytes, length, false);
	else
		return write_draft(drafts, name, bytes, length);
	return fine ? MEMPLAN_OK : MEMPLAN_EIO;
}

void cli_drafts_discard(struct drafts *drafts)
{
	cli_signals_hold();
	for (struct draft *d = drafts->last; d; d = d->next) {
		remove_temporary(&d->temporary);
		remove_temporary(&d->old);
	}
	drafts->last = NULL;
	cli_signals_release();
}

/* ----------------------------------------------------------- commit */

/* Gives the file that is there a second name, so that it can be put back. Some
 * file systems have no second names; then it cannot. */
static bool keep_old(struct draft *draft, struct arena *arena)
{
	char *name;
	int fd;

	draft->existed = access(draft->place, F_OK) == 0;
	if (!draft->existed)
		return true;
	name = name_beside(draft->place, arena);
	if (!name)
		return cli_out_of_memory(), false;
	fd = mkstemp(name);
	if (fd < 0)
		return cli_complain(draft->name, "cannot create");
	close(fd);
	unlink(name);
	if (link(draft->place, name) == 0)
		add(&draft->old, name);
	return true;
}

static bool move(struct draft *draft)
{
	if (rename(draft->temporary.name, draft->place) < 0)
		return cli_complain(draft->name, "cannot replace");
	drop(&draft->temporary);
	draft->moved = true;
	return true;
}

static void put_back(struct draft *draft)
{
	if (!draft->moved)
		return;
	if (!draft->existed)
		unlink(draft->place);
	else if (draft->old.name && rename(draft->old.name, draft->place) == 0)
		drop(&draft->old);
}

/* A renamed file is there after a crash only if its folder is on disk. Some
 * file systems cannot flush a folder, and need not. */
static bool flush_folder(const struct draft *draft, struct arena *arena)
{
	int length = (int)cli_paths_folder(draft->place), fd;
	const char *folder = mp_arena_print(
		arena, "%.*s%s", length, draft->place, length == 0 ? "." : "");
	bool fine = true;

	if (!folder)
		return cli_out_of_memory(), false;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true;
	if (fsync(fd) < 0 && errno == EIO)
		fine = cli_complain(draft->name, "cannot write its folder");
	close(fd);
	return fine;
}

static bool move_all(struct drafts *drafts)
{
	struct draft *all = drafts->last;

	for (struct draft *d = all; d; d = d->next)
		if (!keep_old(d, drafts->arena))
			return false;
	for (struct draft *d = all; d; d = d->next)
		if (!move(d))
			return false;
	for (struct draft *d = all; d; d = d->next)
		if (!flush_folder(d, drafts->arena))
			return false;
	return true;
}

enum memplan_status cli_drafts_commit(struct drafts *drafts)
{
	bool fine;

	cli_signals_hold();
	fine = move_all(drafts);
	for (struct draft *d = drafts->last; d && !fine; d = d->next)
		put_back(d);
	cli_signals_release();
	cli_drafts_discard(drafts);
	return fine ? MEMPLAN_OK : MEMPLAN_EIO;
}
