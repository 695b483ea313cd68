/*
 * Writes files: see drafts.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/drafts.h"

#include <string.h>

#include "cli/paths.h"
#include "cli/say.h"
#include "cli/signals.h"
#include "cli/system.h"

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
	return cli_system_write(fd, bytes, length) ||
	       cli_complain(name, "cannot write");
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
	if (fine && is_draft && !cli_system_flush(fd))
		fine = cli_complain(name, "cannot write");
	if (!cli_system_close(fd) && fine)
		fine = cli_complain(name, "cannot write");
	return fine;
}

enum memplan_status cli_drafts_append(
	const char *name, const void *bytes, size_t length)
{
	return write_and_close(
		       cli_system_append(name), name, bytes, length, false)
		       ? MEMPLAN_OK
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
	cli_system_remove(temporary->name);
	drop(temporary);
}

/* A name in the folder of the place, to be made unique; short, as any name of a
 * file is allowed. NULL: memory is out. */
static char *name_beside(const char *place, struct arena *arena)
{
	return mp_arena_print(arena, "%.*s.memplan-XXXXXX",
		(int)cli_paths_folder(place), place);
}

/* The file is known to the signals from its beginning on. */
static int create(struct draft *draft, char *name)
{
	int fd;

	cli_system_hold_signals();
	fd = cli_system_create(name);
	if (fd >= 0)
		add(&draft->temporary, name);
	cli_system_release_signals();
	if (fd >= 0)
		cli_system_give_rights(fd, draft->place);
	return fd;
}

/* ----------------------------------------------------------- drafts */

/* A device or a pipe is written in place: it cannot be renamed. */
static bool is_special(const char *name)
{
	struct system_file facts = cli_system_look(name);

	return facts.exists && !facts.is_regular;
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
	if (cli_system_look(place).exists && !cli_system_may_write(place))
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
		fine = write_all(SYSTEM_STDOUT, "stdout", bytes, length);
	else if (is_special(name))
		fine = write_and_close(cli_system_open_device(name), name,
			bytes, length, false);
	else
		return write_draft(drafts, name, bytes, length);
	return fine ? MEMPLAN_OK : MEMPLAN_EIO;
}

void cli_drafts_discard(struct drafts *drafts)
{
	cli_system_hold_signals();
	for (struct draft *d = drafts->last; d; d = d->next) {
		remove_temporary(&d->temporary);
		remove_temporary(&d->old);
	}
	drafts->last = NULL;
	cli_system_release_signals();
}

/* ----------------------------------------------------------- commit */

/* Gives the file that is there a second name, so that it can be put back. Some
 * file systems have no second names; then it cannot. */
static bool keep_old(struct draft *draft, struct arena *arena)
{
	char *name;

	draft->existed = cli_system_look(draft->place).exists;
	if (!draft->existed)
		return true;
	name = mp_arena_print(arena, "%s~", draft->temporary.name);
	if (!name)
		return cli_out_of_memory(), false;
	if (cli_system_link(draft->place, name))
		add(&draft->old, name);
	return true;
}

static bool move(struct draft *draft)
{
	if (!cli_system_move(draft->temporary.name, draft->place))
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
		cli_system_remove(draft->place);
	else if (draft->old.name &&
		 cli_system_move(draft->old.name, draft->place))
		drop(&draft->old);
}

static bool same_folder(const struct draft *a, const struct draft *b)
{
	size_t length = cli_paths_folder(a->place);

	return cli_paths_folder(b->place) == length &&
	       memcmp(a->place, b->place, length) == 0;
}

/* A renamed file is there after a crash only if its folder is on disk. */
static bool flush_folder(const struct draft *draft, struct arena *arena)
{
	int length = (int)cli_paths_folder(draft->place);
	const char *folder = mp_arena_print(
		arena, "%.*s%s", length, draft->place, length == 0 ? "." : "");

	if (!folder)
		return cli_out_of_memory(), false;
	return cli_system_flush_folder(folder) ||
	       cli_complain(draft->name, "cannot write its folder");
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
		if ((!d->next || !same_folder(d, d->next)) &&
			!flush_folder(d, drafts->arena))
			return false;
	return true;
}

enum memplan_status cli_drafts_commit(struct drafts *drafts)
{
	bool fine;

	cli_system_hold_signals();
	fine = move_all(drafts);
	for (struct draft *d = drafts->last; d && !fine; d = d->next)
		put_back(d);
	cli_system_release_signals();
	cli_drafts_discard(drafts);
	return fine ? MEMPLAN_OK : MEMPLAN_EIO;
}
