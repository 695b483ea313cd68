/*
 * Names of files: see paths.h.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700
#include "cli/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/say.h"

enum {
	MOST_LINKS = 40, /* then it is a circle */
};

size_t cli_paths_folder(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) + 1 : 0;
}

char *cli_paths_follow(const char *name, struct arena *arena)
{
	char link[PATH_MAX], *at = mp_arena_text(arena, name, strlen(name));
	ssize_t length;

	for (int i = 0; at && i < MOST_LINKS; i++) {
		length = readlink(at, link, sizeof(link) - 1);
		if (length <= 0)
			return at;
		link[length] = '\0';
		at = mp_arena_print(arena, "%.*s%s",
			link[0] == '/' ? 0 : (int)cli_paths_folder(at), at,
			link);
	}
	return at;
}

/* ----------------------------------------------------------- places */

/* What tells files apart: the file itself, or else its folder and its name. */
struct path {
	struct path *next;
	const char *name; /* as it was given */
	bool is_written, exists;
	dev_t device;
	ino_t inode;	  /* of the file, or of its folder */
	const char *last; /* its name there, if it does not exist */
};

static bool set_place(struct path *path, struct arena *arena)
{
	char *place = cli_paths_follow(path->name, arena), *folder;
	struct stat status = {0};
	size_t length;

	if (!place)
		return false;
	length = cli_paths_folder(place);
	path->exists = stat(place, &status) == 0;
	path->last = place + length;
	if (!path->exists) {
		folder = mp_arena_print(arena, "%.*s.", (int)length, place);
		if (!folder)
			return false;
		stat(folder, &status);
	}
	path->device = status.st_dev;
	path->inode = status.st_ino;
	return true;
}

static bool is_one_file(const struct path *a, const struct path *b)
{
	return a->exists == b->exists && a->device == b->device &&
	       a->inode == b->inode &&
	       (a->exists || strcmp(a->last, b->last) == 0);
}

/* Only a regular file, or one that is made, loses what it holds. */
static bool is_lost(const char *name)
{
	struct stat status;

	return stat(name, &status) < 0 || S_ISREG(status.st_mode);
}

static bool add(struct paths *paths, struct path path)
{
	struct path *copy = NEW(paths->arena, struct path, 1);

	if (!copy)
		return cli_out_of_memory(), false;
	for (const struct path *p = paths->last; p; p = p->next) {
		if (!(p->is_written || path.is_written) ||
			!is_one_file(p, &path))
			continue;
		cli_usage("'%s' %s", path.is_written ? path.name : p->name,
			p->is_written && path.is_written
				? "would be written twice"
				: "is an input: it would be overwritten");
		return false;
	}
	*copy = path;
	copy->next = paths->last;
	paths->last = copy;
	return true;
}

static bool add_named(struct paths *paths, struct path path)
{
	if (!set_place(&path, paths->arena))
		return cli_out_of_memory(), false;
	return add(paths, path);
}

bool cli_paths_read(struct paths *paths, const char *name)
{
	struct stat status;

	if (strcmp(name, "-") != 0)
		return !is_lost(name) ||
		       add_named(paths, (struct path){.name = name});
	if (fstat(STDIN_FILENO, &status) < 0 || !S_ISREG(status.st_mode))
		return true;
	return add(paths, (struct path){.name = "stdin",
				  .exists = true,
				  .device = status.st_dev,
				  .inode = status.st_ino});
}

bool cli_paths_write(struct paths *paths, const char *name)
{
	if (strcmp(name, "-") == 0 || !is_lost(name))
		return true;
	return add_named(
		paths, (struct path){.name = name, .is_written = true});
}

const char *cli_paths_name(const struct paths *paths, uint32_t i)
{
	const struct path *p = paths->last;

	while (p && i-- > 0)
		p = p->next;
	return p ? p->name : NULL;
}

bool cli_paths_is_below(
	const char *name, const char *other, struct arena *arena)
{
	char *place = cli_paths_follow(name, arena), *folder, *base;
	char inside[PATH_MAX], outside[PATH_MAX];
	size_t length;

	if (!place)
		return cli_out_of_memory(), false;
	folder = mp_arena_print(
		arena, "%.*s.", (int)cli_paths_folder(place), place);
	base = mp_arena_print(
		arena, "%.*s.", (int)cli_paths_folder(other), other);
	if (!folder || !base)
		return cli_out_of_memory(), false;
	if (!realpath(folder, inside) || !realpath(base, outside))
		return false;
	length = strlen(outside);
	return strncmp(inside, outside, length) == 0 &&
	       (inside[length] == '/' || inside[length] == '\0' ||
		       outside[length - 1] == '/');
}
