/*
 * A stand-in for libascendcl.so, for tests where there is no NPU. Memory is the
 * host's, aligned to 64 bytes and no more, which is what the runtime promises.
 *
 * As newer runtimes do, it counts how often it was initialised and a device was
 * set. MEMPLAN_STAND_IN=out-of-memory makes allocations fail, with an error
 * text of several lines, as long as the runtime's own can be.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	OK = 0,
	INVALID_PARAM = 107002,
	OUT_OF_MEMORY = 207001,
	INVALID_DEVICE = 107001,
	ALIGN = 64,
	FRONT = 64, /* keeps blocks off larger alignments */
};

#define LONG_TEXT                                                              \
	"EL0004: Failed to allocate memory. Possible Cause: the device has "   \
	"less of it left than the process has asked for, or other processes "  \
	"use it. Solution: free what is not used, or close applications "      \
	"that are not needed.\n        TraceBack (most recent call last):\n"

static const char *message = "";
static int n_users, n_set; /* counters of the runtime, of the device */

static int fail(int code, const char *text)
{
	message = text;
	return code;
}

int aclInit(const char *config)
{
	if (config)
		return fail(INVALID_PARAM, "no such configuration");
	n_users++;
	return OK;
}

/* Ends the runtime for every user of the process. */
int aclFinalize(void)
{
	n_users = n_set = 0;
	return OK;
}

int aclFinalizeReference(uint64_t *left)
{
	if (n_users == 0)
		return fail(INVALID_PARAM, "the runtime is not initialised");
	n_users--;
	if (left)
		*left = (uint64_t)n_users;
	return OK;
}

int aclrtSetDevice(int32_t ordinal)
{
	if (n_users == 0 || ordinal != 0)
		return fail(INVALID_DEVICE, "invalid device id");
	n_set++;
	return OK;
}

int aclrtGetDevice(int32_t *ordinal)
{
	*ordinal = 0;
	return n_set ? OK : fail(INVALID_DEVICE, "no device is set");
}

int aclrtResetDevice(int32_t ordinal)
{
	if (ordinal != 0 || n_set == 0)
		return fail(INVALID_DEVICE, "invalid device id");
	n_set--;
	return OK;
}

int aclrtSynchronizeDevice(void)
{
	return n_set ? OK : fail(INVALID_DEVICE, "no device is set");
}

int aclrtMalloc(void **address, size_t size, int policy)
{
	const char *mood = getenv("MEMPLAN_STAND_IN");
	size_t room = (size + FRONT + 1023) & -(size_t)1024;
	char *memory;

	if (!n_set || policy != 0 || size == 0)
		return fail(INVALID_PARAM, "invalid argument");
	if (mood && strcmp(mood, "out-of-memory") == 0)
		return fail(OUT_OF_MEMORY, LONG_TEXT);
	memory = aligned_alloc(1024, room);
	*address = memory ? memory + FRONT : NULL;
	return memory ? OK : fail(OUT_OF_MEMORY, "alloc memory failed");
}

int aclrtFree(void *address)
{
	free((char *)address - FRONT);
	return OK;
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t size, int kind)
{
	if (!n_set || size > room || kind < 1 || kind > 3)
		return fail(INVALID_PARAM, "invalid argument");
	memcpy(to, from, size);
	return OK;
}

const char *aclGetRecentErrMsg(void)
{
	return message;
}
