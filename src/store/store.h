/*
 * A store: a folder of files that are named by what they answer, and are never
 * changed. Any number of programs, on any number of machines, may read it and
 * add to it at once. docs/formats/store.md says what lies where.
 *
 * A key is 64 hexadecimal digits. A file of the key has the key's name and an
 * ending that says which of its files it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STORE_STORE_H
#define MP_STORE_STORE_H

#include "base/arena.h"
#include "base/sink.h"

struct store {
	const char *folder;  /* as it was given, for messages */
	const char *version; /* of memplan: others' answers do not count */
	struct arena *arena; /* for names; its error has what went wrong */
};

/* The store in that folder, which need not exist. Fails if the folder is no
 * store: if it has files and none that marks one. The texts must stay. */
bool mp_store_open(struct store *store, const char *folder, const char *version,
	struct arena *arena);

/* Makes sure that the store exists and takes files. */
bool mp_store_prepare(const struct store *store);

/* The place of a file, in the arena. NULL: memory is out. */
const char *mp_store_place(
	const struct store *store, const char *key, const char *ending);

enum store_read {
	STORE_READ,
	STORE_MISSING,
	STORE_FAILED, /* the error says why */
};

/* Appends a file to the sink. */
enum store_read mp_store_read(const struct store *store, const char *key,
	const char *ending, struct sink *sink);

/* Is the file there, and has it that many bytes? */
bool mp_store_has(const struct store *store, const char *key,
	const char *ending, uint64_t length);

/* What becomes of a file of that name. */
enum store_policy {
	STORE_KEEP,    /* it stays, and nothing is added */
	STORE_REPLACE, /* the new one takes its place */
};

enum store_add {
	STORE_ADDED,
	STORE_KEPT,   /* there is one already */
	STORE_UNABLE, /* the error says why */
};

/* Adds a file. It is written beside its place, flushed, and then put there, so
 * that it is there as a whole or not at all. */
enum store_add mp_store_add(const struct store *store, const char *key,
	const char *ending, const void *bytes, size_t length,
	enum store_policy policy);

/* Writes all of the bytes to an open file. False: errno says why. POSIX only.
 */
bool mp_store_write(int fd, const void *bytes, size_t length);

/* Calls the function with the name of each file of that ending. The
 * name stays until it returns. False: the store cannot be read. */
bool mp_store_each(const struct store *store, const char *ending,
	void (*call)(void *context, const char *name), void *context);

/* Removes what programs that were killed left half written: files beside their
 * places that nothing has changed for a day. What cannot be removed stays. */
void mp_store_tidy(const struct store *store);

/* A version of memplan, other than the store's, that has answers there, in the
 * arena; NULL: none, or memory is out. */
const char *mp_store_other_version(const struct store *store);

#endif
