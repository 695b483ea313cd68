/*
 * Where the system is not POSIX: no store can be opened. See store.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store/store.h"

bool mp_store_open(struct store *store, const char *folder, const char *version,
	struct arena *arena)
{
	*store = (struct store){folder, version, arena};
	return mp_fail(arena->error, MEMPLAN_EUSAGE,
		"%s: a store needs a system like POSIX; on Windows use memplan "
		"in WSL",
		folder);
}

/* The rest needs an open store. */

bool mp_store_prepare(const struct store *store)
{
	(void)store;
	return false;
}

const char *mp_store_place(
	const struct store *store, const char *key, const char *ending)
{
	(void)store;
	(void)key;
	(void)ending;
	return NULL;
}

enum store_read mp_store_read(const struct store *store, const char *key,
	const char *ending, struct sink *sink)
{
	(void)store;
	(void)key;
	(void)ending;
	(void)sink;
	return STORE_FAILED;
}

bool mp_store_has(const struct store *store, const char *key,
	const char *ending, uint64_t length)
{
	(void)store;
	(void)key;
	(void)ending;
	(void)length;
	return false;
}

enum store_add mp_store_add(const struct store *store, const char *key,
	const char *ending, const void *bytes, size_t length,
	enum store_policy policy)
{
	(void)store;
	(void)key;
	(void)ending;
	(void)bytes;
	(void)length;
	(void)policy;
	return STORE_UNABLE;
}

bool mp_store_each(const struct store *store, const char *ending,
	void (*call)(void *context, const char *name), void *context)
{
	(void)store;
	(void)ending;
	(void)call;
	(void)context;
	return false;
}

void mp_store_tidy(const struct store *store)
{
	(void)store;
}

const char *mp_store_other_version(const struct store *store)
{
	(void)store;
	return NULL;
}
