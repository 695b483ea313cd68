/*
 * Names of files: see paths.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cli/paths.h"

#include <string.h>

#include "cli/say.h"
#include "cli/system.h"

enum {
	MOST_LINKS = 40, /* then it is a circle */
};

size_t cli_paths_folder(const char *name)
{
	size_t length = strlen(name);

	while (length > 0 && !cli_system_ends_folder(name[length - 1]))
		length--;
	return length;
}

char *cli_paths_beside(const char *file, const char *name, struct arena *arena)
{
	int folder =
		cli_system_is_absolute(name) ? 0 : (int)cli_paths_folder(file);

	return mp_arena_print(arena, "%.*s%s", folder, file, name);
}

char *cli_paths_follow(const char *name, struct arena *arena)
{
	char link[SYSTEM_LONGEST_NAME];
	char *at = mp_arena_text(arena, name, strlen(name));

	for (int i = 0; at && i < MOST_LINKS; i++) {
		if (!cli_system_follow(at, link))
			return at;
		at = cli_paths_beside(at, link, arena);
	}
	return at;
}

/* ----------------------------------------------------------- places */

/* What tells files apart: the file itself, or else its folder and its name. */
struct path {
	struct path *next;
	const char *name; /* as it was given */
	bool is_written, exists;
	uint64_t device, number; /* of the file, or of its folder */
	const char *last;	 /* its name there, if it does not exist */
};

static bool set_place(struct path *path, struct arena *arena)
{
	char *place = cli_paths_follow(path->name, arena), *folder;
	struct system_file facts;
	size_t length;

	if (!place)
		return false;
	length = cli_paths_folder(place);
	facts = cli_system_look(place);
	path->exists = facts.exists;
	path->last = place + length;
	if (!path->exists) {
		folder = mp_arena_print(arena, "%.*s.", (int)length, place);
		if (!folder)
			return false;
		facts = cli_system_look(folder);
	}
	path->device = facts.device;
	path->number = facts.number;
	return true;
}

static bool is_one_file(const struct path *a, const struct path *b)
{
	return a->exists == b->exists && a->device == b->device &&
	       a->number == b->number &&
	       (a->exists || cli_system_is_same_name(a->last, b->last));
}

/* Only a regular file, or one that is made, loses what it holds. */
static bool is_lost(const char *name)
{
	struct system_file facts = cli_system_look(name);

	return !facts.exists || facts.is_regular;
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
	struct system_file facts;

	if (strcmp(name, "-") != 0)
		return !is_lost(name) ||
		       add_named(paths, (struct path){.name = name});
	facts = cli_system_look_at(SYSTEM_STDIN);
	if (!facts.is_regular)
		return true;
	return add(paths, (struct path){.name = "stdin",
				  .exists = true,
				  .device = facts.device,
				  .number = facts.number});
}

bool cli_paths_write(struct paths *paths, const char *name)
{
	if (cli_system_is_reserved(name)) {
		cli_usage("'%s' is a device of the system, and no file", name);
		return false;
	}
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
	char inside[SYSTEM_LONGEST_NAME], outside[SYSTEM_LONGEST_NAME];
	size_t length;

	if (!place)
		return cli_out_of_memory(), false;
	folder = mp_arena_print(
		arena, "%.*s.", (int)cli_paths_folder(place), place);
	base = mp_arena_print(
		arena, "%.*s.", (int)cli_paths_folder(other), other);
	if (!folder || !base)
		return cli_out_of_memory(), false;
	if (!cli_system_resolve(folder, inside) ||
		!cli_system_resolve(base, outside))
		return false;
	length = strlen(outside);
	return strncmp(inside, outside, length) == 0 &&
	       (inside[length] == '/' || inside[length] == '\0' ||
		       outside[length - 1] == '/');
}
