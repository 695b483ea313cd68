/*
 * The files of a store: see store.h. A file's place is
 * FOLDER/VERSION/ab/KEYEND, where ab is how the key begins. So a folder has a
 * 256th of the files, and a file is put into its place within one folder. No
 * folder is one that all programs write to.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sink-text.h"

enum {
	A_DAY = 24 * 60 * 60, /* seconds */
	FANS = 256,
};

/* Marks the folder; also says which layout it has. */
static const char mark_name[] = "memplan-store.json";
static const char mark[] = "{\"format\": \"memplan.store\", \"version\": 1}\n";

/* Begins the name of a file that is not in its place yet. */
static const char unfinished[] = ".new-";

/* ----------------------------------------------------------- errors */

static bool fail(const struct store *store, const char *place, const char *what)
{
	enum memplan_status code =
		errno == ENOMEM ? MEMPLAN_ENOMEM : MEMPLAN_EIO;

	return mp_fail(store->arena->error, code, "%s: %s: %s", place, what,
		strerror(errno));
}

/* ------------------------------------------------------------ files */

static bool read_all(int fd, struct sink *sink)
{
	char bytes[4096];
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		mp_sink_write(sink, bytes, (size_t)got);
	}
	return true;
}

static enum store_read read_file(
	const struct store *store, const char *place, struct sink *sink)
{
	int fd = open(place, O_RDONLY | O_CLOEXEC);
	bool fine;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return STORE_MISSING;
	if (fd < 0)
		return fail(store, place, "cannot open"), STORE_FAILED;
	fine = read_all(fd, sink);
	if (!fine)
		fail(store, place, "cannot read");
	close(fd);
	return fine && sink->error->code == MEMPLAN_OK ? STORE_READ
						       : STORE_FAILED;
}

bool mp_store_write(int fd, const void *bytes, size_t length)
{
	const char *at = bytes;
	ssize_t put;

	while (length > 0) {
		put = write(fd, at, length);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		at += put;
		length -= (size_t)put;
	}
	return true;
}

/* mkstemp() makes files private; a store may be a group's. */
static void give_rights(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

/* Writes and flushes a file beside a place. Its name is the template's. */
static bool write_beside(
	const struct store *store, char *name, const void *bytes, size_t length)
{
	int fd = mkstemp(name);
	bool fine;

	if (fd < 0)
		return fail(store, name, "cannot create");
	give_rights(fd);
	fine = mp_store_write(fd, bytes, length) && fsync(fd) == 0;
	if (!fine)
		fail(store, name, "cannot write");
	if (close(fd) < 0 && fine)
		fine = fail(store, name, "cannot write");
	if (!fine)
		unlink(name);
	return fine;
}

/* A second name is given only where there is no file: so the first one of two
 * programs wins, and the other one notices. A file system without second names
 * has to do with a look before. */
static enum store_add put(const struct store *store, const char *name,
	const char *place, enum store_policy policy)
{
	if (policy == STORE_KEEP) {
		if (link(name, place) == 0)
			return unlink(name), STORE_ADDED;
		if (errno == EEXIST || access(place, F_OK) == 0)
			return unlink(name), STORE_KEPT;
	}
	if (rename(name, place) == 0)
		return STORE_ADDED;
	fail(store, place, "cannot put in its place");
	unlink(name);
	return STORE_UNABLE;
}

static enum store_add add_file(const struct store *store, const char *place,
	const void *bytes, size_t length, enum store_policy policy)
{
	const char *slash = strrchr(place, '/');
	char *name = mp_arena_print(store->arena, "%.*s/%sXXXXXX",
		(int)(slash - place), place, unfinished);

	if (!name || !write_beside(store, name, bytes, length))
		return STORE_UNABLE;
	return put(store, name, place, policy);
}

/* ---------------------------------------------------------- folders */

/* Two programs may make it at once. */
static bool make_folder(const struct store *store, const char *name)
{
	return mkdir(name, 0777) == 0 || errno == EEXIST ||
	       fail(store, name, "cannot create");
}

static bool is_hidden(const char *name)
{
	return name[0] == '.';
}

/* True if there are files, or if that cannot be seen. */
static bool has_files(const char *folder)
{
	DIR *all = opendir(folder);
	const struct dirent *one;
	bool found = false;

	if (!all)
		return errno != ENOENT;
	while (!found && (one = readdir(all)))
		found = !is_hidden(one->d_name);
	closedir(all);
	return found;
}

static enum store_read look_for_mark(
	const struct store *store, const char *place)
{
	struct sink sink = {.error = store->arena->error};
	enum store_read found = read_file(store, place, &sink);

	if (found == STORE_READ &&
		(sink.length != strlen(mark) ||
			memcmp(sink.bytes, mark, sink.length) != 0)) {
		mp_fail(store->arena->error, MEMPLAN_EINPUT,
			"%s: marks a store of another layout", place);
		found = STORE_FAILED;
	}
	mp_sink_free(&sink);
	return found;
}

static const char *mark_place(const struct store *store)
{
	return mp_arena_print(store->arena, "%s/%s", store->folder, mark_name);
}

bool mp_store_open(struct store *store, const char *folder, const char *version,
	struct arena *arena)
{
	const char *place;
	struct stat status;
	bool files;

	*store = (struct store){folder, version, arena};
	place = mark_place(store);
	if (!place)
		return false;
	if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
		return mp_fail(arena->error, MEMPLAN_EIO,
			"%s: is no store: it is no folder", folder);
	/* The mark is the first file of a store. So if there are files, it is
	 * there, even if another program makes the store just now. */
	files = has_files(folder);
	switch (look_for_mark(store, place)) {
	case STORE_READ:
		return true;
	case STORE_FAILED:
		return false;
	case STORE_MISSING:
		break;
	}
	return !files || mp_fail(arena->error, MEMPLAN_EIO,
				 "%s: is no store: it has other files", folder);
}

bool mp_store_prepare(const struct store *store)
{
	const char *place = mark_place(store);
	const char *folder = mp_arena_print(
		store->arena, "%s/%s", store->folder, store->version);

	/* The mark is written anew: that shows that the store takes files. */
	return place && folder && make_folder(store, store->folder) &&
	       add_file(store, place, mark, strlen(mark), STORE_REPLACE) ==
		       STORE_ADDED &&
	       make_folder(store, folder);
}

/* ------------------------------------------------------------- keys */

const char *mp_store_place(
	const struct store *store, const char *key, const char *ending)
{
	return mp_arena_print(store->arena, "%s/%s/%.2s/%s%s", store->folder,
		store->version, key, key, ending);
}

/* Names are for a moment: a sweep has millions. */
enum store_read mp_store_read(const struct store *store, const char *key,
	const char *ending, struct sink *sink)
{
	struct arena_mark begin = mp_arena_mark(store->arena);
	const char *place = mp_store_place(store, key, ending);
	enum store_read found =
		place ? read_file(store, place, sink) : STORE_FAILED;

	mp_arena_rewind(store->arena, begin);
	return found;
}

bool mp_store_has(const struct store *store, const char *key,
	const char *ending, uint64_t length)
{
	struct arena_mark begin = mp_arena_mark(store->arena);
	const char *place = mp_store_place(store, key, ending);
	struct stat status;
	bool found = place && stat(place, &status) == 0 &&
		     S_ISREG(status.st_mode) &&
		     (uint64_t)status.st_size == length;

	mp_arena_rewind(store->arena, begin);
	return found;
}

/* Clients of a file server know which folders are there, and need not ask it.
 */
static bool make_fan(const struct store *store, const char *key)
{
	const char *name = mp_arena_print(
		store->arena, "%s/%s/%.2s", store->folder, store->version, key);

	return name && (access(name, F_OK) == 0 || make_folder(store, name));
}

enum store_add mp_store_add(const struct store *store, const char *key,
	const char *ending, const void *bytes, size_t length,
	enum store_policy policy)
{
	struct arena_mark begin = mp_arena_mark(store->arena);
	const char *place = mp_store_place(store, key, ending);
	enum store_add added = STORE_UNABLE;

	if (place && make_fan(store, key))
		added = add_file(store, place, bytes, length, policy);
	mp_arena_rewind(store->arena, begin);
	return added;
}

/* ------------------------------------------------------ whole store */

static DIR *open_fan(const struct store *store, unsigned fan)
{
	const char *name = mp_arena_print(
		store->arena, "%s/%s/%02x", store->folder, store->version, fan);

	return name ? opendir(name) : NULL;
}

bool mp_store_each(const struct store *store, const char *ending,
	void (*call)(void *context, const char *name), void *context)
{
	for (unsigned fan = 0; fan < FANS; fan++) {
		struct arena_mark begin = mp_arena_mark(store->arena);
		const struct dirent *one;
		DIR *all = open_fan(store, fan);

		if (!all && errno != ENOENT)
			return fail(store, store->folder, "cannot read");
		while (all && (one = readdir(all)))
			if (!is_hidden(one->d_name) &&
				mp_text_ends_with(one->d_name, ending))
				call(context, one->d_name);
		if (all)
			closedir(all);
		mp_arena_rewind(store->arena, begin);
	}
	return true;
}

static void remove_if_old(int folder, const char *name)
{
	struct stat status;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		status.st_mtime < time(NULL) - A_DAY)
		unlinkat(folder, name, 0);
}

void mp_store_tidy(const struct store *store)
{
	for (unsigned fan = 0; fan < FANS; fan++) {
		struct arena_mark begin = mp_arena_mark(store->arena);
		const struct dirent *one;
		DIR *all = open_fan(store, fan);

		while (all && (one = readdir(all)))
			if (strncmp(one->d_name, unfinished,
				    strlen(unfinished)) == 0)
				remove_if_old(dirfd(all), one->d_name);
		if (all)
			closedir(all);
		mp_arena_rewind(store->arena, begin);
	}
}

/* Answers lie in folders named by two digits: what people leave in a store, a
 * note or a picture, has none. */
static bool has_answers(const struct store *store, const char *version)
{
	const char *place =
		mp_arena_print(store->arena, "%s/%s", store->folder, version);
	DIR *all = place ? opendir(place) : NULL;
	const struct dirent *one;
	bool found = false;

	while (all && !found && (one = readdir(all)))
		found = strlen(one->d_name) == 2 &&
			strspn(one->d_name, "0123456789abcdef") == 2;
	if (all)
		closedir(all);
	return found;
}

const char *mp_store_other_version(const struct store *store)
{
	DIR *all = opendir(store->folder);
	const char *least = NULL;
	const struct dirent *one;

	while (all && (one = readdir(all))) {
		const char *name = one->d_name;

		if (is_hidden(name) || strcmp(name, store->version) == 0 ||
			(least && strcmp(least, name) < 0) ||
			!has_answers(store, name))
			continue;
		least = mp_arena_text(store->arena, name, strlen(name));
	}
	if (all)
		closedir(all);
	return least;
}
